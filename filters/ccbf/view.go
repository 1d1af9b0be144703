package ccbf

import (
	"errors"
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/exact"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Errors of queries that a sketch cannot answer.
var (
	ErrNeedsCategory = errors.New("the sketch was built with a category: give one")
	ErrNoCategory    = errors.New("the sketch was built without a category: leave it out, or build the sketch with the option \"category\"")
)

// View answers queries from a BLOB's memory, which must not change meanwhile. NewView checks
// structure and lengths, not the checksum: damaged bytes may give wrong answers, but do no other
// harm. The zero value is ready for Reset. Resetting a View again and again does not allocate.
//
// A View is for one goroutine at a time, because it keeps memory from one query to the next. It also keeps
// what it decodes of an exact sketch or a tree more than once, at most 16 MiB. Any number of Views may read the
// same BLOB at once.
type View struct {
	Head
	blob     []byte
	head     form.Head // the part of Head that the readers use.
	exact    exact.Reader
	tree     tree.Reader
	counters counters.Reader
}

// NewView returns a view of a BLOB. An error wraps sketch.ErrInvalid.
func NewView(blob []byte) (View, error) {
	var v View
	err := v.Reset(blob)
	return v, err
}

// Reset makes v a view of another BLOB, in its own memory. An error wraps sketch.ErrInvalid.
func (v *View) Reset(blob []byte) error {
	v.blob = nil
	b, err := v.parse(blob)
	if err != nil {
		return err
	}
	total, known := v.Total()
	limit := v.head.Limit
	limit.Size, limit.Res, limit.Levels, limit.Counters = len(blob), v.Grid.Res(), v.Levels, v.shape.K*v.shape.Layers
	v.head = form.Head{
		Grid: v.Grid, Bounds: v.Bounds, Categories: v.Categories, Total: total, TotalKnown: known,
		Sums: v.additive(), Saturated: v.header.Flags.Has(sketch.Saturated), Limit: limit,
	}
	v.tree.Fit.Suppression = v.hidden
	v.counters.Params, v.counters.Origin = *v.Config.counters(), v.parts
	if err := v.reader().Reset(b.Body); err != nil {
		return err
	}
	v.blob = blob
	return nil
}

// checkPoint returns an error for a cell beyond the grid. It returns one as well if a category is
// given and points of this sketch have none, or the other way round.
func (c *Config) checkPoint(at grid.Cell, category []byte) error {
	c.mustBeMade()
	switch {
	case max(at.X, at.Y) > grid.MaxIndex || min(at.X, at.Y) < -grid.MaxIndex:
		return fmt.Errorf("%w: (%d, %d)", grid.ErrRange, at.X, at.Y)
	case category != nil && !c.Categories:
		return ErrNoCategory
	case category == nil && c.Categories:
		return ErrNeedsCategory
	}
	return nil
}

// Count returns the number of points in a cell. It is never below the truth, and exact for an exact
// sketch. A nil category is all points. Call CheckCategory first. If all counters of the cell are
// full, Count returns the total, or 2^64-1 if that is unknown. O(k) for counters, O(log n) for an
// exact sketch.
func (v *View) Count(c grid.Cell, category []byte) uint64 { return v.reader().Count(c, category) }

// CountAt is Count of the cell at (x, y). Errors come from grid.Grid.Cell and CheckCategory.
func (v *View) CountAt(x, y float64, category []byte) (uint64, error) {
	if err := v.CheckCategory(category != nil); err != nil {
		return 0, err
	}
	c, err := v.Grid.Cell(x, y)
	if err != nil {
		return 0, err
	}
	return v.Count(c, category), nil
}

// Counts is Count for many cells, over several categories; dst is as long as cells.
func (v *View) Counts(dst []uint64, cells []grid.Cell, of Categories) {
	v.reader().Counts(dst, cells, of)
}

// Head is the head of a BLOB: parameters, bounds and total, but no counts. A View has one.
type Head struct {
	Config
	Bounds grid.Rect // no cell outside has a count

	parts  cascade.Origin   // how counters of mode mi were made.
	hidden tree.Suppression // what Suppress did to a tree.

	form   Form
	header sketch.Header
}

// parse makes h the head of a BLOB, and returns the BLOB split into its parts. It reads some hundred bytes of any
// BLOB. An error wraps sketch.ErrInvalid.
func (h *Head) parse(blob []byte) (sketch.Blob, error) {
	b, err := sketch.ParseAs(id, blob)
	if err != nil {
		return b, err
	}
	head := Head{header: b.Header}
	if err := head.readParams(&b, h.Grid); err != nil {
		return b, err
	}
	known := b.Flags.Has(sketch.TotalKnown)
	if head.additive() != sums(head.form, head.Mode, known) || head.form == Exact && !known || head.form != Dense && b.Flags.Has(sketch.Saturated) {
		return b, sketch.Invalidf("flags %#x in this form and mode", uint16(b.Flags))
	}
	if !head.Categories && b.KeyClass != 0 {
		return b, sketch.Invalidf("a class of categories without categories")
	}
	if class := key.Class(b.KeyClass); !class.Known() {
		return b, sketch.Invalidf("key class %d", b.KeyClass)
	}
	if head.form == Exact && uint64(len(b.Body)) > head.Bytes {
		return b, sketch.Invalidf("an exact body of %d bytes, at most %d are allowed", len(b.Body), head.Bytes)
	}
	*h = head
	return b, nil
}

// CheckCategory returns an error if a query with a category, or one without, has no answer.
// Counters can add up all categories only with Totals.
func (h *Head) CheckCategory(given bool) error {
	switch {
	case given && !h.Categories:
		return ErrNoCategory
	case !given && h.Categories && !h.Totals && h.form == Dense:
		return fmt.Errorf("%w (counters answer without one if they are built with totals: true)", ErrNeedsCategory)
	}
	return nil
}

// IsExact reports whether every answer is exact.
func (h *Head) IsExact() bool { return h.form == Exact }

// Total returns the number of points. It returns false if an operation made it unknown.
func (h *Head) Total() (uint64, bool) {
	return h.header.Total, h.header.Flags.Has(sketch.TotalKnown)
}

func (h *Head) additive() bool { return h.header.Flags.Has(sketch.Additive) }

// saturated is Sketch.Saturated. Only counters have a flag for it.
func (h *Head) saturated() bool {
	total, known := h.Total()
	return h.header.Flags.Has(sketch.Saturated) || h.form != Dense && known && total == full
}

// Class returns the class of the sketch's categories; 0 without categories.
func (h *Head) Class() key.Class { return key.Class(h.header.KeyClass) }

// check verifies the checksum, and that the body follows docs/FORMAT.md. Reset leaves this out,
// because lookups have no time for it. View.Sketch checks the cells of an exact body. O(len(blob)).
func (v *View) check() error {
	if err := sketch.Verify(v.blob); err != nil {
		return err
	}
	if r, ok := v.reader().(*counters.Reader); ok {
		return r.Check()
	}
	return nil
}

// ErrTooManyCells is the error for an area with more cells than one query may look up in counters.
type ErrTooManyCells = form.ErrTooManyCells

// AreaLimit is the largest number of cells that one query may look up in counters. With levels, it
// limits steps. No query can be interrupted. The limit is lower for small sketches.
const AreaLimit = form.AreaLimit

// Categories is the set of categories that a query asks for. The zero value means all points, with and
// without a category.
type Categories = cells.Categories

// Of returns the set that holds only one category, or the set of all categories if category is nil.
func Of(category []byte) Categories { return cells.Of(category) }

// AnyOf returns the set of several categories; it is empty without keys. A point counts once, even
// if its category is repeated. The keys must not change while the set is used.
func AnyOf(keys ...[]byte) Categories { return cells.AnyOf(keys...) }

// Memory that reading and writing sketches takes, for callers that reserve it before it is
// allocated.

// checkBytes returns the memory of what Check decodes. A few bytes can hold very many leaves of a
// tree.
func checkBytes(blob []byte) int64 {
	v, err := NewView(blob)
	if err != nil {
		return 0
	}
	return v.reader().Memory()
}

// pairBytes implements bridge.PairBytes.
func pairBytes(a, b *Sketch) int64 {
	if b.Form() == Exact {
		a, b = b, a
	}
	n := int64(0)
	switch b.Form() {
	case Dense:
		if n = 16*int64(b.shape.Size[0]) + int64(b.shape.Bytes()); a.Form() == Exact {
			n += int64(b.shape.Bytes()) + b.denseScratch(a.squares.Sections.Number())
		}
	case Tree:
		if a.Form() == Exact {
			n = tree.FitBytes(a.squares.Sections.Number())
		}
	}
	return n
}

// denseScratch returns the memory that counters.Of and Insert take beside the counters, for a
// number of cells.
func (c *Config) denseScratch(number int) int64 {
	n := int64(0)
	if c.Totals {
		n += cells.Bytes(number)
	}
	if c.Levels > 0 {
		n += 2 * cells.Bytes(number) // for the squares of one level, and of the level above
	}
	return n
}
