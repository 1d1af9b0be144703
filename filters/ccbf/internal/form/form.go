// Package form has what the forms of a sketch share: the interface of their readers, areas, limits of work,
// rasters and pictures. Package exact is a sorted list of cells, package tree nested squares with counts, and
// package counters a layered counting Bloom filter.
//
// Exact sketches and trees both have squares with counts. So one walk over an area serves both (walk.go), and
// Squares has the queries that they answer alike.
package form

import (
	"cmp"
	"container/heap"
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Head is the part of a BLOB's head that a form needs.
type Head struct {
	Grid       grid.Grid
	Bounds     grid.Rect // no cell outside has a count
	Categories bool      // every point has a category
	Total      uint64
	TotalKnown bool // false if Total is unknown
	Sums       bool // counts are sums of points: false after an intersection or a mask
	Saturated  bool // a counter is at its ceiling
	Limit      Limit
}

// MaxSpots returns the largest number of cells that a query to this sketch lists: MaxSpots, or less
// for a small sketch. No exact sketch has as many.
func (h *Head) MaxSpots() int { return min(MaxSpots, 1<<16+4*h.Limit.Size) }

// Reader answers queries from a body without decoding it as a whole. The caller has cut areas and boxes
// to the bounds. It has also checked that the sketch has the categories.
type Reader interface {
	// Reset makes it a reader of a body. It reads lengths and indexes. Errors wrap sketch.ErrInvalid.
	Reset(body []byte) error
	// Memory returns how many bytes the decoded body would take.
	Memory() int64

	Count(c grid.Cell, category []byte) uint64
	Counts(dst []uint64, at []grid.Cell, of cells.Categories)
	Sum(a Area, of cells.Categories) (uint64, error)
	Estimate(a Area, of cells.Categories) (Estimate, error)

	Raster(p *Pixels, clip grid.Rect, of cells.Categories) error
	Density(p *Picture, of cells.Categories) error

	// Top adds the cells of an area to t, except those that t does not want.
	Top(a Area, of cells.Categories, t *Top) error

	// Listing returns the squares of a sketch that knows its categories and cells; nil for counters.
	Listing() *Squares
	Error() Error
	Describe(i *Info)
	String() string
}

// Estimate is an estimate of a sum, with an interval.
type Estimate struct {
	Value     float64
	Low, High uint64
	Certain   bool   // the interval always holds the sum
	Cells     uint64 // number of cells in the area, which package ccbf sets
}

// Error describes the error of counts; see ccbf.Error.
type Error struct {
	Exact, Certain           bool
	Most                     uint64
	Empty, Occupied          Overcount
	Known, Measured, Unknown bool
}

// Overcount says with which probability a count is too high, and by how much on average.
type Overcount struct{ Probability, Excess float64 }

// Info describes a body; see ccbf.Info.
type Info struct {
	Unbiased   bool
	Cells      uint64
	CellsKnown bool
	Categories uint64
	Tau        uint64
	Leaves     uint64
	AtLeast    uint64
	Suppressed uint64
	Fill       float64
}

// Area is the area of a query on the grid of a sketch: a box or a polygon. A query starts with large
// rectangles and enters smaller ones inside, as with grid.Descent.
type Area interface {
	Bounds() grid.Rect
	// Enter reports how rectangle r lies. r must lie in the rectangle entered last. If the result is
	// Partly, r is entered until Leave is called. A single cell is never Partly.
	Enter(r grid.Rect) grid.Relation
	Leave()
	Work() int // returns about how many comparisons it takes to enter a cell of the rectangle entered last
	// Scan returns the part of the area within a rectangle, row by row. It returns nil for a box.
	Scan(within grid.Rect) (*grid.Scanner, error)
}

// Box is a rectangle of cells as an Area.
type Box grid.Rect

// Bounds implements Area.
func (b Box) Bounds() grid.Rect { return grid.Rect(b) }

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

// Work implements Area.
func (b Box) Work() int { return 1 }

// Scan implements Area.
func (b Box) Scan(grid.Rect) (*grid.Scanner, error) { return nil, nil }

// Spot is a cell with its count. In a tree it is a leaf: a square of 2^Level x 2^Level cells with one
// count. Cell is then the south-western cell of the square.
type Spot struct {
	Cell  grid.Cell
	Count uint64
	Level uint8
}

// Place orders spots with equal counts: the smallest squares first, then by Y and X.
func (s Spot) Place(o Spot) int {
	return cmp.Or(cmp.Compare(s.Level, o.Level), cmp.Compare(s.Cell.Y, o.Cell.Y), cmp.Compare(s.Cell.X, o.Cell.X))
}

// MaxSpots is the largest number of cells that one query lists.
const MaxSpots = 1_000_000

// Candidate is a cell that may be among the k largest. Least is the lowest upper bound of its count that
// is known.
type Candidate struct {
	Spot
	Least uint64
}

// before reports whether c takes precedence over d in a list of the largest cells.
func (c *Candidate) before(d *Candidate) bool {
	return cmp.Or(cmp.Compare(d.Least, c.Least), c.Place(d.Spot)) < 0
}

// Top collects the K best candidates that have at least Least, or passes all of these on to Each.
type Top struct {
	K     int             // number of cells wanted.
	Most  int             // largest number of cells allowed.
	Least uint64          // least value of the field Least of a candidate.
	Each  func(Spot) bool // takes cells in place of Cells; false if that is too many.
	Cells []Candidate     // the best so far: a heap, with the worst at the root.
	Full  bool            // more cells were found than are allowed
}

func (t *Top) Len() int           { return len(t.Cells) }
func (t *Top) Less(i, j int) bool { return t.Cells[j].before(&t.Cells[i]) }
func (t *Top) Swap(i, j int)      { t.Cells[i], t.Cells[j] = t.Cells[j], t.Cells[i] }

// Push implements heap.Interface. It is never called, because it would allocate.
func (t *Top) Push(any) {}

// Pop implements heap.Interface. It is never called: Add replaces the root.
func (t *Top) Pop() any { return nil }

// Wants reports whether c would be among the best.
func (t *Top) Wants(c Candidate) bool {
	return c.Least >= t.Least && (t.Each != nil || len(t.Cells) < t.K || c.before(&t.Cells[0]))
}

// Add takes a candidate into account. It returns false once there are too many.
func (t *Top) Add(c Candidate) bool {
	switch n := len(t.Cells); {
	case !t.Wants(c):
	case t.Each != nil:
		t.Full = !t.Each(c.Spot)
	case n == t.K:
		t.Cells[0] = c
		heap.Fix(t, 0)
	case n == t.Most:
		t.Full = true
	default:
		t.Cells = append(t.Cells, c)
		heap.Fix(t, n)
	}
	return !t.Full
}

// ErrTooManyCells is the error for an area with more cells than one query may look up in counters.
type ErrTooManyCells struct {
	// Cells is the number of cells of the area. With levels, at least so many steps are needed. Left is how
	// many are still allowed after earlier areas.
	Cells, Left uint64
	Limit       uint64 // number of cells that one query to this sketch may look up.
	Res         float64
	Levels      uint8 // levels of the sketch
	Bytes       int   // length of the sketch
}

func (e *ErrTooManyCells) Error() string {
	limit, which := e.Limit, ""
	switch {
	case e.Left < e.Limit:
		limit, which = AreaLimit, " for all areas of 2,048 rows in total"
	case e.Limit < AreaLimit:
		which = fmt.Sprintf(" for a sketch of %d bytes", e.Bytes)
	}
	if e.Levels > 0 {
		return fmt.Sprintf("area takes at least %.2g steps at resolution %v with %d levels; the limit is %.2g%s (use a smaller area, or a sketch that is coarser or has more levels)", float64(e.Cells), e.Res, e.Levels, float64(limit), which)
	}
	return fmt.Sprintf("area covers %.2g cells at resolution %v; the limit is %.2g%s (use a smaller area, or a sketch that is coarser or has levels)", float64(e.Cells), e.Res, float64(limit), which)
}

// AreaLimit is the largest number of cells that one query may look up in counters. With levels, it
// limits steps. No query can be interrupted. The limit is lower for small sketches.
const AreaLimit = 100_000_000

// These are the costs of a query. It may cost leastWork, and workPerByte more for each byte of the
// sketch. A lookup costs lookupWork, and one for each counter that it can read. A crossing of a row
// and an edge costs rowWork.
//
// A BLOB may come from anyone and claim any bounds, k and layers, but it must have its bytes. With
// the default layers, the limit is AreaLimit from 435 KiB on. It is 1.2 million cells for 4 KiB.
const (
	leastWork   = 1 << 23
	workPerByte = 7 << 10
	lookupWork  = 16
	rowWork     = 4
)

// Limit bounds the work of queries. After Together it bounds the queries to several sketches together, so
// it outlives a sketch.
type Limit struct {
	Size     int     // bytes of the BLOB
	Res      float64 // resolution
	Levels   uint8   // levels of squares
	Counters int     // counters that a lookup can read: k times the layers

	Shared  bool   // whether AreaLimit bounds all queries since Together, not each one.
	Covered uint64 // cells looked up since Together
}

// Together bounds all later queries together by AreaLimit, whatever sketches they read.
func (l *Limit) Together() { l.Shared, l.Covered = true, 0 }

// Work returns the largest cost of one query.
func (l *Limit) Work() uint64 { return leastWork + workPerByte*uint64(l.Size) }

// Cells returns the largest number of cells that one query may look up in this sketch.
func (l *Limit) Cells() uint64 { return min(AreaLimit, l.Work()/uint64(lookupWork+l.Counters)) }

// Left returns the number of cells that the next query may look up.
func (l *Limit) Left() uint64 { return min(l.Cells(), AreaLimit-l.Covered) }

// Allow returns an *ErrTooManyCells if a query may not look up n cells.
func (l *Limit) Allow(n uint64) error { return l.take(n, l.Cells()) }

// AllowRows returns an *ErrTooManyCells if counting cells may not cross rows and edges n times.
func (l *Limit) AllowRows(n uint64) error { return l.take(n, min(AreaLimit, l.Work()/rowWork)) }

// take is Allow with the limit most.
func (l *Limit) take(n, most uint64) error {
	if left := min(most, AreaLimit-l.Covered); n > left {
		return &ErrTooManyCells{Cells: n, Left: left, Limit: most, Res: l.Res, Levels: l.Levels, Bytes: l.Size}
	}
	if l.Shared {
		l.Covered += n
	}
	return nil
}

// Within calls f with a limit of most cells, regardless of earlier queries, and does not count
// them.
func (l *Limit) Within(most uint64, f func() error) error {
	before := *l
	l.Shared, l.Covered = true, AreaLimit-most
	err := f()
	*l = before
	return err
}
