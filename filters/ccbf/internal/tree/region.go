package tree

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// RegionArea is an Area for the squares of region (X, Y). It turns a square into a rectangle of cells,
// and cuts this to Bounds, outside of which there are no points. Then it passes the rectangle to its
// field Area.
type RegionArea struct {
	Area      cells.Area
	Bounds    grid.Rect
	X, Y      int32
	Fractions bool // whether the caller uses Fraction.
}

// Rect returns the cells within bounds of the square with this key and level.
func (a *RegionArea) Rect(key uint64, level uint8) grid.Rect {
	return square(cells.CellOf(a.X, a.Y, key), level).Intersect(a.Bounds)
}

// square returns the cells of a square of a level, of which corner is the south-western one.
func square(corner grid.Cell, level uint8) grid.Rect {
	last := int64(1)<<level - 1
	return grid.Rect{MinX: corner.X, MinY: corner.Y, MaxX: corner.X + last, MaxY: corner.Y + last}
}

// Enter implements Area.
func (a *RegionArea) Enter(key uint64, level uint8) grid.Relation {
	r := a.Rect(key, level)
	if r.Empty() {
		return grid.Outside
	}
	return a.Area.Enter(r)
}

// Leave implements Area.
func (a *RegionArea) Leave() { a.Area.Leave() }

// fewCells is the most cells of a square that are looked at one by one. Larger squares are quartered up to
// fractionSteps times.
const (
	fewCells      = 64
	fractionSteps = 2
)

// Fraction implements Area. It is exact for boxes and for small squares. Otherwise, parts of the square
// that lie across the outline count by their centre.
func (a *RegionArea) Fraction(key uint64, level uint8) float64 {
	r := a.Rect(key, level)
	if !a.Fractions || r.Empty() {
		return 0
	}
	if b, ok := a.Area.(form.Box); ok {
		return cellsOf(r.Intersect(grid.Rect(b.Box))) / cellsOf(r)
	}
	return a.inside(r, fractionSteps) / cellsOf(r)
}

// cellsOf returns the number of cells of a rectangle.
func cellsOf(r grid.Rect) float64 {
	if r.Empty() {
		return 0
	}
	return float64(r.Width()) * float64(r.Height())
}

// inside estimates how many cells of r, the rectangle entered last, lie in the area.
func (a *RegionArea) inside(r grid.Rect, steps int) float64 {
	if r.Width() <= fewCells && r.Height() <= fewCells && r.Count() <= fewCells {
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
