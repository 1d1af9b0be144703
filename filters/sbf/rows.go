package sbf

import (
	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Where counters are in rows and their sums count, many keys are taken at once: first
// all of their first counters, then all of their second ones. The reads of
// different keys do not wait for each other.

// rowOf is the table that begins with a row.
func rowOf(t words.Table, width, row uint64) words.Table {
	return words.Table{Shift: t.Shift, B: t.B[row*width<<t.Shift:]}
}

// addRow adds ns[i], or n where ns is nil, to one counter of every key: that of a row, of
// which step is h2's factor.
func (t *table) addRow(width, row, step uint64, h1s, h2s, ns []uint64, n uint64) (full bool) {
	for len(h1s) > 0 {
		done := rowOf(t.words, width, row).AddRow(width, step, h1s, h2s, ns, n)
		if done == len(h1s) {
			break
		}
		if ns != nil {
			n = ns[done]
			ns = ns[done+1:]
		}
		p := uint32(row*width) + scale(h1s[done]+step*h2s[done], width)
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
	width := s.shape.first.width
	for len(h1s) > 0 {
		keys := min(rowKeys, len(h1s))
		var weights []uint64
		if ns != nil {
			weights, ns = ns[:keys], ns[keys:]
		}
		step := uint64(1)
		for row := range uint64(s.k) {
			full = s.first.addRow(width, row, step, h1s[:keys], h2s[:keys], weights, n) || full
			step *= key.Spread
		}
		h1s, h2s = h1s[keys:], h2s[keys:]
	}
	return full
}

// countByRows is countHashes of MS and MI.
func (s *shape) countByRows(first *cells, dst, h1s, h2s []uint64) {
	width := s.first.width
	for len(dst) > 0 {
		keys := min(rowKeys, len(dst))
		for i := range dst[:keys] {
			dst[i] = saturated
		}
		step := uint64(1)
		for row := range uint64(s.k) {
			rowOf(first.words, width, row).LeastRow(width, step, h1s[:keys], h2s[:keys], dst[:keys])
			step *= key.Spread
		}
		dst, h1s, h2s = dst[keys:], h1s[keys:], h2s[keys:]
	}
}
