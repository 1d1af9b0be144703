package ccbf

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// A raster of counters has the sums of its pixels and, with levels, what its squares read.
func TestRasterOfCounters(t *testing.T) {
	for _, levels := range []int{0, 6} {
		b := NewBuilder(config(t, Params{Res: 1, Bytes: 1 << 18, Dense: true, Levels: levels}), nil)
		r := rand.New(rand.NewPCG(78, uint64(levels)))
		for range 30_000 {
			if err := b.Add(grid.Cell{X: r.Int64N(1200), Y: r.Int64N(1200)}, nil, 0, 1+r.Uint64N(3)); err != nil {
				t.Fatal(err)
			}
		}
		v, err := NewView(blobOf(t, b))
		if err != nil {
			t.Fatal(err)
		}
		box := orb.Bound{Min: orb.Point{-10, 7}, Max: orb.Point{1190, 1211}}
		const width, height = 70, 50
		raster := make([]uint64, width*height)
		if err := v.Raster(raster, box, width, height, Categories{}); err != nil {
			t.Fatal(err)
		}
		if levels > 0 {
			if want := squareBySquare(&v, box, width, height); !slices.Equal(raster, want) {
				t.Errorf("%d levels: squares looked up one by one make another raster", levels)
			}
		}
		for i := range width * height { // without levels, sums of pixels
			if levels > 0 {
				break // BoxSum takes other squares
			}
			x, y := i%width, height-1-i/width
			rect, err := v.Grid.Box(-10+1200*float64(x)/width, 7+1204*float64(y)/height, -10+1200*float64(x+1)/width, 7+1204*float64(y+1)/height)
			if err != nil {
				t.Fatal(err)
			}
			if want, err := v.Sum(Box(rect), Categories{}); err != nil || raster[i] != want {
				t.Fatalf("pixel %d: %d, the sum of its cells is %d, %v", i, raster[i], want, err)
			}
		}
		v.limitAreas()
		v.head.Limit.Covered = AreaLimit - 1000
		err = v.Raster(raster[:1], box, 1, 1, Categories{})
		if err == nil {
			err = v.Raster(raster[:2], box, 1, 2, Categories{})
		}
		var many *ErrTooManyCells
		if !errors.As(err, &many) || many.Limit > AreaLimit {
			t.Errorf("%d levels: %v where too many were asked before", levels, err)
		}
	}
}

// squareBySquare is a raster of counters with levels, by its definition: of the largest squares
// inside each pixel, the least that they and those above them read.
func squareBySquare(v *View, b orb.Bound, width, height int) []uint64 {
	dst, columns, lines := make([]uint64, width*height), make([]int64, width+1), make([]int64, height+1)
	v.Grid.Cuts(columns, b.Min[0], b.Max[0])
	v.Grid.Cuts(lines, b.Min[1], b.Max[1])
	box := grid.Rect{MinX: columns[0], MinY: lines[0], MaxX: columns[width] - 1, MaxY: lines[height] - 1}.Intersect(v.Bounds)
	var draw func(level int, at grid.Cell, least uint64)
	draw = func(level int, at grid.Cell, least uint64) {
		x, y, side := at.X<<level, at.Y<<level, int64(1)<<level
		if (grid.Rect{MinX: x, MinY: y, MaxX: x + side - 1, MaxY: y + side - 1}).Intersect(box).Empty() {
			return
		}
		least = min(least, levelCount(v, level, at, nil))
		i, _ := slices.BinarySearch(columns, x+1)
		j, _ := slices.BinarySearch(lines, y+1)
		if i > 0 && i <= width && x+side <= columns[i] && j > 0 && j <= height && y+side <= lines[j] {
			dst[(height-j)*width+i-1] += least
			return
		}
		for part := range int64(4) {
			if level > 0 {
				draw(level-1, grid.Cell{X: 2*at.X + part&1, Y: 2*at.Y + part>>1}, least)
			}
		}
	}
	top := box.Squares(int(v.Levels))
	for y := top.MinY; y <= top.MaxY; y++ {
		for x := top.MinX; x <= top.MaxX; x++ {
			draw(int(v.Levels), grid.Cell{X: x, Y: y}, ^uint64(0))
		}
	}
	return dst
}

// The largest cells are those that a map has: in several regions, in a box of all cells and in one
// of a part.
func TestHotspotsOfRegions(t *testing.T) {
	b := NewBuilder(config(t, Params{Res: 1, Bytes: 1 << 20}), nil)
	r := rand.New(rand.NewPCG(79, 0))
	counts := map[grid.Cell]uint64{}
	for range 60_000 {
		c, n := grid.Cell{X: cells.Highest - 150 + r.Int64N(300), Y: r.Int64N(300)}, 1+r.Uint64N(9)
		counts[c] += n
		if err := b.Add(c, nil, 0, n); err != nil {
			t.Fatal(err)
		}
	}
	v, err := NewView(blobOf(t, b))
	if err != nil {
		t.Fatal(err)
	}
	for _, box := range []grid.Rect{v.Bounds, {MinX: cells.Highest - 20, MinY: 30, MaxX: cells.Highest + 80, MaxY: 260}} {
		for _, least := range []uint64{1, 20} {
			want := map[grid.Cell]uint64{}
			for c, n := range counts {
				if n >= least && box.Contains(c) {
					want[c] = n
				}
			}
			spots, err := v.Hotspots(Box(box), least, Categories{})
			if err != nil || len(spots) != len(want) {
				t.Fatalf("%d cells, want %d, %v", len(spots), len(want), err)
			}
			for j, s := range spots {
				if n, is := want[s.Cell]; !is || s.Count != n || j > 0 && s.Count > spots[j-1].Count {
					t.Fatalf("spot %d is %+v, want %d", j, s, n)
				}
				delete(want, s.Cell)
			}
		}
	}
}
