package bitio

import "math/bits"

// RunOrders returns the best orders for the gaps of a run of up to MaxRun keys, and for its counts. Gaps
// and counts are less by one. If counts is nil, all are one.
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

// WriteRun appends the gaps of up to MaxRun ascending keys, less by one, in the class code of order j.
// Each is followed by the count of the next key, less by one, in that of order k. It does not write the
// first key and its count.
func (w *Writer) WriteRun(keys, counts []uint64, j, k uint) {
	counts = counts[:len(keys)]
	for i := 1; i < len(keys); i++ {
		w.WriteClasses(keys[i]-keys[i-1]-1, j, counts[i]-1, k)
	}
}
