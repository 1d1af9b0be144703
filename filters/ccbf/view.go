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

// Errors of questions that a sketch cannot answer.
var (
	ErrNeedsCategory = errors.New("the sketch was built with a category: give one")
	ErrNoCategory    = errors.New("the sketch was built without a category: leave it out, or build the sketch with the option \"category\"")
)

// View answers questions straight from a BLOB's memory, which must not change
// meanwhile. NewView checks structure and lengths, not the checksum: answers
// from damaged bytes may be wrong, but nothing worse happens. The zero value
// is ready for Reset, and a View can be reset again and again without allocating.
//
// A View is for one goroutine at a time: questions use memory that it keeps from
// one to the next. Any number of Views may read the same BLOB at once.
type View struct {
	Head
	blob     []byte
	head     form.Head // what its form knows of it
	exact    exact.Reader
	tree     tree.Reader
	counters counters.Reader
}

// NewView returns a view of a BLOB. The error wraps sketch.ErrInvalid.
func NewView(blob []byte) (View, error) {
	var v View
	err := v.Reset(blob)
	return v, err
}

// Reset makes v a view of another BLOB, in the memory that it has. The error wraps sketch.ErrInvalid.
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
	if err := v.read(b.Body); err != nil {
		return err
	}
	v.blob = blob
	return nil
}

// read begins to read the body.
func (v *View) read(body []byte) error {
	switch r := v.reader().(type) {
	case *counters.Reader:
		r.Params, r.Origin = *v.Config.counters(), v.parts
		return r.Reset(body)
	case *tree.Reader:
		r.Suppression = v.hidden
		return r.Reset(body)
	}
	return v.exact.Reset(body)
}

// limitAreas limits all later questions together, whatever sketches v is reset
// to, to lookups of AreaLimit cells of dense sketches: for a caller that cannot
// be interrupted between them.
func (v *View) limitAreas() { v.head.Limit.Together() }

// checkPoint returns an error where points of this sketch have a category and
// this one has not, or the other way about, and for cells that no point has.
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

// Count is the number of occurrences in a cell: never below the true count,
// and equal to it while exact. Where all counters of the cell are full it is the
// total, or 2^64-1 where that is unknown. category nil asks for points of any category;
// CheckCategory must have allowed the question. O(k) dense, O(log n) exact.
func (v *View) Count(c grid.Cell, category []byte) uint64 { return v.reader().Count(c, category) }

// CountAt is Count of the cell at (x, y), with the errors of grid.Grid.Cell and CheckCategory.
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

// Counts is Count for many cells, in categories; dst is as long as cells.
func (v *View) Counts(dst []uint64, cells []grid.Cell, of Categories) {
	v.reader().Counts(dst, cells, of)
}

// Head describes a BLOB without its counts: parameters, bounds, total. A View has one.
type Head struct {
	Config
	Bounds grid.Rect // no cell outside has a count

	parts  cascade.Origin   // how a dense sketch of mode mi came about
	hidden tree.Suppression // of a tree

	header sketch.Header
	form   byte
}

// reset makes h the head of a BLOB. It reads some hundred bytes, however many
// there are. The error wraps sketch.ErrInvalid.
func (h *Head) reset(blob []byte) error {
	_, err := h.parse(blob)
	return err
}

// parse is reset; it returns the body for those that go on.
func (h *Head) parse(blob []byte) (sketch.Blob, error) {
	b, err := sketch.ParseAs(id, blob)
	if err != nil {
		return b, err
	}
	var p params
	if err := p.read(&b, h.Grid); err != nil {
		return b, err
	}
	h.Config, h.Bounds, h.form, h.parts, h.hidden = p.Config, p.bounds, p.form, p.parts, p.hidden
	if h.form == formTree {
		if b.Flags.Has(sketch.Additive) != b.Flags.Has(sketch.TotalKnown) || b.Flags.Has(sketch.Saturated) {
			return b, sketch.Invalidf("a tree with flags %#x", uint16(b.Flags))
		}
	} else if (h.form == formExact || h.Mode == Standard) != b.Flags.Has(sketch.Additive) && (h.form == formExact || h.Mode != Standard) {
		return b, sketch.Invalidf("flags %#x in this form and mode", uint16(b.Flags))
	}
	if !h.Categories && b.KeyClass != 0 {
		return b, sketch.Invalidf("a class of categories without categories")
	}
	if class := key.Class(b.KeyClass); !class.Known() {
		return b, sketch.Invalidf("key class %d", b.KeyClass)
	}
	if h.form == formExact && (!b.Flags.Has(sketch.TotalKnown) || b.Flags.Has(sketch.Saturated)) {
		return b, sketch.Invalidf("an exact sketch with flags %#x", uint16(b.Flags))
	}
	if !b.Flags.Has(sketch.Additive) && h.Mode == Standard && b.Flags.Has(sketch.TotalKnown) {
		return b, sketch.Invalidf("a total of counters that are not sums in mode standard")
	}
	if h.form == formExact && (!h.Exact || uint64(len(b.Body)) > h.Bytes) {
		return b, sketch.Invalidf("an exact body of %d bytes, at most %d are allowed, or 0 if it is never exact", len(b.Body), h.Bytes)
	}
	h.header = b.Header
	return b, nil
}

// CheckCategory returns an error where a question with a category, or one
// without, has no answer: counters know the points of all categories only with Totals.
func (h *Head) CheckCategory(given bool) error {
	switch {
	case given && !h.Categories:
		return ErrNoCategory
	case !given && h.Categories && !h.Totals && h.form == formDense:
		return fmt.Errorf("%w (counters answer without one if they are built with totals: true)", ErrNeedsCategory)
	}
	return nil
}

// IsExact reports whether every answer is exact.
func (h *Head) IsExact() bool { return h.form == formExact }

// Total is the number of occurrences inserted; false where an operation made
// it unknown.
func (h *Head) Total() (uint64, bool) {
	return h.header.Total, h.header.Flags.Has(sketch.TotalKnown)
}

func (h *Head) additive() bool { return h.header.Flags.Has(sketch.Additive) }

// saturated is Sketch.Saturated. Only counters have a flag for it.
func (h *Head) saturated() bool {
	total, known := h.Total()
	return h.header.Flags.Has(sketch.Saturated) || h.form != formDense && known && total == full
}

// Class is the class of the sketch's categories; 0 where it has none.
func (h *Head) Class() key.Class { return key.Class(h.header.KeyClass) }

// check holds all of a BLOB but the cells of an exact body against
// docs/FORMAT.md, the checksum first: what Reset leaves out because lookups have
// no time for it. O(len(blob)).
func (v *View) check() error {
	if err := sketch.Verify(v.blob); err != nil {
		return err
	}
	if c, ok := v.reader().(form.Checker); ok {
		return c.Check()
	}
	return nil
}

// ErrTooManyCells says that an area covers more cells than one question may
// look up in a dense sketch.
type ErrTooManyCells = form.ErrTooManyCells

// AreaLimit is the most cells that one question may look up in a dense sketch
// or, with levels, the most steps that it may take, because no question can be
// interrupted. It is less for small sketches.
const AreaLimit = form.AreaLimit

// Categories are those that a question is about. The zero value is all of them: points of
// any category, and those of a sketch without categories.
type Categories = cells.Categories

// Of is one category, or all where it is nil.
func Of(category []byte) Categories { return cells.Of(category) }

// AnyOf are several categories, none if there is no key. Points count once, however often
// their category is given. The keys must not change while the Categories are used.
func AnyOf(keys ...[]byte) Categories { return cells.AnyOf(keys...) }

// What sketches take while they are read and written, for those who count it
// before it is allocated.

// checkBytes is the bytes of what Check decodes: of a tree its leaves, of which a few
// bytes can have very many.
func checkBytes(blob []byte) int64 {
	v, err := NewView(blob)
	if err != nil {
		return 0
	}
	return v.reader().Memory()
}

// pairBytes is the most memory that combining two sketches takes, in addition to both
// and their bridge.ChangeBytes: for counters as numbers, or for pruning the squares of an exact
// sketch.
func pairBytes(a, b *Sketch) int64 {
	if b.Form() == Dense {
		a, b = b, a
	}
	if a.Form() == Dense {
		n := 16 * int64(a.shape.Size[0])
		if b.Form() == Exact {
			n += int64(a.shape.Bytes()) + a.denseScratch(b.cells.Cells())
		}
		return n
	}
	if b.Form() == Tree {
		a, b = b, a
	}
	if a.Form() == Tree && b.Form() == Exact {
		return tree.FitBytes(b.cells.Cells())
	}
	return 0
}

// denseScratch is what counters.Maxima and Insert take beside the counters, for a number of
// cells.
func (c *Config) denseScratch(number int) int64 {
	n := int64(0)
	if c.Totals {
		n += cells.RunBytes(number)
	}
	if c.Levels > 0 {
		n += 2 * cells.RunBytes(number) // the squares of a level, and of the one above
	}
	return n
}

// EncodeBytes is the most memory that Sketch and its BLOB take in addition to the
// Intersector's.
func (x *intersector) EncodeBytes() int64 {
	switch {
	case x.rest != nil:
		return int64(2*x.rest.shape.Bytes() + 8*x.rest.shape.Size[0])
	case x.exact != nil:
		return x.held + int64(x.exact.shape.Bytes())
	}
	return 0
}
