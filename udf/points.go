package udf

import (
	"errors"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/paulmach/orb"
)

// paramPoint is a place as a GEOMETRY of DuckDB 1.5.
var paramPoint = duck.Param{Name: "point", Type: duck.Geometry}

// atPoints adds an overload for each overload of fn. The new one has a GEOMETRY point in place of x and
// y, which are the parameters with the indexes at and at+1.
func atPoints(fn duck.Function, at int) duck.Function {
	for _, o := range fn.Overloads {
		o.Params = append(append(o.Params[:at:at], paramPoint), o.Params[at+2:]...)
		fn.Overloads = append(fn.Overloads, o)
	}
	return fn
}

// coordinates is the places of a chunk: columns of x and y, or a column of points.
type coordinates struct {
	xs, ys []float64
	next   int // index of the column after the coordinates
}

var errSeveralPoints = errors.New("a MultiPoint is no single place: ask for each of its points")

// coordinatesOf reads the places of a chunk. Column at has the points, or columns at and at+1 have x and y.
// A row with an empty point is NULL.
func coordinatesOf(c *call, at int) (p coordinates, err error) {
	column := c.Col(at)
	if column.Type().ID() != duck.GeometryID {
		return coordinates{xs: duck.Slice[float64](column), ys: duck.Slice[float64](c.Col(at + 1)), next: at + 2}, nil
	}
	n := c.Len()
	p = coordinates{xs: make([]float64, n), ys: make([]float64, n), next: at + 1}
	var room []orb.Point
	for i := range n {
		if !column.Valid(i) {
			continue
		}
		if room, err = grid.AppendPoints(room[:0], column.Bytes(i)); err != nil {
			return p, err
		}
		switch len(room) {
		case 0:
			if c.empty == nil {
				c.empty = make([]bool, n)
			}
			c.empty[i] = true
		case 1:
			p.xs[i], p.ys[i] = room[0][0], room[0][1]
		default:
			return p, errSeveralPoints
		}
	}
	return p, nil
}
