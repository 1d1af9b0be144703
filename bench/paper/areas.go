package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/paulmach/orb"
)

// estimated is a dense sketch whose polygon estimates are measured.
type estimated struct {
	name string
	ccbf.Params
}

// estimatedSketches are what a user can choose at equal bytes; the first is the
// paper's, the second the default.
var estimatedSketches = []estimated{
	{"k 8, layers [16, 16], mi", ccbf.Params{K: 8, Widths: []int{16, 16}}},
	{"default k and layers, mi", ccbf.Params{Overflow: ccbf.ToCounters}},
	{"k 8, layers [16, 16], standard", ccbf.Params{K: 8, Widths: []int{16, 16}, Mode: ccbf.Standard}},
	{"default k and layers, standard", ccbf.Params{Mode: ccbf.Standard}},
	{"k 8, default layers, mi", ccbf.Params{K: 8}},
}

// paperCounters is the paper's sizing: so many counters of 16 bits for each cell
// with points.
const paperCounters = 14

// estimates measures polygon estimates of dense sketches on the UK file.
func estimates(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 1, 3)
	n := report.Pick(c, 5, 40, 200)
	const levels = 8
	cells, counts, what := crimes(c.Data, 0.01)
	if part := report.Pick(c, 10, 3, 1); part > 1 {
		cells, counts = cells[:len(cells)/part], counts[:len(cells)/part]
		what += fmt.Sprintf(", the southern 1/%d of the cells", part)
	}
	full := uint64(2 * paperCounters * len(cells))
	exact, size := exactSketch(cells, counts, full/20)
	asked, truth := askedPolygons(random(seedOf(0), 41), exact, cells, n)
	s.Text("`ccbf_polygon_estimate` takes off a sum what a dense sketch adds to it in the mean (\"Spectral Bloom Filters\", section 3.1, has it for one counter; "+
		"here it is that of the least of k counters, from the histogram of all) and gives an interval that holds the truth with a chance of 95%%. Here on %s, "+
		"at 0.01 degrees: %d cells with points. %d stars of 5 to 40 corners and 0.1 to 2 degrees, half of them around any place and half around a point drawn at random, that hold "+
		"more than 1,000 points each, %d at the median. Sketches with `exact: false`, points in random order, %d seeds of the hash, at the paper's sizing "+
		"(%d counters of 16 bits for each cell with points, %d bytes) and at a quarter of it. Errors are parts of the truth, over all polygons and seeds; "+
		"the bias is the mean of the error with its sign. The width is that of the interval in parts of the truth, at the median.",
		what, len(cells), n, int(report.Median(truth)), seeds, paperCounters, full)
	s.Text("Points came one by one, so that nothing is promised of estimates of mode mi: they are between what is right for maxima of exact counts and for sums, as far as the counters tell. " +
		"Its intervals hold whatever way the sketch was made, and are the wider for it, most of all with levels.")
	s.Text("The exact form takes %d bytes, %s of the paper's sizing, and has no error.", size, report.Percent(float64(size)/float64(full)))
	t := s.Table("sketch", "bytes", "sum: error", "estimate: error", "median", "95th percentile", "largest", "bias", "intervals that hold", "width")
	var panels []report.Panel
	var finding []string
	held, asks := 0, 0
	for _, share := range []uint64{1, 4} {
		p := report.Panel{
			Title: fmt.Sprintf("%d bytes", full/share), X: "points in the polygon", Y: "error in percent", LogX: true, LogY: true, Legend: report.TopRight,
		}
		var errorsOf []string // of the paper's and of the default sketch, without levels and with
		var sums, estimates [2]float64
		for i, of := range estimatedSketches {
			for _, of.Levels = range []int{0, levels} {
				of.Res, of.Bytes, of.Dense = 0.01, full/share, true
				bySeed := report.Parallel(seeds, func(seed int) []polygonError {
					of := of.Params
					of.Seed = seedOf(seed)
					return polygonErrors(of, cells, counts, asked, truth)
				})
				all := slices.Concat(bySeed...)
				errors := report.Column(all, func(e polygonError) float64 { return math.Abs(e.estimate) })
				name := of.name
				if of.Levels > 0 {
					name += fmt.Sprintf(", %d levels", levels)
				}
				hold := report.Count(all, func(e polygonError) bool { return e.held })
				held, asks = held+hold, asks+len(all)
				sum := report.MeanOf(all, func(e polygonError) float64 { return e.sum })
				cells := []any{name, full / share}
				for _, v := range []float64{sum, report.Mean(errors), report.Median(errors), report.Quantile(errors, 0.95), slices.Max(errors), report.MeanOf(all, func(e polygonError) float64 { return e.estimate })} {
					cells = append(cells, report.Percent2(v))
				}
				t.Row(append(cells, fmt.Sprintf("%d of %d", hold, len(all)), report.Percent2(report.Median(report.Column(all, func(e polygonError) float64 { return e.width }))))...)
				if i < 2 {
					errorsOf = append(errorsOf, report.Percent2(report.Mean(errors)))
				}
				if i < 2 && of.Levels == 0 {
					sums[i], estimates[i] = sum, report.Mean(errors)
					for j, what := range []string{"sum, ", "estimate, "} {
						line := report.Series{Label: what + of.name, Style: 2*i + j, Only: report.Marks}
						for k, e := range bySeed[0] {
							line.At(truth[k], 100*[]float64{e.sum, math.Abs(e.estimate)}[j])
						}
						p.Series = append(p.Series, line)
					}
				}
			}
		}
		panels = append(panels, p)
		estimateClaims(s, sums, estimates, size, int(full/share))
		finding = append(finding, fmt.Sprintf("at %d bytes by %s with the paper's k and layers and %s with ours (%s and %s with levels)",
			full/share, errorsOf[0], errorsOf[2], errorsOf[1], errorsOf[3]))
	}
	s.Compare("intervals of dense sketches that hold the truth, where 95% are promised", "-").Defaults(report.Percent(float64(held)/float64(asks))).
		Worse(float64(held) < 0.95*float64(asks), "the promise is not kept")
	s.Short("estimates of polygons of dense sketches are off %s; %s of the intervals hold, 95%% are promised; the exact form has no error in %s of the paper's bytes.",
		strings.Join(finding, "; "), report.Percent(float64(held)/float64(asks)), report.Percent(float64(size)/float64(full)))
	s.Figure("error", "Errors of sums and of estimates over the points that a polygon holds, without levels, with one seed. An error of 0 is not shown.", panels)
}

// estimateClaims puts the paper's bound for polygons beside the errors of sums
// and estimates of its sketch, of a dense one of ours in as many bytes, and of
// the exact one that ours is by default.
func estimateClaims(s *report.Section, sums, estimates [2]float64, exact, bytes int) {
	s.Compare("sum over a polygon of more than 1,000 points, mean error", "below 2%").Paper(report.Percent2(sums[0])).Defaults("0 (exact)").Bytes(bytesOf(exact, bytes)).
		Worse(sums[0] >= 0.02, "at a quarter of the paper's sizing its sketch is overfull; the published is at its own")
	s.Compare("the same, our default without the exact form: sum; estimate", "below 2%; -").Paper(report.Percent2(sums[0])+"; "+report.Percent2(estimates[0])).
		Defaults(report.Percent2(sums[1])+"; "+report.Percent2(estimates[1])).Bytes(bytesOf(bytes, bytes)).
		Worse(sums[1] >= 0.02, "at a quarter of the paper's sizing; the estimate takes it off")
}

// exactSketch is the exact form of cells and their counts in at most so many bytes,
// and its size.
func exactSketch(cells []grid.Cell, counts []uint64, bytes uint64) (*ccbf.View, int) {
	blob := sketched(report.Must(ccbf.Params{Res: 0.01, Bytes: bytes}.Config()), cells, counts)
	v := new(ccbf.View)
	report.Check(v.Reset(blob))
	report.Require(v.IsExact(), "%d cells do not fit into %d bytes", len(cells), bytes)
	return v, len(blob)
}

// askedPolygons are n stars with more than 1,000 points each, and how many.
func askedPolygons(r *rand.Rand, exact *ccbf.View, cells []grid.Cell, n int) (asked []orb.MultiPolygon, truth []float64) {
	b := exact.Bounds
	for len(asked) < n {
		at := cells[r.IntN(len(cells))]
		if len(asked)%2 == 0 {
			at = grid.Cell{X: b.MinX + r.Int64N(int64(b.Width())), Y: b.MinY + r.Int64N(int64(b.Height()))}
		}
		x, y := exact.Grid.Center(at)
		star := star(r, orb.Point{x, y}, 0.1*math.Pow(20, r.Float64()))
		sum := report.Must(exact.PolygonSum(star, nil))
		if sum > 1000 {
			asked, truth = append(asked, star), append(truth, float64(sum))
		}
	}
	return asked, truth
}

// star is a ring of 5 to 40 corners around a centre, at 0.2 to 1 times the radius.
func star(r *rand.Rand, centre orb.Point, radius float64) orb.MultiPolygon {
	var ring orb.Ring
	n := 5 + r.IntN(36)
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.9*r.Float64()) / float64(n))
		d := radius * (0.2 + 0.8*r.Float64())
		ring = append(ring, orb.Point{centre[0] + d*cos, centre[1] + d*sin})
	}
	return orb.MultiPolygon{{append(ring, ring[0])}}
}

// polygonError is by how much a polygon's sum and its estimate are off, in parts of
// the truth.
type polygonError struct {
	sum, estimate, width float64
	held                 bool // the interval holds the truth
}

// polygonErrors asks a sketch, to which points came in random order.
func polygonErrors(p ccbf.Params, cells []grid.Cell, counts []uint64, asked []orb.MultiPolygon, truth []float64) []polygonError {
	config := report.Must(p.Config())
	var points []int32
	for i, n := range counts {
		for range n {
			points = append(points, int32(i))
		}
	}
	random(p.Seed, 42).Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	b := ccbf.NewBuilder(config, nil)
	for _, i := range points {
		report.Check(b.Add(cells[i], nil, key.None, 1))
	}
	v := report.Must(ccbf.NewView(report.Must(b.Sketch()).Blob()))
	out := make([]polygonError, len(asked))
	for i, mp := range asked {
		sum := report.Must(v.PolygonSum(mp, nil))
		e := report.Must(v.PolygonEstimate(mp, nil))
		low, high := float64(e.Low), float64(e.High)
		out[i] = polygonError{float64(sum)/truth[i] - 1, e.Value/truth[i] - 1, (high - low) / truth[i], low <= truth[i] && truth[i] <= high}
	}
	return out
}

// claimSide is the side whose sums stand for large areas in the claims.
const claimSide = 64

// levels compares sums over squares of dense sketches of equal size, with
// levels of squares and without.
func levels(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 2, 4)
	squares := report.Pick(c, 10, 100, 300)
	const levels = 8
	cells, counts, what := crimes(c.Data, 0.01)
	truth := newArea(cells, counts)
	s.Text("With the option `levels` a dense sketch counts the squares above the cells as well (range trees, as in \"Spectral Bloom Filters\", "+
		"section 5.5, in two dimensions). A sum over an area is then made of few counts in place of many, each of them too high at most "+
		"by what one lookup is; but more keys share the counters, so that each is further off. Here on %s, at 0.01 degrees: %d cells with points. Squares of side n "+
		"cells, %d of each, each around a point drawn at random, with %d seeds of the hash; sketches with `exact: false`, default mode, k and layers, and %d levels. "+
		"The error of a sum is its excess in parts of the truth, in the mean over the squares; sums are never below the truth.", what, len(cells), squares, seeds, levels)
	sides := []int64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}
	perCell := []float64{14, 7.4, 4}
	t := s.Table("side n", "points, mean")
	for _, counters := range perCell {
		t.Heads(fmt.Sprintf("%s counters a cell: without", report.Num(counters)), "with levels")
	}
	rows := make([][]any, len(sides))
	var panels []report.Panel
	var finding []string
	probe := report.Must(ccbf.Params{Res: 0.01, Bytes: 1 << 20, Dense: true}.Config())
	perCounter := float64(probe.DenseBytes()) / float64(probe.Counters()[0]) // of all layers
	for _, counters := range perCell {
		bytes := uint64(counters * float64(len(cells)) * perCounter)
		type excess [2]float64 // without levels, with
		sums := report.Parallel(seeds, func(seed int) []excess {
			var views [2]ccbf.View
			for i := range views {
				config := report.Must(ccbf.Params{Res: 0.01, Bytes: bytes, Dense: true, Seed: seedOf(seed), Levels: i * levels}.Config())
				report.Check(views[i].Reset(sketched(config, cells, counts)))
			}
			r := random(seedOf(seed), 31)
			out := make([]excess, len(sides))
			for j, side := range sides {
				for range squares {
					box := squareAround(r, cells, side)
					want := float64(truth.sum(box))
					for i := range views {
						got := report.Must(views[i].BoxSum(box, nil))
						report.Require(float64(got) >= want, "a sum of %d, the truth is %v", got, want)
						out[j][i] += (float64(got) - want) / want / float64(squares)
					}
				}
			}
			return out
		})
		lines := report.Lines("without levels", "with 8 levels")
		cross := int64(0)
		for j, side := range sides {
			var e excess
			for i := range e {
				e[i] = report.MeanOf(sums, func(of []excess) float64 { return of[j][i] })
				lines[i].At(float64(side), 100*e[i])
			}
			rows[j] = append(rows[j], report.Percent2(e[0]), report.Percent2(e[1]))
			if side == claimSide {
				s.Compare(fmt.Sprintf("excess of a sum over %d x %d cells, %s counters a cell: without levels; with 8 (spectral paper, section 5.5, in two dimensions)", side, side, report.Num(counters)), "-").
					Defaults(report.Percent2(e[0]) + "; " + report.Percent2(e[1])).Bytes(sketch.Number(bytes))
			}
			if e[1] > e[0] {
				cross = side
			}
		}
		panels = append(panels, report.Panel{Title: report.Num(counters) + " counters a cell", X: "side of the square in cells", Y: "excess in percent", LogX: true, Legend: report.TopRight, Series: lines})
		finding = append(finding, fmt.Sprintf("%d with %s counters a cell", cross, report.Num(counters)))
	}
	r := random(seedOf(0), 32)
	for j, side := range sides {
		mean := 0.0
		for range squares {
			mean += float64(truth.sum(squareAround(r, cells, side))) / float64(squares)
		}
		t.Row(append([]any{side, report.Num(mean)}, rows[j]...)...)
	}
	s.Short("in the same bytes sums with levels are closer from squares of some cells on; the largest side at which they are further off is %s.", strings.Join(finding, ", "))
	s.Figure("excess", "Excess of sums over squares, with levels and without, at equal bytes.", panels)
}

// squareAround is a square around one of the cells.
func squareAround(r *rand.Rand, cells []grid.Cell, side int64) grid.Rect {
	at := cells[r.IntN(len(cells))]
	x, y := at.X-r.Int64N(side), at.Y-r.Int64N(side)
	return grid.Rect{MinX: x, MinY: y, MaxX: x + side - 1, MaxY: y + side - 1}
}

// sketched is the BLOB of a sketch of cells and their counts.
func sketched(config ccbf.Config, cells []grid.Cell, counts []uint64) []byte {
	b := ccbf.NewBuilder(config, nil)
	for i, c := range cells {
		report.Check(b.Add(c, nil, key.None, counts[i]))
	}
	return report.Must(b.Sketch()).Blob()
}
