package bloom

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// rate is the probability that k positions, k being any number, are all set
// where the part q of the bits is: a key has floor(k) of them or one more.
// With whole k it is q^k; otherwise it is never below that, by convexity.
func rate(k, q float64) float64 {
	n := math.Floor(k)
	return math.Pow(q, n) * (1 - (k-n)*(1-q))
}

// ones is the number of bits that are set. O(len(b)), whole words.
func ones(b []byte) (n uint64) {
	for ; len(b) >= 8; b = b[8:] {
		n += uint64(bits.OnesCount64(binary.LittleEndian.Uint64(b)))
	}
	return n
}

// Fill is the part of the bits that are set. O(m).
func (f *filter) Fill() float64 { return float64(ones(f.bits)) / float64(f.kept) }

// FPP is the false positive rate that the bits now set make: the probability
// that Contains is true for an absent key. It is q^k at a fill of q; with a
// fraction p of k, (1-p) q^floor(k) + p q^(floor(k)+1); of Blocks, the mean
// over the activations of the product over the blocks. O(m).
func (f *filter) FPP() float64 {
	if f.plan == nil {
		return rate(f.k, f.Fill())
	}
	var set [64]uint64 // by the length of the block's mask
	at := uint64(0)
	for _, size := range f.blockSizes() {
		n := &set[bits.Len64(size-1)]
		if size >= 64 {
			*n = ones(f.bits[at/8 : (at+size)/8])
		} else {
			word := binary.LittleEndian.Uint64(f.bits[at/64*8:])
			*n = uint64(bits.OnesCount64(word >> (at % 64) & (1<<size - 1)))
		}
		at += size
	}
	var sum float64
	for i, list := range f.plan.lists {
		product := f.plan.width(i)
		var before, taken uint64
		for _, pr := range list {
			if pr.mask == dropped {
				continue
			}
			// The positions of a key in one block differ while there are bits.
			if pr.mask != before {
				before, taken = pr.mask, 0
			}
			if n := set[bits.Len64(pr.mask)]; taken <= pr.mask {
				product *= float64(n-min(n, taken)) / float64(pr.mask+1-taken)
			}
			taken++
		}
		sum += product
	}
	return sum
}

// logUnset is the logarithm of the probability that a key leaves a bit unset.
func (f *filter) logUnset() float64 {
	m := float64(f.size)
	if f.plan != nil { // the positions of a key differ: k_j of m_j bits
		return math.Log1p(-min(1, f.k/m))
	}
	l := math.Log1p(-(f.k - float64(f.n)) / m)
	if f.n > 0 {
		l += float64(f.n) * math.Log1p(-1/m)
	}
	return l
}

// FPPAt is the false positive rate to expect of n distinct keys. O(k). For
// whole k and large m it is (1 - e^(-kn/m))^k. Walther et al., equation 1 and
// theorem 2; with the two numbers of positions that keys have.
func (f *filter) FPPAt(n float64) float64 {
	q := 0.0
	if n > 0 {
		q = -math.Expm1(n * f.logUnset())
	}
	if f.plan == nil {
		return rate(f.k, q)
	}
	var sum float64
	for i, list := range f.plan.lists {
		taken := 0
		for _, pr := range list {
			if pr.mask != dropped {
				taken++
			}
		}
		sum += f.plan.width(i) * math.Pow(q, float64(taken))
	}
	return sum
}

// Cardinality is the number of distinct keys as estimated from the fill q:
// ln(1-q) over the logarithm of the probability that a key leaves a bit unset,
// which is close to -(m/k) ln(1-q). Its standard error with n keys is
// sqrt(m (e^t - 1 - t)) / k, t = kn/m: 0.25% of n at n = 10,000 and half of
// the bits set by 7 hash functions; with a fraction p of k, its square has
// n p (1-p) / k^2 more. +Inf where the bits do not tell: all of them
// are set, or k is 0. Right also after unions; after Intersect it is that of
// a filter that keys in one alone have added some bits to, and so too high.
// O(m). Swamidass and Baldi 2007, "Mathematical Correction for Fingerprint
// Similarity Measures to Improve Chemical Retrieval"; the error is Whang et
// al. 1990, "A Linear-Time Probabilistic Counting Algorithm", theorem 3.
func (f *filter) Cardinality() float64 {
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
