package cells

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Label identifies a section of an exact sketch: a category, and a region of 2^32 x 2^32 cells. Region
// (0, 0) reaches at least 1.4e9 cells in every direction, so only very fine grids use other regions.
type Label struct {
	Category string
	// None is true if the points have no category. This differs from the empty category.
	None bool
	X, Y int32
}

// Compare orders labels: those without a category first, then by category, Y and X.
func (p Label) Compare(q Label) int {
	if p.None != q.None {
		if p.None {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(p.Category, q.Category), cmp.Compare(p.Y, q.Y), cmp.Compare(p.X, q.X))
}

// Section has the cells of one label.
type Section struct {
	Label
	Run
}

// KeyCategory returns the bytes of the category, or nil without one.
func (p *Label) KeyCategory() []byte {
	if p.None {
		return nil
	}
	return []byte(p.Category)
}

// List is sections ordered by their labels, none of them empty. Lists may share runs, which are
// never changed.
type List []Section

// at returns the index of the section with label p, and true. If there is none, it returns the index at
// which to insert it, and false.
func (l List) at(p Label) (int, bool) {
	return slices.BinarySearchFunc(l, p, func(s Section, p Label) int { return s.Compare(p) })
}

// labelOf returns the label of a cell, and the cell's key in the region of the label.
func labelOf(c grid.Cell, category []byte) (Label, uint64) {
	x, y, z := Key(c)
	return Label{string(category), category == nil, x, y}, z
}

// Count returns the count of a cell.
func (l List) Count(c grid.Cell, category []byte) uint64 {
	p, z := labelOf(c, category)
	if i, ok := l.at(p); ok {
		if j, ok := l[i].find(z); ok {
			return l[i].Counts[j]
		}
	}
	return 0
}

// Single returns a list of one cell that counts n, at least 1.
func Single(c grid.Cell, category []byte, n uint64) List {
	p, z := labelOf(c, category)
	return List{{p, Run{[]uint64{z}, []uint64{n}}}}
}

// Add returns l with n points more in a cell; n is at least 1. It may change l.
func (l List) Add(c grid.Cell, category []byte, n uint64) List {
	one := Single(c, category, n)[0]
	return l.addSection(one)
}

// addSection returns l with the cells of a section added. It may change l.
func (l List) addSection(s Section) List {
	i, ok := l.at(s.Label)
	if !ok {
		return slices.Insert(l, i, s)
	}
	l[i].Run = Merge(l[i].Run, s.Run)
	return l
}

// Remove returns l with n points fewer in a cell, which has at least n. It may change l.
func (l List) Remove(c grid.Cell, category []byte, n uint64) List {
	p, z := labelOf(c, category)
	i, _ := l.at(p)
	j, _ := l[i].find(z)
	if l[i].Run = l[i].without(j, n); len(l[i].Keys) == 0 {
		l = slices.Delete(l, i, i+1)
	}
	return l
}

// Total returns the sum of all counts.
func (l List) Total() uint64 {
	total := uint64(0)
	for i := range l {
		total = saturate.Add(total, l[i].total())
	}
	return total
}

// Cells returns the number of cells. A cell with several categories counts once for each.
func (l List) Cells() int {
	n := 0
	for i := range l {
		n += len(l[i].Keys)
	}
	return n
}

// Memory returns about the number of bytes that the list takes.
func (l List) Memory() int64 {
	n := int64(0)
	for i := range l {
		n += SectionBytes + l[i].Bytes()
	}
	return n
}

// SectionBytes is about the memory of a section without cells.
const SectionBytes = 256

// Plain returns the cells without categories: the counts of a cell in all categories are added up.
func (l List) Plain() List {
	var out List
	for _, s := range l {
		out = out.addSection(Section{Label{None: true, X: s.X, Y: s.Y}, s.Run})
	}
	return out
}

// Coarser returns a list of squares of factor x factor cells with their counts. It does not change l.
func (l List) Coarser(factor int64) List {
	square := func(c grid.Cell) grid.Cell { return c.Coarser(factor) }
	// This is the usual case: a shift is faster than a division.
	if factor&(factor-1) == 0 {
		level := uint8(bits.TrailingZeros64(uint64(factor)))
		square = func(c grid.Cell) grid.Cell { return Square(c, level) }
	}
	var out List
	for i := range l {
		s := &l[i]
		q := regions{room: len(s.Keys)}
		for j, k := range s.Keys {
			q.add(square(CellOf(s.X, s.Y, k)), s.Counts[j])
		}
		q.each(func(x, y int32, sum Run) { out = out.addSection(Section{Label{s.Category, s.None, x, y}, sum}) })
	}
	return out
}

// Run is a list of cells in Z-order and their counts. Keys ascend strictly, counts are at least 1.
// Runs are never changed once made, so lists can share them.
type Run struct {
	Keys   []uint64
	Counts []uint64
}

// NewRun returns a run with room for n cells.
func NewRun(n int) Run { return Run{make([]uint64, n), make([]uint64, n)} }

// RunBytes returns the memory of a run of n cells.
func RunBytes(n int) int64 { return int64(n) * 16 }

// Bytes returns the memory of the run.
func (r Run) Bytes() int64 { return int64(cap(r.Keys)+cap(r.Counts)) * 8 }

// fromSorted makes a run of sorted keys, which may repeat. Key i counts weights[i] points, or one if
// weights is nil.
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

// Merge returns the sum of two runs. It changes neither.
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
	// Many cells were in both runs: a copy frees the unused memory.
	if n < len(keys)*3/4 {
		return Run{slices.Clip(slices.Clone(keys[:n])), slices.Clip(slices.Clone(counts[:n]))}
	}
	return Run{keys[:n], counts[:n]}
}

// mergeInto writes the sum of runs a and b to keys and counts, and returns its length. It has no branch
// that depends on the data, because the processor would mispredict it.
func mergeInto(keys, counts []uint64, a, b Run) int {
	i, j, n := 0, 0, 0
	ak, bk := a.Keys, b.Keys
	ac, bc := a.Counts[:len(ak)], b.Counts[:len(bk)]
	for i < len(ak) && j < len(bk) {
		x, y := ak[i], bk[j]
		var left, right uint64 // 1 if the next cell of a (left) or of b (right) is taken, both if they are equal
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

// total returns the sum of the counts.
func (r Run) total() uint64 {
	total := uint64(0)
	for _, n := range r.Counts {
		total = saturate.Add(total, n)
	}
	return total
}

// find returns the index of key in r and true. If r does not have key, it returns the index at which to
// insert it, and false.
func (r Run) find(key uint64) (int, bool) { return slices.BinarySearch(r.Keys, key) }

// without returns r with n points fewer in cell i, which has at least n.
func (r Run) without(i int, n uint64) Run {
	s := Run{slices.Clone(r.Keys), slices.Clone(r.Counts)}
	if s.Counts[i] -= n; s.Counts[i] == 0 {
		s.Keys = slices.Delete(s.Keys, i, i+1)
		s.Counts = slices.Delete(s.Counts, i, i+1)
	}
	return s
}

// upTo returns the first n cells of r.
func (r Run) upTo(n int) Run { return Run{r.Keys[:n], r.Counts[:n]} }

// from returns the cells of r from index at to the end.
func (r Run) from(at int) Run { return Run{r.Keys[at:], r.Counts[at:]} }

// Of returns the cells of a set of categories, without the categories: the counts of a cell are added up.
// It does not change l.
func (l List) Of(of Categories) List {
	var some List
	for i := range l {
		if s := &l[i]; of.Has(s.KeyCategory()) {
			some = append(some, *s)
		}
	}
	return some.Plain()
}

// Differences calls f for each cell that counts differently in two lists, with both counts. It
// changes neither list. O(len(a) + len(b)), without allocation.
func Differences(a, b List, f func(c grid.Cell, x, y uint64)) {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		order := 0
		switch {
		case i == len(a):
			order = 1
		case j == len(b):
			order = -1
		default:
			order = a[i].Compare(b[j].Label)
		}
		var x, y Run
		at := Label{}
		if order <= 0 {
			x, at = a[i].Run, a[i].Label
			i++
		}
		if order >= 0 {
			y, at = b[j].Run, b[j].Label
			j++
		}
		differences(at, x, y, f)
	}
}

// differences is Differences for two sections of one label.
func differences(at Label, a, b Run, f func(c grid.Cell, x, y uint64)) {
	i, j := 0, 0
	for i < len(a.Keys) || j < len(b.Keys) {
		key := ^uint64(0)
		if i < len(a.Keys) {
			key = a.Keys[i]
		}
		if j < len(b.Keys) {
			key = min(key, b.Keys[j])
		}
		x, y := uint64(0), uint64(0)
		if i < len(a.Keys) && a.Keys[i] == key {
			x = a.Counts[i]
			i++
		}
		if j < len(b.Keys) && b.Keys[j] == key {
			y = b.Counts[j]
			j++
		}
		if x != y {
			f(CellOf(at.X, at.Y, key), x, y)
		}
	}
}
