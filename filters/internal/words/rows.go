package words

import "math/bits"

// Rows is a table of counters in rows. A key has one counter in each row. In row i it is h1 +
// Factors[i]*h2, mapped to an index below Width by the high half of a product. Lemire 2019, "Fast Random
// Integer Generation in an Interval".
type Rows struct {
	Table
	Width   uint64
	Factors []uint64 // as many as there are rows
}

// Row returns the counters of a row.
func (r *Rows) Row(row int) Table {
	size := int(r.Width) << r.Shift
	return Table{r.Shift, r.B[row*size:][:size]}
}

// Places appends, for each row, the index of the key's counter in the table.
func (r *Rows) Places(dst []uint32, h1, h2 uint64) []uint32 {
	for i, f := range r.Factors {
		p, _ := bits.Mul64(h1+f*h2, r.Width)
		dst = append(dst, uint32(i)*uint32(r.Width)+uint32(p))
	}
	return dst
}

// AddKey adds n to the counters of a key, and reports whether one of them is saturated.
func (r *Rows) AddKey(h1, h2, n uint64) (saturated bool) {
	row := 0
	switch r.Shift {
	case 0:
		row = addKey[uint8](r, h1, h2, n)
	case 1:
		row = addKey[uint16](r, h1, h2, n)
	case 2:
		row = addKey[uint32](r, h1, h2, n)
	default:
		row = addKey[uint64](r, h1, h2, n)
	}
	if row == len(r.Factors) {
		return false
	}
	var room [maxRows]uint32
	return r.Increase(r.Places(room[:0], h1, h2)[row:], n)
}

// maxRows is the largest number of rows.
const maxRows = 32

// addKey adds n to the counters of a key, row by row. It stops at a counter in which the sum does not
// fit, and returns its row.
func addKey[W Word](r *Rows, h1, h2, n uint64) (row int) {
	room := Room[W]()
	if n > room {
		return 0
	}
	room -= n
	b, width, base := r.B, r.Width, uint64(0)
	for i, f := range r.Factors {
		p, _ := bits.Mul64(h1+f*h2, width)
		at := uint32(base + p)
		v := uint64(Get[W](b, at))
		if v > room {
			return i
		}
		Put(b, at, W(v+n))
		base += width
	}
	return len(r.Factors)
}

// keysAtOnce is the number of keys that go through all rows together. Their hashes fit in the fastest
// cache.
const keysAtOnce = 256

// Add adds ns[k], or n if ns is nil, to the counters of every key. It reports whether one of them is
// saturated. Many keys go through one row after the other, so that the reads of different keys do not
// wait for each other.
func (r *Rows) Add(h1s, h2s, ns []uint64, n uint64) (saturated bool) {
	for len(h1s) > 0 {
		keys := min(keysAtOnce, len(h1s))
		weights := ns[:min(keys, len(ns))]
		for row := range r.Factors {
			saturated = r.addRow(row, h1s[:keys], h2s[:keys], weights, n) || saturated
		}
		h1s, h2s, ns = h1s[keys:], h2s[keys:], ns[len(weights):]
	}
	return saturated
}

// addRow is Add for one row. If ns is empty, every key is added n times.
func (r *Rows) addRow(row int, h1s, h2s, ns []uint64, n uint64) (saturated bool) {
	for f := r.Factors[row]; ; {
		done, t := 0, r.Row(row)
		switch r.Shift {
		case 0:
			done = addRow[uint8](t.B, r.Width, f, h1s, h2s, ns, n)
		case 1:
			done = addRow[uint16](t.B, r.Width, f, h1s, h2s, ns, n)
		case 2:
			done = addRow[uint32](t.B, r.Width, f, h1s, h2s, ns, n)
		default:
			done = addRow[uint64](t.B, r.Width, f, h1s, h2s, ns, n)
		}
		if done == len(h1s) {
			return saturated
		}
		if len(ns) > 0 {
			n, ns = ns[done], ns[done+1:]
		}
		p, _ := bits.Mul64(h1s[done]+f*h2s[done], r.Width)
		saturated = r.Increase([]uint32{uint32(row)*uint32(r.Width) + uint32(p)}, n) || saturated
		h1s, h2s = h1s[done+1:], h2s[done+1:]
	}
}

// addRow adds to the counters of keys in one row. It stops at a counter in which the sum does not fit,
// and returns the index of its key.
func addRow[W Word](b []byte, width, f uint64, h1s, h2s, ns []uint64, n uint64) int {
	limit := Room[W]()
	h2s = h2s[:len(h1s)]
	if len(ns) > 0 {
		ns = ns[:len(h1s)]
		for i, h1 := range h1s {
			p, _ := bits.Mul64(h1+f*h2s[i], width)
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
	room := limit - n
	for i, h1 := range h1s {
		p, _ := bits.Mul64(h1+f*h2s[i], width)
		v := uint64(Get[W](b, uint32(p)))
		if v > room {
			return i
		}
		Put(b, uint32(p), W(v+n))
	}
	return len(h1s)
}

// AddLeast is Table.IncreaseLeast for many keys, with ns[k], or n if ns is nil.
func (r *Rows) AddLeast(h1s, h2s, ns []uint64, n uint64) (saturated bool) {
	var room [maxRows]uint32
	for k, h1 := range h1s {
		if ns != nil {
			n = ns[k]
		}
		saturated = r.IncreaseLeast(r.Places(room[:0], h1, h2s[k]), n) || saturated
	}
	return saturated
}

// Least writes the smallest counter of every key to dst.
func (r *Rows) Least(dst, h1s, h2s []uint64) {
	switch r.Shift {
	case 0:
		least[uint8](r, dst, h1s, h2s)
	case 1:
		least[uint16](r, dst, h1s, h2s)
	case 2:
		least[uint32](r, dst, h1s, h2s)
	default:
		least[uint64](r, dst, h1s, h2s)
	}
}

func least[W Word](r *Rows, dst, h1s, h2s []uint64) {
	b, width, factors := r.B, r.Width, r.Factors
	h1s, h2s = h1s[:len(dst)], h2s[:len(dst)]
	for k, h1 := range h1s {
		h2, least, base := h2s[k], ^W(0), uint64(0)
		for _, f := range factors {
			p, _ := bits.Mul64(h1+f*h2, width)
			least = min(least, Get[W](b, uint32(base+p)))
			base += width
		}
		dst[k] = uint64(least)
	}
}
