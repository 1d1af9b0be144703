// Package ccbf is CascadeCBF: how many points lie in each cell of a grid, in a
// bounded number of bytes. A sketch is a compressed list of cells and their
// counts while that fits, and a cascade of counting Bloom filters from then on
// (Laass, Walther, Mansour and Werner, "CascadeCBF: Probabilistic Counting for
// Sparse Spatial Point Clouds").
//
// New makes a Sketch, which can be changed and has a BLOB; a View answers questions
// straight from a BLOB; a Builder makes a sketch of many points, or of other
// sketches, in less time and within a budget of memory.
package ccbf

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Mode is how occurrences are counted in the dense form.
type Mode uint8

const (
	// MinimalIncrement raises only the counters at the minimum: closer
	// estimates, no deletion (Cohen and Matias 2003, section 3.2).
	MinimalIncrement Mode = iota
	// Standard raises all k counters: counters are sums, so that parts can
	// be added and removed in any order.
	Standard
)

// String is the mode's name in SQL.
func (m Mode) String() string {
	if m == Standard {
		return "standard"
	}
	return "mi"
}

// Overflow is what a sketch becomes when its cells no longer fit.
type Overflow uint8

const (
	// OverflowDefault is overflowDefault, or ToCounters where a parameter is given
	// that only counters have.
	OverflowDefault Overflow = iota
	// ToTree prunes the quadtree of the cells: places grow coarse, and sums have
	// bounds that hold always.
	ToTree
	// ToCounters counts in counters that cells share: points may have any number of
	// categories, and a lookup takes constant time.
	ToCounters
)

// overflowDefault is what sketches become unless they are told otherwise.
const overflowDefault = ToTree

// String is the name in SQL.
func (o Overflow) String() string {
	if o == ToTree {
		return "tree"
	}
	return "counters"
}

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

// defaultWidths are the bits per counter of each layer, by mode: those of the least error at
// equal bytes. Counters that are raised together stay small, and flags that removal must
// leave are fewer where they are wide.
var defaultWidths = [...][]int{MinimalIncrement: {4, 8, 16, 32}, Standard: {8, 16, 32}}

// Params are the parameters of a sketch. The zero value of every field except
// Res is that field's default.
type Params struct {
	Res      float64  // edge of a cell, in the units of the coordinates
	Bytes    uint64   // most bytes that the body may take
	Dense    bool     // dense from the first row on: no exact form
	Overflow Overflow // what it becomes when its cells no longer fit
	K        int      // counters per key
	Mode     Mode     // how occurrences are counted
	Widths   []int    // bits per counter of each layer, flag included, not falling; default 4, 8, 16, 32, in mode standard 8, 16, 32
	Counters []uint64 // counters of each layer, each a divisor of the one before; default by Bytes
	Levels   int      // levels of squares that the dense form counts beside the cells
	Seed     uint64   // of the hash
	// Categories says that every point has a category; Totals that it counts
	// without one as well.
	Categories, Totals bool
	// AtLeast has a Builder suppress what it makes (Sketch.Suppress), where it is not 0.
	AtLeast uint64
}

// Config is Params, checked and completed. Configs are comparable. Sketches
// combine where these are equal, and others too where their cells are known: Sketch.Union says which.
type Config struct {
	Grid       grid.Grid
	Bytes      uint64 // most bytes that the body may take
	Exact      bool   // exact as long as that fits Bytes
	Overflow   Overflow
	Mode       Mode
	Seed       uint64
	Categories bool
	Totals     bool
	Levels     uint8 // levels of squares that the dense form counts beside the cells
	// Base is the level that the cells of the dense form are hashed as: not 0
	// in a coarsened sketch, whose cells were squares.
	Base    uint8
	AtLeast uint64 // of a Builder, see Params
	shape   cascade.Shape
}

// Config checks p. The error wraps sketch.ErrOption or comes from grid.New, and
// names the parameter and its range.
func (p Params) Config() (Config, error) {
	g, err := grid.New(p.Res)
	if err != nil {
		return Config{}, err
	}
	c := Config{Grid: g, Bytes: p.Bytes, Exact: !p.Dense, Mode: p.Mode, Seed: p.Seed, Categories: p.Categories, Totals: p.Totals}
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
	k := p.K
	if k == 0 {
		k = DefaultK
	}
	widths := p.Widths
	if widths == nil {
		widths = defaultWidths[c.Mode]
		if p.Counters != nil && len(p.Counters) < len(widths) {
			return Config{}, sketch.OptionError("counters", "has %d layers, give \"layers\" their widths", len(p.Counters))
		}
	}
	if c.shape, err = cascade.NewShape(k, widths); err != nil {
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
		if p.Bytes == 0 {
			c.Bytes = DefaultBytes
		}
		if c.Bytes < MinBytes || c.Bytes > MaxBytes {
			return Config{}, sketch.OptionError("bytes", "is %d, must be from %d to %d", c.Bytes, MinBytes, MaxBytes)
		}
		if !c.shape.Fit(c.Bytes) {
			return Config{}, c.shape.TooFew(c.Bytes)
		}
	}
	if p.AtLeast == 0 {
		return c, nil
	}
	c.AtLeast = p.AtLeast
	return c, c.checkAtLeast()
}

// overflow is what p asks for. Parameters that only counters have ask for counters.
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
	return overflowDefault, nil
}

// mustBeMade panics where c is the zero value, which no constructor made and which has no
// cells. All that a sketch, a view or a builder does asks it.
func (c *Config) mustBeMade() {
	if c.Grid == (grid.Grid{}) {
		panic("ccbf: a zero Sketch, View or Config is used: New, Decode, NewView or Params.Config makes one")
	}
}

// counters is what concerns counters.
func (c *Config) counters() *counters.Params {
	return &counters.Params{Shape: c.shape, Seed: c.Seed, Levels: c.Levels, Base: c.Base, Totals: c.Totals, Standard: c.Mode == Standard}
}

// K is the number of counters per key.
func (c *Config) K() int { return c.shape.K }

// Widths are the bits per counter of each layer.
func (c *Config) Widths() []uint8 { return slices.Clone(c.shape.Widths()) }

// Counters are the numbers of counters of each layer.
func (c *Config) Counters() []uint64 { return slices.Clone(c.shape.Sizes()) }
