package ccbf

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Sketch is a sketch in memory: a list of cells while it is exact, then a tree of
// squares or arrays of counters. Make one with New, a Builder or Decode.
type Sketch struct {
	Config
	Class      key.Class // class of the categories; 0 where none was seen
	Total      uint64    // occurrences inserted
	TotalKnown bool      // false after intersect and mask on the dense form

	// bounds is of the cells that can have a count, not shrunk by removal: while dense.
	bounds grid.Rect
	sums   bool // counters are sums of occurrences
	parts  cascade.Origin
	cells  cells.List
	tree   *leafList         // nil unless it is one
	dense  *cascade.Counters // nil unless it has them
}

// New makes an empty sketch. The error is that of Params.Config.
func New(p Params) (*Sketch, error) {
	c, err := p.Config()
	if err != nil {
		return nil, err
	}
	s := &Sketch{Config: c, TotalKnown: true, bounds: cells.NoBounds, sums: c.Mode == Standard}
	if !c.Exact {
		s.dense = cascade.New(c.shape)
	}
	return s, nil
}

// IsExact reports whether s holds its cells. Its BLOB is exact while they fit Bytes.
func (s *Sketch) IsExact() bool { return s.Form() == Exact }

// Additive reports whether counters are sums of occurrences, so that Remove,
// Move and Subtract are legal. Always so while exact.
func (s *Sketch) Additive() bool { return s.in().additive() }

// full is the largest count: that many, or more.
const full = math.MaxUint64

// Saturated reports whether a counter of the last layer is at its ceiling: it
// then reads as the total, or as 2^64-1 where that is unknown. An exact sketch or a tree is
// saturated when its total reached 2^64-1.
func (s *Sketch) Saturated() bool { return s.in().saturated() }

// hasher hashes the cells of the dense form, or the squares of a level above.
type hasher struct {
	seed  uint64
	level uint8
	buf   []byte
}

// hasher hashes the squares of a level; level 0 is the cells.
func (c *Config) hasher(level uint8) hasher { return hasher{seed: c.Seed, level: c.Base + level} }

// hash is the hash of a cell; with a category of the cell in it.
func (h *hasher) hash(c grid.Cell, category []byte) (h1, h2 uint64) {
	if category == nil {
		return h.cell(c)
	}
	h.buf = key.AppendCell(h.buf[:0], c.X, c.Y, h.level, category)
	return key.Hash(h.seed, h.buf)
}

// cell is hash without a category.
func (h *hasher) cell(c grid.Cell) (h1, h2 uint64) {
	if h.level == 0 {
		return key.HashCell(h.seed, c.X, c.Y)
	}
	return key.HashSquare(h.seed, c.X, c.Y, h.level)
}

// all makes of the columns and rows of many cells, in h1 and h2, their hashes.
func (h *hasher) all(h1, h2 []uint64, category []byte) {
	if category == nil {
		key.HashSquares(h.seed, h.level, h1, h2)
		return
	}
	for i, x := range h1 {
		h1[i], h2[i] = h.hash(grid.Cell{X: int64(x), Y: int64(h2[i])}, category)
	}
}

// hashBatch is how many keys are hashed before their counters are touched.
const hashBatch = 256

// insertRun counts the cells of a section in d, at the positions of their
// keys, and the squares above them, and returns the bounds of the cells; plain
// counts them without their category.
func insertRun(d *cascade.Counters, c *Config, s *cells.Section, plain bool) grid.Rect {
	var h1, h2 [hashBatch]uint64
	h := c.hasher(0)
	category := s.KeyCategory()
	if plain {
		category = nil
	}
	for level := uint8(1); level <= c.Levels; level++ {
		insertSquares(d, c, s, category, level)
	}
	b := cells.NoBounds
	if len(s.Keys) > 0 {
		first := cells.CellOf(s.X, s.Y, s.Keys[0])
		b = grid.Rect{MinX: first.X, MinY: first.Y, MaxX: first.X, MaxY: first.Y}
	}
	for i := 0; i < len(s.Keys); i += hashBatch {
		keys := s.Keys[i:min(i+hashBatch, len(s.Keys))]
		for j, k := range keys {
			at := cells.CellOf(s.X, s.Y, k)
			b.MinX, b.MaxX = min(b.MinX, at.X), max(b.MaxX, at.X)
			b.MinY, b.MaxY = min(b.MinY, at.Y), max(b.MaxY, at.Y)
			h1[j], h2[j] = uint64(at.X), uint64(at.Y)
		}
		h.all(h1[:len(keys)], h2[:len(keys)], category)
		var n []uint64
		if s.Counts != nil {
			n = s.Counts[i : i+len(keys)]
		}
		d.Insert(c.Mode == Standard, h1[:len(keys)], h2[:len(keys)], n)
	}
	return b
}

// insertCells counts the cells of all sections and returns their bounds.
func insertCells(d *cascade.Counters, c *Config, sections cells.List) grid.Rect {
	b := cells.NoBounds
	for i := range sections {
		b = cells.Hull(b, insertRun(d, c, &sections[i], false))
		if c.Totals {
			insertRun(d, c, &sections[i], true)
		}
	}
	return b
}

// Differ returns an error that wraps sketch.ErrDiffer and names the first
// parameter that keeps two sketches from being combined; ErrForms where one is a tree
// and the other has counters; nil where they combine. Exact sketches and trees need the
// same resolution, and categories or none; where both have counters, these must agree.
func (s *Sketch) Differ(o *Sketch) error {
	if err := s.combine(s.Form(), &o.Config, o.Form()); err != nil {
		return err
	}
	return differClass(s.Class, o.Class)
}

func differClass(a, b key.Class) error {
	if a != b && a != 0 && b != 0 {
		return sketch.Differ("type of category", a, b)
	}
	return nil
}
