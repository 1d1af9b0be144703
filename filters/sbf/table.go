package sbf

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/internal/words"
)

// cells are the counters of a filter. In a Sketch they are words. Codes take a scan to read and a rewrite
// to change, so only a View has these.
type cells struct {
	words words.Table
	coded *counters.View // counters of a View in another encoding than Plain; otherwise nil
}

// newCells returns n counters that are 0.
func newCells(n uint64) cells { return cells{words: words.Make(0, int(n))} }

// source returns the counters as words or in their encoding.
func (c *cells) source() words.Source {
	if c.coded != nil {
		return c.coded
	}
	return c.words
}

// append appends the counters of a Sketch in an encoding.
func (c *cells) append(dst []byte, e Encoding) []byte {
	if e == Plain {
		return append(dst, c.words.Tight().B...)
	}
	return counters.Encode(dst, e, c.words)
}

// at returns counter p.
func (c *cells) at(p uint32) uint64 {
	if c.coded != nil {
		return c.coded.At(int(p))
	}
	return c.words.At(int(p))
}

// table returns the counters as words, which are the memory of c unless they are coded.
func (c *cells) table() words.Table {
	if c.coded != nil {
		return words.Collect(c.coded)
	}
	return c.words
}

// clone returns a copy for a Sketch.
func (c *cells) clone() cells {
	if c.coded != nil {
		return cells{words: c.table()}
	}
	return cells{words: c.words.Clone()}
}

// least returns the smallest of the counters at pos, which are a key's.
func (c *cells) least(pos []uint32) uint64 {
	least := uint64(words.Saturated)
	for _, p := range pos {
		least = min(least, c.at(p))
	}
	return least
}

// minimum returns the smallest of the counters at pos, which are a key's. single is true if no other one
// has the same value. at is the position of the smallest.
func (c *cells) minimum(pos []uint32) (least uint64, single bool, at uint32) {
	least = words.Saturated
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
	if c.coded == nil {
		return c.words.Full()
	}
	_, largest := words.Used(c.coded)
	return largest == words.Saturated
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

// unpacked returns the counters.
func (c *cells) unpacked() []uint64 {
	source := c.source()
	all := make([]uint64, source.Len())
	source.Unpack(0, all)
	return all
}

// empty reports whether all counters are 0.
func (c *cells) empty() bool {
	used, _ := words.Used(c.source())
	return used == 0
}
