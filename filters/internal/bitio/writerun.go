package bitio

import "math/bits"

// RunOrders returns the best orders for the gaps and for the counts of a run with up to MaxRun keys. Gaps
// and counts are coded less one. If counts is nil, all counts are one.
func RunOrders(keys, counts []uint64) (gaps, ns uint) {
	n := len(keys)
	var lengths [65]uint32
	for i := 1; i < n; i++ {
		lengths[bits.Len64(keys[i]-keys[i-1]-1)]++
	}
	gaps = BestOrderOf(&lengths, uint(n-1))
	if counts == nil {
		return gaps, 0
	}
	lengths = [65]uint32{}
	for _, c := range counts[:n] {
		lengths[bits.Len64(c-1)]++
	}
	return gaps, BestOrderOf(&lengths, uint(n))
}

// WriteRun appends the cells of a run with up to MaxRun ascending keys, except for the first key and its
// count. For each cell it writes the gap before its key, less one, in the class code of order j. Then it
// writes its count, less one, in the class code of order k.
func (w *Writer) WriteRun(keys, counts []uint64, j, k uint) {
	counts = counts[:len(keys)]
	for i := 1; i < len(keys); i++ {
		w.WriteClasses(keys[i]-keys[i-1]-1, j, counts[i]-1, k)
	}
}
