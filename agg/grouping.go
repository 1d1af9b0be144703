package agg

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// rowGroups sorts the rows of a chunk by group, so that the keys of a group are added at once.
type rowGroups struct {
	numbers map[*duck.State]int
	states  []*duck.State // by group, its state; in the order of the groups' first rows
	ends    []int         // by group, where its keys end
	to      []int         // by row, its group, and then the position of its key
}

// sampleRows is the number of rows after which assign gives up if they belong to more than half as many
// groups.
const sampleRows = 256

// assign finds the group of each row; states has the states by row. Unless always is true, it gives up and
// returns false if there are many groups: sorting does not pay then.
func (g *rowGroups) assign(states []*duck.State, always bool) bool {
	if g.numbers == nil {
		g.numbers = make(map[*duck.State]int)
	}
	clear(g.numbers)
	g.states, g.ends, g.to = g.states[:0], g.ends[:0], g.to[:0]
	var last *duck.State
	id := 0
	for i, s := range states {
		if i == sampleRows && len(g.states) > sampleRows/2 && !always {
			return false
		}
		if s != last {
			known := false
			if id, known = g.numbers[s]; !known {
				id = len(g.states)
				g.numbers[s] = id
				g.states, g.ends = append(g.states, s), append(g.ends, 0)
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
