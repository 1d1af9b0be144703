package sbf

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// blockLen is the number of counters of a block: 64, so that one word can mark those that a key has.
const blockLen = 64

// slots is the number of positions in a block that one word gives.
const slots = 10

// firstPositions returns a key's counters in the first filter, in room.
func (s *shape) firstPositions(room *[MaxK]uint32, h1, h2 uint64) []uint32 {
	return positions(room[:s.k], s.m, s.blocked, h1, h2)
}

// secondPositions returns a key's counters in the second filter, in room.
func (s *shape) secondPositions(room *[MaxK]uint32, h1, h2 uint64) []uint32 {
	h1, h2 = derive(h1, h2, tagSecond)
	return positions(room[:s.k], s.secondM, s.blocked, h1, h2)
}

// markPositions returns a key's bits in the marker filter, in room.
func (s *shape) markPositions(room *[MaxK]uint32, h1, h2 uint64) []uint32 {
	h1, h2 = derive(h1, h2, tagMarker)
	return positions(room[:s.k], s.m, false, h1, h2)
}

// positions returns dst with the len(dst) positions of a key among m counters, all different: one in each
// row, or all in a block. They are part of the format (docs/FORMAT.md) and never change.
func positions(dst []uint32, m uint64, blocked bool, h1, h2 uint64) []uint32 {
	if blocked {
		return blockPositions(dst, m, h1, h2)
	}
	rows := words.Rows{Width: m / uint64(len(dst)), Factors: factors[:len(dst)]}
	return rows.Places(dst[:0], h1, h2)
}

// blockPositions returns dst with positions in one block of m counters. It takes the block from h1 and the
// counters in it from h2, 6 bits each. More than 10 positions take more words.
func blockPositions(dst []uint32, m, h1, h2 uint64) []uint32 {
	block, _ := bits.Mul64(h1, m/blockLen)
	base := uint32(block) * blockLen
	var used uint64
	word := h2
	for i := range dst {
		if i%slots == 0 && i > 0 {
			word = key.Mix(h2 + uint64(i/slots)*phi)
		}
		p := uint32(word >> 58)
		word <<= 6
		used |= 1 << p
		dst[i] = base + p
	}
	if bits.OnesCount64(used) == len(dst) {
		return dst
	}
	used = 0
	for i, p := range dst {
		p -= base
		for used>>p&1 != 0 {
			p = (p + 1) % blockLen
		}
		used |= 1 << p
		dst[i] = base + p
	}
	return dst
}

// phi is 2^64 divided by the golden ratio.
const phi = 0x9e3779b97f4a7c15

// Tags of the hashes that follow from a key's.
const (
	tagSecond = 1 // the second filter
	tagMarker = 2 // the marker filter
)

// derive returns another hash of the same key, for the filter with this tag. So keys that collide in the
// first filter do not also collide there.
func derive(h1, h2, tag uint64) (uint64, uint64) {
	return key.Mix(h1 + tag*phi), key.Mix(h2+tag*phi) | 1
}
