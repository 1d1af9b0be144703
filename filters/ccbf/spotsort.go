package ccbf

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
)

// spotOrder is the order in which Hotspots and TopK list.
func spotOrder(a, b *Spot) int {
	switch {
	case a.Count != b.Count:
		return cmp.Compare(b.Count, a.Count)
	case a.Level != b.Level:
		return cmp.Compare(a.Level, b.Level)
	case a.Cell.Y != b.Cell.Y:
		return cmp.Compare(a.Cell.Y, b.Cell.Y)
	}
	return cmp.Compare(a.Cell.X, b.Cell.X)
}

// wordSorter is the memory in which spots are sorted as words.
type wordSorter struct {
	words []uint64
	radix radix.Scratch
}

var wordSorters = sync.Pool{New: func() any { return new(wordSorter) }}

// fewSpots is up to how many are sorted by comparing.
const fewSpots = 64

// sortSpots puts spots into spotOrder. As most are in a small area and of small counts,
// each is one word, of its distances from the first in every part of the order: words are
// sorted without a comparison, and the spots made of them again.
func sortSpots(spots []Spot) {
	if len(spots) <= fewSpots || !sortAsWords(spots) {
		slices.SortFunc(spots, func(a, b Spot) int { return spotOrder(&a, &b) })
	}
}

// sortAsWords is sortSpots; false, and nothing is done, where a spot takes more than a word.
func sortAsWords(spots []Spot) bool {
	first := spots[0]
	last := first
	for i := range spots {
		s := &spots[i]
		first.Count, last.Count = max(first.Count, s.Count), min(last.Count, s.Count)
		first.Level, last.Level = min(first.Level, s.Level), max(last.Level, s.Level)
		first.Cell.Y, last.Cell.Y = min(first.Cell.Y, s.Cell.Y), max(last.Cell.Y, s.Cell.Y)
		first.Cell.X, last.Cell.X = min(first.Cell.X, s.Cell.X), max(last.Cell.X, s.Cell.X)
	}
	x, y := bits.Len64(uint64(last.Cell.X-first.Cell.X)), bits.Len64(uint64(last.Cell.Y-first.Cell.Y))
	level := bits.Len8(last.Level - first.Level)
	if x+y+level+bits.Len64(first.Count-last.Count) > 64 {
		return false
	}
	w := wordSorters.Get().(*wordSorter)
	defer wordSorters.Put(w)
	w.words = slices.Grow(w.words[:0], len(spots))[:len(spots)]
	for i := range spots {
		s := &spots[i]
		word := first.Count - s.Count
		word = word<<level | uint64(s.Level-first.Level)
		word = word<<y | uint64(s.Cell.Y-first.Cell.Y)
		w.words[i] = word<<x | uint64(s.Cell.X-first.Cell.X)
	}
	w.radix.Sort(w.words)
	for i, word := range w.words {
		spots[i].Cell = grid.Cell{X: first.Cell.X + int64(word&(1<<x-1)), Y: first.Cell.Y + int64(word>>x&(1<<y-1))}
		spots[i].Level = first.Level + uint8(word>>(x+y)&(1<<level-1))
		spots[i].Count = first.Count - word>>(x+y+level)
	}
	return true
}
