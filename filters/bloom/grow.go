package bloom

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// FirstStep is the capacity of the smallest filter that grows. Each next one has twice its capacity and
// exactly twice its bits. The position of a key is the high half of the product of a hash and the size.
// So with twice the bits the position is twice that or one more. A filter folds to half its size by the
// disjunction of neighbours, and can be united with a smaller one.
const FirstStep = 16

// firstStep returns the form of a filter that grows, before its first key.
func (p Params) firstStep() (form, error) {
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
	// The size is rounded up to a bit and not to a word: every doubling would double what rounding adds.
	if f.size, err = sizeFor(FirstStep, cmp.Or(p.FPP, DefaultFPP), f.k, 1); err != nil {
		return form{}, err
	}
	if f.growFor(p.Capacity); f.capacity < p.Capacity {
		return form{}, sketch.OptionError("capacity", "is %d, which needs more than the %d bits that are allowed", p.Capacity, uint64(MaxBits))
	}
	return f, f.check()
}

// growFor doubles the filter until n keys fit or it has the largest size.
func (f *form) growFor(n uint64) {
	for f.capacity < n && 2*f.size <= MaxBits {
		f.capacity, f.size = 2*f.capacity, 2*f.size
	}
	f.kept = f.size
}

// NewGathering is New for a filter that is built once and then encoded, in any order and in parts. With
// Grow it keeps the hashes of all distinct keys until Blob, and makes the filter as large as they need.
// If they are more than MaxBits can hold at FPP, the filter has the largest size and a higher rate.
// Until then Bits and Capacity describe the smallest filter.
func NewGathering(p Params) (*Sketch, error) {
	s, err := New(p)
	if err == nil && p.Grow {
		s.keys = hashSet{}
	}
	return s, err
}

// hashSet is the set of the two hashes of each key.
type hashSet map[hash]struct{}

type hash struct{ h1, h2 uint64 }

// bytes returns the most memory that the map takes: a slot has 17 bytes, and after it grew, 7 of 16 are taken.
func (g hashSet) bytes() int { return 39 * len(g) }

// finished returns f, or a filter of the keys that f gathered.
func (f *filter) finished() *filter {
	if f.keys == nil {
		return f
	}
	c := *f
	c.keys = nil
	c.growFor(uint64(len(f.keys)))
	c.route, c.bits = c.form.route(), make([]byte, 8*c.words())
	for h := range f.keys {
		c.set(h.h1, h.h2)
	}
	return &c
}

// uniteKeys is Union of two filters that gather.
func (s *Sketch) uniteKeys(other *Sketch) error {
	if err := agree(&s.filter, &other.filter); err != nil {
		return err
	}
	if s.form != other.form { // with few keys, Capacity decides the size
		return sketch.Differ("capacity", s.capacity, other.capacity)
	}
	keyed.Unite(&s.Base, other.Base)
	maps.Copy(s.keys, other.keys)
	return nil
}

// doubled returns how many times one of two filters was doubled to get the size of the other. It
// returns 0 if it was not, or if they differ in another way.
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

// sameSize gives s the size of another filter, which agrees with it, if that is larger. It returns the
// other filter in the size of s. If sizes differ the total is no longer known: a key has more bits than
// it set, and totals are checked against bits.
func (s *Sketch) sameSize(other *filter) *filter {
	if s.keys != nil {
		s.filter = *s.finished()
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
	c := *other
	c.double(n)
	return &c
}

// double makes the filter 2^n times as large: each bit becomes 2^n bits.
func (f *filter) double(n int) {
	f.size <<= n
	f.kept, f.capacity = f.size, f.capacity<<n
	f.route = f.form.route()
	from, to := f.bits, make([]byte, 8*f.words())
	for i := 0; i < len(from); i += 8 {
		for w := binary.LittleEndian.Uint64(from[i:]); w != 0; w &= w - 1 {
			first := (uint64(i)*8 + uint64(bits.TrailingZeros64(w))) << n
			for p := first; p < first+1<<n; p++ {
				to[p/8] |= 1 << (p % 8)
			}
		}
	}
	f.bits = to
}
