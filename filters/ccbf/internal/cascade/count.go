package cascade

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// The hot loops: k counters of the first layer, generic over its width, with
// the layers above reached only through the flags. Positions are
// j_i = h1 + (i+1)*h2 without wrapping, modulo the layer's size: one addition
// and one conditional subtraction each.

// Count is the minimum over the k counters of the key with hashes h1 and h2, or
// less where positions of the key meet (meeting.go), and no more than the total.
// O(k * layers).
func (d *Counters) Count(h1, h2 uint64) uint64 {
	n := d.Least(h1, h2)
	if n > d.Meet {
		n = d.Apart(h1, h2, n)
	}
	return min(n, d.Full)
}

// Least is the minimum over the k counters of a key.
func (d *Counters) Least(h1, h2 uint64) uint64 {
	l := &d.Layers[0]
	switch l.wordWidth() {
	case 8:
		return countKey(d, counters[uint8](l), h1, h2)
	case 16:
		return countKey(d, counters[uint16](l), h1, h2)
	case 32:
		return countKey(d, counters[uint32](l), h1, h2)
	}
	step := l.mod(h2)
	at := next(l.mod(h1), step, l.Size)
	if d.byFours() {
		return d.leastFour(at, step)
	}
	return d.leastFrom(at, step)
}

// leastFrom is Least by the first position and what is between them.
func (d *Counters) leastFrom(j, step uint64) uint64 {
	least := ^uint64(0)
	for range d.Shape.K {
		if least = min(least, d.Value(j)); least == 0 {
			return 0
		}
		j = next(j, step, d.Layers[0].Size)
	}
	return least
}

// next is the position after j.
func next(j, step, size uint64) uint64 { return wrap(j+step, size) }

// wrap is j modulo size for a j below 2*size, without a branch: which way it
// goes is as random as the hash, and each wrong guess costs more than a put.
func wrap(j, size uint64) uint64 {
	j -= size
	return j + size&uint64(int64(j)>>63)
}

func countKey[W word](d *Counters, l0 []W, h1, h2 uint64) uint64 {
	l := &d.Layers[0]
	size, flag := uint64(len(l0)), W(l.Flag)
	j, step := l.mod(h1), l.mod(h2)
	least := ^uint64(0)
	for range d.Shape.K {
		j = next(j, step, size)
		c := l0[j]
		v := uint64(c)
		if c&flag != 0 {
			v = d.Value(j)
		}
		if v < least {
			if v == 0 {
				return 0
			}
			least = v
		}
	}
	return least
}

// Counts is count for many keys, whose counters are asked for together: quicker
// where most keys have a count, as count ends at the first counter of 0.
func (d *Counters) Counts(dst, h1, h2 []uint64) {
	width := d.Layers[0].wordWidth()
	if len(h1) <= Few || width != 4 && width != 8 && width != 16 && width != 32 {
		for i := range h1 {
			dst[i] = d.Count(h1[i], h2[i])
		}
		return
	}
	if d.byFours() && !d.far() {
		d.countFours(dst, h1, h2)
		d.limit(dst, h1, h2)
		return
	}
	var room [batchPositions]uint32
	for batch := batchPositions / d.Shape.K; len(h1) > 0; {
		m := min(batch, len(h1))
		at := d.positions(room[:], h1[:m], h2, d.far())
		switch width { // calls by name: what is called by a variable takes room to the heap
		case 4:
			countNibbles(d, dst[:m], at)
		case 8:
			countKeys[uint8](d, dst[:m], at)
		case 16:
			countKeys[uint16](d, dst[:m], at)
		case 32:
			countKeys[uint32](d, dst[:m], at)
		}
		d.limit(dst[:m], h1, h2)
		dst, h1, h2 = dst[m:], h1[m:], h2[m:]
	}
}

// Few is up to how many keys Counts counts one by one, as that takes less.
const Few = 3

// limit makes of the least counters of keys what Count says.
func (d *Counters) limit(dst, h1, h2 []uint64) {
	for i, n := range dst {
		if n > d.Meet {
			n = d.Apart(h1[i], h2[i], n)
		}
		dst[i] = min(n, d.Full)
	}
}

// lowestAt is the least counter at positions, and the flags of all of them. It is a
// function of its own so that the loop has the registers for itself: within another
// loop its variables go through memory at each step.
//
//go:noinline
func lowestAt[W word](l0 []W, at []uint32) (low, flags W) {
	low = ^W(0)
	for _, j := range at {
		c := l0[j]
		low, flags = min(low, c), flags|c
	}
	return low, flags
}

// countKeys counts keys by their positions, k each.
func countKeys[W word](d *Counters, dst []uint64, at []uint32) {
	l0, k, flag := counters[W](&d.Layers[0]), d.Shape.K, W(d.Layers[0].Flag)
	for i := range dst {
		key := at[i*k:][:k]
		low, flags := lowestAt(l0, key)
		if dst[i] = uint64(low); flags&flag != 0 {
			dst[i] = d.leastValue(key)
		}
	}
}

// leastValue is the minimum over the counters at positions. Those without a flag
// are read first: they are nearly always the least, and upper layers take longer.
func (d *Counters) leastValue(at []uint32) uint64 {
	l, least := &d.Layers[0], ^uint64(0)
	for _, j := range at {
		if c := l.Load(uint64(j)); c&l.Flag == 0 {
			least = min(least, c)
		}
	}
	for _, j := range at {
		if c := l.Load(uint64(j)); c&l.Flag != 0 && c&l.Mask < least {
			least = min(least, d.Value(uint64(j)))
		}
	}
	return least
}

// batchPositions is how many positions are computed before the first of them is used.
const batchPositions = 96

// cached is the size in bytes up to which a first layer is taken to be in the
// caches anyway; the counters of larger ones are asked for a batch ahead.
const cached = 4 << 20

// far reports whether counters are asked for ahead.
func (d *Counters) far() bool { return len(d.Layers[0].data) > cached }

// Counts where a key has four counters of 4 bits, as it has by default. There is no
// branch on what is read but one for keys with flags, and these come later, together:
// where a guess is wrong, what the processor has begun for the keys after it is lost.

// byFours reports whether countFours is for these counters.
func (d *Counters) byFours() bool { return d.Shape.K == 4 && d.Layers[0].Width == 4 }

// countFours is Counts, but for what depends on Meet and Full.
func (d *Counters) countFours(dst, h1, h2 []uint64) {
	var s starts
	var left [keyBatch / 8]uint8
	l := &d.Layers[0]
	var second []byte
	if d.Shape.Layers > 1 && d.Layers[1].Width == 8 {
		second = d.Layers[1].data[:d.Layers[1].Size]
	}
	for len(h1) > 0 {
		n := min(keyBatch, len(h1))
		s.find(l, h1[:n], h2[:n])
		simd.LeastFours(dst[:n], left[:], s.at[:n], s.step[:n], l.data, second, l.Size)
		for i, which := range left[:(n+7)/8] {
			for ; which != 0; which &= which - 1 {
				key := 8*i + bits.TrailingZeros8(which)
				dst[key] = d.flaggedFour(uint64(s.at[key]), uint64(s.step[key]))
			}
		}
		dst, h1, h2 = dst[n:], h1[n:], h2[n:]
	}
}

// four is the least of a key's four counters of 4 bits, flag included, and of their digits.
func (l *Layer) four(j, step uint64) (low, digit uint64) {
	a := loadNibble(l.data, j)
	j = next(j, step, l.Size)
	b := loadNibble(l.data, j)
	j = next(j, step, l.Size)
	c := loadNibble(l.data, j)
	e := loadNibble(l.data, next(j, step, l.Size))
	return min(a, b, c, e), min(a&nibbleMask, b&nibbleMask, c&nibbleMask, e&nibbleMask)
}

// leastFour is leastFrom. It reads all counters before it looks at one, so that they need not
// be waited for one after the other.
func (d *Counters) leastFour(at, step uint64) uint64 {
	low, digit := d.Layers[0].four(at, step)
	if digit < low {
		return d.flaggedFour(at, step)
	}
	return low
}

// flaggedFour is the least of a key's counters, from the first on. Where those of the second
// layer have 8 bits, all four go on there, whether they have a flag or not, and what those
// without one find there is left out. Whether one that goes on from there may be the least is
// seen as in simd.LeastFours.
func (d *Counters) flaggedFour(at, step uint64) uint64 {
	if d.Shape.Layers < 2 || d.Layers[1].Width != 8 {
		return d.leastFrom(at, step)
	}
	l, up := &d.Layers[0], &d.Layers[1]
	l0, l1 := l.data, up.data
	j, low, digits := at, ^uint64(0), ^uint64(0)
	for range 4 {
		c := loadNibble(l0, j)
		goesOn := -(c >> 3) // all ones where it does
		u := uint64(l1[up.mod(j)]) & goesOn
		low = min(low, c&nibbleMask+u<<3)
		digits = min(digits, c&nibbleMask+u&up.Mask<<3)
		j = next(j, step, l.Size)
	}
	if digits < low {
		return d.leastFrom(at, step)
	}
	return low
}

// Some is for very many keys of which few have a count: it writes to which, as long as
// h1, the numbers of those of which none of the first four counters is 0, and returns these. The
// others have none. It has no branch on what it reads. Where counters do not have 4
// bits, or a key has fewer than four, it returns all.
func (d *Counters) Some(which []uint32, h1, h2 []uint64) []uint32 {
	which = which[:len(h1)]
	if l := &d.Layers[0]; d.Shape.K >= 4 && l.wordWidth() == 4 {
		return which[:fourNibbles(l, which, h1, h2)]
	}
	return every(which)
}

func every(which []uint32) []uint32 {
	for i := range which {
		which[i] = uint32(i)
	}
	return which
}

// loadNibble is counter j of 4 bits.
func loadNibble(l0 []byte, j uint64) uint64 {
	at, shift := nibble(uint32(j))
	return uint64(l0[at] >> shift & (nibbleMask | nibbleFlag))
}

// isNibble is negative, as a signed number, where counter j of 4 bits is not 0. A shift by what is
// not known beforehand would take longer than what else there is to do.
func isNibble(l0 []byte, j uint64) uint64 {
	return -uint64(l0[uint32(j)>>1] & (0x0f ^ -byte(j&1)))
}

// fourNibbles sorts out a batch of keys by one counter after the other, each key that is left by
// the next: one in two has a 0 first, as a rule, and the others are not loaded then.
func fourNibbles(l *Layer, which []uint32, h1, h2 []uint64) (n int) {
	var s starts
	for from := 0; from < len(h1); from += keyBatch {
		to := min(from+keyBatch, len(h1))
		s.find(l, h1[from:to], h2[from:to])
		left := which[n:][:to-from]
		some := s.first(l.data, left)
		for range 3 {
			some = s.next(l.data, l.Size, left[:some])
		}
		for i := range left[:some] {
			left[i] += uint32(from)
		}
		n += some
	}
	return n
}

// first writes the numbers of the keys whose first counter is not 0, of as many as which has room
// for, and returns how many these are. It is a function of its own so that the loop has the
// registers for itself, as next is.
//
//go:noinline
func (s *starts) first(l0 []byte, which []uint32) (some int) {
	for i, j := range s.at[:len(which)] {
		which[some] = uint32(i)
		some += noneIs0(isNibble(l0, uint64(j)))
	}
	return some
}

// next goes to the next counters of the keys with these numbers, and keeps those of which it is
// not 0.
//
//go:noinline
func (s *starts) next(l0 []byte, size uint64, which []uint32) (some int) {
	for _, i := range which {
		j := next(uint64(s.at[i%keyBatch]), uint64(s.step[i%keyBatch]), size)
		s.at[i%keyBatch] = uint32(j)
		which[some] = i
		some += noneIs0(isNibble(l0, j))
	}
	return some
}

// noneIs0 is 1 where all are negative of which this has the common bits.
func noneIs0(common uint64) int { return int(common >> 63) }

// keyBatch is how many keys are looked at together.
const keyBatch = 256

// starts is where the counters of keys begin: the first of each, and how far it is from one
// to the next.
type starts struct{ at, step [keyBatch]uint32 }

// find finds the starts of keys, a batch at most, in a layer.
func (s *starts) find(l *Layer, h1, h2 []uint64) {
	simd.Starts(s.at[:len(h1)], s.step[:len(h1)], h1, h2, l.Size)
}
