package cells

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Run is a sorted list of cells in Z-order with the occurrences of each: keys
// strictly ascending, counts at least 1. Runs are never changed once made, so
// that they can be shared.
type Run struct {
	Keys   []uint64
	Counts []uint64
}

// NewRun is room for n cells.
func NewRun(n int) Run { return Run{make([]uint64, n), make([]uint64, n)} }

// RunBytes is the memory that a run of n cells takes.
func RunBytes(n int) int64 { return int64(n) * 16 }

// Bytes is the memory that the run takes.
func (r Run) Bytes() int64 { return int64(cap(r.Keys)+cap(r.Counts)) * 8 }

// fromSorted makes a run of sorted keys with an occurrence each, or weights[i]
// of them.
func fromSorted(keys, weights []uint64) Run {
	distinct := 0
	for i, k := range keys {
		if i == 0 || k != keys[i-1] {
			distinct++
		}
	}
	r := Run{make([]uint64, distinct), make([]uint64, distinct)}
	n := -1
	if weights == nil {
		for i := 0; i < len(keys); n++ {
			k, first := keys[i], i
			for i++; i < len(keys) && keys[i] == k; i++ {
			}
			r.Keys[n+1], r.Counts[n+1] = k, uint64(i-first)
		}
		return r
	}
	for i, k := range keys {
		if i == 0 || k != keys[i-1] {
			n++
			r.Keys[n] = k
		}
		r.Counts[n] = saturate.Add(r.Counts[n], weights[i])
	}
	return r
}

// Merge adds two runs. Neither is changed.
func Merge(a, b Run) Run {
	switch {
	case len(a.Keys) == 0:
		return b
	case len(b.Keys) == 0:
		return a
	}
	keys := make([]uint64, len(a.Keys)+len(b.Keys))
	counts := make([]uint64, len(keys))
	n := mergeInto(keys, counts, a, b)
	if n < len(keys)*3/4 { // many cells were in both: keep no room for them
		return Run{slices.Clip(slices.Clone(keys[:n])), slices.Clip(slices.Clone(counts[:n]))}
	}
	return Run{keys[:n], counts[:n]}
}

// mergeInto writes the sum of two runs, without a branch on the data: which
// list comes next is as random as the points are.
func mergeInto(keys, counts []uint64, a, b Run) int {
	i, j, n := 0, 0, 0
	ak, bk := a.Keys, b.Keys
	ac, bc := a.Counts[:len(ak)], b.Counts[:len(bk)]
	for i < len(ak) && j < len(bk) {
		x, y := ak[i], bk[j]
		var left, right uint64 // 1 where that list's head is taken
		if x <= y {
			left = 1
		}
		if y <= x {
			right = 1
		}
		keys[n] = min(x, y)
		counts[n] = saturate.Add(ac[i]&-left, bc[j]&-right)
		i += int(left)
		j += int(right)
		n++
	}
	n += copy(keys[n:], ak[i:])
	copy(counts[n-(len(ak)-i):], ac[i:])
	n += copy(keys[n:], bk[j:])
	copy(counts[n-(len(bk)-j):], bc[j:])
	return n
}

// total is the sum of the counts.
func (r Run) total() uint64 {
	total := uint64(0)
	for _, n := range r.Counts {
		total = saturate.Add(total, n)
	}
	return total
}

// find returns where key is in r, or where it would be.
func (r Run) find(key uint64) (int, bool) { return slices.BinarySearch(r.Keys, key) }

// without returns r with n fewer occurrences of the cell at index i, which
// has at least so many.
func (r Run) without(i int, n uint64) Run {
	s := Run{slices.Clone(r.Keys), slices.Clone(r.Counts)}
	if s.Counts[i] -= n; s.Counts[i] == 0 {
		s.Keys = slices.Delete(s.Keys, i, i+1)
		s.Counts = slices.Delete(s.Counts, i, i+1)
	}
	return s
}

// both calls f for every cell of a, with its count in b, which may be 0, and
// makes a run of the results that are not 0.
func both(a, b Run, f func(x, y uint64) uint64) Run {
	var r Run
	j := 0
	for i, k := range a.Keys {
		for j < len(b.Keys) && b.Keys[j] < k {
			j++
		}
		y := uint64(0)
		if j < len(b.Keys) && b.Keys[j] == k {
			y = b.Counts[j]
		}
		if n := f(a.Counts[i], y); n != 0 {
			r.Keys, r.Counts = append(r.Keys, k), append(r.Counts, n)
		}
	}
	return r
}

// upTo is the first n cells of r.
func (r Run) upTo(n int) Run { return Run{r.Keys[:n], r.Counts[:n]} }

// from is what r has from a cell on.
func (r Run) from(at int) Run { return Run{r.Keys[at:], r.Counts[at:]} }
