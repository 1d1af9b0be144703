// Package cuckoo is the cuckoo filter: which keys are there, in a few bits
// each, with deletion. Fan, Andersen, Kaminsky and Mitzenmacher 2014, "Cuckoo
// Filter: Practically Better Than Bloom". Tagged: the alternate bucket of
// Huang and Yang 2021, "Tagged Cuckoo Filters", modulo any even number.
// Variable length: "Variable-length Encoding Framework: A Generic
// Framework for Enhancing the Accuracy of Approximate Membership Queries",
// section III, with known lengths (see below).
//
// The filter takes hashed keys (package key). Methods are not safe for
// concurrent use with a writer; any number of readers is.
//
// # Sets and multisets
//
// A set does not store a key that is already there, perhaps because of another
// key with the same fingerprint and buckets. Removing one of two such keys
// would remove the other, so a set has no removal. With Params.Duplicates
// every occurrence takes a slot: what was added can be removed, and no other
// key suffers. One key then has at most twice as many occurrences as a bucket
// has slots.
//
// # Buckets of variable length
//
// A bucket of b slots of f bits with n < b fingerprints gives each the bits
// that the others do not use. The highest bits of the first slots say how many
// there are (layout.go). A fingerprint that was in a full bucket has only f
// bits forever, and one that was in a fuller bucket than now only those that
// it had there. One bit of a bucket that is not full says so: each fingerprint
// then ends with a one, the sentinel, above the bits that are known. Comparing
// bits that are not known would be a false negative.
//
// So a bucket is empty; or has n < b fingerprints whose fields are known to the
// last bit, as after insertions only; or has n < b of them that end with
// sentinels, after a removal or where one came from a full bucket; or is full,
// with f bits of each in ascending order. Insertion makes a bucket of the third
// kind one of the second where all then know what there is room for.
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
	// Plain takes the exclusive or with a hash of the fingerprint, for which
	// the number of buckets is a power of two.
	Plain Variant = iota
	// Tagged takes the difference from a hash of the fingerprint, for any even
	// number of buckets.
	Tagged
)

// String is the variant's name in SQL.
func (v Variant) String() string {
	if v == Tagged {
		return "tagged"
	}
	return "plain"
}

// Params are a filter's size and rules. Zero fields take their defaults.
type Params struct {
	// Capacity is the number of different keys that fit, or with Duplicates of
	// occurrences, DefaultCapacity if 0.
	Capacity uint64
	// Buckets is the number of buckets, for a filter of exactly that size; 0 for as many as Capacity
	// needs. A power of two if Variant is Plain, otherwise even. It replaces Capacity: New makes
	// that what insertion fills the slots of so many buckets with.
	Buckets uint64
	// FingerprintBits is the length of a fingerprint, 4 to 32.
	FingerprintBits uint64
	// Slots is the number of fingerprints that a bucket holds, 1 to 8.
	Slots uint64
	// Variant is how the other bucket is found.
	Variant Variant
	// VariableLength gives fingerprints the bits that a bucket does not use. It
	// needs two slots at least.
	VariableLength bool
	// Duplicates makes a multiset: every occurrence takes a slot, and can be
	// counted and removed. Those of one key share two buckets. So where every
	// key is there twice, three or four times, a filter of 4 slots is full at
	// 0.88, 0.68 and 0.45 of them, one of 8 slots with 2, 4 and 8 of each at
	// 0.975, 0.88 and 0.46, on average; and where keys are there more often than
	// a bucket has slots, after a few of them: give a Capacity to match.
	Duplicates bool
	// MaxKicks is how many fingerprints an insertion moves before it finds the filter full,
	// DefaultMaxKicks if 0. A BLOB does not keep it: a filter that is read has the default.
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

// sized is p with the defaults, and the number of buckets. Errors wrap sketch.ErrOption.
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
	if err := p.checkBuckets(); err != nil {
		return p, 0, err
	}
	p.Buckets, p.Capacity = 0, max(1, uint64(p.loadOf()*float64(buckets*p.Slots)))
	return p, buckets, nil
}

// checkBuckets says what is wrong with a number of buckets.
func (p Params) checkBuckets() error {
	most := MaxBody * 8 / (p.FingerprintBits * p.Slots)
	switch n := p.Buckets; {
	case p.Capacity != 0:
		return sketch.OptionError("buckets", "is %d beside \"capacity\" %d: give one of them", n, p.Capacity)
	case n < 2 || n > most || bodySize(n, p.FingerprintBits*p.Slots) > MaxBody:
		return sketch.OptionError("buckets", "is %d, must be from 2 to what fits %d bytes", n, MaxBody)
	case p.Variant == Plain && n&(n-1) != 0:
		return sketch.OptionError("buckets", "is %d, must be a power of two if \"variant\" is 'plain'", n)
	case n%2 != 0:
		return sketch.OptionError("buckets", "is %d, must be even", n)
	}
	return nil
}

// empty is what an empty filter takes; 0 where the parameters are wrong.
func (p Params) empty() (bytes, seed uint64) {
	p, buckets, err := p.sized()
	if err != nil {
		return 0, 0
	}
	return bodySize(buckets, p.FingerprintBits*p.Slots), p.Seed
}

// check says what is wrong with parameters that have their defaults.
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

// load is the part of the slots that a capacity fills. Insertion reaches more,
// 0.87, 0.94, 0.965 and 0.98 and above of the slots of 2^14 buckets of 2, 3, 4
// and 5 and more (TestAchievableLoad). With few slots a few keys that share
// their buckets are enough, in filters of any size.
var load = [MaxSlots + 1]float64{1: 0.33, 2: 0.76, 3: 0.90, 4: 0.95, 5: 0.96, 6: 0.97, 7: 0.975, 8: 0.98}

// loadOf is load, less where short fingerprints leave a bucket too few others
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

// spare is the number of buckets beyond those: a small filter has fewer ways
// to move a fingerprint.
const spare = 3

// bucketsFor is the number of buckets for a capacity, which is checked.
func (p Params) bucketsFor() (uint64, error) {
	most := MaxBody * 8 / (p.FingerprintBits * p.Slots)
	tooMany := func() error {
		return sketch.OptionError("capacity", "is %d, which needs more than the %d bytes that a filter may take", p.Capacity, MaxBody)
	}
	if p.Capacity > most*p.Slots {
		return 0, tooMany()
	}
	n := uint64(math.Ceil(float64(p.Capacity)/(p.loadOf()*float64(p.Slots)))) + spare
	if p.Variant == Plain {
		n = 1 << bits.Len64(n-1)
	} else {
		n += n & 1
	}
	if bodySize(n, p.FingerprintBits*p.Slots) > MaxBody {
		return 0, tooMany()
	}
	return n, nil
}

// padding is the zero bytes at a body's end, so that 8 bytes can be read
// wherever a bucket begins.
const padding = 7

// bodySize is the bytes of n buckets.
func bodySize(n, bucketBits uint64) uint64 { return (n*bucketBits+7)/8 + padding }
