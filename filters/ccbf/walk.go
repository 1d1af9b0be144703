package ccbf

import "github.com/ccbfsql/ccbfsql/filters/grid"

// eachCell calls f for the cells of an exact sketch inside clip, once for each
// category that a cell has. It reads the blocks that meet clip and no others.
func (v *View) eachCell(clip grid.Rect, category []byte, f func(c grid.Cell, n uint64)) {
	if clip = clip.Intersect(v.Bounds); clip.Empty() {
		return
	}
	for i := range v.sections {
		if s := &v.sections[i]; s.matches(category) {
			s.each(clip, f)
		}
	}
}

// each is eachCell for one section, in Z-order.
func (s *sectionView) each(clip grid.Rect, f func(c grid.Cell, n uint64)) {
	var keys, counts [blockCells]uint64
	for i := range len(s.index) / indexEntry {
		around := s.around(i)
		inside := around.Intersect(clip)
		if inside.Empty() {
			continue
		}
		n, ok := s.decode(i, &keys, &counts)
		if !ok {
			continue // damaged: Verify tells, a question does not
		}
		for j, k := range keys[:n] {
			if c := cellOf(s.x, s.y, k); inside == around || clip.Contains(c) {
				f(c, counts[j])
			}
		}
	}
}

// eachSum is eachCell with a cell's categories added up, as Count has them.
func (v *View) eachSum(clip grid.Rect, category []byte, f func(c grid.Cell, n uint64)) {
	if category != nil || !v.Categories {
		v.eachCell(clip, category, f)
		return
	}
	var q squares
	v.eachCell(clip, nil, q.add)
	q.each(func(x, y int32, cells run) {
		for i, z := range cells.keys {
			f(cellOf(x, y, z), cells.counts[i])
		}
	})
}
