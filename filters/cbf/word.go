package cbf

import "math/bits"

// The positions of a key are part of the format (docs/FORMAT.md) and never change.
//
// Hash function i of a key is x = h1 + (i+1)*h2, scattered once more. Counters follow from the high
// bits, and the high bits of such a series lie on a line, which would show in small filters. The high
// half of the product of x and a number n is a number below n. The low half is the rest of x, from
// which more is chosen (Lemire 2019, "Fast Random Integer Generation in an Interval"). So word,
// counter, increment and signature are independent of each other.

const scatter = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio, odd

// hash returns the value of hash function number i, counted from 0, for the key (h1, h2).
func hash(h1, h2, i uint64) uint64 {
	x := h1 + (i+1)*h2
	return (x ^ x>>32) * scatter
}

// kernel is a shape in a phase (halves or whole counters), with the values that the inner loops need.
type kernel struct {
	shape
	halves bool   // counters are split into halves now
	lanes  uint64 // log2 of the number of counters in a word

	bits    uint64 // width of a counter; of a half if halves is true.
	ceiling uint64 // the largest value that fits into bits.
	ones    uint64 // a word in which each counter or half has the value 1.

	incBits uint64 // log2 L
	notes   uint64 // L-1, the largest note; 0 for Plain
}

// withHalves returns the kernel of the shape, for counters in halves or whole ones.
func (s shape) withHalves(halves bool) kernel {
	w := s.width
	if halves {
		w /= 2
	}
	return kernel{
		shape: s, halves: halves, lanes: uint64(bits.TrailingZeros64(s.perWord())),
		bits: w, ceiling: 1<<w - 1, ones: ^uint64(0) / (1<<w - 1),
		incBits: uint64(bits.TrailingZeros64(s.inc)), notes: s.inc - 1,
	}
}

// mark is one occurrence of a key at one counter: the counter's place in its word, and what to add.
type mark struct {
	at   uint64 // first bit of the counter in the word
	v    uint64 // increment: L to 2L-1, or 1 for Plain
	sign uint64 // hash bits that choose the signature; Tandem only
}

// signBits is the number of bits of a hash that a signature takes: 3*63 is below 2^8.
const signBits = 8

// sign chooses one of 3(L-1) signatures by x. A signed occurrence with increment v fills a pair of
// counters: its own counter gets code, which is v, v+L or v+2L. The other one gets note, from 1 to L-1.
func (g *kernel) sign(v, x uint64) (code, note uint64) {
	times, x := bits.Mul64(x, 3)
	note, _ = bits.Mul64(x, g.notes)
	return v + times<<(g.incBits&63), note + 1
}

// mark derives an occurrence from the hash bits x. Each choice takes the top bits. rest is the unused bits of x,
// moved to the top.
func (g *kernel) mark(x uint64) (m mark, rest uint64) {
	m.at, x = x>>(-g.lanes&63)*g.width&63, x<<(g.lanes&63)
	if g.variant == Plain {
		m.v = 1
		return m, x
	}
	m.v, x = g.inc+x>>(-g.incBits&63), x<<(g.incBits&63) // an increment from L to 2L-1
	if g.variant == Tandem {
		m.sign = x
		x <<= signBits
	}
	return m, x
}

// marks returns the occurrence at a counter or its lower half. With halves it also returns the one at
// the upper half of another counter in the same word. The argument is the rest of the hash after the
// choice of the word. The first result does not depend on halves.
func (g *kernel) marks(x uint64) (low, high mark) {
	low, x = g.mark(x)
	if g.halves {
		high, _ = g.mark(x)
		high.at += g.width / 2
	}
	return low, high
}

// pairs yields the first bit of the first counter of each pair in a word, and of its halves. The second
// counter begins width bits later.
func (g *kernel) pairs(yield func(at uint64) bool) {
	for at := uint64(0); at < 64; at += g.bits {
		if at&g.width == 0 && !yield(at) {
			return
		}
	}
}

// isNote reports whether the counter c is a note: its partner then holds one signed occurrence. Only
// Tandem filters have notes: no sum of increments is below L.
func (g *kernel) isNote(c uint64) bool { return c != 0 && c < g.inc }

// contains reports whether the word can contain the occurrence m.
func (g *kernel) contains(word uint64, m *mark) bool {
	c := word >> (m.at & 63) & g.ceiling
	if g.variant == Tandem {
		if p := word >> ((m.at ^ g.width) & 63) & g.ceiling; g.isNote(p) {
			code, note := g.sign(m.v, m.sign)
			return c == code && p == note
		}
	}
	return c == m.v || c >= m.v+g.inc
}

// sum returns a+n, but at most the ceiling. stuck is 1 if the ceiling was reached. n is at most 2^32.
func (g *kernel) sum(a, n uint64) (sum, stuck uint64) {
	if a+n >= g.ceiling {
		return g.ceiling, 1
	}
	return a + n, 0
}

// unsigned returns the pair of tandem counters a, b without a signature. In a signed pair, the counter
// of the occurrence becomes the plain increment, and the note becomes 0. Other pairs stay as they are.
func (g *kernel) unsigned(a, b uint64) (uint64, uint64) {
	switch {
	case g.isNote(a):
		return 0, g.inc + b&g.notes
	case g.isNote(b):
		return g.inc + a&g.notes, 0
	}
	return a, b
}

// add adds n occurrences of m, n at least 1. stuck is 1 if the counter is at its ceiling now. Only a single
// occurrence in an empty pair of a Tandem filter gets a signature.
func (g *kernel) add(word uint64, m *mark, n uint64) (after, stuck uint64) {
	at := m.at & 63
	c := word >> at & g.ceiling
	more := min(n, g.ceiling) * m.v
	if g.variant != Tandem {
		sum, stuck := g.sum(c, more)
		return word ^ (c^sum)<<at, stuck
	}
	partner := (at ^ g.width) & 63
	p := word >> partner & g.ceiling
	if c|p == 0 && n == 1 {
		code, note := g.sign(m.v, m.sign)
		return word | code<<at | note<<partner, 0
	}
	a, b := g.unsigned(c, p)
	a, stuck = g.sum(a, more)
	return word ^ (c^a)<<at ^ (p^b)<<partner, stuck
}

// remove returns the word without n occurrences of m, n at least 1. It reports false if the word cannot
// contain that many.
func (g *kernel) remove(word uint64, m *mark, n uint64) (after uint64, ok bool) {
	c := word >> m.at & g.ceiling
	if g.variant == Tandem {
		partner := m.at ^ g.width
		if p := word >> partner & g.ceiling; g.isNote(p) {
			code, note := g.sign(m.v, m.sign)
			return word ^ c<<m.at ^ p<<partner, n == 1 && c == code && p == note
		}
	}
	if c == g.ceiling {
		return word, true // a stuck counter stands for any number of occurrences
	}
	n = min(n, g.ceiling+1) * m.v
	if n > c || c-n != 0 && c-n < g.inc {
		return word, false
	}
	return word - n<<m.at, true
}
