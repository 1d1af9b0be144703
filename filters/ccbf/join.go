package ccbf

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Which sketches combine. What counters are, two sketches that have some must agree on:
// nothing else can add them up. An exact sketch knows its cells, and a tree its squares,
// so of those only what a cell is must agree. An exact sketch that meets counters is
// counted in them.

// sameCells returns an error that wraps sketch.ErrDiffer where sketches of two
// configurations do not combine, whatever their forms.
func (c *Config) sameCells(o *Config) error {
	switch {
	case c.Grid != o.Grid:
		return sketch.Differ("resolution", c.Grid.Res(), o.Grid.Res())
	case c.Categories != o.Categories:
		return sketch.Differ("category", c.Categories, o.Categories)
	}
	return nil
}

// withFactor adds to an error what makes one of two resolutions the other, where
// something does.
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
	return fmt.Errorf("%w (ccbf_coarsen the %s by %.0f)", err, which, factor)
}

// combine returns an error that wraps sketch.ErrDiffer where a sketch of a form does not
// go with another; ErrForms of a tree and counters.
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

// joined is the configuration of what two sketches that combine are made into, by a
// rule that does not ask which came first: the result for any number of sketches is the
// same in any order.
//
// Where one of them has counters, it is that one's. Otherwise the larger Bytes wins, and
// where one of them overflows to a tree, so does the result; its counters, which it
// falls back to, are those that follow from Bytes. If neither does, all that concerns
// counters is that of the greater in the order of compareCounters, Bytes first.
func joined(a *Config, form Form, b *Config, other Form) Config {
	if *a == *b {
		return *a
	}
	out := *a
	switch {
	case form == Dense && other == Dense:
		// The same counters: Bytes says no more than what an exact form could have had,
		// and Overflow what it became.
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
	default:
		out = *greater(a, b)
	}
	out.Bytes, out.Totals, out.Exact = max(a.Bytes, b.Bytes), a.Totals || b.Totals, true
	if out.Overflow == ToTree {
		if s, ok := fitted(out.shape, out.Bytes); ok {
			out.shape = s
		}
	}
	return out
}

// greater is the greater of two configurations by compareCounters.
func greater(a, b *Config) *Config {
	if compareCounters(a, b) < 0 {
		return b
	}
	return a
}

// compareCounters orders configurations by Bytes, then by all that concerns counters
// alone. Those that it finds equal differ in nothing else that joined chooses.
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

// differCounters returns an error where counters of two sketches do not add up.
func (c *Config) differCounters(o *Config) error {
	switch {
	case c.Mode != o.Mode:
		return sketch.Differ("mode", c.Mode, o.Mode)
	case c.shape.K != o.shape.K:
		return sketch.Differ("k", c.shape.K, o.shape.K)
	case c.Seed != o.Seed:
		return sketch.Differ("seed", c.Seed, o.Seed)
	case c.Totals != o.Totals:
		return sketch.Differ("totals", c.Totals, o.Totals)
	case c.Levels != o.Levels:
		return sketch.Differ("levels", c.Levels, o.Levels)
	case c.Base != o.Base:
		return sketch.Differ("factor of coarsening", uint64(1)<<c.Base, uint64(1)<<o.Base)
	case !c.shape.SameWidths(&o.shape):
		return sketch.Differ("layers", c.Widths(), o.Widths())
	case c.shape != o.shape:
		return sketch.Differ("counters", c.Counters(), o.Counters())
	}
	return nil
}

// Differ returns an error that wraps sketch.ErrDiffer and names the first parameter in
// which two configurations differ. Exact may differ: it says how a sketch is built.
// Sketches with more differences can combine; Sketch.Differ says whether two do.
func (c *Config) Differ(o *Config) error {
	if err := c.sameCells(o); err != nil {
		return err
	}
	err := c.differCounters(o)
	switch {
	// Numbers of counters follow from Bytes, which says more; modes, k and the like ask
	// for counters, and say more than that.
	case err != nil && (c.Mode != o.Mode || c.shape.K != o.shape.K || c.Seed != o.Seed || c.Totals != o.Totals ||
		c.Levels != o.Levels || c.Base != o.Base || !c.shape.SameWidths(&o.shape)):
		return err
	case c.Overflow != o.Overflow:
		return sketch.Differ("overflow", c.Overflow, o.Overflow)
	case err != nil && c.Overflow == ToCounters:
		return err
	case c.Bytes != o.Bytes:
		return sketch.Differ("bytes", c.Bytes, o.Bytes)
	}
	return err
}
