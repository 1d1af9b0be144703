// Package cells has what sketches count in: the cells of a grid, and squares of them.
//
// A key is the position of a cell on the Z-order curve of its region, which has 2^32 x 2^32 cells.
// Squares are sorted keys with levels and counts; in an exact sketch all are cells. A List has the
// squares of several regions and categories, each with its Label. A query asks for Categories.
package cells

import (
	"errors"
	"iter"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// MaxLevel is the highest level of a leaf. A square of level 32 holds all cells of a region.
const MaxLevel = 31

// Squares are squares with the number of points that are known to lie in each. A square of level l has
// 2^l x 2^l cells, so a cell is a square of level 0. Squares are sorted by key, and a square comes before
// the squares inside it. They are never changed once made, so that lists can share them.
type Squares struct {
	Keys   []uint64 // key of the first cell of each square on the Z-order curve
	Levels []uint8  // nil if all are cells. Then the keys ascend strictly.
	Counts []uint64 // at least 1
}

// Leaf is a square with the number of points that are known to lie in it.
type Leaf struct {
	Key, Count uint64
	Level      uint8
}

// Bytes returns the memory of n cells: key and count.
func Bytes(n int) int64 { return int64(n) * 16 }

// SquareBytes returns the memory of n squares: key, level and count.
func SquareBytes(n int) int64 { return int64(n) * 17 }

// Len returns the number of squares.
func (s *Squares) Len() int { return len(s.Keys) }

// Level returns the level of square i.
func (s *Squares) Level(i int) uint8 {
	if s.Levels == nil {
		return 0
	}
	return s.Levels[i]
}

// Last returns the key of the last cell of square i.
func (s *Squares) Last(i int) uint64 { return s.Keys[i] | LowBits(s.Level(i)) }

// LowBits returns the bits of a key that differ within a square of a level.
func LowBits(level uint8) uint64 { return 1<<(2*level) - 1 }

// Part returns the squares from index from to index to-1.
func (s *Squares) Part(from, to int) Squares {
	part := Squares{Keys: s.Keys[from:to]}
	if s.Levels != nil {
		part.Levels = s.Levels[from:to]
	}
	if s.Counts != nil {
		part.Counts = s.Counts[from:to]
	}
	return part
}

// BlockCells is the number of cells in a block of an exact sketch.
const BlockCells = 128

// Blocks yields the squares in order: BlockCells at a time, and the rest at the end.
func (s Squares) Blocks() iter.Seq[Squares] {
	return func(yield func(Squares) bool) {
		for from := 0; from < s.Len(); from += BlockCells {
			if !yield(s.Part(from, min(from+BlockCells, s.Len()))) {
				return
			}
		}
	}
}

// Room returns an empty list with room for n squares.
func Room(n int) Squares {
	return Squares{make([]uint64, 0, n), make([]uint8, 0, n), make([]uint64, 0, n)}
}

// Clone returns a copy.
func (s *Squares) Clone() Squares {
	return Squares{slices.Clone(s.Keys), slices.Clone(s.Levels), slices.Clone(s.Counts)}
}

// Total returns the number of points, at most the largest uint64.
func (s *Squares) Total() uint64 {
	total := uint64(0)
	for _, n := range s.Counts {
		total = saturate.Add(total, n)
	}
	return total
}

// Push appends a square with n points, which comes after all others in the order of Squares.
func (s *Squares) Push(key uint64, level uint8, n uint64) {
	s.Keys = append(s.Keys, key)
	s.Levels = append(s.Levels, level)
	s.Counts = append(s.Counts, n)
}

// add is Push, but adds the points to the last square if that is the same.
func (s *Squares) add(key uint64, level uint8, n uint64) {
	if i := s.Len() - 1; i >= 0 && s.Keys[i] == key && s.Levels[i] == level {
		s.Counts[i] = saturate.Add(s.Counts[i], n)
		return
	}
	s.Push(key, level, n)
}

// Append appends squares, which come after all others in the order of Squares.
func (s *Squares) Append(o Squares) {
	s.Keys = append(s.Keys, o.Keys...)
	s.Counts = append(s.Counts, o.Counts...)
	if o.Levels == nil {
		s.Levels = append(s.Levels, make([]uint8, o.Len())...)
	} else {
		s.Levels = append(s.Levels, o.Levels...)
	}
}

// before reports whether a square comes before another in the order of Squares.
func before(key uint64, level uint8, otherKey uint64, otherLevel uint8) bool {
	return key < otherKey || key == otherKey && level > otherLevel
}

// Enclosing is the squares that hold a place, the largest first. Squares are added in the order of Squares.
type Enclosing []struct{ last, points uint64 } // points also has those of the squares before

// At drops the squares that end before key, and returns the points of the others.
func (e *Enclosing) At(key uint64) uint64 {
	for n := len(*e); n > 0; n-- {
		if square := (*e)[n-1]; square.last >= key {
			return square.points
		}
		*e = (*e)[:n-1]
	}
	return 0
}

// Add adds a square with n points, and returns the points of the squares that hold it.
func (e *Enclosing) Add(key uint64, level uint8, n uint64) uint64 {
	around := e.At(key)
	*e = append(*e, struct{ last, points uint64 }{key | LowBits(level), saturate.Add(around, n)})
	return around
}

// Count returns the count of a cell: the points of all squares that hold it. O(log n) for n cells, O(n) for
// squares.
func (s *Squares) Count(key uint64) uint64 {
	if s.Levels != nil {
		return s.CountSorted([]uint64{key})[0]
	}
	if i, ok := slices.BinarySearch(s.Keys, key); ok {
		return s.Counts[i]
	}
	return 0
}

// CountSorted returns the counts of many cells. Their keys ascend.
func (s *Squares) CountSorted(keys []uint64) []uint64 {
	counts := make([]uint64, len(keys))
	var around Enclosing
	next := 0
	for i, key := range keys {
		for ; next < len(s.Keys) && s.Keys[next] <= key; next++ {
			around.Add(s.Keys[next], s.Level(next), s.Counts[next])
		}
		counts[i] = around.At(key)
	}
	return counts
}

// Most returns the largest number by which the count of a cell can be too high. This is the largest sum
// of the points of all squares above level 0 that hold the same cell.
func (s *Squares) Most() uint64 {
	most := uint64(0)
	var around Enclosing
	for i, level := range s.Levels {
		if n := s.Counts[i]; level > 0 {
			most = max(most, saturate.Add(n, around.Add(s.Keys[i], level, n)))
		}
	}
	return most
}

// Sheets divides the squares into lists of disjoint squares. The first list has the squares that hold no
// others. The second has those that hold only squares of the first, and so on.
func (s *Squares) Sheets() []Squares {
	if s.Len() == 0 {
		return nil
	}
	i := 1
	for i < len(s.Levels) && s.Keys[i] > s.Last(i-1) {
		i++
	}
	if i >= len(s.Levels) {
		return []Squares{*s}
	}
	height := make([]uint8, s.Len())
	top := uint8(0)
	var open []int
	for i := range s.Keys {
		for len(open) > 0 && s.Last(open[len(open)-1]) < s.Keys[i] {
			open = open[:len(open)-1]
		}
		// Squares that hold one another have different levels, so a chain is short.
		for d, j := uint8(1), len(open)-1; j >= 0 && height[open[j]] < d; d, j = d+1, j-1 {
			height[open[j]] = d
			top = max(top, d)
		}
		open = append(open, i)
	}
	number := make([]int, top+1)
	for _, h := range height {
		number[h]++
	}
	sheets := make([]Squares, top+1)
	for h, n := range number {
		sheets[h] = Room(n)
	}
	for i, h := range height {
		sheets[h].Push(s.Keys[i], s.Levels[i], s.Counts[i])
	}
	return sheets
}

// pairs calls f for each square of two lists, in their order, with its points in a and in b. A list that
// does not have a square has 0 points in it.
func pairs(a, b Squares, f func(key uint64, level uint8, m, n uint64)) {
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
		f(key, level, m, n)
	}
}

// Merge adds up the points of two lists. It keeps all squares of both, and changes neither list.
func Merge(a, b Squares) Squares {
	switch {
	case a.Len() == 0:
		return b
	case b.Len() == 0:
		return a
	}
	out := Room(a.Len() + b.Len())
	pairs(a, b, func(key uint64, level uint8, m, n uint64) { out.Push(key, level, saturate.Add(m, n)) })
	if a.Levels == nil && b.Levels == nil {
		out.Levels = nil
	}
	return out
}

// Merger adds up many lists of squares, in any order. It merges only lists of about the same size, so
// that a square is moved O(log n) times.
type Merger struct{ lists []Squares }

// Add adds a list, which is not changed.
func (m *Merger) Add(s Squares) {
	if s.Len() == 0 {
		return
	}
	m.lists = append(m.lists, s)
	for n := len(m.lists); n > 1 && m.lists[n-2].Len() < 2*m.lists[n-1].Len(); n-- {
		m.mergeLast()
	}
}

// mergeLast merges the last two lists.
func (m *Merger) mergeLast() {
	n := len(m.lists)
	sum := Merge(m.lists[n-2], m.lists[n-1])
	m.lists[n-1] = Squares{} // frees its memory
	m.lists = append(m.lists[:n-2], sum)
}

// Lists returns the lists as they are now. Their sum is the sum of all lists that were added.
func (m *Merger) Lists() []Squares { return m.lists }

// Len returns the number of squares in all lists. A square may be in several.
func (m *Merger) Len() int {
	n := 0
	for i := range m.lists {
		n += m.lists[i].Len()
	}
	return n
}

// Sum merges all lists into one.
func (m *Merger) Sum() Squares {
	for len(m.lists) > 1 {
		m.mergeLast()
	}
	if len(m.lists) == 0 {
		return Squares{}
	}
	return m.lists[0]
}

// Errors of taking points away.
var (
	// ErrAbsent says that there are fewer points than are to be taken away.
	ErrAbsent = errors.New("there are fewer points")
	// ErrCoarse says that points lie in a square that has smaller ones inside, and nothing says in which
	// of them.
	ErrCoarse = errors.New("points whose leaf is not known")
)

// Subtract returns a without the points of b, all of which are among the points of a.
//
// Points leave the smallest square that holds them. Another square may have counted them. Then one of that
// square's points, which the larger square holds as well, takes their place. So no count falls below the
// truth, and sums keep their bounds.
//
// The error is ErrAbsent if a has too few points in a square of b. It is ErrCoarse if a has squares inside
// a square of b. Neither list is changed. O(squares).
func Subtract(a, b Squares) (Squares, error) {
	counts := slices.Clone(a.Counts)
	var open []int // the indexes of squares of a that hold the current square of b, the smallest last
	leave := func(key uint64) {
		for len(open) > 0 && a.Last(open[len(open)-1]) < key {
			open = open[:len(open)-1]
		}
	}
	i := 0
	for j, key := range b.Keys {
		level := b.Level(j)
		for ; i < a.Len() && !before(key, level, a.Keys[i], a.Level(i)); i++ {
			leave(a.Keys[i])
			open = append(open, i)
		}
		leave(key)
		if i < a.Len() && a.Keys[i] <= b.Last(j) {
			return Squares{}, ErrCoarse
		}
		left := b.Counts[j]
		for k := len(open) - 1; k >= 0 && left > 0; k-- {
			n := &counts[open[k]]
			gone := min(left, *n)
			*n -= gone
			left -= gone
		}
		if left > 0 {
			return Squares{}, ErrAbsent
		}
	}
	var out Squares
	for i, n := range counts {
		if n > 0 {
			out.Push(a.Keys[i], a.Level(i), n)
		}
	}
	return out, nil
}

// Intersect returns for every cell a count that is at least the smaller of the two true counts. The counts
// are no sums of points any more: a sum over an area is only an upper bound.
//
// A point of both lies in a square of a and in one of b, which are equal or one inside the other. It
// counts in the smaller square, whose count is the largest possible number of these points. Points of this
// square in a may be in larger squares of b, and points in b in larger squares of a. The rest is in this
// square of both. Neither list is changed. O(squares).
func Intersect(a, b Squares) Squares {
	var out Squares
	var aroundA, aroundB Enclosing
	pairs(a, b, func(key uint64, level uint8, m, n uint64) {
		inA, inB := min(n, aroundA.Add(key, level, m)), min(m, aroundB.Add(key, level, n))
		if both := saturate.Add(saturate.Add(inB, inA), min(m-inB, n-inA)); both > 0 {
			out.Push(key, level, both)
		}
	})
	return out
}

// Mask returns the points of a that may lie in cells where b has a count. Counts are upper bounds, as
// after Intersect. If b has only a part of a square of a, the points count in the smallest square that
// holds this part. Neither list is changed. O(n log n) for n squares.
func Mask(a, b Squares) Squares {
	var out Squares
	covered, some := uint64(0), false // covered is the last key in the squares of b so far, some says whether there are any
	j := 0
	for i, key := range a.Keys {
		level, last := a.Level(i), a.Last(i)
		for ; j < b.Len() && !before(key, level, b.Keys[j], b.Level(j)); j++ {
			covered, some = max(covered, b.Last(j)), true
		}
		if some && covered >= last {
			out.Push(key, level, a.Counts[i])
			continue
		}
		if end := j + SearchAbove(b.Keys[j:], last); end > j {
			level = max(b.Level(j), CommonLevel(b.Keys[j], b.Keys[end-1]))
			out.Push(b.Keys[j]&^LowBits(level), level, a.Counts[i])
		}
	}
	return Sorted(out)
}

// CommonLevel returns the level of the smallest square that holds the keys a and b.
func CommonLevel(a, b uint64) uint8 { return uint8(bits.Len64(a^b)+1) / 2 }

// SearchAbove returns how many of the keys, in ascending order, are at most key.
func SearchAbove(keys []uint64, key uint64) int {
	if key == math.MaxUint64 {
		return len(keys)
	}
	n, _ := slices.BinarySearch(keys, key+1)
	return n
}

// scratches lends the memory of Sorted.
var scratches = sync.Pool{New: func() any { return new(radix.Scratch) }}

// Sorted returns squares in order, and adds up equal ones. Nil counts of cells are all one. It does not change s, and
// returns s itself if nothing is to be done. O(n).
func Sorted(s Squares) Squares {
	inOrder := s.Counts != nil
	for i := 1; i < s.Len() && inOrder; i++ {
		inOrder = before(s.Keys[i-1], s.Level(i-1), s.Keys[i], s.Level(i))
	}
	if inOrder {
		return s
	}
	scratch := scratches.Get().(*radix.Scratch)
	defer scratches.Put(scratch)
	if s.Levels == nil { // the counts move along with the keys
		keys, counts := slices.Clone(s.Keys), slices.Clone(s.Counts)
		if counts == nil {
			counts = slices.Repeat([]uint64{1}, len(keys))
		}
		scratch.SortPairs(keys, counts)
		out := Squares{keys[:0], make([]uint8, 0, len(keys)), counts[:0]}
		for i, key := range keys {
			out.add(key, 0, counts[i])
		}
		return Squares{Keys: out.Keys, Counts: out.Counts}
	}
	keys, order := make([]uint64, s.Len()), make([]uint64, s.Len())
	for i, level := range s.Levels {
		keys[i], order[i] = uint64(MaxLevel-level), uint64(i)
	}
	scratch.SortPairs(keys, order)
	for i, at := range order {
		keys[i] = s.Keys[at]
	}
	scratch.SortPairs(keys, order)
	out := Room(s.Len())
	for i, at := range order {
		out.add(keys[i], s.Levels[at], s.Counts[at])
	}
	return out
}
