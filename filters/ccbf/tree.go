package ccbf

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// treeSketch is the form of a sketch that is a tree in memory: nested squares with counts.
type treeSketch struct{ *Sketch }

func (s treeSketch) memory() int64 { return s.tree.Memory() }

func (s treeSketch) limits() grid.Rect {
	if len(s.tree.Sections) == 0 {
		return cells.NoBounds
	}
	return s.bounds
}

func (s treeSketch) count(c grid.Cell, category []byte) uint64 {
	if !s.bounds.Contains(c) {
		return 0
	}
	p, z := labelOf(c, category)
	squares := s.tree.Squares(p)
	return squares.Count(z)
}

// labelOf returns the label of a cell, and its key there.
func labelOf(c grid.Cell, category []byte) (cells.Label, uint64) {
	x, y, z := cells.Key(c)
	return cells.Label{Category: string(category), None: category == nil, X: x, Y: y}, z
}

// add counts the points at the cell itself, a square of its own, so that the place is not lost.
func (s treeSketch) add(c grid.Cell, category []byte, n uint64) error {
	p, z := labelOf(c, category)
	before := s.tree.Squares(p)
	after := s.tree.With(p, tree.Merge(before, tree.Squares{Keys: []uint64{z}, Counts: []uint64{n}}))
	if before.Len() == 0 {
		if _, ok := after.Within(s.Bytes); !ok {
			return after.TooLong(s.Bytes)
		}
	}
	s.tree = after
	s.bounds = cells.Hull(s.bounds, grid.Rect{MinX: c.X, MinY: c.Y, MaxX: c.X, MaxY: c.Y})
	return nil
}

func (s treeSketch) remove(c grid.Cell, category []byte, n uint64) error {
	p, z := labelOf(c, category)
	after, err := tree.Remove(s.tree.Squares(p), z, n)
	if err != nil {
		return cannotSubtract(err)
	}
	s.tree = s.tree.With(p, after)
	s.Total = s.tree.Total()
	return nil
}

// cannotSubtract returns the error for points that cannot be subtracted.
func cannotSubtract(err error) error {
	if errors.Is(err, tree.ErrAbsent) {
		return errNoPart
	}
	return errCoarser
}

// notAdditiveError wraps sketch.ErrNotAdditive. It has a text for trees, which have no counters.
type notAdditiveError string

func (e notAdditiveError) Error() string { return string(e) }
func (notAdditiveError) Unwrap() error   { return sketch.ErrNotAdditive }

const errCoarser = notAdditiveError("the right sketch is coarser than the left one: which squares of the left one would lose points is not known (subtract an exact part, or one that is as fine)")

// errAcross is the error for a square that lies in no square of the coarser grid's Z-order curve.
var errAcross = errors.New("a square of the tree lies across a border of the coarser cells' order, which is 700 million of them or more from the origin")

func (s treeSketch) coarsen(factor uint64) error {
	out := &tree.List{Tau: s.tree.Tau}
	for from := 0; from < len(s.tree.Sections); {
		p := s.tree.Sections[from].Label
		into := map[tree.Region]*tree.Squares{}
		to := from
		for ; to < len(s.tree.Sections); to++ {
			t := &s.tree.Sections[to]
			if t.Category != p.Category || t.None != p.None {
				break
			}
			if i, ok := tree.Coarsen(t.Squares, tree.Region{X: t.X, Y: t.Y}, factor, cells.Bias, into); !ok {
				at := cells.CellOf(t.X, t.Y, t.Keys[i])
				return fmt.Errorf("%w: the square of %d x %d cells at (%d, %d) (coarsen sketches while they are exact, or use a smaller factor)",
					errAcross, uint64(1)<<t.Level(i), uint64(1)<<t.Level(i), at.X, at.Y)
			}
		}
		for at, squares := range into {
			p.X, p.Y = at.X, at.Y
			out.Sections = append(out.Sections, tree.Section{Label: p, Squares: tree.Sorted(*squares)})
		}
		from = to
	}
	slices.SortFunc(out.Sections, func(a, b tree.Section) int { return a.Compare(b.Label) })
	s.tree = out
	if s.bounds != cells.NoBounds {
		s.bounds = s.bounds.Coarser(int64(factor))
	}
	return nil
}

// fold prunes the tree to fewer bytes.
func (s treeSketch) fold(f *reduction) error {
	p, ok := s.tree.Within(f.limit)
	if !ok {
		return sketch.ArgumentError("bytes", "is %d, this sketch folds to no less than %d", f.size, f.size-f.limit+p.Size())
	}
	s.tree = p.List
	f.resize(s.Sketch)
	return nil
}

// appendBody appends the tree, pruned to limit bytes. It always reports that the body fits, because a
// section with which no tree fits is refused. Only counts that grew later can exceed the limit.
func (s treeSketch) appendBody(dst []byte, _ grid.Rect, limit uint64) ([]byte, bool) {
	p, _ := s.tree.Within(limit)
	return p.AppendTo(dst), true
}

// asTree returns an exact sketch as a tree of at most Bytes. It returns nil if the sketch overflows
// to counters, or if no tree fits.
func (s *Sketch) asTree() *Sketch {
	if s.Overflow != ToTree || s.tree != nil || s.dense != nil {
		return nil
	}
	p, ok := tree.ListOf(s.cells).Within(s.Bytes)
	if !ok {
		return nil
	}
	t := *s
	t.tree, t.cells, t.bounds, t.sums = p.List, nil, s.cells.Bounds(), true
	return &t
}

// overflowed returns an exact sketch whose cells do not fit, in another form.
func (s *Sketch) overflowed() *Sketch {
	if t := s.asTree(); t != nil {
		return t
	}
	return s.asDense()
}

// ErrForms is the error for combining a tree and counters: the cells of the points in a square are
// not known.
var ErrForms = errors.New("one sketch is a tree, whose cells are not known, and the other has counters: they do not combine; build all of them with more bytes, or with overflow: 'counters'")
