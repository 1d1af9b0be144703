package cells

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// Bias moves the region (0, 0) around the origin, and the origin off all corners
// of the Z-order curve: with 2^31 the cells -1 and 0 would differ in every bit,
// and every sketch around Greenwich or the equator would be torn apart.
const Bias = simd.Bias

// The region (0, 0) reaches from lowest to highest in both coordinates.
const (
	Lowest  = -Bias
	Highest = 1<<32 - 1 - Bias
)

// The bits of a key that are x's and y's.
const (
	xBits = 0x5555_5555_5555_5555
	yBits = xBits << 1
)

// Key splits a cell into its region and its place on the Z-order curve there.
func Key(c grid.Cell) (sx, sy int32, z uint64) {
	x, y := c.X+Bias, c.Y+Bias
	return int32(x >> 32), int32(y >> 32), grid.Interleave(uint32(x), uint32(y))
}

// CellOf is the inverse of Key.
func CellOf(sx, sy int32, z uint64) grid.Cell {
	x, y := grid.Deinterleave(z)
	return grid.Cell{X: int64(sx)<<32 + int64(x) - Bias, Y: int64(sy)<<32 + int64(y) - Bias}
}

// Keys computes the Z-order keys of points into dst, as long as xs and ys. It
// stops at the first point outside the region (0, 0), or without a cell, and
// returns its index; len(dst) if there is none.
func Keys(dst []uint64, xs, ys []float64, g grid.Grid) int {
	p, q := g.Fraction()
	return simd.CellKeys(dst, xs, ys, p, q)
}

// Square is the square of a level that holds a cell.
func Square(c grid.Cell, level uint8) grid.Cell { return grid.Cell{X: c.X >> level, Y: c.Y >> level} }

// NoBounds is the bounds of no cell at all.
var NoBounds = grid.Rect{MinX: 0, MinY: 0, MaxX: -1, MaxY: -1}

// corners are the smallest rectangle around cells: the bits of their keys for
// one coordinate compare as it does, without being taken out.
type corners struct{ minX, maxX, minY, maxY uint64 }

func cornersOf(key uint64) corners {
	return corners{key & xBits, key & xBits, key & yBits, key & yBits}
}

func (c corners) with(key uint64) corners {
	x, y := key&xBits, key&yBits
	return corners{min(c.minX, x), max(c.maxX, x), min(c.minY, y), max(c.maxY, y)}
}

// low is the key of the lowest corner.
func (c corners) low() uint64 { return c.minX | c.minY }

// rect is the corners in a region.
func (c corners) rect(x, y int32) grid.Rect {
	return rectBetween(x, y, c.low(), c.maxX|c.maxY)
}

// rectBetween is the rectangle of a region whose lowest and highest corner have these keys.
func rectBetween(x, y int32, low, high uint64) grid.Rect {
	from, to := CellOf(x, y, low), CellOf(x, y, high)
	return grid.Rect{MinX: from.X, MinY: from.Y, MaxX: to.X, MaxY: to.Y}
}

// boundsStretch is how many keys are looked at together.
const boundsStretch = 64

// holds reports whether all keys from one to another are inside, by the square of the
// Z-order curve that holds both: then there is no need to look at them.
func (c corners) holds(first, last uint64) bool {
	below := uint64(1)<<bits.Len64(first^last) - 1
	return c.with(first&^below).with(last|below) == c
}

// cornersAround are the corners of sorted keys.
func cornersAround(keys []uint64) corners { return cornersOf(keys[0]).around(keys) }

// around is c with sorted keys.
func (c corners) around(keys []uint64) corners {
	for from := 0; from < len(keys); from += boundsStretch {
		to := min(from+boundsStretch, len(keys))
		if c.holds(keys[from], keys[to-1]) {
			continue
		}
		for _, k := range keys[from:to] {
			c = c.with(k)
		}
	}
	return c
}

// Bounds is the smallest rectangle around the cells.
func (l List) Bounds() grid.Rect {
	b := NoBounds
	for i := range l {
		if s := &l[i]; len(s.Keys) > 0 {
			b = Hull(b, cornersAround(s.Keys).rect(s.X, s.Y))
		}
	}
	return b
}

// BoundsOf is the smallest rectangle around cells of a region, which it reads.
func BoundsOf(s Source, x, y int32) grid.Rect {
	if s.Cells() == 0 {
		return NoBounds
	}
	r := s.Next(min(BlockCells, s.Cells()))
	c := cornersAround(r.Keys)
	for s.Cells() > 0 {
		c = c.around(s.Next(min(BlockCells, s.Cells())).Keys)
	}
	return c.rect(x, y)
}

// Hull is the smallest rectangle around two.
func Hull(a, b grid.Rect) grid.Rect {
	switch {
	case a.MinX > a.MaxX:
		return b
	case b.MinX > b.MaxX:
		return a
	}
	return grid.Rect{
		MinX: min(a.MinX, b.MinX), MinY: min(a.MinY, b.MinY),
		MaxX: max(a.MaxX, b.MaxX), MaxY: max(a.MaxY, b.MaxY),
	}
}
