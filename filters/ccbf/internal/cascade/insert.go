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
	if !sums && d.byFours() && d.Shape.Layers > 1 && d.Layers[1].Width == 8 {
		d.raiseFours(h1, h2, n)
		return
	}
	var room [2][batchPositions]uint64
	k, w := d.Shape.K, uint64(1)
	ahead := d.positions(room[0][:], h1, h2)
	for turn := 1; len(h1) > 0; turn ^= 1 {
		batch := ahead
		m := len(batch) / k
		ahead = d.positions(room[turn][:], h1[m:], h2[m:])
		for i := range m {
			if n != nil {
				w = n[i]
			}
			if at := batch[i*k:][:k]; sums {
				d.addKey(at, w)
			} else {
				d.raiseKey(at, w)
			}
		}
		if h1, h2 = h1[m:], h2[m:]; n != nil {
			n = n[m:]
		}
	}
}

// batchPositions is the number of positions that are computed, and their counters prefetched, while the
// counters of the batch before are changed. It is more than MaxK.
const batchPositions = 256

// positions writes the positions of the first keys in the first layer to dst, k for each key, and prefetches
// their counters. It returns the positions of as many keys as dst has room for.
func (d *Counters) positions(dst, h1, h2 []uint64) []uint64 {
	l, k := &d.Layers[0], d.Shape.K
	var offsets [batchPositions]uint32
	at := 0
	for i := range min(len(h1), len(dst)/k) {
		j, step := l.mod(h1[i]), l.mod(h2[i])
		for range k {
			j = next(j, step, l.Size)
			dst[at], offsets[at] = j, uint32(j*uint64(l.Width)/8)
			at++
		}
	}
	if at > 0 {
		simd.Prefetch(unsafe.Pointer(unsafe.SliceData(l.data)), offsets[:at])
	}
	return dst[:at]
}

// addKey adds n to the counters of the first layer at the positions at.
func (d *Counters) addKey(at []uint64, n uint64) {
	l := &d.Layers[0]
	for _, j := range at {
		if c := l.Load(j); n <= l.Mask-c&l.Mask {
			l.store(j, c+n)
		} else {
			d.Add(0, j, n)
		}
	}
}

// raiseKey raises the counters at the positions at. Each becomes at least n plus the least of them.
func (d *Counters) raiseKey(at []uint64, n uint64) {
	var room [MaxK]uint64
	l, values, least := &d.Layers[0], room[:len(at)], ^uint64(0)
	for i, j := range at {
		v := l.Load(j)
		if v&l.Flag != 0 {
			v = d.Value(j)
		}
		values[i], least = v, min(least, v)
	}
	to := saturate.Add(least, n)
	for i, j := range at {
		switch {
		case values[i] >= to:
		case to <= l.Mask: // a counter below it has no flag
			l.store(j, to)
		default:
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
	byteFlag = 1 << 7
	// mostUnderByte is the largest value of two layers.
	mostUnderByte = byteFlag<<3 - 1
)

// raiseFours is Insert by minimal increment, for such counters.
func (d *Counters) raiseFours(h1, h2, n []uint64) {
	l, up := &d.Layers[0], &d.Layers[1]
	l0, l1, w := l.data, up.data[:up.Size], uint64(1)
	for i, h := range h1 {
		if n != nil {
			w = n[i]
		}
		step := l.mod(h2[i])
		j0 := next(l.mod(h), step, l.Size)
		j1 := next(j0, step, l.Size)
		j2 := next(j1, step, l.Size)
		j3 := next(j2, step, l.Size)
		y0, y1, y2, y3 := up.mod(j0), up.mod(j1), up.mod(j2), up.mod(j3)
		u0, u1, u2, u3 := l1[y0], l1[y1], l1[y2], l1[y3]
		least := min(underByte(loadNibble(l0, j0), u0), underByte(loadNibble(l0, j1), u1),
			underByte(loadNibble(l0, j2), u2), underByte(loadNibble(l0, j3), u3))
		if (u0|u1|u2|u3)&byteFlag != 0 || w > mostUnderByte-least {
			d.raiseKey([]uint64{j0, j1, j2, j3}, w)
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
