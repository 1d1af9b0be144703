package tree

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
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

// Merge adds the points of two lists: what each knows is kept.
func Merge(a, b Squares) Squares {
	switch {
	case a.Len() == 0:
		return b
	case b.Len() == 0:
		return a
	}
	n := a.Len() + b.Len()
	m := Squares{make([]uint64, 0, n), make([]uint8, 0, n), make([]uint64, 0, n)}
	i, j := 0, 0
	for i < a.Len() && j < b.Len() {
		ka, la, kb, lb := a.Keys[i], a.Level(i), b.Keys[j], b.Level(j)
		switch {
		case ka == kb && la == lb:
			m.push(ka, la, saturate.Add(a.Counts[i], b.Counts[j]))
			i++
			j++
		case before(ka, la, kb, lb):
			m.push(ka, la, a.Counts[i])
			i++
		default:
			m.push(kb, lb, b.Counts[j])
			j++
		}
	}
	for ; i < a.Len(); i++ {
		m.push(a.Keys[i], a.Level(i), a.Counts[i])
	}
	for ; j < b.Len(); j++ {
		m.push(b.Keys[j], b.Level(j), b.Counts[j])
	}
	return m
}

// Merger adds up many lists: the sum of all does not depend on their order. A list
// is merged with others of about its size alone, so that each square is moved
// O(log n) times.
type Merger struct{ lists []Squares }

// Add adds a list, which is not changed.
func (m *Merger) Add(s Squares) {
	if s.Len() == 0 {
		return
	}
	m.lists = append(m.lists, s)
	for n := len(m.lists); n > 1 && m.lists[n-2].Len() < 2*m.lists[n-1].Len(); n-- {
		m.lists = append(m.lists[:n-2], Merge(m.lists[n-2], m.lists[n-1]))
	}
}

// Lists are the lists as they are at the moment: their sum is that of all.
func (m *Merger) Lists() []Squares { return m.lists }

// Len is how many squares there are, some of them possibly twice and more.
func (m *Merger) Len() int {
	n := 0
	for i := range m.lists {
		n += m.lists[i].Len()
	}
	return n
}

// Sum is all lists added up.
func (m *Merger) Sum() Squares {
	for n := len(m.lists); n > 1; n-- {
		m.lists = append(m.lists[:n-2], Merge(m.lists[n-2], m.lists[n-1]))
	}
	if len(m.lists) == 0 {
		return Squares{}
	}
	return m.lists[0]
}

// Why points cannot be taken away.
var (
	// ErrAbsent is points that are not there.
	ErrAbsent = errors.New("there are fewer points")
	// ErrCoarse is points known to lie in a square of which there are smaller ones:
	// in which of these they lie is not known.
	ErrCoarse = errors.New("points whose leaf is not known")
)

// Remove is s with n points less in a cell. Where there are fewer the error is
// ErrAbsent. The points must have been inserted, as all of s but what Intersect
// and Mask made is. O(squares).
func Remove(s Squares, key, n uint64) (Squares, error) {
	return Subtract(s, Squares{Keys: []uint64{key}, Counts: []uint64{n}})
}

// Subtract is a without the points of b, all of which are among those of a.
//
// Points leave the smallest square that holds theirs. That square may not be the
// one that counts them; then a point that it does count is taken for one of the
// larger square in their place, which holds it as well. So no count falls below the
// truth, and sums keep their bounds.
//
// It is ErrAbsent where a has fewer points in a square of b, and ErrCoarse where
// it has squares inside one, as then nothing says which of them loses its points. A
// saturated count is left unchanged. Neither list is changed. O(squares).
func Subtract(a, b Squares) (Squares, error) {
	counts := slices.Clone(a.Counts)
	var open []int // squares of a that hold the one of b, the smallest last
	i := 0
	for j, key := range b.Keys {
		level := b.Level(j)
		for ; i < a.Len() && !before(key, level, a.Keys[i], a.Level(i)); i++ {
			for len(open) > 0 && a.last(open[len(open)-1]) < a.Keys[i] {
				open = open[:len(open)-1]
			}
			open = append(open, i)
		}
		for len(open) > 0 && a.last(open[len(open)-1]) < key {
			open = open[:len(open)-1]
		}
		if i < a.Len() && a.Keys[i] <= b.last(j) {
			return Squares{}, ErrCoarse
		}
		left := b.Counts[j]
		for k := len(open) - 1; k >= 0 && left > 0; k-- {
			n := &counts[open[k]]
			if *n == ^uint64(0) {
				left = 0
				break
			}
			gone := min(left, *n)
			*n -= gone
			left -= gone
		}
		if left > 0 {
			return Squares{}, ErrAbsent
		}
	}
	return a.with(counts), nil
}

// with is the squares with other counts, without those of 0.
func (s *Squares) with(counts []uint64) Squares {
	var out Squares
	for i, n := range counts {
		if n > 0 {
			out.push(s.Keys[i], s.Level(i), n)
		}
	}
	return out
}

// Intersect has for every cell at least the smaller of the two counts that are
// true, and is no sum of points any more: what it says of an area is an upper bound.
//
// A point of both lies in a square of a and in one of b, one inside the other or
// equal. It is counted in the smaller one, whose count is as many points as there
// can be: its own in a, up to those that b has in larger squares around; its own
// in b likewise; and those that both have in it. Neither list is changed.
// O(squares).
func Intersect(a, b Squares) Squares {
	type around struct {
		last uint64
		a, b uint64 // points of all squares open here
	}
	open := []around{{last: ^uint64(0)}}
	var out Squares
	for i, j := 0, 0; i < a.Len() || j < b.Len(); {
		var key, m, n uint64
		var level uint8
		if j == b.Len() || i < a.Len() && !before(b.Keys[j], b.Level(j), a.Keys[i], a.Level(i)) {
			key, level, m = a.Keys[i], a.Level(i), a.Counts[i]
			i++
		} else {
			key, level = b.Keys[j], b.Level(j)
		}
		if j < b.Len() && b.Keys[j] == key && b.Level(j) == level {
			n = b.Counts[j]
			j++
		}
		for open[len(open)-1].last < key {
			open = open[:len(open)-1]
		}
		top := open[len(open)-1]
		inB, inA := min(m, top.b), min(n, top.a)
		both := saturate.Add(saturate.Add(inB, inA), min(m-inB, n-inA))
		if both > 0 {
			out.push(key, level, both)
		}
		open = append(open, around{key | side2(level), saturate.Add(top.a, m), saturate.Add(top.b, n)})
	}
	return out
}

// Mask has of the points of a at least those in cells where b has a count, and no
// others that are known to be elsewhere. As Intersect it is an upper bound: points
// of a square of which b holds only a part count in the smallest square that holds
// that part. Neither list is changed. O(n log n) for n squares.
func Mask(a, b Squares) Squares {
	var out Squares
	sorted := true
	push := func(key uint64, level uint8, n uint64) {
		if i := out.Len() - 1; i >= 0 && !before(out.Keys[i], out.Levels[i], key, level) {
			sorted = false
		}
		out.push(key, level, n)
	}
	covered, some := uint64(0), false // the last key that squares of b seen so far hold
	j := 0
	for i, key := range a.Keys {
		level, last := a.Level(i), a.last(i)
		for ; j < b.Len() && !before(key, level, b.Keys[j], b.Level(j)); j++ {
			covered, some = max(covered, b.last(j)), true
		}
		if some && covered >= last {
			push(key, level, a.Counts[i])
			continue
		}
		if end := j + searchAbove(b.Keys[j:], last); end > j {
			level = max(b.Level(j), common(b.Keys[j], b.Keys[end-1]))
			push(b.Keys[j]&^side2(level), level, a.Counts[i])
		}
	}
	if !sorted {
		return Sorted(out)
	}
	return out
}

// common is the level of the smallest square that holds two keys.
func common(a, b uint64) uint8 { return uint8(bits.Len64(a^b)+1) / 2 }

// searchAbove is how many of the keys, in order, are not above one.
func searchAbove(keys []uint64, key uint64) int {
	low, high := 0, len(keys)
	for low < high {
		if mid := int(uint(low+high) / 2); keys[mid] <= key {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

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
