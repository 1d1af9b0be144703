package words

import "math/bits"

// A row of m counters has one for every key, which counter of which is
// h1 + step*h2, reduced to m by the high half of a product (Lemire 2019, "Fast
// Random Integer Generation in an Interval"). Where rows are gone through one by
// one, each for many keys, the reads of different keys do not wait for each
// other.

// AddRow adds ns[k], or n where ns is nil, to the counter of every key in the
// row that t begins with. It stops at the first key whose counter the sum does
// not fit, and returns the number of keys done.
func (t Table) AddRow(m, step uint64, h1s, h2s, ns []uint64, n uint64) int {
	switch t.Shift {
	case 0:
		return addRow[uint8](t.B, m, step, h1s, h2s, ns, n)
	case 1:
		return addRow[uint16](t.B, m, step, h1s, h2s, ns, n)
	case 2:
		return addRow[uint32](t.B, m, step, h1s, h2s, ns, n)
	}
	return addRow[uint64](t.B, m, step, h1s, h2s, ns, n)
}

func addRow[W Word](b []byte, m, step uint64, h1s, h2s, ns []uint64, n uint64) int {
	limit := Room[W]()
	h2s = h2s[:len(h1s)]
	if ns != nil {
		ns = ns[:len(h1s)]
		for i, h1 := range h1s {
			p, _ := bits.Mul64(h1+step*h2s[i], m)
			v, n := uint64(Get[W](b, uint32(p))), ns[i]
			if n > limit || v > limit-n {
				return i
			}
			Put(b, uint32(p), W(v+n))
		}
		return len(h1s)
	}
	if n > limit {
		return 0
	}
	most := limit - n
	for i, h1 := range h1s {
		p, _ := bits.Mul64(h1+step*h2s[i], m)
		v := uint64(Get[W](b, uint32(p)))
		if v > most {
			return i
		}
		Put(b, uint32(p), W(v+n))
	}
	return len(h1s)
}

// LeastRow lowers dst to the counter of every key in the row that t begins with.
func (t Table) LeastRow(m, step uint64, h1s, h2s, dst []uint64) {
	switch t.Shift {
	case 0:
		leastRow[uint8](t.B, m, step, h1s, h2s, dst)
	case 1:
		leastRow[uint16](t.B, m, step, h1s, h2s, dst)
	case 2:
		leastRow[uint32](t.B, m, step, h1s, h2s, dst)
	default:
		leastRow[uint64](t.B, m, step, h1s, h2s, dst)
	}
}

func leastRow[W Word](b []byte, m, step uint64, h1s, h2s, dst []uint64) {
	h1s, h2s = h1s[:len(dst)], h2s[:len(dst)]
	for i, least := range dst {
		p, _ := bits.Mul64(h1s[i]+step*h2s[i], m)
		dst[i] = min(least, uint64(Get[W](b, uint32(p))))
	}
}
