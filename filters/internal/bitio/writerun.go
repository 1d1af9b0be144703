package bitio

import "math/bits"

// RunOrders are the best orders for the gaps of a run of up to MaxRun keys, each less one, and for its counts,
// each less one, which are all one where there are none.
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

// WriteRun appends the gaps of up to MaxRun keys that rise, each less one, in the class code of order j, and behind
// each the count of the cell that it leads to, less one, in that of order k: not the first key and its count.
func (w *Writer) WriteRun(keys, counts []uint64, j, k uint) {
	counts = counts[:len(keys)]
	for i := 1; i < len(keys); i++ {
		w.WriteClasses(keys[i]-keys[i-1]-1, j, counts[i]-1, k)
	}
}
