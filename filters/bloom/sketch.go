package bloom

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// Sketch is a Bloom filter in memory.
type Sketch struct{ filter }

// New makes an empty filter. Errors wrap sketch.ErrOption and name the value
// and its range.
func New(p Params) (*Sketch, error) {
	f, err := p.form()
	if err != nil {
		return nil, err
	}
	return &Sketch{filter{Base: keyed.New(p.Seed, 0), form: f, route: f.route(), bits: make([]byte, 8*f.words())}}, nil
}

// Reset removes all keys of a sketch to which keys were added and nothing else was done.
func (s *Sketch) Reset() {
	s.Base = s.Base.Emptied()
	clear(s.bits)
	clear(s.keys)
}

// Bytes returns the memory of the bits and of the keys that it gathers.
func (s *Sketch) Bytes() int { return len(s.bits) + s.keys.bytes() }

// Clone returns a copy.
func (s *Sketch) Clone() *Sketch {
	c := *s
	c.bits = slices.Clone(s.bits)
	c.keys = maps.Clone(s.keys)
	return &c
}

// Add adds a key by its hash. n counts in the total alone, but a weight of 0 adds nothing. O(k), no
// allocation. Bloom 1970, section 3; Walther et al., algorithms 1 and 2.
func (s *Sketch) Add(h1, h2, n uint64) {
	if n == 0 {
		return
	}
	keyed.Grow(&s.Base, n)
	s.set(h1, h2)
}

// AddHashes adds many keys: ns[i] of the key (h1s[i], h2s[i]), or one of each if ns is nil. The result
// is the same as by Add for each key in order. The slices must be as long as h1s.
func (s *Sketch) AddHashes(h1s, h2s, ns []uint64) {
	keyed.GrowAll(&s.Base, len(h1s), ns)
	for i, h1 := range h1s {
		if ns == nil || ns[i] > 0 {
			s.set(h1, h2s[i])
		}
	}
}

// set sets the bits of a key, or gathers it.
func (f *filter) set(h1, h2 uint64) {
	if f.keys != nil {
		f.keys[hash{h1, h2}] = struct{}{}
		return
	}
	if f.plan != nil {
		f.setPlanned(h1, h2)
		return
	}
	b, size, n := f.bits, f.size, f.probes(h1, h2)
	for step := h2; n > 0; n-- {
		p, _ := bits.Mul64(h1+step, size)
		step *= key.Spread
		b[p/8] |= 1 << (p % 8)
	}
}

// setPlanned sets the bits of a key in a filter with a plan (Blocks).
func (f *filter) setPlanned(h1, h2 uint64) {
	b := f.bits
	step := h2
	for _, at := range f.plan.list(h1, h2) {
		if at.shift != dropped {
			p := at.at(h1 + step)
			b[p/8] |= 1 << (p % 8)
		}
		step *= key.Spread
	}
}

// AddKey is Add of a key's bytes (package key). Call SetKeyClass before, or SQL cannot check the types of keys.
func (s *Sketch) AddKey(b []byte, n uint64) {
	h1, h2 := key.Hash(s.Seed(), b)
	s.Add(h1, h2, n)
}
