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

// Results of lookups of many keys.
var (
	yes    [batch]bool
	counts [batch]uint64
)

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
// library's: for single keys, and for many keys at once.
type peer struct {
	library   string
	one, many float64
	add, test string                                   // names of the operations
	contests  func(c report.Config, run func(contest)) // calls run for each contest
}

// contest is two filters with the same parameters that add and look up the same keys.
type contest struct {
	filter       string
	keys, others [][]byte // added keys, and mostly absent keys to look up; others nil: no lookups
	ours, theirs func() filter
}

// filter has the operations of a new filter.
type filter struct{ add, test operation }

// operation has a function for one key, and one for the hashes of many keys, which only ours has.
type operation struct {
	one  func(k []byte)
	many func(h1s, h2s []uint64)
}

// peers compares the families with public Go libraries: with the same parameters and keys,
// including hashing.
func peers(b *bench) {
	b.Set("batch", batch)
	for _, p := range []peer{
		{"bits-and-blooms/bloom", 1.5, 1.5, "add", "test", bloomPeers},
		{"seiflotfy/cuckoofilter", 1.2, 1.5, "insert", "lookup", cuckooPeers},
		{"tylertreat/BoomFilters", 1.2, 2, "add", "count", cmsPeers},
	} {
		p.contests(b.c, func(x contest) { b.contest(p, x) })
	}
	medians := b.Medians("ratio", "what", "way")
	b.Set("all", len(medians), "lost", report.Count(medians, func(speed float64) bool { return speed < 1 }))
}

// contest runs the operations of a contest. Ours adds and looks up single keys, and many at once.
func (b *bench) contest(p peer, x contest) {
	var ours, theirs filter
	run := func(name string, keys [][]byte, fresh bool, of func(filter) operation) {
		renew := func(f *filter, empty func() filter) func() {
			return func() {
				if fresh {
					*f = empty()
				}
			}
		}
		each := func(f *filter) func() {
			return func() {
				one := of(*f).one
				for _, k := range keys {
					one(k)
				}
			}
		}
		took := b.inTurn(x.filter+", "+name, contender{"one by one", renew(&ours, x.ours), each(&ours)},
			contender{"many at once", renew(&ours, x.ours), func() {
				var h1s, h2s [batch]uint64
				many := of(ours).many
				for keys := range slices.Chunk(keys, batch) {
					key.Hashes(0, keys, h1s[:], h2s[:])
					many(h1s[:len(keys)], h2s[:len(keys)])
				}
			}}, contender{"the library", renew(&theirs, x.theirs), each(&theirs)})
		judge := func(way string, ours rounds, promised float64) {
			b.record(x.filter+", "+name, way, took[2].over(ours), report.At{"library": p.library, "filter": x.filter, "operation": name, "promised": promised})
		}
		judge("many at once", took[1], p.many)
		judge("one by one", took[0], p.one)
	}
	test := func(f filter) operation { return f.test }
	run(p.add, x.keys, true, func(f filter) operation { return f.add })
	run(p.test, x.keys, false, test)
	if x.others != nil {
		run(p.test+" of absent keys", x.others, false, test)
	}
}

// bloomPeers compares with bits-and-blooms/bloom, with the same bits and hash functions.
func bloomPeers(c report.Config, run func(contest)) {
	n := report.Pick(c, 4000, 100_000, 1_000_000)
	for _, size := range []int{8, 16, 40} {
		for _, capacity := range []int{report.Pick(c, 2000, 100_000, 100_000), 10 * n} {
			p := bloom.Params{Capacity: uint64(capacity), FPP: 0.01}
			empty := report.Must(bloom.New(p))
			m, k := uint(empty.Bits()), uint(empty.K())
			run(contest{fmt.Sprintf("bloom, %d bits, keys of %d bytes", m, size), keysOf(min(n, capacity), size, 1), keysOf(min(n, capacity), size, 2),
				func() filter {
					s := report.Must(bloom.New(p))
					return filter{operation{func(k []byte) { s.AddKey(k, 1) }, func(h1s, h2s []uint64) { s.AddHashes(h1s, h2s, nil) }},
						operation{func(k []byte) { keep(s.ContainsKey(k)) }, func(h1s, h2s []uint64) { s.ContainsHashes(yes[:len(h1s)], h1s, h2s) }}}
				}, func() filter {
					s := publicbloom.New(m, k)
					return filter{operation{one: func(k []byte) { s.Add(k) }}, operation{one: func(k []byte) { keep(s.Test(k)) }}}
				}})
		}
	}
}

// cuckooPeers compares with seiflotfy/cuckoofilter, which has fingerprints of 8 bits and four
// slots, at a load of 90%.
func cuckooPeers(c report.Config, run func(contest)) {
	for _, slots := range report.Pick(c, []int{1 << 10, 1 << 12}, []int{1 << 16, 1 << 19}, []int{1 << 16, 1 << 23}) {
		load := slots * 9 / 10
		run(contest{fmt.Sprintf("cuckoo, %d slots", slots), keysOf(load, 8, 1), keysOf(load, 8, 2), func() filter {
			s := report.Must(cuckoo.New(cuckoo.Params{Capacity: uint64(load), FingerprintBits: 8, Slots: 4, Duplicates: true}))
			report.Require(s.Buckets()*4 == uint64(slots), "%d buckets of 4, the other filter has %d slots", s.Buckets(), slots)
			return filter{operation{func(k []byte) { report.Check(s.AddKey(k, 1)) }, func(h1s, h2s []uint64) { report.Check(s.AddHashes(h1s, h2s, nil)) }},
				operation{func(k []byte) { keep(s.ContainsKey(k)) }, func(h1s, h2s []uint64) { s.ContainsHashes(yes[:len(h1s)], h1s, h2s) }}}
		}, func() filter {
			s := cuckoofilter.NewFilter(uint(slots))
			return filter{operation{one: func(k []byte) { s.Insert(k) }}, operation{one: func(k []byte) { keep(s.Lookup(k)) }}}
		}})
	}
}

// cmsPeers compares with tylertreat/BoomFilters, whose counters have 8 bytes.
func cmsPeers(c report.Config, run func(contest)) {
	keys := keysOf(report.Pick(c, 4000, 100_000, 1_000_000), 8, 1)
	for _, epsilon := range report.Pick(c, []float64{0.1, 0.01}, []float64{0.001, 0.000001}, []float64{0.001, 0.000001}) {
		const delta = 0.01
		width, depth := math.Ceil(math.E/epsilon), math.Ceil(math.Log(1/delta))
		run(contest{fmt.Sprintf("Count-Min, %.0f x %.0f", width, depth), keys, nil, func() filter {
			s := report.Must(cms.New(cms.Params{Width: uint64(width), Depth: uint64(depth)}))
			return filter{operation{func(k []byte) { s.AddKey(k, 1) }, func(h1s, h2s []uint64) { s.AddHashes(h1s, h2s, nil) }},
				operation{func(k []byte) { keep(s.CountKey(k)) }, func(h1s, h2s []uint64) { s.CountHashes(counts[:len(h1s)], h1s, h2s) }}}
		}, func() filter {
			s := boom.NewCountMinSketch(epsilon, delta)
			return filter{operation{one: func(k []byte) { s.Add(k) }}, operation{one: func(k []byte) { keep(s.Count(k)) }}}
		}})
	}
}
