package cells

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// NoBounds is the bounds of no cell at all.
var NoBounds = grid.Rect{MinX: 0, MinY: 0, MaxX: -1, MaxY: -1}

// corners are the smallest rectangle around cells: the bits of their keys that are of
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
