package bloom

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// FirstStep is the capacity of the smallest filter that grew. Each next one has twice
// its capacity and exactly twice its bits. The position of a key is the high half of
// the product of a hash and the size, so that in a filter of twice the bits it is twice
// that or one more: a filter folds to half its size by the disjunction of neighbours, and
// a smaller one can be united with it.
const FirstStep = 16

// step is the form of a filter that grew for n keys.
func (p Params) step(n uint64) (form, error) {
	switch {
	case p.Bits != 0:
		return form{}, sketch.OptionError("bits", "is %d and \"grow\" is true: give one of them", p.Bits)
	case p.K != 0:
		return form{}, sketch.OptionError("k", "is given and \"grow\" is true, which chooses it: give \"fpp\"")
	case p.Variant != Standard:
		return form{}, sketch.OptionError("variant", "is '%v', must be '%v' if \"grow\" is true", p.Variant, Standard)
	}
	if err := options.Check(p); err != nil {
		return form{}, err
	}
	first := p
	first.Grow, first.Capacity = false, FirstStep
	f, err := first.form()
	if err != nil {
		return form{}, err
	}
	// Not whole words: what is left of one would double as well.
	if f.size, err = sizeFor(FirstStep, cmp.Or(p.FPP, DefaultFPP), f.k, 1); err != nil {
		return form{}, err
	}
	for n = max(n, p.Capacity); f.capacity < n; f.capacity *= 2 {
		if f.size *= 2; f.size > MaxBits {
			return form{}, sketch.OptionError("capacity", "is %d, which needs more than the %d bits that are allowed", n, uint64(MaxBits))
		}
	}
	f.kept = f.size
	return f, f.check()
}

// NewGathering is New for a filter that is built at once, in any order and in parts.
// With Grow it keeps the hashes of all distinct keys until Blob, and makes the filter as
// large as they need. If they are more than MaxBits can hold at FPP, the filter has the
// largest size, and a higher rate. Bits and Capacity are those of the smallest one until
// then.
func NewGathering(p Params) (*Sketch, error) {
	s, err := New(p)
	if err == nil && p.Grow {
		s.gather = &hashSet{params: p}
	}
	return s, err
}

// hashSet is a set of hashes, a table with linear probing.
type hashSet struct {
	params Params
	slots  []hash // a power of two of them; h2 is odd where there is one
	n      int
}

type hash struct{ h1, h2 uint64 }

const hashBytes = 16

// leastSlots are the slots of the first key.
const leastSlots = 8

func (g *hashSet) bytes() int {
	if g == nil {
		return 0
	}
	return hashBytes * len(g.slots)
}

func (g *hashSet) clone() *hashSet {
	if g == nil {
		return nil
	}
	c := *g
	c.slots = slices.Clone(g.slots)
	return &c
}

func (g *hashSet) add(h1, h2 uint64) {
	if 4*(g.n+1) > 3*len(g.slots) {
		g.widen()
	}
	if at, found := g.find(h1, h2); !found {
		g.slots[at] = hash{h1, h2}
		g.n++
	}
}

// find is the slot of a hash, or the one that is free for it.
func (g *hashSet) find(h1, h2 uint64) (at uint64, found bool) {
	last := uint64(len(g.slots) - 1)
	for at = key.Mix(h1) & last; g.slots[at].h2 != 0; at = (at + 1) & last {
		if g.slots[at] == (hash{h1, h2}) {
			return at, true
		}
	}
	return at, false
}

func (g *hashSet) widen() {
	old := g.slots
	g.slots = make([]hash, max(leastSlots, 2*len(old)))
	for _, h := range old {
		if h.h2 != 0 {
			at, _ := g.find(h.h1, h.h2)
			g.slots[at] = h
		}
	}
}

// settled is s, or a filter of what it gathered.
func (s *Sketch) settled() *Sketch {
	if s.gather == nil {
		return s
	}
	g := s.gather
	c := &Sketch{filter: s.filter}
	for f := s.form; ; {
		c.form = f
		if f.capacity >= uint64(g.n) || 2*f.size > MaxBits {
			break
		}
		f.capacity, f.size, f.kept = 2*f.capacity, 2*f.size, 2*f.size
	}
	c.route, c.bits = c.form.route(), make([]byte, 8*c.words())
	for _, h := range g.slots {
		if h.h2 != 0 {
			c.set(h.h1, h.h2)
		}
	}
	return c
}

// join is Union of two that gather.
func (s *Sketch) join(other *Sketch) error {
	if err := agree(&s.filter, &other.filter); err != nil {
		return err
	}
	if s.form != other.form { // another capacity, so another size for few keys
		return sketch.Differ("capacity", s.gather.params.Capacity, other.gather.params.Capacity)
	}
	keyed.Unite(&s.Base, other.Base)
	if s == other {
		return nil
	}
	for _, h := range other.gather.slots {
		if h.h2 != 0 {
			s.gather.add(h.h1, h.h2)
		}
	}
	return nil
}

// doubled is how many times one of two filters was doubled to have the size of the other;
// 0 where it was not, or where they are otherwise not alike.
func (f *form) doubled(g *form) int {
	small, large := f, g
	if small.size > large.size {
		small, large = large, small
	}
	if f.variant != Standard || g.variant != Standard || f.k != g.k || f.size == g.size {
		return 0
	}
	n := bits.Len64(large.size/small.size) - 1
	if small.size<<n != large.size || small.capacity != large.capacity>>n || large.capacity&(1<<n-1) != 0 {
		return 0
	}
	return n
}

// sameSize gives s the size of another filter, which agrees with it, where that is
// larger, and returns the other in the size of s. Where sizes differ the total is no
// longer known: a key has more bits than it set, and totals are held against bits.
func (s *Sketch) sameSize(other *filter) *filter {
	if s.gather != nil {
		*s = *s.settled()
	}
	n := s.doubled(&other.form)
	if n == 0 {
		return other
	}
	keyed.Forget(&s.Base)
	if other.size > s.size {
		s.double(n)
		return other
	}
	c := Sketch{filter: *other}
	c.double(n)
	return &c.filter
}

// double makes the filter 2^n times as large: each bit becomes as many.
func (s *Sketch) double(n int) {
	s.size <<= n
	s.kept, s.capacity = s.size, s.capacity<<n
	s.route = s.form.route()
	from, to := s.bits, make([]byte, 8*s.words())
	for i := 0; i < len(from); i += 8 {
		for w := binary.LittleEndian.Uint64(from[i:]); w != 0; w &= w - 1 {
			first := (uint64(i)*8 + uint64(bits.TrailingZeros64(w))) << n
			for p := first; p < first+1<<n; p++ {
				to[p/8] |= 1 << (p % 8)
			}
		}
	}
	s.bits = to
}

// Contains is that of the filter, exact while keys are gathered.
func (s *Sketch) Contains(h1, h2 uint64) bool {
	if s.gather == nil {
		return s.filter.Contains(h1, h2)
	}
	if s.gather.n == 0 {
		return false
	}
	_, found := s.gather.find(h1, h2)
	return found
}

// ContainsHashes is that of the filter, exact while keys are gathered.
func (s *Sketch) ContainsHashes(dst []bool, h1s, h2s []uint64) {
	if s.gather == nil {
		s.filter.ContainsHashes(dst, h1s, h2s)
		return
	}
	for i := range dst {
		dst[i] = s.Contains(h1s[i], h2s[i])
	}
}

// ContainsKey is Contains of a key's bytes (package key).
func (s *Sketch) ContainsKey(b []byte) bool { return s.Contains(key.Hash(s.Seed(), b)) }

// Fill is that of the filter that Blob writes. O(m).
func (s *Sketch) Fill() float64 { return s.settled().filter.Fill() }

// FPP is that of the filter that Blob writes. O(m).
func (s *Sketch) FPP() float64 { return s.settled().filter.FPP() }

// Cardinality is that of the filter that Blob writes. O(m).
func (s *Sketch) Cardinality() float64 { return s.settled().filter.Cardinality() }
