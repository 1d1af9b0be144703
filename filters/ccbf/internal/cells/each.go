package cells

import "github.com/ccbfsql/ccbfsql/filters/grid"

// Each calls f for the cells inside clip, once for each category that a cell has.
// It reads the blocks that meet clip and no others.
func (v *View) Each(clip grid.Rect, category []byte, f func(c grid.Cell, n uint64)) {
	var never bool
	v.eachUntil(clip, category, 1, &never, f)
}

// eachUntil is Each for the cells that count least or more, until stop is set: f may be called
// with cells of the blocks that are read with that it is set in.
func (v *View) eachUntil(clip grid.Rect, category []byte, least uint64, stop *bool, f func(c grid.Cell, n uint64)) {
	if clip = clip.Intersect(v.bounds); clip.Empty() {
		return
	}
	for i := range v.sections {
		if s := &v.sections[i]; s.matches(category) && !*stop {
			s.each(clip, least, stop, f)
		}
	}
}

// each is View.eachUntil for one section, in Z-order.
func (s *sectionView) each(clip grid.Rect, least uint64, stop *bool, f func(c grid.Cell, n uint64)) {
	box, ok := spreadOf(clip, grid.MaxRect(), s.x, s.y) // bounds may be wrong, clip is not
	if !ok {
		return
	}
	q := lentBatch()
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
			if least > 1 && q.most(j) < least {
				continue
			}
			cells := q.cells(j) // none where damaged: Decode tells, a question does not
			for h, k := range cells.Keys {
				if n := cells.Counts[h]; n >= least && box.outside(k) == 0 {
					f(CellOf(s.x, s.y, k), n)
				}
			}
		}
	}
}

// EachSum is Each for the cells that count least or more, a cell's categories added up, as
// Count has them.
func (v *View) EachSum(clip grid.Rect, category []byte, least uint64, f func(c grid.Cell, n uint64)) {
	var never bool
	v.EachUntil(clip, category, least, &never, f)
}

// EachUntil is EachSum until stop is set: f may be called a few times more.
func (v *View) EachUntil(clip grid.Rect, category []byte, least uint64, stop *bool, f func(c grid.Cell, n uint64)) {
	if !v.together(category) {
		v.eachUntil(clip, category, least, stop, f)
		return
	}
	var q regions
	v.Each(clip, nil, q.add)
	q.each(func(x, y int32, cells Run) {
		for i, z := range cells.Keys {
			if n := cells.Counts[i]; n >= least && !*stop {
				f(CellOf(x, y, z), n)
			}
		}
	})
}

// Most is how many cells EachSum calls its function with at most, and the bytes that it
// takes for that.
func (v *View) Most(category []byte) (cells int, bytes int64) {
	for i := range v.sections {
		if s := &v.sections[i]; s.matches(category) {
			cells += s.cells
		}
	}
	if v.together(category) {
		bytes = 4 * RunBytes(cells) // lists that grow, and what sorts them
	}
	return cells, bytes
}
