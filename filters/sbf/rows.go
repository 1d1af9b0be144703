package sbf

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
		done := t.words.AddRow(m, step, h1s, h2s, ns, n)
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

// byRows reports whether keys can be taken so.
func (s *shape) byRows(c *cells) bool { return c.plain() && !s.blocked }

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
			first.words.LeastRow(l.m, step+1, h1s[:keys], h2s[:keys], dst[:keys])
		}
		if keys < min(rowKeys, len(dst)) {
			dst[keys] = s.count(first, nil, nil, h1s[keys], h2s[keys])
			keys++
		}
		dst, h1s, h2s = dst[keys:], h1s[keys:], h2s[keys:]
	}
}
