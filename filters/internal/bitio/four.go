package bitio

import (
	"encoding/binary"
	"math/bits"
)

// MaxRun is the most numbers of a run of Runs.
const MaxRun = 128

// Runs has four runs of cells. A run has ascending keys, each with a count of at least 1.
type Runs struct{ Keys, Counts [4][MaxRun]uint64 }

// classBits has masks for the bits that follow the leading one of a class. mask has the bits of the
// number, and top has the number's leading one.
type classBits struct{ mask, top uint64 }

// classParts has the masks for each order and class. The class is the number of zeros at the beginning of
// a code.
var classParts = func() (parts [MaxOrder + 1][64]classBits) {
	for k := range parts {
		parts[k][0].mask = 1<<k - 1
		for e := 1; e < 64; e++ {
			top := uint64(1) << min(k+e-1, 63) // beyond that it fits no window
			parts[k][e] = classBits{top - 1, top}
		}
	}
	return parts
}()

// ReadRuns reads the cells [from, to) of four runs. Each run has its own reader of
// the same buffer, and its orders for gaps and counts. Cells before from must be in out already. A code
// is a gap less one, followed by a count less one. ReadRuns returns the index at which it stopped: less
// than to if a code is long, or near the end of the buffer.
//
// A number of a run begins where the one before ends. While the processor waits for this, it has time for
// the three other runs. Gaps of one window each add up to less than 2^64. So if a run's last key is above
// its first, all its keys are in order.
func ReadRuns(r *[4]Reader, orders *[4][2]uint, out *Runs, from, to int) int {
	buf := r[0].wide
	a, b, c, d := r[0].pos, r[1].pos, r[2].pos, r[3].pos
	aj, ak, bj, bk := orders[0][0], orders[0][1], orders[1][0], orders[1][1]
	cj, ck, dj, dk := orders[2][0], orders[2][1], orders[3][0], orders[3][1]
	ajs, aks, bjs, bks := &classParts[aj], &classParts[ak], &classParts[bj], &classParts[bk]
	cjs, cks, djs, dks := &classParts[cj], &classParts[ck], &classParts[dj], &classParts[dk]
	last := (from - 1) & (MaxRun - 1)
	w, x, y, z := out.Keys[0][last], out.Keys[1][last], out.Keys[2][last], out.Keys[3][last]
	for ; from < to; from++ {
		ap, bp, cp, dp := a/8, b/8, c/8, d/8
		if n := uint(len(buf)); ap+8 > n || bp+8 > n || cp+8 > n || dp+8 > n {
			break
		}
		aw := binary.LittleEndian.Uint64(buf[ap:ap+8]) >> (a & 7)
		bw := binary.LittleEndian.Uint64(buf[bp:bp+8]) >> (b & 7)
		cw := binary.LittleEndian.Uint64(buf[cp:cp+8]) >> (c & 7)
		dw := binary.LittleEndian.Uint64(buf[dp:dp+8]) >> (d & 7)
		au, am := classIn(aw, aj, ajs)
		bu, bm := classIn(bw, bj, bjs)
		cu, cm := classIn(cw, cj, cjs)
		du, dm := classIn(dw, dj, djs)
		av, an := classIn(aw>>(am&63), ak, aks)
		bv, bn := classIn(bw>>(bm&63), bk, bks)
		cv, cn := classIn(cw>>(cm&63), ck, cks)
		dv, dn := classIn(dw>>(dm&63), dk, dks)
		am += an
		bm += bn
		cm += cn
		dm += dn
		if max(am, bm, cm, dm) > 57 {
			break
		}
		i := from & (MaxRun - 1)
		w += au + 1
		x += bu + 1
		y += cu + 1
		z += du + 1
		out.Keys[0][i], out.Counts[0][i] = w, av+1
		out.Keys[1][i], out.Counts[1][i] = x, bv+1
		out.Keys[2][i], out.Counts[2][i] = y, cv+1
		out.Keys[3][i], out.Counts[3][i] = z, dv+1
		a += am
		b += bm
		c += cm
		d += dm
	}
	r[0].pos, r[1].pos, r[2].pos, r[3].pos = a, b, c, d
	return from
}

// classIn returns the number whose code of order k begins window w, and the length of its code. A length
// above 57 means that the window does not hold the whole code. parts is classParts[k].
func classIn(w uint64, k uint, parts *[64]classBits) (v uint64, n uint) {
	e := uint(bits.TrailingZeros64(w|1<<63)) & 63
	p := &parts[e]
	return w>>e>>1&p.mask | p.top, 2*e + k + (e-1)>>(bits.UintSize-1)
}
