package ccbf

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// TestSweepReadsWhatCellsRead: counters read row by row as they do cell by cell. Layers have any
// widths, with categories and coarsened, and a batch ends within a row.
func TestSweepReadsWhatCellsRead(t *testing.T) {
	for name, params := range map[string]Params{
		"4 bits":           {Bytes: 3000, Dense: true},
		"a power of two":   {Dense: true, Widths: []int{4, 8}, Counters: []uint64{1 << 12, 1 << 6}},
		"far":              {Dense: true, Bytes: 6 << 20},
		"8 bits":           {Bytes: 3000, Dense: true, Mode: Standard},
		"16 bits":          {Dense: true, Widths: []int{16, 32}, Counters: []uint64{3000, 100}},
		"32 bits":          {Dense: true, Widths: []int{32}, Counters: []uint64{2048}},
		"odd bits":         {Dense: true, Widths: []int{5, 9}, Counters: []uint64{3000, 100}},
		"one counter each": {Dense: true, Bytes: 3000, K: 1},
		"of three it is 0": {Dense: true, Bytes: 3000, K: 3},
		"categories":       {Bytes: 3000, Dense: true, Categories: true},
		"coarsened":        {Bytes: 6000, Dense: true, Levels: 1},
	} {
		r := rand.New(rand.NewPCG(320, 0))
		b := NewBuilder(config(t, params), nil)
		var category []byte
		class := key.None
		if params.Categories {
			category, class = []byte("a"), key.Text
		}
		for range 2000 {
			c := grid.Cell{X: int64(r.NormFloat64() * 150), Y: int64(r.NormFloat64() * 5)}
			noError(t, b.Add(c, category, class, 1+r.Uint64N(30)*r.Uint64N(2)))
		}
		s := must(b.Sketch())
		if params.Levels > 0 {
			noError(t, s.Coarsen(2))
		}
		v := viewOf(t, s.Blob())
		side := v.Grid.Res()
		box := bound(-300*side, -7*side, 301*side, 8*side)
		pixels := make([]uint64, 601*15)
		noError(t, v.Raster(pixels, box, 601, 15, Of(category)))
		sum, some := uint64(0), 0
		for i, got := range pixels {
			at := grid.Cell{X: int64(i%601) - 300, Y: 7 - int64(i/601)}
			want := uint64(0)
			if v.Bounds.Contains(at) {
				want = v.Count(at, category)
			}
			if got != want {
				t.Fatalf("%s: %v is %d in the raster, %d by itself", name, at, got, want)
			}
			if sum += want; want > 0 {
				some++
			}
		}
		if got := must(v.Sum(Box(boxOf(t, v.Grid, box)), Of(category))); got != sum || some < 100 || some == len(pixels) {
			t.Errorf("%s: a sum of %d, that of %d cells is %d", name, got, some, sum)
		}
		spots := 0
		if err := v.reader().Hotspots(everywhere, 5, Of(category), func(s form.Spot) bool {
			spots++
			if n := v.Count(s.Cell, category); n != s.Count || n < 5 {
				t.Fatalf("%s: %v of a cell that counts %d", name, s, n)
			}
			return spots < 7
		}); err != nil || spots != 7 {
			t.Errorf("%s: %d spots, then %v", name, spots, err)
		}
	}
}

// TestFewCellsCountAsOneByOne: a few cells are counted together as they are one by one, in any
// number of rows. Sketches have plain cells, coarser ones, or categories. Every value is reported.
func TestFewCellsCountAsOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(341, 0))
	for name, p := range map[string]Params{"cells": {}, "coarser": {Levels: 2}, "category": {Categories: true}} {
		p.Dense, p.Bytes = true, 4_000
		b := NewBuilder(config(t, p), nil)
		var category []byte
		for range 2_000 {
			if p.Categories {
				category = []byte{byte(r.IntN(2))}
			}
			noError(t, b.Add(grid.Cell{X: r.Int64N(90), Y: r.Int64N(90)}, category, key.None, 1+r.Uint64N(30)*r.Uint64N(2)))
		}
		s := must(b.Sketch())
		if p.Levels > 0 {
			noError(t, s.Coarsen(1<<p.Levels))
		}
		v := viewOf(t, s.Blob())
		for range 300 {
			at := grid.Rect{MinX: v.Bounds.MinX + r.Int64N(10), MinY: v.Bounds.MinY + r.Int64N(10)}
			at.MaxX = at.MinX + r.Int64N(10)
			at.MaxY = at.MinY + r.Int64N(65/(at.MaxX-at.MinX+1)+1)
			at = at.Intersect(v.Bounds)
			var got, want []uint64
			sum := uint64(0)
			for y := at.MinY; y <= at.MaxY; y++ {
				for x := at.MinX; x <= at.MaxX; x++ {
					n := v.Count(grid.Cell{X: x, Y: y}, category)
					want, sum = append(want, n), sum+n
				}
			}
			n := must(countersOf(v).AreaSums(form.Box{Box: cells.Box(at)}, Of(category), func(n uint64) { got = append(got, n) }))
			slices.Sort(got) // a sweep tells what is 0 last
			slices.Sort(want)
			if n != sum || !slices.Equal(got, want) {
				t.Fatalf("%s: %v sums to %d of %d, one by one to %d of %d", name, at, n, got, sum, want)
			}
		}
	}
}

var everywhere = form.Box{Box: cells.Box(grid.MaxRect())}

// TestSweepsOfAllSizes: a box sums to the counts of its cells, looked up one by one. Boxes have fewer columns
// than are swept together, as many, and more.
func TestSweepsOfAllSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(321, 0))
	b := NewBuilder(config(t, Params{Dense: true, Bytes: 40_000}), nil)
	for range 10_000 {
		c := grid.Cell{X: r.Int64N(20_000), Y: r.Int64N(60)}
		noError(t, b.Add(c, nil, key.None, 1+r.Uint64N(30)*r.Uint64N(2)))
	}
	v := viewOf(t, must(b.Sketch()).Blob())
	for _, size := range [][2]int64{{1, 1}, {1, 50}, {7, 3}, {256, 2}, {257, 40}, {9_000, 1}, {9_000, 59}, {17_384, 2}, {17_384, 40}} {
		box := grid.Rect{MinX: v.Bounds.MinX + r.Int64N(1000), MinY: v.Bounds.MinY}
		box.MaxX, box.MaxY = box.MinX+size[0]-1, box.MinY+size[1]-1
		want := uint64(0)
		for y := box.MinY; y <= box.MaxY; y++ {
			for x := box.MinX; x <= box.MaxX; x++ {
				want += v.Count(grid.Cell{X: x, Y: y}, nil)
			}
		}
		if got := must(v.Sum(Box(box), Categories{})); got != want {
			t.Errorf("%d x %d cells sum to %d, one by one to %d", size[0], size[1], got, want)
		}
	}
}
