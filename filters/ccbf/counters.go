package ccbf

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// countersSketch is counters in memory.
type countersSketch struct{ *Sketch }

func (s countersSketch) form() Form        { return Dense }
func (s countersSketch) limits() grid.Rect { return s.bounds }
func (s countersSketch) additive() bool    { return s.sums }
func (s countersSketch) saturated() bool   { return s.dense.Saturated }
func (s countersSketch) memory() int64     { return int64(len(s.dense.Body)) }

func (s countersSketch) count(c grid.Cell, category []byte) uint64 {
	h := s.counters().Hasher(0)
	h1, h2 := h.Hash(c, category)
	n := s.dense.Least(h1, h2)
	if s.sums && n > s.shape.Meeting() {
		n = s.dense.Apart(h1, h2, n)
	}
	if s.TotalKnown {
		n = min(n, s.Total)
	}
	return n
}

func (s countersSketch) removable(c grid.Cell, category []byte) uint64 {
	n := s.count(c, category)
	if s.Totals {
		n = min(n, s.count(c, nil))
	}
	return n
}

func (s countersSketch) all(grid.Cell, []byte) (uint64, error) { return 0, ErrNeedsWeight }

func (s countersSketch) add(c grid.Cell, category []byte, n uint64) error {
	s.bounds = cells.Hull(s.bounds, counters.Insert(s.dense, s.counters(), cells.Single(c, category, n)))
	if s.Mode == MinimalIncrement {
		s.parts = s.parts.More(s.Total)
	}
	return nil
}

func (s countersSketch) remove(c grid.Cell, category []byte, n uint64) error {
	// Two positions may share a counter, here or in a layer above, which then
	// needs twice as much as an estimate says.
	if !s.dense.RemoveKeys(s.keysOf(c, category), n) {
		return fmt.Errorf("%w: fewer than %d at cell (%d, %d)", sketch.ErrTooMany, n, c.X, c.Y)
	}
	s.lessTotal(n)
	return nil
}

// keysOf are the hashes of all keys that a point of a cell counts at.
func (s countersSketch) keysOf(c grid.Cell, category []byte) (hashes [][2]uint64) {
	for level := range s.Levels + 1 {
		h := s.counters().Hasher(level)
		h1, h2 := h.Hash(cells.Square(c, level), category)
		hashes = append(hashes, [2]uint64{h1, h2})
		if s.Totals {
			h1, h2 = h.Hash(cells.Square(c, level), nil)
			hashes = append(hashes, [2]uint64{h1, h2})
		}
	}
	return hashes
}

func (s countersSketch) coarsen(factor uint64) error {
	if s.bounds != cells.NoBounds {
		s.bounds = s.bounds.Coarser(int64(factor))
	}
	return nil
}

func (s countersSketch) fold(f *reduction) error {
	if f.err != nil {
		return f.err
	}
	if !s.sums {
		s.dense.ClearFlags() // maxima take a flag for a large value
	}
	for _, st := range f.steps {
		s.dense = s.dense.Fold(st.shape, st.layer, s.sums)
		s.parts = s.parts.Fold(st.layer)
	}
	s.shape, s.Bytes = f.shape, f.bytes
	return nil
}

func (s countersSketch) appendBody(dst []byte, _ grid.Rect, _ uint64) ([]byte, bool) {
	return append(dst, s.dense.Body...), true
}

// makeDense turns an exact sketch into a dense one: by maxima in mode mi, by
// sums in mode standard, so that the laws of each hold.
func (s *Sketch) makeDense() {
	if s.dense != nil {
		return
	}
	s.bounds = s.cells.Bounds()
	if s.sums = s.Mode == Standard; s.sums {
		s.dense = cascade.New(s.shape)
		counters.Insert(s.dense, s.counters(), s.cells)
	} else {
		s.dense = counters.Maxima(s.counters(), s.cells)
	}
	s.cells = nil
}

// asDense is s where it is dense, otherwise a dense sketch of its cells, which it
// must have. An exact s is left unchanged.
func (s *Sketch) asDense() *Sketch { return s.asDenseOf(s.Config) }

// asDenseOf is asDense in the counters of a configuration: those of s where it is dense.
func (s *Sketch) asDenseOf(c Config) *Sketch {
	d := *s
	d.Config = c
	d.makeDense()
	return &d
}

// Levels: beside each cell the dense form can count the squares that hold it,
// cell >> 1, cell >> 2 and so on, hashed with their level (range trees of
// "Spectral Bloom Filters", section 5.5, in two dimensions). Questions for
// large areas then take a lookup per square in place of one per cell.

// ErrNoLevel says that a dense sketch cannot be coarsened so far.
var ErrNoLevel = errors.New("the sketch is dense and lacks the level")

// Coarsen makes the cells of a sketch factor times as wide and as high, a whole number
// from 1 to 2^MaxLevels: the sketch at factor times the resolution, of an exact one the very
// bytes, where grid.Grid.Coarser has the same edges.
//
// An exact sketch stays exact. In a tree, squares that lie across the coarser ones become
// the smallest ones around them, which are few if factor is a power of two; no square may
// lie where none of the coarser cells' squares holds it, which is far from the origin. A
// dense sketch must have counted that level of squares, otherwise the error wraps
// ErrNoLevel. An error changes nothing. Never below the truth; the total is unchanged.
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
	case levels && l <= s.Levels: // sketches that were exact and those that were not go on combining
		s.Base, s.Levels = s.Base+l, s.Levels-l
	case s.dense != nil && !levels:
		return sketch.ArgumentError("factor", "is %d, must be a power of two up to %d: this sketch has counters, and %d levels of squares", factor, uint64(1)<<s.Levels, s.Levels)
	case s.dense != nil:
		return fmt.Errorf("%w: it has %d levels, but a factor of %d needs %d (build with the option \"levels\")", ErrNoLevel, s.Levels, factor, l)
	default: // the very sketch of the points at that resolution
		s.Base, s.Levels = 0, 0
	}
	if err := s.body().coarsen(factor); err != nil {
		s.Base, s.Levels = before.Base, before.Levels
		return err
	}
	s.Grid = g
	return nil
}
