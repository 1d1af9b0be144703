package agg

import (
	"slices"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// rowGroups sorts the rows of a chunk by group. A group is one state and has a number from 0 on.
type rowGroups struct {
	states []*duck.State // by group, its state; in the order of the groups' first rows.
	of     []uint16      // by row, its group; after sort, the position of its key.
	sizes  []uint32      // by group, the number of rows
	begins []uint32      // by group, where sort writes its next key

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

// sort writes the keys of rows to dst, group by group. keys has them in the order of rows.
func (g *rowGroups) sort(dst, keys *hashes) {
	g.sizes = slices.Grow(g.sizes[:0], len(g.states))[:len(g.states)]
	clear(g.sizes)
	for _, id := range g.of {
		g.sizes[id]++
	}
	g.begins = slices.Grow(g.begins[:0], len(g.sizes))[:len(g.sizes)]
	at := uint32(0)
	for i, n := range g.sizes {
		g.begins[i] = at
		at += n
	}
	for i, id := range g.of {
		g.of[i] = uint16(g.begins[id])
		g.begins[id]++
	}
	dst.h1s, dst.h2s, dst.ns = g.move(dst.h1s, keys.h1s), g.move(dst.h2s, keys.h2s), g.move(dst.ns, keys.ns)
}

// move writes row i's value to position g.of[i] of dst, for all rows. It does nothing if there are no values.
func (g *rowGroups) move(dst, values []uint64) []uint64 {
	dst = slices.Grow(dst[:0], len(values))[:len(values)]
	for i, v := range values {
		dst[g.of[i]] = v
	}
	return dst
}
