package ccbf

import (
	"iter"
	"sync/atomic"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/beside"
)

// stripedCells is from how many cells on a raster of counters is made in rasterStrips strips,
// of which two goroutines take the next each: so many take milliseconds, and strips with many
// points more than others.
const (
	stripedCells = 1 << 18
	rasterStrips = 16
)

func (v countersView) raster(p *pixels, clip grid.Rect, category []byte) error {
	if clip = clip.Intersect(v.Bounds); clip.Empty() {
		return nil
	}
	strips := p.strips(clip)
	if v.Levels > 0 {
		return v.rasterLevels(p, clip, strips, category)
	}
	if err := v.allow(clip.Count()); err != nil {
		return err
	}
	all := sweep{v: v, category: category}
	all.over(clip, clip.Count())
	beside.Share(v.Spare, len(strips), func(which iter.Seq[int]) {
		s := all
		for i := range which {
			s.each(strips[i], func(at []grid.Cell, counts []uint64) bool {
				for i, n := range counts {
					p.add(p.columns.part(at[i].X), p.lines.part(at[i].Y), n)
				}
				return true
			})
		}
	})
	return nil
}

// rasterLevels is raster of a sketch with levels. What is too much does not depend on who makes
// which strip.
func (v countersView) rasterLevels(p *pixels, clip grid.Rect, strips []grid.Rect, category []byte) error {
	most := v.left()
	if n := clip.Squares(int(v.Levels)).Count(); n > most {
		return v.allow(n)
	}
	var reads atomic.Uint64
	beside.Share(v.Spare, len(strips), func(which iter.Seq[int]) {
		s := search{v: v.View, category: category, most: most, visit: p.take}
		for i := range which {
			if s.over(strips[i]); s.reads > most {
				break
			}
		}
		reads.Add(s.reads)
	})
	return v.allow(min(reads.Load(), most+1))
}

// strips cuts the cells of a rectangle between lines of pixels, so that no pixel has cells of
// two strips.
func (p *pixels) strips(clip grid.Rect) (strips []grid.Rect) {
	rest, rows := clip, int64(clip.Height())
	if clip.Count() >= stripedCells {
		rows = (rows + rasterStrips - 1) / rasterStrips
	}
	for !rest.Empty() {
		strip := rest
		if last := rest.MinY + rows - 1; last < clip.MaxY {
			strip.MaxY = min(p.lines.at[p.lines.part(last)+1]-1, clip.MaxY)
		}
		strips, rest.MinY = append(strips, strip), strip.MaxY+1
	}
	return strips
}
