package tree

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// RegionArea asks an area about squares of a region, as far as they are within bounds:
// no point is outside.
type RegionArea struct {
	Area   cells.Area
	Bounds grid.Rect
	X, Y   int32
	Shares bool // Share is asked for
}

// Rect is the cells of a square that can have points.
func (a *RegionArea) Rect(key uint64, level uint8) grid.Rect {
	from := cells.CellOf(a.X, a.Y, key)
	side := int64(1) << level
	return grid.Rect{MinX: from.X, MinY: from.Y, MaxX: from.X + side - 1, MaxY: from.Y + side - 1}.Intersect(a.Bounds)
}

// Enter is that of Area.
func (a *RegionArea) Enter(key uint64, level uint8) grid.Relation {
	r := a.Rect(key, level)
	if r.Empty() {
		return grid.Outside
	}
	return a.Area.Enter(r)
}

// Leave is that of Area.
func (a *RegionArea) Leave() { a.Area.Leave() }

// fewShares is up to how many cells of a square are asked for one by one, and
// shareSteps how many times larger ones are quartered.
const (
	fewShares  = 64
	shareSteps = 2
)

// Share is that of Area: of boxes and of small squares right, of others that of
// the centres of its parts.
func (a *RegionArea) Share(key uint64, level uint8) float64 {
	r := a.Rect(key, level)
	if !a.Shares || r.Empty() {
		return 0
	}
	if b, ok := a.Area.(form.Box); ok {
		return cellsOf(r.Intersect(grid.Rect(b.Box))) / cellsOf(r)
	}
	return a.inside(r, shareSteps) / cellsOf(r)
}

// cellsOf is how many cells a rectangle has.
func cellsOf(r grid.Rect) float64 {
	if r.Empty() {
		return 0
	}
	return float64(r.Width()) * float64(r.Height())
}

// inside is about how many cells of the rectangle entered last are in the area.
func (a *RegionArea) inside(r grid.Rect, steps int) float64 {
	if r.Width() <= fewShares && r.Height() <= fewShares && r.Count() <= fewShares {
		n := 0.0
		for y := r.MinY; y <= r.MaxY; y++ {
			for x := r.MinX; x <= r.MaxX; x++ {
				if a.Area.Contains(grid.Cell{X: x, Y: y}) {
					n++
				}
			}
		}
		return n
	}
	midX, midY := r.MinX+(r.MaxX-r.MinX)/2, r.MinY+(r.MaxY-r.MinY)/2
	if steps == 0 {
		if a.Area.Contains(grid.Cell{X: midX, Y: midY}) {
			return cellsOf(r)
		}
		return 0
	}
	n := 0.0
	for _, q := range [...]grid.Rect{
		{MinX: r.MinX, MinY: r.MinY, MaxX: midX, MaxY: midY}, {MinX: midX + 1, MinY: r.MinY, MaxX: r.MaxX, MaxY: midY},
		{MinX: r.MinX, MinY: midY + 1, MaxX: midX, MaxY: r.MaxY}, {MinX: midX + 1, MinY: midY + 1, MaxX: r.MaxX, MaxY: r.MaxY},
	} {
		if q.Empty() {
			continue
		}
		switch a.Area.Enter(q) {
		case grid.Inside:
			n += cellsOf(q)
		case grid.Partly:
			n += a.inside(q, steps-1)
			a.Area.Leave()
		}
	}
	return n
}
