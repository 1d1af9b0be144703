package tree

import (
	"errors"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

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
