package bloom

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Everything in this file is part of the format: it never changes.

// Position i of a key comes from the highest bits of x_i = h1 + key.Spread^i*h2. In a filter of m bits
// it is floor(x_i*m / 2^64).

// one is 1 in the fixed-point numbers of k and of activations.
const one = 1 << 56

// activation returns a number from 0 to below one: the end of MurmurHash3 over both halves of the hash.
// So it depends on all bits, while positions depend mostly on the top bits.
func activation(h1, h2 uint64) uint64 {
	return key.Mix(h1^bits.RotateLeft64(h2, 32)) >> 8
}

// route holds the values by which keys find their positions. It is derived from a form.
type route struct {
	fixed uint64 // k in units of 1/one
	n     uint64 // floor(k)
	part  bool   // k is not whole

	limit uint64 // ByPosition: a key uses one hash function more if its position n-1 is below limit.
	last  uint64 // ByPosition: the factor of h2 in position n-1; 0 if n is 0.
	plan  *plan  // the lists of positions; nil unless the variant is Blocks.
}

// route computes the values by which keys find their positions.
func (f *form) route() route {
	r := route{fixed: uint64(f.k * one)}
	r.n = r.fixed / one
	p := r.fixed % one
	r.part = p != 0
	hi, lo := bits.Mul64(p, f.size)
	lo, carry := bits.Add64(lo, one-1, 0)
	r.limit = (hi+carry)<<8 | lo>>56 // ceil(p*size/one): the product of 128 bits, divided by 2^56
	if r.n > 0 {
		r.last = 1
		for range r.n - 1 {
			r.last *= key.Spread
		}
	}
	if f.variant == Blocks {
		r.plan = planFor(f.size, f.kept, r.fixed)
	}
	return r
}

// probes returns the number of positions of a key. It is not for Blocks.
func (f *filter) probes(h1, h2 uint64) uint64 {
	if !f.part {
		return f.n
	}
	return f.partProbes(h1, h2)
}

// partProbes is probes if k is not whole.
func (f *filter) partProbes(h1, h2 uint64) uint64 {
	if f.activation == ByHash {
		return (f.fixed + activation(h1, h2)) / one
	}
	// The key uses one position more if its position n-1 is below the limit. If n is 0, f.last is 0
	// too: then h1 alone gives a position for the comparison, at which no bit is set.
	if p, _ := bits.Mul64(h1+f.last*h2, f.size); p < f.limit {
		return f.n + 1
	}
	return f.n
}

// plan lists the positions of the keys of a Blocks filter. Let S_j be the part of k that the first j
// blocks have, and u the activation of a key. Its positions are numbered 0 to floor(k+u)-1, and number
// i is in the first block with floor(S_j+u) > i. So block j has its part of k positions on average, and
// a key has floor(k) or floor(k)+1 in all. These are the fewest different numbers possible. With an
// activation for each block, as in the paper, their sum would vary more, and the false positive rate be
// higher (convexity).
type plan struct {
	size, kept, fixed uint64 // as in form and route
	// starts[i] is the first activation to which lists[i] applies.
	starts []uint64
	lists  [][]probe
}

// probe is one position of a key, see at. If the shift is dropped, the position was in a block that is
// not there any more.
type probe struct {
	offset uint64
	shift  uint8 // 63 less the binary logarithm of the block
}

// at returns the position in the bits that are left, offset + floor(x*block / 2^64).
func (p probe) at(x uint64) uint64 { return p.offset | x>>1>>(p.shift&63) }

const dropped = 255

// list returns the positions of a key.
func (p *plan) list(h1, h2 uint64) []probe {
	if len(p.lists) == 1 { // one list for all keys, for example if size is a power of two and k is whole
		return p.lists[0]
	}
	u, i := activation(h1, h2), len(p.starts)-1
	for p.starts[i] > u {
		i--
	}
	return p.lists[i]
}

// plans caches the plans made last, for the many filters of one form.
var plans [32]atomic.Pointer[plan]

func planFor(size, kept, fixed uint64) *plan {
	at := &plans[(size*0x9e3779b97f4a7c15^kept*0xc2b2ae3d27d4eb4f^fixed*0x165667b19e3779f9)>>59]
	if p := at.Load(); p != nil && p.size == size && p.kept == kept && p.fixed == fixed {
		return p
	}
	p := newPlan(size, kept, fixed)
	at.Store(p)
	return p
}

// newPlan makes the plan of a Blocks filter. form and route have size, kept and fixed.
func newPlan(size, kept, fixed uint64) *plan {
	p := &plan{size: size, kept: kept, fixed: fixed, starts: []uint64{0}}
	// blocks are the sizes of the blocks. parts[i] is the part of k for blocks 0 to i together, in
	// units of 1/one. So the last one is exactly k.
	var blocks, parts []uint64
	for rest := size; rest != 0; {
		block := uint64(1) << (bits.Len64(rest) - 1)
		rest -= block
		hi, lo := bits.Mul64(fixed, size-rest)
		part, _ := bits.Div64(hi, lo, size) // at most fixed
		blocks, parts = append(blocks, block), append(parts, part)
		if f := part % one; f != 0 {
			p.starts = append(p.starts, one-f)
		}
	}
	slices.Sort(p.starts)
	p.starts = slices.Compact(p.starts)
	for _, u := range p.starts {
		list := []probe{}
		i := uint64(0)
		for j, block := range blocks {
			for ; i < (parts[j]+u)/one; i++ {
				if kept&block == 0 {
					list = append(list, probe{shift: dropped})
					continue
				}
				list = append(list, probe{kept &^ (2*block - 1), uint8(63 - bits.TrailingZeros64(block))})
			}
		}
		for len(list) > 0 && list[len(list)-1].shift == dropped {
			list = list[:len(list)-1]
		}
		p.lists = append(p.lists, list)
	}
	return p
}

// width returns the fraction of all keys that have list i.
func (p *plan) width(i int) float64 {
	end := uint64(one)
	if i+1 < len(p.starts) {
		end = p.starts[i+1]
	}
	return float64(end-p.starts[i]) / one
}
