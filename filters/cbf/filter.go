package cbf

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// filter is the part of a Sketch and of a View that answers queries: the shape, the phase and the
// words, as little-endian bytes. They are in memory of their own or in the BLOB's.
type filter struct {
	keyed.Base
	kernel
	body []byte
}

// at returns the word with this index.
func (f *filter) at(word uint64) uint64 { return binary.LittleEndian.Uint64(f.body[8*word:]) }

// set writes the word with this index.
func (f *filter) set(word, to uint64) { binary.LittleEndian.PutUint64(f.body[8*word:], to) }

// Capacity returns the number of occurrences that the filter is made for.
func (f *filter) Capacity() uint64 { return f.capacity }

// Counters returns the number of counters.
func (f *filter) Counters() uint64 {
	f.MustBeMade()
	return f.counters()
}

// K returns the number of hash functions, without the extra ones of halves.
func (f *filter) K() uint64 { return f.k }

// Variant returns what an occurrence adds to its counters.
func (f *filter) Variant() Variant { return f.variant }

// Halves reports whether counters are in two halves, of which the upper ones count K extra hash
// functions. That is only with VariableLength, until the filter has had more than Alpha*Capacity
// occurrences at one time.
func (f *filter) Halves() bool { return f.halves }

// Contains reports whether a key may be there. It always finds a key that was added and not removed as
// often, and another with the probability Info.FPP. It stops at the first counter that rules the key
// out. O(K).
func (f *filter) Contains(h1, h2 uint64) bool {
	f.MustBeMade()
	g := &f.kernel
	for i := range g.k {
		word, rest := bits.Mul64(hash(h1, h2, i), g.words)
		low, high := g.marks(rest)
		w := f.at(word)
		if !g.contains(w, &low) || g.halves && !g.contains(w, &high) {
			return false
		}
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
func (f *filter) ContainsKey(b []byte) bool {
	return f.Contains(key.Hash(f.Seed(), b))
}

// widen returns a word without its upper halves. Lower halves that are stuck stay stuck.
func (g *kernel) widen(word uint64) (after, stuck uint64) {
	low := ^uint64(0) / (1<<(g.width/2) + 1) // the lower halves
	stuck = g.stuck(word) & low
	return word&low | stuck<<(g.width/2)*g.ceiling, stuck
}

// zeros returns the lowest bit of every counter of the word that is 0.
func (g *kernel) zeros(word uint64) uint64 {
	top := g.ones << (g.bits - 1)
	return (^((word&^top + (top - g.ones)) | word) & top) >> (g.bits - 1)
}

// stuck returns the lowest bit of every counter, or half, that is stuck.
func (g *kernel) stuck(word uint64) uint64 {
	full := g.zeros(^word)
	if g.variant == Tandem {
		// If the other counter of a pair is a note, the pair holds one signed occurrence. The counter
		// is then not stuck, although it has the value of the ceiling.
		for left := full; left != 0; left &= left - 1 {
			at := uint64(bits.TrailingZeros64(left))
			if g.isNote(word >> (at ^ g.width) & g.ceiling) {
				full &^= 1 << at
			}
		}
	}
	return full
}

// misfit returns a word that is not 0 if no occurrences produce this word.
func (g *kernel) misfit(word uint64) (bad uint64) {
	// small marks the counters with values of 1 to L-1: not 0, but below L.
	small := g.zeros(word&^(g.ones*g.notes)) &^ g.zeros(word)
	if g.variant != Tandem {
		return small
	}
	for ; small != 0; small &= small - 1 {
		at := uint64(bits.TrailingZeros64(small))
		if p := word >> (at ^ g.width) & g.ceiling; p < g.inc || p >= 4*g.inc {
			bad |= 1 << at
		}
	}
	return bad
}
