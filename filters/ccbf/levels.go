package ccbf

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Levels: beside each cell the dense form can count the squares that hold it,
// cell >> 1, cell >> 2 and so on, hashed with their level (range trees of
// "Spectral Bloom Filters", section 5.5, in two dimensions). Questions for
// large areas then take a lookup per square in place of one per cell.

// ErrNoLevel says that a dense sketch cannot be coarsened so far.
var ErrNoLevel = errors.New("the sketch is dense and lacks the level")

// insertSquares counts the cells of a section in their squares of a level. Cells of
// one square that follow each other are counted at once.
func insertSquares(d *cascade.Counters, c *Config, s *cells.Section, category []byte, level uint8) {
	var h1, h2, ns [hashBatch]uint64
	var last grid.Cell
	h, n := c.hasher(level), 0
	insert := func() {
		h.all(h1[:n], h2[:n], category)
		d.Insert(c.Mode == Standard, h1[:n], h2[:n], ns[:n])
		n = 0
	}
	for i, k := range s.Keys {
		w := uint64(1)
		if s.Counts != nil {
			w = s.Counts[i]
		}
		at := cells.Square(cells.CellOf(s.X, s.Y, k), level)
		if n > 0 && at == last {
			ns[n-1] = saturate.Add(ns[n-1], w)
			continue
		}
		if n == hashBatch {
			insert()
		}
		h1[n], h2[n] = uint64(at.X), uint64(at.Y)
		ns[n], last = w, at
		n++
	}
	insert()
}

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
	if err := s.in().coarsen(factor); err != nil {
		s.Base, s.Levels = before.Base, before.Levels
		return err
	}
	s.Grid = g
	return nil
}
