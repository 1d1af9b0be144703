package tree

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// MaxLevel is the highest level of a leaf. A square of level 32 is all there is.
const MaxLevel = 31

// Squares are numbers of points known to lie in squares: sorted by key, squares
// that hold others before those. They are never changed once made, so that they
// can be shared.
type Squares struct {
	Keys   []uint64 // of each square's lowest cell on the Z-order curve
	Levels []uint8  // nil where all are cells
	Counts []uint64 // at least 1
}

// Len is the number of squares.
func (s *Squares) Len() int { return len(s.Keys) }

// Level is the level of square i.
func (s *Squares) Level(i int) uint8 {
	if s.Levels == nil {
		return 0
	}
	return s.Levels[i]
}

// slice is the squares from one to another.
func (s *Squares) slice(from, to int) Squares {
	out := Squares{Keys: s.Keys[from:to], Counts: s.Counts[from:to]}
	if s.Levels != nil {
		out.Levels = s.Levels[from:to]
	}
	return out
}

// last is the key of the last cell of square i.
func (s *Squares) last(i int) uint64 { return s.Keys[i] | side2(s.Level(i)) }

// side2 is the bits of a key within a square of a level.
func side2(level uint8) uint64 { return 1<<(2*level) - 1 }

// Total is the number of points, or the largest number where they are more.
func (s *Squares) Total() uint64 {
	total := uint64(0)
	for _, n := range s.Counts {
		total = saturate.Add(total, n)
	}
	return total
}

// Saturated reports whether a count, or all of them together, reached the largest
// number: there may be more points than that.
func (s *Squares) Saturated() bool { return s.Total() == ^uint64(0) }

// AreaExcess is by how much the counts of all cells are too high together: a
// square's points count in each of its cells, and lie in one each. It divides by
// the number of cells in an area that holds all squares to the mean excess there.
func (s *Squares) AreaExcess() float64 {
	sum := 0.0
	for i, n := range s.Counts {
		sum += float64(float64(n) * float64(side2(s.Level(i)))) // rounded: the same on every machine
	}
	return sum
}

func (s *Squares) push(key uint64, level uint8, n uint64) {
	s.Keys = append(s.Keys, key)
	s.Levels = append(s.Levels, level)
	s.Counts = append(s.Counts, n)
}

// before reports whether a square comes before another in the order of Squares.
func before(key uint64, level uint8, otherKey uint64, otherLevel uint8) bool {
	return key < otherKey || key == otherKey && level > otherLevel
}

// Count is what a cell counts: the points of all squares that hold it. O(squares).
func (s *Squares) Count(key uint64) uint64 {
	n := uint64(0)
	for i, k := range s.Keys {
		if k > key {
			break
		}
		if key <= s.last(i) {
			n = saturate.Add(n, s.Counts[i])
		}
	}
	return n
}

// CountSorted is Count of keys that rise.
func (s *Squares) CountSorted(keys []uint64) []uint64 {
	counts := make([]uint64, len(keys))
	var open []int // squares that hold the key, each inside the one before
	next := 0
	for i, key := range keys {
		for ; next < len(s.Keys) && s.Keys[next] <= key; next++ {
			if key <= s.last(next) {
				open = append(open, next)
			}
		}
		open = slices.DeleteFunc(open, func(j int) bool { return s.last(j) < key })
		for _, j := range open {
			counts[i] = saturate.Add(counts[i], s.Counts[j])
		}
	}
	return counts
}

// Most is the largest number that a cell's count can be too high by: the points
// of all squares above level 0 that hold it.
func (s *Squares) Most() uint64 {
	most := uint64(0)
	if s.Levels == nil {
		return 0
	}
	var open []int
	var sums []uint64
	for i, k := range s.Keys {
		for len(open) > 0 && s.last(open[len(open)-1]) < k {
			open, sums = open[:len(open)-1], sums[:len(sums)-1]
		}
		if s.Levels[i] == 0 {
			continue
		}
		n := s.Counts[i]
		if len(sums) > 0 {
			n = saturate.Add(n, sums[len(sums)-1])
		}
		open, sums = append(open, i), append(sums, n)
		most = max(most, n)
	}
	return most
}

// Sheets divides the squares into lists of disjoint ones: in the first those
// that hold no other, in the next those that hold squares of the first alone, and
// so on.
func (s *Squares) Sheets() []Squares {
	switch {
	case s.Len() == 0:
		return nil
	case s.Levels == nil:
		return []Squares{*s}
	}
	height := make([]uint8, s.Len())
	top := uint8(0)
	var open []int
	for i := range s.Keys {
		for len(open) > 0 && s.last(open[len(open)-1]) < s.Keys[i] {
			open = open[:len(open)-1]
		}
		// A chain of squares has one of each level at most.
		for d, j := uint8(1), len(open)-1; j >= 0 && height[open[j]] < d; d, j = d+1, j-1 {
			height[open[j]] = d
			top = max(top, d)
		}
		open = append(open, i)
	}
	if top == 0 {
		return []Squares{*s}
	}
	sheets := make([]Squares, top+1)
	for i, h := range height {
		sheets[h].push(s.Keys[i], s.Levels[i], s.Counts[i])
	}
	return sheets
}

// Append is s with the squares of another list from one index to another.
func (s Squares) Append(o *Squares, from, to int) Squares {
	for i := from; i < to; i++ {
		s.push(o.Keys[i], o.Level(i), o.Counts[i])
	}
	return s
}
