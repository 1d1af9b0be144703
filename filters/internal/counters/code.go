package counters

import (
	"encoding/binary"
	"math/bits"
)

// steps is a prefix code for numbers from 0 on. Section 4.5 of the paper gives one example and no general
// definition.
//
// Step j covers 2^steps[j] numbers. The first step begins at 0, and each other step begins where the one
// before ends. A number in step j is written as j ones, a zero, and its place in the step. A number
// beyond all steps is written as a one for each step, and its distance from their end in the Elias code.
// Without steps the whole code is the Elias code.
type steps []uint8

// elias is the delta code of Elias 1975, as the paper has it. For n > 0 of L bits it is L in his gamma
// code, then n without its leading one. The gamma code of L is the bits of L, with a zero before them for
// each but the first. Counters are written as one more than they are, as the code has no 0. So the largest
// counter has 65 bits, the low 64 all 0.
//
// The first bit is the least significant one. The bits of L and n without their leading ones follow in
// this order too.
var elias = steps{}

// stepCodes are the codes that an array may choose from. The first is the paper's example. The others suit
// counters of which half are 0. The rest are Zipf distributed with skew 0 to 1.5, and 1 to 100 on average
// (measured).
var stepCodes = [...]steps{
	{0, 0},
	{0, 0, 1, 2},
	{0, 1, 1, 2, 3},
	{0, 2, 2, 3},
	{0, 3, 3, 4},
	{0, 4, 5},
	{0, 4, 6},
	{0, 5, 7},
}

const (
	maxLength = 65 // bits of a counter plus 1.
	maxGamma  = 6  // zeros before a length.
)

// split returns the step to which v belongs, and its place rest in the step. Beyond all steps, it returns
// len(s), and the distance from their end.
func (s steps) split(v uint64) (step int, rest uint64) {
	for j, w := range s {
		if v < 1<<w {
			return j, v
		}
		v -= 1 << w
	}
	return len(s), v
}

// lengthOf returns how many bits v+1 has.
func lengthOf(v uint64) uint {
	if v == 1<<64-1 {
		return maxLength
	}
	return uint(bits.Len64(v + 1))
}

// size returns how many bits the code of v takes.
func (s steps) size(v uint64) uint {
	step, v := s.split(v)
	if step < len(s) {
		return uint(step) + 1 + uint(s[step])
	}
	n := lengthOf(v)
	return uint(step) + 2*uint(bits.Len(n)) - 1 + n - 1
}

// put writes the code of v.
func (s steps) put(w *writer, v uint64) {
	step, v := s.split(v)
	j := uint(step)
	if step < len(s) {
		w.write(v<<(j+1)|mask(j), j+1+uint(s[step]))
		return
	}
	n := lengthOf(v)
	z := uint(bits.Len(n)) - 1
	w.write((uint64(n)&mask(z)<<1|1)<<(z+j)|mask(j), j+2*z+1)
	w.write((v+1)&mask(n-1), n-1)
}

// peekBits is the number of bits that are looked up at once.
const peekBits = 10

// entry describes the numbers whose codes begin in the next peekBits bits. size is the length of the
// first code, and first its number. count says how many codes end within the bits, and total says where
// the last of them ends. If no code ends there, all are 0.
type entry struct {
	size, count, total uint8
	first              uint16
}

// decoder reads a steps code. base[j] is the first number of step j. The last element of base is the
// first number beyond all steps.
type decoder struct {
	steps steps
	base  []uint64
	table [1 << peekBits]entry
}

func newDecoder(s steps) (d decoder) {
	d.steps = s
	d.base = make([]uint64, len(s)+1)
	for j, w := range s {
		d.base[j+1] = d.base[j] + 1<<w
	}
	for x := range d.table {
		b := binary.LittleEndian.AppendUint64(nil, uint64(x))
		e := &d.table[x]
		for pos := uint(0); ; {
			v, end := d.read(b, pos)
			if end > peekBits {
				break
			}
			if e.count == 0 {
				e.size, e.first = uint8(end), uint16(v)
			}
			e.count++
			e.total = uint8(end)
			pos = end
		}
	}
	return d
}

var eliasDecoder = newDecoder(elias)

var stepDecoders = func() (d [len(stepCodes)]decoder) {
	for i, s := range stepCodes {
		d[i] = newDecoder(s)
	}
	return d
}()

// read returns the number whose code begins at bit pos, and the position after the code. Any bits are the
// code of some number. Bits beyond the end of b are 0.
func (d *decoder) read(b []byte, pos uint) (v uint64, end uint) {
	w := load(b, pos)
	j := uint(bits.TrailingZeros64(^w))
	if j < uint(len(d.steps)) {
		n := uint(d.steps[j])
		return d.base[j] + w>>(j+1)&mask(n), pos + j + 1 + n
	}
	j = uint(len(d.steps))
	w >>= j
	z, n := gammaOf(w)
	head := j + 2*z + 1
	if head+n-1 > 64 {
		w = load(b, pos+head)
	} else {
		w >>= 2*z + 1
	}
	return 1<<(n-1) + w&mask(n-1) - 1 + d.base[j], pos + head + n - 1
}

// skip returns the position after count codes, the first of which begins at bit pos.
func (d *decoder) skip(b []byte, pos uint, count int) uint {
	for count > 0 {
		at := pos / 8
		if at+8 > uint(len(b)) {
			_, pos = d.read(b, pos)
			count--
			continue
		}
		w := binary.LittleEndian.Uint64(b[at:at+8]) >> (pos & 7)
		for left := uint(57); left >= maxHead && count > 0; {
			e := &d.table[w%(1<<peekBits)]
			n, size := int(e.count), uint(e.total)
			if n > count {
				n, size = 1, uint(e.size)
			} else if n == 0 {
				n, size = 1, d.length(w)
			}
			count -= n
			pos += size
			left -= min(size, left)
			w >>= size & 63
		}
	}
	return pos
}

// maxHead is more bits than a code takes before its length is known.
const maxHead = 8 + 2*maxGamma + 1

// length returns how many bits the code at the beginning of w takes.
func (d *decoder) length(w uint64) uint {
	j := uint(bits.TrailingZeros64(^w))
	if j < uint(len(d.steps)) {
		return j + 1 + uint(d.steps[j])
	}
	j = uint(len(d.steps))
	z, n := gammaOf(w >> j)
	return j + 2*z + n
}

// unpack reads len(dst) numbers into dst. The code of the first begins at bit pos.
func (d *decoder) unpack(b []byte, pos uint, dst []uint64) {
	for k := range dst {
		if at := pos / 8; at+8 <= uint(len(b)) {
			w := binary.LittleEndian.Uint64(b[at:at+8]) >> (pos & 7)
			if e := &d.table[w%(1<<peekBits)]; e.size != 0 {
				dst[k] = uint64(e.first)
				pos += uint(e.size)
				continue
			}
		}
		dst[k], pos = d.read(b, pos)
	}
}

// gammaOf reads a length in gamma code from w. z is how many zeros the code begins with, and n is the
// length. Both are bounded, whatever the bits are.
func gammaOf(w uint64) (z, n uint) {
	z = min(uint(bits.TrailingZeros64(w)), maxGamma)
	return z, min(1<<z|uint(w>>(z+1)&mask(z)), maxLength)
}
