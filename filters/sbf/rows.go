package sbf

import "math/bits"

// Where a key's counters are sums and lie anywhere, many keys are taken at
// once: first all of their first counters, then all of their second ones.
// Nothing is kept between the two, and the reads of different keys do not wait
// for each other.

// apart is the number of keys, from the first on, whose positions surely
// differ, so that they are those of layout.positions without a look at each
// other.
func (l *layout) apart(k int, h2s []uint64) int {
	common, far := l.common, l.far
	for i, h2 := range h2s {
		if h2*common+far < 2*far && l.meet(k, h2) {
			return i
		}
	}
	return len(h2s)
}

// position is where counter i = step-1 of a key is that apart accepts.
func position(h1, h2, step, m uint64) uint32 {
	return scale(h1+step*h2, m)
}

// addRow adds ns[i], or n where ns is nil, to one counter of every key.
func (t *table) addRow(m, step uint64, h1s, h2s, ns []uint64, n uint64) (full bool) {
	for len(h1s) > 0 {
		var done int
		switch t.shift {
		case 0:
			done = addRowWords[uint8](t.words, m, step, h1s, h2s, ns, n)
		case 1:
			done = addRowWords[uint16](t.words, m, step, h1s, h2s, ns, n)
		case 2:
			done = addRowWords[uint32](t.words, m, step, h1s, h2s, ns, n)
		default:
			done = addRowWords[uint64](t.words, m, step, h1s, h2s, ns, n)
		}
		if done == len(h1s) {
			break
		}
		if ns != nil {
			n = ns[done]
			ns = ns[done+1:]
		}
		p := position(h1s[done], h2s[done], step, m)
		v := satAdd(t.at(p), n)
		full = full || v == saturated
		t.set(p, v)
		h1s, h2s = h1s[done+1:], h2s[done+1:]
	}
	return full
}

// addRowWords stops at the first key whose counter the sum does not fit.
func addRowWords[W word](b []byte, m, step uint64, h1s, h2s, ns []uint64, n uint64) int {
	limit := room[W]()
	h2s = h2s[:len(h1s)]
	if ns != nil {
		ns = ns[:len(h1s)]
		for i, h1 := range h1s {
			p, _ := bits.Mul64(h1+step*h2s[i], m)
			v, n := uint64(get[W](b, uint32(p))), ns[i]
			if n > limit || v > limit-n {
				return i
			}
			put(b, uint32(p), W(v+n))
		}
		return len(h1s)
	}
	if n > limit {
		return 0
	}
	most := limit - n
	for i, h1 := range h1s {
		p, _ := bits.Mul64(h1+step*h2s[i], m)
		v := uint64(get[W](b, uint32(p)))
		if v > most {
			return i
		}
		put(b, uint32(p), W(v+n))
	}
	return len(h1s)
}

// leastRow lowers dst to one counter of every key.
func (c *cells) leastRow(m, step uint64, h1s, h2s, dst []uint64) {
	switch c.shift {
	case 0:
		leastRowWords[uint8](c.words, m, step, h1s, h2s, dst)
	case 1:
		leastRowWords[uint16](c.words, m, step, h1s, h2s, dst)
	case 2:
		leastRowWords[uint32](c.words, m, step, h1s, h2s, dst)
	default:
		leastRowWords[uint64](c.words, m, step, h1s, h2s, dst)
	}
}

func leastRowWords[W word](b []byte, m, step uint64, h1s, h2s, dst []uint64) {
	h1s, h2s = h1s[:len(dst)], h2s[:len(dst)]
	for i, least := range dst {
		p, _ := bits.Mul64(h1s[i]+step*h2s[i], m)
		dst[i] = min(least, uint64(get[W](b, uint32(p))))
	}
}

// byRows reports whether keys can be taken so.
func (s *shape) byRows(c *cells) bool { return c.words != nil && !s.blocked }

// rowKeys is the number of keys taken at once: their hashes stay in the
// fastest cache.
const rowKeys = 256

// addByRows counts keys by MS.
func (s *Sketch) addByRows(h1s, h2s, ns []uint64, n uint64) (full bool) {
	l := &s.shape.first
	for len(h1s) > 0 {
		keys := l.apart(s.k, h2s[:min(rowKeys, len(h2s))])
		var weights []uint64
		if ns != nil {
			weights = ns[:keys]
		}
		for step := range uint64(s.k) {
			full = s.first.addRow(l.m, step+1, h1s[:keys], h2s[:keys], weights, n) || full
		}
		if keys < min(rowKeys, len(h1s)) {
			if ns != nil {
				n = ns[keys]
			}
			s.putOne(h1s[keys], h2s[keys], n)
			keys++
		}
		h1s, h2s = h1s[keys:], h2s[keys:]
		if ns != nil {
			ns = ns[keys:]
		}
	}
	return full
}

// countByRows is countHashes of MS and MI.
func (s *shape) countByRows(first *cells, dst, h1s, h2s []uint64) {
	l := &s.first
	for len(dst) > 0 {
		keys := l.apart(s.k, h2s[:min(rowKeys, len(dst))])
		for i := range dst[:keys] {
			dst[i] = saturated
		}
		for step := range uint64(s.k) {
			first.leastRow(l.m, step+1, h1s[:keys], h2s[:keys], dst[:keys])
		}
		if keys < min(rowKeys, len(dst)) {
			dst[keys] = s.count(first, nil, nil, h1s[keys], h2s[keys])
			keys++
		}
		dst, h1s, h2s = dst[keys:], h1s[keys:], h2s[keys:]
	}
}
