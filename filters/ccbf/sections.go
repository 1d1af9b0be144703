package ccbf

import (
	"cmp"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// label is what a section of an exact sketch holds the cells of: a category,
// and a square of 2^32 x 2^32 cells. All but very fine grids live in the
// square (0, 0), which reaches at least 1.4e9 cells in every direction.
type label struct {
	category string
	// none says that there is no category, which an empty one is not.
	none bool
	x, y int32
}

func (p label) compare(q label) int {
	if p.none != q.none {
		if p.none {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(p.category, q.category), cmp.Compare(p.y, q.y), cmp.Compare(p.x, q.x))
}

// section is the cells of one label.
type section struct {
	label
	run
}

// keyCategory is the category bytes as keys have them: nil without one.
func (p *label) keyCategory() []byte {
	if p.none {
		return nil
	}
	return []byte(p.category)
}

// cellList is cells and their counts: sections ordered by their labels, none of
// them empty. Its runs may be shared with others and are never changed.
type cellList []section

// at is where the section of a label is in l, or where it would be.
func (l cellList) at(p label) (int, bool) {
	return slices.BinarySearchFunc(l, p, func(s section, p label) int { return s.compare(p) })
}

// labelOf is the label of a cell, and its key there.
func labelOf(c grid.Cell, category []byte) (label, uint64) {
	x, y, z := zkey(c)
	return label{string(category), category == nil, x, y}, z
}

// count is the count of a cell.
func (l cellList) count(c grid.Cell, category []byte) uint64 {
	p, z := labelOf(c, category)
	if i, ok := l.at(p); ok {
		if j, ok := l[i].find(z); ok {
			return l[i].counts[j]
		}
	}
	return 0
}

// single is a list of one cell that counts n, at least 1.
func single(c grid.Cell, category []byte, n uint64) cellList {
	p, z := labelOf(c, category)
	return cellList{{p, run{[]uint64{z}, []uint64{n}}}}
}

// add is l with n more, at least 1, in a cell. It may change l.
func (l cellList) add(c grid.Cell, category []byte, n uint64) cellList {
	one := single(c, category, n)[0]
	return l.addSection(one)
}

// addSection is l with the cells of a section added. It may change l.
func (l cellList) addSection(s section) cellList {
	i, ok := l.at(s.label)
	if !ok {
		return slices.Insert(l, i, s)
	}
	l[i].run = merge(l[i].run, s.run)
	return l
}

// remove is l with n less in a cell, which has at least so many. It may change l.
func (l cellList) remove(c grid.Cell, category []byte, n uint64) cellList {
	p, z := labelOf(c, category)
	i, _ := l.at(p)
	j, _ := l[i].find(z)
	if l[i].run = l[i].without(j, n); len(l[i].keys) == 0 {
		l = slices.Delete(l, i, i+1)
	}
	return l
}

// total is the sum of all counts.
func (l cellList) total() uint64 {
	total := uint64(0)
	for i := range l {
		total = saturate.Add(total, l[i].total())
	}
	return total
}

// cells is how many cells there are, one that has several categories once for each.
func (l cellList) cells() int {
	n := 0
	for i := range l {
		n += len(l[i].keys)
	}
	return n
}

// memory is the bytes that the list takes, about.
func (l cellList) memory() int64 {
	n := int64(0)
	for i := range l {
		n += sectionBytes + l[i].bytes()
	}
	return n
}

// sectionBytes is about what a section costs before it holds anything.
const sectionBytes = 256

// holds reports whether every cell of o is in l, with no smaller count.
func (l cellList) holds(o cellList) bool {
	for i := range o {
		j, ok := l.at(o[i].label)
		if !ok {
			return false
		}
		enough := true
		both(o[i].run, l[j].run, func(x, y uint64) uint64 {
			enough = enough && x <= y
			return 0
		})
		if !enough {
			return false
		}
	}
	return true
}

// combine is the cells of l with the counts that f makes of theirs and of those
// in o, which may be 0; common leaves out the sections that o lacks.
func (l cellList) combine(o cellList, common bool, f func(x, y uint64) uint64) cellList {
	var out cellList
	for _, a := range l {
		j, ok := o.at(a.label)
		var b run
		if ok {
			b = o[j].run
		} else if common {
			continue
		}
		if r := both(a.run, b, f); len(r.keys) > 0 {
			out = append(out, section{a.label, r})
		}
	}
	return out
}

// plain is the cells without their categories, added up.
func (l cellList) plain() cellList {
	var out cellList
	for _, s := range l {
		out = out.addSection(section{label{none: true, x: s.x, y: s.y}, s.run})
	}
	return out
}

// coarser is the quads of a level that hold the cells of l, which stays as it is.
func (l cellList) coarser(level uint8) cellList {
	var out cellList
	for i := range l {
		s := &l[i]
		q := squares{room: len(s.keys)}
		for j, k := range s.keys {
			q.add(quad(cellOf(s.x, s.y, k), level), s.counts[j])
		}
		q.each(func(x, y int32, sum run) { out = out.addSection(section{label{s.category, s.none, x, y}, sum}) })
	}
	return out
}
