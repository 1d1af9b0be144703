package tree

import (
	"cmp"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Coarsen is the squares on a grid whose cells are 2^levels times as long. Keys are
// of cells whose coordinates are those of the grid plus bias, on both grids.
//
// Where 2^levels does not divide the bias, squares lie across the new ones. Such a
// square becomes the smallest one that holds it: that a count is never below the
// truth and that sums have bounds stays so, but it can be too high by more. Cells
// lie across none: those of s of level 0 come out exact. False where no square of a
// tree holds one, which takes cells 2^29 from the origin. O(n log n) for n squares.
func Coarsen(s Squares, levels uint8, bias uint32) (Squares, bool) {
	out := Squares{make([]uint64, 0, s.Len()), make([]uint8, 0, s.Len()), make([]uint64, 0, s.Len())}
	move := func(v uint64) uint32 {
		// Shifts of negative numbers round down, as cells of a coarser grid do.
		return uint32((int64(v)-int64(bias))>>levels + int64(bias))
	}
	for i, key := range s.Keys {
		x, y := grid.Deinterleave(key)
		far := uint64(1)<<s.Level(i) - 1
		low := grid.Interleave(move(uint64(x)), move(uint64(y)))
		high := grid.Interleave(move(uint64(x)+far), move(uint64(y)+far))
		level := common(low, high)
		if level > MaxLevel {
			return Squares{}, false
		}
		out.push(low&^side2(level), level, s.Counts[i])
	}
	return sumOf(out), true
}

// sumOf sorts squares and adds up equal ones.
func sumOf(s Squares) Squares {
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
