package main

import (
	"slices"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
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

// inserter makes a structure and puts all points into it.
type inserter struct {
	name   string
	insert func(a arrived)
}

// inserters are the textbooks' structures and ours in the same order, and ours
// with our defaults.
var inserters = []inserter{
	ofTextbook("textbook: CascadeCBF, standard", func() func(hashes) { return newTextbookCascade(insertCounters).standard }),
	ofTextbook("textbook: CascadeCBF, mi", func() func(hashes) { return newTextbookCascade(insertCounters).minimal }),
	ofTextbook("textbook: spectral, mi", func() func(hashes) { return newTextbookSpectral(insertCounters).add }),
	ofTextbook("textbook: Count-Min, conservative", func() func(hashes) { return newTextbookCountMin(insertCounters).add }),
	ofCascade("ours: CascadeCBF, standard", paperInserts(ccbf.Standard)),
	ofCascade("ours: CascadeCBF, mi", paperInserts(ccbf.MinimalIncrement)),
	ofKeyed("ours: spectral, mi", func() *sbf.Sketch {
		return report.Must(sbf.New(sbf.Params{Counters: insertCounters, K: paperK, Method: sbf.MI}))
	}),
	ofKeyed("ours: Count-Min, conservative", func() *cms.Sketch {
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

// ofCascade inserts into a ccbf.
func ofCascade(name string, p ccbf.Params) inserter {
	return inserter{name, func(a arrived) {
		p.Res = 1
		config := report.Must(p.Config())
		b := ccbf.NewBuilder(config, nil)
		for keys := range slices.Chunk(a.keys, insertBatch) {
			report.Check(b.AddKeys(keys))
		}
		sk := report.Must(b.Sketch())
		sk.Blob() // what an exact one still has to do
	}}
}

// ofKeyed inserts into a structure of hashed keys.
func ofKeyed[S interface{ AddHashes(h1s, h2s, ns []uint64) }](name string, empty func() S) inserter {
	return inserter{name, func(a arrived) {
		s := empty()
		a.hashed(func(h hashes) { s.AddHashes(h.h1, h.h2, nil) })
	}}
}

// ofTextbook inserts into a structure of the textbooks.
func ofTextbook(name string, empty func() func(hashes)) inserter {
	return inserter{name, func(a arrived) { a.hashed(empty()) }}
}

// times are the seconds that each inserter takes, round by round; a first round
// is not counted. They take turns, so that all meet the same moods of the
// machine.
func (a arrived) times(s *report.Section, rounds int) [][]float64 {
	out := make([][]float64, len(inserters))
	for round := range rounds + 1 {
		for turn := range inserters {
			i := (turn + round) % len(inserters)
			start := time.Now()
			inserters[i].insert(a)
			if round > 0 {
				out[i] = append(out[i], time.Since(start).Seconds())
			}
			s.Step()
		}
	}
	return out
}
