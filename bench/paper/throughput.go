package main

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// matches are pairs of structures of which one should be faster, as indexes in racers.
var matches = []struct {
	name       string
	one, other int
	published  string // the ratio in the paper's text
	table      string // the ratios of the seconds in the paper's table 1
}{
	{"CascadeCBF, mi, over Count-Min", 1, 3, "1.3 to 1.6", "1.06 to 1.57"},
	{"CascadeCBF, mi, over spectral", 1, 2, "1.3 to 1.6", "0.83 to 1.29"},
	{"CascadeCBF, standard, over mi", 0, 1, "1.5 to 2", "1.32 and 1.38"},
}

// throughput measures table 1 and section 5.1: how many times as fast one structure is as another,
// round by round.
func throughput(c report.Scale, s *report.Section) {
	rounds, most := report.Pick(c, 1, 5, 11), report.Pick(c, 2000, 200_000, 1<<21)
	cases := points{res: 1} // the points of all dates, at each date place by place
	for _, at := range slices.Concat(covid()...) {
		cases.add(at.Cell, at.points)
	}
	city, text := crowds(c, []float64{1})
	s.Set("k", paperK, "rounds", rounds, "cases", covidWhat, "text", text)
	for i, x := range []struct {
		name string
		points
		published []float64 // seconds in the paper's table 1: standard, mi, spectral and Count-Min
	}{
		{"COVID-19, place after place", cases, []float64{6.99, 9.22, 7.61, 10.78}},
		{"COVID-19, in random order", cases.shuffled(seedOf(0), 91), nil},
		{"crimes", city[1].shuffled(seedOf(0), 91), []float64{0.13, 0.18, 0.16, 0.19}}, // the paper measured these on its own events, not on crimes
		{"pickups", city[0].shuffled(seedOf(0), 91), []float64{0, 0.07, 0.09, 0.11}},
	} {
		cells := newOrderedCells(x.points, most)
		took := report.InTurn(rounds, len(racers), func(i int) float64 { return report.Timed(func() { racers[i].insert(cells) }) })
		for _, m := range matches {
			at := report.At{"points": x.name, "row": i + 1, "match": m.name, "claimed": m.published, "table 1": m.table}
			if x.published != nil && x.published[m.one] > 0 { // table 1 has a figure for both structures, and so a ratio
				s.Record(at, report.Figures{"published": x.published[m.other] / x.published[m.one]})
			}
			for round := range rounds {
				s.Record(at, report.Figures{"ours": took[m.other][round] / took[m.one][round], "defaults": took[m.other][round] / took[oursExact][round]})
			}
		}
		for j, r := range racers {
			for round := range rounds {
				s.Record(report.At{"of points": x.name, "structure": r.name}, report.Figures{"speed": took[3][round] / took[j][round]})
			}
		}
	}
}

// insertBatch is the number of points per call, as in SQL.
const insertBatch = 2048

// orderedCells has the cells of points in their order, and ccbf's keys for them.
type orderedCells struct {
	cells []grid.Cell
	keys  []uint64
}

// newOrderedCells returns the cells of at most most points, which are evenly spaced in the order.
func newOrderedCells(p points, most int) orderedCells {
	config := report.Must(ccbf.Params{Res: 1}.Config())
	n := min(most, len(p.order))
	a := orderedCells{make([]grid.Cell, n), make([]uint64, n)}
	xs, ys := make([]float64, n), make([]float64, n)
	for at := range a.cells {
		a.cells[at] = p.places[p.order[at*len(p.order)/n]].Cell
		xs[at], ys[at] = float64(a.cells[at].X), float64(a.cells[at].Y)
	}
	report.Require(bridge.Keys(&config, a.keys, xs, ys) == n, "a cell has no key")
	return a
}

// racers are the structures with the paper's parameters, and ours with default options.
var racers = []structure{
	cascadeOf("CascadeCBF, standard", paperK, ccbf.Standard, parts(1, 16)),
	cascadeOf("CascadeCBF, mi", paperK, ccbf.MinimalIncrement, parts(1, 16)),
	spectralOf("spectral, mi", paperK, 16),
	countMinOf("Count-Min, conservative", paperK, 16),
	defaultsOf("defaults, dense", true),
	defaultsOf("defaults", false),
}

// oursExact is the index in racers of our defaults.
const oursExact = 5

// insert creates a structure and inserts all points.
func (s structure) insert(a orderedCells) {
	const bytes = 2 << 20 // as in table 4
	if s.cells != nil {
		b := points{res: 1}.builder(s.cells(bytes, 0))
		for keys := range slices.Chunk(a.keys, insertBatch) {
			report.Check(bridge.AddKeys(b, keys))
		}
		viewOf(report.Must(b.Sketch()).Blob()) // an exact sketch is encoded only here, and the measured time includes that
		return
	}
	sk, _ := s.keys(bytes, 0)
	var h1s, h2s [insertBatch]uint64
	for cells := range slices.Chunk(a.cells, insertBatch) {
		for i, c := range cells {
			h1s[i], h2s[i] = key.HashCell(0, c.X, c.Y)
		}
		sk.AddHashes(h1s[:len(cells)], h2s[:len(cells)], nil)
	}
}
