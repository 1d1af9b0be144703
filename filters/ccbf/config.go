// Package ccbf implements CascadeCBF: how many points lie in each cell of a grid, in a bounded
// number of bytes. A sketch is a compressed, sorted list of cells and their counts while that fits,
// and every answer is exact. Then it is a tree (nested squares with counts) or counters (a layered
// counting Bloom filter). The paper is Laass, Walther, Mansour and Werner, "CascadeCBF:
// Probabilistic Counting for Sparse Spatial Point Clouds".
//
// New makes a Sketch, which can be changed and has a BLOB. A View answers queries from a BLOB in
// place. A Builder makes a sketch of many points, or of other sketches, in less time and within a
// memory budget.
package ccbf

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Mode says which counters a point raises.
type Mode uint8

const (
	// MinimalIncrement raises only the counters at the minimum. Estimates are closer, but points
	// cannot be removed (Cohen and Matias 2003, section 3.2).
	MinimalIncrement Mode = iota
	// Standard raises all k counters. They are sums, so parts can be added and removed in any
	// order.
	Standard
)

var modeNames = [...]string{MinimalIncrement: "mi", Standard: "standard"}

// String returns the mode's name in SQL.
func (m Mode) String() string { return sketch.NameOf(modeNames[:], "mode", m) }

// Overflow says which form a sketch takes when its cells no longer fit.
type Overflow uint8

const (
	// OverflowDefault is ToCounters if a parameter of counters is set, and otherwise ToTree.
	OverflowDefault Overflow = iota
	// ToTree prunes the quadtree of the cells. Places grow coarse, and the bounds of sums always
	// hold.
	ToTree
	// ToCounters counts in counters that cells share. Points may have any number of categories, and
	// a lookup takes constant time.
	ToCounters
)

var overflowNames = [...]string{OverflowDefault: "default", ToTree: "tree", ToCounters: "counters"}

// String returns the name in SQL.
func (o Overflow) String() string { return sketch.NameOf(overflowNames[:], "overflow", o) }

// Limits and defaults of the parameters.
const (
	DefaultBytes = 1 << 20
	MinBytes     = 1 << 8
	MaxBytes     = cascade.MaxBytes
	DefaultK     = 4
	MaxK         = cascade.MaxK
	MaxLayers    = cascade.MaxLayers
	MinWidth     = cascade.MinWidth
	MaxWidth     = cascade.MaxWidth
	MaxLevels    = counters.MaxLevels // squares of 16,777,216 cells a side
)

// defaultWidths is the bits per counter of each layer, by mode, with the least error at equal
// bytes. Minimal increment keeps counters small. In mode standard, wide counters leave fewer of the
// flags that removal cannot clear.
var defaultWidths = [...][]int{MinimalIncrement: {4, 8, 16, 32}, Standard: {8, 16, 32}}

// Params are the parameters of a sketch. In every field except Res, the zero value means the default.
type Params struct {
	Res      float64  // side of a cell, in the units of the coordinates.
	Bytes    uint64   // largest size of the body.
	Dense    bool     // counters from the first row on: no exact form.
	Overflow Overflow // form of the sketch when its cells no longer fit.
	K        int      // counters per key.
	Mode     Mode     // how counters count.
	Widths   []int    // bits per counter of each layer, flag included, not falling; the default depends on Mode.
	Counters []uint64 // number of counters of each layer, each a divisor of the one before; default by Bytes.
	Levels   int      // levels of squares that counters count beside the cells.
	Seed     uint64   // seed of the hash.
	// Categories is true if every point has a category. Totals makes counters count each point
	// without its category as well.
	Categories, Totals bool
	// AtLeast, if not 0, makes a Builder and Build suppress the sketch (Sketch.Suppress). It is an error for New.
	AtLeast uint64
}

// Config is Params after checks, with defaults filled in. Configs are comparable. Sketches with equal
// Configs can be combined. So can others whose cells are known: see Sketch.Union.
type Config struct {
	Grid       grid.Grid
	Bytes      uint64 // largest size of the body
	Exact      bool   // exact as long as that fits Bytes
	Overflow   Overflow
	Mode       Mode
	Seed       uint64
	Categories bool
	Totals     bool
	Levels     uint8 // levels of squares that counters count beside the cells
	// Base is the level of the sketch's cells in the hashes of its counters. It is 0 unless the sketch
	// was coarsened: then its cells are the squares of level Base of the first grid.
	Base    uint8
	AtLeast uint64 // only for a Builder, see Params.
	shape   cascade.Shape
}

// Config checks p. An error names the parameter and its range. It wraps sketch.ErrOption or comes
// from grid.New.
func (p Params) Config() (Config, error) {
	g, err := grid.New(p.Res)
	if err != nil {
		return Config{}, err
	}
	c := Config{Grid: g, Bytes: cmp.Or(p.Bytes, DefaultBytes), Exact: !p.Dense, Mode: p.Mode, Seed: p.Seed, Categories: p.Categories, Totals: p.Totals}
	if c.Totals && !c.Categories {
		return Config{}, sketch.OptionError("totals", "needs the option \"category\"")
	}
	if c.Overflow, err = p.overflow(); err != nil {
		return Config{}, err
	}
	if p.Mode > Standard {
		return Config{}, sketch.OptionError("mode", "is %d, must be 'mi' or 'standard'", p.Mode)
	}
	if p.Levels < 0 || p.Levels > MaxLevels {
		return Config{}, sketch.OptionError("levels", "is %d, must be from 0 to %d", p.Levels, MaxLevels)
	}
	c.Levels = uint8(p.Levels)
	widths := p.Widths
	if widths == nil {
		widths = defaultWidths[c.Mode]
		if p.Counters != nil && len(p.Counters) < len(widths) {
			return Config{}, sketch.OptionError("counters", "has %d layers, give \"layers\" their widths", len(p.Counters))
		}
	}
	if c.shape, err = cascade.NewShape(cmp.Or(p.K, DefaultK), widths); err != nil {
		return Config{}, err
	}
	switch {
	case p.Counters != nil && p.Bytes != 0:
		return Config{}, sketch.OptionError("counters", "and option \"bytes\" exclude each other")
	case p.Counters != nil:
		if err := c.shape.SetCounters(p.Counters); err != nil {
			return Config{}, err
		}
		c.Bytes = c.shape.Bytes()
	default:
		if c.Bytes < MinBytes || c.Bytes > MaxBytes {
			return Config{}, sketch.OptionError("bytes", "is %d, must be from %d to %d", c.Bytes, MinBytes, MaxBytes)
		}
		if !c.shape.Fit(c.Bytes) {
			of := ""
			if p.Widths != nil {
				of = fmt.Sprintf(" with layers %v", p.Widths)
			}
			return Config{}, sketch.OptionError("bytes", "is %d, must be at least %d%s", c.Bytes, c.shape.Least(), of)
		}
	}
	switch c.AtLeast = p.AtLeast; {
	case c.AtLeast == 0:
	case c.AtLeast < MinLeast || c.AtLeast > MaxLeast:
		return c, sketch.OptionError("at_least", "is %d, must be from %d to %d", c.AtLeast, MinLeast, uint64(MaxLeast))
	case c.Overflow != ToTree:
		return c, sketch.OptionError("at_least", "needs overflow: 'tree': counters cannot be suppressed")
	}
	return c, nil
}

// overflow returns the overflow of p. Parameters of counters imply counters.
func (p *Params) overflow() (Overflow, error) {
	own := ""
	switch {
	case p.Dense:
		own = "exact"
	case p.K != 0:
		own = "k"
	case p.Mode != MinimalIncrement:
		own = "mode"
	case p.Widths != nil:
		own = "layers"
	case p.Counters != nil:
		own = "counters"
	case p.Levels != 0:
		own = "levels"
	}
	switch {
	case p.Overflow > ToCounters:
		return 0, sketch.OptionError("overflow", "is %d, must be 'tree' or 'counters'", p.Overflow)
	case p.Overflow == ToTree && own != "":
		return 0, sketch.OptionError(own, "and option \"overflow\": 'tree' exclude each other: it is for counters, and a tree has none")
	case p.Overflow != OverflowDefault:
		return p.Overflow, nil
	case own != "":
		return ToCounters, nil
	}
	return ToTree, nil
}

// mustBeMade panics if c is the zero value, which no constructor returns. All methods of sketches,
// views and builders call it.
func (c *Config) mustBeMade() {
	if c.Grid == (grid.Grid{}) {
		panic("ccbf: a zero Sketch, View or Config is used: New, Decode, NewView or Params.Config makes one")
	}
}

// counters returns the parameters of counters.
func (c *Config) counters() *counters.Params {
	return &counters.Params{Shape: c.shape, Seed: c.Seed, Levels: c.Levels, Base: c.Base, Totals: c.Totals, Standard: c.Mode == Standard}
}

// K returns the number of counters per key.
func (c *Config) K() int { return c.shape.K }

// Widths returns the bits per counter of each layer.
func (c *Config) Widths() []uint8 { return slices.Clone(c.shape.Widths()) }

// Counters returns the number of counters of each layer.
func (c *Config) Counters() []uint64 { return slices.Clone(c.shape.Sizes()) }
