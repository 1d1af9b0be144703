// Package grid divides the plane into square cells and tells which cells lie inside a box, a polygon or a
// web mercator tile.
//
// A [Grid] has cells of one side, its resolution. The resolution stands for its shortest decimal, so that
// cells begin at round numbers. At 0.1 the cell 404 begins at 40.4, although 40.4 / 0.1 is below 404 in
// floating point. A cell belongs to an area if its centre does. Boxes and polygons are half-open: areas
// that share an edge share no cell and leave none out between them.
//
// Every function depends on its arguments alone. All use IEEE 754 double precision without fused
// operations, so that the same input gives the same cells on every machine. (Latitudes of tiles go through
// sine and logarithm, which may differ in the last bit between machines.)
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

// wrappedError is an error with its own text. errors.Is takes it for the error in field is.
type wrappedError struct {
	text string
	is   error
}

func (e *wrappedError) Error() string { return e.text }
func (e *wrappedError) Unwrap() error { return e.is }

func errf(is error, format string, args ...any) error {
	return &wrappedError{fmt.Sprintf(format, args...), is}
}

// Cell identifies a square of a Grid: X is its column, Y its row. It reaches from Edge(X) to below
// Edge(X+1), and from Edge(Y) to below Edge(Y+1).
type Cell struct{ X, Y int64 }

// Grid divides the plane into square cells. Its zero value is not usable: make one with New. A Grid is a
// small value that can be copied.
type Grid struct {
	res  float64
	p, q float64 // res is p/q, see Fraction
	inv  float64 // q/p
}

// leastRes is the smallest resolution whose reciprocal is finite.
const leastRes = 0x1p-1022

// New returns the grid with cells of side res, in the unit of the
// coordinates. It is an error wrapping ErrResolution unless res is finite and
// at least 2^-1022. O(digits of res).
func New(res float64) (Grid, error) {
	switch {
	case !(res > 0) || math.IsInf(res, 1):
		return Grid{}, errf(ErrResolution, "resolution %v is not a finite number above 0", res)
	case res < leastRes:
		return Grid{}, errf(ErrResolution, "resolution %v is below the least, %v", res, leastRes)
	}
	p, q := fraction(res)
	return Grid{res, p, q, q / p}, nil
}

// At returns the grid with cells of side res. It returns g if that is the grid, as many consecutive rows
// have one resolution.
func (g Grid) At(res float64) (Grid, error) {
	if g != (Grid{}) && g.res == res {
		return g, nil
	}
	return New(res)
}

// Res returns the side of a cell.
func (g Grid) Res() float64 { return g.res }

// Fraction returns p and q with Res = p/q, the shortest decimal of Res in lowest terms. If one of them is
// above 2^53, it returns Res and 1.
func (g Grid) Fraction() (p, q float64) { return g.p, g.q }

// Edge returns the lower edge of the cells with index i: i*p/q, with p and q from Fraction. It is the
// float64 nearest to that decimal if i*p is at most 2^53.
func (g Grid) Edge(i int64) float64 { return g.edge(float64(i)) }

func (g Grid) edge(i float64) float64 { return i * g.p / g.q }

// exactIndex bounds the indexes for which v*inv is off by less than a half. There the index of v is the
// nearest whole number or the one below.
const exactIndex = 1 << 50

// floor returns the last index whose edge is at most v, as a whole number. If v has no cell, it returns
// NaN or a number beyond -MaxIndex..MaxIndex.
func (g Grid) floor(v float64) float64 {
	n := math.RoundToEven(v * g.inv)
	if n > -exactIndex && n < exactIndex {
		return float64(less(int64(n), v < g.edge(n)))
	}
	if !(n >= -MaxIndex && n <= MaxIndex) {
		return n
	}
	// Rounding may have left n a few cells off.
	for n > -MaxIndex && g.edge(n) > v {
		n--
	}
	for n < MaxIndex && g.edge(n+1) <= v {
		n++
	}
	return n
}

// less returns n-1 if below is true, and otherwise n. It has no branch, because every other point would
// mispredict it.
func less(n int64, below bool) int64 {
	if below {
		n--
	}
	return n
}

// Index returns the index of the cells that hold v: the last one whose Edge is at most v. Errors as Cell,
// with the name of the coordinate.
func (g Grid) Index(name string, v float64) (int64, error) {
	n := g.floor(v)
	switch {
	case n >= -MaxIndex && n <= MaxIndex:
		return int64(n), nil
	case v-v != 0:
		return 0, errf(ErrNotFinite, "%s is %v, not a finite number", name, v)
	}
	return 0, errf(ErrRange, "%s = %v is cell %.4g at resolution %v; the limit is 2^53", name, v, n, g.res)
}

// Cell returns the cell of a point, by Index of both coordinates. Errors wrap
// ErrNotFinite (NaN, infinities) or ErrRange (an index beyond MaxIndex) and
// name the value.
func (g Grid) Cell(x, y float64) (Cell, error) {
	column, err := g.Index("x", x)
	if err != nil {
		return Cell{}, err
	}
	row, err := g.Index("y", y)
	if err != nil {
		return Cell{}, err
	}
	return Cell{column, row}, nil
}

// Center returns the centre of a cell, (2X+1)*p/(2q) and (2Y+1)*p/(2q) with p and q from
// Fraction. The centre lies in its cell while |index| < 2^50.
func (g Grid) Center(c Cell) (x, y float64) { return g.center(c.X), g.center(c.Y) }

func (g Grid) center(i int64) float64 { return g.edge(float64(i) + 0.5) }

// Square returns the centre and the side of a square of 2^level x 2^level cells, of
// which c is the south-western one.
func (g Grid) Square(c Cell, level uint8) (x, y, side float64) {
	n := float64(uint64(1) << level)
	return g.edge(float64(c.X) + n/2), g.edge(float64(c.Y) + n/2), g.edge(n)
}

// Bound returns the edges of a rectangle of cells, in coordinates.
func (g Grid) Bound(r Rect) orb.Bound {
	return orb.Bound{
		Min: orb.Point{g.Edge(r.MinX), g.Edge(r.MinY)},
		Max: orb.Point{g.Edge(r.MaxX + 1), g.Edge(r.MaxY + 1)},
	}
}

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
	ys, dst = ys[:n], dst[:n]
	for i, x := range xs {
		y := ys[i]
		fx, fy := math.RoundToEven(x*g.inv), math.RoundToEven(y*g.inv)
		if fx > -exactIndex && fx < exactIndex && fy > -exactIndex && fy < exactIndex {
			dst[i] = Cell{less(int64(fx), x < g.edge(fx)), less(int64(fy), y < g.edge(fy))}
			continue
		}
		var err error
		if dst[i], err = g.Cell(x, y); err != nil {
			return i, err
		}
	}
	return n, nil
}

// lower returns the smallest index whose centre is >= v, within
// [-MaxIndex, MaxIndex+1]. v may be infinite but not NaN. It is monotone in v
// and exact: it compares with center itself, so an index and a centre can
// never disagree.
func (g Grid) lower(v float64) int64 {
	n := math.Floor(v * g.inv)
	if n > -exactIndex && n < exactIndex {
		return less(int64(n)+1, v <= g.edge(n+0.5))
	}
	return g.lowerSlow(v, n)
}

// lowerSlow computes lower from the guess f, which may be a few cells off due to rounding.
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
