package ccbf

import (
	"errors"
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// reduction is how a sketch is made smaller.
type reduction struct {
	size  uint64        // most bytes of the BLOB
	limit uint64        // most bytes of the body
	bytes uint64        // the parameter
	shape cascade.Shape // of no more than limit
	steps []foldStep    // that lead to it
	err   error         // that none leads to so few; shape is the smallest then
}

type foldStep struct {
	shape cascade.Shape
	layer int
}

// Fold makes a sketch with the parameters of one that was built with fewer Bytes, so that
// its BLOB has at most size bytes. The header is counted with the most bytes that it can
// have, so that sketches of one kind fold to one size, whatever is in them. Fold makes no
// sketch larger.
//
// An exact sketch stays exact where it fits, and a tree is pruned. Layers of counters are
// halved: to those of the smaller build where halving leads there, as from 2^20 bytes to
// 2^16, otherwise until they fit. Sums stay sums, other counters keep the maximum. The
// error wraps sketch.ErrOption where nothing is so small.
func (s *Sketch) Fold(size uint64) error {
	head := mostHead(s.shape.Layers) + sketch.ClassMore(uint64(s.Class))
	if size <= head {
		return sketch.ArgumentError("bytes", "is %d, the header alone takes up to %d", size, head)
	}
	f := reduction{size: size, limit: size - head, bytes: min(s.Bytes, size), shape: s.shape}
	if size < s.Bytes && f.halve(s.shape) {
		return s.body().fold(&f)
	}
	for f.shape.Bytes() > f.limit {
		t, x, ok := f.shape.Folded()
		if !ok {
			f.err = sketch.ArgumentError("bytes", "is %d, this sketch folds to no less than %d", size, head+f.shape.Bytes())
			break
		}
		f.shape = t
		f.steps = append(f.steps, foldStep{t, x})
	}
	return s.body().fold(&f)
}

// halve finds the steps to the layers that follow from bytes; false where halving does
// not lead there, or where they take more than limit.
func (f *reduction) halve(from cascade.Shape) bool {
	to, ok := fitted(from, f.bytes)
	if !ok || to.Bytes() > f.limit {
		return false
	}
	var steps []foldStep
	for at := from; at != to; {
		t, x, ok := at.FoldedTo(&to)
		if !ok {
			return false
		}
		at = t
		steps = append(steps, foldStep{t, x})
	}
	f.shape, f.steps = to, steps
	return true
}

// resize gives a sketch without counters the parameters of a smaller build. What overflows
// to a tree has no counters to be halved.
func (f *reduction) resize(s *Sketch) {
	shape := f.shape
	if s.Overflow == ToTree {
		if to, ok := fitted(shape, f.bytes); ok {
			shape = to
		}
	}
	// Where no counters are so few, what it may become is the fewest.
	s.shape, s.Bytes = shape, max(f.bytes, shape.Bytes())
}

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
	limits := s.body().limits()
	bounds := limits.Intersect(on.Bounds())
	a := tree.RegionArea{Area: outline{on, p}, Bounds: limits}
	exact, across := s.tree == nil, false
	from := s.leaves()
	list := &tree.List{Tau: from.Tau}
	for i := range from.Sections {
		sec := &from.Sections[i]
		a.X, a.Y = sec.X, sec.Y
		var left tree.Squares
		sec.Squares.Visit(&a, func(l tree.Leaf, inside bool) {
			if !inside && exact && !on.Contains(cells.CellOf(sec.X, sec.Y, l.Key)) {
				return
			}
			across = across || !inside
			left.Push(l)
		})
		if left.Len() > 0 {
			list.Sections = append(list.Sections, tree.Section{Label: sec.Label, Squares: left})
		}
	}
	s.keepLeaves(list, bounds, across)
	return nil
}

// keepCells is bridge.KeepCells.
func (s *Sketch) keepCells(has func(c grid.Cell) bool) error {
	if s.Form() == Dense {
		return s.keepCounters(has)
	}
	return s.keepSquares(has)
}

// tooManyToAsk is the error for so many cells that would have to be asked for.
func tooManyToAsk(cells uint64) error {
	return fmt.Errorf("the mask would be asked for %.2g cells, the limit is %.2g (mask sketches of fewer or coarser cells)", float64(cells), float64(AreaLimit))
}

// keepSquares is keepCells of an exact sketch or a tree.
func (s *Sketch) keepSquares(has func(c grid.Cell) bool) error {
	limits := s.body().limits()
	from := s.leaves()
	list, bounds := &tree.List{Tau: from.Tau}, cells.NoBounds
	asked, across := uint64(0), false
	for i := range from.Sections {
		sec := &from.Sections[i]
		a := tree.RegionArea{Bounds: limits, X: sec.X, Y: sec.Y}
		var left tree.Squares
		for j, key := range sec.Keys {
			r := a.Rect(key, sec.Level(j))
			if asked = saturate.Add(asked, r.Count()); asked > AreaLimit {
				return tooManyToAsk(asked)
			}
			some, all := anyAndAll(r, has)
			if !some {
				continue
			}
			across = across || !all
			left.Push(sec.Leaf(j))
			bounds = cells.Hull(bounds, r)
		}
		if left.Len() > 0 {
			list.Sections = append(list.Sections, tree.Section{Label: sec.Label, Squares: left})
		}
	}
	s.keepLeaves(list, bounds, across)
	return nil
}

// anyAndAll reports whether has is true of any and of all cells of a rectangle.
func anyAndAll(r grid.Rect, has func(c grid.Cell) bool) (some, all bool) {
	all = true
	for y := r.MinY; y <= r.MaxY; y++ {
		for x := r.MinX; x <= r.MaxX; x++ {
			is := has(grid.Cell{X: x, Y: y})
			some, all = some || is, all && is
			if some && !all {
				return some, all
			}
		}
	}
	return some, all
}

// keepCounters is keepCells of counters: it masks them by counters of the cells that are kept.
func (s *Sketch) keepCounters(has func(c grid.Cell) bool) error {
	if s.Categories {
		return fmt.Errorf("%w of their categories, so they cannot be masked by cells (build with more bytes, or with overflow: 'tree')", ErrNotListed)
	}
	if n := s.bounds.Count(); n > AreaLimit {
		return tooManyToAsk(n)
	}
	mask, bounds, params := cascade.New(s.shape), cells.NoBounds, s.counters()
	body := countersSketch{s}
	section := cells.Section{Label: cells.Label{None: true}}
	insert := func() {
		bounds = cells.Hull(bounds, counters.Insert(mask, params, cells.List{section}))
		section.Keys = section.Keys[:0]
	}
	for y := s.bounds.MinY; y <= s.bounds.MaxY; y++ {
		for x := s.bounds.MinX; x <= s.bounds.MaxX; x++ {
			c := grid.Cell{X: x, Y: y}
			if !has(c) || body.count(c, nil) == 0 {
				continue
			}
			regionX, regionY, z := cells.Key(c)
			if regionX != section.X || regionY != section.Y || len(section.Keys) == countAtOnce {
				insert()
				section.X, section.Y = regionX, regionY
			}
			section.Keys = append(section.Keys, z)
		}
	}
	insert()
	s.dense.Mask(mask)
	s.bounds = bounds
	s.lostTotal()
	return nil
}

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
	if s.dense != nil || s.Overflow != ToTree || !s.additive() || !s.TotalKnown || s.Saturated() {
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
