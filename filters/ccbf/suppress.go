package ccbf

import (
	"errors"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// ErrSuppress is a sketch that no tree can be made of.
var ErrSuppress = errors.New("only exact sketches and trees with overflow: 'tree' can be suppressed: counters do not know their points, and those after an intersection or a mask have no counts to keep")

// MinLeast is the least number that Suppress takes; MaxLeast is the most.
const (
	MinLeast = tree.MinLeast
	MaxLeast = tree.MaxLeast
)

// Suppress makes a tree of a sketch in which no leaf has fewer than k points, k from MinLeast to
// MaxLeast: fewer points go to a larger square, and those of a category with fewer than k in all
// are dropped (within 2^31 cells, the most that a square has on a side). Bounds are those of the
// leaves. Other than the points that were dropped, answers are as of any tree.
//
// The error wraps sketch.ErrOption for another k, and ErrSuppress where counts are not known.
// An error changes nothing.
func (s *Sketch) Suppress(k uint64) error {
	if k < MinLeast || k > MaxLeast {
		return sketch.ArgumentError("k", "is %d, must be from %d to %d", k, MinLeast, uint64(MaxLeast))
	}
	from := s.tree
	if s.dense != nil || s.Overflow != ToTree || !s.Additive() || !s.TotalKnown || s.Saturated() {
		return ErrSuppress
	}
	if from == nil {
		from = tree.ListOf(s.cells)
	}
	out, hidden := &tree.List{Tau: from.Tau}, tree.Suppression{Least: k, Dropped: from.Fit.Dropped}
	bounds := cells.NoBounds
	for i := range from.Sections {
		f := &from.Sections[i]
		kept, dropped := tree.Suppress(f.Squares, k)
		hidden.Dropped = saturate.Add(hidden.Dropped, dropped)
		if kept.Len() == 0 {
			continue
		}
		out.Sections = append(out.Sections, tree.Section{Label: f.Label, Squares: kept})
		for j, key := range kept.Keys {
			bounds = cells.Hull(bounds, squareOf(f.Label, key, kept.Level(j)))
		}
	}
	p, ok := out.Within(s.Bytes)
	if !ok {
		return p.TooLong(s.Bytes)
	}
	p.List.Fit = tree.Accuracy{Suppression: hidden}
	s.cells, s.tree, s.bounds, s.sums = nil, p.List, bounds, true
	s.Total = p.List.Total()
	return nil
}

// checkAtLeast is what AtLeast asks of a configuration.
func (c *Config) checkAtLeast() error {
	switch {
	case c.AtLeast < MinLeast || c.AtLeast > MaxLeast:
		return sketch.OptionError("at_least", "is %d, must be from %d to %d", c.AtLeast, MinLeast, uint64(MaxLeast))
	case c.Overflow != ToTree:
		return sketch.OptionError("at_least", "needs overflow: 'tree': counters cannot be suppressed")
	}
	return nil
}

// suppressed is the sketch of all that was added, with leaves of AtLeast points.
func (b *Builder) suppressed() (*Sketch, error) {
	s, err := b.asAdded()
	if err != nil {
		return nil, err
	}
	s.AtLeast = 0
	from := tree.ListOf(s.cells)
	if s.tree != nil {
		from = s.tree
	}
	work := tree.FitBytes(int(from.Number()))
	if err := b.grow(work); err != nil {
		return nil, err
	}
	if err := s.Suppress(b.AtLeast); err != nil {
		return nil, err
	}
	return s, b.grow(-work)
}

// squareOf is the cells of a square.
func squareOf(l cells.Label, key uint64, level uint8) grid.Rect {
	from, side := cells.CellOf(l.X, l.Y, key), int64(1)<<level
	return grid.Rect{MinX: from.X, MinY: from.Y, MaxX: from.X + side - 1, MaxY: from.Y + side - 1}.Intersect(grid.MaxRect())
}
