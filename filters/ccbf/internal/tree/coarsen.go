package tree

import (
	"cmp"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Region is a square of 2^32 x 2^32 cells, of which keys are, by its place in the grid
// of such squares.
type Region struct{ X, Y int32 }

// Coarsen adds the squares of a region on a grid whose cells are factor times as long
// to those of the regions that they lie in there, in no particular order: Sorted puts that right.
// Coordinates in regions are those of the grid plus bias, on both grids.
//
// Where factor is no power of two, or does not divide the bias, squares lie across the
// new ones. Such a square becomes the smallest one that holds it: that a count is never
// below the truth and that sums have bounds stays so, but it can be too high by more. Cells
// lie across none: those of s of level 0 come out exact. The first square, if any, that
// lies across regions or half of one, which no square of a tree does, is returned, and
// false; it is 2^29 cells or more of the coarser grid away from the origin.
func Coarsen(s Squares, at Region, factor uint64, bias uint32, into map[Region]*Squares) (int, bool) {
	move := func(region Region, x, y uint64) (Region, uint32, uint32) {
		c := grid.Cell{X: int64(region.X)<<32 + int64(x) - int64(bias), Y: int64(region.Y)<<32 + int64(y) - int64(bias)}.Coarser(int64(factor))
		c.X, c.Y = c.X+int64(bias), c.Y+int64(bias)
		return Region{int32(c.X >> 32), int32(c.Y >> 32)}, uint32(c.X), uint32(c.Y)
	}
	var last Region
	var out *Squares
	for i, key := range s.Keys {
		x, y := grid.Deinterleave(key)
		far := uint64(1)<<s.Level(i) - 1
		to, x0, y0 := move(at, uint64(x), uint64(y))
		end, x1, y1 := move(at, uint64(x)+far, uint64(y)+far)
		low := grid.Interleave(x0, y0)
		level := common(low, grid.Interleave(x1, y1))
		if to != end || level > MaxLevel {
			return i, false
		}
		if out == nil || to != last {
			if last, out = to, into[to]; out == nil {
				out = new(Squares)
				into[to] = out
			}
		}
		out.push(low&^side2(level), level, s.Counts[i])
	}
	return 0, true
}

// Sorted sorts squares and adds up equal ones. O(n log n).
func Sorted(s Squares) Squares {
	order := make([]int, s.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(s.Keys[i], s.Keys[j]), cmp.Compare(s.Level(j), s.Level(i)))
	})
	var out Squares
	for _, i := range order {
		n := out.Len()
		if n > 0 && out.Keys[n-1] == s.Keys[i] && out.Levels[n-1] == s.Level(i) {
			out.Counts[n-1] = saturate.Add(out.Counts[n-1], s.Counts[i])
			continue
		}
		out.push(s.Keys[i], s.Level(i), s.Counts[i])
	}
	return out
}
