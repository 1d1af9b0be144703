package udf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// pixels is the parameters of the size of a raster.
var pixels = []duck.Param{{Name: "width", Type: duck.BigInt}, {Name: "height", Type: duck.BigInt}}

// unnestAdvice ends the summaries of functions that return long lists. DuckDB computes
// FROM t, unnest(f(s)) by a join on the value of s, which it hashes for every element.
const unnestAdvice = "Write SELECT unnest(f(s)) FROM t; FROM t, unnest(f(s)) joins every element to its whole BLOB, which takes a hundred times as long."

var ccbfSpotsType = duck.ListOf(duck.StructOf(
	duck.Field{Name: "x", Type: duck.Double}, duck.Field{Name: "y", Type: duck.Double}, duck.Field{Name: "count", Type: duck.UBigInt},
	duck.Field{Name: "side", Type: duck.Double}))

// putSpots returns a function that writes an element of a list of type ccbfSpotsType: a cell or leaf.
func putSpots(list *duck.Result, g grid.Grid) func(i int, s *ccbf.Spot) {
	xs, ys, sides := duck.Out[float64](list.Field(0)), duck.Out[float64](list.Field(1)), duck.Out[float64](list.Field(3))
	counts := duck.Out[uint64](list.Field(2))
	return func(i int, s *ccbf.Spot) {
		xs[i], ys[i], sides[i] = s.Square(g)
		counts[i] = s.Count
	}
}

// ccbfSpots returns a function that lists cells of an area. They are the result of find for a whole
// number n from 1 to most, the parameter with this name.
func ccbfSpots(name string, most uint64, find func(v *ccbf.View, a ccbf.Area, n uint64, of ccbf.Categories) ([]ccbf.Spot, error)) ask {
	return func(q *question) error {
		listed := 0
		return q.each(func(i int, of ccbf.Categories) error {
			area, near, err := q.at(&q.view.Head, i)
			if err != nil {
				return err
			}
			n, err := args.Count(name, q.Col(q.own), i, 1, most)
			if err != nil {
				return err
			}
			_, bytes := bridge.Listed(&q.view, of)
			if err := q.out.Grow(bytes); err != nil {
				return err
			}
			spots, err := find(&q.view, area, n, of)
			if err != nil {
				return err
			}
			if q.has {
				q.noteCategory(of, near, len(spots) > 0)
			}
			if listed += len(spots); listed > ccbf.MaxSpots {
				return fmt.Errorf("the lists of a chunk of rows have more than %d cells in total (use fewer cells per row, or fewer rows)", ccbf.MaxSpots)
			}
			// Charge spots, and DuckDB's list of them.
			if err := q.out.Charge(64 * int64(len(spots))); err != nil {
				return err
			}
			put := putSpots(q.out.List(i, len(spots)), q.view.Grid)
			for j := range spots {
				put(j, &spots[j])
			}
			return nil
		})
	}
}

// cellRow is the bytes of an element of ccbfSpotsType in DuckDB's memory, in vectors that grow to
// twice their size.
const cellRow = 2 * 4 * 8

// ccbfCells computes ccbf_cells.
func ccbfCells(q *question) error {
	q.verifies = true
	return q.each(func(i int, of ccbf.Categories) error {
		return q.list(i, listing{ccbf.Box(q.view.Bounds), 0, of}, cellRow, putSpots)
	})
}

// maxRasters is the largest number of pixels of all rasters of a chunk: 256 MiB.
const maxRasters = 2 * ccbf.MaxPixels

// ccbfRaster computes ccbf_raster.
func ccbfRaster(q *question) error {
	made := 0
	widths, heights := duck.Slice[int64](q.Col(q.own)), duck.Slice[int64](q.Col(q.own+1))
	return q.each(func(i int, of ccbf.Categories) error {
		b, width, height := q.drawn(i), int(widths[i]), int(heights[i])
		if err := q.check(b, width, height); err != nil {
			return err
		}
		if made += width * height; made > maxRasters {
			return fmt.Errorf("the rasters of a chunk of rows have more than %d pixels in total (use smaller ones, or fewer rows)", maxRasters)
		}
		if err := q.out.Charge(8 * int64(width*height)); err != nil {
			return err
		}
		dst := duck.Out[uint64](q.out.List(i, width*height))
		if q.out.HasIdleThread() {
			return bridge.Raster(&q.view, dst, b, width, height, of, runBoth)
		}
		return q.view.Raster(dst, b, width, height, of)
	})
}
