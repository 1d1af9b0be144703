// Package cuckoo implements the cuckoo filter: a set of keys in a few bits each, with deletion. Fan,
// Andersen, Kaminsky and Mitzenmacher 2014, "Cuckoo Filter: Practically Better Than Bloom". Tagged: the
// alternate bucket of Huang and Yang 2021, "Tagged Cuckoo Filters", modulo any even number. Variable
// length: "Variable-length Encoding Framework: A Generic Framework for Enhancing the Accuracy of
// Approximate Membership Queries", section III, with known lengths (see below).
//
// The filter takes hashed keys (package key). Any number of goroutines may read a Sketch, but none while another
// changes it.
//
// # Sets and multisets
//
// A set does not store a key that is already there, perhaps because of another key with the same
// fingerprint and buckets. Removing one of two such keys would remove the other, so a set has no
// removal. With Params.Duplicates every occurrence takes a slot. Each can then be removed, and no other
// key suffers. A key can occur at most twice as often as a bucket has slots.
//
// # Buckets of variable length
//
// A bucket of b slots of f bits with n < b fingerprints gives each the bits that the others do not use.
// The highest bits of the first slots say how many fingerprints there are (layout.go). A fingerprint
// that was in a full bucket keeps only f bits. One that was in a fuller bucket than now keeps only the
// bits that it had there. A flag in a bucket that is not full says so. Each fingerprint then ends with
// a one, the sentinel, above the bits that are known. Comparing bits that are not known would cause a
// false negative.
//
// So a bucket has one of four forms. It is empty. It has n < b fingerprints whose fields are known to
// the last bit, as after insertions only. It has n < b fingerprints that end with sentinels, after a
// removal or if one came from a full bucket. Or it is full, with f bits of each in ascending order. An
// insertion turns the third form into the second if all fingerprints then know as many bits as there is
// room for.
package cuckoo

import (
	"math"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Limits of a filter.
const (
	MinFingerprintBits = 4
	MaxFingerprintBits = 32
	MaxSlots           = 8
	// MaxBody is the largest body in bytes.
	MaxBody = 1 << 30
	// MostKicks is the largest MaxKicks.
	MostKicks = 100_000
)

// Defaults of the parameters.
const (
	DefaultCapacity        = 100_000
	DefaultFingerprintBits = 12
	DefaultSlots           = 4
	// DefaultMaxKicks is from Fan et al. 2014, section 4.
	DefaultMaxKicks = 500
)

// Variant is how a fingerprint's other bucket is found.
type Variant uint8

const (
	// Plain is the exclusive or with a hash of the fingerprint. The number of buckets must be a power
	// of two.
	Plain Variant = iota
	// Tagged is the difference from a hash of the fingerprint, for any even number of buckets.
	Tagged
)

// String returns the variant's name in SQL.
func (v Variant) String() string {
	if v == Tagged {
		return "tagged"
	}
	return "plain"
}

// Params are a filter's size and rules. Zero fields take their defaults.
type Params struct {
	// Capacity is the number of different keys that fit, or with Duplicates of occurrences. The default
	// is DefaultCapacity.
	Capacity uint64
	// Buckets is the number of buckets, in place of Capacity. It is a power of two if Variant is Plain,
	// otherwise even. New then sets Capacity to the number of keys that insertion can put into so many
	// buckets. 0 means as many as Capacity needs.
	Buckets uint64
	// FingerprintBits is the length of a fingerprint, 4 to 32.
	FingerprintBits uint64
	// Slots is the number of fingerprints that a bucket holds, 1 to 8.
	Slots uint64
	// Variant is the way to find a fingerprint's other bucket.
	Variant Variant
	// VariableLength gives fingerprints the bits that a bucket does not use. It needs at least two
	// slots.
	VariableLength bool
	// Duplicates makes a multiset: every occurrence takes a slot, and can be counted and removed. The
	// occurrences of one key share two buckets, so keys that occur often fill a filter earlier. With 4
	// slots, keys that occur 2, 3 or 4 times each fill 0.88, 0.68 or 0.45 of the slots on average. With
	// 8 slots, keys that occur 2, 4 or 8 times fill 0.975, 0.88 or 0.46. If keys occur more often than
	// a bucket has slots, a few of them fill the filter. Choose a Capacity to match.
	Duplicates bool
	// MaxKicks is the number of fingerprints that an insertion moves before the filter counts as full.
	// The default is DefaultMaxKicks. A BLOB does not keep it: a filter that is read has the default.
	MaxKicks uint64
	// Seed is the seed of the keys' hashes.
	Seed uint64
}

// WithDefaults returns p with the defaults in place of zeros.
func (p Params) WithDefaults() Params {
	if p.Capacity == 0 && p.Buckets == 0 {
		p.Capacity = DefaultCapacity
	}
	if p.FingerprintBits == 0 {
		p.FingerprintBits = DefaultFingerprintBits
	}
	if p.Slots == 0 {
		p.Slots = DefaultSlots
	}
	if p.MaxKicks == 0 {
		p.MaxKicks = DefaultMaxKicks
	}
	return p
}

// sized returns p with the defaults, and the number of buckets. Errors wrap sketch.ErrOption.
func (p Params) sized() (_ Params, buckets uint64, err error) {
	if err := options.Check(p); err != nil {
		return p, 0, err
	}
	p = p.WithDefaults()
	if err := p.check(); err != nil {
		return p, 0, err
	}
	if p.Buckets == 0 {
		buckets, err = p.bucketsFor()
		return p, buckets, err
	}
	buckets = p.Buckets
	if p.Capacity != 0 {
		return p, 0, sketch.OptionError("buckets", "is %d beside \"capacity\" %d: give one of them", buckets, p.Capacity)
	}
	if err := p.checkBuckets(buckets); err != nil {
		return p, 0, err
	}
	p.Buckets, p.Capacity = 0, max(1, uint64(p.loadOf()*float64(buckets*p.Slots)))
	return p, buckets, nil
}

// checkBuckets returns an error for a number of buckets that is out of range.
func (p Params) checkBuckets(n uint64) error {
	most := MaxBody * 8 / (p.FingerprintBits * p.Slots)
	switch {
	case n < 2 || n > most || bodySize(n, p.FingerprintBits*p.Slots) > MaxBody:
		return sketch.OptionError("buckets", "is %d, must be from 2 to what fits %d bytes", n, MaxBody)
	case p.Variant == Plain && n&(n-1) != 0:
		return sketch.OptionError("buckets", "is %d, must be a power of two if \"variant\" is 'plain'", n)
	case n%2 != 0:
		return sketch.OptionError("buckets", "is %d, must be even", n)
	}
	return nil
}

// empty returns the memory of an empty filter, and the seed.
func (p Params) empty() (bytes, seed uint64, err error) {
	p, buckets, err := p.sized()
	return bodySize(buckets, p.FingerprintBits*p.Slots), p.Seed, err
}

// check returns an error for parameters that are out of range. They have their defaults.
func (p Params) check() error {
	switch {
	case p.FingerprintBits < MinFingerprintBits || p.FingerprintBits > MaxFingerprintBits:
		return sketch.OptionError("fingerprint_bits", "is %d, must be from %d to %d", p.FingerprintBits, MinFingerprintBits, MaxFingerprintBits)
	case p.Slots < 1 || p.Slots > MaxSlots:
		return sketch.OptionError("slots", "is %d, must be from 1 to %d", p.Slots, MaxSlots)
	case p.Variant > Tagged:
		return sketch.OptionError("variant", "is %d, must be %d or %d", p.Variant, Plain, Tagged)
	case p.MaxKicks > MostKicks:
		return sketch.OptionError("max_kicks", "is %d, must be from 1 to %d", p.MaxKicks, MostKicks)
	case p.VariableLength && p.Slots == 1:
		return sketch.OptionError("variable_length", "is true with \"slots\" 1: a bucket of one slot has no bits to share, use 2 or more")
	}
	return nil
}

// load is the fraction of the slots that a capacity fills, by the number of slots. Insertion reaches
// more with 2^14 buckets (TestAchievableLoad): 0.87, 0.94, 0.965 and 0.98 with 2, 3, 4 and more slots. With few slots a few keys that share their buckets are
// enough to fill them, in filters of any size.
var load = [MaxSlots + 1]float64{1: 0.33, 2: 0.76, 3: 0.90, 4: 0.95, 5: 0.96, 6: 0.97, 7: 0.975, 8: 0.98}

// loadOf returns load. It is less if fingerprints are so short that a bucket has too few other buckets
// to exchange with: Fan et al. 2014, section 4.
func (p Params) loadOf() float64 {
	most := 1.0
	switch {
	case p.Slots == 1 && p.FingerprintBits < 8:
		most = 0.1
	case p.Slots == 1 && p.FingerprintBits < 12:
		most = 0.25
	case p.Slots == 2 && p.FingerprintBits < 6:
		most = 0.4
	case p.Slots == 2 && p.FingerprintBits < 8:
		most = 0.65
	case p.Slots == 3 && p.FingerprintBits < 6:
		most = 0.75
	}
	return min(load[p.Slots], most)
}

// extraBuckets is the number of additional buckets: a small filter has fewer ways to move a fingerprint.
const extraBuckets = 3

// bucketsFor returns the number of buckets for a capacity, which is checked.
func (p Params) bucketsFor() (uint64, error) {
	most := MaxBody * 8 / p.FingerprintBits // slots; a larger capacity does not fit, and its buckets may not fit in 64 bits
	n := uint64(math.Ceil(float64(min(p.Capacity, most))/(p.loadOf()*float64(p.Slots)))) + extraBuckets
	if p.Variant == Plain {
		n = 1 << bits.Len64(n-1)
	} else {
		n += n & 1
	}
	if bodySize(n, p.FingerprintBits*p.Slots) > MaxBody {
		return 0, sketch.OptionError("capacity", "is %d, which needs more than the %d bytes that a filter may take", p.Capacity, MaxBody)
	}
	return n, nil
}

// padding is the number of zero bytes at a body's end, so that 8 bytes can be read at the beginning of
// every bucket.
const padding = 7

// bodySize returns the bytes of n buckets.
func bodySize(n, bucketBits uint64) uint64 { return (n*bucketBits+7)/8 + padding }
