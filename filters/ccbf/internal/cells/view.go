package cells

import (
	"bytes"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// View answers queries from the encoded body of a list, without decoding it as a whole. The zero value is
// a view without cells. Reset can be called any number of times.
type View struct {
	sections []sectionView
	bounds   grid.Rect // no cell lies outside
	kept     readCache // decoded blocks that are kept for the next polygon.
	decoded  int       // how many blocks Count and Counts have decoded.
}

// Reset makes v a view of a body. No cell may lie outside bounds; total is the sum of the counts.
// It reads the lengths of sections, not their cells. Errors wrap sketch.ErrInvalid.
func (v *View) Reset(body []byte, bounds grid.Rect, categories bool, total uint64) (err error) {
	v.bounds, v.kept, v.decoded = bounds, readCache{}, 0
	v.sections, err = parseBody(v.sections, body, bounds, categories, total)
	return err
}

// Count returns the count of a cell in a category, or over all categories if category is nil.
func (v *View) Count(c grid.Cell, category []byte) uint64 {
	x, y, z := Key(c)
	if !v.together(Of(category)) {
		s := v.section(category, x, y)
		if s == nil {
			return 0
		}
		n, decoded := s.count(z)
		v.decoded += decoded
		return n
	}
	total := uint64(0)
	for i := range v.sections {
		if s := &v.sections[i]; s.X == x && s.Y == y {
			n, decoded := s.count(z)
			v.decoded += decoded
			total = saturate.Add(total, n)
		}
	}
	return total
}

// Size returns the number of cells and of categories. A cell with several categories counts once
// for each.
func (v *View) Size() (cells, categories uint64) {
	for i := range v.sections {
		s := &v.sections[i]
		cells += uint64(s.cells)
		if s.Category != nil && (i == 0 || string(v.sections[i-1].Category) != string(s.Category)) {
			categories++
		}
	}
	return cells, categories
}

// Memory returns the bytes of the list of all cells.
func (v *View) Memory() int64 {
	n := int64(0)
	for i := range v.sections {
		n += SectionBytes + RunBytes(v.sections[i].cells)
	}
	return n
}

// EachBlock calls f with all cells, some of a section at a time, in the order of their keys. They
// are valid until f returns. It checks order, totals and bounds; the error of damaged cells wraps
// sketch.ErrInvalid.
func (v *View) EachBlock(f func(*Label, Run) error) error {
	bounds := NoBounds
	for i := range v.sections {
		s := &v.sections[i]
		label, total, around := s.Label(), uint64(0), cornersOf(s.first(0))
		whole, err := s.each(func(r Run) error {
			total = saturate.Add(total, r.total())
			around = around.around(r.Keys)
			return f(&label, r)
		})
		switch {
		case err != nil:
			return err
		case !whole:
			return sketch.Invalidf("the cells of section %d of %d are damaged", i+1, len(v.sections))
		case total != s.total:
			return sketch.Invalidf("section %d of %d counts %d occurrences, but its cells count %d", i+1, len(v.sections), s.total, total)
		}
		bounds = Hull(bounds, around.rect(s.X, s.Y))
	}
	if bounds != v.bounds {
		return sketch.Invalidf("bounds that are not those of the cells")
	}
	return nil
}

// List returns all cells. It checks them as EachBlock does.
func (v *View) List() (List, error) {
	var l List
	err := v.EachBlock(func(label *Label, r Run) error {
		if len(l) == 0 || l[len(l)-1].Label != *label {
			n := v.sections[len(l)].cells
			l = append(l, Section{*label, Run{make([]uint64, 0, n), make([]uint64, 0, n)}})
		}
		s := &l[len(l)-1]
		s.Keys, s.Counts = append(s.Keys, r.Keys...), append(s.Counts, r.Counts...)
		return nil
	})
	return l, err
}

// EachCategory calls f with each category, in the order of the bytes, its number of cells and the
// sum of their counts. It reads the lengths of sections, not their cells.
func (v *View) EachCategory(f func(category []byte, cells, total uint64)) {
	for i := 0; i < len(v.sections); {
		s := &v.sections[i]
		cells, total := uint64(0), uint64(0)
		for ; i < len(v.sections) && bytes.Equal(v.sections[i].Category, s.Category); i++ {
			cells, total = cells+uint64(v.sections[i].cells), saturate.Add(total, v.sections[i].total)
		}
		f(s.Category, cells, total)
	}
}

// Sections returns the number of sections.
func (v *View) Sections() int { return len(v.sections) }

// Each calls f for the cells inside clip, once for each category of a cell. It decodes only the
// blocks that meet clip.
func (v *View) Each(clip grid.Rect, of Categories, f func(c grid.Cell, n uint64)) {
	var never bool
	v.eachUntil(clip, of, 1, &never, f)
}

// eachUntil is Each for cells with at least least points. It ends when stop is set, but f may still get
// cells of the current batch.
func (v *View) eachUntil(clip grid.Rect, of Categories, least uint64, stop *bool, f func(c grid.Cell, n uint64)) {
	if clip = clip.Intersect(v.bounds); clip.Empty() {
		return
	}
	for i := range v.sections {
		if s := &v.sections[i]; of.Has(s.Category) && !*stop {
			s.eachIn(clip, least, stop, f)
		}
	}
}

// eachIn is View.eachUntil for one section. Its cells come in Z-order.
func (s *sectionView) eachIn(clip grid.Rect, least uint64, stop *bool, f func(c grid.Cell, n uint64)) {
	// A damaged BLOB may have wrong bounds. So only clip limits the cells.
	box, ok := regionRectOf(clip, grid.MaxRect(), s.X, s.Y)
	if !ok {
		return
	}
	q := borrowBatch()
	defer batches.Put(q)
	from, to := s.within(&box)
	for i := from; (i < to || q.size > 0) && !*stop; i++ {
		if i < to {
			if s.relation(&box, i) == grid.Outside {
				continue
			}
			if q.put(&s.blocks, i, box.high()); q.size < together {
				continue
			}
		}
		n := q.size
		q.read()
		for j := range n {
			cells := q.cells(j) // has no cells if the block is damaged
			for h, k := range cells.Keys {
				if n := cells.Counts[h]; n >= least && box.Outside(k) == 0 {
					f(CellOf(s.X, s.Y, k), n)
				}
			}
		}
	}
}

// EachSum calls f for each cell of an area whose count, added up over its categories, is at least least.
// After stop is set, f may still get the rest of a batch of blocks: up to 511 cells.
func (v *View) EachSum(a Area, of Categories, least uint64, stop *bool, f func(c grid.Cell, n uint64)) {
	box, isBox := a.(interface{ Rect() grid.Rect })
	if isBox && !v.together(of) {
		v.eachUntil(box.Rect(), of, least, stop, f)
		return
	}
	relation := a.Enter(v.bounds)
	if relation == grid.Outside {
		return
	}
	if relation == grid.Partly {
		defer a.Leave()
	}
	var q regions
	v.Each(a.Bounds(), of, q.add)
	q.each(func(x, y int32, cells Run) {
		each := func(r Run) {
			for i, z := range r.Keys {
				if n := r.Counts[i]; n >= least && !*stop {
					f(CellOf(x, y, z), n)
				}
			}
		}
		if isBox || relation == grid.Inside {
			each(cells)
			return
		}
		w := areaSummer{area: a, bounds: v.bounds, each: each, s: &sectionView{LabelView: LabelView{X: x, Y: y}}}
		w.cells(cells)
	})
}

// Most returns the largest number of calls that EachSum makes, and the memory that it takes.
func (v *View) Most(isBox bool, of Categories) (cells int, bytes int64) {
	for i := range v.sections {
		if s := &v.sections[i]; of.Has(s.Category) {
			cells += s.cells
		}
	}
	if !isBox || v.together(of) {
		// This counts lists that are copied as they grow, and scratch memory to sort them.
		bytes = 4 * RunBytes(cells)
	}
	return cells, bytes
}
