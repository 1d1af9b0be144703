package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/beside"
)

// halvedCells is from how many cells on the lower half of a raster of counters is made
// beside the upper one: so many take milliseconds.
const halvedCells = 1 << 18

func (v countersView) raster(p *pixels, clip grid.Rect, category []byte) error {
	if clip = clip.Intersect(v.Bounds); clip.Empty() {
		return nil
	}
	if v.Levels == 0 {
		if err := v.allow(clip.Count()); err != nil {
			return err
		}
		south, north := p.halves(clip)
		draw := func(clip grid.Rect) func() {
			return func() {
				v.sweepAll(clip, category, func(at grid.Cell, n uint64) bool {
					p.add(p.columns.part(at.X), p.lines.part(at.Y), n)
					return true
				})
			}
		}
		beside.Do(v.Spare, draw(south), draw(north))
		return nil
	}
	south, north := p.halves(clip)
	if north.Empty() {
		return v.rasterLevels(p, clip, category)
	}
	// Each half with as many lookups as both may have, so that what is too much does not
	// depend on whether there was a processor for the other.
	lower, upper := *v.View, *v.View
	lower.together, upper.together = true, true
	var errLower, errUpper error
	beside.Do(v.Spare, func() { errLower = countersView{&lower}.rasterLevels(p, south, category) },
		func() { errUpper = countersView{&upper}.rasterLevels(p, north, category) })
	switch {
	case errLower != nil:
		return errLower
	case errUpper != nil:
		return errUpper
	}
	return v.allow(lower.covered - v.covered + upper.covered - v.covered)
}

// rasterLevels is raster of a sketch with levels.
func (v countersView) rasterLevels(p *pixels, clip grid.Rect, category []byte) error {
	s := search{v: v.View, category: category, visit: func(level int, at grid.Cell, _, least uint64) bool {
		column, line, whole := p.whole(level, at)
		if whole {
			p.add(column, line, least)
		}
		return !whole
	}}
	return s.run(clip)
}

// halves are the cells of a rectangle, cut between two lines of pixels, so that no pixel
// has cells of both; north has none where there is nothing to cut, or not enough.
func (p *pixels) halves(clip grid.Rect) (south, north grid.Rect) {
	south, north = clip, clip
	at := p.lines.at[p.lines.part(clip.MinY+(clip.MaxY-clip.MinY)/2)]
	if clip.Count() < halvedCells || at <= clip.MinY {
		at = clip.MaxY + 1
	}
	south.MaxY, north.MinY = at-1, at
	return south, north
}
