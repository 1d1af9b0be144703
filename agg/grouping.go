package agg

import (
	"slices"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// rowGroups sorts the rows of a chunk by group, so that the keys of a group are added at once.
type rowGroups struct {
	numbers map[uintptr]int // by address of a state, its group.
	first   []int           // by group, its first row.
	ends    []int           // by group, where its keys end.
	to      []int           // by row, its group, and then the position of its key.
}

// sampleRows is the number of rows after which assign gives up if they belong to more than half as many
// groups.
const sampleRows = 256

// assign finds the group of each row; states has the states by row. Unless always is true, it gives up and
// returns false if there are many groups: sorting does not pay then.
func (g *rowGroups) assign(states []*duck.State, always bool) bool {
	clear(g.numbers)
	g.first, g.ends, g.to = g.first[:0], g.ends[:0], g.to[:0]
	var last *duck.State
	id := 0
	for i, s := range states {
		if i == sampleRows && len(g.first) > sampleRows/2 && !always {
			return false
		}
		if s != last {
			known := false
			at := uintptr(unsafe.Pointer(s))
			if id, known = g.numbers[at]; !known {
				id = len(g.first)
				g.numbers[at] = id
				g.first, g.ends = append(g.first, i), append(g.ends, 0)
			}
			last = s
		}
		g.ends[id]++
		g.to = append(g.to, id)
	}
	return true
}

// sort writes keys to dst, group by group; keys has them by row. assign must have returned true.
func (g *rowGroups) sort(dst, keys *hashes) {
	at := 0
	for id, n := range g.ends { // first set ends to where the groups begin
		g.ends[id] = at
		at += n
	}
	for i, id := range g.to {
		g.to[i] = g.ends[id]
		g.ends[id]++
	}
	dst.h1s, dst.h2s, dst.ns = g.move(dst.h1s, keys.h1s), g.move(dst.h2s, keys.h2s), g.move(dst.ns, keys.ns)
}

// move writes the value of each row to its position in dst. There may be no values.
func (g *rowGroups) move(dst, values []uint64) []uint64 {
	dst = slices.Grow(dst[:0], len(values))[:len(values)]
	for i, v := range values {
		dst[g.to[i]] = v
	}
	return dst
}
