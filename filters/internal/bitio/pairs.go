package bitio

import (
	"encoding/binary"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// ReadRuns reads the cells [from, to) of four runs. Each run has its own reader of the same buffer. Its
// orders and its cells before from must be in runs already. ReadRuns returns the index at which it
// stopped: less than to if a code is long, or near the end of the buffer.
func ReadRuns(r *[4]Reader, runs *simd.Runs, from, to int) int {
	for i := range r {
		runs.At[i] = uint64(r[i].pos)
	}
	from = runs.Read(r[0].wide, from, to)
	for i := range r {
		r[i].pos = uint(runs.At[i])
	}
	return from
}

// ReadPairs reads len(us) pairs of numbers that WriteClass wrote with orders j and k. Past the end it
// returns any numbers. It finds both codes of a pair in one window without a branch, so that the next pair
// need not wait for a prediction. The exception is a second number of 0 in order 0, the most frequent one.
func (r *Reader) ReadPairs(us, vs []uint64, j, k uint) {
	vs = vs[:len(us)]
	buf, pos := r.wide, r.pos
	gaps, counts := simd.OrderOf(uint64(j)), simd.OrderOf(uint64(k))
	for i := range us {
		if at := pos / 8; at+8 <= uint(len(buf)) {
			w := binary.LittleEndian.Uint64(buf[at:at+8]) >> (pos & 7)
			u, m := gaps.Read(w)
			if w >>= m & 63; k == 0 && w&1 != 0 && m < 57 {
				us[i], vs[i] = u, 0
				pos += uint(m) + 1
				continue
			}
			v, n := counts.Read(w)
			if m += n; m <= 57 {
				us[i], vs[i] = u, v
				pos += uint(m)
				continue
			}
		}
		// The codes are long, or the buffer ends here.
		r.pos = pos
		us[i], vs[i] = r.ReadClass(j), r.ReadClass(k)
		pos = r.pos
	}
	r.pos = pos
}
