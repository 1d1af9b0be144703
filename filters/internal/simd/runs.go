package simd

import (
	"encoding/binary"
	"math/bits"
)

// MaxRun is the most numbers of a run of Runs.
const MaxRun = 128

// Runs has four runs of cells. A run has ascending keys, each with a count of at least 1.
type Runs struct {
	Keys, Counts [4][MaxRun]uint64
	// At is where the next code of each run begins, in bits from the beginning of the buffer. The orders are
	// of the class codes of gaps and counts.
	At, GapOrder, CountOrder [4]uint64

	last        [4]uint64 // the last keys that were read
	window, end [4]uint64 // the longest code of a window, and the last position of a window in the buffer
}

// Window is the least number of bits of a code that eight bytes hold, wherever in the first byte it begins.
const Window = 57

// Read reads the cells [from, to) of four runs. Cells before from must be there already. A code
// is a gap less one, followed by a count less one. Read returns the index at which it stopped: less
// than to if a code is long, or near the end of the buffer.
//
// A number of a run begins where the one before ends. While the processor waits for this, it has time for
// the three other runs. Gaps of one window each add up to less than 2^64. So if a run's last key is above
// the one before from, all keys that were read are in order.
func (r *Runs) Read(buf []byte, from, to int) int {
	if len(buf) < 8 {
		return from
	}
	to = min(to, MaxRun)
	for i := range r.At {
		r.last[i] = r.Keys[i][from-1]
		r.window[i], r.end[i] = Window, uint64(len(buf)-8)*8+7
		if r.At[i] > r.end[i] {
			return from
		}
	}
	if use && from < to {
		return runsKernel(r, &buf[0], from, to)
	}
	return r.read(buf, from, to)
}

// read is Read without a kernel.
func (r *Runs) read(buf []byte, from, to int) int {
	for ; from < to; from++ {
		i := from & (MaxRun - 1)
		var lengths [4]uint64
		for run, at := range r.At {
			if at/8+8 > uint64(len(buf)) {
				return from
			}
			w := binary.LittleEndian.Uint64(buf[at/8:at/8+8]) >> (at & 7)
			gap, m := OrderOf(r.GapOrder[run]).Read(w)
			count, n := OrderOf(r.CountOrder[run]).Read(w >> (m & 63))
			if m+n > Window {
				return from
			}
			lengths[run] = m + n
			r.Keys[run][i], r.Counts[run][i] = r.last[run]+gap+1, count+1
		}
		for run, n := range lengths {
			r.At[run] += n
			r.last[run] = r.Keys[run][i]
		}
	}
	return from
}

// MaxOrder is the largest order of the class code.
const MaxOrder = 56

// Order reads numbers of one order of the class code. The class of a number is the number of zeros
// at the beginning of its code.
type Order struct {
	k uint64
	// By class: mask has the bits of the number that follow the leading one, and top has the leading one.
	classes [64]struct{ mask, top uint64 }
}

// orders has all orders.
var orders = func() (all [MaxOrder + 1]Order) {
	for k := range all {
		all[k].k = uint64(k)
		all[k].classes[0].mask = 1<<k - 1
		for e := 1; e < 64; e++ {
			top := uint64(1) << min(k+e-1, 63) // beyond that it fits no window
			all[k].classes[e].mask, all[k].classes[e].top = top-1, top
		}
	}
	return all
}()

// OrderOf returns order k.
func OrderOf(k uint64) *Order { return &orders[k] }

// Read returns the number whose code begins window w, and the length of its code. A length above Window
// means that the window does not hold the whole code.
func (o *Order) Read(w uint64) (v, n uint64) {
	e := uint64(bits.TrailingZeros64(w|1<<63)) & 63
	c := &o.classes[e]
	return w>>e>>1&c.mask | c.top, 2*e + o.k + (e-1)>>63
}
