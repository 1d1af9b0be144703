package cells

import (
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// View answers questions about a list from its body, in place. Its zero value
// is the view of no cells, and can be reset again and again.
type View struct {
	sections []sectionView
	bounds   grid.Rect // no cell is outside
	kept     kept
	decoded  int   // blocks, for Count and Counts
	flat     *flat // nil before a box is asked for
}

// Reset makes v a view of a body, of whose cells none is outside bounds, which have
// categories or have none, and which count total. It reads the lengths of sections,
// not their cells.
func (v *View) Reset(body []byte, bounds grid.Rect, categories bool, total uint64) (err error) {
	v.bounds, v.kept, v.decoded = bounds, kept{}, 0
	v.sections, err = parseBody(v.sections, body, bounds, categories, total)
	return err
}

// Count is the count of a cell, in a category or, where that is nil, in all.
func (v *View) Count(c grid.Cell, category []byte) uint64 {
	sx, sy, z := Key(c)
	if !v.together(category) {
		s := v.section(category, sx, sy)
		if s == nil {
			return 0
		}
		v.decoded++
		return s.count(z)
	}
	n := uint64(0)
	for i := range v.sections {
		if s := &v.sections[i]; s.x == sx && s.y == sy {
			v.decoded++
			n = saturate.Add(n, s.count(z))
		}
	}
	return n
}

// Size is how many cells there are, one that has several categories once for each,
// and how many categories.
func (v *View) Size() (cells, categories uint64) {
	for i := range v.sections {
		s := &v.sections[i]
		cells += uint64(s.cells)
		if s.category != nil && (i == 0 || string(v.sections[i-1].category) != string(s.category)) {
			categories++
		}
	}
	return cells, categories
}

// Memory is the bytes that the list of all cells takes.
func (v *View) Memory() int64 {
	n := int64(0)
	for i := range v.sections {
		n += SectionBytes + RunBytes(v.sections[i].cells)
	}
	return n
}

// EachSection reads the sections completely, one after the other, and holds
// their order, totals and bounds against what the body says.
func (v *View) EachSection(f func(Section) error) error {
	return v.EachSectionIn(func(_ *LabelView, n int) (Run, error) { return NewRun(n), nil }, f)
}

// EachSectionIn is EachSection in the memory that room gives for the n cells of a section.
func (v *View) EachSectionIn(room func(p *LabelView, n int) (Run, error), f func(Section) error) error {
	bounds := NoBounds
	for i := range v.sections {
		sv := &v.sections[i]
		r, err := room(&LabelView{Category: sv.category, X: sv.x, Y: sv.y}, sv.cells)
		if err != nil {
			return err
		}
		if !sv.decodeInto(r) {
			return sketch.Invalidf("the cells of section %d of %d are damaged", i+1, len(v.sections))
		}
		if total := r.total(); total != sv.total {
			return sketch.Invalidf("section %d of %d counts %d occurrences, but its cells count %d", i+1, len(v.sections), sv.total, total)
		}
		s := Section{sv.label(), r}
		bounds = Hull(bounds, cornersAround(r.Keys).rect(s.X, s.Y))
		if err := f(s); err != nil {
			return err
		}
	}
	if bounds != v.bounds {
		return sketch.Invalidf("bounds that are not those of the cells")
	}
	return nil
}
