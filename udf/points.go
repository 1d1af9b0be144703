package udf

import (
	"errors"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/paulmach/orb"
)

// paramPoint is a place as DuckDB 1.5's GEOMETRY.
var paramPoint = duck.Param{Name: "point", Type: duck.Geometry}

// atPoints adds an overload for each one of fn. It takes one point in place of x and y, the
// parameters at and at+1.
func atPoints(fn duck.Function, at int) duck.Function {
	for _, o := range fn.Overloads {
		o.Params = append(append(o.Params[:at:at], paramPoint), o.Params[at+2:]...)
		fn.Overloads = append(fn.Overloads, o)
	}
	return fn
}

// coordinates are the places of a chunk: columns of x and y, or of points.
type coordinates struct {
	xs, ys []float64
	next   int    // the column after them
	empty  []bool // rows with an empty point; nil where there are none
}

var errSeveralPoints = errors.New("a MultiPoint is no single place: ask for each of its points")

// coordinatesOf reads the places of a chunk, which begin with column at.
func coordinatesOf(rows *duck.Rows, at int) (c coordinates, err error) {
	column := rows.Col(at)
	if !column.Type().IsGeometry() {
		return coordinates{xs: duck.Slice[float64](column), ys: duck.Slice[float64](rows.Col(at + 1)), next: at + 2}, nil
	}
	n := rows.Len()
	c = coordinates{xs: make([]float64, n), ys: make([]float64, n), next: at + 1}
	var room []orb.Point
	for i := range n {
		if !column.Valid(i) {
			continue
		}
		if room, err = grid.AppendPoints(room[:0], column.Bytes(i)); err != nil {
			return c, err
		}
		switch len(room) {
		case 0:
			if c.empty == nil {
				c.empty = make([]bool, n)
			}
			c.empty[i] = true
		case 1:
			c.xs[i], c.ys[i] = room[0][0], room[0][1]
		default:
			return c, errSeveralPoints
		}
	}
	return c, nil
}

// isEmpty reports whether row i has an empty point: its answer is NULL.
func (c *coordinates) isEmpty(i int) bool { return c.empty != nil && c.empty[i] }
