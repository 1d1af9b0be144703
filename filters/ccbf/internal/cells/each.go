package cells

import "github.com/ccbfsql/ccbfsql/filters/grid"

// Each calls f for the cells inside clip, once for each category that a cell has.
// It reads the blocks that meet clip and no others.
func (v *View) Each(clip grid.Rect, category []byte, f func(c grid.Cell, n uint64)) {
	v.eachFrom(clip, category, 1, f)
}

// eachFrom is Each for the cells that count least or more.
func (v *View) eachFrom(clip grid.Rect, category []byte, least uint64, f func(c grid.Cell, n uint64)) {
	if clip = clip.Intersect(v.bounds); clip.Empty() {
		return
	}
	for i := range v.sections {
		if s := &v.sections[i]; s.matches(category) {
			s.each(clip, least, f)
		}
	}
}

// each is View.eachFrom for one section, in Z-order.
func (s *sectionView) each(clip grid.Rect, least uint64, f func(c grid.Cell, n uint64)) {
	box, ok := spreadOf(clip, grid.MaxRect(), s.x, s.y) // bounds may be wrong, clip is not
	if !ok {
		return
	}
	var c couple
	var which [2]int
	waiting := 0
	from, to := s.within(&box)
	for i := from; i < to || waiting > 0; i++ {
		if i < to {
			if s.relation(&box, i) == grid.Outside {
				continue
			}
			which[waiting] = i
			waiting++
			if waiting == 1 {
				continue
			}
		}
		c.read(&s.blocks, which[0], which[waiting-1], waiting)
		for half := range waiting {
			if least > 1 && c.most(half) < least {
				continue
			}
			cells := c.cells(half) // none where damaged: Decode tells, a question does not
			for j, k := range cells.Keys {
				if n := cells.Counts[j]; n >= least && box.outside(k) == 0 {
					f(CellOf(s.x, s.y, k), n)
				}
			}
		}
		waiting = 0
	}
}

// EachSum is Each for the cells that count least or more, a cell's categories added up, as
// Count has them.
func (v *View) EachSum(clip grid.Rect, category []byte, least uint64, f func(c grid.Cell, n uint64)) {
	if !v.together(category) {
		v.eachFrom(clip, category, least, f)
		return
	}
	var q regions
	v.Each(clip, nil, q.add)
	q.each(func(x, y int32, cells Run) {
		for i, z := range cells.Keys {
			if n := cells.Counts[i]; n >= least {
				f(CellOf(x, y, z), n)
			}
		}
	})
}
