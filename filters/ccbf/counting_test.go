package ccbf

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
)

// TestRecentCellsInTheDenseForm: points of recent cells are counted together. Sums equal those counted
// one by one. Minimal increment is never below the truth, and at most 2% further off than one by one.
func TestRecentCellsInTheDenseForm(t *testing.T) {
	r := rand.New(rand.NewPCG(333, 0))
	z := rand.NewZipf(r, 1.2, 2, 1<<22)
	keys, truth := make([]uint64, 50*mostRecents+5), map[uint64]uint64{}
	for i := range keys {
		keys[i] = z.Uint64() * 0x9e3779b97f4a7c15 >> 38
	}
	for _, k := range keys {
		truth[k]++
	}
	for _, mode := range []Mode{Standard, MinimalIncrement} {
		c := config(t, Params{Dense: true, Mode: mode, K: 4, Widths: []int{4, 8, 16}, Counters: []uint64{3 << 17, 3 << 14, 3 << 11}})
		together, single := NewBuilder(c, nil), NewBuilder(c, nil)
		noError(t, together.addPoints(keys))
		if slots := together.plain.counting.recents.Slots(); slots > together.recentsFor() || slots <= leastRecents {
			t.Errorf("mode %v: %d recent cells, %d may be kept", mode, slots, together.recentsFor())
		}
		single.OneByOne = true
		noError(t, single.addPoints(keys))
		a, b := blobOf(t, together), blobOf(t, single)
		if mode == Standard {
			sameBytes(t, "sums", a, b)
			continue
		}
		if x, y := excessOf(t, viewOf(t, a), truth), excessOf(t, viewOf(t, b), truth); x > y+y/50 || y == 0 {
			t.Errorf("counts are %d too high together, %d one by one", x, y)
		}
	}
}

// excessOf is by how much all counts are too high.
func excessOf(t *testing.T, v *View, truth map[uint64]uint64) (sum uint64) {
	t.Helper()
	for key, n := range truth {
		got := v.Count(cells.CellOf(0, 0, key), nil)
		if got < n {
			t.Fatalf("key %d counts %d, want at least %d", key, got, n)
		}
		sum += got - n
	}
	return sum
}

// TestMergingRecentCells: merging a builder adds its recent cells, whether the other one has
// counters or not, and does not change it. Sums count all keys.
func TestMergingRecentCells(t *testing.T) {
	keys := make([]uint64, 1<<17)
	for i := range keys {
		keys[i] = uint64(i) * uint64(i) % 2999
	}
	c := config(t, Params{Dense: true, Mode: Standard, Bytes: 1 << 18})
	all, from := NewBuilder(c, nil), NewBuilder(c, nil)
	all.OneByOne = true
	for _, b := range []*Builder{from, all, all} {
		noError(t, b.addPoints(keys))
	}
	if from.plain.counting.recents.Slots() == 0 {
		t.Fatal("there are no recent cells to be merged")
	}
	want := blobOf(t, all)
	for range 2 {
		empty, half := NewBuilder(c, nil), NewBuilder(c, nil)
		noError(t, half.addPoints(keys))
		for _, b := range []*Builder{empty, empty, half} {
			noError(t, b.Merge(from))
		}
		sameBytes(t, "merged into an empty one, twice", blobOf(t, empty), want)
		sameBytes(t, "merged into one that counts", blobOf(t, half), want)
	}
}

// Cells of other regions than the recent ones, and too far from each other for one word, are counted all the same.
func TestRecentCellsFarApart(t *testing.T) {
	c := config(t, Params{Dense: true, Mode: Standard, Bytes: 1 << 18})
	together, single := NewBuilder(c, nil), NewBuilder(c, nil)
	single.OneByOne = true
	for turn, far := range []uint64{0, 1 << 50, 1 << 60, 1 << 60, 0, 0} {
		keys := make([]uint64, 3*countAtOnce)
		for i := range keys {
			keys[i] = uint64(i%999) + far
		}
		if turn == 3 {
			keys[7] = 3
		}
		for _, b := range []*Builder{together, single} {
			noError(t, b.addPoints(keys))
		}
	}
	sameBytes(t, "far apart", blobOf(t, together), blobOf(t, single))
}

// A builder whose points are all recent cells says how its counters came about wherever it is merged into.
func TestMergedRecentCellsWereCountedOneByOne(t *testing.T) {
	keys := make([]uint64, 2*countAtOnce)
	for i := range keys {
		keys[i] = uint64(i % 50)
	}
	c := config(t, Params{Dense: true, Bytes: 1 << 18})
	from, into := NewBuilder(c, nil), NewBuilder(c, nil)
	noError(t, from.addPoints(keys))
	noError(t, into.Merge(from))
	sameBytes(t, "merged into an empty one", blobOf(t, into), blobOf(t, from))
}
