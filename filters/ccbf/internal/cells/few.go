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

// Set makes f the cells of at least one and at most MaxFew keys. Their order nobody
// foresees: no branch depends on it.
func (f *Few) Set(keys []uint64) {
	var k [MaxFew]uint64
	for i := copy(k[:], keys); i < MaxFew; i++ {
		k[i] = 1<<64 - 1 // behind all others
	}
	a, b, c, d, e := inOrder(k[0], k[1], k[2], k[3], k[4])
	f.keys = [fewRoom]uint64{a, b, c, d, e}
	f.around = cornersOf(a)
	for _, k := range f.keys[1:len(keys)] {
		f.around = f.around.with(k)
	}
	// What stands behind the keys differs from the last of them, and not among itself.
	if f.n = len(keys); differ(a, b)+differ(b, c)+differ(c, d)+differ(d, e) == min(f.n, MaxFew-1) {
		f.once = true
		return
	}
	f.count()
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

// count makes counts of keys that come up again.
func (f *Few) count() {
	at := 0
	for i, k := range f.keys[:f.n] {
		at += differ(f.keys[at], k)
		f.keys[at], f.counts[at] = k, uint64(i+1)
	}
	// A count is where the key's last one is, less where that of the key before is.
	for i := at; i > 0; i-- {
		f.counts[i] -= f.counts[i-1]
	}
	f.n, f.once = at+1, false
}

// Bounds is List.Bounds.
func (f *Few) Bounds() grid.Rect { return f.around.rect(0, 0) }

// AppendBody is List.AppendBody; false where a cell takes more bits than are written at
// once here.
func (f *Few) AppendBody(dst []byte) ([]byte, bool) {
	lengths := noLengths
	for i := 1; i < f.n; i++ {
		lengths = lengths<<8 | uint64(bits.Len64(f.gap(i)))
	}
	gapOrder, countOrder := bestOrderOfFew(lengths, f.n-1), uint(0)
	if !f.once {
		lengths = noLengths
		for _, c := range f.counts[:f.n] {
			lengths = lengths<<8 | uint64(bits.Len64(c-1))
		}
		countOrder = bestOrderOfFew(lengths, f.n)
	}
	counts := f.counts[:f.n]
	if f.once {
		counts = nil
	}
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

// gap is what the gap before cell i is coded as.
func (f *Few) gap(i int) uint64 { return f.keys[i%fewRoom] - f.keys[(i-1)%fewRoom] - 1 }

// atOnce are the most bits that are written at once: those of a cell, and up to 7 of the one
// before.
const atOnce = 63

// noLengths are the bit lengths of no numbers, a byte for each.
const noLengths uint64 = 0x7f7f_7f7f_7f7f_7f7f

// bestOrderOfFew is bitio.BestOrderOf of n bit lengths.
func bestOrderOfFew(lengths uint64, n int) uint {
	// The top bit of a byte stays where its length is not above an order.
	const every, top = 0x0101_0101_0101_0101, 0x8080_8080_8080_8080
	upTo := bits.OnesCount64((top - lengths) & top)
	for k := range uint64(bitio.MaxOrder) {
		next := bits.OnesCount64((top + (k+1)*every - lengths) & top)
		if upTo+next >= n {
			return uint(k)
		}
		upTo = next
	}
	return bitio.MaxOrder
}
