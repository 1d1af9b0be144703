package bitio

import "math/bits"

// fewNumbers is up to how many numbers are looked at one by one: eight at once take as long.
const fewNumbers = 16

// RunOrders are the best orders for the gaps of a run of up to MaxRun keys, each less one, and for its counts,
// each less one, which are all one where there are none.
func RunOrders(keys, counts []uint64) (gaps, ns uint) {
	n := len(keys)
	if eight && n > fewNumbers && n <= MaxRun {
		gaps = uint(orderEight(&keys[1], &keys[0], n-1))
		if counts != nil {
			ns = uint(orderEight(&counts[:n][0], &zeros[0], n))
		}
		return gaps, ns
	}
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

// zeros are what counts are above.
var zeros [MaxRun]uint64

// WriteRun appends the gaps of up to MaxRun keys that rise, each less one, in the class code of order j, and behind
// each the count of the cell that it leads to, less one, in that of order k: not the first key and its count.
func (w *Writer) WriteRun(keys, counts []uint64, j, k uint) {
	counts = counts[:len(keys)]
	if n := len(keys) - 1; eight && n >= fewNumbers && n < MaxRun {
		var codes, lengths [MaxRun]uint64
		if codeEight(&codes[0], &lengths[0], &keys[1], &counts[1], n, uint64(j), uint64(k)) <= 56 {
			bits, rest := joinCodes(&w.buf[w.pos], &codes[0], &lengths[0], n, w.acc, uint64(w.n))
			w.pos, w.acc, w.n = w.pos+int(bits/8), rest, uint(bits%8)
			return
		}
	}
	for i := 1; i < len(keys); i++ {
		w.WriteClasses(keys[i]-keys[i-1]-1, j, counts[i]-1, k)
	}
}
