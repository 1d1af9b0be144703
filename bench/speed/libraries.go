package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	publicbloom "github.com/bits-and-blooms/bloom/v3"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/key"
	cuckoofilter "github.com/seiflotfy/cuckoofilter"
	boom "github.com/tylertreat/BoomFilters"
)

// batch is the number of keys per call, as in SQL.
const batch = 2048

// keyed is a sketch of keys of any family. The functions add and ask call its other methods.
type keyed interface{ Blob() []byte }

// add adds keys. Only some sketches can be full and return an error.
func add(s keyed, h1s, h2s []uint64) {
	switch s := s.(type) {
	case interface{ AddHashes(h1s, h2s, ns []uint64) }:
		s.AddHashes(h1s, h2s, nil)
	case interface {
		AddHashes(h1s, h2s, ns []uint64) error
	}:
		report.Check(s.AddHashes(h1s, h2s, nil))
	}
}

// Results of ask.
var (
	yes    [batch]bool
	counts [batch]uint64
)

// ask looks up whether keys are contained or, if the sketch cannot say that, how often.
func ask(s keyed, h1s, h2s []uint64) {
	switch s := s.(type) {
	case interface {
		ContainsHashes(dst []bool, h1s, h2s []uint64)
	}:
		s.ContainsHashes(yes[:len(h1s)], h1s, h2s)
	case interface{ CountHashes(dst, h1s, h2s []uint64) }:
		s.CountHashes(counts[:len(h1s)], h1s, h2s)
	}
}

// keysOf returns n distinct keys of size bytes in random order.
func keysOf(n, size int, seed uint64) [][]byte {
	r := rand.New(rand.NewPCG(seed, 1))
	keys := make([][]byte, n)
	for i, id := range r.Perm(n) {
		b := make([]byte, max(size, 8))
		for j := range b {
			b[j] = byte('a' + r.IntN(26))
		}
		binary.LittleEndian.PutUint64(b[len(b)-8:], uint64(id)<<8|seed&0xff)
		keys[i] = b
	}
	return keys
}

// keep prevents that the compiler removes the computation of a result.
func keep[T any](answer T) { runtime.KeepAlive(answer) }

// peer is a public library. one and many are the promised speeds of our sketches as a multiple of the
// library's: for single keys, and for many keys at once. contests calls run for each contest.
type peer struct {
	library   string
	one, many float64
	contests  func(c report.Config, run func(contest))
}

// contest is two filters with the same parameters that add and look up the same keys.
type contest struct {
	filter, add, test   string       // Names of the filter and of the operations.
	keys, others        [][]byte     // Added keys, and mostly absent keys to look up; others nil: no lookups.
	ours                func() keyed // Creates a new filter of ours.
	theirs              func()       // Creates a new filter of the library.
	addOurs, addTheirs  func(k []byte)
	testOurs, testTheir func(k []byte)
}

// peers compares the families with public Go libraries: with the same parameters and keys,
// including hashing.
func peers(b *bench) {
	b.Set("batch", batch)
	for _, p := range []peer{
		{"bits-and-blooms/bloom", 1.5, 1.5, bloomPeers},
		{"seiflotfy/cuckoofilter", 1.2, 1.5, cuckooPeers},
		{"tylertreat/BoomFilters", 1.2, 2, cmsPeers},
	} {
		judge := func(operation, filter, way string, speed rounds, promised float64) {
			b.record(filter+", "+operation, way, speed, report.At{"library": p.library, "filter": filter, "operation": operation, "promised": promised})
		}
		p.contests(b.c, func(x contest) {
			b.contest(x, func(operation string, one, many rounds) {
				judge(operation, x.filter, "many at once", many, p.many)
				judge(operation, x.filter, "one by one", one, p.one)
			})
		})
	}
	medians := b.Medians("ratio", "what", "way")
	b.Set("all", len(medians), "lost", report.Count(medians, func(speed float64) bool { return speed < 1 }))
}

// contest runs the operations of a contest. Ours adds and looks up single keys, and many at once.
func (b *bench) contest(x contest, result func(operation string, one, many rounds)) {
	var ours keyed
	renew := func() { ours = x.ours() }
	run := func(operation string, keys [][]byte, our, their func(k []byte), many func(s keyed, h1s, h2s []uint64), fresh, theirFresh func()) {
		each := func(f func([]byte)) func() {
			return func() {
				for _, k := range keys {
					f(k)
				}
			}
		}
		took := b.inTurn(x.filter+", "+operation,
			contender{name: "one by one", fresh: fresh, run: each(our)},
			contender{name: "many at once", fresh: fresh, run: func() {
				var h1s, h2s [batch]uint64
				for keys := range slices.Chunk(keys, batch) {
					key.Hashes(0, keys, h1s[:], h2s[:])
					many(ours, h1s[:len(keys)], h2s[:len(keys)])
				}
			}},
			contender{name: "the library", fresh: theirFresh, run: each(their)})
		result(operation, took[2].over(took[0]), took[2].over(took[1]))
	}
	run(x.add, x.keys, x.addOurs, x.addTheirs, add, renew, x.theirs)
	run(x.test, x.keys, x.testOurs, x.testTheir, ask, nil, nil)
	if x.others != nil {
		run(x.test+" of absent keys", x.others, x.testOurs, x.testTheir, ask, nil, nil)
	}
}

// bloomPeers compares with bits-and-blooms/bloom, with the same bits and hash functions.
func bloomPeers(c report.Config, run func(contest)) {
	n := report.Pick(c, 4000, 100_000, 1_000_000)
	for _, size := range []int{8, 16, 40} {
		for _, capacity := range []int{report.Pick(c, 2000, 100_000, 100_000), 10 * n} {
			p := bloom.Params{Capacity: uint64(capacity), FPP: 0.01}
			ours := report.Must(bloom.New(p))
			m, k := uint(ours.Bits()), uint(ours.K())
			var theirs *publicbloom.BloomFilter
			run(contest{
				filter: fmt.Sprintf("bloom, %d bits, keys of %d bytes", m, size), add: "add", test: "test",
				keys: keysOf(min(n, capacity), size, 1), others: keysOf(min(n, capacity), size, 2),
				ours:    func() keyed { ours = report.Must(bloom.New(p)); return ours },
				theirs:  func() { theirs = publicbloom.New(m, k) },
				addOurs: func(k []byte) { ours.AddKey(k, 1) }, addTheirs: func(k []byte) { theirs.Add(k) },
				testOurs: func(k []byte) { keep(ours.ContainsKey(k)) }, testTheir: func(k []byte) { keep(theirs.Test(k)) },
			})
		}
	}
}

// cuckooPeers compares with seiflotfy/cuckoofilter, which has fingerprints of 8 bits and four
// slots, at a load of 90%.
func cuckooPeers(c report.Config, run func(contest)) {
	for _, slots := range report.Pick(c, []int{1 << 10, 1 << 12}, []int{1 << 16, 1 << 19}, []int{1 << 16, 1 << 23}) {
		load := slots * 9 / 10
		p := cuckoo.Params{Capacity: uint64(load), FingerprintBits: 8, Slots: 4, Duplicates: true}
		ours := report.Must(cuckoo.New(p))
		report.Require(ours.Buckets()*4 == uint64(slots), "%d buckets of 4, the other filter has %d slots", ours.Buckets(), slots)
		var theirs *cuckoofilter.Filter
		run(contest{
			filter: fmt.Sprintf("cuckoo, %d slots", slots), add: "insert", test: "lookup",
			keys: keysOf(load, 8, 1), others: keysOf(load, 8, 2),
			ours:    func() keyed { ours = report.Must(cuckoo.New(p)); return ours },
			theirs:  func() { theirs = cuckoofilter.NewFilter(uint(slots)) },
			addOurs: func(k []byte) { report.Check(ours.AddKey(k, 1)) }, addTheirs: func(k []byte) { theirs.Insert(k) },
			testOurs: func(k []byte) { keep(ours.ContainsKey(k)) }, testTheir: func(k []byte) { keep(theirs.Lookup(k)) },
		})
	}
}

// cmsPeers compares with tylertreat/BoomFilters, whose counters have 8 bytes.
func cmsPeers(c report.Config, run func(contest)) {
	keys := keysOf(report.Pick(c, 4000, 100_000, 1_000_000), 8, 1)
	for _, epsilon := range report.Pick(c, []float64{0.1, 0.01}, []float64{0.001, 0.000001}, []float64{0.001, 0.000001}) {
		const delta = 0.01
		width, depth := math.Ceil(math.E/epsilon), math.Ceil(math.Log(1/delta))
		var ours *cms.Sketch
		var theirs *boom.CountMinSketch
		run(contest{
			filter: fmt.Sprintf("Count-Min, %.0f x %.0f", width, depth), add: "add", test: "count", keys: keys,
			ours: func() keyed {
				ours = report.Must(cms.New(cms.Params{Width: uint64(width), Depth: uint64(depth)}))
				return ours
			},
			theirs:  func() { theirs = boom.NewCountMinSketch(epsilon, delta) },
			addOurs: func(k []byte) { ours.AddKey(k, 1) }, addTheirs: func(k []byte) { theirs.Add(k) },
			testOurs: func(k []byte) { keep(ours.CountKey(k)) }, testTheir: func(k []byte) { keep(theirs.Count(k)) },
		})
	}
}
