package cascade

import (
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/internal/prefetch"
)

// Minimal increment where a key has four counters of 4 bits that go on in counters of 8 bits, as
// by default. Where a cell has many points most counters have a flag, but which is anyone's guess: those
// above are read for all, and there is a branch for a key but none for a counter.

const (
	byteMask = 1<<7 - 1
	byteFlag = 1 << 7
	wordFlag = 1 << 15
	// mostUnderByte and mostUnderWord are the largest values of two and of three layers.
	mostUnderByte = byteFlag<<3 - 1
	mostUnderWord = wordFlag<<10 - 1
	// manyFours is from how many keys on raiseFours takes less than its room on the stack.
	manyFours = 16
)

// raisesFours reports whether raiseFours is for these counters.
func (d *Counters) raisesFours() bool {
	return d.byFours() && d.Shape.Layers > 1 && d.Layers[1].Width == 8
}

// raiseFours is Insert by minimal increment.
func (d *Counters) raiseFours(h1, h2, n []uint64) {
	var s starts
	for len(h1) > 0 {
		m := min(keyBatch, len(h1))
		s.find(&d.Layers[0], h1[:m], h2[:m])
		s.fetchFours(&d.Layers[0], m)
		var of []uint64
		if n != nil {
			of, n = n[:m], n[m:]
		}
		d.raiseStarts(s.at[:m], s.step[:m], of)
		h1, h2 = h1[m:], h2[m:]
	}
}

// fetchFours asks for the counters of the first keys, four each.
func (s *starts) fetchFours(l *Layer, n int) {
	var offsets [4 * keyBatch]uint32
	at, steps := s.at[:n], s.step[:n]
	for i, j := range at {
		four := offsets[4*i:][:4]
		for x := range four {
			four[x] = j >> 1
			j = uint32(next(uint64(j), uint64(steps[i]), l.Size))
		}
	}
	prefetch.Offsets(unsafe.Pointer(unsafe.SliceData(l.data)), offsets[:4*n])
}

// raiseStarts is raiseFours for keys whose counters start there.
func (d *Counters) raiseStarts(starts, steps []uint32, n []uint64) {
	l, up := &d.Layers[0], &d.Layers[1]
	l0, l1, w := l.data, up.data[:up.Size], uint64(1)
	steps = steps[:len(starts)]
	for i := range starts {
		if n != nil {
			w = n[i]
		}
		step := uint64(steps[i])
		j0 := uint64(starts[i])
		j1 := next(j0, step, l.Size)
		j2 := next(j1, step, l.Size)
		j3 := next(j2, step, l.Size)
		y0, y1, y2, y3 := up.mod(j0), up.mod(j1), up.mod(j2), up.mod(j3)
		u0, u1, u2, u3 := l1[y0], l1[y1], l1[y2], l1[y3]
		least := min(underByte(loadNibble(l0, j0), u0), underByte(loadNibble(l0, j1), u1),
			underByte(loadNibble(l0, j2), u2), underByte(loadNibble(l0, j3), u3))
		if (u0|u1|u2|u3)&byteFlag != 0 || w > mostUnderByte-least {
			d.raiseUnderWords([4]uint64{j0, j1, j2, j3}, [4]uint64{y0, y1, y2, y3}, w)
			continue
		}
		to := least + w
		if to <= nibbleMask {
			raiseNibble(l0, j0, to)
			raiseNibble(l0, j1, to)
			raiseNibble(l0, j2, to)
			raiseNibble(l0, j3, to)
			continue
		}
		raiseUnderByte(l0, l1, j0, y0, to)
		raiseUnderByte(l0, l1, j1, y1, to)
		raiseUnderByte(l0, l1, j2, y2, to)
		raiseUnderByte(l0, l1, j3, y3, to)
	}
}

// underByte is the value of counter c of the first layer, where that above is u and has no flag.
func underByte(c uint64, u byte) uint64 { return c&nibbleMask + c>>3*uint64(u)<<3 }

// raiseNibble makes counter j at least to, which takes no more than its digit.
func raiseNibble(l0 []byte, j, to uint64) {
	b, shift := nibble(uint32(j))
	c := l0[b] >> shift & (nibbleMask | nibbleFlag)
	l0[b] ^= (c ^ max(c, byte(to))) << shift
}

// raiseUnderByte is Raise of counter j where it takes more than its digit, but no more than that of
// counter y above, which has no flag.
func raiseUnderByte(l0, l1 []byte, j, y, to uint64) {
	b, shift := nibble(uint32(j))
	c, u := uint32(l0[b]>>shift)&(nibbleMask|nibbleFlag), uint32(l1[y])
	digit, above := uint32(to)&nibbleMask, uint32(to)>>3
	if u > above { // as another counter has more there: no digit is kept
		digit = 0
	}
	raised, more := nibbleFlag|digit, max(u, above)
	if c&nibbleMask+c>>3*u<<3 >= uint32(to) {
		raised, more = c, u
	}
	l0[b] ^= byte(c^raised) << shift
	l1[y] = byte(more)
}

// raiseUnderWords is raiseKey for four counters, and above where they go on, if only those in the
// third layer have all of what the key needs; few keys have as much.
func (d *Counters) raiseUnderWords(at, above [4]uint64, n uint64) {
	l0, l1, up := d.Layers[0].data, d.Layers[1].data, &d.Layers[2]
	if d.Shape.Layers < 3 || up.wordWidth() != 16 {
		d.raiseFour(at, n)
		return
	}
	l2, least, flags := counters[uint16](up), ^uint64(0), uint64(0)
	var third [4]uint64
	for x, j := range at {
		third[x] = up.mod(above[x])
		t := uint64(l2[third[x]])
		flags |= t
		least = min(least, underWord(loadNibble(l0, j), uint64(l1[above[x]]), t))
	}
	if flags&wordFlag != 0 || n > mostUnderWord-least {
		d.raiseFour(at, n)
		return
	}
	to := least + n
	for x, j := range at {
		c, u, t := loadNibble(l0, j), uint64(l1[above[x]]), uint64(l2[third[x]])
		switch {
		case underWord(c, u, t) >= to:
			continue
		case to <= nibbleMask:
			raiseNibble(l0, j, to)
			continue
		}
		// As in Raise: a digit is kept only where what is above is not more than the key needs.
		b, shift := nibble(uint32(j))
		have, need := u&byteMask+u>>7*t<<7, to>>3
		l0[b] ^= byte(c^(nibbleFlag|keptDigit(to&nibbleMask, have, need))) << shift
		switch {
		case have >= need:
		case need <= byteMask:
			l1[above[x]] = byte(need)
		default:
			l1[above[x]] = byte(byteFlag | keptDigit(need&byteMask, t, need>>7))
			l2[third[x]] = uint16(max(t, need>>7))
		}
	}
}

// underWord is the value of counter c of the first layer under u and t, which has no flag.
func underWord(c, u, t uint64) uint64 { return c&nibbleMask + c>>3*(u&byteMask+u>>7*t<<7)<<3 }

// keptDigit is a digit where what is above is no more than what is needed there, else 0.
func keptDigit(digit, above, need uint64) uint64 {
	if above > need {
		return 0
	}
	return digit
}

// raiseFour is raiseKey.
func (d *Counters) raiseFour(at [4]uint64, n uint64) {
	d.raiseKey([]uint32{uint32(at[0]), uint32(at[1]), uint32(at[2]), uint32(at[3])}, n)
}
