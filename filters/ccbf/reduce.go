package ccbf

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// reduction says how Fold makes a sketch smaller.
type reduction struct {
	size  uint64        // largest size of the BLOB.
	limit uint64        // largest size of the body.
	bytes uint64        // the new parameter Bytes.
	shape cascade.Shape // a shape that takes at most limit bytes.
	err   error         // not nil if no shape takes so few bytes: shape is then the smallest one.
}

// Fold gives a sketch the parameters of one that was built with fewer Bytes, so that its BLOB has
// at most size bytes. It counts the largest possible header, so all sketches of one kind fold to
// one size. Fold makes no sketch larger. If no such sketch is so small, the error wraps
// sketch.ErrOption.
//
// An exact sketch stays exact if it fits, and a tree is pruned. Layers of counters are halved to
// those of the smaller build if halving leads there, as from 2^20 bytes to 2^16. Otherwise they are
// halved until they fit. Sums stay sums; other counters keep the maximum.
func (s *Sketch) Fold(size uint64) error {
	head := mostHead(s.shape.Layers) + sketch.ClassMore(uint64(s.Class))
	if size <= head {
		return sketch.ArgumentError("bytes", "is %d, the header alone takes up to %d", size, head)
	}
	f := reduction{size: size, limit: size - head, bytes: min(s.Bytes, size), shape: s.shape}
	halved := size < s.Bytes && f.halve()
	for !halved && f.shape.Bytes() > f.limit {
		smaller, _, ok := f.shape.Folded(new(cascade.Shape))
		if !ok {
			f.err = sketch.ArgumentError("bytes", "is %d, this sketch folds to no less than %d", size, head+f.shape.Bytes())
			break
		}
		f.shape = smaller
	}
	return s.body().fold(&f)
}

// halve aims at the shape that Bytes would have chosen. It returns false if no halving leads to that shape, or if
// the shape exceeds the limit.
func (f *reduction) halve() bool {
	to, ok := fitted(f.shape, f.bytes)
	at := f.shape
	for ok && at != to {
		at, _, ok = at.Folded(&to)
	}
	if ok = ok && to.Bytes() <= f.limit; ok {
		f.shape = to
	}
	return ok
}

// resize gives a sketch without counters the parameters of a smaller build. A sketch that overflows
// to a tree has no counters to halve.
func (f *reduction) resize(s *Sketch) {
	shape := f.shape
	if s.Overflow == ToTree {
		if to, ok := fitted(shape, f.bytes); ok {
			shape = to
		}
	}
	// If no counters fit into f.bytes, the sketch overflows to the smallest counters, and Bytes is their
	// size.
	s.shape, s.Bytes = shape, max(f.bytes, shape.Bytes())
}

// ErrNoLevel is the error for counters that cannot be coarsened so far.
var ErrNoLevel = errors.New("the sketch is dense and lacks the level")

// Coarsen makes the cells of a sketch factor times as wide and as high. factor is a whole number
// from 1 to 2^MaxLevels. Counts are never below the truth, and the total does not change. An error
// changes nothing.
//
// An exact sketch stays exact. If grid.Grid.Coarser has the same edges, it has the bytes of a
// sketch built at factor times the resolution.
//
// In a tree, a square that lies across coarser squares becomes the smallest coarser square around
// it. A factor that is a power of two leaves few of these. Far from the origin, a square may lie in
// no square of the coarser grid, which is an error.
//
// Counters must have counted that level of squares; otherwise the error wraps ErrNoLevel. With levels,
// they count beside each cell the squares that hold it: cell >> 1, cell >> 2 and so on, hashed with their
// level. A query for a large area then takes a lookup for each square instead of one for each cell.
// These are the range trees of "Spectral Bloom Filters", section 5.5, in two dimensions.
func (s *Sketch) Coarsen(factor uint64) error {
	if factor < 1 || factor > 1<<MaxLevels {
		return sketch.ArgumentError("factor", "is %d, must be a whole number from 1 to %d", factor, 1<<MaxLevels)
	}
	g, err := s.Grid.Coarser(factor)
	if err != nil {
		return err
	}
	before, l := s.Config, uint8(bits.TrailingZeros64(factor))
	switch levels := factor == 1<<l; {
	// After this the sketch can still be combined with others, both exact and with counters.
	case levels && l <= s.Levels:
		s.Base, s.Levels = s.Base+l, s.Levels-l
	case s.dense != nil && !levels:
		return sketch.ArgumentError("factor", "is %d, must be a power of two up to %d: this sketch has counters, and %d levels of squares", factor, uint64(1)<<s.Levels, s.Levels)
	case s.dense != nil:
		return fmt.Errorf("%w: it has %d levels, but a factor of %d needs %d (build with the option \"levels\")", ErrNoLevel, s.Levels, factor, l)
	// The result equals the sketch of the same points at the coarser resolution, without levels.
	default:
		s.Base, s.Levels = 0, 0
	}
	if s.dense == nil {
		if err := (squaresSketch{s}).coarsen(factor); err != nil {
			s.Base, s.Levels = before.Base, before.Levels
			return err
		}
	}
	s.Grid, s.bounds = g, s.bounds.Coarser(int64(factor))
	return nil
}

// Clip keeps the cells whose centres lie inside a polygon. A tree (nested squares with counts)
// keeps the whole squares that have such cells. If one lies across the outline, counts are upper
// bounds from then on, as after Mask. For counters, the error wraps ErrNotListed.
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
	a := form.RegionArea{Area: outline{on, p}, Bounds: limits}
	across := false
	left := s.squares.Sections.Map(func(sec *cells.Section) (left cells.Squares) {
		a.X, a.Y = sec.X, sec.Y
		for _, sheet := range sec.Sheets() {
			form.VisitSquares(sheet, &a, func(s cells.Squares, inside bool) {
				across = across || !inside
				left.Append(s)
			})
		}
		return cells.Sorted(left)
	})
	s.keepLeaves(&tree.List{Sections: left, Tau: s.squares.Tau}, bounds, across)
	return nil
}

// tooManyToAsk returns the error for a mask with too many cells to call has for each.
func tooManyToAsk(cells uint64) error {
	return fmt.Errorf("the mask would be asked for %.2g cells, the limit is %.2g (mask sketches of fewer or coarser cells)", float64(cells), float64(AreaLimit))
}

// keep implements sketchForm, for bridge.KeepCells.
func (s squaresSketch) keep(has func(c grid.Cell) bool) error {
	limits := s.limits()
	bounds, asked, across := grid.EmptyRect(), uint64(0), false
	left := s.squares.Sections.Map(func(sec *cells.Section) (left cells.Squares) {
		for j, key := range sec.Keys {
			r := sec.Rect(j).Intersect(limits)
			if asked = saturate.Add(asked, r.Count()); asked > AreaLimit {
				break
			}
			some, all := anyAndAll(r, has)
			if !some {
				continue
			}
			across = across || !all
			left.Push(key, sec.Level(j), sec.Counts[j])
			bounds = bounds.Union(r)
		}
		return left
	})
	if asked > AreaLimit {
		return tooManyToAsk(asked)
	}
	s.keepLeaves(&tree.List{Sections: left, Tau: s.squares.Tau}, bounds, across)
	return nil
}

// anyAndAll reports whether has returns true for some cell of r, and for all cells of r.
func anyAndAll(r grid.Rect, has func(c grid.Cell) bool) (some, all bool) {
	all = true
	for c := range r.Cells() {
		is := has(c)
		some, all = some || is, all && is
		if some && !all {
			return some, all
		}
	}
	return some, all
}

// keep implements sketchForm, for bridge.KeepCells. It counts the cells to keep in other counters, and
// masks by these.
func (s countersSketch) keep(has func(c grid.Cell) bool) error {
	if s.Categories {
		return fmt.Errorf("%w of their categories, so they cannot be masked by cells (build with more bytes, or with overflow: 'tree')", ErrNotListed)
	}
	if n := s.bounds.Count(); n > AreaLimit {
		return tooManyToAsk(n)
	}
	c := s.Config
	c.Exact = false
	b := NewBuilder(c, nil)
	for c := range s.bounds.Cells() {
		if has(c) && s.count(c, nil) > 0 {
			if err := b.Add(c, nil, key.None, 1); err != nil {
				return err
			}
		}
	}
	mask, err := b.Sketch()
	if err != nil {
		return err
	}
	mask.Exact = s.Exact
	return s.Mask(mask)
}

// ErrSuppress is the error for a sketch that cannot be suppressed.
var ErrSuppress = errors.New("only exact sketches and trees with overflow: 'tree' can be suppressed: counters do not know their points, and those after an intersection or a mask have no counts to keep")

// MinLeast and MaxLeast bound the number that Suppress takes.
const (
	MinLeast = tree.MinLeast
	MaxLeast = tree.MaxLeast
)

// Suppress makes a tree (nested squares with counts) of a sketch. Each leaf of it has at least k
// points; k is from MinLeast to MaxLeast. Fewer points go to a larger square. The largest squares
// have 2^31 cells on a side: if a category has fewer than k points in one, they are dropped. Bounds
// fit the leaves. Apart from dropped points, it answers as any tree does.
//
// An error changes nothing. It wraps sketch.ErrOption for another k, and ErrSuppress if counts are
// not known.
func (s *Sketch) Suppress(k uint64) error {
	if k < MinLeast || k > MaxLeast {
		return sketch.ArgumentError("k", "is %d, must be from %d to %d", k, MinLeast, uint64(MaxLeast))
	}
	if s.dense != nil || s.Overflow != ToTree || !s.TotalKnown || s.Saturated() {
		return ErrSuppress
	}
	from := s.squares
	bounds, hidden := grid.EmptyRect(), tree.Suppression{Least: k, Dropped: from.Fit.Dropped}
	out := &tree.List{Tau: from.Tau, Sections: from.Sections.Map(func(f *cells.Section) cells.Squares {
		squares, dropped := tree.Suppress(f.Squares, k)
		hidden.Dropped = saturate.Add(hidden.Dropped, dropped)
		kept := cells.Section{Label: f.Label, Squares: squares}
		for j := range kept.Keys {
			bounds = bounds.Union(kept.Rect(j))
		}
		return squares
	})}
	p, ok := out.Within(s.Bytes)
	if !ok {
		return p.TooLong(s.Bytes)
	}
	if hidden.Dropped > 0 {
		hidden.Dropped = max(hidden.Dropped, k) // the number itself must not be a small count
	}
	p.Fit = tree.Accuracy{Suppression: hidden}
	s.squares, s.pruned, s.bounds = p, true, bounds.Intersect(grid.MaxRect())
	s.Total = p.Sections.Total()
	return nil
}
