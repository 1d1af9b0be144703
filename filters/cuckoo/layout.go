package cuckoo

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// layout defines the fields of a bucket of b slots of f bits.
//
// Fixed length: slot j is the f bits from j*f on; 0 is empty.
//
// Variable length: the low f-1 bits of all slots come first. Then come the highest bits of the slots
// from t on, and at the end those of the first t slots, the markers. So the bits that fingerprints
// share in a bucket that is not full are in one piece, between the low bits and the markers.
type layout struct {
	f, b     uint   // bits of a fingerprint, slots of a bucket.
	variable bool   // fingerprints have a variable length.
	bits     uint   // bits of a bucket, b*f.
	narrow   bool   // one load of 8 bytes reads a whole bucket.
	mask     uint64 // selects the bits of a narrow bucket in a word.

	base  uint64 // selects the low f bits of a fingerprint.
	ones  uint64 // the lowest bit of each lane of a narrow bucket; see lane.
	highs uint64 // the highest bit of each lane of a narrow bucket.

	// Fixed length: lanes are slots of f bits. Variable length: lanes are slots of f-1 bits.
	lane     uint
	laneMask uint64
	laneOf   [64]uint8 // by bit of a narrow bucket, the index of its lane

	// Variable length only.
	codeShift uint // first bit of the code: the markers, and with two slots one bit below them
	codeMask  uint64
	class     [16]class
	code      [MaxSlots]uint64 // the code of a bucket with n < b fingerprints
	// field says where a narrow bucket has the bits of a fingerprint above its lane. A table replaces
	// branches on how full a bucket is, which cannot be predicted. Its index has the code, the bit below
	// the code, and the slot. In most classes with a flag, that bit is the flag.
	field [32 * MaxSlots]field
}

// field is the position in a word of a fingerprint's bits above its lane.
type field struct {
	mask  uint64 // selects the field's bits, after a shift by start
	start uint8  // the first bit of the field
	// decoy is 1 if the bucket has no fingerprint in that slot, or may have sentinels. The comparison
	// then decides nothing.
	decoy uint8
}

// class describes the buckets with the same code (codeShift), in the variable-length variant: how many
// fingerprints they hold, and where the bits of each are.
type class struct {
	n uint8 // number of fingerprints
	// flag is true if bit flagAt of the bucket says whether the fields end with a sentinel.
	flag   bool
	flagAt uint8
	// Field j has the bits of fingerprint j above the f-1 low bits. It begins at bit start[j], and mask[j]
	// has as many bits as it. All fields are equally wide, except perhaps for the last one.
	start [MaxSlots]uint8
	mask  [MaxSlots]uint64
}

// width returns the number of bits of field j.
func (c *class) width(j int) uint { return uint(bits.Len64(c.mask[j])) }

// lastIsOwn reports whether the last of n fingerprints has a field of another width than the others.
func (l *layout) lastIsOwn(n int) bool {
	if n == 0 || n == int(l.b) {
		return false
	}
	c := &l.class[l.code[n]]
	return c.mask[n-1] != c.mask[0]
}

// hashBits is the length of the longest fingerprint: h2 without its lowest bit, which is always 1.
const hashBits = 63

var layouts [2][MaxFingerprintBits + 1][MaxSlots + 1]atomic.Pointer[layout]

// layoutOf returns the layout for f bits and b slots, which must be in their ranges.
func layoutOf(f, b uint, variable bool) *layout {
	v := 0
	if variable {
		v = 1
	}
	at := &layouts[v][f][b]
	l := at.Load()
	if l == nil {
		l = newLayout(f, b, variable)
		at.Store(l)
	}
	return l
}

// newLayout makes the layout for buckets of b slots of f bits.
func newLayout(f, b uint, variable bool) *layout {
	l := &layout{f: f, b: b, variable: variable, bits: f * b, lane: f, base: 1<<f - 1}
	if variable {
		l.lane = f - 1
	}
	l.laneMask = 1<<l.lane - 1
	// last is the highest bit within a byte at which a bucket can begin, as buckets begin at multiples
	// of l.bits.
	last := 8 - uint(1)<<min(bits.TrailingZeros(l.bits), 3)
	l.narrow = l.bits+last <= 64
	if l.narrow {
		l.mask = ^uint64(0) >> (64 - l.bits)
		for j := range b {
			l.ones |= 1 << (j * l.lane)
			l.highs |= 1 << (j*l.lane + l.lane - 1)
			for i := range l.lane {
				l.laneOf[j*l.lane+i] = uint8(j)
			}
		}
	}
	if variable {
		l.setClasses()
		l.codeMask = 1<<(l.bits-l.codeShift) - 1
		l.setFields()
	}
	return l
}

// setFields fills the table field from the classes.
func (l *layout) setFields() {
	for i := range l.field {
		l.field[i].decoy = 1
	}
	for code, c := range l.class {
		for j := range c.n {
			at := 2*code*MaxSlots + int(j)
			l.field[at] = field{mask: c.mask[j], start: c.start[j]}
			l.field[at+MaxSlots] = l.field[at]
			if c.flag {
				l.field[at+MaxSlots].decoy = 1
			}
		}
	}
}

// markers is, by the number of slots, the number t of slots whose highest bits tell how full a bucket is. A code
// of t bits can stand for such a bucket if its bits are not ascending: there are 2^t - (t+1) such codes. t is
// the smallest number for which these are at least the slots. With two slots there is one such code, so the code
// takes one bit more. "Variable-length Encoding Framework", section III.
var markers = [MaxSlots + 1]uint{2: 2, 3: 3, 4: 3, 5: 4, 6: 4, 7: 4, 8: 4}

// setClasses sets class and code: which code stands for how many fingerprints.
func (l *layout) setClasses() {
	t := markers[l.b]
	l.codeShift = l.bits - t
	codes := uint(1) << t
	extra := uint(0) // number of bits that the code has below the markers
	if l.b == 2 {
		l.codeShift--
		extra = 1
	}
	// The loop visits the codes in lexicographic order of their bits, slot 0 first: 010, 100, ... Codes
	// with ascending bits belong to full buckets. The others stand for 0, 1, ... fingerprints.
	n := uint(0)
	for text := range codes {
		code := bits.Reverse64(uint64(text)) >> (64 - t) // slot 0 is the lowest bit
		ascending := text&(text+1) == 0                  // all zeros come before all ones
		for e := range uint(1) << extra {
			c := &l.class[code<<extra|uint64(e)]
			switch {
			case ascending:
				*c = l.full()
			case n < l.b:
				*c = l.partial(n, l.codeShift)
				l.code[n] = code<<extra | uint64(e)
				n++
			}
		}
	}
}

// full returns the class of full buckets: every field is a slot's highest bit.
func (l *layout) full() (c class) {
	t := markers[l.b]
	c.n = uint8(l.b)
	for j := range l.b {
		at := l.bits - t + j
		if j >= t {
			at = l.b*l.lane + j - t
		}
		c.start[j], c.mask[j] = uint8(at), 1
	}
	return c
}

// partial returns the class of buckets with n fingerprints, fewer than b. Their code begins at bit end.
func (l *layout) partial(n, end uint) (c class) {
	c.n = uint8(n)
	if n == 0 {
		return c
	}
	area := end - n*l.lane // number of bits for all fields, at least n
	most := hashBits - l.lane
	if area >= n+2 {
		c.flag, c.flagAt = true, uint8(end-1)
		area--
	} else {
		area = n
	}
	// All fields except the last one get the same width w, so each of them can hold any fingerprint. The
	// loop tries two widths and takes the one with fewer false positives.
	var w, last uint
	best := math.Inf(1)
	for _, try := range [...]uint{area / n, area/n + 1} {
		rest := int(area) - int(n-1)*int(try)
		if rest < 1 {
			continue
		}
		if p := float64(n-1)*math.Ldexp(1, -int(try)) + math.Ldexp(1, -rest); p < best {
			best, w, last = p, try, uint(rest)
		}
	}
	w, last = min(w, most), min(last, most)
	at := n * l.lane
	for j := range n {
		width := w
		if j == n-1 {
			width = last
		}
		c.start[j], c.mask[j] = uint8(at), 1<<width-1
		at += width
	}
	return c
}
