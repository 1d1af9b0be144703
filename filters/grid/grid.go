// Package grid divides the plane into square cells and tells which cells lie
// inside a box, a polygon or a web mercator tile.
//
// A [Grid] of resolution res has the cells (floor(x/res), floor(y/res)). A
// cell belongs to an area when its centre does. Boxes and polygons are
// half-open: areas that share an edge share no cell and leave none out
// between them.
//
// Everything here is a pure function of its arguments in IEEE 754 double
// precision, with no fused operations: the same input gives the same cells on
// every machine. (Latitudes of tiles go through sine and logarithm, which may
// differ in the last bit between machines.)
package grid

import (
	"errors"
	"fmt"
	"math"

	"github.com/paulmach/orb"
)

// MaxIndex is the largest absolute value of a cell index. Beyond it float64
// no longer tells neighbouring cells apart.
const MaxIndex = 1 << 53

// Sentinels that the errors of this package wrap. The text of an error names
// the value at fault, not the sentinel.
var (
	// ErrResolution is a resolution that is not finite and above zero.
	ErrResolution = errors.New("resolution out of range")
	// ErrNotFinite is a coordinate that is NaN or infinite.
	ErrNotFinite = errors.New("coordinate is not finite")
	// ErrRange is a coordinate whose cell lies beyond MaxIndex.
	ErrRange = errors.New("cell index out of range")
	// ErrBox is a box with a NaN bound or with bounds in the wrong order.
	ErrBox = errors.New("box is not valid")
	// ErrLength is a batch whose slices differ in length.
	ErrLength = errors.New("lengths differ")
	// ErrPolygon is a polygon that cannot be read: its text, its bytes, or
	// its rings.
	ErrPolygon = errors.New("polygon is not valid")
	// ErrGeometryType is a geometry without an inside, such as a point.
	ErrGeometryType = errors.New("geometry type is not supported")
	// ErrTooLarge is a polygon of more than MaxVertices points, or an input
	// too long to hold so many at any sensible length.
	ErrTooLarge = errors.New("polygon is too large")
	// ErrTile is a zoom, tile number, longitude, latitude or quadkey that does
	// not exist.
	ErrTile = errors.New("tile is not valid")
)

// wrapped is an error with its own text that errors.Is matches to a sentinel.
type wrapped struct {
	text string
	is   error
}

func (e *wrapped) Error() string { return e.text }
func (e *wrapped) Unwrap() error { return e.is }

func errf(is error, format string, args ...any) error {
	return &wrapped{fmt.Sprintf(format, args...), is}
}

// Cell names one square of a Grid: [X*res, (X+1)*res) x [Y*res, (Y+1)*res).
type Cell struct{ X, Y int64 }

// Grid is a division of the plane into square cells. Its zero value is not
// usable; make one with New. A Grid is a small value: copy it freely.
type Grid struct{ res float64 }

// New returns the grid with cells of side res, in the unit of the
// coordinates. It is an error wrapping ErrResolution unless res is finite and
// above zero.
func New(res float64) (Grid, error) {
	if !(res > 0) || math.IsInf(res, 1) {
		return Grid{}, errf(ErrResolution, "resolution %v is not a finite number above 0", res)
	}
	return Grid{res}, nil
}

// Res is the side of a cell.
func (g Grid) Res() float64 { return g.res }

// Cell returns the cell of a point: floor(x/res), floor(y/res), computed in
// float64. Errors wrap ErrNotFinite (NaN, infinities) or ErrRange (an index
// beyond MaxIndex) and name the value.
func (g Grid) Cell(x, y float64) (Cell, error) {
	fx, fy := math.Floor(x/g.res), math.Floor(y/g.res)
	if !(fx >= -MaxIndex && fx <= MaxIndex && fy >= -MaxIndex && fy <= MaxIndex) {
		if err := g.check("x", x); err != nil {
			return Cell{}, err
		}
		return Cell{}, g.check("y", y)
	}
	return Cell{int64(fx), int64(fy)}, nil
}

func (g Grid) check(name string, v float64) error {
	if v-v != 0 {
		return errf(ErrNotFinite, "%s is %v, not a finite number", name, v)
	}
	if f := math.Floor(v / g.res); !(f >= -MaxIndex && f <= MaxIndex) {
		return errf(ErrRange, "%s = %v is cell %.4g at resolution %v; the limit is 2^53", name, v, f, g.res)
	}
	return nil
}

// Center returns the centre of a cell, (X+0.5)*res and (Y+0.5)*res. The
// centre lies in its cell while |index| < 2^51.
func (g Grid) Center(c Cell) (x, y float64) { return g.center(c.X), g.center(c.Y) }

// Bound returns the edges of a rectangle of cells, in coordinates.
func (g Grid) Bound(r Rect) orb.Bound {
	return orb.Bound{
		Min: orb.Point{float64(r.MinX) * g.res, float64(r.MinY) * g.res},
		Max: orb.Point{float64(r.MaxX+1) * g.res, float64(r.MaxY+1) * g.res},
	}
}

func (g Grid) center(i int64) float64 { return (float64(i) + 0.5) * g.res }

// Cells writes the cell of each point (xs[i], ys[i]) to dst[i] and returns
// len(xs). At the first point that Cell would refuse it stops and returns its
// index with Cell's error; dst[:index] is written. ys must be as long as xs
// and dst at least as long: otherwise an error wrapping ErrLength. It
// allocates nothing unless it fails.
func (g Grid) Cells(dst []Cell, xs, ys []float64) (int, error) {
	n := len(xs)
	if len(ys) != n || len(dst) < n {
		return 0, errf(ErrLength, "%d x, %d y and room for %d cells: lengths differ", n, len(ys), len(dst))
	}
	res := g.res
	ys, dst = ys[:n], dst[:n]
	for i, x := range xs {
		fx, fy := math.Floor(x/res), math.Floor(ys[i]/res)
		if !(fx >= -MaxIndex && fx <= MaxIndex && fy >= -MaxIndex && fy <= MaxIndex) {
			_, err := g.Cell(x, ys[i])
			return i, err
		}
		dst[i] = Cell{int64(fx), int64(fy)}
	}
	return n, nil
}

// lower returns the smallest index whose centre is >= v, within
// [-MaxIndex, MaxIndex+1]. v may be infinite but not NaN. It is monotone in v
// and exact: it compares with center itself, so an index and a centre can
// never disagree.
func (g Grid) lower(v float64) int64 {
	f := math.Ceil(v/g.res - 0.5)
	if f > -(1<<51) && f < 1<<51 && (f-0.5)*g.res < v && (f+0.5)*g.res >= v {
		return int64(f)
	}
	return g.lowerSlow(v, f)
}

// lowerSlow starts from the guess f, which rounding leaves a few cells off at
// most, and walks to the answer.
func (g Grid) lowerSlow(v, f float64) int64 {
	const slack = 64
	if f > MaxIndex+slack {
		return MaxIndex + 1
	}
	if f < -MaxIndex-slack {
		return -MaxIndex
	}
	c := min(max(int64(f), -MaxIndex), MaxIndex+1)
	for c > -MaxIndex && g.center(c-1) >= v {
		c--
	}
	for c <= MaxIndex && g.center(c) < v {
		c++
	}
	return c
}
