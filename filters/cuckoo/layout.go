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
	f, b   uint
	bits   uint   // b*f
	narrow bool   // a bucket is read with one load
	mask   uint64 // the bits of a narrow bucket

	base  uint64 // the low f bits
	ones  uint64 // the lowest bit of each of the lanes below, narrow only
	highs uint64 // the highest bit of each lane

	// Fixed length: lanes are slots of f bits. Variable length: lanes are slots of f-1 bits.
	lane     uint
	laneMask uint64
	laneOf   [64]uint8 // the lane that a bit is in

	// Variable length only.
	codeShift uint // where the code begins: the markers, and with two slots one bit more
	codeMask  uint64
	class     [16]class
	code      [MaxSlots]uint64 // of n < b fingerprints
	steps     steps
}

// class describes the buckets with the same code (codeShift), in the variable-length variant: how many
// fingerprints they hold, and where the bits of each are.
type class struct {
	n uint8 // fingerprints
	// uniform says that all fields have one width. Otherwise the last one has another than the others.
	uniform bool
	// flag says that there is a bit, at flagAt, that is set if fields end with a sentinel.
	flag   bool
	flagAt uint8
	// Field j has the bits of fingerprint j from bit f-1 on.
	start [MaxSlots]uint8
	width [MaxSlots]uint8
	mask  [MaxSlots]uint64
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

func newLayout(f, b uint, variable bool) *layout {
	l := &layout{f: f, b: b, bits: f * b, lane: f, base: 1<<f - 1}
	if variable {
		l.lane = f - 1
	}
	l.laneMask = 1<<l.lane - 1
	// Buckets begin at multiples of bits, so this is the highest bit of a byte at which one can begin.
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
		if l.narrow {
			l.setSteps()
		}
	}
	return l
}

// markers returns the number t of slots whose highest bits tell how full a bucket is. A code is free
// for that if its bits are not ascending: there are 2^t - (t+1). t is the smallest for which these are
// at least b. Two slots have one such code and take a bit more. "Variable-length Encoding Framework",
// section III.
func markers(b uint) uint {
	if b == 2 {
		return 2
	}
	t := uint(1)
	for 1<<t-(t+1) < b {
		t++
	}
	return t
}

func (l *layout) setClasses() {
	t := markers(l.b)
	l.codeShift = l.bits - t
	codes := uint(1) << t
	extra := uint(0) // bits of the code below the markers
	if l.b == 2 {
		l.codeShift--
		extra = 1
	}
	// The codes in lexicographic order of their bits, with slot 0 as the first bit: 010, 100, ...
	n := uint(0)
	for text := range codes {
		code := bits.Reverse64(uint64(text)) >> (64 - t) // slot 0 is the lowest bit
		ascending := text&(text+1) == 0                  // zeros, then ones
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
	t := markers(l.b)
	c.n, c.uniform = uint8(l.b), true
	for j := range l.b {
		at := l.bits - t + j
		if j >= t {
			at = l.b*l.lane + j - t
		}
		c.start[j], c.width[j], c.mask[j] = uint8(at), 1, 1
	}
	return c
}

// partial returns the class of buckets with n < b fingerprints and the code at end.
func (l *layout) partial(n, end uint) (c class) {
	c.n = uint8(n)
	if n == 0 {
		c.uniform = true
		return c
	}
	area := end - n*l.lane // bits for the fields, at least n
	most := hashBits - l.lane
	if area >= n+2 {
		c.flag, c.flagAt = true, uint8(end-1)
		area--
	} else {
		area = n
	}
	// All fields except the last one are equally wide, so any fingerprint may be in any of them.
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
	c.uniform = n == 1 || w == last
	at := n * l.lane
	for j := range n {
		width := w
		if j == n-1 {
			width = last
		}
		c.start[j], c.width[j], c.mask[j] = uint8(at), uint8(width), 1<<width-1
		at += width
	}
	return c
}
