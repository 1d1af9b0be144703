package cells

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// Bias moves the region (0, 0) around the origin, and the origin off all corners of the Z-order
// curve. With 2^31, the cells -1 and 0 would differ in every bit. Then a sketch around Greenwich or
// the equator would fall into distant parts.
const Bias = simd.Bias

// Lowest and Highest bound the coordinates of the region (0, 0).
const (
	Lowest  = -Bias
	Highest = 1<<32 - 1 - Bias
)

// The bits of a key that hold x and y.
const (
	xBits = 0x5555_5555_5555_5555
	yBits = xBits << 1
)

// Key returns the region (sx, sy) of a cell, and the cell's position z on the Z-order curve of the
// region.
func Key(c grid.Cell) (sx, sy int32, z uint64) {
	x, y := c.X+Bias, c.Y+Bias
	return int32(x >> 32), int32(y >> 32), grid.Interleave(uint32(x), uint32(y))
}

// CellOf is the inverse of Key.
func CellOf(sx, sy int32, z uint64) grid.Cell {
	x, y := grid.Deinterleave(z)
	return grid.Cell{X: int64(sx)<<32 + int64(x) - Bias, Y: int64(sy)<<32 + int64(y) - Bias}
}

// Keys writes the Z-order keys of points to dst, as long as xs and ys. It stops at the first point
// outside the region (0, 0) or without a cell, and returns its index; len(dst) if there is none.
func Keys(dst []uint64, xs, ys []float64, g grid.Grid) int {
	p, q := g.Fraction()
	return simd.CellKeys(dst, xs, ys, p, q)
}

// Differ returns the bits in which the keys are not all equal.
func Differ(keys []uint64) uint64 {
	differ := uint64(0)
	for _, k := range keys {
		differ |= k ^ keys[0]
	}
	return differ
}

// Square returns the square of a level that holds cell c. It is given by its column and row among these
// squares.
func Square(c grid.Cell, level uint8) grid.Cell { return grid.Cell{X: c.X >> level, Y: c.Y >> level} }

// Corners is the smallest rectangle around some cells. A coordinate has the bits that it has in a key,
// with 0 between them. So coordinates compare as usual.
type Corners struct{ minX, maxX, minY, maxY uint64 }

// CornersOf returns the smallest rectangle around the cells with these keys. There is at least one.
func CornersOf(keys ...uint64) Corners {
	x, y := keys[0]&xBits, keys[0]&yBits
	c := Corners{x, x, y, y}
	for _, key := range keys {
		x, y := key&xBits, key&yBits
		c = Corners{min(c.minX, x), max(c.maxX, x), min(c.minY, y), max(c.maxY, y)}
	}
	return c
}

// Rect returns the rectangle in region (x, y).
func (c Corners) Rect(x, y int32) grid.Rect {
	from, to := CellOf(x, y, c.minX|c.minY), CellOf(x, y, c.maxX|c.maxY)
	return grid.Rect{MinX: from.X, MinY: from.Y, MaxX: to.X, MaxY: to.Y}
}

// Has reports whether the cell with this key lies in c.
func (c Corners) Has(key uint64) bool {
	x, y := key&xBits, key&yBits
	return x >= c.minX && x <= c.maxX && y >= c.minY && y <= c.maxY
}

// Next returns the lowest key of c that is at least key, and false if there is none. It looks at the bits from
// the highest on, and keeps the part of c whose keys have the same higher bits as key. This is BIGMIN in
// Tropf and Herzog 1981, "Multidimensional Range Search in Dynamically Balanced Trees".
func (c Corners) Next(key uint64) (next uint64, found bool) {
	low, high := c.minX|c.minY, c.maxX|c.maxY
	for i := bits.Len64((low ^ high) | (low ^ key)); i > 0; i-- {
		bit := uint64(1) << (i - 1)
		below := xBits & (bit - 1) // the lower bits of the same coordinate.
		if bit&yBits != 0 {
			below = yBits & (bit - 1)
		}
		switch above := key&bit != 0; {
		case !above && low&bit != 0: // the whole part is above key.
			return low, true
		case above && high&bit == 0: // the whole part is below key.
			return next, found
		case low&bit == high&bit:
		case above:
			low = (low | bit) &^ below
		default: // the other half of the part is above key.
			next, found = (low|bit)&^below, true
			high = high&^bit | below
		}
	}
	return key, true
}

// Bounds returns the smallest rectangle around the cells.
func (l List) Bounds() grid.Rect {
	b := grid.EmptyRect()
	for i := range l {
		if s := &l[i]; len(s.Keys) > 0 {
			b = b.Union(CornersOf(s.Keys...).Rect(s.X, s.Y))
		}
	}
	return b
}
