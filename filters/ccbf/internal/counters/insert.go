// Package counters is the form of a sketch whose cells share counters: a layered counting Bloom filter,
// which package cascade has. It inserts cells and the squares of higher levels, and queries them.
package counters

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// MaxLevels is the most levels of squares. The largest squares have 16,777,216 cells a side.
const MaxLevels = 24

// Params are the parameters of the counters of a sketch.
type Params struct {
	Shape    cascade.Shape
	Seed     uint64
	Levels   uint8 // number of levels of squares that are counted beside the cells.
	Base     uint8 // level as which the cells are hashed, see ccbf.Config.
	Totals   bool  // whether points are also counted without their category.
	Standard bool  // whether a point raises all counters of its key, not only the least.
}

// Hasher hashes cells, or the squares of a level.
type Hasher struct {
	seed  uint64
	level uint8
	buf   []byte
}

// Hasher returns a hasher of the squares of a level. Level 0 is the cells.
func (p *Params) Hasher(level uint8) Hasher { return Hasher{seed: p.Seed, level: p.Base + level} }

// Hash returns the hash of a cell, with its category if that is not nil.
func (h *Hasher) Hash(c grid.Cell, category []byte) (h1, h2 uint64) {
	switch {
	case category != nil:
		h.buf = key.AppendCell(h.buf[:0], c.X, c.Y, h.level, category)
		return key.Hash(h.seed, h.buf)
	case h.level > 0:
		return key.HashSquare(h.seed, c.X, c.Y, h.level)
	}
	return key.HashCell(h.seed, c.X, c.Y)
}

// All replaces the columns in h1 and the rows in h2 of many cells by their hashes.
func (h *Hasher) All(h1, h2 []uint64, category []byte) {
	if category == nil {
		key.HashSquares(h.seed, h.level, h1, h2)
		return
	}
	for i, x := range h1 {
		h1[i], h2[i] = h.Hash(grid.Cell{X: int64(x), Y: int64(h2[i])}, category)
	}
}

// hashBatch is the number of keys that are hashed before their counters are touched.
const hashBatch = cascade.KeyBatch

// Insert counts the cells of all sections, and the squares around them. Keys need not be sorted.
func Insert(d *cascade.Counters, p *Params, sections cells.List) {
	for i := range sections {
		s := &sections[i]
		categories := [][]byte{s.Category, nil}
		if !p.Totals {
			categories = categories[:1]
		}
		for _, category := range categories {
			for level := range p.Levels {
				insertSquares(d, p, s, category, level+1)
			}
			insertSquares(d, p, s, category, 0)
		}
	}
}

// insertSquares counts the cells of a section in their squares of a level; level 0 is the cells.
// Consecutive cells of one square are counted at once.
func insertSquares(d *cascade.Counters, p *Params, s *cells.Section, category []byte, level uint8) {
	var h1, h2, ns [hashBatch]uint64
	var last grid.Cell
	h, n := p.Hasher(level), 0
	insert := func() {
		h.All(h1[:n], h2[:n], category)
		d.Insert(p.Standard, h1[:n], h2[:n], ns[:n])
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

// FromList makes counters from a list of cells and their counts. In mode standard, a counter is the sum of the counts
// that map to it, and in mode mi their maximum. Counts are never too low. In mode mi they do not depend on the order,
// and are closer than by minimal increment (Cohen and Matias 2003, section 3.2).
func FromList(p *Params, sections cells.List) *cascade.Counters {
	d := cascade.New(p.Shape)
	if p.Standard {
		Insert(d, p, sections)
		return d
	}
	if p.Totals {
		sections = append(slices.Clone(sections), sections.Plain()...)
	}
	d.FillMax(func(least uint64, yield func(h1, h2, n uint64)) {
		of := sections
		for level := range p.Levels + 1 {
			if level > 0 {
				of, _ = of.Coarser(2) // cells have no error
			}
			h := p.Hasher(level)
			for i := range of {
				s := &of[i]
				for j, n := range s.Counts {
					if n >= least {
						h1, h2 := h.Hash(cells.CellOf(s.X, s.Y, s.Keys[j]), s.Category)
						yield(h1, h2, n)
					}
				}
			}
		}
	})
	return d
}
