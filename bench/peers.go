package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/bits-and-blooms/bloom/v3"
	cuckoofilter "github.com/seiflotfy/cuckoofilter"
	boom "github.com/tylertreat/BoomFilters"

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

// contest is one operation done by two libraries on the same keys.
type contest struct {
	what         string
	keys         [][]byte
	ours, theirs func(keys [][]byte)
	// fresh makes new, empty structures before each round; nil where rounds may
	// go on with what is there.
	fresh    func()
	promised float64 // how many times faster ours is to be
}

// batch is the number of keys that are handed over at once, as SQL does.
const batch = 2048

// each makes a function of many keys of a function of one.
func each(f func(key []byte)) func([][]byte) {
	return func(keys [][]byte) {
		for _, k := range keys {
			f(k)
		}
	}
}

// keep keeps an answer from being optimised away.
func keep[T any](answer T) { runtime.KeepAlive(answer) }

// run times both sides in turn and prints nanoseconds per operation and how
// many times faster ours is, round by round.
func (c contest) run(n int) {
	perKey := func(f func([][]byte)) float64 {
		start := time.Now()
		for keys := range slices.Chunk(c.keys, batch) {
			f(keys)
		}
		return float64(time.Since(start).Nanoseconds()) / float64(len(c.keys))
	}
	var ours, theirs, ratios []float64
	for round := range n + 1 {
		if c.fresh != nil {
			c.fresh()
		}
		a, b := 0.0, 0.0
		if round%2 == 0 {
			a = perKey(c.ours)
			b = perKey(c.theirs)
		} else {
			b = perKey(c.theirs)
			a = perKey(c.ours)
		}
		if round > 0 {
			ours, theirs, ratios = append(ours, a), append(theirs, b), append(ratios, b/a)
		}
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	slices.Sort(ratios)
	m := len(ratios) / 2
	fmt.Printf("%-72s %6.1f ns against %6.1f ns: %.2f times as fast (%.2f to %.2f), promised %.1f\n",
		c.what, ours[m], theirs[m], ratios[m], ratios[0], ratios[len(ratios)-1], c.promised)
}

// peers runs the families against public Go libraries: the same parameters and
// keys, hashing included.
func peers(o options) error {
	n := 1_000_000
	if o.quick {
		n /= 10
	}
	for _, f := range []func(options, int) error{bloomPeers, cuckooPeers, cmsPeers} {
		if err := f(o, n); err != nil {
			return err
		}
	}
	return nil
}

// bloomPeers: bits-and-blooms/bloom with the same bits, hash functions and keys
// of 8 bytes (numbers), 16 (UUIDs, cells) and 40 (URLs); a filter that a cache
// holds and one that none does.
func bloomPeers(o options, n int) error {
	for _, size := range []int{8, 16, 40} {
		for _, capacity := range []int{100_000, 10 * n} {
			keys := keysOf(min(n, capacity), size, 1)
			others := keysOf(len(keys), size, 2) // nearly all absent
			p := ourbloom.Params{Capacity: uint64(capacity), FPP: 0.01}
			ours, err := ourbloom.New(p)
			if err != nil {
				return err
			}
			m, k := uint(ours.Bits()), uint(ours.K())
			var theirs *bloom.BloomFilter
			fresh := func() {
				ours, _ = ourbloom.New(p)
				theirs = bloom.New(m, k)
			}
			answers := make([]bool, batch)
			test := each(func(k []byte) { keep(theirs.Test(k)) })
			one := each(func(k []byte) { keep(ours.ContainsKey(k)) })
			many := func(keys [][]byte) {
				ours.ContainsKeys(answers[:len(keys)], keys)
				keep(answers[0])
			}
			what := fmt.Sprintf("bloom %d bits, k = %d, keys of %d bytes, ", m, k, size)
			for _, c := range []contest{
				{what: "add, one by one", fresh: fresh, ours: each(func(k []byte) { ours.AddKey(k, 1) }), theirs: each(func(k []byte) { theirs.Add(k) })},
				{what: "add, many at once", fresh: fresh, ours: func(keys [][]byte) { ours.AddKeys(keys) }, theirs: each(func(k []byte) { theirs.Add(k) })},
				{what: "test, one by one", ours: one, theirs: test},
				{what: "test, many at once", ours: many, theirs: test},
				{what: "test absent, one by one", keys: others, ours: one, theirs: test},
				{what: "test absent, many at once", keys: others, ours: many, theirs: test},
			} {
				if c.what, c.promised = what+c.what, 1.5; c.keys == nil {
					c.keys = keys
				}
				c.run(o.rounds)
			}
		}
	}
	return nil
}

// cuckooPeers: seiflotfy/cuckoofilter, which has fingerprints of 8 bits and four
// slots; filled to nine tenths.
func cuckooPeers(o options, n int) error {
	for _, slots := range []int{1 << 16, 1 << 23} {
		load := slots * 9 / 10
		keys := keysOf(load, 8, 1)
		p := cuckoo.Params{Capacity: uint64(load), FingerprintBits: 8, Slots: 4, Duplicates: true}
		ours, err := cuckoo.New(p)
		if err != nil {
			return err
		}
		if have := ours.Buckets() * 4; have != uint64(slots) {
			return fmt.Errorf("cuckoo: %d slots, the other has %d", have, slots)
		}
		var theirs *cuckoofilter.Filter
		fresh := func() {
			ours, _ = cuckoo.New(p)
			theirs = cuckoofilter.NewFilter(uint(slots))
		}
		h1s, h2s, answers := make([]uint64, batch), make([]uint64, batch), make([]bool, batch)
		var failed error
		fail := func(err error) {
			if err != nil {
				failed = err
			}
		}
		insert := each(func(k []byte) { theirs.Insert(k) })
		lookup := each(func(k []byte) { keep(theirs.Lookup(k)) })
		one := each(func(k []byte) { keep(ours.ContainsKey(k)) })
		many := func(keys [][]byte) {
			key.Hashes(0, keys, h1s, h2s)
			ours.ContainsHashes(answers[:len(keys)], h1s, h2s)
			keep(answers[0])
		}
		others := keysOf(len(keys), 8, 2)
		for _, c := range []contest{
			{what: "insert, one by one", fresh: fresh, ours: each(func(k []byte) { fail(ours.AddKey(k, 1)) }), theirs: insert},
			{what: "insert, many at once", fresh: fresh, ours: func(keys [][]byte) {
				key.Hashes(0, keys, h1s, h2s)
				fail(ours.AddHashes(h1s[:len(keys)], h2s[:len(keys)], nil))
			}, theirs: insert},
			{what: "lookup, one by one", ours: one, theirs: lookup},
			{what: "lookup, many at once", ours: many, theirs: lookup},
			{what: "lookup of absent, one by one", keys: others, ours: one, theirs: lookup},
			{what: "lookup of absent, many at once", keys: others, ours: many, theirs: lookup},
		} {
			if c.what, c.promised = fmt.Sprintf("cuckoo %d slots of 8 bits, %s", slots, c.what), 1.5; c.keys == nil {
				c.keys = keys
			}
			c.run(o.rounds)
		}
		if failed != nil {
			return failed
		}
	}
	return nil
}

// cmsPeers: tylertreat/BoomFilters, whose counters have 8 bytes.
func cmsPeers(o options, n int) error {
	for _, epsilon := range []float64{0.001, 0.000001} {
		keys := keysOf(n, 8, 1)
		const delta = 0.01
		var ours *cms.Sketch
		var theirs *boom.CountMinSketch
		fresh := func() {
			ours, _ = cms.New(cms.Params{Width: uint64(math.Ceil(math.E / epsilon)), Depth: uint64(math.Ceil(math.Log(1 / delta)))})
			theirs = boom.NewCountMinSketch(epsilon, delta)
		}
		h1s, h2s, counts := make([]uint64, batch), make([]uint64, batch), make([]uint64, batch)
		for _, c := range []contest{
			{what: "add, one by one", fresh: fresh, ours: each(func(k []byte) { ours.AddKey(k, 1) }), theirs: each(func(k []byte) { theirs.Add(k) })},
			{what: "add, many at once", fresh: fresh, ours: func(keys [][]byte) {
				key.Hashes(0, keys, h1s, h2s)
				ours.AddHashes(h1s[:len(keys)], h2s[:len(keys)], nil)
			}, theirs: each(func(k []byte) { theirs.Add(k) })},
			{what: "count, one by one", ours: each(func(k []byte) { keep(ours.CountKey(k)) }), theirs: each(func(k []byte) { keep(theirs.Count(k)) })},
			{what: "count, many at once", ours: func(keys [][]byte) {
				key.Hashes(0, keys, h1s, h2s)
				ours.CountHashes(counts[:len(keys)], h1s, h2s)
			}, theirs: each(func(k []byte) { keep(theirs.Count(k)) })},
		} {
			c.what = fmt.Sprintf("cms %.0f x %.0f, %s", math.Ceil(math.E/epsilon), math.Ceil(math.Log(1/delta)), c.what)
			c.keys, c.promised = keys, 2
			c.run(o.rounds)
		}
	}
	return nil
}
