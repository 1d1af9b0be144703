package cascade

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// CheckBits holds the bits after each layer and the counters at their ceiling
// against the flag for them.
func (d *Counters) CheckBits() error {
	for x := range d.Shape.Layers {
		l := &d.Layers[x]
		used := l.Size * uint64(l.Width)
		if n := used % 64; n != 0 && binary.LittleEndian.Uint64(l.data[len(l.data)-8:])>>n != 0 {
			return sketch.Invalidf("bits are set after the last counter of layer %d", x)
		}
	}
	l, full := &d.Layers[d.Shape.Layers-1], false
	for j := range l.flagged() {
		if c := l.Load(j); c&l.Flag != 0 {
			if c != l.Flag|l.Mask {
				return sketch.Invalidf("counter %d of the last layer is %#x: at its ceiling, but not full", j, c)
			}
			full = true
		}
	}
	if full != d.Saturated {
		return sketch.Invalidf("the flag for counters at their ceiling is wrong")
	}
	return nil
}

// flagged is how many of the counters have those with a flag among them: 0 or all.
func (l *Layer) flagged() uint64 {
	if 64%l.Width != 0 {
		return l.Size
	}
	set, flags := uint64(0), ^uint64(0)/(l.Flag<<1-1)*l.Flag
	for b := l.data; len(b) >= 8; b = b[8:] {
		set |= binary.LittleEndian.Uint64(b)
	}
	if set&flags == 0 {
		return 0
	}
	return l.Size
}

// CheckMaxima holds a total against counters that are no sums; most is the number
// of keys of all points.
func (d *Counters) CheckMaxima(total, most uint64) error {
	l := &d.Layers[0]
	anything := false
	for _, c := range d.Body {
		if c != 0 {
			anything = true
			break
		}
	}
	if anything != (total > 0) {
		return sketch.Invalidf("a total of %d, but counters do not match it", total)
	}
	if most > l.Mask { // so flags may be set as well
		return nil
	}
	for j := range l.Size {
		if c := l.Load(j); c > most {
			return sketch.Invalidf("a total of %d, but counter %d is %#x", total, j, c)
		}
	}
	return nil
}

// Sum is the sum of what all counters were counted up by, a number of 128 bits:
// a carry is as much as left the counter below.
func (d *Counters) Sum() (hi, lo uint64) {
	for x := range d.Shape.Layers {
		h, l := d.Layers[x].sum()
		shift := d.Shape.ShiftOf(x)
		var carry uint64
		lo, carry = bits.Add64(lo, l<<shift, 0)
		hi += h<<shift + l>>(64-shift) + carry // l>>64 is 0
	}
	return hi, lo
}

// Every second lane of 8, 16 and 32 bits.
const (
	pairs  = 0x00ff00ff00ff00ff
	halves = 0x0000ffff0000ffff
	low    = 0x00000000ffffffff
)

// sum is the sum of the values of a layer.
func (l *Layer) sum() (hi, lo uint64) {
	if l.Width != 4 && l.Width != 8 && l.Width != 16 {
		for j := range l.Size {
			var carry uint64
			lo, carry = bits.Add64(lo, l.Load(j)&l.Mask, 0)
			hi += carry
		}
		return hi, lo
	}
	for b := l.data; len(b) > 0; {
		block := b[:min(len(b), sumBlock)]
		b = b[len(block):]
		switch l.Width {
		case 4:
			lo += sumNibbles(block)
		case 8:
			lo += sumBytes(block)
		default:
			lo += sumWords(block)
		}
	}
	return 0, lo
}

// sumBlock is how many bytes are added up in lanes: 16 groups of words, of which each adds
// no more than 16*2*7 to a byte in sumNibbles, 16*2*127 to a lane of 16 bits in sumBytes,
// and 16*2*(2^15-1) to one of 32 in sumWords.
const (
	sumGroup = 16 * 8
	sumBlock = 16 * sumGroup
)

// sumNibbles is the sum of counters of 4 bits: of both halves of bytes in bytes, of bytes in
// lanes of 16 bits, and of these in the end.
func sumNibbles(block []byte) uint64 {
	const values = 0x0707070707070707
	w := uint64(0)
	for len(block) > 0 {
		group := block[:min(len(block), sumGroup)]
		block = block[len(group):]
		ofBytes := uint64(0)
		for ; len(group) >= 32; group = group[32:] {
			g := (*[32]byte)(group)
			a, b := binary.LittleEndian.Uint64(g[0:8]), binary.LittleEndian.Uint64(g[8:16])
			c, d := binary.LittleEndian.Uint64(g[16:24]), binary.LittleEndian.Uint64(g[24:32])
			ofBytes += a&values + a>>4&values + b&values + b>>4&values
			ofBytes += c&values + c>>4&values + d&values + d>>4&values
		}
		for ; len(group) >= 8; group = group[8:] {
			v := binary.LittleEndian.Uint64(group)
			ofBytes += v&values + v>>4&values
		}
		w += ofBytes&pairs + ofBytes>>8&pairs
	}
	return lanes16(w)
}

// sumBytes is the sum of counters of 8 bits: of two words in bytes, which hold it, and of these
// in lanes of 16.
func sumBytes(block []byte) uint64 {
	const values = 0x7f7f7f7f7f7f7f7f
	w := uint64(0)
	for ; len(block) >= 32; block = block[32:] {
		g := (*[32]byte)(block)
		a, b := binary.LittleEndian.Uint64(g[0:8]), binary.LittleEndian.Uint64(g[8:16])
		c, d := binary.LittleEndian.Uint64(g[16:24]), binary.LittleEndian.Uint64(g[24:32])
		a, c = a&values+b&values, c&values+d&values
		w += a&pairs + a>>8&pairs + c&pairs + c>>8&pairs
	}
	for ; len(block) >= 8; block = block[8:] {
		v := binary.LittleEndian.Uint64(block) & values
		w += v&pairs + v>>8&pairs
	}
	return lanes16(w)
}

// sumWords is the sum of counters of 16 bits, in lanes of 32.
func sumWords(block []byte) uint64 {
	const values = 0x00007fff00007fff
	w := uint64(0)
	for ; len(block) >= 32; block = block[32:] {
		g := (*[32]byte)(block)
		a, b := binary.LittleEndian.Uint64(g[0:8]), binary.LittleEndian.Uint64(g[8:16])
		c, d := binary.LittleEndian.Uint64(g[16:24]), binary.LittleEndian.Uint64(g[24:32])
		w += a&values + a>>16&values + b&values + b>>16&values
		w += c&values + c>>16&values + d&values + d>>16&values
	}
	for ; len(block) >= 8; block = block[8:] {
		v := binary.LittleEndian.Uint64(block)
		w += v&values + v>>16&values
	}
	return w&low + w>>32
}

// lanes16 is the sum of four lanes of 16 bits.
func lanes16(w uint64) uint64 {
	w = w&halves + w>>16&halves
	return w&low + w>>32
}
