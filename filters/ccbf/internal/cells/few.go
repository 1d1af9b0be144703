package cells

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// Few is the list of few cells of the region (0, 0), without a category: encoded again
// and again, without a call for each part of it.
type Few struct {
	keys, counts [fewRoom]uint64
	n            int  // cells
	once         bool // each has one point: counts are not set
	around       corners
}

// MaxFew is how many points there may be.
const MaxFew = 5

// fewRoom is a power of two from MaxFew on, so that an index can be cut to it.
const fewRoom = 8

// Set makes f the cells of at least one and at most MaxFew keys. How many there are, their order and
// which come up again nobody foresees: no branch depends on it, but for the last. So MaxFew keys are
// read where there is memory, the first one in place of those that are too many.
func (f *Few) Set(keys []uint64) {
	n, all := len(keys), keys
	if cap(keys) < MaxFew {
		var room [MaxFew]uint64
		copy(room[:], keys)
		all = room[:]
	}
	all = all[:MaxFew]
	k := all[0]
	a, b, c, d, e := inOrder(k, among(1, n, all[1], k), among(2, n, all[2], k), among(3, n, all[3], k), among(4, n, all[4], k))
	f.around = cornersOf(a).with(b).with(c).with(d).with(e)
	// Each goes behind those that are less than it.
	f.keys[0] = a
	at := differ(a, b)
	f.keys[at%fewRoom] = b
	at += differ(b, c)
	f.keys[at%fewRoom] = c
	at += differ(c, d)
	f.keys[at%fewRoom] = d
	at += differ(d, e)
	f.keys[at%fewRoom] = e
	f.n = at + 1
	if f.once = f.n == n; !f.once {
		f.count(keys)
	}
}

// among is key i of n if it is one, otherwise another.
func among(i, n int, key, other uint64) uint64 {
	if i < n {
		other = key
	}
	return other
}

// inOrder is five keys in their order, by the network of nine comparisons (Knuth, The Art of
// Computer Programming, vol. 3, section 5.3.4).
func inOrder(a, b, c, d, e uint64) (_, _, _, _, _ uint64) {
	a, d = min(a, d), max(a, d)
	b, e = min(b, e), max(b, e)
	a, c = min(a, c), max(a, c)
	b, d = min(b, d), max(b, d)
	a, b = min(a, b), max(a, b)
	c, e = min(c, e), max(c, e)
	b, c = min(b, c), max(b, c)
	d, e = min(d, e), max(d, e)
	c, d = min(c, d), max(c, d)
	return a, b, c, d, e
}

// differ is 1 if two keys do, otherwise 0.
func differ(a, b uint64) int {
	d := a ^ b
	return int((d | -d) >> 63)
}

// count counts keys, some of which come up again.
func (f *Few) count(keys []uint64) {
	f.counts = [fewRoom]uint64{}
	for _, k := range keys {
		for i := range f.counts[:f.n] {
			f.counts[i] += uint64(1 - differ(f.keys[i%fewRoom], k))
		}
	}
}

// Bounds is List.Bounds.
func (f *Few) Bounds() grid.Rect { return f.around.rect(0, 0) }

// AppendBody is List.AppendBody; false where a cell takes more bits than are written at
// once here.
func (f *Few) AppendBody(dst []byte) ([]byte, bool) {
	first := f.keys[0] - f.around.low()
	if !f.once || first >= 1<<bitio.MostVarint {
		return f.appendCounts(dst)
	}
	at := len(dst)
	dst = slices.Grow(dst, mostFew)[:at+mostFew]
	// As in Set no branch depends on how many gaps there are, which takes a loop that ends always there.
	var gaps [MaxFew - 1]uint64
	var lengths [MaxFew - 1]int
	for i := range gaps {
		gaps[i] = f.keys[i+1] - f.keys[i] - 1
		lengths[i] = int(among(i+1, f.n, uint64(bits.Len64(gaps[i])), noGap))
	}
	order := bestOrderOfFour(lengths, f.n-1)
	dst[at] = byte(f.n)
	at += 1 + bitio.PutUvarint(dst[at+1:], first)
	binary.LittleEndian.PutUint16(dst[at:], uint16(order)) // that of the counts is 0
	at += 2
	code, n, most := uint64(1), uint(1), uint(0) // of a count of one in order 0
	for i, gap := range gaps {
		binary.LittleEndian.PutUint64(dst[at:], code)
		at += int(n / 8)
		code >>= n &^ 7 & 63
		n &= 7
		gap, g := bitio.ClassCode(gap, order)
		g++
		code |= among(i+1, f.n, gap|1<<((g-1)&63), 0) << (n & 63)
		n += uint(among(i+1, f.n, uint64(g), 0))
		most = max(most, n)
	}
	binary.LittleEndian.PutUint64(dst[at:], code)
	return dst[:at+int(n+7)/8], most <= atOnce
}

// mostFew is the most bytes that AppendBody writes to, of which those of a cell are at most eight.
const mostFew = 1 + bitio.VarintRoom + 2 + (MaxFew+1)*8

// noGap is the bit length of a gap that is not there, above all others.
const noGap = 65

// bestOrderOfFour is bitio.BestOrderOf of the first n of four bit lengths, behind which noGap stands.
// That is the n-th smallest of them and of what each is less one: the order up to which there are n.
func bestOrderOfFour(lengths [4]int, n int) uint {
	a, b, c, d := lengths[0], lengths[1], lengths[2], lengths[3]
	a, b = min(a, b), max(a, b)
	c, d = min(c, d), max(c, d)
	a, c = min(a, c), max(a, c)
	b, d = min(b, d), max(b, d)
	b, c = min(b, c), max(b, c)
	// Of two lists in their order it is the least that i of one and n-i of the other reach to.
	sorted := [8]int{0, a, b, c, d}
	k := min(sorted[n&7]-1, max(a, sorted[(n-1)&7]-1), b)
	return uint(min(max(k, 0), bitio.MaxOrder))
}

// appendCounts is AppendBody of any cells.
func (f *Few) appendCounts(dst []byte) ([]byte, bool) {
	counts := f.counts[:f.n]
	if f.once {
		counts = nil
	}
	gapOrder, countOrder := bitio.RunOrders(f.keys[:f.n], counts)
	return appendPairs(appendFirst(dst, f.keys[:f.n], f.around, gapOrder, countOrder), f.keys[:f.n], counts, gapOrder, countOrder)
}

// appendFirst appends what stands before the code of one block alone, of cells with these corners.
func appendFirst(dst []byte, keys []uint64, around corners, gapOrder, countOrder uint) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(keys)))
	dst = binary.AppendUvarint(dst, keys[0]-around.low())
	return append(dst, byte(gapOrder), byte(countOrder))
}

// appendPairs appends the code of one block, whose counts are all one where there are none; false
// where a cell takes more bits than are written at once here.
func appendPairs(dst []byte, keys, counts []uint64, gapOrder, countOrder uint) ([]byte, bool) {
	code, n := uint64(1), uint(1) // of a count of one in order 0
	if counts != nil {
		counts = counts[:len(keys)]
		code, n = bitio.ClassCode(counts[0]-1, countOrder)
	}
	at := len(dst)
	dst = slices.Grow(dst, len(keys)*8+8)
	dst = dst[:at+len(keys)*8+8]
	for i := 1; n <= atOnce; i++ {
		binary.LittleEndian.PutUint64(dst[at:], code)
		at += int(n / 8)
		code >>= n &^ 7 & 63
		n &= 7
		if i >= len(keys) {
			return dst[:at+int(n+7)/8], true
		}
		gap, g := bitio.ClassCode(keys[i]-keys[i-1]-1, gapOrder)
		count, c := uint64(1), uint(1)
		if counts != nil {
			count, c = bitio.ClassCode(counts[i]-1, countOrder)
		}
		code |= (gap | count<<(g&63)) << (n & 63)
		n += g + c
	}
	return dst, false
}

// atOnce are the most bits that are written at once: those of a cell, and up to 7 of the one
// before.
const atOnce = 63
