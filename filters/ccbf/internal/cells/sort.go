package cells

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// scratches lends the memory of RunOf.
var scratches = sync.Pool{New: func() any { return new(radix.Scratch) }}

// countBits is the number of bits of a word that hold a count. The others hold a key.
const countBits = 19

// RunOf sorts keys and makes a run of them. Key i counts weights[i] points, or one if weights is nil. It
// overwrites both slices.
func RunOf(keys, weights []uint64) Run {
	s := scratches.Get().(*radix.Scratch)
	defer scratches.Put(s)
	if weights == nil {
		s.Sort(keys)
	} else {
		s.SortPairs(keys, weights)
	}
	return fromSorted(keys, weights)
}

// regions collects the cells of each region, of which there is rarely more than one. The zero value is
// ready for use.
type regions struct {
	room int // the expected number of cells in the first region.

	// last is the region of the last cell.
	runs map[[2]int32]*Run
	last [2]int32
	at   *Run // the run of region last
}

// add adds n points of a cell. Equal cells that follow each other share an entry.
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

// region returns the run of a region.
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

// each calls f with the cells of each region, from south to north, then from west to east. Call it
// once, at the end.
func (q *regions) each(f func(x, y int32, cells Run)) {
	for _, s := range slices.SortedFunc(maps.Keys(q.runs), func(a, b [2]int32) int {
		return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0]))
	}) {
		r := q.runs[s]
		f(s[0], s[1], RunOf(r.Keys, r.Counts))
	}
}
