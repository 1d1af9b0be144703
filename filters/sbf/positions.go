package sbf

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// blockLen is the number of counters of a block: 64, so that one word says
// which of them a key took.
const blockLen = 64

// slots is the number of positions in a block that one word gives.
const slots = 10

// layout says where a key's counters are in an array of m.
type layout struct {
	m       uint64
	blocked bool
	// Positions i and j of a key may be the same only where (j-i)*h2 is less
	// than near, a counter's share of 2^64, away from 0; and that only where
	// common*h2, a multiple of all of them, is less than far away from 0: one
	// look that settles nearly all keys.
	near, common, far uint64
}

func newLayout(m, k uint64, blocked bool) layout {
	const half = 1<<63 - 1 // away from 0 by less than this is nearly everything
	l := layout{m: m, blocked: blocked, near: half, common: 1, far: half}
	if m < 8 {
		return l
	}
	l.near = ^uint64(0)/m + 1
	common := uint64(1)
	for i := uint64(2); i < k && common < 1<<40; i++ {
		common *= i / gcd(common, i)
	}
	if hi, lo := bits.Mul64(common, l.near); hi == 0 && lo < half {
		l.common, l.far = common, lo
	}
	return l
}

func gcd(a, b uint64) uint64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// meet reports whether two of a key's k positions may be the same, where far
// does not settle it.
func (l *layout) meet(k int, h2 uint64) bool {
	y := l.near
	for range k - 1 {
		y += h2
		if y < 2*l.near {
			return true
		}
	}
	return false
}

// scale takes x from 2^64 to m: floor(x*m / 2^64).
func scale(x, m uint64) uint32 {
	p, _ := bits.Mul64(x, m)
	return uint32(p)
}

// positions writes the len(dst) positions of a key, all different; there are
// at least as many counters. Part of the format (docs/FORMAT.md), forever.
func (l *layout) positions(dst []uint32, h1, h2 uint64) {
	if l.blocked {
		l.blockPositions(dst, h1, h2)
		return
	}
	x := h1
	for i := range dst {
		x += h2
		dst[i] = scale(x, l.m)
	}
	if h2*l.common+l.far < 2*l.far && l.meet(len(dst), h2) {
		l.separate(dst)
	}
}

// many writes the k positions of each of len(dst)/k keys.
func (l *layout) many(dst []uint32, k int, h1s, h2s []uint64) {
	for i := 0; len(dst) > 0; i++ {
		l.positions(dst[:k:k], h1s[i], h2s[i])
		dst = dst[k:]
	}
}

// separate moves a position that an earlier one has taken on to the next that
// none has.
func (l *layout) separate(dst []uint32) {
	for i := range dst {
		for taken(dst[:i], dst[i]) {
			if dst[i]++; uint64(dst[i]) == l.m {
				dst[i] = 0
			}
		}
	}
}

func taken(ps []uint32, p uint32) bool {
	for _, q := range ps {
		if p == q {
			return true
		}
	}
	return false
}

// blockPositions takes the block from h1 and the counters in it from h2, 6
// bits each, with more words where 10 are not enough.
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

// derive is another hash of the same key, for filters that must not share
// their collisions with the first.
func derive(h1, h2, tag uint64) (uint64, uint64) {
	return key.Mix(h1 + tag*phi), key.Mix(h2+tag*phi) | 1
}
