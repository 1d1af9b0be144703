package ccbf

import (
	"fmt"
	"sort"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Clip keeps the cells whose centres lie inside a polygon. For a tree, it keeps the whole
// squares that have such cells: if one lies across the outline, counts are an upper bound
// from then on, as after Mask. For counters, the error wraps ErrNotListed.
func (s *Sketch) Clip(p *Polygon) error {
	if s.Form() == Dense {
		return fmt.Errorf("%w of their cells (ask for the sum over the polygon, or build with more bytes, or with overflow: 'tree')", ErrNotListed)
	}
	on, err := p.descend(s.Grid)
	if err != nil {
		return err
	}
	limits := s.in().limits()
	bounds := limits.Intersect(on.Bounds())
	a := treeArea{area: outline{on, p}, bounds: limits}
	if s.tree == nil {
		var left cells.List
		for _, sec := range s.cells {
			a.x, a.y = sec.X, sec.Y
			var r cells.Run
			clipped(&a, &tree.Squares{Keys: sec.Keys}, func(from, to int, partly bool) {
				if partly && !on.Contains(cells.CellOf(sec.X, sec.Y, sec.Keys[from])) {
					return
				}
				r.Keys, r.Counts = append(r.Keys, sec.Keys[from:to]...), append(r.Counts, sec.Counts[from:to]...)
			})
			if len(r.Keys) > 0 {
				left = append(left, cells.Section{Label: sec.Label, Run: r})
			}
		}
		s.cells = left
		s.Total = left.Total()
		return nil
	}
	list, across := &leafList{tau: s.tree.tau}, false
	for i := range s.tree.sections {
		sec := &s.tree.sections[i]
		a.x, a.y = sec.X, sec.Y
		var left tree.Squares
		clipped(&a, &sec.Squares, func(from, to int, partly bool) {
			across = across || partly
			left = left.Append(&sec.Squares, from, to)
		})
		if left.Len() > 0 {
			list.sections = append(list.sections, leafSection{sec.Label, left})
		}
	}
	s.tree = list
	if s.bounds = bounds; bounds.Empty() {
		s.bounds = cells.NoBounds
	}
	if across {
		s.lostTotal()
	} else if s.TotalKnown {
		s.Total = list.total()
	}
	return nil
}

// clipped calls keep for the squares that have cells in an area, in their order: for
// those from one index to another, of which all cells within a's bounds are, or, one at
// a time, some may not be.
func clipped(a *treeArea, s *tree.Squares, keep func(from, to int, partly bool)) {
	if s.Len() == 0 || a.bounds.Empty() {
		return
	}
	c := clipping{a, s, keep}
	c.square(0, s.Len(), 0, 32)
}

type clipping struct {
	a    *treeArea
	s    *tree.Squares
	keep func(from, to int, partly bool)
}

// square is about the squares from one index to another, all of which are in the square
// of a level at low.
func (c *clipping) square(from, to int, low uint64, level uint8) {
	if from == to {
		return
	}
	switch c.a.Enter(low, level) {
	case grid.Outside:
		return
	case grid.Inside:
		c.keep(from, to, false)
		return
	}
	defer c.a.Leave()
	for ; from < to && c.s.Level(from) >= level; from++ {
		c.keep(from, from+1, true)
	}
	if level == 0 {
		return
	}
	part := uint64(1) << (2 * (level - 1))
	for i := range uint64(4) {
		end := to
		if i < 3 {
			next := low + (i+1)*part
			end = from + sort.Search(to-from, func(j int) bool { return c.s.Keys[from+j] >= next })
		}
		c.square(from, end, low+i*part, level-1)
		from = end
	}
}
