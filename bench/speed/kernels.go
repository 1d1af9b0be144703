package main

import (
	"database/sql"
	"fmt"
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
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// batch is the number of keys that are handed over at once, as SQL does.
const batch = 2048

// kernel measures the functions under the SQL functions of ccbf beside the
// loops that one would write.
func kernel(c report.Config, s *report.Section) {
	w := newStopwatch(c, s)
	s.Text("The dense form has k = 8 and 16-bit counters, %d keys, each hashed by both sides; the plain loops process one key after the other, in one layer of saturating counters. The inserted cells are keys on the Z-order curve, as SQL passes them. "+
		"2^20 counters are two megabytes, which a cache may hold; 2^24 are 32. The promise is a plain loop's time, and half of it for inserts into 2^24 counters.", report.Pick(c, 20_000, 1_000_000, 4_000_000))
	t := s.Table("kernel", "beside", "counters or cells", "time / other")
	var rows []report.Row
	record := func(what, beside string, size any, r ratio) {
		t.Row(what, beside, size, r)
		rows = append(rows, r.row(fmt.Sprintf("%s, %v / %s", what, size, beside), ""))
	}
	denseKernel(c, w, record)
	exactKernel(c, w, record)
	s.Short("dense inserts, mi, take %s of a plain loop's time at 2^20 counters and %s at 2^24; standard ones %s and %s.",
		report.Num(rows[0].At), report.Num(rows[4].At), report.Num(rows[1].At), report.Num(rows[5].At))
	s.Rows("ratio", "Time of the kernels as a part of what it is beside.", "time / other", rows)
}

// Why dense inserts may fall short.
const (
	inCache    = "the loop leaves out what overflows into a second layer"
	outOfCache = "both move eight lines of memory for each key"
)

// denseKernel inserts and looks up.
func denseKernel(c report.Config, w stopwatch, record func(what, beside string, size any, r ratio)) {
	n := report.Pick(c, 20_000, 1_000_000, 4_000_000)
	r := rand.New(rand.NewPCG(1, 2))
	cells, others, keys := make([]grid.Cell, n), make([]grid.Cell, n), make([]uint64, n)
	xs, ys := make([]float64, n), make([]float64, n)
	for i := range cells {
		cells[i] = grid.Cell{X: r.Int64N(1 << 20), Y: r.Int64N(1 << 20)}
		xs[i], ys[i] = float64(cells[i].X), float64(cells[i].Y)
		others[i] = grid.Cell{X: -1 - cells[i].X, Y: cells[i].Y}
	}
	for _, p := range []struct {
		bits   int
		mode   ccbf.Mode
		limit  float64 // promised
		reason string
	}{
		{20, ccbf.MinimalIncrement, 1, inCache}, {20, ccbf.Standard, 1, inCache},
		{24, ccbf.MinimalIncrement, 0.5, outOfCache}, {24, ccbf.Standard, 0.5, outOfCache},
	} {
		config := report.Must(ccbf.Params{Res: 1, Dense: true, K: 8, Mode: p.mode, Widths: []int{16, 16}, Counters: []uint64{1 << p.bits, 1 << (p.bits - 4)}}.Config())
		report.Require(config.Keys(keys, xs, ys) == n, "a point has no key")
		x, _ := grid.Deinterleave(keys[0])
		bias := int64(x) - cells[0].X // of the coordinates in a key
		var sketch *ccbf.Sketch
		var counters []uint16
		size, what := fmt.Sprintf("2^%d", p.bits), fmt.Sprintf("insert, %v", p.mode)
		took := w.inTurn(what+", "+size, contender{name: "kernel", run: func() { sketch = build(config, keys) }}, loop("plain loop", func() {
			counters = make([]uint16, 1<<p.bits)
			plainInsert(counters, p.mode, keys, bias)
		}))
		inserts := took[0].over(took[1])
		record(what, "plain loop", size, inserts)
		w.claim(inserts.atMost(fmt.Sprintf("time of dense %s / plain loop, %s counters", what, size), p.limit).because(p.reason))
		if p.mode == ccbf.Standard {
			blob := sketch.Blob()
			denseLookup(w, record, "lookup", size, blob, counters, cells)
			denseLookup(w, record, "lookup of absent cells", size, blob, counters, others)
		}
	}
}

// denseLookup looks up cells in what both sides hold: the same counters.
func denseLookup(w stopwatch, record func(what, beside string, size any, r ratio), what, size string, blob []byte, counters []uint16, cells []grid.Cell) {
	v := report.Must(ccbf.NewView(blob))
	ours, plain := make([]uint64, len(cells)), make([]uint64, len(cells))
	took := w.inTurn(what+", "+size, loop("kernel", func() { v.CountCells(ours, cells, nil) }), loop("plain loop", func() { plainLookup(plain, counters, cells) }))
	report.Require(slices.Equal(ours, plain), "lookups in %s counters differ from the plain loop's", size)
	lookups := took[0].over(took[1])
	record(what, "plain loop", size, lookups)
	w.claim(lookups.atMost(fmt.Sprintf("time of dense %s / plain loop, %s counters", what, size), 1))
}

// build is a sketch of keys that arrive as in SQL.
func build(config ccbf.Config, keys []uint64) *ccbf.Sketch {
	b := ccbf.NewBuilder(config, nil)
	for chunk := range slices.Chunk(keys, batch) {
		report.Check(b.AddKeys(chunk))
	}
	return report.Must(b.Sketch())
}

// plainInsert is the textbook's put.
func plainInsert(counters []uint16, mode ccbf.Mode, keys []uint64, bias int64) {
	mask := uint64(len(counters) - 1)
	for _, k := range keys {
		x, y := grid.Deinterleave(k)
		h1, h2 := key.HashCell(0, int64(x)-bias, int64(y)-bias)
		if mode == ccbf.Standard {
			for j := uint64(1); j <= 8; j++ {
				if c := &counters[(h1+j*h2)&mask]; *c < 1<<16-1 {
					*c++
				}
			}
			continue
		}
		least := uint16(1<<16 - 1)
		for j := uint64(1); j <= 8; j++ {
			least = min(least, counters[(h1+j*h2)&mask])
		}
		if least == 1<<16-1 {
			continue
		}
		for j := uint64(1); j <= 8; j++ {
			c := &counters[(h1+j*h2)&mask]
			*c = max(*c, least+1)
		}
	}
}

// plainLookup is the textbook's get.
func plainLookup(dst []uint64, counters []uint16, cells []grid.Cell) {
	mask := uint64(len(counters) - 1)
	for i, c := range cells {
		h1, h2 := key.HashCell(0, c.X, c.Y)
		least := uint16(1<<16 - 1)
		for j := uint64(1); j <= 8; j++ {
			least = min(least, counters[(h1+j*h2)&mask])
		}
		dst[i] = uint64(least)
	}
}

// exactKernel builds the exact form of real points, beside Go's map and beside
// sorting the points' keys.
func exactKernel(c report.Config, w stopwatch, record func(what, beside string, size any, r ratio)) {
	points := crimes(c)
	db := open(1)
	defer db.Close()
	run(db, "CREATE TABLE p AS "+points)
	xs, ys := coordinates(db, "p")
	config := report.Must(ccbf.Params{Res: 0.001}.Config())
	keys, sorted := make([]uint64, len(xs)), make([]uint64, len(xs))
	report.Require(config.Keys(keys, xs, ys) == len(keys), "a point has no key")
	counts := map[uint64]uint32{}
	took := w.inTurn("exact build", contender{name: "kernel", run: func() { build(config, keys).Blob() }}, loop("Go's map", func() {
		counts = map[uint64]uint32{}
		for _, k := range keys {
			counts[k]++
		}
	}), loop("slices.Sort", func() {
		copy(sorted, keys)
		slices.Sort(sorted)
	}))
	record("exact build", "Go's map", len(counts), took[0].over(took[1]))
	record("exact build", "slices.Sort", len(counts), took[0].over(took[2]))
}

// coordinates are the columns lon and lat of a table, in its order.
func coordinates(db *sql.DB, table string) (xs, ys []float64) {
	xs = column[float64](db, "SELECT lon FROM "+table+" ORDER BY rowid")
	ys = column[float64](db, "SELECT lat FROM "+table+" ORDER BY rowid")
	return xs, ys
}

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
	w := newStopwatch(c, s)
	turns := report.Pick(c, 2, 100, 300)
	s.Text("%d keys, already hashed unless they are cells; everything fits the first-level cache. A round is the least of %d turns, which leaves out other work of the machine. Keyed families are compared with Go's map, made for as many keys; "+
		"the dense form with one layer of plain saturating counters, hashing included on both sides; the exact form with sorting its keys.", hotKeys, turns)
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
	s.Short("of %d loops on keys in the first-level cache, %d take no more of a plain loop's time than promised.", len(loops), kept)
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
