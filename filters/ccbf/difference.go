package ccbf

import (
	"errors"
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// ErrNotExact is a question for counts cell by cell that only exact sketches know: a tree
// has squares of them, and counters have neither (ErrNotListed).
var ErrNotExact = errors.New("the sketch is not exact: its cells are not known")

// Difference has the cells in which the counts of two exact sketches differ.
type Difference struct{ a, b cells.List }

// Difference is s less o, cell by cell, for points of a category, or of all where that is
// nil. Parameters that say what a sketch becomes when it is no longer exact may differ. The
// error wraps sketch.ErrDiffer, or ErrNotExact where one of them is not exact. Neither is
// changed, nor may they be while the Difference is used.
func (s *Sketch) Difference(o *Sketch, category []byte) (*Difference, error) {
	if err := s.sameCells(&o.Config); err != nil {
		return nil, err
	}
	if err := differClass(s.Class, o.Class); err != nil {
		return nil, err
	}
	for i, of := range []*Sketch{s, o} {
		if !of.IsExact() {
			return nil, fmt.Errorf("%w: the %s is %s (build it with more bytes, or compare sums over areas)",
				ErrNotExact, []string{"left one", "right one"}[i], map[Form]string{Tree: "a tree", Dense: "dense"}[of.Form()])
		}
	}
	return &Difference{s.cells.Of(category), o.cells.Of(category)}, nil
}

// Len is the number of cells.
func (d *Difference) Len() int {
	n := 0
	cells.Differences(d.a, d.b, func(grid.Cell, uint64, uint64) { n++ })
	return n
}

// Each calls f for each cell, with how much more the left sketch counts there than the
// right one, in no particular order. It is an error where that is no int64.
func (d *Difference) Each(f func(c grid.Cell, n int64)) error {
	var err error
	cells.Differences(d.a, d.b, func(c grid.Cell, x, y uint64) {
		if max(x, y)-min(x, y) > math.MaxInt64 {
			err = fmt.Errorf("the counts of cell (%d, %d) are %d and %d: they differ by more than 2^63-1", c.X, c.Y, x, y)
			return
		}
		f(c, int64(x-y))
	})
	return err
}

// KeepCells keeps the cells for which has is true: a mask from elsewhere, for example a
// Bloom filter of keys from AppendCellKey. Where s is not exact the error wraps
// ErrNotExact.
func (s *Sketch) KeepCells(has func(c grid.Cell) bool) error {
	if !s.IsExact() {
		return fmt.Errorf("%w (mask with a sketch of cells, or build with more bytes)", ErrNotExact)
	}
	s.cells = s.cells.Keep(has)
	s.Total = s.cells.Total()
	return nil
}

// AppendCellKey appends a cell as a key for filters of cells: its resolution and
// coordinates, 24 bytes, so that cells of different resolutions are different keys.
func AppendCellKey(dst []byte, g grid.Grid, c grid.Cell) []byte {
	dst = key.AppendUint64(dst, math.Float64bits(g.Res()))
	return key.AppendCell(dst, c.X, c.Y, 0, nil)
}
