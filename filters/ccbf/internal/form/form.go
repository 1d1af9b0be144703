// Package form is what the forms of a sketch have in common: what can be asked of one,
// areas, limits of work, rasters and pictures. Packages exact, tree and counters are the forms.
package form

import (
	"container/heap"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Head is what a form knows of its sketch beside the body.
type Head struct {
	Grid       grid.Grid
	Bounds     grid.Rect // no cell outside has a count
	Categories bool      // points have a category
	Total      uint64
	TotalKnown bool // Total is
	Sums       bool // counts are sums of points: not after an intersection or a mask
	Saturated  bool // a counter is at its ceiling
	Limit      Limit
}

// MaxSpots is the most cells that one question to this sketch lists: MaxSpots, or
// 65,536 and 4 for each byte. No exact sketch has as many.
func (h *Head) MaxSpots() int { return min(MaxSpots, 1<<16+4*h.Limit.Size) }

// Reader answers questions from a body in place. Areas and boxes have been held against
// the bounds, and categories against what the sketch knows. What only some forms can is in interfaces of
// their own, below.
type Reader interface {
	// Memory is the bytes that the cells take once they are read.
	Memory() int64

	Count(c grid.Cell, category []byte) uint64
	Counts(dst []uint64, at []grid.Cell, of cells.Categories)
	Sum(a Area, of cells.Categories) (uint64, error)
	Estimate(a Area, of cells.Categories) (Estimate, error)

	Raster(p *Pixels, clip grid.Rect, of cells.Categories) error
	Density(p *Picture, of cells.Categories) error

	// Hotspots calls add with the cells that count threshold or more, until it returns false.
	Hotspots(a Area, threshold uint64, of cells.Categories, add func(Spot) bool) error
	TopK(a Area, of cells.Categories, t *Top) error

	Error() Error
	Unbiased() bool
	Describe(i *Info)
	String() string
}

// Some forms have these methods, and others need not.
type (
	// Checker holds the body against docs/FORMAT.md as far as reading it does not.
	Checker interface{ Check() error }
	// EachCounter is Counts for a category each: of at[i] it is categories[which[i]].
	EachCounter interface {
		CountEach(dst []uint64, at []grid.Cell, which []uint32, categories [][]byte)
	}
	// EstimateCoster says how many bytes Estimate takes beside the reader.
	EstimateCoster interface{ EstimateBytes() int64 }
	// ErrorCoster says how many bytes Error takes beside the reader.
	ErrorCoster interface{ ErrorBytes() int64 }
	// Lister lists what is in the sketch.
	Lister interface {
		// EachCategory calls f with the categories in the order of their bytes, 0 cells
		// where that is not known. Sections is at least how many there are.
		EachCategory(f func(category []byte, cells, total uint64))
		Sections() int
		// EachCategorySum calls f with the estimate of each category that may have points in an
		// area, in the order of their bytes.
		EachCategorySum(a Area, of cells.Categories, f func(category []byte, e Estimate))
		// EachCell calls f with the cells of an area, of a tree its leaves, until stop is
		// set; Listed is how many these are at most, and the bytes it takes.
		EachCell(a Area, of cells.Categories, stop *bool, f func(Spot))
		Listed(isBox bool, of cells.Categories) (cells int, bytes int64)
	}
)

// Estimate is an estimate of a sum.
type Estimate struct {
	Value     float64
	Low, High uint64
	Certain   bool // nothing else is possible
}

// Error is by how much counts are too high. ccbf.Error has the details.
type Error struct {
	Exact, Certain           bool
	Most                     uint64
	Empty, Occupied          Overcount
	Known, Measured, Unknown bool
}

// Overcount is how often a count is too high, and by how much on average.
type Overcount struct{ Probability, Excess float64 }

// Info is what can be read off a body. ccbf.Info has the details.
type Info struct {
	Cells      uint64
	CellsKnown bool
	Categories uint64
	Tau        uint64
	Leaves     uint64
	AtLeast    uint64
	Suppressed uint64
	Fill       float64
}

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

// Spot is a cell and its count; in a tree, a leaf: a square of 2^Level x 2^Level
// cells, each with that count, whose south-western one is Cell.
type Spot struct {
	Cell  grid.Cell
	Count uint64
	Level uint8
}

// MaxSpots is the most cells that one question lists.
const MaxSpots = 1_000_000

// Candidate is a cell that may be among the largest, by the least that is known
// of its count.
type Candidate struct {
	Spot
	Least uint64
}

// before reports whether c comes into a list of the largest rather than d.
func (c *Candidate) before(d *Candidate) bool {
	if c.Least != d.Least {
		return c.Least > d.Least
	}
	if c.Level != d.Level {
		return c.Level < d.Level
	}
	a, b := c.Cell, d.Cell
	return a.Y < b.Y || a.Y == b.Y && a.X < b.X
}

// Top is a heap of the k best candidates so far, the last of them on top.
type Top struct {
	K, Most int // cells wanted, and the most that there may be
	Cells   []Candidate
	Full    bool // more were wanted than there may be
}

func (t *Top) Len() int           { return len(t.Cells) }
func (t *Top) Less(i, j int) bool { return t.Cells[j].before(&t.Cells[i]) }
func (t *Top) Swap(i, j int)      { t.Cells[i], t.Cells[j] = t.Cells[j], t.Cells[i] }

// Push is that of heap.Interface. It is never called: it would take an allocation for each.
func (t *Top) Push(any) {}

// Pop is that of heap.Interface. It is never called: the last is replaced.
func (t *Top) Pop() any { return nil }

// Wants reports whether c would be among the best.
func (t *Top) Wants(c Candidate) bool {
	return len(t.Cells) < t.K || c.before(&t.Cells[0])
}

// Add takes a Candidate into account; false once there are too many.
func (t *Top) Add(c Candidate) bool {
	switch {
	case len(t.Cells) < min(t.K, t.Most):
		if len(t.Cells) == cap(t.Cells) {
			t.Cells = slices.Grow(t.Cells, min(max(64, len(t.Cells)), t.Most-len(t.Cells)))
		}
		t.Cells = append(t.Cells, c)
		heap.Fix(t, len(t.Cells)-1)
	case len(t.Cells) < t.K:
		t.Full = true
	case c.before(&t.Cells[0]):
		t.Cells[0] = c
		heap.Fix(t, 0)
	}
	return !t.Full
}

// CountEach is Counts with a category for each cell: that of in[i] is
// categories[which[i]].
func CountEach(r Reader, dst []uint64, in []grid.Cell, which []uint32, categories [][]byte) {
	if e, ok := r.(EachCounter); ok {
		e.CountEach(dst, in, which, categories)
		return
	}
	// Those of a category together.
	order := make([]uint64, len(in))
	for i, k := range which[:len(in)] {
		order[i] = uint64(k)<<32 | uint64(i)
	}
	slices.Sort(order)
	at, counts := make([]grid.Cell, len(in)), make([]uint64, len(in))
	for i, o := range order {
		at[i] = in[uint32(o)]
	}
	for from := 0; from < len(order); {
		k, to := order[from]>>32, from+1
		for to < len(order) && order[to]>>32 == k {
			to++
		}
		r.Counts(counts[from:to], at[from:to], cells.Of(categories[k]))
		from = to
	}
	for i, o := range order {
		dst[uint32(o)] = counts[i]
	}
}
