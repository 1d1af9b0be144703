package ccbf

import "github.com/ccbfsql/ccbfsql/filters/grid"

// eachCell calls f for the cells inside clip that have a count. An exact
// sketch reads the blocks that meet clip and no others, in Z-order, and hands
// over a cell once for each category it has; a dense one is asked cell by cell,
// row by row, for up to AreaLimit cells inside Bounds.
func (v *View) eachCell(clip grid.Rect, category []byte, f func(c grid.Cell, n uint64)) error {
	clip = clip.Intersect(v.Bounds)
	if clip.Empty() {
		return nil
	}
	if v.form == formDense {
		return v.eachDenseCell(clip, category, f)
	}
	for i := range v.sections {
		if s := &v.sections[i]; s.matches(category) {
			s.each(clip, f)
		}
	}
	return nil
}

// each is eachCell for one section of an exact sketch.
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

func (v *View) eachDenseCell(clip grid.Rect, category []byte, f func(c grid.Cell, n uint64)) error {
	if err := v.allow(clip.Count()); err != nil {
		return err
	}
	for y := clip.MinY; y <= clip.MaxY; y++ {
		for x := clip.MinX; x <= clip.MaxX; x++ {
			c := grid.Cell{X: x, Y: y}
			if n := v.Count(c, category); n != 0 {
				f(c, n)
			}
		}
	}
	return nil
}
