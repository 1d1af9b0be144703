package cascade

import (
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// Insert adds n[i] occurrences of the keys with hashes h1[i] and h2[i], in order; one each if n is nil. If
// counters are sums, it adds to all counters of a key. Otherwise it raises by minimal increment (Cohen and
// Matias 2003, section 3.2).
func (d *Counters) Insert(sums bool, h1, h2, n []uint64) {
	if !sums && len(h1) >= manyFours && d.raisesFours() {
		d.raiseFours(h1, h2, n)
		return
	}
	l, w := &d.Layers[0], uint64(1)
	var room [MaxK]uint64
	at := room[:d.Shape.K]
	for i := range h1 {
		if n != nil {
			w = n[i]
		}
		j, step := l.mod(h1[i]), l.mod(h2[i])
		for x := range at {
			j = next(j, step, l.Size)
			at[x] = j
		}
		if sums {
			d.addKey(at, w)
		} else {
			d.raiseKey(at, w)
		}
	}
}

// addKey adds n to the counters of the first layer at the positions at.
func (d *Counters) addKey(at []uint64, n uint64) {
	l := &d.Layers[0]
	for _, j := range at {
		if l.Width != 8 {
			d.Add(0, j, n)
		} else if c := &l.data[j]; n <= uint64(byteMask-*c&byteMask) { // the default
			*c += byte(n)
		} else {
			d.Add(0, j, n)
		}
	}
}

// raiseKey raises the counters at the positions at. Each becomes at least n plus the least of them.
func (d *Counters) raiseKey(at []uint64, n uint64) {
	least := ^uint64(0)
	for _, j := range at {
		least = min(least, d.Value(j))
	}
	to := saturate.Add(least, n)
	for _, j := range at {
		if d.Value(j) < to {
			d.Raise(0, j, to)
		}
	}
}

// Counters of 4 bits are two to a byte. Those at even positions are in the low half.
const (
	nibbleMask = 1<<3 - 1
	nibbleFlag = 1 << 3
)

// nibble returns the index of the byte with counter j of 4 bits, and the counter's shift in that byte.
func nibble(j uint32) (at, shift uint32) { return j >> 1, j & 1 * 4 }

// loadNibble returns counter j of 4 bits.
func loadNibble(l0 []byte, j uint64) uint64 {
	at, shift := nibble(uint32(j))
	return uint64(l0[at] >> shift & (nibbleMask | nibbleFlag))
}

// Minimal increment of keys with four counters of 4 bits that continue in counters of 8 bits, the default.
// If cells have many points, most counters have a flag, in an unpredictable pattern. So the counters above
// are read for all, and there is a branch for a key, not for each counter.

const (
	byteMask = 1<<7 - 1
	byteFlag = 1 << 7
	wordFlag = 1 << 15
	// mostUnderByte and mostUnderWord are the largest values of two and of three layers.
	mostUnderByte = byteFlag<<3 - 1
	mostUnderWord = wordFlag<<10 - 1
	// manyFours is the number of keys from which raiseFours is faster than its setup costs.
	manyFours = 16
)

// raisesFours reports whether raiseFours applies to these counters.
func (d *Counters) raisesFours() bool {
	return d.byFours() && d.Shape.Layers > 1 && d.Layers[1].Width == 8
}

// fourBatch is the number of keys whose counters are prefetched before any is read: their cache lines fit
// the first-level cache.
const fourBatch = 64

// counterQuads has four counters for each key of a batch. at has their positions in the first layer,
// above those in the second layer. bytes has the bytes of the first layer that hold them.
type counterQuads struct{ at, above, bytes [4][fourBatch]uint32 }

// raiseFours is Insert by minimal increment, for counters to which raisesFours applies.
func (d *Counters) raiseFours(h1, h2, n []uint64) {
	var s counterStarts
	var f [2]counterQuads
	for len(h1) > 0 {
		m := min(keyBatch, len(h1))
		s.find(&d.Layers[0], h1[:m], h2[:m])
		f[0].find(d, &s, 0, min(fourBatch, m))
		for from, turn := 0, 0; from < m; from, turn = from+fourBatch, turn^1 {
			to := min(from+fourBatch, m)
			f[turn^1].find(d, &s, to, min(to+fourBatch, m))
			of := n
			if n != nil {
				of = n[from:to]
			}
			d.raiseAll(&f[turn], to-from, of)
		}
		if h1, h2 = h1[m:], h2[m:]; n != nil {
			n = n[m:]
		}
	}
}

// find computes the places of the counters of the keys with indexes [from, to), and prefetches them.
// There are at most fourBatch keys.
func (f *counterQuads) find(d *Counters, s *counterStarts, from, to int) {
	l, up := &d.Layers[0], &d.Layers[1]
	starts, steps := s.at[from:to], s.step[from:to]
	for i, at := range starts {
		j, step := uint64(at), uint64(steps[i])
		for x := range f.at {
			f.at[x][i], f.above[x][i], f.bytes[x][i] = uint32(j), uint32(up.mod(j)), uint32(j>>1)
			j = next(j, step, l.Size)
		}
	}
	for x := range f.at {
		simd.Prefetch(unsafe.Pointer(unsafe.SliceData(l.data)), f.bytes[x][:len(starts)])
		simd.Prefetch(unsafe.Pointer(unsafe.SliceData(up.data)), f.above[x][:len(starts)])
	}
}

// raiseAll raises the counters of the first m keys of f by n, as Insert does.
func (d *Counters) raiseAll(f *counterQuads, m int, n []uint64) {
	l0, l1, w := d.Layers[0].data, d.Layers[1].data[:d.Layers[1].Size], uint64(1)
	for i := range min(m, fourBatch) {
		if n != nil {
			w = n[i]
		}
		j0, j1, j2, j3 := uint64(f.at[0][i]), uint64(f.at[1][i]), uint64(f.at[2][i]), uint64(f.at[3][i])
		y0, y1, y2, y3 := uint64(f.above[0][i]), uint64(f.above[1][i]), uint64(f.above[2][i]), uint64(f.above[3][i])
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

// underByte returns the value of a counter of the first layer that holds c. Its counter in the layer
// above holds u, without a flag.
func underByte(c uint64, u byte) uint64 { return c&nibbleMask + c>>3*uint64(u)<<3 }

// raiseNibble raises counter j of layer l0 to at least to. This value fits in the counter's digit.
func raiseNibble(l0 []byte, j, to uint64) {
	b, shift := nibble(uint32(j))
	c := uint64(l0[b]) >> shift & (nibbleMask | nibbleFlag)
	// max of uint64 values compiles to code without a branch.
	l0[b] ^= byte((c ^ max(c, to)) << shift)
}

// raiseUnderByte raises counter j of layer l0 to at least to. This value does not fit in the digit of j,
// but in j together with counter y of the layer above, l1. Counter y has no flag.
func raiseUnderByte(l0, l1 []byte, j, y, to uint64) {
	b, shift := nibble(uint32(j))
	c, u := uint32(l0[b]>>shift)&(nibbleMask|nibbleFlag), uint32(l1[y])
	digit, above := uint32(to)&nibbleMask, uint32(to)>>3
	// Counter y already holds more than value to needs there. So it exceeds to with a digit of 0 as well.
	if u > above {
		digit = 0
	}
	raised, more := nibbleFlag|digit, max(u, above)
	if c&nibbleMask+c>>3*u<<3 >= uint32(to) {
		raised, more = c, u
	}
	l0[b] ^= byte(c^raised) << shift
	l1[y] = byte(more)
}

// raiseUnderWords is raiseKey for four counters if three layers can hold all that the key needs, which is
// true of nearly all keys.
func (d *Counters) raiseUnderWords(at, above [4]uint64, n uint64) {
	l0, l1, up := d.Layers[0].data, d.Layers[1].data, &d.Layers[2]
	if d.Shape.Layers < 3 || up.Width != 16 {
		d.raiseKey(at[:], n)
		return
	}
	least, flags := ^uint64(0), uint64(0)
	var third [4]uint64
	for x, j := range at {
		third[x] = up.mod(above[x])
		t := up.Load(third[x])
		flags |= t
		least = min(least, underWord(loadNibble(l0, j), uint64(l1[above[x]]), t))
	}
	if flags&wordFlag != 0 || n > mostUnderWord-least {
		d.raiseKey(at[:], n)
		return
	}
	to := least + n
	for x, j := range at {
		c, u, t := loadNibble(l0, j), uint64(l1[above[x]]), up.Load(third[x])
		switch {
		case underWord(c, u, t) >= to:
			continue
		case to <= nibbleMask:
			raiseNibble(l0, j, to)
			continue
		}
		// As in Raise, the digit becomes 0 if the counters above already hold more than value to needs
		// there.
		b, shift := nibble(uint32(j))
		have, need := u&byteMask+u>>7*t<<7, to>>3
		l0[b] ^= byte(c^(nibbleFlag|keptDigit(to&nibbleMask, have, need))) << shift
		switch {
		case have >= need:
		case need <= byteMask:
			l1[above[x]] = byte(need)
		default:
			l1[above[x]] = byte(byteFlag | keptDigit(need&byteMask, t, need>>7))
			up.store(third[x], max(t, need>>7))
		}
	}
}

// underWord returns the value of a counter of the first layer that holds c. Its counter in the second
// layer holds u, and that one's counter in the third layer holds t, without a flag.
func underWord(c, u, t uint64) uint64 { return c&nibbleMask + c>>3*(u&byteMask+u>>7*t<<7)<<3 }

// keptDigit returns digit, or 0 if the counters above hold more than is needed there: then 0 suffices.
// The parameter above is their value, and need is the value that is needed.
func keptDigit(digit, above, need uint64) uint64 {
	if above > need {
		return 0
	}
	return digit
}
