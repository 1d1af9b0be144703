package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// hotKeys are so few that all is in the first cache, where layout and luck matter
// least: what takes twice as long there does twice as much.
const hotKeys = 1 << 12

// hotLoop is an operation, the plain loop beside it, and what part of the loop's
// time it may take: 1.6 times what it took on the slower of two kinds of processor,
// so far below 2 that an operation that does all of its work twice falls short.
type hotLoop struct {
	name, beside string
	op           func()
	reference    func()
	promised     float64
}

// hot measures the loops in which sketches spend their time, on few keys, beside
// those that one would write.
func hot(c report.Config, s *report.Section) {
	loops := slices.Concat(hotKeyed(), hotGrids())
	w := newStopwatch(c, s, len(loops))
	turns := report.Pick(c, 2, 100, 300)
	s.Text("%d keys, hashed already where they are no cells: all is in the first cache. A round is the least of %d turns, so that what else the machine does is left out. Keyed families are beside Go's map, made for as many keys; "+
		"the dense form beside one layer of plain counters that stop when they are full, hashing included on both sides; the exact form beside sorting its keys.", hotKeys, turns)
	t := s.Table("loop", "beside", "time / other")
	var rows []report.Row
	kept := 0
	for _, l := range loops {
		r := w.least(l.name, turns, contender{name: l.name, run: l.op}, loop(l.beside, l.reference))
		t.Row(l.name, l.beside, r)
		rows = append(rows, r.row(l.name+" / "+l.beside, ""))
		of := r.atMost("time of "+l.name+" / "+l.beside+", 4,096 keys", l.promised)
		if of.part.median() <= 1 {
			kept++
		}
		w.claim(of)
	}
	s.Short("of %d loops on keys in the first cache %d take no more of a plain loop's time than promised.", len(loops), kept)
	s.Rows("ratio", "Time of the hot loops as a part of what it is beside.", "time / other", rows)
}

// hotKeyed are the loops of the keyed families.
func hotKeyed() []hotLoop {
	r := rand.New(rand.NewPCG(1, 1))
	h1s, h2s := make([]uint64, hotKeys), make([]uint64, hotKeys)
	for i := range h1s {
		h1s[i], h2s[i] = r.Uint64(), r.Uint64()
	}
	tally := func() map[uint64]uint64 {
		m := make(map[uint64]uint64, hotKeys)
		for _, k := range h1s {
			m[k]++
		}
		return m
	}
	full := tally()
	seen := make([]uint64, hotKeys)
	look := func() {
		for i, k := range h1s {
			seen[i] = full[k]
		}
	}
	var loops []hotLoop
	for _, f := range []struct {
		name, asks     string
		mayAdd, mayAsk float64 // 0 where it is the same as of the one before
		make           func() keyed
	}{
		{"bloom", "contains", 1, 2.2, func() keyed { return bloomSketch{report.Must(bloom.New(bloom.Params{Capacity: hotKeys}))} }},
		{"cbf", "contains", 4.5, 7.2, func() keyed { return cbfSketch{report.Must(cbf.New(cbf.Params{Capacity: hotKeys}))} }},
		{"cuckoo", "contains", 1.1, 1.3, func() keyed { return cuckooSketch{report.Must(cuckoo.New(cuckoo.Params{Capacity: hotKeys}))} }},
		{"sbf ms", "count", 0.9, 1.6, func() keyed { return sbfSketch{report.Must(sbf.New(sbf.Params{Capacity: hotKeys}))} }},
		{"sbf mi", "", 3.2, 0, func() keyed { return sbfSketch{report.Must(sbf.New(sbf.Params{Capacity: hotKeys, Method: sbf.MI}))} }},
		{"cms", "count", 0.6, 1.5, func() keyed { return cmsSketch{report.Must(cms.New(cms.Params{}))} }},
		{"cms conservative", "", 2.7, 0, func() keyed { return cmsSketch{report.Must(cms.New(cms.Params{Conservative: true}))} }},
	} {
		fill := func() keyed {
			s := f.make()
			s.AddHashes(h1s, h2s, nil)
			return s
		}
		full := fill()
		loops = append(loops, hotLoop{f.name + " add", "map", func() { fill() }, func() { tally() }, f.mayAdd})
		if f.mayAsk > 0 {
			loops = append(loops, hotLoop{f.name + " " + f.asks, "map", func() { full.ask(h1s, h2s) }, look, f.mayAsk})
		}
	}
	return loops
}

// hotGrids are the loops of CascadeCBF.
func hotGrids() []hotLoop {
	const bits = 13
	cells, keys := make([]grid.Cell, hotKeys), make([]uint64, hotKeys)
	xs, ys := make([]float64, hotKeys), make([]float64, hotKeys)
	for i := range cells {
		cells[i] = grid.Cell{X: int64(i), Y: int64(i >> 1)}
		xs[i], ys[i] = float64(i), float64(i>>1)
	}
	counters := make([]uint16, 1<<bits)
	var loops []hotLoop
	var full []byte
	for _, p := range []struct {
		name     string
		params   ccbf.Params
		promised float64
	}{
		{"ccbf insert, standard", ccbf.Params{K: 8, Mode: ccbf.Standard, Widths: []int{16, 16}, Counters: []uint64{1 << bits, 1 << (bits - 4)}}, 2.4},
		{"ccbf insert, mi", ccbf.Params{K: 8, Widths: []int{16, 16}, Counters: []uint64{1 << bits, 1 << (bits - 4)}}, 2.2},
		{"ccbf insert, mi, k 4", ccbf.Params{K: 4, Widths: []int{8, 16, 32}, Counters: []uint64{1 << bits, 1 << (bits - 4), 1 << (bits - 8)}}, 2.4},
	} {
		p.params.Res, p.params.Dense = 1, true
		config := report.Must(p.params.Config())
		config.Keys(keys, xs, ys)
		x, _ := grid.Deinterleave(keys[0])
		bias := int64(x) - cells[0].X
		mine := slices.Clone(keys)
		loops = append(loops, hotLoop{p.name, "plain loop", func() { build(config, mine) }, func() {
			clear(counters)
			plainInsert(counters, p.params.Mode, mine, bias)
		}, p.promised})
		if full == nil { // of mode standard
			full = build(config, mine).Blob()
			plainInsert(counters, p.params.Mode, mine, bias)
		}
	}
	v := report.Must(ccbf.NewView(full))
	ours, plain, sum := make([]uint64, hotKeys), make([]uint64, hotKeys), make([]uint16, 1<<bits)
	stored := slices.Clone(counters)
	blobs := slices.Repeat([][]byte{full}, 16)
	exact := report.Must(ccbf.Params{Res: 1, Bytes: 1 << 22}.Config())
	// Towns: cells around few places.
	r := rand.New(rand.NewPCG(1, 3))
	for i := range xs {
		xs[i], ys[i] = float64(1000*r.IntN(8))+math.Floor(10*r.NormFloat64()), float64(1000*r.IntN(8))+math.Floor(10*r.NormFloat64())
	}
	exact.Keys(keys, xs, ys)
	sorted, blob := make([]uint64, hotKeys), []byte(nil)
	return append(loops,
		hotLoop{"ccbf count", "plain loop", func() { v.CountCells(ours, cells, nil) }, func() { plainLookup(plain, stored, cells) }, 5},
		hotLoop{"ccbf union", "plain loop", func() { unite(blobs) }, func() {
			clear(sum)
			for range blobs {
				for i, n := range stored {
					sum[i] = min(sum[i], math.MaxUint16-n) + n
				}
			}
		}, 0.9},
		hotLoop{"ccbf exact build", "slices.Sort", func() { blob = build(exact, keys).AppendBlob(blob[:0]) }, func() {
			copy(sorted, keys)
			slices.Sort(sorted)
		}, 1.1},
	)
}
