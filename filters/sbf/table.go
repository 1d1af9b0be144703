package sbf

import (
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/internal/words"
)

// saturated is the value of a counter that reached the end of 64 bits: it
// stays there whatever is added or removed.
const saturated = words.Saturated

func satAdd(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return saturated
	}
	return sum
}

func satMul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return saturated
	}
	return lo
}

// cells are counters to read: words, of a Sketch or of a BLOB, or counters in another encoding.
type cells struct {
	words words.Table // B is nil where coded has the counters
	coded encodedCounters
	n     int
}

// encodedCounters are counters in another encoding than Plain.
type encodedCounters interface {
	counters.Source
	At(i int) uint64
}

// source is the counters in order.
func (c *cells) source() counters.Source {
	if c.plain() {
		return c.words
	}
	return c.coded
}

// plain reports whether the counters are words.
func (c *cells) plain() bool { return c.words.B != nil }

func (c *cells) at(p uint32) uint64 {
	if !c.plain() {
		return c.coded.At(int(p))
	}
	return c.words.At(int(p))
}

func (c *cells) unpack(at int, dst []uint64) {
	if c.plain() {
		c.words.Unpack(at, dst)
	} else {
		c.coded.Unpack(at, dst)
	}
}

// each calls f with all counters in order, in blocks that begin at at.
func (c *cells) each(f func(at int, block []uint64)) {
	var room [words.BlockLen]uint64
	for at := 0; at < c.n; at += len(room) {
		block := room[:min(len(room), c.n-at)]
		c.unpack(at, block)
		f(at, block)
	}
}

// least is the smallest of a key's counters.
func (c *cells) least(pos []uint32) uint64 {
	least := uint64(saturated)
	for _, p := range pos {
		least = min(least, c.at(p))
	}
	return least
}

// minimum is the smallest of a key's counters, whether only one of them is as
// small, and that one.
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

// table is cells that change, in words or in an index. Elias and steps codes take a scan to
// read and a rewrite to change: they are for BLOBs.
type table struct {
	cells
	index *counters.Array // coded as well; nil where there are words
}

func newTable(e Encoding, n int) table {
	if e != Index {
		return table{cells: cells{words: words.Make(0, n), n: n}}
	}
	a := counters.NewArray(n)
	return table{cells{coded: a, n: n}, a}
}

// table is a copy of the counters, to be written in an encoding.
func (c *cells) table(e Encoding) table {
	if c.plain() {
		return table{cells: cells{words: words.Table{Shift: c.words.Shift, B: slices.Clone(c.words.B)}, n: c.n}}
	}
	if e != Index {
		return table{cells: cells{words: words.Of(c.n, c.coded.Unpack), n: c.n}}
	}
	t := newTable(e, c.n)
	t.copy(c)
	return t
}

func (t *table) bytes() int {
	if t.index != nil {
		return t.index.Bytes()
	}
	return len(t.words.B)
}

// set makes counter p v, whatever that takes.
func (t *table) set(p uint32, v uint64) {
	if t.index != nil {
		t.index.Set(int(p), v)
	} else {
		t.words.Raise(int(p), v)
	}
}

// add adds n to a key's counters and reports whether one of them is now
// saturated, or was.
func (t *table) add(pos []uint32, n uint64) (full bool) {
	for _, p := range pos {
		v := satAdd(t.at(p), n)
		full = full || v == saturated
		t.set(p, v)
	}
	return full
}

// raise is the minimal increase: every counter of a key becomes at least their
// least and n more. Section 3.2.
func (t *table) raise(pos []uint32, n uint64) (full bool) {
	target := satAdd(t.least(pos), n)
	for _, p := range pos {
		if t.at(p) < target {
			t.set(p, target)
		}
	}
	return target == saturated
}

// sub takes n from a key's counters, all of which have it.
func (t *table) sub(pos []uint32, n uint64) {
	if n == 0 {
		return
	}
	for _, p := range pos {
		if v := t.at(p); v != saturated {
			t.set(p, v-n)
		}
	}
}
