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

// ErrNeedsWeight says that all points of a cell were to be moved in a sketch that is
// not exact, which cannot tell how many there are.
var ErrNeedsWeight = fmt.Errorf("a sketch that is not exact cannot tell how many points a cell has: give the option \"weight\"")

// count is the estimate of one cell, as View.Count.
func (s *Sketch) count(c grid.Cell, category []byte) uint64 { return s.in().count(c, category) }

// Count is View.Count of a sketch in memory: the points of a cell and a category, which
// is that of every point of it or nil.
func (s *Sketch) Count(c grid.Cell, category []byte) (uint64, error) {
	if err := s.checkPoint(c, category); err != nil {
		return 0, err
	}
	return s.count(c, category), nil
}

// Remove takes n points out of a cell. More than the estimate is an error that
// wraps sketch.ErrTooMany; counters that are no sums one that wraps
// sketch.ErrNotAdditive; either changes nothing. Removing from a dense sketch
// points that were never added cannot always be noticed, and makes other
// cells' estimates too small.
func (s *Sketch) Remove(c grid.Cell, category []byte, n uint64) error {
	if err := s.canRemove(c, category, n); err != nil || n == 0 {
		return err
	}
	return s.in().remove(c, category, n)
}

func (s *Sketch) canRemove(c grid.Cell, category []byte, n uint64) error {
	if err := s.checkPoint(c, category); err != nil {
		return err
	}
	if !s.Additive() {
		return s.notAdditive()
	}
	switch have := s.in().removable(c, category); {
	case n > 0 && have == full && s.dense == nil: // full counters stay full
		return errSaturated
	case n > have:
		return fmt.Errorf("%w: remove %d from cell (%d, %d), which has %d", sketch.ErrTooMany, n, c.X, c.Y, have)
	}
	return nil
}

// notAdditive is why s is not additive, or why it cannot lose what counters count.
func (s *Sketch) notAdditive() error {
	if s.Mode == MinimalIncrement && s.tree == nil {
		return fmt.Errorf("%w: a dense sketch of mode 'mi' (build with mode: 'standard')", sketch.ErrNotAdditive)
	}
	return errNarrowed
}

// errSaturated refuses to take points out of a count that may be of more than it says.
var errSaturated = fmt.Errorf("%w: a count reached 2^64-1 and can be of more points", sketch.ErrNotAdditive)

var errNarrowed = fmt.Errorf("%w: the sketch is the result of intersect or mask", sketch.ErrNotAdditive)

// Add counts n points in a cell. It is an error if a category is given and the
// sketch has none, or vice versa.
func (s *Sketch) Add(c grid.Cell, category []byte, n uint64) error {
	if err := s.checkPoint(c, category); err != nil || n == 0 {
		return err
	}
	before := s.Total
	if s.TotalKnown {
		s.Total = saturate.Add(s.Total, n)
	}
	err := s.in().add(c, category, n)
	if err != nil {
		s.Total = before
	}
	return err
}

// Move takes n points out of a cell and counts them in another; n nil moves
// all points of the cell, which only an exact sketch can tell: ErrNeedsWeight.
// Other errors are those of Remove.
func (s *Sketch) Move(from, to grid.Cell, category []byte, n *uint64) error {
	if n == nil {
		all, err := s.in().all(from, category)
		if err != nil {
			return err
		}
		n = &all
	}
	if err := s.Remove(from, category, *n); err != nil {
		return err
	}
	return s.Add(to, category, *n)
}

// Subtract takes o out of s; o must be part of s: built from some of the
// points that s was built from. Where it visibly is not, the error wraps
// sketch.ErrTooMany and s is unchanged. Both must be additive. o is unchanged.
func (s *Sketch) Subtract(o *Sketch) error {
	p, err := pairOf(s, o)
	if err != nil {
		return err
	}
	if s.dense == nil && s.Saturated() || o.dense == nil && o.Saturated() {
		return errSaturated
	}
	return p.subtract(s, o)
}

// lessTotal takes n points that are gone out of a dense sketch's total. One that
// reached 2^64-1 stays: how much more there was is unknown.
func (s *Sketch) lessTotal(n uint64) {
	if s.TotalKnown && s.Total != ^uint64(0) {
		s.Total -= min(n, s.Total)
	}
}

// lostTotal marks a dense sketch after an operation that makes its total
// unknown and its counters no sums.
func (s *Sketch) lostTotal() {
	s.Total, s.TotalKnown, s.sums, s.parts = 0, false, false, cascade.Origin{}
}

// Intersect leaves in every cell the smaller of both counts. Never below the
// truth; exact where both are. The order of the two does not matter.
func (s *Sketch) Intersect(o *Sketch) error {
	return s.narrow(o, narrowing{true, func(x, y uint64) uint64 { return min(x, y) }, tree.Intersect, (*cascade.Counters).Intersect})
}

// Mask keeps the cells that o has, with the counts of s. Never below the
// truth; exact where both are.
func (s *Sketch) Mask(o *Sketch) error {
	return s.narrow(o, narrowing{false, func(x, y uint64) uint64 {
		if y == 0 {
			return 0
		}
		return x
	}, tree.Mask, (*cascade.Counters).Mask})
}

// narrow leaves less of s by o, which is unchanged.
func (s *Sketch) narrow(o *Sketch, by narrowing) error {
	p, err := pairOf(s, o)
	if err != nil {
		return err
	}
	return p.narrow(s, o, by)
}

// limit takes over what the intersection with o, apart from counts, changes.
func (s *Sketch) limit(o *Sketch) {
	s.Class = max(s.Class, o.Class)
	s.Exact = s.Exact && o.Exact
	if s.bounds = s.bounds.Intersect(o.bounds); s.bounds.Empty() {
		s.bounds = cells.NoBounds
	}
}
