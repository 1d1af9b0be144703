package ccbf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// countersSketch is the form of a sketch with counters in memory: a layered counting Bloom filter.
type countersSketch struct{ *Sketch }

func (s countersSketch) limits() grid.Rect { return s.bounds }

func (s countersSketch) count(c grid.Cell, category []byte) uint64 {
	if !s.bounds.Contains(c) {
		return 0
	}
	h := s.counters().Hasher(0)
	h1, h2 := h.Hash(c, category)
	d := *s.dense
	d.Limit(s.Total, s.TotalKnown, s.sums())
	return d.Count(h1, h2)
}

func (s countersSketch) add(c grid.Cell, category []byte, n uint64) error {
	s.bounds = s.bounds.Extend(c)
	counters.Insert(s.dense, s.counters(), cells.Single(c, category, n))
	if s.Mode == MinimalIncrement {
		s.parts = s.parts.More(s.Total)
	}
	return nil
}

func (s countersSketch) remove(c grid.Cell, category []byte, n uint64) error {
	var keys [][2]uint64 // the hashes of all keys in which the counters count a point of the cell
	for level := range s.Levels + 1 {
		h, square := s.counters().Hasher(level), cells.Square(c, level)
		h1, h2 := h.Hash(square, category)
		keys = append(keys, [2]uint64{h1, h2})
		if s.Totals {
			h1, h2 = h.Hash(square, nil)
			keys = append(keys, [2]uint64{h1, h2})
		}
	}
	// Two positions of the key may share a counter, in the first layer or in one above. RemoveKeys then
	// takes n from that counter twice, and fails if it holds less than 2n.
	if !s.dense.RemoveKeys(keys, n) {
		return fmt.Errorf("%w: fewer than %d at cell (%d, %d)", sketch.ErrTooMany, n, c.X, c.Y)
	}
	s.Total = saturate.Sub(s.Total, min(n, s.Total)) // a total of 2^64-1 stays, as the true one is unknown
	return nil
}

func (s countersSketch) fold(f *reduction) error {
	if f.err != nil {
		return f.err
	}
	if !s.sums() {
		// Folding by maxima sorts by the flag: it takes a counter with a flag for a large value.
		s.dense.ClearFlags()
	}
	for s.shape != f.shape {
		shape, layer, _ := s.shape.Folded(&f.shape)
		s.dense = s.dense.Fold(shape, layer, s.sums())
		s.shape, s.parts = shape, s.parts.Fold(layer)
	}
	s.Bytes = f.bytes
	return nil
}

func (s countersSketch) appendBody(dst []byte, _ grid.Rect, _ uint64) ([]byte, bool) {
	return append(dst, s.dense.Body...), true
}

// asDense returns a sketch with counters and configuration c. If s has counters, c must be the configuration of
// s. Otherwise the cells of s are counted. It does not change s.
func (s *Sketch) asDense(c *Config) *Sketch {
	d := *s
	d.Config = *c
	if d.dense != nil {
		return &d
	}
	list := s.squares.Sections
	d.bounds, d.squares = list.Bounds(), nil
	d.dense = counters.FromList(c.counters(), list)
	return &d
}
