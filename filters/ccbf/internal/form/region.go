package form

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// RegionArea is an area in region (X, Y), in which squares have keys. It cuts squares to Bounds, outside of
// which there are no points, and passes them to its field Area.
type RegionArea struct {
	Area      cells.Area
	Bounds    grid.Rect
	X, Y      int32
	Fractions bool // whether the caller uses fraction.
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

// enter enters the smallest square that holds the keys low and high.
func (a *RegionArea) enter(low, high uint64) grid.Relation {
	level := cells.CommonLevel(low, high)
	r := a.Rect(low&^cells.LowBits(level), level)
	if r.Empty() {
		return grid.Outside
	}
	return a.Area.Enter(r)
}

// contains reports whether a cell of the square entered last is in the area.
func (a *RegionArea) contains(key uint64) bool { return a.Area.Contains(cells.CellOf(a.X, a.Y, key)) }

// fewCells is the most cells of a square that are looked at one by one. Larger squares are quartered up to
// fractionSteps times.
const (
	fewCells      = 64
	fractionSteps = 2
)

// fraction returns the fraction of the cells of the square entered last that lie in the area. It is exact for boxes and for small squares. Otherwise, parts of the square
// that lie across the outline count by their centre.
func (a *RegionArea) fraction(key uint64, level uint8) float64 {
	r := a.Rect(key, level)
	if !a.Fractions || r.Empty() {
		return 0
	}
	if b, ok := a.Area.(Box); ok {
		return CellsOf(r.Intersect(grid.Rect(b.Box))) / CellsOf(r)
	}
	return a.inside(r, fractionSteps) / CellsOf(r)
}

// CellsOf returns the number of cells of a rectangle.
func CellsOf(r grid.Rect) float64 {
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
			return CellsOf(r)
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
			n += CellsOf(q)
		case grid.Partly:
			n += a.inside(q, steps-1)
			a.Area.Leave()
		}
	}
	return n
}
