package grid

// Coarser returns the cell that holds c on a grid whose cells are factor times as wide
// and as high, factor at least 1.
func (c Cell) Coarser(factor int64) Cell {
	return Cell{floorDiv(c.X, factor), floorDiv(c.Y, factor)}
}

// Coarser returns the cells that hold those of the rectangle on a grid whose cells are
// factor times as wide and as high, factor at least 1.
func (r Rect) Coarser(factor int64) Rect {
	if r.Empty() {
		return EmptyRect()
	}
	return Rect{floorDiv(r.MinX, factor), floorDiv(r.MinY, factor), floorDiv(r.MaxX, factor), floorDiv(r.MaxY, factor)}
}

// floorDiv rounds down, as cells do; division rounds towards 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
