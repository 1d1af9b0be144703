package udf

import (
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// The options of ccbf_add, ccbf_remove and ccbf_move, in the order of
// ccbfChangeOptions.
const (
	changeWeight = iota
	changeCategory
	changeAll // an option of ccbf_move only
)

var ccbfChangeOptions = []sketch.Option{
	changeWeight:   args.CCBFOptions[args.CCBFWeight],
	changeCategory: args.CCBFOptions[args.CCBFCategory],
}

var ccbfMoveOptions = append(slices.Clone(ccbfChangeOptions), sketch.Option{Name: "all_points", Kind: sketch.FlagKind, PerRow: true, Default: "false",
	Summary: "Move all points of the cell, even if counters are sums and may count points of other cells."})

// ccbfChange returns a function that changes the counts of one or two cells, given by the columns
// from 1 on. For two cells without a weight, n is nil.
func ccbfChange(cells int, change func(s *ccbf.Sketch, c []grid.Cell, category []byte, n *uint64) error) compute {
	return func(c *call) error {
		o := &c.options
		var category args.Keys
		if o.Has(changeCategory) {
			if err := category.Reset(o.Column(changeCategory)); err != nil {
				return err
			}
		}
		coordinates := c.needed
		c.needed = 1
		return c.eachSketch(func(i int) (encoder, error) {
			blob := c.Col(0).Bytes(i)
			for j := 1; j < coordinates; j++ {
				if !c.Col(j).Valid(i) {
					return rawBlob(blob), nil
				}
			}
			if o.Null(changeWeight, i) || o.Null(changeCategory, i) {
				return rawBlob(blob), nil
			}
			s, err := c.ccbf(blob, 0)
			if err != nil {
				return nil, err
			}
			var at [2]grid.Cell
			for j := range cells {
				if at[j], err = s.Grid.Cell(duck.Slice[float64](c.Col(1 + 2*j))[i], duck.Slice[float64](c.Col(2 + 2*j))[i]); err != nil {
					return nil, err
				}
			}
			var n *uint64
			all := cells == 2 && o.Flag(changeAll, i)
			if all && o.Given(changeWeight, i) {
				return nil, fmt.Errorf("options \"weight\" and \"all_points\" exclude each other")
			}
			if cells == 1 || o.Given(changeWeight, i) {
				weight, err := o.Count(changeWeight, i, 1)
				if err != nil {
					return nil, err
				}
				n = &weight
			}
			var of []byte
			if o.Given(changeCategory, i) {
				if of, err = category.Bytes(i, s.Class); err != nil {
					return nil, err
				}
				if s.Class == key.None && s.Categories {
					s.Class = category.Class
				}
			}
			if all && s.Form() == ccbf.Dense { // as many as counters say, which may include points of other cells
				count, err := s.Count(at[0], of)
				if err != nil {
					return nil, err
				}
				n = &count
			}
			return s, change(s, at[:cells], of, n)
		})
	}
}

// ccbfUnion makes the union of two sketches.
func ccbfUnion(c *call, a, b []byte) (encoder, error) {
	var v ccbf.View
	if err := v.Reset(a); err != nil {
		return nil, err
	}
	u := ccbf.NewBuilder(v.Config, c.out)
	if err := u.AddView(&v); err != nil {
		return nil, err
	}
	if err := v.Reset(b); err != nil {
		return nil, err
	}
	if err := u.AddView(&v); err != nil {
		return nil, err
	}
	blob, err := bridge.AppendBlob(u, nil)
	return rawBlob(blob), err
}

// ccbfPair returns a function that changes its left sketch by its right one.
func ccbfPair(op func(a, b *ccbf.Sketch) error) compute {
	return eachPair(func(c *call, left, right []byte) (encoder, error) { return c.pair(left, right, op) })
}

// pair returns the left sketch, changed by the right one.
func (c *call) pair(left, right []byte, op func(a, b *ccbf.Sketch) error) (*ccbf.Sketch, error) {
	a, err := c.ccbf(left, 0)
	if err != nil {
		return nil, err
	}
	b, err := c.ccbf(right, 0)
	if err != nil {
		return nil, err
	}
	if err := c.out.Grow(bridge.PairBytes(a, b)); err != nil {
		return nil, err
	}
	return a, op(a, b)
}

// ccbfReduce returns a function that makes a sketch smaller by a whole number from least to most, the parameter
// with this name.
func ccbfReduce(name string, least, most uint64, reduce func(s *ccbf.Sketch, by uint64) error) compute {
	return func(c *call) error {
		return c.eachSketch(func(i int) (encoder, error) {
			by, err := args.Count(name, c.Col(1), i, least, most)
			if err != nil {
				return nil, err
			}
			s, err := c.ccbf(c.Col(0).Bytes(i), 0)
			if err != nil {
				return nil, err
			}
			return s, reduce(s, by)
		})
	}
}
