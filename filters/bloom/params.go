// Package bloom implements the Bloom filter: a set of keys in a fixed number of bits. It finds every
// key that was added, and an absent key with a small probability, the false positive rate. Bloom 1970,
// "Space/time trade-offs in hash coding with allowable errors". The variants Rational and Blocks:
// Walther, Mansour, Zollner and Werner, "Extending the Applicability of Bloom Filters by Relaxing their
// Parameter Constraints".
//
// The filter takes hashed keys (package key). Any number of goroutines may read a Sketch, but none while another
// changes it.
package bloom

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Limits of a filter.
const (
	// MaxBits is the largest number of bits: 1 GiB.
	MaxBits = 1 << 33
	// MaxK is the largest number of hash functions.
	MaxK = 64
	// MinFPP is the lowest false positive rate for Params.
	MinFPP = 1e-18
)

// Defaults of the size.
const (
	DefaultCapacity = 100_000
	DefaultFPP      = 0.01
)

// NoHashes is a k of 0 in Params.K, where 0 means the default.
const NoHashes = -1

// Variant is how keys become positions.
type Variant uint8

// The variants. Their numbers are stored in BLOBs.
const (
	// Standard filters have a whole number of hash functions.
	Standard Variant = 0
	// Rational filters have any number of hash functions from 0. The fraction is the fraction of keys
	// that use the last one.
	Rational Variant = 1
	// Blocks filters consist of blocks of powers of two, the binary digits of their length. Positions
	// are computed by shifts, and whole blocks can be dropped (Shrink). Each block has its part of k.
	Blocks Variant = 2
)

var variants = [...]string{Standard: "standard", Rational: "rational", Blocks: "blocks"}

// String returns the variant's name in SQL.
func (v Variant) String() string { return sketch.NameOf(variants[:], "variant", v) }

// Activation decides whether a Rational filter uses its last hash function for
// a key.
type Activation uint8

// The activations. Their numbers are stored in BLOBs.
const (
	// ByHash decides by a mix of the hash that no position depends on.
	ByHash Activation = 0
	// ByPosition decides by the position before the last, the paper's choice (algorithm 1).
	ByPosition Activation = 1
)

var activations = [...]string{ByHash: "hash", ByPosition: "position"}

// String returns the activation's name in SQL.
func (a Activation) String() string { return sketch.NameOf(activations[:], "activation", a) }

// Params are a filter's size and rules. Zero fields take their defaults.
type Params struct {
	// Capacity is the number of distinct keys n that the filter is made for, at least 1. If Bits and K
	// are both given, Capacity does not change the filter. Its default is then m ln 2 / k, the number
	// of keys that sets half of the bits.
	Capacity uint64
	// FPP is the false positive rate at Capacity for which Bits and K are chosen, from MinFPP to below
	// 1. K is -log2(FPP), rounded up for Standard: the best number if half of the bits are set. Bits is
	// the fewest whole words of 64 with which FPPAt is at most FPP at Capacity. Broder and Mitzenmacher
	// 2004, "Network Applications of Bloom Filters: A Survey", section 2.
	FPP float64
	// Bits is the length m, from 1 to MaxBits, in place of FPP.
	Bits uint64
	// K is the number of hash functions. For Standard it is whole and from 1 to MaxK, otherwise any
	// number from 0 to MaxK, with NoHashes for 0. Without Bits, Bits is chosen to reach FPP with this
	// K. With Bits, the default of K is m ln 2 / n, rounded up for Standard.
	K float64
	// Variant is how keys become positions.
	Variant Variant
	// Activation is ByHash unless the variant is Rational.
	Activation Activation
	// Grow makes a filter that is built once (NewGathering) as large as its keys need at FPP. Capacity
	// is then the minimum; it starts at FirstStep and doubles as often as necessary. Grow excludes
	// Bits, K and variants other than Standard. Filters with the same FPP unite whatever their sizes.
	Grow bool
	// Seed is the seed of the keys' hashes.
	Seed uint64
}

// form is the part of two filters that must agree, beside their Base.
type form struct {
	size       uint64  // bits of the filter as it was made.
	kept       uint64  // bits that are left: size, or some of its binary digits.
	k          float64 // hash functions.
	capacity   uint64  // distinct keys for which the filter is made.
	variant    Variant
	activation Activation
}

// form resolves the parameters. Errors wrap sketch.ErrOption.
func (p Params) form() (form, error) {
	if p.Grow {
		return p.firstStep()
	}
	f := form{size: p.Bits, k: p.K, capacity: p.Capacity, variant: p.Variant, activation: p.Activation}
	if p.K == NoHashes {
		f.k = 0
	}
	if p.Bits != 0 && p.FPP != 0 {
		return form{}, sketch.OptionError("fpp", "is %v and \"bits\" is %d: give one of them", p.FPP, p.Bits)
	}
	if err := options.Check(p); err != nil {
		return form{}, err
	}
	if p.K != 0 { // check K before a size is computed from it
		f.size = max(f.size, 1)
		f.kept, f.capacity = f.size, 1
		if err := f.check(); err != nil {
			return form{}, err
		}
		f.size, f.capacity = p.Bits, p.Capacity
	}
	if f.capacity == 0 {
		f.capacity = DefaultCapacity
		if p.Bits != 0 && f.k > 0 {
			f.capacity = uint64(min(max(1, float64(p.Bits)*math.Ln2/f.k), 1<<62))
		}
	}
	fpp := cmp.Or(p.FPP, DefaultFPP)
	if p.K == 0 {
		f.k = -math.Log2(fpp)
		if p.Bits != 0 {
			f.k = min(MaxK, float64(f.size)*math.Ln2/float64(f.capacity))
		}
		if p.Variant == Standard {
			f.k = math.Ceil(f.k)
		}
	}
	if p.Bits == 0 {
		var err error
		if f.size, err = sizeFor(f.capacity, fpp, f.k, wordBits); err != nil {
			return form{}, err
		}
	}
	f.kept = f.size
	return f, f.check()
}

// empty returns the memory of an empty filter, and the seed.
func (p Params) empty() (bytes, seed uint64, err error) {
	f, err := p.form()
	return 8 * f.words(), p.Seed, err
}

// wordBits is the number of bits of a word. Sizes are whole words, because a body has whole words
// anyway.
const wordBits = 64

// sizeFor returns the smallest multiple of unit bits in which n keys have a false positive rate of at
// most fpp with k hash functions.
func sizeFor(n uint64, fpp, k, unit float64) (uint64, error) {
	q := fillFor(k, fpp)
	if q == 0 {
		return 0, sketch.OptionError("k", "is %v, with which no number of bits reaches an \"fpp\" of %v: give \"bits\"", k, fpp)
	}
	m := unit * math.Ceil(max(1, -float64(n)*k/math.Log1p(-q))/unit)
	for ; m <= MaxBits; m += unit {
		// In the rate of a large filter the last digits are rounding errors, so the limit has a tolerance.
		if rateAt(m, k, float64(n)) <= fpp*(1+1e-9) {
			return uint64(m), nil
		}
	}
	return 0, sketch.OptionError("capacity", "is %d, which needs %.3g bits, at most %d are allowed", n, m, uint64(MaxBits))
}

// fillFor returns the fill at which k hash functions have a false positive rate. It returns 0 if no
// fill is so low. The rate grows with the fill.
func fillFor(k, fpp float64) float64 {
	if rate(k, 0) >= fpp {
		return 0
	}
	lo, hi := 0.0, 1.0
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid == lo || mid == hi {
			break
		}
		if rate(k, mid) <= fpp {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// check returns an error for a form that is out of range.
func (f *form) check() error {
	switch {
	case f.variant > Blocks:
		return sketch.OptionError("variant", "is %d, must be one of %d to %d", f.variant, Standard, Blocks)
	case f.activation > ByPosition:
		return sketch.OptionError("activation", "is %d, must be one of %d to %d", f.activation, ByHash, ByPosition)
	case f.activation == ByPosition && f.variant != Rational:
		return sketch.OptionError("activation", "is '%v', which only the variant '%v' has", f.activation, Rational)
	case f.size < 1 || f.size > MaxBits:
		return sketch.OptionError("bits", "is %d, must be from 1 to %d", f.size, uint64(MaxBits))
	case f.capacity < 1:
		return sketch.OptionError("capacity", "is %d, must be at least 1", f.capacity)
	case f.variant == Standard && f.k != math.Trunc(f.k) && f.k > 0 && f.k <= MaxK:
		return sketch.OptionError("k", "is %v, must be a whole number; the variant '%v' takes any", f.k, Rational)
	case f.variant == Standard && !(f.k >= 1 && f.k <= MaxK):
		return sketch.OptionError("k", "is %v, must be from 1 to %d", f.k, MaxK)
	case !(f.k >= 0 && f.k <= MaxK) || math.Signbit(f.k):
		return sketch.OptionError("k", "is %v, must be from 0 to %d", f.k, MaxK)
	case f.kept == 0 || f.kept&^f.size != 0 || f.kept != f.size && f.variant != Blocks:
		return sketch.OptionError("bits", "is %d, of which %d are not blocks", f.size, f.kept)
	}
	return nil
}

// words returns the length of the bits in words of 8 bytes.
func (f *form) words() uint64 { return (f.kept + 63) / 64 }

// Blocks returns the sizes in bits of the blocks that are left, the largest first. It is nil unless the
// variant is Blocks.
func (f *form) Blocks() (sizes []uint64) {
	if f.variant != Blocks {
		return nil
	}
	for rest := f.kept; rest != 0; {
		block := uint64(1) << (bits.Len64(rest) - 1)
		sizes = append(sizes, block)
		rest -= block
	}
	return sizes
}
