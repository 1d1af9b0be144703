package cells

import "github.com/ccbfsql/ccbfsql/filters/grid"

// NoBounds is the bounds of no cell at all.
var NoBounds = grid.Rect{MinX: 0, MinY: 0, MaxX: -1, MaxY: -1}

// Bounds is the smallest rectangle around the cells.
func (l List) Bounds() grid.Rect {
	b := NoBounds
	for i := range l {
		s := &l[i]
		if len(s.Keys) == 0 {
			continue
		}
		// The bits of one coordinate compare as it does, without being taken
		// out of the key.
		minX, minY := s.Keys[0]&xBits, s.Keys[0]&yBits
		maxX, maxY := minX, minY
		for _, k := range s.Keys[1:] {
			x, y := k&xBits, k&yBits
			minX, maxX, minY, maxY = min(minX, x), max(maxX, x), min(minY, y), max(maxY, y)
		}
		low, high := CellOf(s.X, s.Y, minX|minY), CellOf(s.X, s.Y, maxX|maxY)
		b = Hull(b, grid.Rect{MinX: low.X, MinY: low.Y, MaxX: high.X, MaxY: high.Y})
	}
	return b
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
