package ccbf

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
	"github.com/paulmach/orb"
)

// inArea reports for each cell of a grid whether its centre lies in a polygon, by the rows of
// grid.Scan, which questions do not use.
func inArea(t *testing.T, g grid.Grid, mp orb.MultiPolygon) func(grid.Cell) bool {
	t.Helper()
	s := must(g.Scan(mp, grid.MaxRect()))
	in := map[grid.Cell]bool{}
	for y := s.Bounds().MinY; y <= s.Bounds().MaxY; y++ {
		for _, i := range s.Row(y) {
			for x := i.X0; x <= i.X1; x++ {
				in[grid.Cell{X: x, Y: y}] = true
			}
		}
	}
	return func(c grid.Cell) bool { return in[c] }
}

// TestQuestionsOfCategoriesInAreas: every query takes any set of categories and any area. Exact
// sketches answer exactly, others never below the truth.
func TestQuestionsOfCategoriesInAreas(t *testing.T) {
	all := forms()
	all["tree"] = Params{Bytes: 600}
	all["levels"] = Params{Dense: true, Levels: 4, Bytes: 1 << 16}
	for name, params := range all {
		r := rand.New(rand.NewPCG(103, 0))
		params.Categories = true
		var p points
		for range 600 {
			p.add(spot{grid.Cell{X: r.Int64N(40) - 20, Y: r.Int64N(40) - 20}, categories[r.IntN(len(categories))]}, 1+r.Uint64N(3))
		}
		v := viewOf(t, blobOf(t, builderOf(t, config(t, params), p)))
		m := p.model()
		for i := range 40 {
			of, has := Categories{}, func(string) bool { return true }
			if i%4 > 0 || v.CheckCategory(false) != nil {
				var keys [][]byte
				for range r.IntN(5) {
					keys = append(keys, []byte(append(categories, "none")[r.IntN(len(categories)+1)]))
				}
				of = AnyOf(keys...)
				has = func(c string) bool {
					return slices.ContainsFunc(keys, func(k []byte) bool { return string(k) == c })
				}
			}
			bound := v.Grid.Bound(randomBox(r, 20))
			area, in := Box(must(v.Grid.Box(bound.Min[0], bound.Min[1], bound.Max[0], bound.Max[1]))), inArea(t, v.Grid, orb.MultiPolygon{bound.ToPolygon()})
			if i%2 == 1 {
				mp := polygons.Random(r, polygons.Kinds[i%len(polygons.Kinds)], bound)
				area, in = NewPolygon(mp).Area(), inArea(t, v.Grid, mp)
			}
			judgeQuestions(t, fmt.Sprintf("%s, question %d", name, i), v, area, of, in, has, m)
		}
	}
}

func judgeQuestions(t *testing.T, name string, v *View, area Area, of Categories, in func(grid.Cell) bool, has func(string) bool, m model) {
	t.Helper()
	truth, byCategory, total := map[grid.Cell]uint64{}, map[string]uint64{}, uint64(0)
	for s, n := range m {
		if in(s.Cell) && has(s.category) {
			truth[s.Cell] += n
			byCategory[s.category] += n
			total += n
		}
	}
	if n := must(v.Sum(area, of)); n < total || v.IsExact() && n != total {
		t.Fatalf("%s: the sum is %d, truth %d", name, n, total)
	}
	// The sums of the categories add up, and no category counts twice.
	sumOfEach, each, together := uint64(0), []uint64{0, 0}, []uint64{9, 9}
	at := []grid.Cell{{X: 3, Y: -4}, {X: v.Bounds.MinX, Y: v.Bounds.MaxY}}
	_ = of.Each(func(category []byte) error {
		sumOfEach += must(v.Sum(area, Of(category)))
		for i, c := range at {
			each[i] += v.Count(c, category)
		}
		return nil
	})
	if v.Counts(together, at, of); must(v.Sum(area, of)) != sumOfEach || !slices.Equal(together, each) {
		t.Fatalf("%s: the sum is %d, that of the categories %d; cells count %d, want %d", name, must(v.Sum(area, of)), sumOfEach, together, each)
	}
	const threshold = 4
	hot := must(v.Hotspots(area, threshold, of))
	top := must(v.TopK(area, 5, of))
	reads := func(c grid.Cell) (n uint64) { // the cell of counters
		_ = of.Each(func(category []byte) error {
			n += v.Count(c, category)
			return nil
		})
		return n
	}
	holds := func(s Spot, c grid.Cell) bool {
		side := int64(1) << s.Level
		return c.X >= s.Cell.X && c.X < s.Cell.X+side && c.Y >= s.Cell.Y && c.Y < s.Cell.Y+side
	}
	for c, n := range truth {
		if n >= threshold && !slices.ContainsFunc(hot, func(s Spot) bool { return holds(s, c) && s.Count >= n }) {
			t.Fatalf("%s: cell %v with %d points is in none of %v", name, c, n, hot)
		}
	}
	for _, s := range append(slices.Clone(hot), top...) {
		if v.Form() == Tree {
			continue // squares that meet the area
		}
		if !in(s.Cell) || s.Count != reads(s.Cell) || v.IsExact() && s.Count != truth[s.Cell] {
			t.Fatalf("%s: lists %v, which is in the area: %v, reads %d and has %d", name, s, in(s.Cell), reads(s.Cell), truth[s.Cell])
		}
	}
	if !slices.IsSortedFunc(hot, func(a, b Spot) int { return spotOrder(&a, &b) }) {
		t.Fatalf("%s: %v are not in order", name, hot)
	}
	if v.IsExact() {
		var want []Spot
		for c, n := range truth {
			want = append(want, Spot{Cell: c, Count: n})
		}
		sortSpots(want)
		if !slices.Equal(top, want[:min(5, len(want))]) {
			t.Fatalf("%s: the largest are %v, want %v", name, top, want)
		}
		var listed []Spot
		for s := range must(v.Cells(area, of)) {
			listed = append(listed, s)
		}
		if sortSpots(listed); !slices.Equal(listed, want) {
			t.Fatalf("%s: lists %v, want %v", name, listed, want)
		}
		if n, _ := v.listed(area, of); n < len(listed) {
			t.Fatalf("%s: lists %d, said to be %d at most", name, len(listed), n)
		}
	}
	// Pictures of several categories are the sum of those of each.
	const side = 8
	bound := v.Grid.Bound(v.Bounds)
	var sum, one [side * side]uint64
	var whole, part, added [side * side]float64
	_ = of.Each(func(category []byte) error {
		noError(t, v.Raster(one[:], bound, side, side, Of(category)))
		noError(t, v.Density(part[:], bound, side, side, Of(category)))
		for i := range sum {
			sum[i] += one[i]
			added[i] += part[i]
		}
		return nil
	})
	if err := v.Raster(one[:], bound, side, side, of); err != nil || one != sum {
		t.Fatalf("%s: the raster is %v, of its categories %v, error %v", name, one, sum, err)
	}
	noError(t, v.Density(whole[:], bound, side, side, of))
	for i := range whole {
		if math.Abs(whole[i]-added[i]) > 1e-6*(1+added[i]) {
			t.Fatalf("%s: pixel %d is %v, of its categories %v", name, i, whole[i], added[i])
		}
	}
	if v.Form() == Dense {
		if _, err := v.ByCategory(area, of); err == nil {
			t.Fatalf("%s: counters list their categories", name)
		}
		return
	}
	sums := must(v.ByCategory(area, of))
	if !slices.IsSortedFunc(sums, func(a, b CategorySum) int { return bytes.Compare(a.Key, b.Key) }) {
		t.Fatalf("%s: %v are not in order", name, sums)
	}
	for _, s := range sums {
		if want := must(v.Estimate(area, Of(s.Key))); s.Estimate != want || s.High == 0 || s.High < byCategory[string(s.Key)] || !has(string(s.Key)) {
			t.Fatalf("%s: %s is %+v, asked alone %+v, truth %d", name, s.Key, s.Estimate, want, byCategory[string(s.Key)])
		}
		delete(byCategory, string(s.Key))
	}
	if len(byCategory) > 0 {
		t.Fatalf("%s: left out %v", name, byCategory)
	}
}
