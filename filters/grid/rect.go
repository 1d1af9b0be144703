package grid

import (
	"iter"
	"math"
	"math/bits"
)

// Rect is a rectangle of cells, all four bounds inclusive. It is empty if a minimum is above its maximum.
// The zero Rect holds the one cell (0, 0).
type Rect struct{ MinX, MinY, MaxX, MaxY int64 }

// EmptyRect returns a rectangle without cells, the start for Extend and Union.
func EmptyRect() Rect { return Rect{0, 0, -1, -1} }

// MaxRect returns the rectangle of all cells: every index from -MaxIndex to
// MaxIndex.
func MaxRect() Rect { return Rect{-MaxIndex, -MaxIndex, MaxIndex, MaxIndex} }

// Empty reports whether the rectangle has no cells.
func (r Rect) Empty() bool { return r.MinX > r.MaxX || r.MinY > r.MaxY }

// Squares returns the squares of a level, from 0 to 63, that hold a cell of the rectangle. A square is the
// cells (x, y) with the same x>>level and y>>level.
func (r Rect) Squares(level int) Rect {
	if r.Empty() {
		return EmptyRect()
	}
	return Rect{r.MinX >> level, r.MinY >> level, r.MaxX >> level, r.MaxY >> level}
}

// Square returns the cells of a square of 2^level x 2^level cells, of which c is the south-western one.
func (c Cell) Square(level uint8) Rect {
	last := int64(1)<<level - 1
	return Rect{c.X, c.Y, c.X + last, c.Y + last}
}

// Contains reports whether the cell is in the rectangle.
func (r Rect) Contains(c Cell) bool {
	return r.MinX <= c.X && c.X <= r.MaxX && r.MinY <= c.Y && c.Y <= r.MaxY
}

// Intersect returns the cells in both rectangles, EmptyRect if there is none.
func (r Rect) Intersect(o Rect) Rect {
	r = Rect{max(r.MinX, o.MinX), max(r.MinY, o.MinY), min(r.MaxX, o.MaxX), min(r.MaxY, o.MaxY)}
	if r.Empty() {
		return EmptyRect()
	}
	return r
}

// Union returns the smallest rectangle that holds both.
func (r Rect) Union(o Rect) Rect {
	switch {
	case o.Empty() && r.Empty():
		return EmptyRect()
	case o.Empty():
		return r
	case r.Empty():
		return o
	}
	return Rect{min(r.MinX, o.MinX), min(r.MinY, o.MinY), max(r.MaxX, o.MaxX), max(r.MaxY, o.MaxY)}
}

// Extend returns the smallest rectangle that holds r and the cell.
func (r Rect) Extend(c Cell) Rect { return r.Union(c.Square(0)) }

// Width returns the number of columns, 0 if the rectangle is empty.
func (r Rect) Width() uint64 {
	if r.Empty() {
		return 0
	}
	return span(r.MinX, r.MaxX)
}

// Height returns the number of rows, 0 if the rectangle is empty.
func (r Rect) Height() uint64 {
	if r.Empty() {
		return 0
	}
	return span(r.MinY, r.MaxY)
}

// Cells yields the cells row by row, from south to north.
func (r Rect) Cells() iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for y := r.MinY; y <= r.MaxY; y++ {
			for x := r.MinX; x <= r.MaxX; x++ {
				if !yield(Cell{x, y}) {
					return
				}
			}
		}
	}
}

// Count returns the number of cells, at most math.MaxUint64.
func (r Rect) Count() uint64 {
	hi, lo := bits.Mul64(r.Width(), r.Height())
	if hi != 0 {
		return math.MaxUint64
	}
	return lo
}

// span returns hi-lo+1 for lo <= hi, saturating.
func span(lo, hi int64) uint64 {
	n := uint64(hi) - uint64(lo)
	if n == math.MaxUint64 {
		return n
	}
	return n + 1
}

// order is part of errors about boxes.
const order = "the order is xmin, ymin, xmax, ymax"

// Box returns the cells whose centre lies in [xmin, xmax) x [ymin, ymax). The
// box is half-open so that boxes that touch share no cell and leave none out.
// Bounds may be infinite; the result is within MaxRect, and EmptyRect where
// no centre lies inside. Errors wrap ErrBox: a NaN bound, or a minimum above
// its maximum.
func (g Grid) Box(xmin, ymin, xmax, ymax float64) (Rect, error) {
	names := [4]string{"xmin", "ymin", "xmax", "ymax"}
	for i, v := range [4]float64{xmin, ymin, xmax, ymax} {
		if v != v {
			return EmptyRect(), errf(ErrBox, "box: %s is NaN", names[i])
		}
	}
	if xmin > xmax {
		hint := ""
		if xmin >= 90 && xmin <= 180 && xmax <= -90 && xmax >= -180 {
			hint = "; ask two boxes for one across longitude 180: up to 180, and from -180 on"
		}
		return EmptyRect(), errf(ErrBox, "box: xmin %v is above xmax %v (%s%s)", xmin, xmax, order, hint)
	}
	if ymin > ymax {
		return EmptyRect(), errf(ErrBox, "box: ymin %v is above ymax %v (%s)", ymin, ymax, order)
	}
	return g.box(xmin, ymin, xmax, ymax), nil
}

func (g Grid) box(xmin, ymin, xmax, ymax float64) Rect {
	return Rect{g.lower(xmin), g.lower(ymin), g.lower(xmax) - 1, g.lower(ymax) - 1}.Intersect(MaxRect())
}

// Cuts divides [lo, hi) into len(dst)-1 parts of equal length. Part i begins at lo +
// (hi-lo)*i/(len(dst)-1). It holds the indexes of columns or of rows whose centres lie in it, as Box has
// them: from dst[i] to dst[i+1]-1. hi-lo must be finite and not negative, and dst must have room for two.
// The result is within [-MaxIndex, MaxIndex+1] and does not fall.
func (g Grid) Cuts(dst []int64, lo, hi float64) {
	last := len(dst) - 1
	for i := range last {
		// Rounding must not carry an edge past hi.
		dst[i] = g.lower(min(lo+(hi-lo)*float64(i)/float64(last), hi))
	}
	dst[last] = g.lower(hi)
}
