package agg

import (
	"slices"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// rowGroups sorts the rows of a chunk by group. A group is one state and has a number from 0 on.
type rowGroups struct {
	states []*duck.State // by group, its state; in the order of the groups' first rows.
	of     []uint16      // by row, its group.
	kept   []uint16      // groups of the rows that are not skipped, in the order of rows.

	sizes  []uint32 // by group, the number of kept rows
	begins []uint32 // by group, where sort writes its next key

	slots [groupSlots]uint16 // a hash table by state: the group plus 1, or 0 if the slot is free
}

const (
	// groupSlots is twice the number of rows of a chunk, so half of the table stays free.
	groupBits  = 12
	groupSlots = 1 << groupBits
	// minRuns is the smallest mean number of runs of rows in a group for which sorting pays. A run is
	// consecutive rows of one group.
	minRuns = 2
	// sampleRows is the number of rows after which assign gives up if nearly every row has a new
	// group.
	sampleRows = 256
)

// assign finds the group of each row; all is the states of the rows. It reports false if sorting does
// not pay: most groups have their rows next to each other, or there are too many groups.
func (g *rowGroups) assign(all []*duck.State) bool {
	runs := 1
	for i := 1; i < len(all); i++ {
		if all[i] != all[i-1] {
			runs++
		}
	}
	if runs < minRuns || len(all) > groupSlots/2 {
		return false
	}
	clear(g.slots[:])
	g.states = g.states[:0]
	g.of = slices.Grow(g.of[:0], len(all))[:len(all)]
	var last *duck.State
	id := uint16(0)
	for i, s := range all {
		if s != last {
			id, last = g.number(s), s
			if minRuns*len(g.states) > runs || i == sampleRows && len(g.states) > sampleRows/16*15 {
				return false
			}
		}
		g.of[i] = id
	}
	return true
}

// number returns the group of the state s, which is new if s was not seen before.
func (g *rowGroups) number(s *duck.State) uint16 {
	at := uint64(uintptr(unsafe.Pointer(s))) * 0x9e3779b97f4a7c15 >> (64 - groupBits)
	for ; ; at++ {
		switch id := g.slots[at%groupSlots]; {
		case id == 0:
			g.states = append(g.states, s)
			g.slots[at%groupSlots] = uint16(len(g.states))
			return uint16(len(g.states) - 1)
		case g.states[id-1] == s:
			return id - 1
		}
	}
}

// begin empties the kept rows. Call it before keep.
func (g *rowGroups) begin() {
	g.kept = g.kept[:0]
	g.sizes = slices.Grow(g.sizes[:0], len(g.states))[:len(g.states)]
	clear(g.sizes)
}

// keep adds rows from to to-1 to the kept rows.
func (g *rowGroups) keep(from, to int) {
	g.kept = append(g.kept, g.of[from:to]...)
	for _, id := range g.of[from:to] {
		g.sizes[id]++
	}
}

// sort writes the keys of the kept rows to dst, group by group. keys has them in the order of rows.
func (g *rowGroups) sort(dst, keys *hashes) {
	g.begins = slices.Grow(g.begins[:0], len(g.sizes))[:len(g.sizes)]
	at := uint32(0)
	for i, n := range g.sizes {
		g.begins[i] = at
		at += n
	}
	n := len(g.kept)
	dst.clear()
	dst.h1s = slices.Grow(dst.h1s, n)[:n]
	if len(keys.h2s) > 0 {
		dst.h2s = slices.Grow(dst.h2s, n)[:n]
	}
	if len(keys.ns) > 0 {
		dst.ns = slices.Grow(dst.ns, n)[:n]
	}
	for i, id := range g.kept {
		to := g.begins[id]
		g.begins[id]++
		dst.h1s[to] = keys.h1s[i]
		if len(dst.h2s) > 0 {
			dst.h2s[to] = keys.h2s[i]
		}
		if len(dst.ns) > 0 {
			dst.ns[to] = keys.ns[i]
		}
	}
}
