package cascade

import (
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// Insert counts n[i] occurrences (one each where n is nil) of the keys with
// hashes h1[i] and h2[i], in order: in all counters of a key where they are sums,
// otherwise by minimal increment (Cohen and Matias 2003, section 3.2).
func (d *Counters) Insert(sums bool, h1, h2, n []uint64) {
	var work work
	if !sums && len(h1) >= manyFours && d.raisesFours() {
		d.raiseFours(h1, h2, n)
		return
	}
	switch d.Layers[0].wordWidth() {
	case 4:
		work = choose(sums, addNibbles, raiseNibbles)
	case 8:
		work = choose(sums, addKeys[uint8], raiseKeys[uint8])
	case 16:
		work = choose(sums, addKeys[uint16], raiseKeys[uint16])
	case 32:
		work = choose(sums, addKeys[uint32], raiseKeys[uint32])
	default:
		for i := range h1 {
			w := uint64(1)
			if n != nil {
				w = n[i]
			}
			d.insertSlow(sums, h1[i], h2[i], w)
		}
		return
	}
	d.insertKeys(work, h1, h2, n)
}

// work counts keys by their positions, k each: n[i] occurrences, or one of each
// where n is nil.
type work func(d *Counters, at []uint32, n []uint64)

func choose(sums bool, add, raise work) work {
	if sums {
		return add
	}
	return raise
}

// insertSlow is insert for one key and any width.
func (d *Counters) insertSlow(sums bool, h1, h2, n uint64) {
	l := &d.Layers[0]
	j, step := l.mod(h1), l.mod(h2)
	if sums {
		for range d.Shape.K {
			j = next(j, step, l.Size)
			d.Add(0, j, n)
		}
		return
	}
	to := saturate.Add(d.Count(h1, h2), n)
	for range d.Shape.K {
		j = next(j, step, l.Size)
		if d.Value(j) < to {
			d.Raise(0, j, to)
		}
	}
}

// insertKeys computes the positions of a batch of keys, asks for their
// counters where those are far, and works on the batch before meanwhile.
func (d *Counters) insertKeys(work work, h1, h2, n []uint64) {
	var at [2][batchPositions]uint32
	k := d.Shape.K
	batch := batchPositions / k
	far := d.far()
	ahead := d.positions(at[0][:], h1[:min(batch, len(h1))], h2, far)
	for turn := 1; len(h1) > 0; turn ^= 1 {
		m := min(batch, len(h1))
		now := ahead
		rest := h1[m:]
		ahead = d.positions(at[turn][:], rest[:min(batch, len(rest))], h2[m:], far)
		work(d, now, n)
		h1, h2 = rest, h2[m:]
		if n != nil {
			n = n[m:]
		}
	}
}

// positions writes the k positions of every key to dst.
func (d *Counters) positions(dst []uint32, h1, h2 []uint64, far bool) []uint32 {
	l, k, size := &d.Layers[0], d.Shape.K, d.Layers[0].Size
	dst = dst[:len(h1)*k]
	out := dst
	h2 = h2[:len(h1)]
	if mask := size - 1; size&mask == 0 { // the same positions, for less
		for i, j := range h1 {
			step := h2[i]
			key := out[:k]
			for x := range key {
				j += step
				key[x] = uint32(j & mask)
			}
			out = out[k:]
		}
	} else {
		for i, h := range h1 {
			j, step := l.mod(h), l.mod(h2[i])
			key := out[:k]
			for x := range key {
				j = next(j, step, size)
				key[x] = uint32(j)
			}
			out = out[k:]
		}
	}
	if far {
		d.fetch(dst)
	}
	return dst
}

// fetch asks for the counters at positions.
func (d *Counters) fetch(at []uint32) {
	l := &d.Layers[0]
	var offsets [batchPositions]uint32
	for i, j := range at {
		offsets[i] = uint32(uint64(j) * uint64(l.Width) / 8)
	}
	simd.Prefetch(unsafe.Pointer(unsafe.SliceData(l.data)), offsets[:len(at)])
}

// addKeys is work for sums.
func addKeys[W word](d *Counters, at []uint32, n []uint64) {
	l0, mask := counters[W](&d.Layers[0]), W(d.Layers[0].Mask)
	if n == nil {
		for _, j := range at {
			if c := l0[j] + 1; c&mask != 0 { // no carry
				l0[j] = c
			} else {
				d.Add(0, uint64(j), 1)
			}
		}
		return
	}
	k := d.Shape.K
	for i := 0; len(at) > 0; i++ {
		for _, j := range at[:k] {
			if c := uint64(l0[j]); n[i] <= uint64(mask)-c&uint64(mask) {
				l0[j] = W(c + n[i])
			} else {
				d.Add(0, uint64(j), n[i])
			}
		}
		at = at[k:]
	}
}

// raiseKeys is work for minimal increment.
func raiseKeys[W word](d *Counters, at []uint32, n []uint64) {
	l0, k, w := counters[W](&d.Layers[0]), d.Shape.K, uint64(1)
	mask, flag := W(d.Layers[0].Mask), W(d.Layers[0].Flag)
	for i := 0; len(at) > 0; i++ {
		if n != nil {
			w = n[i]
		}
		key := at[:k]
		at = at[k:]
		// A flagged counter is above all others, and as a number too.
		least, _ := lowestAt(l0, key)
		if least&flag != 0 || w > uint64(mask-least) {
			d.raiseKey(key, w)
			continue
		}
		raiseAt(l0, key, least+W(w))
	}
}

// raiseAt makes the counters at positions at least to; a function of its own as
// lowestAt.
//
//go:noinline
func raiseAt[W word](l0 []W, at []uint32, to W) {
	for _, j := range at {
		l0[j] = W(max(uint64(l0[j]), uint64(to))) // of bytes, max would have a branch
	}
}

// repeats reports whether two of a key's positions are one: they begin anew
// after as many as differ.
func repeats(at []uint32) bool {
	for _, j := range at[1:] {
		if j == at[0] {
			return true
		}
	}
	return false
}

// raiseKey is raiseKeys for one key, with carries, and for any width. Nearly
// always the layers above stay as they are, also where counters are flagged:
// then it is enough to add to the first. A counter that the key meets twice is
// raised once.
func (d *Counters) raiseKey(at []uint32, n uint64) {
	var values [MaxK]uint64
	l, least := &d.Layers[0], ^uint64(0)
	twice := repeats(at)
	for i, j := range at {
		values[i] = d.Value(uint64(j))
		least = min(least, values[i])
	}
	to := saturate.Add(least, n)
	carried := twice // values may have grown since they were read
	for i, j := range at {
		v := values[i]
		if carried {
			v = d.Value(uint64(j))
		}
		if v >= to {
			continue
		}
		if c := l.Load(uint64(j)); to-v <= l.Mask-c&l.Mask {
			l.store(uint64(j), c+to-v)
		} else {
			d.Raise(0, uint64(j), to)
			carried = true
		}
	}
}

// The hot loops of count.go for counters of 4 bits, two to a byte, the one of
// even position in the low half.

const (
	nibbleMask = 1<<3 - 1
	nibbleFlag = 1 << 3
)

// nibble is where counter j is: its byte, and by how many bits it is shifted.
func nibble(j uint32) (at, shift uint32) { return j >> 1, j & 1 * 4 }

// countNibbles is countKeys. A flagged counter has no less than its digit, so that where no
// digit is below the least of the counters without a flag, that is the key's: then there is
// nothing to look up above, and no branch on where flags are.
func countNibbles(d *Counters, dst []uint64, at []uint32) {
	l0, k := d.Layers[0].data, d.Shape.K
	for i := range dst {
		key := at[i*k:][:k]
		low, digit := byte(nibbleMask|nibbleFlag), byte(nibbleMask)
		for _, j := range key {
			b, shift := nibble(j)
			c := l0[b] >> shift & (nibbleMask | nibbleFlag)
			low, digit = min(low, c), min(digit, c&nibbleMask)
		}
		if dst[i] = uint64(low); digit != low {
			dst[i] = d.leastNibbles(key, low)
		}
	}
}

// leastNibbles is leastValue, of positions of which low is the least counter, for less
// where the counters of the second layer have 8 bits, as they have by default: where most
// cells have many points, most counters go on there and end there.
func (d *Counters) leastNibbles(at []uint32, low byte) uint64 {
	if d.Shape.Layers < 2 || d.Layers[1].Width != 8 {
		return d.leastValue(at)
	}
	l0, up := d.Layers[0].data, &d.Layers[1]
	l1, least := up.data[:up.Size], ^uint64(0)
	if low&nibbleFlag == 0 {
		least = uint64(low)
	}
	for _, j := range at {
		b, shift := nibble(j)
		c := uint64(l0[b] >> shift & (nibbleMask | nibbleFlag))
		v := c & nibbleMask
		if c&nibbleFlag == 0 || v >= least {
			continue
		}
		u := uint64(l1[up.mod(uint64(j))])
		if v += u << 3; u&up.Flag != 0 {
			v = d.Value(uint64(j))
		}
		least = min(least, v)
	}
	return least
}

// addNibbles is addKeys.
func addNibbles(d *Counters, at []uint32, n []uint64) {
	l0, k, w := d.Layers[0].data, d.Shape.K, uint64(1)
	for i := 0; len(at) > 0; i++ {
		if n != nil {
			w = n[i]
		}
		for _, j := range at[:k] {
			b, shift := nibble(j)
			if c := uint64(l0[b] >> shift & nibbleMask); w <= nibbleMask-c {
				l0[b] += byte(w) << shift
			} else {
				d.Add(0, uint64(j), w)
			}
		}
		at = at[k:]
	}
}

// raiseNibbles is raiseKeys.
func raiseNibbles(d *Counters, at []uint32, n []uint64) {
	l0, k, w := d.Layers[0].data, d.Shape.K, uint64(1)
	for i := 0; len(at) > 0; i++ {
		if n != nil {
			w = n[i]
		}
		key := at[:k]
		at = at[k:]
		least := uint64(nibbleMask | nibbleFlag)
		for _, j := range key {
			least = min(least, loadNibble(l0, uint64(j)))
		}
		if least&nibbleFlag != 0 || w > nibbleMask-least {
			d.raiseKey(key, w)
			continue
		}
		for _, j := range key {
			raiseNibble(l0, uint64(j), least+w)
		}
	}
}

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

// fourBatch is for how many keys counters are asked for before any is read: their lines fit the first-level cache.
const fourBatch = 64

// fours is where the four counters of each key are, in the first layer and above, and in which bytes.
type fours struct{ at, above, bytes [4][fourBatch]uint32 }

// raiseFours is Insert by minimal increment.
func (d *Counters) raiseFours(h1, h2, n []uint64) {
	var s starts
	var f [2]fours
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

// find finds the counters of keys from some on, fourBatch at most, and asks for them.
func (f *fours) find(d *Counters, s *starts, from, to int) {
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

// raiseAll is raiseFours for m keys whose counters were found.
func (d *Counters) raiseAll(f *fours, m int, n []uint64) {
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

// underByte is the value of counter c of the first layer, where that above is u and has no flag.
func underByte(c uint64, u byte) uint64 { return c&nibbleMask + c>>3*uint64(u)<<3 }

// raiseNibble makes counter j at least to, which takes no more than its digit.
func raiseNibble(l0 []byte, j, to uint64) {
	b, shift := nibble(uint32(j))
	c := uint64(l0[b]) >> shift & (nibbleMask | nibbleFlag)
	l0[b] ^= byte((c ^ max(c, to)) << shift) // words, for which max has no branch
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
