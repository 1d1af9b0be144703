package cells

import "github.com/ccbfsql/ccbfsql/filters/grid"

// Area is the set of cells that a query is about. A query starts with large rectangles and enters smaller
// ones inside, as with grid.Descent.
type Area interface {
	Bounds() grid.Rect
	// Enter reports how rectangle r lies. r must lie in the rectangle entered last. If the result is
	// Partly, r is entered until Leave is called.
	Enter(r grid.Rect) grid.Relation
	Leave()
	Contains(c grid.Cell) bool // reports whether a cell of the rectangle entered last is in the area
	Work() int                 // returns how many comparisons Contains makes
}

// Box is a rectangle of cells as an Area.
type Box grid.Rect

// Bounds returns the rectangle.
func (b Box) Bounds() grid.Rect { return grid.Rect(b) }

// Rect returns the rectangle. Queries about an area with this method need no walk.
func (b Box) Rect() grid.Rect { return grid.Rect(b) }

// Enter implements Area.
func (b Box) Enter(r grid.Rect) grid.Relation {
	switch in := r.Intersect(grid.Rect(b)); {
	case in.Empty():
		return grid.Outside
	case in == r:
		return grid.Inside
	}
	return grid.Partly
}

// Leave implements Area.
func (b Box) Leave() {}

// Contains implements Area.
func (b Box) Contains(c grid.Cell) bool { return grid.Rect(b).Contains(c) }

// Work implements Area.
func (b Box) Work() int { return 1 }
