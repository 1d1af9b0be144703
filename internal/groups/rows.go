// Package groups sorts the rows of a chunk by what they belong to: a state, or a sketch.
package groups

import "math/bits"

// place is an address in DuckDB's memory, and the number of bytes there if that differs.
type place struct {
	address uintptr
	length  int
}

// Rows is rows of a chunk, each in the group of a place in memory. Groups have numbers in the order of their
// first rows. Its memory is used again from chunk to chunk.
type Rows struct {
	Order []uint32 // after Sort, the rows by group; those of a group in their order.

	ends []uint32 // after Sort, by group, the index in Order behind its last row.

	places   []place  // by group.
	slots    []uint32 // a hash table: the number of a group plus 1, or 0 if the slot is free.
	shift    uint     // a hash shifted right by it is an index of slots.
	last     uint32   // the group of the row before.
	rows, of []uint32 // the rows, and the group of each
}

// Reset removes all rows, and makes room for n new ones.
func (g *Rows) Reset(n int) {
	g.places, g.rows, g.of = g.places[:0], g.rows[:0], g.of[:0]
	if size := 2 << bits.Len(uint(max(n, 1)-1)); len(g.slots) < size {
		g.slots = make([]uint32, size)
		g.shift = uint(65 - bits.Len(uint(size)))
	} else {
		clear(g.slots)
	}
}

// Len returns the number of groups.
func (g *Rows) Len() int { return len(g.places) }

// Add adds a row to the group of an address and a length.
func (g *Rows) Add(row int, address uintptr, length int) {
	if p := (place{address, length}); len(g.rows) == 0 || g.places[g.last] != p {
		g.last = g.number(p)
	}
	g.rows, g.of = append(g.rows, uint32(row)), append(g.of, g.last)
}

// number returns the group of a place.
func (g *Rows) number(p place) uint32 {
	h := uint64(p.address) * 0x9e37_79b9_7f4a_7c15
	for i := h >> g.shift; ; i++ {
		s := &g.slots[i&uint64(len(g.slots)-1)]
		if *s == 0 {
			g.places = append(g.places, p)
			*s = uint32(len(g.places))
		}
		if g.places[*s-1] == p {
			return *s - 1
		}
	}
}

// Sort sets Order, and the ranges of groups in it.
func (g *Rows) Sort() {
	g.Order = append(g.Order[:0], g.rows...)
	g.ends = g.ends[:0]
	if g.Len() == 1 {
		g.ends = append(g.ends, uint32(len(g.rows)))
		return
	}
	for range g.places {
		g.ends = append(g.ends, 0)
	}
	for _, k := range g.of {
		g.ends[k]++
	}
	sum := uint32(0)
	for k, n := range g.ends { // first set ends to where the groups begin
		g.ends[k] = sum
		sum += n
	}
	for i, k := range g.of {
		g.Order[g.ends[k]] = g.rows[i]
		g.ends[k]++
	}
}

// Range returns the range of a group in Order.
func (g *Rows) Range(group int) (from, to uint32) {
	if group > 0 {
		from = g.ends[group-1]
	}
	return from, g.ends[group]
}
