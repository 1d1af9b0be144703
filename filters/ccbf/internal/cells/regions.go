package cells

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// regions gathers cells by the region that they lie in: hardly ever more than
// one. The zero value is ready.
type regions struct {
	room int // cells that the first region is expected to have

	runs map[[2]int32]*Run
	last [2]int32
	at   *Run // of the region last
}

// add gathers a cell. Equal ones that follow each other take no more room.
func (q *regions) add(c grid.Cell, n uint64) {
	x, y, z := Key(c)
	if s := [2]int32{x, y}; q.at == nil || s != q.last {
		q.last, q.at = s, q.region(s)
	}
	if last := len(q.at.Keys) - 1; last >= 0 && q.at.Keys[last] == z {
		q.at.Counts[last] = saturate.Add(q.at.Counts[last], n)
		return
	}
	q.at.Keys, q.at.Counts = append(q.at.Keys, z), append(q.at.Counts, n)
}

func (q *regions) region(s [2]int32) *Run {
	r := q.runs[s]
	if r == nil {
		r = new(Run)
		if q.runs == nil {
			q.runs = map[[2]int32]*Run{}
			r.Keys, r.Counts = make([]uint64, 0, q.room), make([]uint64, 0, q.room)
		}
		q.runs[s] = r
	}
	return r
}

// each calls f with the cells of each region, from south to north and then from west to
// east. It ends the gathering.
func (q *regions) each(f func(x, y int32, cells Run)) {
	so := sorters.Get().(*sorter)
	defer sorters.Put(so)
	for _, s := range slices.SortedFunc(maps.Keys(q.runs), func(a, b [2]int32) int {
		return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0]))
	}) {
		r := q.runs[s]
		f(s[0], s[1], so.run(r.Keys, r.Counts))
	}
}
