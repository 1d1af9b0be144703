package ccbf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Build makes the sketch of points, as ccbf_agg does of two columns: the BLOB is the
// same. xs and ys are equally long. A coordinate without a cell is an error, as are
// parameters with categories, which need a Builder.
func Build(p Params, xs, ys []float64) (*Sketch, error) {
	if len(xs) != len(ys) {
		return nil, fmt.Errorf("%d xs and %d ys", len(xs), len(ys))
	}
	c, err := p.Config()
	if err != nil {
		return nil, err
	}
	if c.Categories {
		return nil, sketch.OptionError("category", "is given, but Build takes points without one: use NewBuilder")
	}
	const atOnce = 1024
	var keys [atOnce]uint64
	b := NewBuilder(c, nil)
	for at := 0; at < len(xs); {
		end := min(at+atOnce, len(xs))
		n := c.Keys(keys[:end-at], xs[at:end], ys[at:end])
		if err := b.AddKeys(keys[:n]); err != nil {
			return nil, err
		}
		if at += n; at == end {
			continue
		}
		cell, err := c.Grid.Cell(xs[at], ys[at]) // far away, or nowhere
		if err != nil {
			return nil, fmt.Errorf("point %d: %w", at, err)
		}
		if err := b.Add(cell, nil, key.None, 1); err != nil {
			return nil, err
		}
		at++
	}
	return b.Sketch()
}
