package main

import (
	"slices"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// insertCounters is how many counters of 16 bits the structures have: the 2 MB
// of table 4.
const insertCounters = 1 << 20

// insertBatch is how many points are handed over at once, as SQL does.
const insertBatch = 2048

// arrived are the cells of points in the order in which they come, as
// coordinates, and as the keys that ccbf has for them.
type arrived struct {
	xs, ys []int64
	keys   []uint64
}

func newArrived(places []place, points []int32) arrived {
	config := report.Must(ccbf.Params{Res: 1}.Config())
	n := len(points)
	a := arrived{make([]int64, n), make([]int64, n), make([]uint64, n)}
	xs, ys := make([]float64, n), make([]float64, n)
	for at, i := range points {
		a.xs[at], a.ys[at] = places[i].X, places[i].Y
		xs[at], ys[at] = float64(places[i].X), float64(places[i].Y)
	}
	report.Require(config.Keys(a.keys, xs, ys) == n, "a cell has no key")
	return a
}

// hashed gives f the hashes of the points, batch by batch.
func (a arrived) hashed(f func(h hashes)) {
	var h1s, h2s [insertBatch]uint64
	for from := 0; from < len(a.xs); from += insertBatch {
		xs, ys := a.xs[from:min(from+insertBatch, len(a.xs))], a.ys[from:]
		for i, x := range xs {
			h1s[i], h2s[i] = key.HashCell(0, x, ys[i])
		}
		f(hashes{h1s[:len(xs)], h2s[:len(xs)]})
	}
}

// racer makes a structure and puts all points into it; what it returns asks it for
// points.
type racer struct {
	name   string
	insert func(a arrived) (ask func(a arrived))
}

// racers are the textbooks' structures and ours in the same order, and ours with our
// defaults.
var racers = []racer{
	ofTextbook("textbook: CascadeCBF, standard", func() (func(hashes), lookup) { t := newTextbookCascade(insertCounters); return t.standard, t.count }),
	ofTextbook("textbook: CascadeCBF, mi", func() (func(hashes), lookup) { t := newTextbookCascade(insertCounters); return t.minimal, t.count }),
	ofTextbook("textbook: spectral, mi", func() (func(hashes), lookup) { t := newTextbookSpectral(insertCounters); return t.add, t.count }),
	ofTextbook("textbook: Count-Min, conservative", func() (func(hashes), lookup) { t := newTextbookCountMin(insertCounters); return t.add, t.count }),
	ofCascade("ours: CascadeCBF, standard", paperInserts(ccbf.Standard)),
	ofCascade("ours: CascadeCBF, mi", paperInserts(ccbf.MinimalIncrement)),
	ofKeyed("ours: spectral, mi", func() keyedCounts {
		return report.Must(sbf.New(sbf.Params{Counters: insertCounters, K: paperK, Method: sbf.MI}))
	}),
	ofKeyed("ours: Count-Min, conservative", func() keyedCounts {
		return report.Must(cms.New(cms.Params{Width: insertCounters / paperK, Depth: paperK, Conservative: true}))
	}),
	ofCascade("ours: defaults, dense", ccbf.Params{Bytes: 2 * insertCounters, Dense: true}),
	ofCascade("ours: defaults", ccbf.Params{Bytes: 2 * insertCounters}),
}

// Places in that list: of ours, which are those of the textbooks from there on,
// and of our defaults.
const (
	ours0     = 4
	oursExact = 9
)

func paperInserts(mode ccbf.Mode) ccbf.Params {
	return ccbf.Params{Dense: true, K: paperK, Mode: mode, Widths: []int{16, 16}, Counters: []uint64{insertCounters, insertCounters / 16}}
}

// ofCascade is a ccbf.
func ofCascade(name string, p ccbf.Params) racer {
	return racer{name, func(a arrived) func(arrived) {
		p.Res = 1
		b := ccbf.NewBuilder(report.Must(p.Config()), nil)
		for keys := range slices.Chunk(a.keys, insertBatch) {
			report.Check(b.AddKeys(keys))
		}
		v := report.Must(ccbf.NewView(report.Must(b.Sketch()).Blob())) // an exact one still has that to do
		return func(a arrived) {
			var cells [insertBatch]grid.Cell
			for xs := range slices.Chunk(a.xs, insertBatch) {
				for i, x := range xs {
					cells[i] = grid.Cell{X: x, Y: a.ys[i]}
				}
				v.CountCells(answered[:len(xs)], cells[:len(xs)], nil)
				a.ys = a.ys[len(xs):]
			}
		}
	}}
}

// answered takes counts that nobody reads.
var answered [insertBatch]uint64

// keyedCounts counts hashed keys.
type keyedCounts interface {
	AddHashes(h1s, h2s, ns []uint64)
	counter
}

// ofKeyed is a structure of hashed keys.
func ofKeyed(name string, empty func() keyedCounts) racer {
	return racer{name, func(a arrived) func(arrived) {
		s := empty()
		a.hashed(func(h hashes) { s.AddHashes(h.h1, h.h2, nil) })
		return func(a arrived) {
			a.hashed(func(h hashes) { s.CountHashes(answered[:h.len()], h.h1, h.h2) })
		}
	}}
}

// lookup answers for a hashed key.
type lookup func(h1, h2 uint64) uint64

// ofTextbook is a structure of the textbooks.
func ofTextbook(name string, empty func() (add func(hashes), count lookup)) racer {
	return racer{name, func(a arrived) func(arrived) {
		add, count := empty()
		a.hashed(add)
		return func(a arrived) {
			a.hashed(func(h hashes) {
				for i, h1 := range h.h1 {
					answered[i] = count(h1, h.h2[i])
				}
			})
		}
	}}
}

// times are the seconds that each function takes, round by round; a first round is
// not counted. They take turns, so that all meet the same moods of the machine.
func times(s *report.Section, rounds int, fs []func()) [][]float64 {
	out := make([][]float64, len(fs))
	for round := range rounds + 1 {
		for turn := range fs {
			i := (turn + round) % len(fs)
			start := time.Now()
			fs[i]()
			if round > 0 {
				out[i] = append(out[i], time.Since(start).Seconds())
			}
			s.Step()
		}
	}
	return out
}

// inserts are the seconds that the racers take for the points, round by round.
func (a arrived) inserts(s *report.Section, rounds int) [][]float64 {
	var fs []func()
	for _, r := range racers {
		fs = append(fs, func() { r.insert(a) })
	}
	return times(s, rounds, fs)
}

// lookups are the seconds that they take to answer for them, and for as many cells
// that have none.
func (a arrived) lookups(s *report.Section, rounds int) (present, absent [][]float64) {
	none := arrived{slices.Clone(a.xs), a.ys, nil}
	for i := range none.xs {
		none.xs[i] += 1 << 30
	}
	var yes, no []func()
	for _, r := range racers {
		ask := r.insert(a)
		yes, no = append(yes, func() { ask(a) }), append(no, func() { ask(none) })
	}
	return times(s, rounds, yes), times(s, rounds, no)
}
