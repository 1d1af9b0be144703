package form

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Area is where a question is about: a box, or a polygon on the grid of the sketch.
type Area interface {
	cells.Area
	// Rows is the area row by row, within a rectangle.
	Rows(g grid.Grid, within grid.Rect) (Rows, error)
}

// Rows is an area as the stretches of its rows.
type Rows interface {
	Bounds() grid.Rect
	Work() uint64  // crossings of rows and edges
	Count() uint64 // cells
	Row(y int64) []grid.Interval
}

// Box is a rectangle as an area.
type Box struct{ cells.Box }

// Rows is that of Area.
func (b Box) Rows(_ grid.Grid, within grid.Rect) (Rows, error) {
	r := grid.Rect(b.Box).Intersect(within)
	return &boxRows{r, [1]grid.Interval{{X0: r.MinX, X1: r.MaxX}}}, nil
}

// boxRows is a rectangle row by row.
type boxRows struct {
	rect grid.Rect
	row  [1]grid.Interval
}

func (b *boxRows) Bounds() grid.Rect         { return b.rect }
func (b *boxRows) Work() uint64              { return 0 }
func (b *boxRows) Count() uint64             { return b.rect.Count() }
func (b *boxRows) Row(int64) []grid.Interval { return b.row[:] }
