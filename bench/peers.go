package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	boom "github.com/tylertreat/BoomFilters"

	"github.com/ccbfsql/ccbfsql/filters/cms"
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

// sink keeps answers from being optimised away.
var sink uint64

// time runs both sides in turn and prints nanoseconds per operation and how
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
	fmt.Printf("%-52s %6.1f ns against %6.1f ns: %.2f times as fast (%.2f to %.2f), promised %.1f\n",
		c.what, ours[m], theirs[m], ratios[m], ratios[0], ratios[len(ratios)-1], c.promised)
}

// peers runs the families against public Go libraries: the same parameters and
// keys, hashing included.
func peers(o options) error {
	n := 1_000_000
	if o.quick {
		n /= 10
	}
	for _, f := range []func(options, int) error{cmsPeers} {
		if err := f(o, n); err != nil {
			return err
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
			{what: "count, one by one", ours: each(func(k []byte) { sink += ours.CountKey(k) }), theirs: each(func(k []byte) { sink += theirs.Count(k) })},
			{what: "count, many at once", ours: func(keys [][]byte) {
				key.Hashes(0, keys, h1s, h2s)
				ours.CountHashes(counts[:len(keys)], h1s, h2s)
			}, theirs: each(func(k []byte) { sink += theirs.Count(k) })},
		} {
			c.what = fmt.Sprintf("cms %.0f x %.0f, %s", math.Ceil(math.E/epsilon), math.Ceil(math.Log(1/delta)), c.what)
			c.keys, c.promised = keys, 2
			c.run(o.rounds)
		}
	}
	return nil
}
