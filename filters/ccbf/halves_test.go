package ccbf

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/beside"
	"github.com/paulmach/orb"
)

// A tree that is made by two goroutines has the bytes that one makes; and there is no second
// one without Spare.
func TestMadeInHalves(t *testing.T) {
	const least = 4 // nodes, sizes, excess, BLOB
	cfg := config(t, Params{Res: 1, Bytes: 50_000, Overflow: ToTree})
	asked := 0
	var blobs [2][]byte
	for i := range blobs {
		r := rand.New(rand.NewPCG(77, 0))
		b := NewBuilder(cfg, nil)
		if i == 1 {
			b.Spare = func() bool { asked++; return true }
		}
		before := beside.Started()
		for range 600_000 { // 311,000 cells of 400,000, about
			if err := b.Add(grid.Cell{X: r.Int64N(2000), Y: r.Int64N(200)}, nil, 0, 1); err != nil {
				t.Fatal(err)
			}
		}
		blobs[i] = blobOf(t, b)
		if got := int(beside.Started() - before); (got > 0) != (i == 1) || got != asked {
			t.Errorf("%d goroutines, asked %d times", got, asked)
		}
	}
	sameBytes(t, "halves", blobs[0], blobs[1])
	if asked < least {
		t.Errorf("asked %d times", asked)
	}
	if v, err := NewView(blobs[0]); err != nil || v.Form() != Tree {
		t.Errorf("%v, %v", v.Form(), err)
	}
}

// A raster of counters that two goroutines make is the one that one makes, with levels and
// without; and so is what is too much.
func TestRasterInHalves(t *testing.T) {
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
		var rasters [2][]uint64
		for i := range rasters {
			v.Spare = nil
			if i == 1 {
				v.Spare = func() bool { return true }
			}
			before := beside.Started()
			rasters[i] = make([]uint64, width*height)
			if err := v.Raster(rasters[i], box, width, height, nil); err != nil {
				t.Fatal(err)
			}
			if got := beside.Started() - before; got != int64(i) {
				t.Errorf("%d levels: %d goroutines", levels, got)
			}
		}
		if !slices.Equal(rasters[0], rasters[1]) {
			t.Errorf("%d levels: the halves make another raster", levels)
		}
		if levels > 0 {
			if want := squareBySquare(&v, box, width, height); !slices.Equal(rasters[1], want) {
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
			if want, err := v.BoxSum(rect, nil); err != nil || rasters[1][i] != want {
				t.Fatalf("pixel %d: %d, the sum of its cells is %d, %v", i, rasters[1][i], want, err)
			}
		}
		var errs [2]error
		for i := range errs {
			v.LimitAreas()
			v.covered = AreaLimit - 1_000_000
			v.Spare = nil
			if i == 1 {
				v.Spare = func() bool { return true }
			}
			errs[i] = v.Raster(rasters[i], box, 1, 1, nil)
			if errs[i] == nil {
				errs[i] = v.Raster(rasters[i][:2], box, 1, 2, nil)
			}
		}
		if errs[0] == nil || errs[1] == nil || errs[0].Error() != errs[1].Error() {
			t.Errorf("%d levels: %v alone, %v in halves", levels, errs[0], errs[1])
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
		least = min(least, v.level(level, at, nil))
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

// The largest cells that two goroutines list are those that a map has: in several regions, in
// a box of all cells and in one of a part.
func TestHotspotsInHalves(t *testing.T) {
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
			for i, spare := range []func() bool{nil, func() bool { return true }} {
				v.Spare = spare
				before := beside.Started()
				spots, err := v.Hotspots(box, least, nil)
				if err != nil || len(spots) != len(want) {
					t.Fatalf("%d cells, want %d, %v", len(spots), len(want), err)
				}
				if n := beside.Started() - before; n != int64(i) {
					t.Errorf("%d goroutines, want %d", n, i)
				}
				left := maps.Clone(want)
				for j, s := range spots {
					if n, is := left[s.Cell]; !is || s.Count != n || j > 0 && s.Count > spots[j-1].Count {
						t.Fatalf("spot %d is %+v, want %d", j, s, n)
					}
					delete(left, s.Cell)
				}
			}
		}
	}
}
