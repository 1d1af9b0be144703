package udf

import (
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

var ccbfDifferenceType = duck.ListOf(duck.StructOf(
	duck.Field{Name: "x", Type: duck.Double}, duck.Field{Name: "y", Type: duck.Double}, duck.Field{Name: "count", Type: duck.BigInt}))

// differenceBytes is the memory of one cell in DuckDB's list: 24 bytes, twice as the list doubles.
const differenceBytes = 2 * 24

// ccbfDifference computes ccbf_difference.
func ccbfDifference(c *call) error {
	q, err := questionOf(c, everywhere, c.Optional(2))
	if err != nil {
		return err
	}
	out := c.out
	return q.each(func(i int, of ccbf.Categories) error {
		copies := int64(0)
		if q.view.Categories { // two lists, in which the cells of all categories are added up
			copies = 2
		}
		if q.has { // a range, or parts of categories, may select other categories in the right sketch
			var keys [][]byte
			add := func(category []byte) error {
				keys = append(keys, slices.Clone(category))
				return out.Grow(int64(len(category)) + 2*24)
			}
			if err := of.Each(add); err != nil {
				return err
			}
			more, err := q.open(c.Col(1).Bytes(i), true, i)
			if err == nil {
				err = more.Each(add)
			}
			if err != nil {
				return err
			}
			of = ccbf.AnyOf(keys...)
		}
		var both [2]*ccbf.Sketch
		for j := range both {
			var err error
			if both[j], err = c.ccbf(c.Col(j).Bytes(i), copies); err != nil {
				return err
			}
		}
		d, err := both[0].Difference(both[1], of)
		if err != nil {
			return err
		}
		n := 0
		for s := range d {
			if max(s.Left, s.Right)-min(s.Left, s.Right) > math.MaxInt64 {
				return fmt.Errorf("the counts of cell (%d, %d) are %d and %d: they differ by more than 2^63-1", s.Cell.X, s.Cell.Y, s.Left, s.Right)
			}
			n++
		}
		if err := out.Charge(differenceBytes * int64(n)); err != nil {
			return err
		}
		list := out.List(i, n)
		xs, ys, counts := duck.Out[float64](list.Field(0)), duck.Out[float64](list.Field(1)), duck.Out[int64](list.Field(2))
		j := 0
		for s := range d {
			xs[j], ys[j] = both[0].Grid.Center(s.Cell)
			counts[j] = int64(s.Left - s.Right)
			j++
		}
		return nil
	})
}

// ccbfClip computes ccbf_clip.
func ccbfClip(c *call) error {
	q, err := questionOf(c, inPolygon, nil)
	if err != nil {
		return err
	}
	return c.eachSketch(func(i int) (encoder, error) {
		blob := c.Col(0).Bytes(i)
		s, err := c.ccbf(blob, 2) // the remaining cells are collected in growing lists
		if err != nil {
			return nil, err
		}
		if err := bridge.ReadHead(&q.head, blob); err != nil {
			return nil, err
		}
		if _, _, err := q.at(&q.head, i); err != nil {
			return nil, err
		}
		return s, s.Clip(q.polygon.prepared)
	})
}

// ccbfCellKey computes ccbf_cell_key.
func ccbfCellKey(c *call) error {
	xs, ys := duck.Slice[float64](c.Col(0)), duck.Slice[float64](c.Col(1))
	var b [24]byte
	return c.eachGrid(c.Col(2), func(g grid.Grid, i int) error {
		cell, err := g.Cell(xs[i], ys[i])
		if err != nil {
			return err
		}
		c.out.SetBytes(i, appendCellKey(b[:0], g, cell))
		return nil
	})
}

// appendCellKey appends a cell as a key for filters of cells: its resolution and coordinates, 24
// bytes. So cells of different resolutions are different keys.
func appendCellKey(dst []byte, g grid.Grid, c grid.Cell) []byte {
	dst = key.AppendUint64(dst, math.Float64bits(g.Res()))
	return key.AppendCell(dst, c.X, c.Y, 0, nil)
}
