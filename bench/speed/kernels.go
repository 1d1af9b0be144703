package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// batch is the number of keys that are handed over at once, as SQL does.
const batch = 2048

// kernel measures the functions under the SQL functions of ccbf beside the loops that one
// would write.
func kernel(b *bench) {
	b.dense()
	b.exactBuild()
}

// dense inserts and looks up.
func (b *bench) dense() {
	n := report.Pick(b.c, 20_000, 1_000_000, 4_000_000)
	b.Set("n", n)
	r := rand.New(rand.NewPCG(1, 2))
	cells, others, keys := make([]grid.Cell, n), make([]grid.Cell, n), make([]uint64, n)
	xs, ys := make([]float64, n), make([]float64, n)
	for i := range cells {
		cells[i] = grid.Cell{X: r.Int64N(1 << 20), Y: r.Int64N(1 << 20)}
		xs[i], ys[i] = float64(cells[i].X), float64(cells[i].Y)
		others[i] = grid.Cell{X: -1 - cells[i].X, Y: cells[i].Y}
	}
	for _, of := range []struct {
		bits int
		most float64 // of the plain loop's time for inserts, promised
		why  string  // it may take longer
	}{{20, 1, "the loop leaves out what overflows into a second layer"}, {24, 0.5, "both move eight lines of memory for each key"}} {
		bits, size := of.bits, fmt.Sprintf("2^%d", of.bits)
		beside := func(what string, most float64, why string, ours, plain func()) {
			b.compare(what+", "+size+" / plain loop", report.At{"kernel": what, "beside": "plain loop", "size": size, "most": most, "why": why},
				contender{name: "plain loop", run: plain}, contender{name: "kernel", run: ours})
		}
		var sketch *ccbf.Sketch
		var counters []uint16
		for _, mode := range []ccbf.Mode{ccbf.MinimalIncrement, ccbf.Standard} {
			config := report.Must(ccbf.Params{Res: 1, Dense: true, K: 8, Mode: mode, Widths: []int{16, 16}, Counters: []uint64{1 << bits, 1 << (bits - 4)}}.Config())
			report.Require(bridge.Keys(&config, keys, xs, ys) == n, "a point has no key")
			x, _ := grid.Deinterleave(keys[0])
			bias := int64(x) - cells[0].X // of the coordinates in a key
			beside(fmt.Sprintf("insert, %v", mode), of.most, of.why, func() { sketch = build(config, keys) }, func() {
				counters = make([]uint16, 1<<bits)
				plainInsert(counters, mode, keys, bias)
			})
		}
		// Both sides hold the same counters, of mode standard.
		v := report.Must(ccbf.NewView(sketch.Blob()))
		ours, plain := make([]uint64, n), make([]uint64, n)
		for _, l := range []struct {
			what  string
			asked []grid.Cell
		}{{"lookup", cells}, {"lookup of absent cells", others}} {
			beside(l.what, 1, "", func() { v.Counts(ours, l.asked, ccbf.Categories{}) }, func() { plainLookup(plain, counters, l.asked) })
			report.Require(slices.Equal(ours, plain), "lookups in %s counters differ from the plain loop's", size)
		}
	}
}

// build is a sketch of keys that arrive as in SQL.
func build(config ccbf.Config, keys []uint64) *ccbf.Sketch {
	b := ccbf.NewBuilder(config, nil)
	for chunk := range slices.Chunk(keys, batch) {
		report.Check(bridge.AddKeys(b, chunk))
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

// exactBuild builds the exact form of real points, beside Go's map and beside sorting the
// points' keys.
func (b *bench) exactBuild() {
	b.run("CREATE TABLE p AS " + crimes(b.c))
	xs, ys := coordinates(b.db, "p")
	config := report.Must(ccbf.Params{Res: 0.001}.Config())
	keys, sorted := make([]uint64, len(xs)), make([]uint64, len(xs))
	report.Require(bridge.Keys(&config, keys, xs, ys) == len(keys), "a point has no key")
	counts := map[uint64]uint32{}
	took := b.inTurn("exact build", contender{name: "kernel", run: func() { build(config, keys).Blob() }}, contender{name: "Go's map", run: func() {
		counts = map[uint64]uint32{}
		for _, k := range keys {
			counts[k]++
		}
	}}, contender{name: "slices.Sort", run: func() {
		copy(sorted, keys)
		slices.Sort(sorted)
	}})
	for i, beside := range []string{"Go's map", "slices.Sort"} {
		b.record("exact build / "+beside, "kernel", took[0].over(took[1+i]), report.At{"kernel": "exact build", "beside": beside, "size": len(counts)})
	}
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

// hot measures the loops in which sketches spend their time, on few keys, beside those that
// one would write.
func hot(b *bench) {
	loops := slices.Concat(hotKeyed(), hotGrids())
	turns := report.Pick(b.c, 2, 100, 300)
	kept := 0
	for _, l := range loops {
		r := b.least(l.name, turns, contender{name: l.name, run: l.op}, contender{name: l.beside, run: l.reference})
		b.record(l.name+" / "+l.beside, "", r, report.At{"loop": l.name, "beside": l.beside, "promised": l.promised})
		if r.median() <= l.promised {
			kept++
		}
	}
	b.Set("keys", hotKeys, "turns", turns, "loops", len(loops), "kept", kept)
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
		{"bloom", "contains", 1, 2.2, func() keyed { return report.Must(bloom.New(bloom.Params{Capacity: hotKeys})) }},
		{"cbf", "contains", 4.5, 7.2, func() keyed { return report.Must(cbf.New(cbf.Params{Capacity: hotKeys})) }},
		{"cuckoo", "contains", 1.1, 1.3, func() keyed { return report.Must(cuckoo.New(cuckoo.Params{Capacity: hotKeys})) }},
		{"sbf ms", "count", 0.9, 1.6, func() keyed { return report.Must(sbf.New(sbf.Params{Capacity: hotKeys})) }},
		{"sbf mi", "", 3.2, 0, func() keyed { return report.Must(sbf.New(sbf.Params{Capacity: hotKeys, Method: sbf.MI})) }},
		{"cms", "count", 0.6, 1.5, func() keyed { return report.Must(cms.New(cms.Params{})) }},
		{"cms conservative", "", 2.7, 0, func() keyed { return report.Must(cms.New(cms.Params{Conservative: true})) }},
	} {
		fill := func() keyed {
			s := f.make()
			add(s, h1s, h2s)
			return s
		}
		full := fill()
		loops = append(loops, hotLoop{f.name + " add", "map", func() { fill() }, func() { tally() }, f.mayAdd})
		if f.mayAsk > 0 {
			loops = append(loops, hotLoop{f.name + " " + f.asks, "map", func() { ask(full, h1s, h2s) }, look, f.mayAsk})
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
		bridge.Keys(&config, keys, xs, ys)
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
	bridge.Keys(&exact, keys, xs, ys)
	sorted, blob := make([]uint64, hotKeys), []byte(nil)
	return append(loops,
		hotLoop{"ccbf count", "plain loop", func() { v.Counts(ours, cells, ccbf.Categories{}) }, func() { plainLookup(plain, stored, cells) }, 5},
		hotLoop{"ccbf union", "plain loop", func() { unite(blobs) }, func() {
			clear(sum)
			for range blobs {
				for i, n := range stored {
					sum[i] = min(sum[i], math.MaxUint16-n) + n
				}
			}
		}, 0.9},
		hotLoop{"ccbf exact build", "slices.Sort", func() { blob, _ = build(exact, keys).AppendBinary(blob[:0]) }, func() {
			copy(sorted, keys)
			slices.Sort(sorted)
		}, 1.1},
	)
}

// path is one piece of work done by a statement and by Go.
type path struct {
	what, statement string
	kernel          func()
	build           bool // an aggregate
}

// overSQL compares statements with the same work in Go, on one thread.
func overSQL(b *bench) {
	b.Set("batch", batch)
	worst := 0.0
	for _, p := range append(b.spatialPaths(), b.keyedPaths()...) {
		b.compare(p.what, report.At{"build": p.build}, contender{name: "kernel", run: p.kernel}, b.query("SQL", p.statement))
		if r := b.Median("ratio", "what", p.what); r > worst {
			worst = r
			b.Set("worst", p.what)
		}
	}
}

// spatialPaths build and ask sketches of points.
func (b *bench) spatialPaths() []path {
	const outlines = 20
	texts := make([]string, outlines)
	for i := range texts {
		texts[i] = around(-2.9, 53.45, 1+0.01*float64(i))
	}
	b.make("outlines", report.At{"crimes": crimes(b.c), "texts": texts})
	xs, ys := coordinates(b.db, "p")
	var paths []path
	for _, form := range []struct {
		name, options string
		params        ccbf.Params
	}{{"exact", "", ccbf.Params{Res: 0.001}}, {"dense", ", {exact: false}", ccbf.Params{Res: 0.001, Dense: true}}} {
		blob := duck.Column[[]byte](b.db, "SELECT "+form.name+" FROM s")[0]
		config := report.Must(form.params.Config())
		if form.name == "exact" {
			report.Require(bytes.Equal(buildPoints(config, xs, ys), blob), "the kernel makes other bytes of the points than SQL")
		}
		v := new(ccbf.View)
		report.Check(v.Reset(blob))
		paths = append(paths,
			path{"ccbf_agg, " + form.name, "SELECT octet_length(ccbf_agg(lon, lat, 0.001" + form.options + ")) FROM p", func() { buildPoints(config, xs, ys) }, true},
			path{"ccbf_get, " + form.name, "SELECT sum(ccbf_get(" + form.name + ", lon, lat)) FROM p, s", func() { lookUp(v, xs, ys) }, false},
			path{"ccbf_polygon_sum of counties, " + form.name, "SELECT sum(ccbf_polygon_sum(" + form.name + ", g)) FROM outlines, s", func() { sumAll(v, texts) }, false})
	}
	return paths
}

// buildPoints is the BLOB of points that arrive as in SQL.
func buildPoints(config ccbf.Config, xs, ys []float64) []byte {
	b := ccbf.NewBuilder(config, nil)
	var keys [batch]uint64
	for from := 0; from < len(xs); from += batch {
		to := min(from+batch, len(xs))
		report.Require(bridge.Keys(&config, keys[:to-from], xs[from:to], ys[from:to]) == to-from, "a point has no key")
		report.Check(bridge.AddKeys(b, keys[:to-from]))
	}
	return report.Must(b.Sketch()).Blob()
}

// lookUp asks for the cells of points.
func lookUp(v *ccbf.View, xs, ys []float64) {
	var cells [batch]grid.Cell
	var counts [batch]uint64
	for from := 0; from < len(xs); from += batch {
		to := min(from+batch, len(xs))
		report.Must(v.Grid.Cells(cells[:to-from], xs[from:to], ys[from:to]))
		v.Counts(counts[:to-from], cells[:to-from], ccbf.Categories{})
	}
}

// sumAll asks for polygons.
func sumAll(v *ccbf.View, texts []string) {
	for _, text := range texts {
		report.Must(v.Sum(ccbf.NewPolygon(report.Must(grid.ParsePolygon([]byte(text)))).Area(), ccbf.Categories{}))
	}
}
