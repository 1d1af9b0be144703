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

// sorter is the memory that makes a run of a buffer, lent to one builder after
// the other.
type sorter struct {
	radix radix.Scratch
}

var sorters = sync.Pool{New: func() any { return new(sorter) }}

// countBits is how many bits of a word count; the others are the key.
const countBits = 19

// MaxKeys is up to how many keys RunOf takes: they are counted in a word's lower
// bits.
const MaxKeys = 1 << (countBits - 1)

// packKeys is from how many keys on it pays to put keys and counts into one word.
const packKeys = 1 << 12

// RunOf makes a run of keys with an occurrence each, or weights[i] of them. It may leave
// anything in their memory.
func RunOf(keys, weights []uint64) Run {
	s := sorters.Get().(*sorter)
	defer sorters.Put(s)
	return s.run(keys, weights)
}

// run is RunOf.
func (s *sorter) run(keys, weights []uint64) Run {
	if weights == nil {
		s.radix.Sort(keys)
		return fromSorted(keys, nil)
	}
	if r, ok := s.packedPairs(keys, weights); ok {
		return r
	}
	s.radix.SortPairs(keys, weights)
	return fromSorted(keys, weights)
}

// packedPairs is run for keys with weights that fit beside them, in the memory of both;
// false where they do not, or where there are few.
func (s *sorter) packedPairs(keys, weights []uint64) (Run, bool) {
	if len(keys) < packKeys {
		return Run{}, false
	}
	weights = weights[:len(keys)]
	all := uint64(0)
	for _, n := range weights {
		all |= n
	}
	width := width(keys)
	if width > wordKeys || all >= 1<<countBits {
		return Run{}, false
	}
	low := uint64(1)<<width - 1
	base := keys[0] &^ low
	for i, k := range keys {
		keys[i] = k&low<<countBits | weights[i]
	}
	words := s.radix.SortBitsIn(keys, weights, low<<countBits)
	n, last := 0, ^uint64(0)
	for _, w := range words {
		if w>>countBits != last {
			last = w >> countBits
			n++
		}
	}
	r := NewRun(n)
	n, last = -1, ^uint64(0)
	for _, w := range words {
		if w>>countBits != last {
			last = w >> countBits
			n++
			r.Keys[n] = base | last
		}
		r.Counts[n] += w & full
	}
	return r, true
}

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
