package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Grid returns the functions that compute cells of a grid, as sketches have them.
func Grid() functions {
	i := duck.Param{Name: "i", Type: duck.BigInt}
	return []duck.Function{
		pointCell(function("grid", "grid_cell", duck.BigInt, byGrid(func(g grid.Grid, v float64) (int64, error) { return g.Index("v", v) }),
			"Index of the cell that contains a coordinate: the last whose edge is not above it. For a POINT, both of its indexes.",
			"SELECT grid_cell(40.4, 0.1), grid_cell(-3.65, 0.1)", params(duck.Param{Name: "v", Type: duck.Double}, paramRes))),
		function("grid", "grid_edge", duck.Double, byGrid(func(g grid.Grid, i int64) (float64, error) { return g.Edge(i), nil }),
			"Lower edge of the cells of an index: the number nearest to i * res, with res as the decimal that it is written as.",
			"SELECT grid_edge(3, 0.1), 3 * 0.1::DOUBLE", params(i, paramRes)),
		function("grid", "grid_center", duck.Double, byGrid(func(g grid.Grid, i int64) (float64, error) {
			x, _ := g.Center(grid.Cell{X: i})
			return x, nil
		}), "Centre of the cells of an index: the number nearest to (i + 1/2) * res.",
			"SELECT grid_center(grid_cell(-1.468, 0.001), 0.001)", params(i, paramRes)),
	}
}

// pointCell adds the overload of grid_cell for a point.
func pointCell(fn duck.Function) duck.Function {
	cell := duck.StructOf(duck.Field{Name: "x", Type: duck.BigInt}, duck.Field{Name: "y", Type: duck.BigInt})
	fn.Overloads = append(fn.Overloads, overload(params(paramPoint, paramRes), cell, nil, gridCell))
	return fn
}

func gridCell(c *call) error {
	at, err := coordinatesOf(c, 0)
	if err != nil {
		return err
	}
	xs, ys := duck.Out[int64](c.out.Field(0)), duck.Out[int64](c.out.Field(1))
	return c.eachGrid(c.Col(at.next), func(g grid.Grid, i int) error {
		cell, err := g.Cell(at.xs[i], at.ys[i])
		xs[i], ys[i] = cell.X, cell.Y
		return err
	})
}

// byGrid returns a function that computes a number from a number and the grid of the row.
func byGrid[From, To any](of func(g grid.Grid, v From) (To, error)) compute {
	return func(c *call) error {
		values, results := duck.Slice[From](c.Col(0)), duck.Out[To](c.out)
		return c.eachGrid(c.Col(1), func(g grid.Grid, i int) (err error) {
			results[i], err = of(g, values[i])
			return err
		})
	}
}
