package cells

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Label is what a section of an exact sketch holds the cells of: a category,
// and a region of 2^32 x 2^32 cells. All but very fine grids live in the
// region (0, 0), which reaches at least 1.4e9 cells in every direction.
type Label struct {
	Category string
	// None says that there is no category, which an empty one is not.
	None bool
	X, Y int32
}

// Compare orders sections: without a category first, then by category, y and x.
func (p Label) Compare(q Label) int {
	if p.None != q.None {
		if p.None {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(p.Category, q.Category), cmp.Compare(p.Y, q.Y), cmp.Compare(p.X, q.X))
}

// Section is the cells of one label.
type Section struct {
	Label
	Run
}

// KeyCategory is the category bytes as keys have them: nil without one.
func (p *Label) KeyCategory() []byte {
	if p.None {
		return nil
	}
	return []byte(p.Category)
}

// List is cells and their counts: sections ordered by their labels, none of
// them empty. Its runs may be shared with others and are never changed.
type List []Section

// at is where the section of a label is in l, or where it would be.
func (l List) at(p Label) (int, bool) {
	return slices.BinarySearchFunc(l, p, func(s Section, p Label) int { return s.Compare(p) })
}

// labelOf is the label of a cell, and its key there.
func labelOf(c grid.Cell, category []byte) (Label, uint64) {
	x, y, z := Key(c)
	return Label{string(category), category == nil, x, y}, z
}

// Count is the count of a cell.
func (l List) Count(c grid.Cell, category []byte) uint64 {
	p, z := labelOf(c, category)
	if i, ok := l.at(p); ok {
		if j, ok := l[i].find(z); ok {
			return l[i].Counts[j]
		}
	}
	return 0
}

// Single is a list of one cell that counts n, at least 1.
func Single(c grid.Cell, category []byte, n uint64) List {
	p, z := labelOf(c, category)
	return List{{p, Run{[]uint64{z}, []uint64{n}}}}
}

// Add is l with n more, at least 1, in a cell. It may change l.
func (l List) Add(c grid.Cell, category []byte, n uint64) List {
	one := Single(c, category, n)[0]
	return l.addSection(one)
}

// addSection is l with the cells of a section added. It may change l.
func (l List) addSection(s Section) List {
	i, ok := l.at(s.Label)
	if !ok {
		return slices.Insert(l, i, s)
	}
	l[i].Run = Merge(l[i].Run, s.Run)
	return l
}

// Remove is l with n less in a cell, which has at least so many. It may change l.
func (l List) Remove(c grid.Cell, category []byte, n uint64) List {
	p, z := labelOf(c, category)
	i, _ := l.at(p)
	j, _ := l[i].find(z)
	if l[i].Run = l[i].without(j, n); len(l[i].Keys) == 0 {
		l = slices.Delete(l, i, i+1)
	}
	return l
}

// Total is the sum of all counts.
func (l List) Total() uint64 {
	total := uint64(0)
	for i := range l {
		total = saturate.Add(total, l[i].total())
	}
	return total
}

// Cells is how many cells there are, one that has several categories once for each.
func (l List) Cells() int {
	n := 0
	for i := range l {
		n += len(l[i].Keys)
	}
	return n
}

// Memory is the bytes that the list takes, about.
func (l List) Memory() int64 {
	n := int64(0)
	for i := range l {
		n += SectionBytes + l[i].Bytes()
	}
	return n
}

// SectionBytes is about what a section costs before it holds anything.
const SectionBytes = 256

// Holds reports whether every cell of o is in l, with no smaller count.
func (l List) Holds(o List) bool {
	for i := range o {
		j, ok := l.at(o[i].Label)
		if !ok {
			return false
		}
		enough := true
		both(o[i].Run, l[j].Run, func(x, y uint64) uint64 {
			enough = enough && x <= y
			return 0
		})
		if !enough {
			return false
		}
	}
	return true
}

// Combine is the cells of l with the counts that f makes of theirs and of those
// in o, which may be 0; common leaves out the sections that o lacks.
func (l List) Combine(o List, common bool, f func(x, y uint64) uint64) List {
	var out List
	for _, a := range l {
		j, ok := o.at(a.Label)
		var b Run
		if ok {
			b = o[j].Run
		} else if common {
			continue
		}
		if r := both(a.Run, b, f); len(r.Keys) > 0 {
			out = append(out, Section{a.Label, r})
		}
	}
	return out
}

// Plain is the cells without their categories, added up.
func (l List) Plain() List {
	var out List
	for _, s := range l {
		out = out.addSection(Section{Label{None: true, X: s.X, Y: s.Y}, s.Run})
	}
	return out
}

// Coarser is the squares of a level that hold the cells of l, which is left unchanged.
func (l List) Coarser(level uint8) List { return l.CoarserBy(1 << level) }

// CoarserBy is the squares of factor x factor cells that hold the cells of l, which stays
// as it is.
func (l List) CoarserBy(factor int64) List {
	square := func(c grid.Cell) grid.Cell { return c.Coarser(factor) }
	if factor&(factor-1) == 0 { // all but always; a shift is far less work
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
