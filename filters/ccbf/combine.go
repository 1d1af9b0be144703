package ccbf

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
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
	fine, coarse := a, b
	if a.Res() > b.Res() {
		fine, coarse = b, a
	}
	factor := math.Round(coarse.Res() / fine.Res())
	if factor < 2 || factor > 1<<MaxLevels {
		return err
	}
	if g, notOne := fine.Coarser(uint64(factor)); notOne != nil || g != coarse {
		return err
	}
	return fmt.Errorf("%w, or ccbf_coarsen that of %v by %.0f", err, fine.Res(), factor)
}

// kind says with which sketches a sketch combines.
type kind struct {
	*Config
	form  Form
	class key.Class // class of the categories; 0 before the first
}

// join returns the kind of the result of two sketches. It does not depend on their order, so any number of
// sketches has the same result in any order. The result is exact if both are, a tree if one is, and has
// counters otherwise.
//
// If two sketches do not combine, the error wraps sketch.ErrDiffer and names the first parameter that
// differs, or is ErrForms for a tree and counters.
func (k kind) join(o kind) (kind, error) {
	if err := k.sameCells(o.Config); err != nil {
		return k, withFactor(err, k.Grid, o.Grid)
	}
	switch {
	case k.form != o.form && k.form != Exact && o.form != Exact:
		return k, ErrForms
	case k.form == Dense && o.form == Dense:
		if err := k.differKeys(o.Config); err != nil {
			return k, err
		}
		if k.shape != o.shape {
			return k, sketch.Differ("counters", k.Counters(), o.Counters())
		}
	}
	if err := differClass(k.class, o.class); err != nil {
		return k, err
	}
	return kind{k.joined(o), max(k.form, o.form), max(k.class, o.class)}, nil
}

// joined returns the configuration of the result of two sketches that combine.
//
// If one of them has counters, it is that one's configuration. Otherwise the larger Bytes wins. If
// one overflows to a tree, so does the result; its counters, the fallback, then follow from Bytes.
// If neither does, the parameters of counters come from the greater configuration by
// compareCounters.
func (k kind) joined(o kind) *Config {
	a, b := k.Config, o.Config
	if *a == *b {
		return a
	}
	out := *a
	switch {
	case k.form == Dense && o.form == Dense:
		// Both sketches have the same counters. Bytes only limits the exact form that a sketch had
		// before. Overflow only says which form followed.
		out.Bytes, out.Overflow, out.Exact = max(a.Bytes, b.Bytes), max(a.Overflow, b.Overflow), a.Exact && b.Exact
		return &out
	case k.form == Dense:
		return a
	case o.form == Dense:
		return b
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
	return &out
}

// differClass returns an error if two sketches have categories of different classes.
func differClass(a, b key.Class) error {
	if a != b && a != 0 && b != 0 {
		return sketch.Differ("type of category", a, b)
	}
	return nil
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

// differKeys returns an error if the keys of two sketches raise different counters. It ignores how many
// counters there are.
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
	if c.shape.Width != o.shape.Width {
		return sketch.Differ("layers", c.Widths(), o.Widths())
	}
	return nil
}

// differ returns an error that wraps sketch.ErrDiffer and names the first parameter in which two
// configurations differ. Sketches can combine even if it returns an error; kind.join reports whether they do.
func (c *Config) differ(o *Config) error {
	// Differences in keys (mode, k) also change the counters. They are more specific than overflow, so
	// report them first.
	if err := cmp.Or(c.sameCells(o), c.differKeys(o), sketch.Same("overflow", c.Overflow, o.Overflow)); err != nil {
		return err
	}
	// Without counters of their own, Bytes decides the number of counters. Then report bytes.
	if c.shape != o.shape && (c.Overflow == ToCounters || c.Bytes == o.Bytes) {
		return sketch.Differ("counters", c.Counters(), o.Counters())
	}
	return cmp.Or(sketch.Same("bytes", c.Bytes, o.Bytes), sketch.Same("at_least", c.AtLeast, o.AtLeast), sketch.Same("exact", c.Exact, o.Exact))
}
