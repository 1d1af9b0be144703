package ccbf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// pair is what two sketches are made into one by: the cells of both, their squares,
// or their counters. o is unchanged.
type pair interface {
	subtract(s, o *Sketch) error
	narrow(s, o *Sketch, by narrowing) error
}

// narrowing is how less is left of a sketch by another: of its cells, of its squares,
// and of its counters.
type narrowing struct {
	// either says that neither sketch is the one that is narrowed: what they are made
	// into has the configuration that joined chooses. Otherwise it keeps that of the
	// left one, as far as its form can have it.
	either   bool
	cell     func(x, y uint64) uint64
	squares  func(a, b tree.Squares) tree.Squares
	counters func(d, o *cascade.Counters)
}

// pairOf is cells while both sketches are exact, squares where one is a tree, and
// counters otherwise. It is an error where sketches do not combine: sketch.ErrDiffer,
// or ErrForms of a tree and counters.
func pairOf(s, o *Sketch) (pair, error) {
	if err := s.Differ(o); err != nil {
		return nil, err
	}
	a, b := s.Form(), o.Form()
	if a == Exact {
		a = b
	}
	switch {
	case a != b && b != Exact:
		return nil, ErrForms
	case a == Exact:
		return cellPair{}, nil
	case a == Tree:
		return squarePair{}, nil
	}
	return counterPair{}, nil
}

var errNoPart = fmt.Errorf("%w: the right sketch is not part of the left one", sketch.ErrTooMany)

// cellPair is two exact sketches.
type cellPair struct{}

func (cellPair) subtract(s, o *Sketch) error {
	if !s.cells.Holds(o.cells) {
		return errNoPart
	}
	s.cells = s.cells.Combine(o.cells, false, func(x, y uint64) uint64 { return x - y })
	s.Total = s.cells.Total()
	return nil
}

func (cellPair) narrow(s, o *Sketch, by narrowing) error {
	if by.either {
		s.Config = joined(&s.Config, Exact, &o.Config, Exact)
	}
	s.Class = max(s.Class, o.Class)
	s.cells = s.cells.Combine(o.cells, true, by.cell)
	s.Total = s.cells.Total()
	return nil
}

// squarePair is two trees, or one and an exact sketch.
type squarePair struct{}

// leaves is an exact sketch or a tree as squares.
func (s *Sketch) leaves() *leafList {
	if s.tree != nil {
		return s.tree
	}
	return listOf(s.cells)
}

func (squarePair) subtract(s, o *Sketch) error {
	if !s.Additive() || !o.Additive() {
		return errNarrowed
	}
	a, b := s.leaves(), o.leaves()
	for i := range b.sections {
		t := &b.sections[i]
		left, err := tree.Subtract(a.squares(t.Label), t.Squares)
		if err != nil {
			return a.cannot(err)
		}
		a = a.with(t.Label, left)
	}
	if s.IsExact() {
		s.cells, _ = a.list()
	} else {
		s.tree = a
	}
	s.Total = a.total()
	return nil
}

func (squarePair) narrow(s, o *Sketch, by narrowing) error {
	a, b := s.leaves(), o.leaves()
	out := &leafList{tau: max(a.tau, b.tau)}
	bounds := s.in().limits().Intersect(o.in().limits())
	for i := range a.sections {
		t := &a.sections[i]
		if squares := squaresWithin(bounds, t.Label, by.squares(t.Squares, b.squares(t.Label))); squares.Len() > 0 {
			out.sections = append(out.sections, leafSection{t.Label, squares})
		}
	}
	config := s.Config
	if by.either || config.Overflow != ToTree {
		config = joined(&s.Config, s.Form(), &o.Config, o.Form())
	}
	p, ok := out.within(config.Bytes)
	if !ok {
		return out.tooLong(config.Bytes)
	}
	s.Config = config
	s.bounds = s.in().limits()
	right := *o
	right.bounds = o.in().limits()
	s.cells, s.tree = nil, p.leafList
	s.tree.fit = accuracy{}
	s.limit(&right)
	s.lostTotal()
	return nil
}

// squaresWithin returns the squares of a section that have a cell within bounds. The others
// have no points of both sketches.
func squaresWithin(bounds grid.Rect, l cells.Label, squares tree.Squares) (out tree.Squares) {
	a := treeArea{bounds: bounds, x: l.X, y: l.Y}
	for i, key := range squares.Keys {
		if !a.rect(key, squares.Level(i)).Empty() {
			out = out.Append(&squares, i, i+1)
		}
	}
	return out
}

// counterPair is two dense sketches, or one and an exact sketch, whose cells are then
// counted in such counters as the other has.
type counterPair struct{}

// of are both sketches with counters.
func (counterPair) of(s, o *Sketch) (left, right *Sketch) {
	return s.asDenseOf(joined(&s.Config, s.Form(), &o.Config, o.Form())),
		o.asDenseOf(joined(&s.Config, s.Form(), &o.Config, o.Form()))
}

func (p counterPair) subtract(s, o *Sketch) error {
	for _, of := range []*Sketch{s, o} {
		if of.dense != nil && (!of.Additive() || of.Mode != Standard) {
			return of.notAdditive()
		}
	}
	left, right := p.of(s, o)
	if left.Saturated() || right.Saturated() {
		return fmt.Errorf("%w: a counter reached its ceiling", sketch.ErrNotAdditive)
	}
	if err := left.dense.Subtract(right.dense); err != nil {
		return errNoPart
	}
	*s = *left
	if s.TotalKnown = s.TotalKnown && o.TotalKnown; s.TotalKnown {
		s.lessTotal(o.Total)
	} else {
		s.Total = 0
	}
	return nil
}

func (p counterPair) narrow(s, o *Sketch, by narrowing) error {
	left, right := p.of(s, o)
	*s = *left
	by.counters(s.dense, right.dense)
	s.limit(right)
	s.lostTotal()
	return nil
}
