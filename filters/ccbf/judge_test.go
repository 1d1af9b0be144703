package ccbf

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/internal/polygons"
	"github.com/paulmach/orb"
)

// judge holds every answer of a view against the counts of its cells: those of an exact sketch are equal
// to them, others never below.
type judge struct {
	*testing.T
	r     *rand.Rand
	v     *View
	truth model
	sums  bool // whether lower bounds of a tree are known
}

// check asks for all counts, for random boxes and for a picture, of all points and of each category.
func (j *judge) check(what string, categories ...string) {
	j.Helper()
	each := []Categories{{}}
	for _, c := range categories {
		each = append(each, Of(spot{category: c}.bytes()))
	}
	for _, of := range each {
		j.counts(what, of)
		for range 6 {
			b := j.box(12)
			j.area(fmt.Sprintf("%s, box %v", what, b), Box(b), b.Contains, of)
		}
		j.picture(what, randomBound(j.r, 1700*j.v.Grid.Res()), 16, 11, of)
	}
}

// held is a cell of the truth, or the origin.
func (j *judge) held() grid.Cell {
	for s := range j.truth {
		return s.Cell
	}
	return grid.Cell{}
}

// box is a box at a cell with points, with sides up to 2^bits.
func (j *judge) box(bits int) grid.Rect {
	at, w, h := j.held(), int64(1)<<j.r.IntN(bits), int64(1)<<j.r.IntN(bits)
	x, y := at.X-j.r.Int64N(w), at.Y-j.r.Int64N(h)
	return grid.Rect{MinX: x, MinY: y, MaxX: x + w - 1, MaxY: y + h - 1}
}

// counts asks for cells with points, for those beside them and for others, alone and together.
func (j *judge) counts(what string, of Categories) {
	j.Helper()
	at := j.truth.cells(grid.MaxRect().Contains, of)
	most := ^uint64(0)
	if j.v.IsExact() {
		most = 0
	} else if j.v.Form() == Tree && j.sums {
		most = j.v.Error().Most
	}
	var asked []grid.Cell
	for c := range at {
		asked = append(asked, c, grid.Cell{X: c.X + 1, Y: c.Y - 3})
	}
	for range 200 {
		asked = append(asked, grid.Cell{X: j.r.Int64N(4000) - 2000, Y: j.r.Int64N(4000) - 2000})
	}
	together := make([]uint64, len(asked))
	j.v.Counts(together, asked, of)
	for i, c := range asked {
		if got := j.reads(c, of); got < at[c] || got-at[c] > most || together[i] != got {
			j.Fatalf("%s: cell %v counts %d of %d, at most %d too many, %d among others", what, c, got, at[c], most, together[i])
		}
	}
}

// reads returns the count of a cell.
func (j *judge) reads(c grid.Cell, of Categories) (n uint64) {
	_ = of.Each(func(category []byte) error {
		n += j.v.Count(c, category)
		return nil
	})
	return n
}

// sorted are spots in the order of a listing.
func sorted(spots []Spot) []Spot {
	spots = slices.Clone(spots)
	sortSpots(spots)
	return spots
}

// area asks everything about an area and a set of categories.
func (j *judge) area(what string, area Area, in func(grid.Cell) bool, of Categories) {
	j.Helper()
	v, truth, total := j.v, j.truth.cells(in, of), j.truth.where(in, of)
	sum, e := must(v.Sum(area, of)), must(v.Estimate(area, of))
	if e.Value < float64(e.Low) || e.Value > float64(e.High) || e.High > sum || sum < total {
		j.Fatalf("%s: %d points sum to %d, estimated as %+v", what, total, sum, e)
	}
	switch v.Form() {
	case Exact:
		if sum != total || e.Certain == (total == math.MaxUint64) || e.Low != e.High || e.High != total {
			j.Fatalf("%s: %d points sum to %d, estimated as %+v", what, total, sum, e)
		}
	case Tree:
		if !e.Certain || e.Low > total || e.High < total || e.Low > 0 && !j.sums {
			j.Fatalf("%s: %d points are estimated as %+v, lower bounds known: %v", what, total, e, j.sums)
		}
	case Dense:
		if v.Levels > 0 {
			break // a sum takes larger squares
		}
		if want := j.sumOfCells(area, in, of); sum != min(want, v.most()) {
			j.Fatalf("%s: a sum of %d, its cells add up to %d", what, sum, want)
		}
	}
	j.largest(what, area, in, of, truth)
	if v.Form() == Dense {
		return
	}
	j.listing(what, area, of, truth)
	if v.Categories {
		j.byCategory(what, area, in, of)
	}
}

// most is the largest sum.
func (v *View) most() uint64 {
	if n, known := v.Total(); known {
		return n
	}
	return math.MaxUint64
}

// sumOfCells adds up what cells of an area count.
func (j *judge) sumOfCells(area Area, in func(grid.Cell) bool, of Categories) (sum uint64) {
	box := j.v.Bounds
	if area.polygon == nil {
		box = box.Intersect(area.rect)
	}
	for c := range box.Cells() {
		if in(c) {
			sum += j.reads(c, of)
		}
	}
	return sum
}

// largest asks for the cells with many points, and for those with the most.
func (j *judge) largest(what string, area Area, in func(grid.Cell) bool, of Categories, truth map[grid.Cell]uint64) {
	j.Helper()
	threshold, k := 1+j.r.Uint64N(1+j.r.Uint64N(40)), 1+j.r.IntN(1+j.r.IntN(500))
	hot, top := must(j.v.Hotspots(area, threshold, of)), must(j.v.TopK(area, k, of))
	if !slices.Equal(hot, sorted(hot)) || !slices.Equal(top, sorted(top)) || len(top) > k {
		j.Fatalf("%s: not in order, or more than %d: %v and %v", what, k, hot, top)
	}
	for c, n := range truth {
		if n >= threshold && !slices.ContainsFunc(hot, func(s Spot) bool { return s.Cell.Square(s.Level).Contains(c) && s.Count >= n }) {
			j.Fatalf("%s: cell %v with %d points is in none of %v", what, c, n, hot)
		}
	}
	if j.v.Form() == Tree {
		return // squares that meet the area
	}
	for _, s := range append(hot, top...) {
		if !in(s.Cell) || s.Count != j.reads(s.Cell, of) {
			j.Fatalf("%s: lists %v, in the area: %v, reads %d", what, s, in(s.Cell), j.reads(s.Cell, of))
		}
	}
	var all []form.Candidate
	category, one := of.One()
	switch {
	case j.v.IsExact():
		for c, n := range truth {
			all = append(all, form.Candidate{Spot: form.Spot{Cell: c, Count: n}, Least: n})
		}
		slices.SortFunc(all, func(a, b form.Candidate) int {
			return cmp.Or(cmp.Compare(b.Least, a.Least), cmp.Compare(a.Cell.Y, b.Cell.Y), cmp.Compare(a.Cell.X, b.Cell.X))
		})
	case one:
		for c := range j.v.Bounds.Cells() {
			if least := leastOf(j.v, 0, c, category); least > 0 && in(c) {
				all = append(all, form.Candidate{Spot: form.Spot{Cell: c, Count: j.v.Count(c, category)}, Least: least})
			}
		}
		slices.SortStableFunc(all, func(a, b form.Candidate) int { return cmp.Compare(b.Least, a.Least) })
	default:
		return
	}
	spots := func(all []form.Candidate) (out []Spot) {
		for _, c := range all {
			out = append(out, Spot(c.Spot))
		}
		return sorted(out)
	}
	at, _ := slices.BinarySearchFunc(all, threshold, func(c form.Candidate, n uint64) int {
		if c.Least >= n {
			return -1
		}
		return 1
	})
	if want := spots(all[:at]); !slices.Equal(hot, want) {
		j.Fatalf("%s: cells of %d or more are %v, want %v", what, threshold, hot, want)
	}
	if want := spots(all[:min(k, len(all))]); !slices.Equal(top, want) {
		j.Fatalf("%s: the largest %d are %v, want %v", what, k, top, want)
	}
}

// leastOf is the least that a square and those above it read.
func leastOf(v *View, level int, at grid.Cell, category []byte) uint64 {
	least := ^uint64(0)
	for l := level; l <= int(v.Levels); l++ {
		least = min(least, levelCount(v, l, cells.Square(at, uint8(l-level)), category))
	}
	return least
}

// listing lists all cells, or the leaves of a tree. They equal the truth, or their counts add up to the counts
// of cells.
func (j *judge) listing(what string, area Area, of Categories, truth map[grid.Cell]uint64) {
	j.Helper()
	seq, got := must(j.v.Cells(area, of)), map[Spot]uint64{}
	var all []Spot
	for s := range seq {
		all = append(all, s)
		at := Spot{Cell: s.Cell, Level: s.Level}
		if _, twice := got[at]; twice {
			j.Fatalf("%s: %v is listed twice", what, s)
		}
		got[at] = s.Count
	}
	for i := range min(len(all), 4) { // the loop may stop after any cell
		n := 0
		for s := range seq {
			if n++; n > i {
				if s != all[i] {
					j.Fatalf("%s: cell %d is %v, then %v", what, i, all[i], s)
				}
				break
			}
		}
	}
	if most, _ := j.v.reader().Listing().Listed(of); len(got) > most {
		j.Fatalf("%s: lists %d, at most %d were said", what, len(got), most)
	}
	if j.v.IsExact() && len(got) != len(truth) {
		j.Fatalf("%s: lists %d cells, want %d", what, len(got), len(truth))
	}
	asked := 0
	for c, n := range truth {
		if asked++; asked > 50 && !j.v.IsExact() {
			break
		}
		in := got[Spot{Cell: c}]
		if !j.v.IsExact() {
			in, n = 0, j.reads(c, of)
			for s, m := range got {
				if s.Cell.Square(s.Level).Contains(c) {
					in += m
				}
			}
		}
		if in != n {
			j.Fatalf("%s: %v is listed with %d points, want %d", what, c, in, n)
		}
	}
	if area.polygon == nil && j.v.Form() == Tree { // a rectangle has the leaves that meet it
		for s := range must(j.v.Cells(Box(grid.MaxRect()), of)) {
			if _, is := got[Spot{Cell: s.Cell, Level: s.Level}]; is == s.Cell.Square(s.Level).Intersect(area.rect).Intersect(j.v.Bounds).Empty() {
				j.Fatalf("%s: %v is listed: %v", what, s, is)
			}
		}
	}
}

// byCategory asks for the sum of each category.
func (j *judge) byCategory(what string, area Area, in func(grid.Cell) bool, of Categories) {
	j.Helper()
	sums := must(j.v.ByCategory(area, of))
	if !slices.IsSortedFunc(sums, func(a, b CategorySum) int { return bytes.Compare(a.Key, b.Key) }) {
		j.Fatalf("%s: %v are not in order", what, sums)
	}
	left := map[string]bool{}
	for s, n := range j.truth {
		if n > 0 && of.Has(s.bytes()) && in(s.Cell) {
			left[s.category] = true
		}
	}
	for _, s := range sums {
		want, truth := must(j.v.Estimate(area, Of(s.Key))), j.truth.where(in, Of(s.Key))
		if s.Estimate != want || s.High == 0 || s.High < truth || !of.Has(s.Key) {
			j.Fatalf("%s: %s is %+v, asked alone %+v, truth %d", what, s.Key, s.Estimate, want, truth)
		}
		delete(left, string(s.Key))
	}
	if len(left) > 0 {
		j.Fatalf("%s: left out %v", what, left)
	}
}

// picture asks for a raster and a density. Pixels of a raster are the sums over their boxes, or over the
// largest squares of levels inside of them. A density spreads each cell, leaf or square over its area.
func (j *judge) picture(what string, b orb.Bound, width, height int, of Categories) {
	j.Helper()
	v := j.v
	raster, density, want := make([]uint64, width*height), make([]float64, width*height), make([]float64, width*height)
	raster[0], density[0] = 99, 99 // what was there is gone
	noError(j, v.Raster(raster, b, width, height, of))
	noError(j, v.Density(density, b, width, height, of))
	category, one := of.One()
	sum := uint64(0)
	for i, got := range raster {
		sum += got
		box := boxOf(j, v.Grid, pixelBound(b, width, height, i/width, i%width))
		truth := j.truth.in(box, of)
		ok := got >= truth
		switch {
		case v.Form() == Tree:
		case v.Form() == Dense && v.Levels > 0:
			ok = ok && (!one || got == min(pixelSum(v, box, category), v.most()))
		default:
			ok = ok && got == must(v.Sum(Box(box), of))
		}
		if !ok {
			j.Fatalf("%s: pixel %d of %d x %d of %v is %d of %d", what, i, width, height, b, got, truth)
		}
	}
	if want := must(v.Sum(Box(boxOf(j, v.Grid, b)), of)); v.Levels == 0 && v.Form() != Tree && min(sum, v.most()) != want {
		j.Fatalf("%s: the pixels of %v add up to %d, the box to %d", what, b, sum, want)
	}
	if boxOf(j, v.Grid, b).Intersect(v.Bounds).Empty() {
		return // leaves reach further than points, and are not drawn there
	}
	total := 1.0
	spread := func(x, y, side float64, n uint64) {
		total += float64(n)
		common := func(low, high, from, to float64) float64 { return max(min(high, to)-max(low, from), 0) }
		for i := range want {
			p := pixelBound(b, width, height, i/width, i%width)
			want[i] += float64(n) * common(x-side/2, x+side/2, p.Min[0], p.Max[0]) / side * common(y-side/2, y+side/2, p.Min[1], p.Max[1]) / side
		}
	}
	if v.Form() != Dense {
		for s := range must(v.Cells(Box(grid.MaxRect()), of)) {
			x, y, side := s.Square(v.Grid)
			spread(x, y, side, s.Count)
		}
	} else {
		level := 0
		if v.Levels > 0 { // the level whose squares are nearest to a pixel
			pixel := min((b.Max[0]-b.Min[0])/float64(width), (b.Max[1]-b.Min[1])/float64(height)) / v.Grid.Res()
			level = int(min(max(math.Round(math.Log2(pixel)), 0), float64(v.Levels)))
		}
		shown := boxOf(j, v.Grid, b)
		shown = grid.Rect{MinX: shown.MinX - 1, MinY: shown.MinY - 1, MaxX: shown.MaxX + 1, MaxY: shown.MaxY + 1} // edges cut cells
		for c := range v.Bounds.Intersect(shown).Squares(level).Cells() {
			n := uint64(0)
			_ = of.Each(func(category []byte) error {
				n += leastOf(v, level, c, category)
				return nil
			})
			if n > 0 {
				side := math.Exp2(float64(level)) * v.Grid.Res()
				spread((float64(c.X)+0.5)*side, (float64(c.Y)+0.5)*side, side, n)
			}
		}
	}
	for i := range want {
		// Edges of pixels are rounded to 2^-22 of a cell in trees, and by a few ulps elsewhere.
		if math.Abs(density[i]-want[i]) > 1e-9*total && (v.Form() != Tree || math.Abs(density[i]-want[i]) > 1e-6*(1+want[i])) {
			j.Fatalf("%s: pixel %d of %d x %d of %v is %v, want %v", what, i, width, height, b, density[i], want[i])
		}
	}
}

// pixelSum is the sum over the largest squares of levels inside a box, found cell by cell.
func pixelSum(v *View, box grid.Rect, category []byte) (sum uint64) {
	top := v.Bounds.Squares(int(v.Levels))
	reach := grid.Cell{X: top.MaxX << v.Levels, Y: top.MaxY << v.Levels}.Square(v.Levels).Extend(grid.Cell{X: top.MinX << v.Levels, Y: top.MinY << v.Levels})
	for c := range box.Intersect(reach).Cells() {
		level := 0
		for l := 1; l <= int(v.Levels); l++ {
			q := cells.Square(c, uint8(l))
			low, high := grid.Cell{X: q.X << l, Y: q.Y << l}, grid.Cell{X: q.X<<l + 1<<l - 1, Y: q.Y<<l + 1<<l - 1}
			if box.Contains(low) && box.Contains(high) {
				level = l
			}
		}
		q := cells.Square(c, uint8(level))
		// A square counts once, at its first cell; those beyond all cells never.
		if c.X == q.X<<level && c.Y == q.Y<<level && v.Bounds.Squares(level).Contains(q) {
			sum += leastOf(v, level, q, category)
		}
	}
	return sum
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
		a, b := orb.Point{edge(), edge()}, orb.Point{edge(), edge()}
		if b := kit.Bound(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])); form.CheckRaster(b, 1, 1) == nil {
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
	return kit.Bound(edge(0, column, width), edge(1, height-1-row, height), edge(0, column+1, width), edge(1, height-row, height))
}

func boxOf(t testing.TB, g grid.Grid, b orb.Bound) grid.Rect {
	t.Helper()
	return must(g.Box(b.Min[0], b.Min[1], b.Max[0], b.Max[1]))
}

func randomBox(r *rand.Rand, reach int64) grid.Rect {
	a, b, c, d := r.Int64N(2*reach)-reach, r.Int64N(2*reach)-reach, r.Int64N(2*reach)-reach, r.Int64N(2*reach)-reach
	return grid.Rect{MinX: min(a, b), MinY: min(c, d), MaxX: max(a, b), MaxY: max(c, d)}
}

func shifted(mp orb.MultiPolygon, dx float64) orb.MultiPolygon {
	for _, p := range mp {
		for _, ring := range p {
			for i := range ring {
				ring[i][0] += dx
			}
		}
	}
	return mp
}

// TestQuestions: every query takes any set of categories and any area. Sketches of every form answer it, with
// points around the origin. Those that list their points also have points over the edge of a region.
func TestQuestions(t *testing.T) {
	all := forms()
	all["tree"] = Params{Bytes: 600}
	all["levels"] = Params{Dense: true, Levels: 4, Bytes: 1 << 12}
	all["levels, sums"] = Params{Dense: true, Levels: 5, Bytes: 1 << 12, Mode: Standard}
	for name, params := range all {
		for _, kind := range []string{"points", "categories", "totals"} {
			r := rand.New(rand.NewPCG(103, 0))
			params.Res, params.Categories, params.Totals = 0.25, kind != "points", kind == "totals"
			p := hot(r, 1500, 600)
			if params.Categories {
				p = categorised(r, 500)
			}
			j := &judge{t, r, nil, nil, true}
			cfg := config(t, params)
			far := !params.Dense && params.Overflow == ToTree && params.Mode != Standard
			for i := range p {
				switch {
				case !far && p[i].X > 1<<20:
					p[i].X -= 1 << 33
				case far && i%4 == 0:
					p[i].X += cells.Highest
				}
			}
			j.v, j.truth = viewOf(t, blobOf(t, builderOf(t, cfg, p))), p.model()
			for i := range 24 {
				of := Categories{}
				if params.Categories && (i%4 > 0 || j.v.CheckCategory(false) != nil) {
					var keys [][]byte
					for range r.IntN(5) {
						keys = append(keys, []byte(append(categories, "none")[r.IntN(len(categories)+1)]))
					}
					if of = AnyOf(keys...); len(keys) == 1 {
						of = Of(keys[0])
					}
				}
				what := fmt.Sprintf("%s, %s, question %d", name, kind, i)
				if i%2 == 0 {
					b := randomBox(r, []int64{4, 20, 130}[i%3])
					j.area(what, Box(b), b.Contains, of)
				} else {
					reach := []float64{1, 5, 20}[i%3]
					mp := polygons.Random(r, polygons.Kinds[i/2%len(polygons.Kinds)], kit.Bound(-reach, -reach, reach, reach))
					if far && i%3 == 0 {
						mp = shifted(mp, (cells.Highest+1)*0.25)
					}
					j.area(what, NewPolygon(mp).Area(), insideOf(mp, cfg.Grid), of)
				}
				j.counts(what, of)
				j.picture(what, randomBound(r, []float64{0.7, 7, 40}[i%3]), 1+r.IntN(12), 1+r.IntN(12), of)
			}
		}
	}
}

// TestQuestionsFarAndHuge: exact sketches answer exactly about cells at the ends of the world, in several
// regions and many categories. Their counts pass 2^64 together. Outlines have more edges than sections have
// cells.
func TestQuestionsFarAndHuge(t *testing.T) {
	sets := cellSets()
	r := rand.New(rand.NewPCG(61, 0))
	for i := range 60 {
		n := []uint64{3, math.MaxUint64, 5, math.MaxUint64 - 1, 7, 1 << 63 >> i}[min(i, 5)]
		sets["beside huge counts"] = append(sets["beside huge counts"], occurrences{spot{grid.Cell{X: int64(i % 20), Y: 4 * int64(i/20)}, plain}, n})
	}
	for c := range (grid.Rect{MaxX: 47, MaxY: 47}).Cells() {
		n := uint64(1)
		if r.IntN(100) == 0 {
			n = 1<<62 + r.Uint64N(1<<62)
		}
		sets["huge blocks"] = append(sets["huge blocks"], occurrences{spot{c, plain}, n})
	}
	for i := range 4000 {
		c := spot{grid.Cell{X: r.Int64N(60) - 30, Y: r.Int64N(60) - 30}, fmt.Sprint(r.IntN(200))}
		switch {
		case i%5 == 0:
			c.X += cells.Highest // over the edge of a region
		case i%2 == 0:
			c.category = "many"
		}
		sets["many categories"] = append(sets["many categories"], occurrences{c, 1 + r.Uint64N(4)})
	}
	for name, p := range sets {
		r := rand.New(rand.NewPCG(61, uint64(len(p)))) // its own, so that a failure comes again
		with := len(p) > 0 && p[0].category != plain
		cfg := config(t, Params{Bytes: 1 << 20, Categories: with, Totals: with})
		blob := blobOf(t, builderOf(t, cfg, p))
		j := &judge{t, r, viewOf(t, blob), p.model(), true}
		boxes := []grid.Rect{grid.MaxRect(), {MinX: 0, MinY: 0, MaxX: -1, MaxY: -1}, {MinX: 1, MinY: 5, MaxX: 0, MaxY: 9}}
		for _, reach := range []int64{5, 50, 1200, 1 << 33, grid.MaxIndex} {
			boxes = append(boxes, randomBox(r, reach), randomBox(r, reach), j.box(6), j.box(2))
		}
		for i, box := range boxes {
			j.area(fmt.Sprintf("%s, box %v", name, box), Box(box), box.Contains, Categories{})
			if got, want := must(viewOf(t, blob).Sum(Box(box), Categories{})), j.truth.in(box, Categories{}); got != want {
				t.Fatalf("%s: as the first question, box %v sums to %d, want %d", name, box, got, want)
			}
			if i%4 == 0 && with {
				j.area(name, Box(box), box.Contains, Of([]byte("many")))
			}
		}
		for i := range 3 {
			mp := round(r.Float64(), r.Float64(), 2+26*r.Float64(), 1000)
			if i == 0 {
				mp = shifted(mp, cells.Highest+1)
			}
			j.area(fmt.Sprintf("%s, outline %d", name, i), NewPolygon(mp).Area(), insideOf(mp, cfg.Grid), Categories{})
		}
		const far, side = grid.MaxIndex + 1, 16
		pixels, b := make([]uint64, side*side), kit.Bound(-far, -far, far, far)
		noError(t, j.v.Raster(pixels, b, side, side, Categories{}))
		for i, got := range pixels {
			if want := j.truth.in(boxOf(t, cfg.Grid, pixelBound(b, side, side, i/side, i%side)), Categories{}); got != want {
				t.Fatalf("%s: pixel %d is %d, want %d", name, i, got, want)
			}
		}
	}
}

// round is a polygon of n corners.
func round(x, y, radius float64, n int) orb.MultiPolygon {
	var ring orb.Ring
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		d := radius * (0.9 + 0.1*math.Sin(float64(i)/3))
		ring = append(ring, orb.Point{x + d*cos, y + d*sin})
	}
	return orb.MultiPolygon{{append(ring, ring[0])}}
}
