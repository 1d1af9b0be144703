package agg

import (
	"slices"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// rowGroups puts the rows of a chunk in the order of their groups.
type rowGroups struct {
	states []*duck.State // in the order in which groups come up
	of     []uint16      // of each row, its group
	kept   []uint16      // of each row that is not skipped
	sizes  []uint32      // how many rows of a group are kept
	begins []uint32

	slots [groupSlots]uint16 // a hash table of groups, from 1 on; 0 is free
}

const (
	// groupSlots are twice the rows of a chunk: half of the table stays free.
	groupBits  = 12
	groupSlots = 1 << groupBits
	// mixed is how many runs of rows of one group there are at least for each
	// group, so that it pays to bring them together.
	mixed = 2
	// seldom is how many rows tell of very many groups that hardly any comes again.
	seldom = 256
)

// assign numbers the groups of a chunk. It reports false where the rows of most
// groups follow each other, or where there are too many of them.
func (g *rowGroups) assign(all []*duck.State) bool {
	runs := 1
	for i := 1; i < len(all); i++ {
		if all[i] != all[i-1] {
			runs++
		}
	}
	if runs < mixed || len(all) > groupSlots/2 {
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
			if mixed*len(g.states) > runs || i == seldom && len(g.states) > seldom/16*15 {
				return false
			}
		}
		g.of[i] = id
	}
	return true
}

// number is that of a group.
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

// begin forgets which rows are kept.
func (g *rowGroups) begin() {
	g.kept = g.kept[:0]
	g.sizes = slices.Grow(g.sizes[:0], len(g.states))[:len(g.states)]
	clear(g.sizes)
}

// keep says that rows from..to-1 are.
func (g *rowGroups) keep(from, to int) {
	g.kept = append(g.kept, g.of[from:to]...)
	for _, id := range g.of[from:to] {
		g.sizes[id]++
	}
}

// sort writes the keys of the rows that are kept, group by group, to dst.
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
