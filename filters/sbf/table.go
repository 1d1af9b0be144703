package sbf

import (
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/internal/words"
)

// saturated is the value of a counter that reached the end of 64 bits. It stays there, whatever is
// added or removed.
const saturated = words.Saturated

// cells are the counters of a filter. A Sketch keeps them in words or in an index. Elias and steps
// codes take a scan to read and a rewrite to change, so only a View has these.
type cells struct {
	n     int
	words words.Table // with the encoding Plain; otherwise its B is nil

	coded encodedCounters // nil if the encoding is Plain
	index *counters.Array // in a Sketch the value of coded, nil in a View
}

// encodedCounters are counters in another encoding than Plain.
type encodedCounters interface {
	words.Source
	At(i int) uint64
}

// newCells returns n counters that are 0.
func newCells(e Encoding, n int) cells {
	if e != Index {
		return cells{words: words.Make(0, n), n: n}
	}
	a := counters.NewArray(n)
	return cells{coded: a, index: a, n: n}
}

// plain reports whether the counters are words.
func (c *cells) plain() bool { return c.words.B != nil }

// source returns the counters as words or in their encoding.
func (c *cells) source() words.Source {
	if c.plain() {
		return c.words
	}
	return c.coded
}

// table returns the counters as words.
func (c *cells) table() words.Table {
	if c.plain() {
		return c.words
	}
	return words.Collect(c.coded)
}

// append appends the counters in an encoding. In the encoding Plain, words are as they are.
func (c *cells) append(dst []byte, e Encoding) []byte {
	if e == Plain {
		return append(dst, c.words.Tight().B...)
	}
	return counters.Encode(dst, e, c.source())
}

// at returns counter p.
func (c *cells) at(p uint32) uint64 {
	if !c.plain() {
		return c.coded.At(int(p))
	}
	return c.words.At(int(p))
}

// bytes returns the memory of the counters of a Sketch.
func (c *cells) bytes() int {
	if c.index != nil {
		return c.index.Bytes()
	}
	return len(c.words.B)
}

// clone returns a copy that can be changed, for a sketch with an encoding.
func (c *cells) clone(e Encoding) cells {
	switch {
	case c.plain():
		return cells{words: words.Table{Shift: c.words.Shift, B: slices.Clone(c.words.B)}, n: c.n}
	case e != Index:
		return cells{words: c.table(), n: c.n}
	}
	t := newCells(e, c.n)
	t.copy(c)
	return t
}

// emptied returns the same number of counters, all 0. Without an index, they are counters of one byte in
// the same memory. With an index, it makes a new one.
func (c *cells) emptied() cells {
	if c.index != nil {
		return newCells(Index, c.n)
	}
	c.words = words.Table{B: c.words.B[:c.n]}
	clear(c.words.B)
	return *c
}

// least returns the smallest of the counters at pos, which are a key's.
func (c *cells) least(pos []uint32) uint64 {
	least := uint64(saturated)
	for _, p := range pos {
		least = min(least, c.at(p))
	}
	return least
}

// minimum returns the smallest of the counters at pos, which are a key's. single is true if no other one
// has the same value. at is the position of the smallest.
func (c *cells) minimum(pos []uint32) (least uint64, single bool, at uint32) {
	least = saturated
	for i, p := range pos {
		switch v := c.at(p); {
		case v < least || i == 0:
			least, single, at = v, true, p
		case v == least:
			single = false
		}
	}
	return least, single, at
}

// full reports whether a counter is saturated.
func (c *cells) full() bool {
	if c.plain() {
		return c.words.Full()
	}
	for _, block := range words.Blocks(c.coded) {
		if slices.Contains(block, saturated) {
			return true
		}
	}
	return false
}

// total returns the sum of all counters, a number of 128 bits.
func (c *cells) total() (hi, lo uint64) {
	for _, block := range words.Blocks(c.source()) {
		for _, v := range block {
			var carry uint64
			lo, carry = bits.Add64(lo, v, 0)
			hi += carry
		}
	}
	return hi, lo
}

// empty reports whether all counters are 0.
func (c *cells) empty() bool {
	hi, lo := c.total()
	return hi|lo == 0
}

// set sets counter p to v. All counters get wider if v needs it.
func (c *cells) set(p uint32, v uint64) {
	if c.index != nil {
		c.index.Set(int(p), v)
	} else {
		c.words.Raise(int(p), v)
	}
}

// add adds n to the counters at pos, which are a key's. It reports whether one of them is saturated.
func (c *cells) add(pos []uint32, n uint64) (full bool) {
	for _, p := range pos {
		v := saturate.Add(c.at(p), n)
		full = full || v == saturated
		c.set(p, v)
	}
	return full
}

// raise is the minimal increase: it raises every counter of a key to at least the smallest of them
// plus n. Section 3.2.
func (c *cells) raise(pos []uint32, n uint64) (full bool) {
	target := saturate.Add(c.least(pos), n)
	for _, p := range pos {
		if c.at(p) < target {
			c.set(p, target)
		}
	}
	return target == saturated
}

// sub subtracts n from the counters at pos, which are a key's. Each of them must be at least n.
func (c *cells) sub(pos []uint32, n uint64) {
	if n == 0 {
		return
	}
	for _, p := range pos {
		c.set(p, saturate.Sub(c.at(p), n))
	}
}

// update sets every counter to f(a, b): a is its value, and b is the value of the same counter in o. It
// reports whether a result is saturated.
func (c *cells) update(o *cells, f func(a, b uint64) uint64) (full bool) {
	if c.index == nil {
		return c.words.Merge(o.table(), f)
	}
	from := o.source()
	var room [words.BlockLen]uint64
	c.index.Update(func(at int, block []uint64) {
		others := room[:len(block)]
		from.Unpack(at, others)
		for i, v := range block {
			block[i] = f(v, others[i])
			full = full || block[i] == saturated
		}
	})
	return full
}

// copy copies the counters of o.
func (c *cells) copy(o *cells) { c.update(o, func(_, b uint64) uint64 { return b }) }
