package sbf

import (
	"math/bits"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
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

// reader is counters in any encoding.
type reader interface {
	At(i int) uint64
	Unpack(at int, dst []uint64)
}

// cells are counters to read: little-endian words where they are plain.
type cells struct {
	r     reader
	words words.Table // B is nil where they are not plain
	n     int
}

// plain reports whether the counters are words.
func (c *cells) plain() bool { return c.words.B != nil }

func (c *cells) at(p uint32) uint64 {
	if !c.plain() {
		return c.r.At(int(p))
	}
	return c.words.At(int(p))
}

// least is the smallest of a key's counters.
func (c *cells) least(pos []uint32) uint64 {
	if !c.plain() {
		least := uint64(saturated)
		for _, p := range pos {
			least = min(least, c.r.At(int(p)))
		}
		return least
	}
	switch c.words.Shift {
	case 0:
		return leastWord[uint8](c.words.B, pos)
	case 1:
		return leastWord[uint16](c.words.B, pos)
	case 2:
		return leastWord[uint32](c.words.B, pos)
	}
	return leastWord[uint64](c.words.B, pos)
}

func leastWord[W words.Word](b []byte, pos []uint32) uint64 {
	least := ^W(0)
	for _, p := range pos {
		least = min(least, words.Get[W](b, p))
	}
	return uint64(least)
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

// outOfCache is the size from which on a table is fetched ahead.
const outOfCache = 1 << 18

// fetch asks for the words of many positions, at most batch.
func (c *cells) fetch(pos []uint32) {
	if len(c.words.B) < outOfCache {
		return
	}
	if c.words.Shift == 0 {
		simd.Prefetch(unsafe.Pointer(&c.words.B[0]), pos)
		return
	}
	var offsets [batch]uint32
	for i, p := range pos {
		offsets[i] = p << c.words.Shift
	}
	simd.Prefetch(unsafe.Pointer(&c.words.B[0]), offsets[:len(pos)])
}

// table is cells that change.
type table struct {
	cells
	a counters.Array
}

func newTable(e Encoding, n int) table { return tableOf(counters.New(e, n)) }

func tableOf(a counters.Array) table {
	t := table{cells: cells{r: a, n: a.Len()}, a: a}
	t.words = counters.Words(a)
	return t
}

// set makes counter p v, whatever that takes.
func (t *table) set(p uint32, v uint64) {
	t.a.Set(int(p), v)
	t.words = counters.Words(t.a)
}

// add adds n to a key's counters and reports whether one of them is now
// saturated, or was.
func (t *table) add(pos []uint32, n uint64) (full bool) {
	done := 0
	if t.plain() {
		switch t.words.Shift {
		case 0:
			done = addWords[uint8](t.words.B, pos, n)
		case 1:
			done = addWords[uint16](t.words.B, pos, n)
		case 2:
			done = addWords[uint32](t.words.B, pos, n)
		default:
			done = addWords[uint64](t.words.B, pos, n)
		}
	}
	for _, p := range pos[done:] {
		v := satAdd(t.at(p), n)
		full = full || v == saturated
		t.set(p, v)
	}
	return full
}

// addWords stops at the first counter that the sum does not fit.
func addWords[W words.Word](b []byte, pos []uint32, n uint64) int {
	limit := words.Room[W]()
	if n > limit {
		return 0
	}
	for i, p := range pos {
		v := uint64(words.Get[W](b, p))
		if v > limit-n {
			return i
		}
		words.Put(b, p, W(v+n))
	}
	return len(pos)
}

// raise is the minimal increase: every counter of a key becomes at least their
// least and n more. Section 3.2.
func (t *table) raise(pos []uint32, n uint64) (full bool) {
	if t.plain() {
		switch t.words.Shift {
		case 0:
			if raiseWords[uint8](t.words.B, pos, n) {
				return false
			}
		case 1:
			if raiseWords[uint16](t.words.B, pos, n) {
				return false
			}
		case 2:
			if raiseWords[uint32](t.words.B, pos, n) {
				return false
			}
		default:
			if raiseWords[uint64](t.words.B, pos, n) {
				return false
			}
		}
	}
	target := satAdd(t.least(pos), n)
	for _, p := range pos {
		if t.at(p) < target {
			t.set(p, target)
		}
	}
	return target == saturated
}

func raiseWords[W words.Word](b []byte, pos []uint32, n uint64) bool {
	least := ^W(0)
	for _, p := range pos {
		least = min(least, words.Get[W](b, p))
	}
	limit := words.Room[W]()
	if n > limit || uint64(least) > limit-n {
		return false
	}
	target := least + W(n)
	for _, p := range pos {
		words.Put(b, p, max(words.Get[W](b, p), target))
	}
	return true
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
