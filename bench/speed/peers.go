package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/bits-and-blooms/bloom/v3"
	cuckoofilter "github.com/seiflotfy/cuckoofilter"
	boom "github.com/tylertreat/BoomFilters"

	"github.com/ccbfsql/ccbfsql/bench/report"
	ourbloom "github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// keysOf makes n distinct keys of size bytes, in the order of a shuffle.
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

// keep keeps an answer from being optimised away.
func keep[T any](answer T) { runtime.KeepAlive(answer) }

// contest is one operation of two libraries on the same keys. Ours takes keys
// one by one, and many at once.
type contest struct {
	what      string
	keys      [][]byte
	one       func(key []byte)
	many      func(keys [][]byte)
	theirs    func(key []byte)
	ourFresh  func() // makes new, empty structures; nil where rounds may
	peerFresh func() // go on with what is there
}

// peerResult is how many times as fast as a library ours is.
type peerResult struct {
	filter, what string
	one, many    ratio
}

func (x contest) run(w stopwatch, filter string) peerResult {
	eachKey := func(f func([]byte)) func() {
		return func() {
			for _, k := range x.keys {
				f(k)
			}
		}
	}
	took := w.inTurn(filter+", "+x.what,
		contender{name: "one by one", fresh: x.ourFresh, run: eachKey(x.one)},
		contender{name: "many at once", fresh: x.ourFresh, run: func() {
			for keys := range slices.Chunk(x.keys, batch) {
				x.many(keys)
			}
		}},
		contender{name: "the library", fresh: x.peerFresh, run: eachKey(x.theirs)})
	return peerResult{filter, x.what, took[2].over(took[0]), took[2].over(took[1])}
}

// peers runs the families against public Go libraries: the same parameters and
// keys, hashing included.
func peers(c report.Config, s *report.Section) {
	libraries := []struct {
		name      string
		one, many float64 // promised with keys one by one, and many at once
		reason    string  // for falling short
		contests  func(report.Config, stopwatch) []peerResult
	}{
		{"bits-and-blooms/bloom", 1.5, 1.5, "", bloomPeers},
		{"seiflotfy/cuckoofilter", 1.2, 1.5, "inserts read both buckets, to fill the emptier, theirs the first that has room", cuckooPeers},
		{"tylertreat/BoomFilters", 1.2, 2, "reading the keys and five rows are three quarters of the time, the hash is a quarter", cmsPeers},
	}
	w := newStopwatch(c, s)
	s.Text("Speed of our kernel as a multiple of the library's, on one thread, with the same parameters and keys, hashing included: with keys passed one by one, as the library takes them, and %d at once, as SQL does. "+
		"Bloom filters have the same bits and hash functions, and keys of 8 bytes (numbers), 16 (cells, UUIDs) and 40 (URLs); cuckoo filters have fingerprints of 8 bits in buckets of four, nine tenths full; "+
		"Count-Min has the same rows and columns, with counters of 8 bytes in the library. The smaller filter of each pair fits a cache, the larger does not.", batch)
	t := s.Table("library", "filter", "operation", "speed, one by one", "speed, many at once")
	var rows []report.Row
	for _, l := range libraries {
		results := l.contests(c, w)
		for _, r := range results {
			t.Row(l.name, r.filter, r.what, r.one, r.many)
			rows = append(rows, r.one.row(r.filter+", "+r.what, "one by one"), r.many.row(r.filter+", "+r.what, "many at once"))
		}
		claimSlowest(w, l.name, l.one, l.many, l.reason, results)
	}
	slower := report.Count(rows, func(r report.Row) bool { return r.At < 1 })
	s.Short("in %d of %d comparisons with public Go libraries, the library is faster.", slower, len(rows))
	s.Rows("ratio", "Speed as a multiple of the library's: right of the line ours is faster.", "speed / library", rows)
}

// claimSlowest claims, for each operation, the slowest of a library's filters.
func claimSlowest(w stopwatch, library string, promisedOne, promisedMany float64, reason string, results []peerResult) {
	var operations []string
	one, many := map[string][]claim{}, map[string][]claim{}
	for _, r := range results {
		if !slices.Contains(operations, r.what) {
			operations = append(operations, r.what)
		}
		judge := func(speed ratio, how string, promised float64) claim {
			return speed.atLeast(fmt.Sprintf("speed of %s / %s, %s, slowest: %s", r.what, library, how, r.filter), promised).because(reason)
		}
		one[r.what], many[r.what] = append(one[r.what], judge(r.one, "one by one", promisedOne)), append(many[r.what], judge(r.many, "many at once", promisedMany))
	}
	for _, o := range operations {
		w.claim(worst(many[o]))
		w.claim(worst(one[o]))
	}
}

// bloomPeers: bits-and-blooms/bloom with the same bits and hash functions.
func bloomPeers(c report.Config, w stopwatch) (results []peerResult) {
	n := report.Pick(c, 4000, 100_000, 1_000_000)
	for _, size := range []int{8, 16, 40} {
		for _, capacity := range []int{report.Pick(c, 2000, 100_000, 100_000), 10 * n} {
			keys := keysOf(min(n, capacity), size, 1)
			others := keysOf(len(keys), size, 2) // nearly all absent
			p := ourbloom.Params{Capacity: uint64(capacity), FPP: 0.01}
			ours := report.Must(ourbloom.New(p))
			m, k := uint(ours.Bits()), uint(ours.K())
			theirs := bloom.New(m, k)
			var answers [batch]bool
			test := contest{what: "test", keys: keys,
				one:    func(k []byte) { keep(ours.ContainsKey(k)) },
				many:   func(keys [][]byte) { ours.ContainsKeys(answers[:len(keys)], keys) },
				theirs: func(k []byte) { keep(theirs.Test(k)) }}
			absent := test
			absent.what, absent.keys = "test of absent keys", others
			add := contest{what: "add", keys: keys,
				one:       func(k []byte) { ours.AddKey(k, 1) },
				many:      func(keys [][]byte) { ours.AddKeys(keys) },
				theirs:    func(k []byte) { theirs.Add(k) },
				ourFresh:  func() { ours = report.Must(ourbloom.New(p)) },
				peerFresh: func() { theirs = bloom.New(m, k) }}
			for _, x := range []contest{add, test, absent} {
				results = append(results, x.run(w, fmt.Sprintf("bloom, %d bits, keys of %d bytes", m, size)))
			}
		}
	}
	return results
}

// cuckooPeers: seiflotfy/cuckoofilter, which has fingerprints of 8 bits and four
// slots; filled to nine tenths.
func cuckooPeers(c report.Config, w stopwatch) (results []peerResult) {
	for _, slots := range report.Pick(c, []int{1 << 10, 1 << 12}, []int{1 << 16, 1 << 19}, []int{1 << 16, 1 << 23}) {
		load := slots * 9 / 10
		keys, others := keysOf(load, 8, 1), keysOf(load, 8, 2)
		p := cuckoo.Params{Capacity: uint64(load), FingerprintBits: 8, Slots: 4, Duplicates: true}
		ours := report.Must(cuckoo.New(p))
		report.Require(ours.Buckets()*4 == uint64(slots), "%d buckets of 4, the other filter has %d slots", ours.Buckets(), slots)
		theirs := cuckoofilter.NewFilter(uint(slots))
		var h1s, h2s [batch]uint64
		var answers [batch]bool
		lookup := contest{what: "lookup", keys: keys,
			one: func(k []byte) { keep(ours.ContainsKey(k)) },
			many: func(keys [][]byte) {
				key.Hashes(0, keys, h1s[:], h2s[:])
				ours.ContainsHashes(answers[:len(keys)], h1s[:], h2s[:])
			},
			theirs: func(k []byte) { keep(theirs.Lookup(k)) }}
		absent := lookup
		absent.what, absent.keys = "lookup of absent keys", others
		insert := contest{what: "insert", keys: keys,
			one: func(k []byte) { report.Check(ours.AddKey(k, 1)) },
			many: func(keys [][]byte) {
				key.Hashes(0, keys, h1s[:], h2s[:])
				report.Check(ours.AddHashes(h1s[:len(keys)], h2s[:len(keys)], nil))
			},
			theirs:    func(k []byte) { theirs.Insert(k) },
			ourFresh:  func() { ours = report.Must(cuckoo.New(p)) },
			peerFresh: func() { theirs = cuckoofilter.NewFilter(uint(slots)) }}
		for _, x := range []contest{insert, lookup, absent} {
			results = append(results, x.run(w, fmt.Sprintf("cuckoo, %d slots", slots)))
		}
	}
	return results
}

// cmsPeers: tylertreat/BoomFilters, whose counters have 8 bytes.
func cmsPeers(c report.Config, w stopwatch) (results []peerResult) {
	keys := keysOf(report.Pick(c, 4000, 100_000, 1_000_000), 8, 1)
	for _, epsilon := range report.Pick(c, []float64{0.1, 0.01}, []float64{0.001, 0.000001}, []float64{0.001, 0.000001}) {
		const delta = 0.01
		width, depth := math.Ceil(math.E/epsilon), math.Ceil(math.Log(1/delta))
		p := cms.Params{Width: uint64(width), Depth: uint64(depth)}
		ours := report.Must(cms.New(p))
		theirs := boom.NewCountMinSketch(epsilon, delta)
		var h1s, h2s, counts [batch]uint64
		for _, x := range []contest{
			{what: "add", keys: keys,
				one: func(k []byte) { ours.AddKey(k, 1) },
				many: func(keys [][]byte) {
					key.Hashes(0, keys, h1s[:], h2s[:])
					ours.AddHashes(h1s[:len(keys)], h2s[:len(keys)], nil)
				},
				theirs:    func(k []byte) { theirs.Add(k) },
				ourFresh:  func() { ours = report.Must(cms.New(p)) },
				peerFresh: func() { theirs = boom.NewCountMinSketch(epsilon, delta) }},
			{what: "count", keys: keys,
				one: func(k []byte) { keep(ours.CountKey(k)) },
				many: func(keys [][]byte) {
					key.Hashes(0, keys, h1s[:], h2s[:])
					ours.CountHashes(counts[:len(keys)], h1s[:], h2s[:])
				},
				theirs: func(k []byte) { keep(theirs.Count(k)) }},
		} {
			results = append(results, x.run(w, fmt.Sprintf("Count-Min, %.0f x %.0f", width, depth)))
		}
	}
	return results
}
