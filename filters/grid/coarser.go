package grid

import (
	"math/big"
	"strconv"
	"strings"
)

// Coarser returns the grid whose cells are factor times as wide and as high, factor at least 1. Its
// resolution is the decimal product if the resolution of g has at most 15 digits. So three times 0.1 is
// 0.3, and its edges are edges of g. Otherwise the resolution is the product in float64. Errors as New.
func (g Grid) Coarser(factor uint64) (Grid, error) {
	text := strconv.FormatFloat(g.res, 'e', -1, 64)
	if mantissa, _, _ := strings.Cut(text, "e"); len(mantissa) <= 1+maxDigits {
		if r, ok := new(big.Rat).SetString(text); ok {
			res, _ := r.Mul(r, new(big.Rat).SetInt(new(big.Int).SetUint64(factor))).Float64()
			return New(res)
		}
	}
	return New(g.res * float64(factor))
}

// maxDigits is the number of digits up to which float64 tells all decimal numbers apart.
const maxDigits = 15

// Coarser returns the cell that holds c on a grid whose cells are factor times as wide
// and as high, factor at least 1.
func (c Cell) Coarser(factor int64) Cell {
	return Cell{floorDiv(c.X, factor), floorDiv(c.Y, factor)}
}

// Coarser returns the cells that hold the cells of the rectangle on a coarser grid. Its cells are factor
// times as wide and as high, factor at least 1.
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
