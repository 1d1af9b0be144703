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

// ccbfParts are the functions that take a sketch apart by its cells: what changed, what
// lies in a polygon, what is in a filter.
func ccbfParts(fn func(name string, returns duck.Type, f compute, summary, example string, ps []duck.Param, optional ...duck.Param) duck.Function, q string) functions {
	return []duck.Function{
		fn("ccbf_difference", ccbfDifferenceType, ccbfDifference,
			"Cells whose counts differ in two exact sketches, given by their centres, in no particular order. count is that in a minus that in b: it is negative if b has more.",
			"unnest(ccbf_difference(s, ccbf_add(ccbf_empty(1), 9.5, 0.5)), recursive := true) FROM (SELECT "+q+")",
			params(paramLeft, paramRight), paramCategory),
		fn("ccbf_clip", duck.Blob, ccbfClip,
			"Returns the sketch of the cells whose centres lie in a polygon, given as for ccbf_polygon_sum. A tree keeps every square with such a cell as a whole. If a square lies across the outline, the total is no longer known.",
			"ccbf_total(ccbf_clip(s, 'POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))')) FROM (SELECT "+q+")", params(paramSketch, paramPolygon)),
		fn("ccbf_mask", duck.Blob, ccbfMask,
			"Returns the sketch of those cells of a that b also has, with a's counts. b can also be a Bloom filter of cells: bloom_agg over ccbf_cell_key(x, y, res). It keeps other cells, too, at its false positive rate. Counts of the cells that are kept are never below those of a. A tree keeps each square with such a cell as a whole. Counters with categories cannot be masked by a Bloom filter.",
			"ccbf_total(ccbf_mask(s, ccbf_add(ccbf_empty(1), 0.5, 0.5))) FROM (SELECT "+q+")", params(paramLeft, paramRight)),
		fn("ccbf_cell_key", duck.Blob, ccbfCellKey,
			"Key of the cell that contains (x, y), for bloom_agg and for GROUP BY. It is the same for all points of the cell, and different for other cells and resolutions.",
			"ccbf_cell_key(0.2, 0.7, 0.5) = ccbf_cell_key(0.4, 0.9, 0.5)", params(paramX, paramY, paramRes)),
	}
}

var ccbfDifferenceType = duck.ListOf(duck.StructOf(
	duck.Field{Name: "x", Type: duck.Double}, duck.Field{Name: "y", Type: duck.Double}, duck.Field{Name: "count", Type: duck.BigInt}))

// differenceBytes is the memory of one cell in DuckDB's list: 24 bytes, twice as the list doubles.
const differenceBytes = 2 * 24

// ccbfDifference computes ccbf_difference.
func ccbfDifference(c *call) error {
	q, err := questionOf(c, everywhere, c.optional(2))
	if err != nil {
		return err
	}
	out := c.out
	return q.each(func(i int, of ccbf.Categories) error {
		if q.view.Categories { // memory for two lists, in which the cells of all categories are added up
			if err := out.Grow(2 * bridge.Memory(&q.view)); err != nil {
				return err
			}
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
			if both[j], err = c.ccbf(c.Col(j).Bytes(i)); err != nil {
				return err
			}
		}
		if both[1].Categories {
			if err := out.Grow(2 * bridge.CellBytes(both[1])); err != nil {
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
		s, err := c.ccbf(blob)
		if err != nil {
			return nil, err
		}
		if err := bridge.ReadHead(&q.head, blob); err != nil {
			return nil, err
		}
		if _, _, err := q.at(&q.head, i); err != nil {
			return nil, err
		}
		if err := c.out.Grow(2 * bridge.CellBytes(s)); err != nil { // the remaining cells are collected in growing lists
			return nil, err
		}
		return s, s.Clip(q.polygons.prepared)
	})
}

// ccbfCellKey computes ccbf_cell_key.
func ccbfCellKey(c *call) error {
	xs, ys := duck.Slice[float64](c.Col(0)), duck.Slice[float64](c.Col(1))
	var b [24]byte
	var g grid.Grid
	return c.each(func(i int) (err error) {
		if g, err = gridOf(g, c.Col(2), i); err != nil {
			return err
		}
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
