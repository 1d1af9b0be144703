package tree

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// cut is squares pruned by a threshold.
func cut(s cells.Squares, tau Tau) cells.Squares { return cutUpTo(s, tau, math.MaxUint64) }

// cutUpTo is cut with the next lower threshold beyond a key.
func cutUpTo(s cells.Squares, tau Tau, upTo uint64) cells.Squares {
	f := fitter{sections: listOf(s)}
	f.build(allTaus)
	leaves := cells.Squares{Keys: make([]uint64, s.Len()), Levels: make([]uint8, s.Len()), Counts: make([]uint64, s.Len())}
	f.nodes[0].prune(&leaves, tau, upTo)
	return leaves
}

// mixed is a tree of some of the points of counts, with squares inside others, and
// the points that it was made of.
func mixed(r *rand.Rand, counts map[uint64]uint64) (cells.Squares, map[uint64]uint64) {
	var m cells.Merger
	truth := map[uint64]uint64{}
	for range 3 {
		part := map[uint64]uint64{}
		for _, k := range sortedByNumber(counts) {
			if r.IntN(2) == 0 {
				n := 1 + r.Uint64N(min(counts[k], 1<<40))
				part[k] = n
				truth[k] += n
			}
		}
		m.Add(cut(squaresOf(part), Tau(r.IntN(120))))
	}
	return m.Sum(), truth
}

// counted returns the count of a cell, square by square.
func counted(s *cells.Squares, key uint64) (n uint64) {
	for i, k := range s.Keys {
		if k > key {
			break
		}
		if key <= s.Last(i) {
			n = saturate.Add(n, s.Counts[i])
		}
	}
	return n
}

// bounds returns the bounds of the sum over a box, square by square.
func bounds(s *cells.Squares, a *box) (low, high uint64) {
	for i, k := range s.Keys {
		switch w, h, side := a.overlap(k, s.Level(i)); {
		case w == side && h == side:
			low, high = saturate.Add(low, s.Counts[i]), saturate.Add(high, s.Counts[i])
		case w > 0 && h > 0:
			high = saturate.Add(high, s.Counts[i])
		}
	}
	return low, high
}

// smallShapes are shapes that a test may go through square by square.
func smallShapes(r *rand.Rand) map[string]map[uint64]uint64 {
	all := shapes()
	all["clusters"] = clusters(r, 800)
	for i, k := range sortedByNumber(all["line"]) {
		if i > 500 {
			delete(all["line"], k)
		}
	}
	return all
}

// The sum of many lists equals that of merging them one by one, in any order, and moves
// few squares.
func TestMerger(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 0))
	for _, n := range []int{0, 1, 2, 7, 300} {
		lists := make([]cells.Squares, n)
		var one cells.Squares
		for i := range lists {
			counts := map[uint64]uint64{}
			for range r.IntN(50) {
				counts[r.Uint64N(500)] = 1 + r.Uint64N(9)
			}
			lists[i] = cut(squaresOf(counts), Tau(r.IntN(60)))
			one = cells.Merge(one, lists[i])
		}
		r.Shuffle(n, func(i, j int) { lists[i], lists[j] = lists[j], lists[i] })
		var m cells.Merger
		most := 0
		for _, s := range lists {
			m.Add(s)
			most = max(most, len(m.Lists()))
		}
		if got := m.Sum(); !equal(&got, &one) {
			t.Fatalf("%d lists come out otherwise", n)
		}
		if most > 20 { // each at least half of the one before: 2^20 squares and more
			t.Errorf("%d lists of %d wait to be merged", most, n)
		}
	}
	s := cells.Merge(squaresOf(map[uint64]uint64{1: math.MaxUint64 - 1}), squaresOf(map[uint64]uint64{1: 5}))
	if s.Total() != math.MaxUint64 || s.Counts[0] != math.MaxUint64 {
		t.Errorf("points beyond the largest number are %d", s.Counts[0])
	}
}
