package bloom

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// filter is the part of a Sketch and of a View that answers queries: the bits, and how keys find
// them. The bits are in memory of their own or in the BLOB's.
type filter struct {
	keyed.Base
	form
	route
	bits []byte  // whole words of 8 bytes
	keys hashSet // keys from which Blob makes the bits; nil if the bits exist, as in every View
}

// Variant returns how keys become positions.
func (f *filter) Variant() Variant { return f.variant }

// Activation returns what decides whether a key uses the last hash function.
func (f *filter) Activation() Activation { return f.activation }

// Bits returns the length m of the filter.
func (f *filter) Bits() uint64 { return f.kept }

// K returns the number of hash functions: how many positions a key has on average. It is less than the
// filter was made with if blocks were dropped.
func (f *filter) K() float64 {
	if f.kept == f.size {
		return f.k
	}
	return f.k * float64(f.kept) / float64(f.size)
}

// Capacity returns the number of distinct keys that the filter was made for.
func (f *filter) Capacity() uint64 { return f.capacity }

// Contains reports whether a key may be there: always for a key that was added, and for another with
// the probability FPP. While keys are gathered it is exact. O(k), no allocation.
func (f *filter) Contains(h1, h2 uint64) bool {
	f.MustBeMade()
	switch {
	case f.keys != nil:
		_, found := f.keys[hash{h1, h2}]
		return found
	case f.plan != nil:
		return f.containsPlanned(h1, h2)
	}
	b, size, n := f.bits, f.size, f.probes(h1, h2)
	for step := h2; n > 0; n-- {
		if p, _ := bits.Mul64(h1+step, size); !isSet(b, p) {
			return false
		}
		step *= key.Spread
	}
	return true
}

// isSet reports whether bit p is set. The byte is widened because that compiles to one instruction.
func isSet(b []byte, p uint64) bool { return uint64(b[p/8])&(1<<(p%8)) != 0 }

// containsPlanned is Contains for a filter with a plan (Blocks).
func (f *filter) containsPlanned(h1, h2 uint64) bool {
	b := f.bits
	step := h2
	for _, at := range f.plan.list(h1, h2) {
		if at.shift != dropped && !isSet(b, at.at(h1+step)) {
			return false
		}
		step *= key.Spread
	}
	return true
}

// ContainsHashes writes the Contains of every key to dst. h1s and h2s are as long as dst.
func (f *filter) ContainsHashes(dst []bool, h1s, h2s []uint64) {
	f.MustBeMade()
	for i := range dst {
		dst[i] = f.Contains(h1s[i], h2s[i])
	}
}

// ContainsKey is Contains of a key's bytes (package key).
func (f *filter) ContainsKey(b []byte) bool { return f.Contains(key.Hash(f.Seed(), b)) }
