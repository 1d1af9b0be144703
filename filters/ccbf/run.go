package ccbf

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// run is a sorted list of cells in Z-order with the occurrences of each: keys
// strictly ascending, counts at least 1. Runs are never changed once made, so
// that they can be shared.
type run struct {
	keys   []uint64
	counts []uint64
}

// runBytes is the memory that a run of n cells takes.
func runBytes(n int) int64 { return int64(n) * 16 }

// bytes is the memory that the run takes.
func (r run) bytes() int64 { return int64(cap(r.keys)+cap(r.counts)) * 8 }

// fromSorted makes a run of sorted keys with an occurrence each, or weights[i]
// of them.
func fromSorted(keys, weights []uint64) run {
	distinct := 0
	for i, k := range keys {
		if i == 0 || k != keys[i-1] {
			distinct++
		}
	}
	r := run{make([]uint64, distinct), make([]uint64, distinct)}
	n := -1
	if weights == nil {
		for i := 0; i < len(keys); n++ {
			k, first := keys[i], i
			for i++; i < len(keys) && keys[i] == k; i++ {
			}
			r.keys[n+1], r.counts[n+1] = k, uint64(i-first)
		}
		return r
	}
	for i, k := range keys {
		if i == 0 || k != keys[i-1] {
			n++
			r.keys[n] = k
		}
		r.counts[n] = saturate.Add(r.counts[n], weights[i])
	}
	return r
}

// merge adds two runs. Neither is changed.
func merge(a, b run) run {
	switch {
	case len(a.keys) == 0:
		return b
	case len(b.keys) == 0:
		return a
	}
	keys := make([]uint64, len(a.keys)+len(b.keys))
	counts := make([]uint64, len(keys))
	n := mergeInto(keys, counts, a, b)
	if n < len(keys)*3/4 { // many cells were in both: keep no room for them
		return run{slices.Clip(slices.Clone(keys[:n])), slices.Clip(slices.Clone(counts[:n]))}
	}
	return run{keys[:n], counts[:n]}
}

// mergeInto writes the sum of two runs, without a branch on the data: which
// list comes next is as random as the points are.
func mergeInto(keys, counts []uint64, a, b run) int {
	i, j, n := 0, 0, 0
	ak, bk := a.keys, b.keys
	ac, bc := a.counts[:len(ak)], b.counts[:len(bk)]
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
func (r run) total() uint64 {
	total := uint64(0)
	for _, n := range r.counts {
		total = saturate.Add(total, n)
	}
	return total
}

// find returns where key is in r, or where it would be.
func (r run) find(key uint64) (int, bool) { return slices.BinarySearch(r.keys, key) }

// without returns r with n fewer occurrences of the cell at index i, which
// has at least so many.
func (r run) without(i int, n uint64) run {
	s := run{slices.Clone(r.keys), slices.Clone(r.counts)}
	if s.counts[i] -= n; s.counts[i] == 0 {
		s.keys = slices.Delete(s.keys, i, i+1)
		s.counts = slices.Delete(s.counts, i, i+1)
	}
	return s
}

// both calls f for every cell of a, with its count in b, which may be 0, and
// makes a run of the results that are not 0.
func both(a, b run, f func(x, y uint64) uint64) run {
	var r run
	j := 0
	for i, k := range a.keys {
		for j < len(b.keys) && b.keys[j] < k {
			j++
		}
		y := uint64(0)
		if j < len(b.keys) && b.keys[j] == k {
			y = b.counts[j]
		}
		if n := f(a.counts[i], y); n != 0 {
			r.keys, r.counts = append(r.keys, k), append(r.counts, n)
		}
	}
	return r
}
