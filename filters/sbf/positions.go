package sbf

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// blockLen is the number of counters of a block: 64, so that one word can mark those that a key has.
const blockLen = 64

// slots is the number of positions in a block that one word gives.
const slots = 10

// layout defines the positions of a key's counters in an array of m: one in each of k rows, or all in a
// block.
type layout struct {
	m       uint64 // number of counters
	width   uint64 // counters in a row, m/k; not used if blocked
	blocked bool   // all counters of a key are in one block
}

// scale maps x from 2^64 to m: floor(x*m / 2^64).
func scale(x, m uint64) uint32 {
	p, _ := bits.Mul64(x, m)
	return uint32(p)
}

// positions writes the len(dst) positions of a key, all different. They are part of the format
// (docs/FORMAT.md) and never change.
func (l *layout) positions(dst []uint32, h1, h2 uint64) {
	if l.blocked {
		l.blockPositions(dst, h1, h2)
		return
	}
	row := uint32(0)
	for i := range dst {
		dst[i] = row + scale(h1+factors[i]*h2, l.width)
		row += uint32(l.width)
	}
}

// blockPositions takes the block from h1 and the counters in it from h2, 6 bits each. More than 10
// positions take more words.
func (l *layout) blockPositions(dst []uint32, h1, h2 uint64) {
	base := scale(h1, l.m/blockLen) * blockLen
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
		return
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
