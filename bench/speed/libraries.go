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

// library is a public library with filters like ours. one and many are the promised speeds of ours as a
// multiple of the library's: for single keys, and for many keys at once.
type library struct {
	name      string
	one, many float64
	add, test string // names of its operations
}

// contest is two new filters with the same parameters that add and look up the same keys.
type contest struct {
	filter       string
	keys, others [][]byte // added keys, and mostly absent keys to look up; others nil: no lookups
	ours, theirs func() filter
}

// filter has the operations of a filter for one key and, if it is ours, for the hashes of many keys.
type filter struct {
	add, test         func(k []byte)
	addMany, testMany func(h1s, h2s []uint64)
}

// peers compares the families with public Go libraries: with the same parameters and keys,
// including hashing. Without runtime.KeepAlive, the compiler could remove lookups.
func peers(b *bench) {
	b.Set("batch", batch)
	b.bloomPeers(library{"bits-and-blooms/bloom", 1.5, 1.5, "add", "test"})
	b.cuckooPeers(library{"seiflotfy/cuckoofilter", 1.2, 1.5, "insert", "lookup"})
	b.cmsPeers(library{"tylertreat/BoomFilters", 1.2, 2, "add", "count"})
	medians := b.Medians("ratio", "what", "way")
	b.Set("all", len(medians), "lost", report.Count(medians, func(speed float64) bool { return speed < 1 }))
}

// contest runs the operations of a contest. Ours adds and looks up single keys, and many at once.
func (b *bench) contest(l library, x contest) {
	var ours, theirs filter
	b.operation(l, x.filter, l.add, x.keys, func() { ours = x.ours() }, func() { theirs = x.theirs() },
		func(k []byte) { ours.add(k) }, func(h1s, h2s []uint64) { ours.addMany(h1s, h2s) }, func(k []byte) { theirs.add(k) })
	b.operation(l, x.filter, l.test, x.keys, nil, nil, ours.test, ours.testMany, theirs.test)
	if x.others != nil {
		b.operation(l, x.filter, l.test+" of absent keys", x.others, nil, nil, ours.test, ours.testMany, theirs.test)
	}
}

// operation runs an operation on all keys: ours for one key and for many, and the library's. renewOurs and
// renewTheirs make new filters; nil: the present ones are used.
func (b *bench) operation(l library, filter, name string, keys [][]byte, renewOurs, renewTheirs func(),
	one func(k []byte), many func(h1s, h2s []uint64), theirs func(k []byte)) {
	each := func(f func(k []byte)) func() {
		return func() {
			for _, k := range keys {
				f(k)
			}
		}
	}
	took := b.inTurn(filter+", "+name, contender{"one by one", renewOurs, each(one)}, contender{"many at once", renewOurs, func() {
		var h1s, h2s [batch]uint64
		for keys := range slices.Chunk(keys, batch) {
			key.Hashes(0, keys, h1s[:], h2s[:])
			many(h1s[:len(keys)], h2s[:len(keys)])
		}
	}}, contender{"the library", renewTheirs, each(theirs)})
	at := report.At{"library": l.name, "filter": filter, "operation": name, "promised": l.many}
	b.record(filter+", "+name, "many at once", over(took[2], took[1]), at)
	at["promised"] = l.one
	b.record(filter+", "+name, "one by one", over(took[2], took[0]), at)
}

// bloomPeers compares with bits-and-blooms/bloom, with the same bits and hash functions.
func (b *bench) bloomPeers(l library) {
	n := report.Pick(b.c, 4000, 100_000, 1_000_000)
	for _, size := range []int{8, 16, 40} {
		for _, capacity := range []int{report.Pick(b.c, 2000, 100_000, 100_000), 10 * n} {
			p := bloom.Params{Capacity: uint64(capacity), FPP: 0.01}
			empty := report.Must(bloom.New(p))
			m, k := uint(empty.Bits()), uint(empty.K())
			b.contest(l, contest{fmt.Sprintf("bloom, %d bits, keys of %d bytes", m, size), keysOf(min(n, capacity), size, 1), keysOf(min(n, capacity), size, 2),
				func() filter {
					s := report.Must(bloom.New(p))
					return filter{func(k []byte) { s.AddKey(k, 1) }, func(k []byte) { runtime.KeepAlive(s.ContainsKey(k)) },
						func(h1s, h2s []uint64) { s.AddHashes(h1s, h2s, nil) }, func(h1s, h2s []uint64) { s.ContainsHashes(yes[:len(h1s)], h1s, h2s) }}
				}, func() filter {
					s := publicbloom.New(m, k)
					return filter{add: func(k []byte) { s.Add(k) }, test: func(k []byte) { runtime.KeepAlive(s.Test(k)) }}
				}})
		}
	}
}

// cuckooPeers compares with seiflotfy/cuckoofilter, which has fingerprints of 8 bits and four
// slots, at a load of 90%.
func (b *bench) cuckooPeers(l library) {
	for _, slots := range report.Pick(b.c, []int{1 << 10, 1 << 12}, []int{1 << 16, 1 << 19}, []int{1 << 16, 1 << 23}) {
		load := slots * 9 / 10
		b.contest(l, contest{fmt.Sprintf("cuckoo, %d slots", slots), keysOf(load, 8, 1), keysOf(load, 8, 2), func() filter {
			s := report.Must(cuckoo.New(cuckoo.Params{Capacity: uint64(load), FingerprintBits: 8, Slots: 4, Duplicates: true}))
			report.Require(s.Buckets()*4 == uint64(slots), "%d buckets of 4, the other filter has %d slots", s.Buckets(), slots)
			return filter{func(k []byte) { report.Check(s.AddKey(k, 1)) }, func(k []byte) { runtime.KeepAlive(s.ContainsKey(k)) },
				func(h1s, h2s []uint64) { report.Check(s.AddHashes(h1s, h2s, nil)) }, func(h1s, h2s []uint64) { s.ContainsHashes(yes[:len(h1s)], h1s, h2s) }}
		}, func() filter {
			s := cuckoofilter.NewFilter(uint(slots))
			return filter{add: func(k []byte) { s.Insert(k) }, test: func(k []byte) { runtime.KeepAlive(s.Lookup(k)) }}
		}})
	}
}

// cmsPeers compares with tylertreat/BoomFilters, whose counters have 8 bytes.
func (b *bench) cmsPeers(l library) {
	keys := keysOf(report.Pick(b.c, 4000, 100_000, 1_000_000), 8, 1)
	for _, epsilon := range report.Pick(b.c, []float64{0.1, 0.01}, []float64{0.001, 0.000001}, []float64{0.001, 0.000001}) {
		const delta = 0.01
		width, depth := math.Ceil(math.E/epsilon), math.Ceil(math.Log(1/delta))
		b.contest(l, contest{fmt.Sprintf("Count-Min, %.0f x %.0f", width, depth), keys, nil, func() filter {
			s := report.Must(cms.New(cms.Params{Width: uint64(width), Depth: uint64(depth)}))
			return filter{func(k []byte) { s.AddKey(k, 1) }, func(k []byte) { runtime.KeepAlive(s.CountKey(k)) },
				func(h1s, h2s []uint64) { s.AddHashes(h1s, h2s, nil) }, func(h1s, h2s []uint64) { s.CountHashes(counts[:len(h1s)], h1s, h2s) }}
		}, func() filter {
			s := boom.NewCountMinSketch(epsilon, delta)
			return filter{add: func(k []byte) { s.Add(k) }, test: func(k []byte) { runtime.KeepAlive(s.Count(k)) }}
		}})
	}
}
