package ccbf

import (
	"errors"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/exact"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// squaresSketch is the form of a sketch that has squares in memory: an exact one has cells, and a tree has
// nested squares with counts.
type squaresSketch struct{ *Sketch }

func (s squaresSketch) limits() grid.Rect {
	switch {
	case !s.pruned:
		return s.squares.Sections.Bounds()
	case len(s.squares.Sections) == 0:
		return grid.EmptyRect()
	}
	return s.bounds
}

func (s squaresSketch) count(c grid.Cell, category []byte) uint64 {
	if s.pruned && !s.bounds.Contains(c) {
		return 0
	}
	return s.squares.Sections.Count(c, category)
}

// add counts the points at the cell itself, also in a tree, so that the place is not lost.
func (s squaresSketch) add(c grid.Cell, category []byte, n uint64) error {
	one := cells.Single(c, category, n)[0]
	after := &tree.List{Sections: slices.Clone(s.squares.Sections), Tau: s.squares.Tau}
	at, found := after.Sections.At(one.Label)
	if found {
		after.Sections[at].Squares = cells.Merge(after.Sections[at].Squares, one.Squares)
	} else {
		after.Sections = slices.Insert(after.Sections, at, one)
	}
	if !s.pruned {
		s.squares = after
		return nil
	}
	if !found {
		if _, ok := after.Within(s.Bytes); !ok {
			return after.TooLong(s.Bytes)
		}
	}
	s.squares = after
	s.bounds = s.bounds.Extend(c)
	return nil
}

func (s squaresSketch) remove(c grid.Cell, category []byte, n uint64) error {
	return s.subtract(cells.Single(c, category, n))
}

// subtract removes points from the squares. Without any, a tree keeps its accuracy, and that it is suppressed.
func (s squaresSketch) subtract(list cells.List) error {
	if len(list) == 0 {
		return nil
	}
	left, err := s.squares.Sections.Subtract(list)
	switch {
	case errors.Is(err, cells.ErrAbsent):
		return errNoPart
	case err != nil:
		return errCoarser
	}
	s.keepLeaves(&tree.List{Sections: left, Tau: s.squares.Tau}, s.bounds, false)
	return nil
}

// notAdditiveError wraps sketch.ErrNotAdditive. It has a text for trees, which have no counters.
type notAdditiveError string

func (e notAdditiveError) Error() string { return string(e) }
func (notAdditiveError) Unwrap() error   { return sketch.ErrNotAdditive }

const errCoarser = notAdditiveError("the right sketch is coarser than the left one: which squares of the left one would lose points is not known (subtract an exact part, or one that is as fine)")

// coarsen merges squares of factor x factor cells into cells. A list of cells becomes one of cells, whatever the factor.
func (s squaresSketch) coarsen(factor uint64) error {
	coarser, err := s.squares.Sections.Coarser(factor)
	if err != nil {
		return err
	}
	for i := range coarser {
		// A tree whose squares are cells now is still a tree.
		if c := &coarser[i]; s.pruned && c.Levels == nil {
			c.Levels = make([]uint8, c.Len())
		}
	}
	s.squares = &tree.List{Sections: coarser, Tau: s.squares.Tau}
	return nil
}

// fold prunes a tree to fewer bytes. An exact sketch whose cells take more bytes becomes a tree or counters.
func (s squaresSketch) fold(f *reduction) error {
	if s.pruned {
		p, ok := s.squares.Within(f.limit)
		if !ok {
			return sketch.ArgumentError("bytes", "is %d, this sketch folds to no less than %d", f.size, f.size-f.limit+p.Size())
		}
		s.squares = p
		f.resize(s.Sketch)
		return nil
	}
	if _, fits := s.appendBody(nil, s.limits(), f.limit); fits {
		f.resize(s.Sketch)
		return nil
	}
	if t := s.asTree(); t != nil {
		err := t.body().fold(f)
		if err == nil {
			*s.Sketch = *t
			return nil
		}
		if f.err != nil {
			return err
		}
	}
	if f.err != nil {
		return f.err
	}
	c := s.Config
	c.shape, c.Bytes = f.shape, f.bytes
	*s.Sketch = *s.asDense(&c)
	return nil
}

// appendBody appends the cells, or the tree, pruned to limit bytes. For a tree, it always reports that the
// body fits, because a section with which no tree fits is refused. Only counts that grew later can exceed
// the limit.
func (s squaresSketch) appendBody(dst []byte, bounds grid.Rect, limit uint64) ([]byte, bool) {
	if !s.pruned {
		return exact.AppendList(dst, s.squares.Sections, bounds, limit)
	}
	p, _ := s.squares.Within(limit)
	return p.AppendTo(dst), true
}

// asTree returns an exact sketch as a tree of at most Bytes. It returns nil if the sketch overflows
// to counters, or if no tree fits.
func (s *Sketch) asTree() *Sketch {
	if s.Overflow != ToTree || s.Form() != Exact {
		return nil
	}
	p, ok := s.squares.Within(s.Bytes)
	if !ok {
		return nil
	}
	t := *s
	t.squares, t.pruned, t.bounds = p, true, s.squares.Sections.Bounds()
	return &t
}

// overflowed returns an exact sketch whose cells do not fit, in another form.
func (s *Sketch) overflowed() *Sketch {
	if t := s.asTree(); t != nil {
		return t
	}
	return s.asDense(&s.Config)
}
