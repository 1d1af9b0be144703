package tree

import "math/bits"

// Tau is a threshold of the rule for splitting, by its place on a scale of five
// significant bits: neighbours differ by 1/16 at most.
type Tau uint16

// Taus is the number of thresholds. The last splits nothing that can be a leaf.
const Taus = 60*16 + 16

// Value is the threshold itself.
func (t Tau) Value() uint64 {
	if t < 16 {
		return uint64(t)
	}
	return uint64(16+t%16) << (t/16 - 1)
}

// tauOf is the least threshold that is not below v.
func tauOf(v uint64) Tau {
	if v < 16 {
		return Tau(v)
	}
	shift := uint(bits.Len64(v)) - 5
	top := v >> shift
	if top<<shift < v {
		top++ // 32 is 16 of the next shift
	}
	return min(Tau((uint64(shift)+1)*16+top-16), Taus-1)
}

// weight is (side - 1) * points of a square.
func weight(level uint8, points uint64) uint64 {
	hi, lo := bits.Mul64(1<<level-1, points)
	if hi != 0 {
		return ^uint64(0)
	}
	return lo
}
