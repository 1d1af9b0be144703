package ccbf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// ErrNeedsWeight is the error for moving all points of a cell in a sketch that is not exact: their
// number is not known.
var ErrNeedsWeight = fmt.Errorf("a sketch that is not exact cannot tell how many points a cell has: give the option \"weight\"")

// count returns the estimate of one cell, as View.Count does.
func (s *Sketch) count(c grid.Cell, category []byte) uint64 { return s.body().count(c, category) }

// Count is View.Count for a sketch in memory: the points of a cell in a category. The category must
// be nil if points have none, and must not be nil otherwise.
func (s *Sketch) Count(c grid.Cell, category []byte) (uint64, error) {
	if err := s.checkPoint(c, category); err != nil {
		return 0, err
	}
	return s.count(c, category), nil
}

// CountAt is Count of the cell at (x, y).
func (s *Sketch) CountAt(x, y float64, category []byte) (uint64, error) {
	c, err := s.Grid.Cell(x, y)
	if err != nil {
		return 0, err
	}
	return s.Count(c, category)
}

// Remove removes n points from a cell. An error changes nothing. It wraps sketch.ErrTooMany for
// more than the estimate, and sketch.ErrNotAdditive if counts are not sums. Counters cannot always
// detect points that were never added; removing them makes the estimates of other cells too small.
func (s *Sketch) Remove(c grid.Cell, category []byte, n uint64) error {
	if err := s.checkPoint(c, category); err != nil {
		return err
	}
	if !s.sums() {
		return s.notAdditive()
	}
	have := s.count(c, category)
	if s.dense != nil && s.Totals {
		have = min(have, s.count(c, nil))
	}
	switch {
	case n == 0:
		return nil
	// A count at the ceiling may stand for any larger count, so nothing can be removed.
	case have == full && s.dense == nil:
		return errSaturated
	case n > have:
		return fmt.Errorf("%w: remove %d from cell (%d, %d), which has %d", sketch.ErrTooMany, n, c.X, c.Y, have)
	}
	return s.body().remove(c, category, n)
}

// notAdditive returns why counts of s are no sums, or why its counts cannot be subtracted.
func (s *Sketch) notAdditive() error {
	if s.Mode == MinimalIncrement && !s.pruned {
		return fmt.Errorf("%w: a dense sketch of mode 'mi' (build with mode: 'standard')", sketch.ErrNotAdditive)
	}
	return errNarrowed
}

// errSaturated is the error for removing points from a count that may stand for more.
var errSaturated = fmt.Errorf("%w: a count reached 2^64-1 and can be of more points", sketch.ErrNotAdditive)

var errNarrowed = fmt.Errorf("%w: the sketch is the result of intersect or mask", sketch.ErrNotAdditive)

// Add counts n points in a cell. It is an error if a category is given and the sketch has none, or
// the other way round. An exact sketch and a tree take O(cells), as they are sorted lists. For more than a few
// points, use a Builder or Build.
func (s *Sketch) Add(c grid.Cell, category []byte, n uint64) error {
	if err := s.checkPoint(c, category); err != nil || n == 0 {
		return err
	}
	before := s.Total
	if s.TotalKnown {
		s.Total = saturate.Add(s.Total, n)
	}
	err := s.body().add(c, category, n)
	if err != nil {
		s.Total = before
	}
	return err
}

// Move moves n points from a cell to another. If n is nil, it moves all points of the cell, which
// only an exact sketch knows: otherwise the error is ErrNeedsWeight. Other errors come from
// Remove and Add. An error changes nothing.
func (s *Sketch) Move(from, to grid.Cell, category []byte, n *uint64) error {
	// Return this error before ErrNeedsWeight: if points cannot be removed, a weight does not help.
	if !s.sums() {
		return s.notAdditive()
	}
	if n == nil {
		if s.Form() != Exact {
			return ErrNeedsWeight
		}
		all := s.count(from, category)
		n = &all
	}
	if err := s.checkPoint(to, category); err != nil {
		return err
	}
	before := *s // keeps its squares, and counters have room for every point
	if err := s.Remove(from, category, *n); err != nil {
		return err
	}
	err := s.Add(to, category, *n)
	if err != nil {
		*s = before
	}
	return err
}

// Union adds the points of o to s, as SQL does with their BLOBs. If the two do not combine, the
// error wraps sketch.ErrDiffer or is ErrForms, and s does not change. o does not change.
func (s *Sketch) Union(o *Sketch) error {
	b := NewBuilder(s.Config, nil)
	for _, part := range [...]*Sketch{s, o} {
		v, err := NewView(part.Blob())
		if err != nil {
			return err
		}
		if err := b.AddView(&v); err != nil {
			return err
		}
	}
	out, err := b.Sketch()
	if err == nil {
		*s = *out
	}
	return err
}

// Subtract removes the points of o from s. o must be part of s: built from some of its points. If
// it evidently is not, the error wraps sketch.ErrTooMany and s does not change. Both must be
// additive. o does not change.
func (s *Sketch) Subtract(o *Sketch) error {
	both, err := s.join(o)
	if err != nil {
		return err
	}
	if s.dense == nil && s.Saturated() || o.dense == nil && o.Saturated() {
		return errSaturated
	}
	if both.form == Dense {
		return s.subtractCounters(o, both.Config)
	}
	if !s.sums() || !o.sums() {
		return errNarrowed
	}
	return squaresSketch{s}.subtract(o.squares.Sections)
}

// lostTotal marks s after an operation that leaves its total unknown, and its counts no longer sums of
// points.
func (s *Sketch) lostTotal() {
	s.Total, s.TotalKnown, s.parts = 0, false, cascade.Origin{}
}

// Intersect keeps in each cell the smaller of both counts. Counts are never below the truth, and
// exact if both sketches are. The order of the two does not matter.
func (s *Sketch) Intersect(o *Sketch) error {
	x := newIntersector(nil)
	for _, part := range [...]*Sketch{s, o} {
		if err := x.add(part, nil); err != nil {
			return err
		}
	}
	out, err := x.Sketch()
	if err == nil {
		*s = *out
	}
	return err
}

// Mask keeps the cells that o has, with the counts of s. Counts are never below the truth, and
// exact if both sketches are.
func (s *Sketch) Mask(o *Sketch) error {
	both, err := s.join(o)
	if err != nil {
		return err
	}
	if both.form != Dense {
		c := &s.Config
		if both.form == Tree && s.Overflow != ToTree {
			c = both.Config
		}
		return s.narrowSquares(o, c, cells.Mask)
	}
	left, right := s.asDense(both.Config), o.asDense(both.Config)
	*s = *left
	s.dense.Mask(right.dense)
	s.limit(right)
	s.lostTotal()
	return nil
}

// limit applies to s everything that an intersection with o changes, except counts.
func (s *Sketch) limit(o *Sketch) {
	s.Class = max(s.Class, o.Class)
	s.bounds = s.bounds.Intersect(o.bounds)
}

var errNoPart = fmt.Errorf("%w: the right sketch is not part of the left one", sketch.ErrTooMany)

// keepLeaves replaces the leaves of s by those in left. bounds hold all points that are left. across says
// that some leaf in left may count removed points.
func (s *Sketch) keepLeaves(left *tree.List, bounds grid.Rect, across bool) {
	if s.squares, s.bounds = left, bounds; !s.pruned { // its leaves are cells
		s.squares = &tree.List{Sections: left.Sections.Map(func(s *cells.Section) cells.Squares {
			return cells.Squares{Keys: s.Keys, Counts: s.Counts}
		})}
	}
	if across {
		s.lostTotal()
	} else if s.TotalKnown {
		s.Total = left.Sections.Total()
	}
}

// narrowSquares makes an exact sketch or a tree narrower by the function by, with another one. c is the
// configuration of the result.
func (s *Sketch) narrowSquares(o *Sketch, c *Config, by func(a, b cells.Squares) cells.Squares) error {
	a, b := s.squares, o.squares
	bounds := s.body().limits().Intersect(o.body().limits())
	out := &tree.List{Tau: max(a.Tau, b.Tau), Sections: a.Sections.Map(func(t *cells.Section) (left cells.Squares) {
		narrow := cells.Section{Label: t.Label, Squares: by(t.Squares, b.Sections.Squares(t.Label))}
		for i, key := range narrow.Keys {
			// Squares without a cell within the bounds have no points of both sketches.
			if !narrow.Rect(i).Intersect(bounds).Empty() {
				left.Push(key, narrow.Level(i), narrow.Counts[i])
			}
		}
		return left
	})}
	isTree := s.pruned || o.pruned
	if isTree {
		p, ok := out.Within(c.Bytes)
		if !ok {
			return out.TooLong(c.Bytes)
		}
		out, s.pruned = p, true
		out.Fit = tree.Accuracy{}
	}
	s.Config, s.Class = *c, max(s.Class, o.Class)
	s.keepLeaves(out, bounds, isTree)
	return nil
}

// subtractCounters is Subtract if one of the sketches has counters. c is the configuration of the result.
func (s *Sketch) subtractCounters(o *Sketch, c *Config) error {
	for _, of := range []*Sketch{s, o} {
		if of.dense != nil && !of.sums() {
			return of.notAdditive()
		}
	}
	left, right := s.asDense(c), o.asDense(c)
	if left.Saturated() || right.Saturated() {
		return fmt.Errorf("%w: a counter reached its ceiling", sketch.ErrNotAdditive)
	}
	if err := left.dense.Subtract(right.dense); err != nil {
		return errNoPart
	}
	*s = *left
	s.Total = saturate.Sub(s.Total, min(o.Total, s.Total))
	return nil
}
