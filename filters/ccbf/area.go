package ccbf

import "github.com/ccbfsql/ccbfsql/filters/grid"

// area is what a question is about. Like grid.Descent it is asked about
// rectangles of cells, each inside the one entered before it.
type area interface {
	Bounds() grid.Rect
	Enter(r grid.Rect) grid.Relation // entered where Partly, until Leave
	Leave()
	Contains(c grid.Cell) bool // for cells of the rectangle entered last
	Work() int                 // comparisons that Contains makes
}

// boxArea is a rectangle as an area.
type boxArea grid.Rect

func (b boxArea) Bounds() grid.Rect { return grid.Rect(b) }

func (b boxArea) Enter(r grid.Rect) grid.Relation {
	switch in := r.Intersect(grid.Rect(b)); {
	case in.Empty():
		return grid.Outside
	case in == r:
		return grid.Inside
	}
	return grid.Partly
}

func (b boxArea) Leave()                    {}
func (b boxArea) Contains(c grid.Cell) bool { return grid.Rect(b).Contains(c) }
func (b boxArea) Work() int                 { return 1 }
