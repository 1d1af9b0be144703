package main

import (
	"fmt"
	"unsafe"

	"github.com/FastFilter/xorfilter"
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

// numbers are n different keys in no particular order, others for every stream.
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
	w := newStopwatch(c, s)
	s.Text("Each family with that many whole numbers as keys and otherwise default options (Count-Min with epsilon 0.0001 at every size), compared with Go's `map[uint64]uint64`, made for as many keys, on one thread. All times include hashing. Lookups are for the keys that were added, and for as many others.")
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

// fuse compares Bloom and cuckoo filters with FastFilter's binary fuse filters,
// of 8 and of 16 bits.
func fuse(c report.Config, s *report.Section) {
	n := report.Pick(c, 5000, 300_000, 2_000_000)
	w := newStopwatch(c, s)
	s.Text("FastFilter/xorfilter's binary fuse filters are built from all keys at once, which are numbers, and never change; ours take keys as they come, and cuckoo filters also remove them. %d keys; the Bloom filter has the fuse filter's rate with these keys; the cuckoo filter is of the variant tagged, which can have any size, with fingerprints three bits longer, because a lookup compares eight. Rates are measured with as many absent keys. One thread, hashing included, 2048 keys at once for ours.", n)
	t := s.Table("filter", "its rate", "fuse filter's rate", "bits a key", "fuse filter's bits", "build / fuse", "lookup / fuse", "lookup of absent keys / fuse")
	x := fuseContest{keys: numbers(n, 0), others: numbers(n, 1)}
	var rows []report.Row
	for _, f := range []func(stopwatch, fuseContest) []fuseResult{againstFuse[uint8], againstFuse[uint16]} {
		results := f(w, x)
		for _, r := range results {
			t.Row(r.name, report.Percent2(r.rate), report.Percent2(r.fuseRate), r.bits, r.fuseBits, r.build, r.present, r.absent)
			rows = append(rows, r.build.row(r.name, "build"), r.present.row(r.name, "lookup"), r.absent.row(r.name, "lookup of absent keys"))
		}
		if len(rows) == 6 {
			s.Short("at a rate of 1 in 256 a Bloom filter is built in %s of a binary fuse filter's time, answers for keys in %s of it, and takes %s bits a key where that takes %s.",
				report.Num(rows[0].At), report.Num(rows[1].At), report.Num(results[0].bits), report.Num(results[0].fuseBits))
		}
	}
	s.Rows("ratio", "Time of Bloom and cuckoo filters as a multiple of a binary fuse filter's of the same rate.", "time / binary fuse", rows)
}

// fuseContest is the keys of all contests, and those that are absent.
type fuseContest struct{ keys, others []uint64 }

// fuseResult is one of our filters beside a fuse filter.
type fuseResult struct {
	name                           string
	rate, fuseRate, bits, fuseBits float64
	build, present, absent         ratio
}

// againstFuse is for fingerprints of that type.
func againstFuse[T xorfilter.Unsigned](w stopwatch, x fuseContest) []fuseResult {
	bits := 8 * unsafe.Sizeof(*new(T))
	target := 1 / float64(uint64(1)<<bits)
	// A lookup compares with the eight slots of two buckets: three bits more.
	p := cuckoo.Params{Capacity: uint64(len(x.keys)), FingerprintBits: uint64(bits) + 3, Slots: 4, Variant: cuckoo.Tagged}
	var results []fuseResult
	for _, f := range []struct {
		name string
		make func() keyed
	}{
		{"Bloom", func() keyed {
			return bloomSketch{report.Must(bloom.New(bloom.Params{Capacity: uint64(len(x.keys)), FPP: target}))}
		}},
		{fmt.Sprintf("cuckoo, %d bits", p.FingerprintBits), func() keyed { return cuckooSketch{report.Must(cuckoo.New(p))} }},
	} {
		results = append(results, beside[T](w, x, fmt.Sprintf("%s, rate 2^-%d", f.name, bits), f.make))
	}
	return results
}

// beside compares one filter.
func beside[T xorfilter.Unsigned](w stopwatch, x fuseContest, name string, create func() keyed) fuseResult {
	var ours keyed
	var theirs *xorfilter.BinaryFuse[T]
	took := w.inTurn(name+", build", contender{name: "ours", run: func() {
		ours = create()
		addNumbers(ours, x.keys)
	}}, contender{name: "binary fuse", run: func() { theirs = report.Must(xorfilter.NewBinaryFuse[T](x.keys)) }})
	n := float64(len(x.keys))
	r := fuseResult{name: name, build: took[0].over(took[1]), bits: 8 * float64(len(ours.Blob())) / n,
		fuseBits: 8 * float64(unsafe.Sizeof(*new(T))) * float64(len(theirs.Fingerprints)) / n}
	for _, l := range []struct {
		what string
		keys []uint64
		to   *ratio
	}{{"lookup", x.keys, &r.present}, {"lookup of absent keys", x.others, &r.absent}} {
		took := w.inTurn(name+", "+l.what, contender{name: "ours", run: func() { askNumbers(ours, l.keys) }}, loop("binary fuse", func() {
			found := 0
			for _, k := range l.keys {
				if theirs.Contains(k) {
					found++
				}
			}
			keep(found)
		}))
		*l.to = took[0].over(took[1])
	}
	for _, k := range x.others {
		if theirs.Contains(k) {
			r.fuseRate += 1 / n
		}
	}
	hashed(x.others, func(h1s, h2s []uint64) {
		ours.ask(h1s, h2s)
		for _, found := range yes[:len(h1s)] {
			if found {
				r.rate += 1 / n
			}
		}
	})
	return r
}
