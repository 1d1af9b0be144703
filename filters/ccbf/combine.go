package ccbf

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Which sketches combine. Counters of two sketches add up only if all their parameters agree. An
// exact sketch knows its cells, and a tree its squares, so only what a cell is must agree. An exact
// sketch that meets counters is counted in them.

// ErrForms is the error for combining a tree and counters: the cells of the points in a square are
// not known.
var ErrForms = errors.New("one sketch is a tree, whose cells are not known, and the other has counters: they do not combine; build all of them with more bytes, or with overflow: 'counters'")

// sameCells returns an error that wraps sketch.ErrDiffer if the configurations have different cells or
// categories: then no two of their sketches can be combined.
func (c *Config) sameCells(o *Config) error {
	switch {
	case c.Grid != o.Grid:
		return sketch.Differ("resolution", c.Grid.Res(), o.Grid.Res())
	case c.Categories != o.Categories:
		return &sketch.DifferError{
			Parameter: "category",
			Values:    fmt.Sprintf("%v vs %v", c.Categories, o.Categories),
			Advice:    "build both with a category, or both without",
		}
	}
	return nil
}

// withFactor adds a factor to err, if there is one: coarsening one of the grids by this factor makes both
// grids equal.
func withFactor(err error, a, b grid.Grid) error {
	fine, coarse, which := a, b, "first"
	if a.Res() > b.Res() {
		fine, coarse, which = b, a, "second"
	}
	factor := math.Round(coarse.Res() / fine.Res())
	if factor < 2 || factor > 1<<MaxLevels {
		return err
	}
	if g, notOne := fine.Coarser(uint64(factor)); notOne != nil || g != coarse {
		return err
	}
	return fmt.Errorf("%w, or ccbf_coarsen the %s by %.0f", err, which, factor)
}

// combine returns an error that wraps sketch.ErrDiffer if two sketches cannot be combined. One has c and
// the form form, the other has o and the form other. For a tree and counters it returns ErrForms.
func (c *Config) combine(form Form, o *Config, other Form) error {
	if err := c.sameCells(o); err != nil {
		return withFactor(err, c.Grid, o.Grid)
	}
	switch {
	case form == Exact || other == Exact || form == Tree && other == Tree:
		return nil
	case form != other:
		return ErrForms
	}
	return c.differCounters(o)
}

// joined returns the configuration of the result of two sketches that combine. It does not depend
// on their order, so any number of sketches has the same result in any order.
//
// If one of them has counters, it is that one's configuration. Otherwise the larger Bytes wins. If
// one overflows to a tree, so does the result; its counters, the fallback, then follow from Bytes.
// If neither does, the parameters of counters come from the greater configuration by
// compareCounters.
func joined(a *Config, form Form, b *Config, other Form) Config {
	if *a == *b {
		return *a
	}
	out := *a
	switch {
	case form == Dense && other == Dense:
		// Both sketches have the same counters. Bytes only limits the exact form that a sketch had
		// before. Overflow only says which form followed.
		out.Bytes, out.Overflow, out.Exact = max(a.Bytes, b.Bytes), max(a.Overflow, b.Overflow), a.Exact && b.Exact
		return out
	case form == Dense:
		return out
	case other == Dense:
		return *b
	case a.Overflow == ToTree && b.Overflow == ToTree:
		out.Seed = max(a.Seed, b.Seed)
		if slices.Compare(a.shape.Sizes(), b.shape.Sizes()) < 0 {
			out.shape = b.shape
		}
	case b.Overflow == ToTree:
		out = *b
	case a.Overflow == ToTree:
	case compareCounters(a, b) < 0:
		out = *b
	}
	out.Bytes, out.Totals, out.Exact = max(a.Bytes, b.Bytes), a.Totals || b.Totals, true
	if out.Overflow == ToTree {
		if s, ok := fitted(out.shape, out.Bytes); ok {
			out.shape = s
		}
	}
	return out
}

// compareCounters orders configurations by Bytes, then by the parameters of counters. Equal ones
// differ in nothing else that joined chooses.
func compareCounters(a, b *Config) int {
	return cmp.Or(
		cmp.Compare(a.Bytes, b.Bytes),
		cmp.Compare(a.Mode, b.Mode),
		cmp.Compare(a.shape.K, b.shape.K),
		cmp.Compare(a.Levels, b.Levels),
		cmp.Compare(a.Base, b.Base),
		slices.Compare(a.shape.Sizes(), b.shape.Sizes()),
		slices.Compare(a.shape.Widths(), b.shape.Widths()),
		cmp.Compare(a.Seed, b.Seed),
	)
}

// differCounters returns an error if the counters of two sketches cannot be added.
func (c *Config) differCounters(o *Config) error {
	if err := c.differKeys(o); err != nil {
		return err
	}
	if c.shape != o.shape {
		return sketch.Differ("counters", c.Counters(), o.Counters())
	}
	return nil
}

// differKeys is differCounters, but ignores how many counters there are.
func (c *Config) differKeys(o *Config) error {
	if err := cmp.Or(
		sketch.Same("mode", c.Mode, o.Mode),
		sketch.Same("k", c.shape.K, o.shape.K),
		sketch.Same("seed", c.Seed, o.Seed),
		sketch.Same("totals", c.Totals, o.Totals),
		sketch.Same("levels", c.Levels, o.Levels),
		sketch.Same("factor of coarsening", uint64(1)<<c.Base, uint64(1)<<o.Base),
	); err != nil {
		return err
	}
	if !c.shape.SameWidths(&o.shape) {
		return sketch.Differ("layers", c.Widths(), o.Widths())
	}
	return nil
}

// differ returns an error that wraps sketch.ErrDiffer and names the first parameter in which two
// configurations differ. It ignores Exact, which says how a sketch is built. Sketches can combine
// even if it returns an error; Sketch.differ reports whether they do.
func (c *Config) differ(o *Config) error {
	if err := c.sameCells(o); err != nil {
		return err
	}
	// Differences in keys (mode, k) also change the counters. They are more specific than overflow, so
	// report them first.
	if err := c.differKeys(o); err != nil {
		return err
	}
	switch {
	case c.Overflow != o.Overflow:
		return sketch.Differ("overflow", c.Overflow, o.Overflow)
	// Bytes decides the number of counters here, so report bytes rather than counters.
	case c.Overflow != ToCounters && c.Bytes != o.Bytes:
		return sketch.Differ("bytes", c.Bytes, o.Bytes)
	case c.shape != o.shape:
		return sketch.Differ("counters", c.Counters(), o.Counters())
	case c.Bytes != o.Bytes:
		return sketch.Differ("bytes", c.Bytes, o.Bytes)
	}
	return nil
}
