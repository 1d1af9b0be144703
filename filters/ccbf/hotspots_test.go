package ccbf

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// leastOf is the least that a square and those above it read.
func leastOf(v *View, level int, at grid.Cell, category []byte) uint64 {
	if v.IsExact() {
		return v.Count(at, category)
	}
	least := ^uint64(0)
	for l := level; l <= int(v.Levels); l++ {
		least = min(least, levelCount(v, l, cells.Square(at, uint8(l-level)), category))
	}
	return least
}

// brute returns all cells of a box that have a count, by querying each. They are in descending
// order of the least known bound of the count, then by Y and X.
func brute(v *View, box grid.Rect, category []byte) []form.Candidate {
	var all []form.Candidate
	for y := box.MinY; y <= box.MaxY; y++ {
		for x := box.MinX; x <= box.MaxX; x++ {
			c := grid.Cell{X: x, Y: y}
			if least := leastOf(v, 0, c, category); least > 0 && v.Bounds.Contains(c) {
				all = append(all, form.Candidate{Spot: form.Spot{Cell: c, Count: v.Count(c, category)}, Least: least})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b form.Candidate) int { return cmp.Compare(b.Least, a.Least) })
	return all
}

// listed are candidates in the order of a listing.
func listed(cs []form.Candidate) []Spot {
	var out []Spot
	for _, c := range cs {
		out = append(out, Spot(c.Spot))
	}
	slices.SortFunc(out, func(a, b Spot) int {
		return cmp.Or(-cmp.Compare(a.Count, b.Count), cmp.Compare(a.Cell.Y, b.Cell.Y), cmp.Compare(a.Cell.X, b.Cell.X))
	})
	return out
}

// allForms are the forms without levels and with some.
func allForms() map[string]Params {
	all := forms()
	for name, p := range formsWithLevels(5) {
		all["levels, "+name] = p
	}
	return all
}

// Hotspots and TopK list what asking every cell of the box finds, and no cell
// that truly counts so much is missing.
func TestHotspotsAndTopK(t *testing.T) {
	for name, params := range allForms() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(81, 0))
			p := hotFor(params, r)
			v, m := viewOf(t, blobOf(t, builderOf(t, config(t, params), p))), p.model()
			for i := range 40 {
				box, category := randomBox(r, []int64{1, 20, 130}[i%3]), []byte(nil)
				if params.Categories && i%2 == 0 {
					category = []byte{'c', "012x"[r.IntN(4)]}
				}
				all := brute(v, box, category)
				for _, threshold := range []uint64{1, 2, 5, 40, 1 << 40} {
					at := slices.IndexFunc(all, func(c form.Candidate) bool { return c.Least < threshold })
					want := listed(all[:max(at, 0)])
					if at < 0 {
						want = listed(all)
					}
					got, err := v.Hotspots(Box(box), threshold, Of(category))
					if err != nil || !slices.Equal(got, want) {
						t.Fatalf("cells of %v at %d or more, %q: %v, want %v, error %v", box, threshold, category, got, want, err)
					}
					for s, n := range m {
						if n >= threshold && box.Contains(s.Cell) && (category == nil || s.category == string(category)) &&
							!slices.ContainsFunc(got, func(o Spot) bool { return o.Cell == s.Cell && o.Count >= n }) {
							t.Fatalf("%v with %d points is not among those of %d or more", s, n, threshold)
						}
					}
				}
				for _, k := range []int{1, 2, 17, 500, MaxSpots} {
					want := listed(all[:min(k, len(all))])
					if got, err := v.TopK(Box(box), k, Of(category)); err != nil || !slices.Equal(got, want) {
						t.Fatalf("top %d of %v, %q: %v, want %v, error %v", k, box, category, got, want, err)
					}
				}
			}
		})
	}
}

// Exact sketches list cells of any region, and the counts of a cell's
// categories together.
func TestHotspotsFarApart(t *testing.T) {
	for name, p := range cellSets() {
		v, m := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Bytes: 1 << 20}), p))), p.model()
		var want []form.Candidate
		for s, n := range m {
			want = append(want, form.Candidate{Spot: form.Spot{Cell: s.Cell, Count: n}, Least: n})
		}
		got, err := v.Hotspots(Box(grid.MaxRect()), 1, Categories{})
		if err != nil || !slices.Equal(got, listed(want)) {
			t.Errorf("%s: %d cells, want %d, error %v", name, len(got), len(want), err)
		}
	}
	cfg := config(t, Params{Categories: true, Totals: true})
	var p points
	for _, c := range []grid.Cell{{X: -3, Y: 2}, {X: cells.Highest + 1, Y: 2}, {X: -3, Y: cells.Lowest - 1}} {
		for i := range int64(100) {
			p.add(spot{grid.Cell{X: c.X - i%5, Y: c.Y}, string(rune('a' + i%7))}, uint64(i+c.X&1)+1)
		}
	}
	v, sums := viewOf(t, blobOf(t, builderOf(t, cfg, p))), map[grid.Cell]uint64{}
	for s, n := range p.model() {
		sums[s.Cell] += n
	}
	var want []form.Candidate
	for c, n := range sums {
		want = append(want, form.Candidate{Spot: form.Spot{Cell: c, Count: n}, Least: n})
	}
	for _, k := range []int{4, MaxSpots} {
		spots := listed(want)
		if got, err := v.TopK(Box(grid.MaxRect()), k, Categories{}); err != nil || !slices.Equal(got, spots[:min(k, len(spots))]) {
			t.Errorf("%v, want %v, error %v", got, spots, err)
		}
	}
}

// Pixels of a sketch with levels are the largest squares inside of them, and
// densities those of the level that is nearest to a pixel.
func TestRasterWithLevels(t *testing.T) {
	for name, params := range formsWithLevels(5) {
		r := rand.New(rand.NewPCG(82, 0))
		p := hotFor(params, r)
		v, m := viewOf(t, blobOf(t, builderOf(t, config(t, params), p))), p.model()
		for i := range 25 {
			b := randomBound(r, []float64{8, 40, 150}[i%3])
			width, height := 1+r.IntN(20), 1+r.IntN(20)
			counts := make([]uint64, width*height)
			noError(t, v.Raster(counts, b, width, height, Categories{}))
			for j, got := range counts {
				box := boxOf(t, v.Grid, pixelBound(b, width, height, j/width, j%width))
				if want := pixelSum(v, box); got != want || got < boxTruth(m, box, nil) {
					t.Fatalf("%s: pixel %d of %d x %d of %v is %d, its squares add up to %d, its points to %d", name, j, width, height, b, got, want, boxTruth(m, box, nil))
				}
			}
			if v.IsExact() {
				continue
			}
			pixel := min((b.Max[0]-b.Min[0])/float64(width), (b.Max[1]-b.Min[1])/float64(height))
			level := int(min(max(math.Round(math.Log2(pixel)), 0), 5))
			squares := model{}
			all := v.Bounds.Squares(level)
			for y := all.MinY; y <= all.MaxY; y++ {
				for x := all.MinX; x <= all.MaxX; x++ {
					squares[spot{Cell: grid.Cell{X: x, Y: y}}] = leastOf(v, level, grid.Cell{X: x, Y: y}, nil)
				}
			}
			got, want := make([]float64, width*height), density(squares, nil, float64(int(1)<<level), b, width, height)
			noError(t, v.Density(got, b, width, height, Categories{}))
			for j := range got {
				if math.Abs(got[j]-want[j]) > 1e-6 {
					t.Fatalf("%s: pixel %d of %d x %d of %v is %v, want %v of level %d", name, j, width, height, b, got[j], want[j], level)
				}
			}
		}
	}
}

// pixelSum is the sum over the largest squares inside a box, found cell by cell.
func pixelSum(v *View, box grid.Rect) uint64 {
	sum := uint64(0)
	for y := box.MinY; y <= box.MaxY; y++ {
		for x := box.MinX; x <= box.MaxX; x++ {
			level, at := 0, grid.Cell{X: x, Y: y}
			for l := 1; l <= int(v.Levels) && !v.IsExact(); l++ {
				q := cells.Square(at, uint8(l))
				low, high := grid.Cell{X: q.X << l, Y: q.Y << l}, grid.Cell{X: q.X<<l + 1<<l - 1, Y: q.Y<<l + 1<<l - 1}
				if box.Contains(low) && box.Contains(high) {
					level = l
				}
			}
			q := cells.Square(at, uint8(level))
			// A square counts once, at its first cell; those beyond all cells never.
			first := x == q.X<<level && y == q.Y<<level
			if first && !v.Bounds.Squares(level).Intersect(grid.Rect{MinX: q.X, MinY: q.Y, MaxX: q.X, MaxY: q.Y}).Empty() {
				sum += leastOf(v, level, q, nil)
			}
		}
	}
	return sum
}

func TestHotspotLimits(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{}, plain}, 2)
	p.add(spot{grid.Cell{X: 20_000, Y: 20_000}, plain}, 4)
	exact := viewOf(t, blobOf(t, builderOf(t, config(t, Params{}), p)))
	dense := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true}), p)))
	levels := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true, Levels: 10}), p)))
	want := []Spot{{grid.Cell{X: 20_000, Y: 20_000}, 4, 0}, {grid.Cell{}, 2, 0}}
	for _, v := range []*View{exact, levels} {
		if got, err := v.Hotspots(Box(grid.MaxRect()), 2, Categories{}); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v", got, err)
		}
		if got, err := v.TopK(Box(grid.MaxRect()), 1, Categories{}); err != nil || !slices.Equal(got, want[:1]) {
			t.Errorf("%v, %v", got, err)
		}
	}
	var tooMany *ErrTooManyCells
	if _, err := dense.Hotspots(Box(grid.MaxRect()), 2, Categories{}); !errors.As(err, &tooMany) || tooMany.Cells != 20_001*20_001 {
		t.Errorf("4e8 cells without levels: %v", err)
	}
	if _, err := dense.TopK(Box(grid.MaxRect()), 2, Categories{}); !errors.As(err, &tooMany) {
		t.Errorf("4e8 cells without levels: %v", err)
	}
	levels.limitAreas()
	levels.head.Limit.Covered = AreaLimit - 1000 // 400 squares of the highest level and at most 80 below fit twice
	for i := range 4 {
		if _, err := levels.Hotspots(Box(grid.MaxRect()), 2, Categories{}); (err == nil) != (i < 2) || err != nil && !errors.As(err, &tooMany) {
			t.Errorf("question %d of a chunk: %v", i, err)
		}
	}
	// All counters of a large sketch, large enough for such lists, hold something.
	full := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true, Widths: []int{8}, Counters: []uint64{1 << 18}, K: 1}), p)))
	for i := range full.counters.Counters.Body {
		full.counters.Counters.Body[i] = 2
	}
	box := grid.Rect{MaxX: 1999, MaxY: 999}
	for _, c := range []struct {
		what string
		ask  func(v *View) ([]Spot, error)
	}{
		{"threshold 0", func(v *View) ([]Spot, error) { return v.Hotspots(Box(box), 0, Categories{}) }},
		{"k of 0", func(v *View) ([]Spot, error) { return v.TopK(Box(box), 0, Categories{}) }},
		{"k below 0", func(v *View) ([]Spot, error) { return v.TopK(Box(box), -1, Categories{}) }},
		{"k above all", func(v *View) ([]Spot, error) { return v.TopK(Box(box), MaxSpots+1, Categories{}) }},
		{"2,000,000 cells", func(v *View) ([]Spot, error) { return full.Hotspots(Box(box), 1, Categories{}) }},
	} {
		for _, v := range []*View{exact, dense} {
			if got, err := c.ask(v); !errors.Is(err, ErrSpots) || got != nil {
				t.Errorf("%s: %v, %v", c.what, got, err)
			}
		}
	}
	if got, err := full.TopK(Box(box), MaxSpots, Categories{}); err != nil || len(got) != MaxSpots || got[MaxSpots-1].Cell != (grid.Cell{X: 1999, Y: 499}) {
		t.Errorf("%d of 2,000,000 equal cells, %v", len(got), err)
	}
	for _, v := range []*View{exact, dense, viewOf(t, blobOf(t, NewBuilder(config(t, Params{}), nil))), viewOf(t, blobOf(t, NewBuilder(config(t, Params{Dense: true, Levels: 3}), nil)))} {
		for _, box := range []grid.Rect{{MinX: 3, MinY: 3, MaxX: 2, MaxY: 9}, {MinX: -9, MinY: -9, MaxX: -1, MaxY: 99}} {
			if got, err := v.Hotspots(Box(box), 1, Categories{}); len(got) != 0 || err != nil {
				t.Errorf("%v: %v, %v", box, got, err)
			}
			if got, err := v.TopK(Box(box), 5, Categories{}); len(got) != 0 || err != nil {
				t.Errorf("%v: %v, %v", box, got, err)
			}
		}
	}
}

// TestHotspotsOfRegions compares the largest cells with those of a map of Go. The cells lie in several regions; the box
// holds all of them or some.
func TestHotspotsOfRegions(t *testing.T) {
	b := NewBuilder(config(t, Params{Res: 1, Bytes: 1 << 20}), nil)
	r := rand.New(rand.NewPCG(79, 0))
	counts := map[grid.Cell]uint64{}
	for range 60_000 {
		c, n := grid.Cell{X: cells.Highest - 150 + r.Int64N(300), Y: r.Int64N(300)}, 1+r.Uint64N(9)
		counts[c] += n
		noError(t, b.Add(c, nil, 0, n))
	}
	v := must(NewView(blobOf(t, b)))
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
