package cells

import "github.com/ccbfsql/ccbfsql/filters/grid"

// Area is what a question is about. Like grid.Descent it is asked about
// rectangles of cells, each inside the one entered before it.
type Area interface {
	Bounds() grid.Rect
	Enter(r grid.Rect) grid.Relation // entered where Partly, until Leave
	Leave()
	Contains(c grid.Cell) bool // for cells of the rectangle entered last
	Work() int                 // comparisons that Contains makes
}

// Box is a rectangle as an area.
type Box grid.Rect

// Bounds is the rectangle.
func (b Box) Bounds() grid.Rect { return grid.Rect(b) }

// Rect is the rectangle: of areas that have this method, cells are counted without a walk.
func (b Box) Rect() grid.Rect { return grid.Rect(b) }

// Enter is that of Area.
func (b Box) Enter(r grid.Rect) grid.Relation {
	switch in := r.Intersect(grid.Rect(b)); {
	case in.Empty():
		return grid.Outside
	case in == r:
		return grid.Inside
	}
	return grid.Partly
}

// Leave is that of Area.
func (b Box) Leave() {}

// Contains is that of Area.
func (b Box) Contains(c grid.Cell) bool { return grid.Rect(b).Contains(c) }

// Work is that of Area.
func (b Box) Work() int { return 1 }
