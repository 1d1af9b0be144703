package ccbf

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/paulmach/orb"
)

// bound is a box by its edges.
func bound(xmin, ymin, xmax, ymax float64) orb.Bound {
	return orb.Bound{Min: orb.Point{xmin, ymin}, Max: orb.Point{xmax, ymax}}
}

// randomBound is a box with edges anywhere within reach, or on halves, where
// centres and edges of cells of side 1 lie.
func randomBound(r *rand.Rand, reach float64) orb.Bound {
	edge := func() float64 {
		v := (r.Float64()*2 - 1) * reach
		if r.IntN(2) == 0 {
			v = math.Round(v*2) / 2
		}
		return v
	}
	for {
		b := bound(edge(), edge(), edge(), edge())
		if b.Min[0] > b.Max[0] {
			b.Min[0], b.Max[0] = b.Max[0], b.Min[0]
		}
		if b.Min[1] > b.Max[1] {
			b.Min[1], b.Max[1] = b.Max[1], b.Min[1]
		}
		if form.CheckRaster(b, 1, 1) == nil {
			return b
		}
	}
}

// pixelBound is the box of a pixel, as Raster documents it.
func pixelBound(b orb.Bound, width, height, row, column int) orb.Bound {
	edge := func(axis, i, n int) float64 {
		if i == n {
			return b.Max[axis]
		}
		return b.Min[axis] + (b.Max[axis]-b.Min[axis])*float64(i)/float64(n)
	}
	return bound(edge(0, column, width), edge(1, height-1-row, height), edge(0, column+1, width), edge(1, height-row, height))
}

func boxOf(t testing.TB, g grid.Grid, b orb.Bound) grid.Rect {
	t.Helper()
	return must(g.Box(b.Min[0], b.Min[1], b.Max[0], b.Max[1]))
}

// TestRasterIsMadeOfSums: each pixel is the sum of its box, and all pixels add up to the sum of the
// whole box. Pixels are larger than cells or smaller.
func TestRasterIsMadeOfSums(t *testing.T) {
	for name, params := range forms() {
		r := rand.New(rand.NewPCG(71, 0))
		v := viewOf(t, blobOf(t, builderOf(t, config(t, params), hot(r, 4000, 900))))
		for i := range 60 {
			b := randomBound(r, []float64{3, 30, 150}[i%3])
			width, height := 1+r.IntN(40), 1+r.IntN(40)
			dst := make([]uint64, width*height)
			dst[0] = 99 // what was there is gone
			noError(t, v.Raster(dst, b, width, height, Categories{}))
			sum := uint64(0)
			for j, got := range dst {
				sum += got
				p := pixelBound(b, width, height, j/width, j%width)
				if want := must(v.Sum(Box(boxOf(t, v.Grid, p)), Categories{})); got != want {
					t.Fatalf("%s: pixel %d of %d x %d of %v is %d, its box sums to %d", name, j, width, height, b, got, want)
				}
			}
			if want := must(v.Sum(Box(boxOf(t, v.Grid, b)), Categories{})); sum != want {
				t.Fatalf("%s: the pixels of %v add up to %d, the box to %d", name, b, sum, want)
			}
		}
	}
}

// Cells at the ends of the world, in several regions, with counts that pass
// 2^64 together.
func TestRasterFarAndHuge(t *testing.T) {
	for name, p := range cellSets() {
		v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Bytes: 1 << 20}), p)))
		const far = grid.MaxIndex + 1
		b := bound(-far, -far, far, far)
		dst := make([]uint64, 63*64)
		noError(t, v.Raster(dst, b, 63, 64, Categories{}))
		m := p.model()
		for j, got := range dst {
			if want := boxTruth(m, boxOf(t, v.Grid, pixelBound(b, 63, 64, j/63, j%63)), nil); got != want {
				t.Fatalf("%s: pixel %d is %d, want %d", name, j, got, want)
			}
		}
	}
}

func TestRasterIsNorthFirst(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{X: -2, Y: 1}, plain}, 7)
	p.add(spot{grid.Cell{X: 1, Y: -2}, plain}, 9)
	for name, params := range map[string]Params{"exact": {}, "dense": {Dense: true}} {
		v := viewOf(t, blobOf(t, builderOf(t, config(t, params), p)))
		counts, density := make([]uint64, 8), make([]float64, 8)
		noError(t, errors.Join(v.Raster(counts, bound(-2, -2, 2, 2), 4, 2, Categories{}), v.Density(density, bound(-2, -2, 2, 2), 4, 2, Categories{})))
		for i, want := range []uint64{7, 0, 0, 0, 0, 0, 0, 9} {
			if counts[i] != want || density[i] != float64(want) {
				t.Errorf("%s: pixel %d is %d and %v, want %d", name, i, counts[i], density[i], want)
			}
		}
	}
}

// density is Density the plain way: every cell against every pixel.
func density(m model, category []byte, side float64, b orb.Bound, width, height int) []float64 {
	out := make([]float64, width*height)
	common := func(a0, a1, b0, b1 float64) float64 { return max(0, min(a1, b1)-max(a0, b0)) }
	for s, n := range m {
		if category != nil && string(category) != s.category {
			continue
		}
		x, y := float64(s.X)*side, float64(s.Y)*side
		for i := range out {
			p := pixelBound(b, width, height, i/width, i%width)
			out[i] += float64(n) * common(x, x+side, p.Min[0], p.Max[0]) / side * common(y, y+side, p.Min[1], p.Max[1]) / side
		}
	}
	return out
}

// viewModel returns the counts of a view near the origin.
func viewModel(v *View, category []byte) model {
	m, box := model{}, v.Bounds.Intersect(grid.Rect{MinX: -150, MinY: -100, MaxX: 150, MaxY: 100})
	for y := box.MinY; y <= box.MaxY; y++ {
		for x := box.MinX; x <= box.MaxX; x++ {
			if c := (grid.Cell{X: x, Y: y}); v.Count(c, category) > 0 {
				m[spot{c, plain}] = v.Count(c, category)
			}
		}
	}
	return m
}

func TestDensity(t *testing.T) {
	for name, params := range forms() {
		for _, res := range []float64{1, 0.3} {
			r := rand.New(rand.NewPCG(72, 0))
			params.Res = res
			v := viewOf(t, blobOf(t, builderOf(t, config(t, params), hot(r, 400, 300))))
			m := viewModel(v, nil)
			total := 0.0
			for _, n := range m {
				total += float64(n)
			}
			for i := range 40 {
				b := randomBound(r, []float64{1, 10, 150}[i%3]*res)
				width, height := 1+r.IntN(20), 1+r.IntN(20)
				got, want := make([]float64, width*height), density(m, nil, res, b, width, height)
				got[0] = 99
				noError(t, v.Density(got, b, width, height, Categories{}))
				for j := range got {
					// Rounding of coordinates: a few ulps of the box in cells.
					if math.Abs(got[j]-want[j]) > 1e-9*total {
						t.Fatalf("%s: pixel %d of %d x %d of %v is %v, want %v", name, j, width, height, b, got[j], want[j])
					}
				}
			}
			// A box around all cells has all points, at any size.
			for _, side := range []int{1, 7, 64, 700} {
				got, sum := make([]float64, side*side*2), 0.0
				noError(t, v.Density(got, bound(-110*res, -60*res, 120*res, 70*res), 2*side, side, Categories{}))
				for _, n := range got {
					sum += n
				}
				if math.Abs(sum-total) > 1e-9*total {
					t.Errorf("%s: %d rows of pixels add up to %v, the cells to %v", name, side, sum, total)
				}
			}
		}
	}
}

func TestRasterLimits(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{}, plain}, 2)
	p.add(spot{grid.Cell{X: 20_000, Y: 20_000}, plain}, 4)
	exact := viewOf(t, blobOf(t, builderOf(t, config(t, Params{}), p)))
	dense := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true}), p)))
	nan, inf := math.NaN(), math.Inf(1)
	unit := bound(0, 0, 1, 1)
	for _, c := range []struct {
		b             orb.Bound
		width, height int
		want          error
	}{
		{unit, 0, 1, ErrRaster},
		{unit, 1, 0, ErrRaster},
		{unit, -1, 1, ErrRaster},
		{unit, MaxSide + 1, 1, ErrRaster},
		{unit, 1, math.MaxInt, ErrRaster},
		{unit, MaxSide, MaxSide, ErrRaster},
		{bound(nan, 0, 1, 1), 1, 1, grid.ErrBox},
		{bound(0, 0, 1, nan), 1, 1, grid.ErrBox},
		{bound(-inf, 0, 1, 1), 1, 1, grid.ErrBox},
		{bound(0, 0, 1, inf), 1, 1, grid.ErrBox},
		{bound(-1e308, 0, 1e308, 1), 1, 1, grid.ErrBox},
		{bound(1, 0, 1, 1), 1, 1, grid.ErrBox},
		{bound(0, 2, 1, 1), 1, 1, grid.ErrBox},
		{unit, 1, 2, ErrRaster}, // no room for it in dst
	} {
		counts, density := make([]uint64, 1), make([]float64, 1)
		for _, v := range []*View{exact, dense} {
			if err := v.Raster(counts, c.b, c.width, c.height, Categories{}); !errors.Is(err, c.want) {
				t.Errorf("raster of %v, %d x %d: %v", c.b, c.width, c.height, err)
			}
			if err := v.Density(density, c.b, c.width, c.height, Categories{}); !errors.Is(err, c.want) {
				t.Errorf("density of %v, %d x %d: %v", c.b, c.width, c.height, err)
			}
		}
	}
	if err := form.CheckRaster(unit, MaxSide, MaxPixels/MaxSide); err != nil {
		t.Error(err)
	}
	counts, density := make([]uint64, 4), make([]float64, 4)
	all := bound(0, 0, 20_001, 20_001)
	var tooMany *ErrTooManyCells
	if err := dense.Raster(counts, all, 2, 2, Categories{}); !errors.As(err, &tooMany) {
		t.Errorf("raster of 4e8 cells: %v", err)
	}
	if err := dense.Density(density, all, 2, 2, Categories{}); !errors.As(err, &tooMany) {
		t.Errorf("density of 4e8 cells: %v", err)
	}
	if err := exact.Raster(counts, all, 2, 2, Categories{}); err != nil || counts[2] != 2 || counts[1] != 4 {
		t.Errorf("%v, %v", counts, err)
	}
	// Boxes without a cell, and of no length that floats can divide.
	for _, b := range []orb.Bound{bound(1e300, 1e300, 2e300, 2e300), bound(-1e9, 0, -1e8, 1), bound(1, 1, 1+1e-15, 1+1e-15), bound(-1e-300, -1e-300, -1e-301, 1e-300)} {
		for _, v := range []*View{exact, dense, viewOf(t, blobOf(t, NewBuilder(config(t, Params{}), nil)))} {
			if err := errors.Join(v.Raster(counts, b, 2, 2, Categories{}), v.Density(density, b, 2, 2, Categories{})); err != nil {
				t.Errorf("%v: %v", b, err)
			}
			if sum := counts[0] + counts[1] + counts[2] + counts[3]; sum != 0 {
				t.Errorf("%v: counts of %d", b, sum)
			}
		}
	}
}

// A tree's picture spreads each leaf that Cells lists evenly over its square, wherever that begins.
// Keys begin at cells of index -0x55555555, from which edges of pixels are counted to 2^-22 of a cell.
func TestDensityOfATreeIsItsLeaves(t *testing.T) {
	const res, side = 0.5, 37
	b := NewBuilder(config(t, Params{Res: res, Bytes: 4000}), nil)
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		x := 200 * r.NormFloat64()
		noError(t, b.Add(grid.Cell{X: int64(x), Y: int64(x * r.Float64())}, nil, key.None, 1))
	}
	v := viewOf(t, blobOf(t, b))
	if i := v.Info(); i.Leaves == 0 {
		t.Fatalf("it is no tree: %+v", i)
	}
	box := orb.Bound{Min: orb.Point{-83.7, -41.2}, Max: orb.Point{120.1, 90.4}}
	got, want := make([]float64, side*side), make([]float64, side*side)
	noError(t, v.Density(got, box, side, side, Categories{}))
	dx, dy := (box.Max[0]-box.Min[0])/side, (box.Max[1]-box.Min[1])/side
	both := func(low, high, from, to float64) float64 { return max(min(high, to)-max(low, from), 0) }
	for s := range must(v.Cells(Box(v.Bounds), Categories{})) {
		x, y, leaf := s.Square(v.Grid)
		for j := range side {
			for i := range side {
				west, south := box.Min[0]+float64(i)*dx, box.Max[1]-float64(j+1)*dy
				covered := both(x-leaf/2, x+leaf/2, west, west+dx) * both(y-leaf/2, y+leaf/2, south, south+dy)
				want[j*side+i] += float64(s.Count) * covered / (leaf * leaf)
			}
		}
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-6*(1+want[i]) {
			t.Fatalf("pixel %d has %v points, its leaves put %v there", i, got[i], want[i])
		}
	}
}

// TestRasterOfCounters: a raster of counters has the sums of its pixels. With levels, it has the counts of
// its squares, looked up one by one.
func TestRasterOfCounters(t *testing.T) {
	for _, levels := range []int{0, 6} {
		b := NewBuilder(config(t, Params{Res: 1, Bytes: 1 << 18, Dense: true, Levels: levels}), nil)
		r := rand.New(rand.NewPCG(78, uint64(levels)))
		for range 30_000 {
			noError(t, b.Add(grid.Cell{X: r.Int64N(1200), Y: r.Int64N(1200)}, nil, 0, 1+r.Uint64N(3)))
		}
		v := must(NewView(blobOf(t, b)))
		box := orb.Bound{Min: orb.Point{-10, 7}, Max: orb.Point{1190, 1211}}
		const width, height = 70, 50
		raster := make([]uint64, width*height)
		noError(t, v.Raster(raster, box, width, height, Categories{}))
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
			rect := must(v.Grid.Box(-10+1200*float64(x)/width, 7+1204*float64(y)/height, -10+1200*float64(x+1)/width, 7+1204*float64(y+1)/height))
			if want, err := v.Sum(Box(rect), Categories{}); err != nil || raster[i] != want {
				t.Fatalf("pixel %d: %d, the sum of its cells is %d, %v", i, raster[i], want, err)
			}
		}
		v.limitAreas()
		v.head.Limit.Covered = AreaLimit - 1000
		err := v.Raster(raster[:1], box, 1, 1, Categories{})
		if err == nil {
			err = v.Raster(raster[:2], box, 1, 2, Categories{})
		}
		var many *ErrTooManyCells
		if !errors.As(err, &many) || many.Limit > AreaLimit {
			t.Errorf("%d levels: %v where too many were asked before", levels, err)
		}
	}
}

// TestRasterWithCategories compares rasters of a category with sums over the pixels, and its density with
// a model that spreads each cell.
func TestRasterWithCategories(t *testing.T) {
	for name, params := range forms() {
		r := rand.New(rand.NewPCG(73, 0))
		params.Categories, params.Totals = true, true
		v := viewOf(t, blobOf(t, builderOf(t, config(t, params), categorised(r, 400))))
		b := bound(-15.3, -15.3, 12, 17)
		counts, got := make([]uint64, 12*9), make([]float64, 12*9)
		for _, category := range append(categories, "other", plain) {
			asked := spot{category: category}.bytes()
			noError(t, errors.Join(v.Raster(counts, b, 12, 9, Of(asked)), v.Density(got, b, 12, 9, Of(asked))))
			want := density(viewModel(v, asked), nil, 1, b, 12, 9)
			for i := range counts {
				box := boxOf(t, v.Grid, pixelBound(b, 12, 9, i/12, i%12))
				if sum := must(v.Sum(Box(box), Of(asked))); counts[i] != sum || math.Abs(got[i]-want[i]) > 1e-6 {
					t.Fatalf("%s: pixel %d of %q is %d and %v, want %d and %v", name, i, category, counts[i], got[i], sum, want[i])
				}
			}
		}
	}
}

// TestDensityOfManyCategoriesInOneCell: one cell fills the picture, and has many categories. Their points
// are added up.
func TestDensityOfManyCategoriesInOneCell(t *testing.T) {
	var p points
	for i := range 5000 {
		p.add(spot{grid.Cell{X: -1, Y: 3}, string(rune('a' + i))}, 2)
	}
	v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Categories: true}), p)))
	got := make([]float64, 1<<20)
	noError(t, v.Density(got, bound(-0.75, 3.25, -0.25, 3.75), 1<<10, 1<<10, Categories{}))
	for i, n := range got {
		if want := 10_000 * 0.25 / (1 << 20); math.Abs(n-want) > 1e-9 {
			t.Fatalf("pixel %d is %v, want %v", i, n, want)
		}
	}
}

// TestDensityInLentBins: if cells are larger than pixels, each pixel gets its part of its cell. Pictures
// that used the pooled memory before do not matter.
func TestDensityInLentBins(t *testing.T) {
	r := rand.New(rand.NewPCG(85, 0))
	xs, ys := make([]float64, 2000), make([]float64, 2000)
	for i := range xs {
		xs[i], ys[i] = 20*r.NormFloat64(), 20*r.NormFloat64()
	}
	s := must(Build(Params{Res: 1}, xs, ys))
	v := must(NewView(s.Blob()))
	const side = 128
	dst := make([]float64, side*side)
	for _, half := range []float64{4, 32, 16, 4} { // few cells, more than before, fewer
		noError(t, v.Density(dst, orb.Bound{Min: orb.Point{-half, -half}, Max: orb.Point{half, half}}, side, side, Categories{}))
		pixel := 2 * half / side // a power of 2
		for i, got := range dst {
			x, y := -half+(float64(i%side)+0.5)*pixel, half-(float64(i/side)+0.5)*pixel
			cell := grid.Cell{X: int64(math.Floor(x)), Y: int64(math.Floor(y))}
			if want := float64(v.Count(cell, nil)) * pixel * pixel; got != want {
				t.Fatalf("%v to %v: pixel %d of cell %v has %v points, must have %v", -half, half, i, cell, got, want)
			}
		}
	}
}

// squareBySquare computes a raster of counters with levels from its definition. It takes the largest squares
// inside each pixel. A square counts the minimum of its own count and the counts of the squares around it.
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
