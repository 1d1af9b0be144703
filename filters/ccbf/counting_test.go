package ccbf

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/paulmach/orb"
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

// From the first weight on, a section counts every point in its order, also after a full batch. The bytes equal
// the bytes of a builder that counts one by one.
func TestWeightsCountOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(334, 0))
	c := config(t, Params{Dense: true, K: 4, Widths: []int{4, 8, 16}, Counters: []uint64{3 << 10, 3 << 7, 3 << 4}})
	keys := make([]uint64, 5*countAtOnce)
	for i := range keys {
		keys[i] = r.Uint64N(500)
	}
	some, single := NewBuilder(c, nil), NewBuilder(c, nil)
	single.OneByOne = true
	for _, b := range []*Builder{some, single} {
		noError(t, b.Add(cells.CellOf(0, 0, 7), nil, key.None, 2))
		noError(t, b.addPoints(keys))
	}
	sameBytes(t, "weights", blobOf(t, single), blobOf(t, some))
	plain := NewBuilder(c, nil)
	noError(t, plain.addPoints(append([]uint64{7, 7}, keys...)))
	if bytes.Equal(blobOf(t, plain), blobOf(t, single)) {
		t.Error("without weights, points of a cell are added up, but the bytes are the same")
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

// TestSweepReadsWhatCellsRead: counters of a box read as they do cell by cell, and every value is
// reported. Layers have any widths, with categories and coarsened. Boxes have fewer columns than are swept
// together, as many, and more; a batch ends within a row.
func TestSweepReadsWhatCellsRead(t *testing.T) {
	for name, params := range map[string]Params{
		"4 bits":           {Bytes: 3000},
		"a power of two":   {Widths: []int{4, 8}, Counters: []uint64{1 << 12, 1 << 6}},
		"far":              {Bytes: 6 << 20},
		"8 bits":           {Bytes: 3000, Mode: Standard},
		"16 bits":          {Widths: []int{16, 32}, Counters: []uint64{3000, 100}},
		"32 bits":          {Widths: []int{32}, Counters: []uint64{2048}},
		"odd bits":         {Widths: []int{5, 9}, Counters: []uint64{3000, 100}},
		"one counter each": {Bytes: 3000, K: 1},
		"of three it is 0": {Bytes: 3000, K: 3},
		"categories":       {Bytes: 3000, Categories: true},
		"coarsened":        {Bytes: 6000, Levels: 2},
	} {
		r := rand.New(rand.NewPCG(320, 0))
		params.Dense = true
		b := NewBuilder(config(t, params), nil)
		var category []byte
		class := key.None
		if params.Categories {
			category, class = []byte("a"), key.Text
		}
		for range 2000 {
			c := grid.Cell{X: r.Int64N(20_000), Y: r.Int64N(60)}
			if r.IntN(2) == 0 {
				c.X = r.Int64N(90)
			}
			noError(t, b.Add(c, category, class, 1+r.Uint64N(30)*r.Uint64N(2)))
		}
		s := must(b.Sketch())
		if params.Levels > 0 {
			noError(t, s.Coarsen(1<<params.Levels))
		}
		v := viewOf(t, s.Blob())
		sizes := [][2]int64{{1, 1}, {1, 50}, {7, 3}, {256, 2}, {257, 40}, {9_000, 1}, {9_000, 12}, {17_384, 2}}
		for range 100 {
			width := 1 + r.Int64N(10)
			sizes = append(sizes, [2]int64{width, 1 + r.Int64N(65/width)})
		}
		for _, size := range sizes {
			box := grid.Rect{MinX: v.Bounds.MinX + r.Int64N(100), MinY: v.Bounds.MinY + r.Int64N(3)}
			box.MaxX, box.MaxY = box.MinX+size[0]-1, box.MinY+size[1]-1
			box = box.Intersect(v.Bounds)
			var got, want []uint64
			sum := uint64(0)
			for c := range box.Cells() {
				n := v.Count(c, category)
				want, sum = append(want, n), sum+n
			}
			n := must(countersOf(v).AreaSums(form.Box(box), Of(category), func(n uint64) { got = append(got, n) }))
			slices.Sort(got) // a sweep tells what is 0 last
			slices.Sort(want)
			if all := must(v.Sum(Box(box), Of(category))); n != sum || all != min(sum, v.most()) || !slices.Equal(got, want) {
				t.Fatalf("%s: %v sums to %d and %d, one by one to %d", name, box, n, all, sum)
			}
		}
		shown := v.Grid.Bound(grid.Rect{MinX: v.Bounds.MinX, MinY: v.Bounds.MinY, MaxX: v.Bounds.MinX + 39, MaxY: v.Bounds.MinY + 9})
		(&judge{t, r, v, model{}, true}).picture(fmt.Sprint(name, ", a pixel for each cell"), shown, 40, 10, Of(category))
		top := form.Top{K: math.MaxInt, Most: 6, Least: 5}
		noError(t, v.reader().Top(form.Box{MinY: -1, MaxX: 200, MaxY: 100}, Of(category), &top))
		for _, s := range top.Cells {
			if n := v.Count(s.Cell, category); n != s.Count || n < 5 {
				t.Fatalf("%s: %v of a cell that counts %d", name, s, n)
			}
		}
		if len(top.Cells) != 6 || !top.Full {
			t.Errorf("%s: %d spots", name, len(top.Cells))
		}
	}
}

// Searches end at the limit of their list. Without levels, TopK has the limits of Hotspots for any polygon.
func TestSearchesEnd(t *testing.T) {
	for _, levels := range []int{0, 3} {
		r := rand.New(rand.NewPCG(321, 0))
		b := NewBuilder(config(t, Params{Dense: true, Bytes: 4096, Levels: levels}), nil)
		for range 300 {
			noError(t, b.Add(grid.Cell{X: r.Int64N(4000), Y: r.Int64N(4000)}, nil, key.None, 1+r.Uint64N(9)))
		}
		v := viewOf(t, must(b.Sketch()).Blob())
		for most := range 9 {
			calls := 0
			top := form.Top{Least: 1, Each: func(form.Spot) bool { calls++; return calls <= most }}
			noError(t, v.reader().Top(form.Box{MaxX: 999, MaxY: 999}, Categories{}, &top))
			if calls != most+1 || !top.Full {
				t.Errorf("%d levels: %d calls for at most %d cells", levels, calls, most)
			}
		}
		failed := 0
		for range 40 {
			ring := orb.Ring{}
			for range 3 {
				ring = append(ring, orb.Point{r.Float64() * 4000, r.Float64() * 4000})
			}
			area := NewPolygon(orb.MultiPolygon{{append(ring, ring[0])}}).Area()
			_, hot := v.Hotspots(area, math.MaxUint64, Categories{})
			_, top := v.TopK(area, 5, Categories{})
			if levels == 0 && fmt.Sprint(hot) != fmt.Sprint(top) {
				t.Fatalf("%v: hot spots are %v, the largest cells %v", ring, hot, top)
			}
			if hot != nil {
				failed++
			}
		}
		if levels == 0 && (failed < 5 || failed > 35) {
			t.Errorf("%d polygons of 40 are too large", failed)
		}
	}
}
