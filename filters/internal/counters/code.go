package counters

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// steps is a prefix code for numbers from 0 on. Section 4.5 of the paper gives one example and no general
// definition.
//
// Step j covers 2^bits[j] numbers. The first step begins at 0, and each other step begins where the one
// before ends. A number in step j is written as j ones, a zero, and its place in the step. A number
// beyond all steps is written as a one for each step, and its distance from their end in the Elias code.
// Without steps the whole code is the Elias code.
type steps struct {
	bits []uint8
	base []uint64 // the first number of each step, and the first one beyond all steps
}

func newSteps(widths ...uint8) steps {
	s := steps{widths, make([]uint64, len(widths)+1)}
	for j, w := range widths {
		s.base[j+1] = s.base[j] + 1<<w
	}
	return s
}

// eliasCodes has the delta code of Elias 1975, as the paper has it. For n > 0 of L bits it is L in his gamma
// code, then n without its leading one. The gamma code of L is the bits of L, with a zero before them for
// each but the first. Counters are written as one more than they are, as the code has no 0. So the largest
// counter has 65 bits, the low 64 all 0.
//
// The first bit is the least significant one. The bits of L and n without their leading ones follow in
// this order too.
var eliasCodes = []steps{newSteps()}

// stepCodes are the codes among which the encoding Steps chooses. The first is the paper's example. The others suit
// counters of which half are 0. The rest are Zipf distributed with skew 0 to 1.5, and 1 to 100 on average
// (measured).
var stepCodes = []steps{
	newSteps(0, 0),
	newSteps(0, 0, 1, 2),
	newSteps(0, 1, 1, 2, 3),
	newSteps(0, 2, 2, 3),
	newSteps(0, 3, 3, 4),
	newSteps(0, 4, 5),
	newSteps(0, 4, 6),
	newSteps(0, 5, 7),
}

const (
	maxLength = 65 // bits of a counter plus 1.
	maxGamma  = 6  // zeros before a length.
)

// split returns the step to which v belongs, and its place rest in the step. Beyond all steps, it returns
// the number of steps, and the distance from their end.
func (s *steps) split(v uint64) (step int, rest uint64) {
	for step < len(s.bits) && v >= s.base[step+1] {
		step++
	}
	return step, v - s.base[step]
}

// lengthOf returns how many bits v+1 has.
func lengthOf(v uint64) uint {
	if v == 1<<64-1 {
		return maxLength
	}
	return uint(bits.Len64(v + 1))
}

// size returns how many bits the code of v takes.
func (s *steps) size(v uint64) uint {
	step, v := s.split(v)
	if step < len(s.bits) {
		return uint(step) + 1 + uint(s.bits[step])
	}
	n := lengthOf(v)
	return uint(step) + 2*uint(bits.Len(n)) - 1 + n - 1
}

// put writes the code of v.
func (s *steps) put(w *bitio.Writer, v uint64) {
	step, v := s.split(v)
	j := uint(step)
	if step < len(s.bits) {
		w.Write(v<<(j+1)|mask(j), j+1+uint(s.bits[step]))
		return
	}
	n := lengthOf(v)
	z := uint(bits.Len(n)) - 1
	w.Write((uint64(n)&mask(z)<<1|1)<<(z+j)|mask(j), j+2*z+1)
	w.WriteLong((v+1)&mask(n-1), n-1)
}

// read returns the number whose code begins at bit pos, and the position after the code. Any bits are the
// code of some number. Bits beyond the end of b are 0.
func (s *steps) read(b []byte, pos uint) (v uint64, end uint) {
	w := load(b, pos)
	end = pos + s.length(w)
	j := min(uint(bits.TrailingZeros64(^w)), uint(len(s.bits)))
	if j < uint(len(s.bits)) {
		return s.base[j] + w>>(j+1)&mask(uint(s.bits[j])), end
	}
	_, n := gammaOf(w >> j)
	return s.base[j] + 1<<(n-1) + load(b, end-(n-1))&mask(n-1) - 1, end
}

// skip returns the position after count codes, the first of which begins at bit pos.
func (s *steps) skip(b []byte, pos uint, count int) uint {
	for range count {
		pos += s.length(load(b, pos))
	}
	return pos
}

// length returns how many bits the code at the beginning of w takes.
func (s *steps) length(w uint64) uint {
	j := uint(bits.TrailingZeros64(^w))
	if j < uint(len(s.bits)) {
		return j + 1 + uint(s.bits[j])
	}
	j = uint(len(s.bits))
	z, n := gammaOf(w >> j)
	return j + 2*z + n
}

// gammaOf reads a length in gamma code from w. z is how many zeros the code begins with, and n is the
// length. Both are bounded, whatever the bits are.
func gammaOf(w uint64) (z, n uint) {
	z = min(uint(bits.TrailingZeros64(w)), maxGamma)
	return z, min(1<<z|uint(w>>(z+1)&mask(z)), maxLength)
}
