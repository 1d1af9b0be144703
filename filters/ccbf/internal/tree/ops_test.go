package tree

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// cut is squares pruned by a threshold.
func cut(s cells.Squares, tau Tau) cells.Squares { return cutUpTo(s, tau, math.MaxUint64) }

// cutUpTo is cut with the next lower threshold beyond a key.
func cutUpTo(s cells.Squares, tau Tau, upTo uint64) cells.Squares {
	var f fitter
	f.build([]cells.Squares{s}, allTaus)
	leaves := cells.Squares{Keys: make([]uint64, s.Len()), Levels: make([]uint8, s.Len()), Counts: make([]uint64, s.Len())}
	f.parts[0].prune(&leaves, tau, upTo)
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

// holds checks the order of squares, and that no cell and no box is below the truth. If counts are sums,
// no lower bound is above it.
func holds(t *testing.T, r *rand.Rand, name string, s *cells.Squares, truth map[uint64]uint64, sums bool) {
	t.Helper()
	for i := range s.Keys {
		if s.Counts[i] == 0 || s.Keys[i]&cells.LowBits(s.Level(i)) != 0 || i > 0 && !before(s.Keys[i-1], s.Level(i-1), s.Keys[i], s.Level(i)) {
			t.Fatalf("%s: square %d is %#x of level %d, %d points", name, i, s.Keys[i], s.Level(i), s.Counts[i])
		}
	}
	keys := sortedByNumber(truth)
	if len(keys) == 0 {
		return
	}
	for range 100 {
		k := keys[r.IntN(len(keys))]
		if got := counted(s, k); got < truth[k] {
			t.Fatalf("%s: cell %#x counts %d, the truth is %d", name, k, got, truth[k])
		}
	}
	for range 30 {
		x, y := grid.Deinterleave(keys[r.IntN(len(keys))])
		size := uint64(1) << r.IntN(12)
		a := box{x0: uint64(x) - min(uint64(x), r.Uint64N(size)), y0: uint64(y) - min(uint64(y), r.Uint64N(size))}
		a.x1, a.y1 = a.x0+size, a.y0+1+r.Uint64N(size)
		n := uint64(0)
		for _, k := range keys {
			if a.has(k) {
				n += truth[k]
			}
		}
		if low, high := bounds(s, &a); sums && low > n || high < n {
			t.Fatalf("%s: box %+v has %d points, bounds %d and %d", name, a, n, low, high)
		}
	}
}

func TestRemove(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 0))
	for name, counts := range inOrder(smallShapes(r)) {
		s, truth := mixed(r, counts)
		keys := sortedByNumber(truth)
		for step := 0; len(keys) > 0 && step < 40; step++ {
			i := r.IntN(len(keys))
			k := keys[i]
			n := 1 + r.Uint64N(truth[k])
			next, err := cells.Remove(s, k, n)
			if err != nil {
				t.Fatalf("%s: %d of %d points in cell %#x: %v", name, n, truth[k], k, err)
			}
			if next.Total() != s.Total()-n {
				t.Fatalf("%s: %d points less %d are %d", name, s.Total(), n, next.Total())
			}
			s = next
			if truth[k] -= n; truth[k] == 0 {
				delete(truth, k)
				keys = slices.Delete(keys, i, i+1)
			}
			if step%10 == 0 {
				holds(t, r, name, &s, truth, true)
			}
		}
		if len(keys) > 0 {
			k := keys[0]
			if _, err := cells.Remove(s, k, counted(&s, k)+1); !errors.Is(err, cells.ErrAbsent) {
				t.Errorf("%s: more points removed than there are: %v", name, err)
			}
		}
	}
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

// A part that is taken away leaves the rest, exactly where the rest says so.
func TestSubtract(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 0))
	done, coarse := 0, 0
	for name, counts := range inOrder(smallShapes(r)) {
		for tau := range Tau(60) {
			part, rest := map[uint64]uint64{}, map[uint64]uint64{}
			for _, k := range sortedByNumber(counts) {
				n := r.Uint64N(counts[k] + 1)
				if n > 0 {
					part[k] = n
				}
				if n < counts[k] {
					rest[k] = counts[k] - n
				}
			}
			whole := cut(squaresOf(counts), Tau(r.IntN(80)))
			got, err := cells.Subtract(whole, cut(squaresOf(part), tau))
			switch {
			case errors.Is(err, cells.ErrCoarse):
				coarse++
				continue
			case err != nil:
				t.Fatalf("%s: %v", name, err)
			}
			done++
			holds(t, r, name, &got, rest, true)
			if a, b := whole.Total()-got.Total(), squaresOf(part); a != b.Total() {
				t.Fatalf("%s: %d points went, expected %d", name, a, b.Total())
			}
		}
	}
	if done < 50 || coarse < 50 {
		t.Errorf("%d parts taken away, %d too coarse: expected many of both", done, coarse)
	}
	a := squaresOf(map[uint64]uint64{5: 2})
	if _, err := cells.Subtract(a, squaresOf(map[uint64]uint64{6: 1})); !errors.Is(err, cells.ErrAbsent) {
		t.Errorf("a point elsewhere: %v", err)
	}
	full := squaresOf(map[uint64]uint64{5: math.MaxUint64})
	if got, err := cells.Subtract(full, a); err != nil || got.Counts[0] != math.MaxUint64 || got.Total() != math.MaxUint64 {
		t.Errorf("a saturated count less 2 is %v, %v", got.Counts, err)
	}
}

func TestIntersectAndMask(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 0))
	for name, counts := range inOrder(smallShapes(r)) {
		for range 10 {
			a, inA := mixed(r, counts)
			b, inB := mixed(r, counts)
			least, masked := map[uint64]uint64{}, map[uint64]uint64{}
			for k, n := range inA {
				if m := inB[k]; m > 0 {
					least[k], masked[k] = min(m, n), n
				}
			}
			both, back := cells.Intersect(a, b), cells.Intersect(b, a)
			holds(t, r, name+" intersected", &both, least, false)
			if !equal(&both, &back) {
				t.Fatalf("%s: an intersection depends on the order", name)
			}
			// If no squares lie inside others, every cell has the smaller count.
			c, d := cut(squaresOf(inA), Tau(r.IntN(100))), cut(squaresOf(inB), Tau(r.IntN(100)))
			both = cells.Intersect(c, d)
			for _, k := range slices.Concat(c.Keys, d.Keys)[:min(c.Len()+d.Len(), 50)] {
				if got, want := counted(&both, k), min(counted(&c, k), counted(&d, k)); got != want {
					t.Fatalf("%s: a cell in both counts %d, expected %d", name, got, want)
				}
			}
			m := cells.Mask(a, b)
			holds(t, r, name+" masked", &m, masked, false)
			if m.Total() > a.Total() {
				t.Errorf("%s: %d points left by a mask, of %d", name, m.Total(), a.Total())
			}
		}
		// Cells are intersected and masked exactly, and a tree meets itself.
		c, d := squaresOf(counts), squaresOf(map[uint64]uint64{77: 1, 0: 3})
		want := map[uint64]uint64{}
		for k, n := range counts {
			if m := map[uint64]uint64{77: 1, 0: 3}[k]; m > 0 {
				want[k] = min(n, m)
			}
		}
		got, exact := cells.Intersect(c, d), squaresOf(want)
		if !equal(&got, &exact) {
			t.Errorf("%s: cells in both are %v, expected %v", name, got, exact)
		}
		tree := cut(c, 30)
		if same := cells.Intersect(tree, tree); !equal(&same, &tree) {
			t.Errorf("%s: a tree is not what it shares with itself", name)
		}
		if same := cells.Mask(tree, c); same.Total() != tree.Total() || same.Len() != tree.Len() {
			t.Errorf("%s: a tree masked by its own cells has %d points, not %d", name, same.Total(), tree.Total())
		}
	}
}

func TestCoarsen(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 0))
	for name, counts := range inOrder(smallShapes(r)) {
		for _, levels := range []uint8{0, 1, 3, 7} {
			truth := map[uint64]uint64{}
			for k, n := range counts {
				x, y := grid.Deinterleave(k)
				coarse := func(v uint32) uint32 {
					return uint32(math.Floor((float64(v)-cells.Bias)/float64(uint64(1)<<levels)) + cells.Bias)
				}
				truth[grid.Interleave(coarse(x), coarse(y))] += n
			}
			coarsen := func(s cells.Squares) (cells.Squares, bool) {
				l, err := cells.List{{Label: cells.Label{None: true}, Squares: s}}.Coarser(1 << levels)
				if err != nil || len(l) > 1 {
					return cells.Squares{}, false
				}
				return l.Squares(cells.Label{None: true}), true
			}
			coarse, ok := coarsen(squaresOf(counts))
			want := squaresOf(truth)
			if !ok || !equal(&coarse, &want) {
				t.Fatalf("%s: cells on a grid 2^%d times as coarse are others", name, levels)
			}
			s, _ := mixed(r, counts)
			if got, ok := coarsen(s); ok {
				if got.Total() != s.Total() {
					t.Fatalf("%s: %d points, %d before", name, got.Total(), s.Total())
				}
			} else if name != "corners" && name != "lonely" {
				t.Errorf("%s: no square on a grid 2^%d times as coarse", name, levels)
			}
			tree := cut(squaresOf(counts), 40)
			if got, ok := coarsen(tree); ok {
				holds(t, r, name, &got, truth, true)
			}
		}
	}
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
