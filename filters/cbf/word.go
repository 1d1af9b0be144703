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

// hash returns hash function i of a key.
func hash(h1, h2, i uint64) uint64 {
	x := h1 + (i+1)*h2
	return (x ^ x>>32) * scatter
}

// kernel holds the values of a shape and a phase that the inner loops need.
type kernel struct {
	words   uint64
	k       uint64
	variant Variant
	halves  bool
	width   uint64 // bits from one counter to the next
	lanes   uint64 // log2 of the counters in a word

	bits    uint64 // of a counter or half
	ceiling uint64 // its largest value
	ones    uint64 // 1 in each counter or half of a word

	inc     uint64 // L
	incBits uint64 // log2 L
	notes   uint64 // L-1
}

func (s *shape) kernel(halves bool) kernel {
	w := s.width
	if halves {
		w /= 2
	}
	return kernel{
		words: s.words, k: s.k, variant: s.variant, halves: halves,
		width: s.width, lanes: uint64(bits.TrailingZeros64(s.perWord())),
		bits: w, ceiling: 1<<w - 1, ones: ^uint64(0) / (1<<w - 1),
		inc: s.inc, incBits: uint64(bits.TrailingZeros64(s.inc)), notes: s.inc - 1,
	}
}

// mark is one occurrence at one counter: its place in the word, and what it adds.
type mark struct {
	at   uint64 // first bit of the counter in the word
	v    uint64 // increment: L to 2L-1, or 1
	sign uint64 // what its signature is taken from
}

// counter takes the number of a counter of the word from x.
func (g *kernel) counter(x uint64) (at, rest uint64) {
	return x >> (-g.lanes & 63) * g.width & 63, x << (g.lanes & 63)
}

// increment takes an increment from x.
func (g *kernel) increment(x uint64) (v, rest uint64) {
	return g.inc + x>>(-g.incBits&63), x << (g.incBits & 63)
}

// signBits is the number of bits of a hash that a signature takes: 3*63 is below 2^8.
const signBits = 8

// sign takes a signature from x. code is the value of the counter with a signed occurrence: v, v+L or
// v+2L. note is its partner's, from 1 to L-1.
func (g *kernel) sign(v, x uint64) (code, note uint64) {
	times, x := bits.Mul64(x, 3)
	note, _ = bits.Mul64(x, g.notes)
	return v + times<<(g.incBits&63), note + 1
}

// mark takes an occurrence from x.
func (g *kernel) mark(x uint64) (m mark, rest uint64) {
	m.at, x = g.counter(x)
	if g.variant == Plain {
		m.v = 1
		return m, x
	}
	m.v, x = g.increment(x)
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

// Everything below returns 0 or 1 and selects by masks, because no branch predictor can guess which
// counters are empty.

// over returns 1 if a > b. Both are below 2^63.
func over(a, b uint64) uint64 { return (b - a) >> 63 }

// some returns 1 if a counter is not 0.
func some(c uint64) uint64 { return -c >> 63 }

// holds returns 1 if a counter can hold an occurrence of increment v: c = v or c >= v+L.
func holds(c, v, inc uint64) uint64 {
	d := c - v
	return (^(d - inc) | (d-1)&^d) >> 63
}

// holdsSigned returns 1 if the tandem counter at a bit of the word can hold the occurrence.
func (g *kernel) holdsSigned(word, at, v, x uint64) uint64 {
	code, note := g.sign(v, x)
	a, b := word>>(at&63)&g.ceiling, word>>((at^g.width)&63)&g.ceiling
	noted := some(b) & over(g.inc, b)
	same := ((a ^ code | (b ^ note)) - 1) >> 63
	return noted&same | (noted^1)&holds(a, v, g.inc)
}

// contains returns 1 if the word can hold the occurrence.
func (g *kernel) contains(word uint64, m *mark) uint64 {
	switch g.variant {
	case Plain:
		return some(word >> (m.at & 63) & g.ceiling)
	case Increment:
		return holds(word>>(m.at&63)&g.ceiling, m.v, g.inc)
	}
	return g.holdsSigned(word, m.at, m.v, m.sign)
}

// sum returns a+n, at most the ceiling. n is at most 2^32.
func (g *kernel) sum(a, n uint64) (sum, stuck uint64) {
	sum = a + n
	m := -over(sum, g.ceiling-1) // where it is the ceiling or more
	return sum&^m | g.ceiling&m, m & 1
}

// unsigned returns a pair of tandem counters without a signature. A signed one keeps its increment.
func (g *kernel) unsigned(a, b uint64) (uint64, uint64) {
	noteA := -(some(a) & over(g.inc, a))
	noteB := -(some(b) & over(g.inc, b))
	ofA, ofB := g.inc+a&g.notes, g.inc+b&g.notes
	a = a&^(noteA|noteB) | ofA&noteB
	b = b&^(noteA|noteB) | ofB&noteA
	return a, b
}

// addOne returns the word of a plain or increment filter with one occurrence more, and 1 if the counter
// is stuck now. That is rare, so the branch is predictable.
func (g *kernel) addOne(word, at, v uint64) (after, stuck uint64) {
	if c := word >> (at & 63) & g.ceiling; c+v >= g.ceiling {
		return word | g.ceiling<<(at&63), 1
	}
	return word + v<<(at&63), 0
}

// addSigned is addOne for a tandem filter. The signature is taken from x.
func (g *kernel) addSigned(word, at, v, x uint64) (after, stuck uint64) {
	at &= 63
	partner := (at ^ g.width) & 63
	c, p := word>>at&g.ceiling, word>>partner&g.ceiling
	code, note := g.sign(v, x)
	notes, inc := g.notes, g.inc
	a, b := c, p
	if p-1 < notes {
		a = inc + c&notes
	}
	if p-1 < notes {
		b = 0
	}
	if c-1 < notes {
		a = 0
	}
	if c-1 < notes {
		b = inc + p&notes
	}
	a += v
	ceiling := g.ceiling
	over := a >= ceiling
	if over {
		a = ceiling
	}
	if c|p == 0 {
		a = code
	}
	if c|p == 0 {
		b = note
	}
	if over && c|p != 0 {
		stuck = 1
	}
	return word ^ (c^a)<<at ^ (p^b)<<partner, stuck
}

// add is addOne or addSigned.
func (g *kernel) add(word uint64, m *mark) (after, stuck uint64) {
	if g.variant == Tandem {
		return g.addSigned(word, m.at, m.v, m.sign)
	}
	return g.addOne(word, m.at, m.v)
}

// addMany is add for at least 2 occurrences, which are not signed.
func (g *kernel) addMany(word uint64, m *mark, n uint64) (after, stuck uint64) {
	n = min(n, g.ceiling) * m.v
	c := word >> m.at & g.ceiling
	if g.variant != Tandem {
		s, stuck := g.sum(c, n)
		return word ^ (c^s)<<m.at, stuck
	}
	partner := m.at ^ g.width
	p := word >> partner & g.ceiling
	a, b := g.unsigned(c, p)
	a, stuck = g.sum(a, n)
	return word ^ (c^a)<<m.at ^ (p^b)<<partner, stuck
}

// remove returns the word with n occurrences less, n at least 1. It reports false if they cannot all be
// there.
func (g *kernel) remove(word uint64, m *mark, n uint64) (after uint64, ok bool) {
	c := word >> m.at & g.ceiling
	if g.variant == Tandem {
		partner := m.at ^ g.width
		if p := word >> partner & g.ceiling; p != 0 && p < g.inc {
			code, note := g.sign(m.v, m.sign)
			return word ^ c<<m.at ^ p<<partner, n == 1 && c == code && p == note
		}
	}
	if c == g.ceiling {
		return word, true // it stands for any number
	}
	n = min(n, g.ceiling+1) * m.v
	if n > c || c-n != 0 && c-n < g.inc {
		return word, false
	}
	return word - n<<m.at, true
}
