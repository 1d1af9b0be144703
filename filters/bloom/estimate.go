package bloom

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// rate returns the probability that k positions are all set if a fraction q of the bits is. For any
// number k, a key has floor(k) positions or one more. With whole k it is q^k; otherwise it is never
// below that, by convexity.
func rate(k, q float64) float64 {
	n := math.Floor(k)
	return math.Pow(q, n) * (1 - (k-n)*(1-q))
}

// ones returns the number of bits that are set. The bits are whole words. O(len(b)).
func ones(b []byte) (n uint64) {
	for ; len(b) >= 8; b = b[8:] {
		n += uint64(bits.OnesCount64(binary.LittleEndian.Uint64(b)))
	}
	return n
}

// Fill returns the fraction of the bits that are set. O(m).
func (f *filter) Fill() float64 {
	f = f.finished()
	return float64(ones(f.bits)) / float64(f.kept)
}

// FPP returns the false positive rate of the bits as they are now: the probability that Contains is
// true for an absent key. It is q^k at a fill of q. With a fraction p of k it is (1-p) q^floor(k) + p
// q^(floor(k)+1). For Blocks it is the mean over the activations of the product over the blocks. O(m).
func (f *filter) FPP() float64 {
	f = f.finished()
	if f.plan == nil {
		return rate(f.k, f.Fill())
	}
	var fill [64]float64 // fraction of set bits of each block, at the index probe.shift of the block
	at := uint64(0)
	for _, size := range f.Blocks() {
		var n uint64
		if size >= 64 {
			n = ones(f.bits[at/8 : (at+size)/8])
		} else {
			word := binary.LittleEndian.Uint64(f.bits[at/64*8:])
			n = uint64(bits.OnesCount64(word >> (at % 64) & (1<<size - 1)))
		}
		fill[63-bits.TrailingZeros64(size)] = float64(n) / float64(size)
		at += size
	}
	return f.plan.rate(func(block, positions int) float64 { return math.Pow(fill[block], float64(positions)) })
}

// rate returns the probability that all positions of a key are set. set returns the
// probability for so many positions in the block with this shift.
func (p *plan) rate(set func(shift, positions int) float64) (sum float64) {
	for i, list := range p.lists {
		product := p.width(i)
		for len(list) > 0 {
			n := 1
			for n < len(list) && list[n].shift == list[0].shift {
				n++
			}
			if shift := list[0].shift; shift != dropped {
				product *= set(int(shift), n)
			}
			list = list[n:]
		}
		sum += product
	}
	return sum
}

// unset returns the probability that a key with k positions leaves a given bit unset. The
// parameter share is the fraction of all bits that one position sets. For any number k, a key has floor(k) positions or one more. Products
// are rounded here and in the functions that follow. So machines that fuse products with sums make
// filters of the same size.
func unset(k, share float64) float64 {
	n := math.Floor(k)
	return math.Pow(1-share, n) * (1 - float64((k-n)*share))
}

// logUnset returns the logarithm of the probability that a key leaves a bit unset.
func (f *filter) logUnset() float64 { return math.Log(unset(f.k, 1/float64(f.size))) }

// FPPAt returns the false positive rate to expect of n distinct keys. O(k). For whole k and large m it is
// (1 - e^(-kn/m))^k. Keys of another k have floor(k) positions or one more. Then it is the mean of both
// rates (Walther et al., equation 1 and theorem 2). The fill of a small filter varies, and the mean of its
// powers is above the power of the mean: see fillPower (Bose et al. 2008, "On the false-positive rate of
// Bloom filters").
func (f *filter) FPPAt(n float64) float64 {
	f.MustBeMade()
	if f.plan == nil {
		return rateAt(float64(f.size), f.k, n)
	}
	return f.plan.rate(func(shift, positions int) float64 {
		block := math.Exp2(float64(63 - shift))
		return fillPower(block, f.k*block/float64(f.size), n, float64(positions))
	})
}

// rateAt returns the false positive rate to expect of n distinct keys in m bits.
func rateAt(m, k, n float64) float64 {
	whole := math.Floor(k)
	rate := fillPower(m, k, n, whole)
	if part := k - whole; part > 0 {
		rate += float64(part * (fillPower(m, k, n, whole+1) - rate))
	}
	return rate
}

// fillPower returns the mean of a power of the fill of m bits in which n keys set k bits each. It
// assumes a lognormal distribution with the mean and the variance of the fill. The result is never
// below the mean of the exact distribution. It is at most 1.25 times as high if that is 1e-7 or more
// (TestFillPower).
func fillPower(m, k, n, power float64) float64 {
	one, two := math.Pow(unset(k, 1/m), n), 0.0
	if m > 2 {
		two = math.Pow(unset(k, 2/m), n)
	}
	fill := 1 - one
	if fill <= 0 || power == 0 {
		return math.Pow(max(fill, 0), power)
	}
	variance := max(0, one/m+float64((1-1/m)*two)-float64(one*one))
	return min(1, math.Pow(fill, power)*math.Pow(1+variance/(fill*fill), power*(power-1)/2))
}

// Cardinality returns the number of distinct keys as estimated from the fill q. It is ln(1-q) over the
// logarithm of the probability that a key leaves a bit unset, close to -(m/k) ln(1-q). Its standard error
// with n keys is sqrt(m (e^t - 1 - t)) / k for t = kn/m. This is 0.25% of n for 10,000 keys that set half
// of the bits by 7 hash functions. With a fraction p of k, the square of the error has n p (1-p) / k^2
// more. The result is +Inf if all bits are set or k is 0. It holds after unions too. After Intersect it is
// too high, because keys of only one filter leave bits. O(m). Swamidass and Baldi 2007, "Mathematical
// Correction for Fingerprint Similarity Measures to Improve Chemical Retrieval". The error: Whang et al.
// 1990, "A Linear-Time Probabilistic Counting Algorithm", theorem 3.
func (f *filter) Cardinality() float64 {
	f.MustBeMade()
	f = f.finished()
	set := ones(f.bits)
	switch l := f.logUnset(); {
	case l == 0 || set == f.kept:
		return math.Inf(1)
	case set == 0:
		return 0
	default:
		return math.Log1p(-float64(set)/float64(f.kept)) / l
	}
}
