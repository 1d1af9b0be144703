package main

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// keyed is a sketch of keys, through the methods that take many hashes.
type keyed interface {
	AddHashes(h1s, h2s, ns []uint64)
	ask(h1s, h2s []uint64)
	Blob() []byte
}

// Answers that nobody reads.
var (
	yes    [hotKeys]bool
	counts [hotKeys]uint64
)

// The sketches of the families as keyed ones: some take any key, some can be
// full; some answer whether, some how often.
type (
	bloomSketch  struct{ *bloom.Sketch }
	cuckooSketch struct{ *cuckoo.Sketch }
	cbfSketch    struct{ *cbf.Sketch }
	sbfSketch    struct{ *sbf.Sketch }
	cmsSketch    struct{ *cms.Sketch }
)

func (s cuckooSketch) AddHashes(h1s, h2s, ns []uint64) {
	report.Check(s.Sketch.AddHashes(h1s, h2s, ns))
}

func (s bloomSketch) ask(h1s, h2s []uint64)  { s.ContainsHashes(yes[:len(h1s)], h1s, h2s) }
func (s cuckooSketch) ask(h1s, h2s []uint64) { s.ContainsHashes(yes[:len(h1s)], h1s, h2s) }
func (s cbfSketch) ask(h1s, h2s []uint64)    { s.ContainsHashes(yes[:len(h1s)], h1s, h2s) }
func (s sbfSketch) ask(h1s, h2s []uint64)    { s.CountHashes(counts[:len(h1s)], h1s, h2s) }
func (s cmsSketch) ask(h1s, h2s []uint64)    { s.CountHashes(counts[:len(h1s)], h1s, h2s) }

// families make their sketch for so many keys, with default options otherwise.
// Count-Min, which knows no capacity, has a 10,000th of the total as its error.
var families = []struct {
	name    string
	options string // of SQL, for $n keys
	make    func(capacity uint64) keyed
}{
	{"bloom", "{capacity: $n}", func(capacity uint64) keyed {
		return bloomSketch{report.Must(bloom.New(bloom.Params{Capacity: capacity}))}
	}},
	{"cuckoo", "{capacity: $n}", func(capacity uint64) keyed {
		return cuckooSketch{report.Must(cuckoo.New(cuckoo.Params{Capacity: capacity}))}
	}},
	{"cbf", "{capacity: $n}", func(capacity uint64) keyed { return cbfSketch{report.Must(cbf.New(cbf.Params{Capacity: capacity}))} }},
	{"sbf", "{capacity: $n}", func(capacity uint64) keyed { return sbfSketch{report.Must(sbf.New(sbf.Params{Capacity: capacity}))} }},
	{"cms", "{epsilon: 0.0001}", func(uint64) keyed { return cmsSketch{report.Must(cms.New(cms.Params{Epsilon: 0.0001}))} }},
}

// hashed calls f with the hashes of keys, as many at once as in SQL.
func hashed(keys []uint64, f func(h1s, h2s []uint64)) {
	var h1s, h2s [batch]uint64
	for from := 0; from < len(keys); from += batch {
		part := keys[from:min(from+batch, len(keys))]
		key.HashUint64s(0, part, h1s[:], h2s[:])
		f(h1s[:len(part)], h2s[:len(part)])
	}
}

func addNumbers(s keyed, keys []uint64) {
	hashed(keys, func(h1s, h2s []uint64) { s.AddHashes(h1s, h2s, nil) })
}

func askNumbers(s keyed, keys []uint64) { hashed(keys, func(h1s, h2s []uint64) { s.ask(h1s, h2s) }) }

// numbers are n different keys in no order, others for every stream.
func numbers(n int, stream uint64) []uint64 {
	keys := make([]uint64, n)
	for i := range keys {
		// Odd multiples modulo 2^64 differ.
		keys[i] = (stream<<40 | uint64(i)) * 0x9e3779b97f4a7c15
	}
	return keys
}

// filters compares the families with the exact structure, a map.
func filters(c report.Config, s *report.Section) {
	sizes := report.Pick(c, []int{5000}, []int{100_000, 500_000}, []int{100_000, 2_000_000})
	w := newStopwatch(c, s, 3*len(sizes))
	s.Text("Each family for that many keys, which are whole numbers, with default options otherwise (Count-Min with epsilon 0.0001 at every size), beside Go's `map[uint64]uint64`, made for as many keys, on one thread. Hashing is in all times. Asked are the keys that are there, and as many others.")
	t := s.Table("family", "keys", "bits a key", "add / map", "ask for keys / map", "ask for others / map")
	var rows []report.Row
	for _, n := range sizes {
		keys, others := numbers(n, 0), numbers(n, 1)
		x := &besideMap{sketches: make([]keyed, len(families))}
		ratios := make([][]ratio, len(families))
		for _, o := range []struct {
			name       string
			contenders []contender
		}{
			{"add", x.adds(keys)},
			{"ask for keys", x.asks(keys)},
			{"ask for others", x.asks(others)},
		} {
			took := w.inTurn(fmt.Sprintf("%d keys, %s", n, o.name), o.contenders...)
			for i, f := range families {
				r := took[i].over(took[len(families)])
				ratios[i] = append(ratios[i], r)
				rows = append(rows, r.row(fmt.Sprintf("%s, %d keys", f.name, n), o.name))
			}
		}
		for i, f := range families {
			t.Row(f.name, n, 8*float64(len(x.sketches[i].Blob()))/float64(n), ratios[i][0], ratios[i][1], ratios[i][2])
		}
		s.Short("at %d keys a Bloom filter takes %s of a map's time to add and %s to answer.", n, report.Num(ratios[0][0].median()), report.Num(ratios[0][1].median()))
	}
	s.Rows("ratio", "Time of the families as a part of that of Go's map.", "time / map", rows)
}

// besideMap is a sketch of each family, and a map of the same keys.
type besideMap struct {
	sketches []keyed
	exact    map[uint64]uint64
}

// adds are the families and the map, which take the keys.
func (x *besideMap) adds(keys []uint64) []contender {
	var out []contender
	for i, f := range families {
		out = append(out, contender{name: f.name, fresh: func() {
			x.sketches[i] = f.make(uint64(len(keys)))
		}, run: func() { addNumbers(x.sketches[i], keys) }})
	}
	return append(out, contender{name: "map", fresh: func() { x.exact = make(map[uint64]uint64, len(keys)) }, run: func() {
		for _, k := range keys {
			x.exact[k]++
		}
	}})
}

// asks are the families and the map, which answer for the keys.
func (x *besideMap) asks(keys []uint64) []contender {
	var out []contender
	for i, f := range families {
		out = append(out, contender{name: f.name, run: func() { askNumbers(x.sketches[i], keys) }})
	}
	return append(out, loop("map", func() {
		sum := uint64(0)
		for _, k := range keys {
			sum += x.exact[k]
		}
		keep(sum)
	}))
}
