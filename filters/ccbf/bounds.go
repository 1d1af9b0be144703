package ccbf

import "github.com/ccbfsql/ccbfsql/filters/grid"

// noBounds is the bounds of no cell at all.
var noBounds = grid.Rect{MinX: 0, MinY: 0, MaxX: -1, MaxY: -1}

// bounds is the smallest rectangle around the cells.
func (l cellList) bounds() grid.Rect {
	b := noBounds
	for i := range l {
		s := &l[i]
		if len(s.keys) == 0 {
			continue
		}
		// The bits of one coordinate compare as it does, without being taken
		// out of the key.
		minX, minY := s.keys[0]&xBits, s.keys[0]&yBits
		maxX, maxY := minX, minY
		for _, k := range s.keys[1:] {
			x, y := k&xBits, k&yBits
			minX, maxX, minY, maxY = min(minX, x), max(maxX, x), min(minY, y), max(maxY, y)
		}
		low, high := cellOf(s.x, s.y, minX|minY), cellOf(s.x, s.y, maxX|maxY)
		b = hull(b, grid.Rect{MinX: low.X, MinY: low.Y, MaxX: high.X, MaxY: high.Y})
	}
	return b
}

// hull is the smallest rectangle around two.
func hull(a, b grid.Rect) grid.Rect {
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
