package cells

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// Few writes lists of few cells, one after the other. Its zero value is ready.
type Few struct {
	w   bitio.Writer
	low uint64 // key of the lowest corner of Bounds
}

// MaxFew is how many cells there may be.
const MaxFew = 8

// Bounds is List.Bounds of sorted keys in the region (0, 0).
func (f *Few) Bounds(keys []uint64) grid.Rect {
	c := cornersOf(keys[0])
	for _, k := range keys[1:] {
		c = c.with(k)
	}
	f.low = c.low()
	return c.rect(0, 0)
}

// AppendBody is List.AppendBody of cells of the region (0, 0) without a category, of
// which Bounds was asked last.
func (f *Few) AppendBody(dst []byte, r Run) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(r.Keys)))
	dst = binary.AppendUvarint(dst, r.Keys[0]-f.low)
	return f.appendBlock(dst, r.Keys, r.Counts)
}

// appendBlock is appendBlock of few cells.
func (f *Few) appendBlock(dst []byte, keys, counts []uint64) []byte {
	n := uint(len(keys))
	var gaps, ns [MaxFew]uint8
	lengths := gaps[:(n-1)&(MaxFew-1)]
	for i := range lengths {
		lengths[i] = uint8(bits.Len64(keys[i+1] - keys[i] - 1))
	}
	gapOrder := bestOrderOfFew(lengths)
	lengths = ns[:n]
	for i, c := range counts[:n] {
		lengths[i] = uint8(bits.Len64(c - 1))
	}
	countOrder := bestOrderOfFew(lengths)
	w := &f.w
	w.Reset(MaxFew * 2)
	w.WriteClass(counts[0]-1, countOrder)
	for i := 1; i < len(keys); i++ {
		w.WriteClasses(keys[i]-keys[i-1]-1, gapOrder, counts[i]-1, countOrder)
	}
	return append(append(dst, byte(gapOrder), byte(countOrder)), w.Bytes()...)
}

// bestOrderOfFew is bitio.BestOrderOf of few bit lengths: without a histogram, in a byte
// for each of the lengths.
func bestOrderOfFew(lengths []uint8) uint {
	n := uint64(len(lengths))
	// Of the first two sums one counts lengths of 0, the other those of 0 and 1.
	var zeros, ones uint64
	for _, l := range lengths {
		zeros += (uint64(l) - 1) >> 63
		ones += (uint64(l) - 2) >> 63
	}
	if zeros+ones >= n { // as counts are most often
		return 0
	}
	for k := uint8(1); k < bitio.MaxOrder; k++ {
		sum := uint64(0)
		for _, l := range lengths {
			sum += (uint64(l)-uint64(k)-1)>>63 + (uint64(l)-uint64(k)-2)>>63
		}
		if sum >= n {
			return uint(k)
		}
	}
	return bitio.MaxOrder
}
