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

// countersSketch is the form of a sketch with counters in memory: a layered counting Bloom filter.
type countersSketch struct{ *Sketch }

func (s countersSketch) limits() grid.Rect { return s.bounds }
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

func (s countersSketch) add(c grid.Cell, category []byte, n uint64) error {
	s.bounds = cells.Hull(s.bounds, counters.Insert(s.dense, s.counters(), cells.Single(c, category, n)))
	if s.Mode == MinimalIncrement {
		s.parts = s.parts.More(s.Total)
	}
	return nil
}

func (s countersSketch) remove(c grid.Cell, category []byte, n uint64) error {
	// Two positions of the key may share a counter, in the first layer or in one above. RemoveKeys then
	// takes n from that counter twice, and fails if it holds less than 2n.
	if !s.dense.RemoveKeys(s.keysOf(c, category), n) {
		return fmt.Errorf("%w: fewer than %d at cell (%d, %d)", sketch.ErrTooMany, n, c.X, c.Y)
	}
	s.lessTotal(n)
	return nil
}

// keysOf returns the hashes of all keys in which the counters count a point of cell c.
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
		// Folding by maxima sorts by the flag: it takes a counter with a flag for a large value.
		s.dense.ClearFlags()
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

// asDense returns a sketch with counters and configuration c. If s has counters, c must be the configuration of
// s. Otherwise the cells of s are counted. In mode mi each counter is a maximum of the counts of cells, and in
// mode standard a sum. It does not change s.
func (s *Sketch) asDense(c Config) *Sketch {
	d := *s
	d.Config = c
	if d.dense != nil {
		return &d
	}
	list := s.squares.Sections
	d.bounds, d.squares = list.Bounds(), nil
	if d.sums = c.Mode == Standard; d.sums {
		d.dense = cascade.New(c.shape)
		counters.Insert(d.dense, c.counters(), list)
	} else {
		d.dense = counters.Maxima(c.counters(), list)
	}
	return &d
}

// Levels: beside each cell, counters can count the squares that hold it: cell >> 1, cell >> 2 and
// so on, hashed with their level. A query for a large area then takes a lookup for each square
// instead of one for each cell. These are the range trees of "Spectral Bloom Filters", section 5.5,
// in two dimensions.

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
// Counters must have counted that level of squares; otherwise the error wraps ErrNoLevel.
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
	if err := s.body().coarsen(factor); err != nil {
		s.Base, s.Levels = before.Base, before.Levels
		return err
	}
	s.Grid = g
	return nil
}
