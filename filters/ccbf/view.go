package ccbf

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Errors of questions that a sketch cannot answer.
var (
	ErrNeedsCategory = errors.New("the sketch was built with a category: give one (queries without one need totals: true)")
	ErrNoCategory    = errors.New("the sketch was built without a category")
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
	body     []byte // of blob, until it is open
	cells    cells.View
	tree     treeBody
	dense    cascade.Counters
	hasher   hasher
	model    *noise.Model // nil before noise is asked for
	together bool         // AreaLimit is for all questions since LimitAreas
	covered  uint64       // cells that those covered
}

// NewView returns a view of a BLOB. The error wraps sketch.ErrInvalid.
func NewView(blob []byte) (View, error) {
	var v View
	err := v.Reset(blob)
	return v, err
}

// Reset makes v a view of another BLOB, in the memory that it has. The error wraps sketch.ErrInvalid.
func (v *View) Reset(blob []byte) error {
	if err := v.ResetHead(blob); err != nil {
		return err
	}
	return v.Open()
}

// ResetHead is Reset, but of the Head alone: Open must be called before other questions.
func (v *View) ResetHead(blob []byte) error {
	v.blob, v.body, v.model = nil, nil, nil
	b, err := v.parse(blob)
	if err != nil {
		return err
	}
	v.hasher.seed, v.hasher.level = b.Seed, v.Base
	v.blob, v.body = blob, b.Body
	return nil
}

// Open completes what ResetHead began. The error wraps sketch.ErrInvalid.
func (v *View) Open() error {
	body := v.body
	if body == nil { // it is open
		return nil
	}
	v.body = nil
	err := v.in().reset(body)
	if err != nil {
		v.blob = nil
	}
	return err
}

// Is reports whether v is a view of this memory, not merely of the same
// contents.
func (v *View) Is(blob []byte) bool {
	return len(v.blob) != 0 && len(blob) == len(v.blob) && &blob[0] == &v.blob[0]
}

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
func (v *View) Count(c grid.Cell, category []byte) uint64 { return v.in().count(c, category) }

// CountCells is Count for many cells of one category; dst is as long as cells.
func (v *View) CountCells(dst []uint64, cells []grid.Cell, category []byte) {
	v.in().counts(dst, cells, category)
}

// CountEach is CountCells with a category for each cell: that of cells[i] is
// categories[which[i]].
func (v *View) CountEach(dst []uint64, cells []grid.Cell, which []uint32, categories [][]byte) {
	if e, ok := v.in().(askedEach); ok {
		e.countEach(dst, cells, which, categories)
		return
	}
	// Those of a category together.
	order := make([]uint64, len(cells))
	for i, k := range which[:len(cells)] {
		order[i] = uint64(k)<<32 | uint64(i)
	}
	slices.Sort(order)
	at, counts := make([]grid.Cell, len(cells)), make([]uint64, len(cells))
	for i, o := range order {
		at[i] = cells[uint32(o)]
	}
	for from := 0; from < len(order); {
		k, to := order[from]>>32, from+1
		for to < len(order) && order[to]>>32 == k {
			to++
		}
		v.in().counts(counts[from:to], at[from:to], categories[k])
		from = to
	}
	for i, o := range order {
		dst[uint32(o)] = counts[i]
	}
}
