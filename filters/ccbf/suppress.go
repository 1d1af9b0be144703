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
	MinLeast = 2
	MaxLeast = 1 << 32
)

// suppression is that no leaf has fewer than least points, and how many points were dropped
// for that. The zero value is that leaves may have any number.
type suppression struct{ least, dropped uint64 }

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
		from = listOf(s.cells)
	}
	out, hidden := &leafList{tau: from.tau}, suppression{least: k, dropped: from.fit.dropped}
	bounds := cells.NoBounds
	for i := range from.sections {
		f := &from.sections[i]
		kept, dropped := tree.Suppress(f.Squares, k)
		hidden.dropped = saturate.Add(hidden.dropped, dropped)
		if kept.Len() == 0 {
			continue
		}
		out.sections = append(out.sections, leafSection{f.Label, kept})
		for j, key := range kept.Keys {
			bounds = cells.Hull(bounds, squareOf(f.Label, key, kept.Level(j)))
		}
	}
	p, ok := out.within(s.Bytes)
	if !ok {
		return p.tooLong(s.Bytes)
	}
	p.leafList.fit = accuracy{suppression: hidden}
	s.cells, s.tree, s.bounds, s.sums = nil, p.leafList, bounds, true
	s.Total = p.leafList.total()
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
	from := listOf(s.cells)
	if s.tree != nil {
		from = s.tree
	}
	work := fitBytes(int(from.number()))
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

// check is that no leaf has fewer than least points.
func (h suppression) check(t *leafList) error {
	for i := range t.sections {
		for j, n := range t.sections[i].Counts {
			if n < h.least {
				return sketch.Invalidf("leaf %d of section %d has %d points, but at least %d were promised", j+1, i+1, n, h.least)
			}
		}
	}
	return nil
}

// read reads what a tree's parameters say of it.
func (h *suppression) read(r *sketch.Reader, form byte) error {
	h.least, h.dropped = r.Uvarint(), r.Uvarint()
	if r.Err() == nil && (form != formTree || h.least < MinLeast || h.least > MaxLeast) {
		return sketch.Invalidf("leaves of at least %d points in form %d", h.least, form)
	}
	return nil
}
