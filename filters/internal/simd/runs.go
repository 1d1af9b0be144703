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
	a, b, c, d := r.At[0], r.At[1], r.At[2], r.At[3]
	aj, ak, bj, bk := OrderOf(r.GapOrder[0]), OrderOf(r.CountOrder[0]), OrderOf(r.GapOrder[1]), OrderOf(r.CountOrder[1])
	cj, ck, dj, dk := OrderOf(r.GapOrder[2]), OrderOf(r.CountOrder[2]), OrderOf(r.GapOrder[3]), OrderOf(r.CountOrder[3])
	w, x, y, z := r.last[0], r.last[1], r.last[2], r.last[3]
	for ; from < to; from++ {
		ap, bp, cp, dp := a/8, b/8, c/8, d/8
		if n := uint64(len(buf)); ap+8 > n || bp+8 > n || cp+8 > n || dp+8 > n {
			break
		}
		aw := binary.LittleEndian.Uint64(buf[ap:ap+8]) >> (a & 7)
		bw := binary.LittleEndian.Uint64(buf[bp:bp+8]) >> (b & 7)
		cw := binary.LittleEndian.Uint64(buf[cp:cp+8]) >> (c & 7)
		dw := binary.LittleEndian.Uint64(buf[dp:dp+8]) >> (d & 7)
		au, am := aj.Read(aw)
		bu, bm := bj.Read(bw)
		cu, cm := cj.Read(cw)
		du, dm := dj.Read(dw)
		av, an := ak.Read(aw >> (am & 63))
		bv, bn := bk.Read(bw >> (bm & 63))
		cv, cn := ck.Read(cw >> (cm & 63))
		dv, dn := dk.Read(dw >> (dm & 63))
		am += an
		bm += bn
		cm += cn
		dm += dn
		if max(am, bm, cm, dm) > Window {
			break
		}
		i := from & (MaxRun - 1)
		w += au + 1
		x += bu + 1
		y += cu + 1
		z += du + 1
		r.Keys[0][i], r.Counts[0][i] = w, av+1
		r.Keys[1][i], r.Counts[1][i] = x, bv+1
		r.Keys[2][i], r.Counts[2][i] = y, cv+1
		r.Keys[3][i], r.Counts[3][i] = z, dv+1
		a += am
		b += bm
		c += cm
		d += dm
	}
	r.At = [4]uint64{a, b, c, d}
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
