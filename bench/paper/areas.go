package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/paulmach/orb"
)

// estimatedSketches are what a user can choose at equal bytes; the first is the
// paper's, the second the default.
var estimatedSketches = []struct {
	name string
	ccbf.Params
}{
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
	s.Set("what", what, "cells", len(cells), "polygons", n, "median", int(report.Median(truth)), "seeds", seeds, "counters", paperCounters, "full", full,
		"size", float64(size), "share", float64(size)/float64(full))
	var panels []report.Panel
	for _, share := range []uint64{1, 4} {
		p := report.Panel{
			Title: fmt.Sprintf("%d bytes", full/share), X: "points in the polygon", Y: "error in percent", LogX: true, LogY: true, Legend: report.TopRight,
		}
		for i, of := range estimatedSketches {
			for _, of.Levels = range []int{0, levels} {
				of.Res, of.Bytes, of.Dense = 0.01, full/share, true
				bySeed := report.Parallel(seeds, func(seed int) []report.Figures {
					of := of.Params
					of.Seed = seedOf(seed)
					return polygonErrors(of, cells, counts, asked, truth)
				})
				at := report.At{"bytes": full / share, "sketch": of.name, "levels": of.Levels, "sized": share == 1}
				for _, polygons := range bySeed {
					s.Record(at, polygons...)
				}
				if i < 2 && of.Levels == 0 {
					for j, what := range []string{"sum", "off"} {
						errors := report.Column(bySeed[0], func(e report.Figures) float64 { return 100 * e[what] })
						p.Series = append(p.Series, report.Series{Label: []string{"sum, ", "estimate, "}[j] + of.name, Style: 2*i + j, Only: report.Marks, X: truth, Y: errors})
					}
				}
			}
		}
		panels = append(panels, p)
	}
	s.Plot("error", panels)
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

// polygonErrors asks a sketch, to which points came in random order, by how much the
// sum and the estimate of each polygon are off, in parts of the truth.
func polygonErrors(p ccbf.Params, cells []grid.Cell, counts []uint64, asked []orb.MultiPolygon, truth []float64) []report.Figures {
	config := report.Must(p.Config())
	places := make([]place, len(cells))
	for i := range places {
		places[i].points = counts[i]
	}
	b := ccbf.NewBuilder(config, nil)
	for _, i := range arrivals(random(p.Seed, 42), places) {
		report.Check(b.Add(cells[i], nil, key.None, 1))
	}
	v := report.Must(ccbf.NewView(report.Must(b.Sketch()).Blob()))
	out := make([]report.Figures, len(asked))
	for i, mp := range asked {
		sum := report.Must(v.PolygonSum(mp, nil))
		e := report.Must(v.PolygonEstimate(mp, nil))
		low, high := float64(e.Low), float64(e.High)
		out[i] = report.Figures{"sum": float64(sum)/truth[i] - 1, "bias": e.Value/truth[i] - 1, "off": math.Abs(e.Value/truth[i] - 1), "width": (high - low) / truth[i], "held": 0}
		if low <= truth[i] && truth[i] <= high {
			out[i]["held"] = 1
		}
	}
	return out
}

// levels compares sums over squares of dense sketches of equal size, with
// levels of squares and without.
func levels(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 2, 4)
	squares := report.Pick(c, 10, 100, 300)
	const levels = 8
	cells, counts, what := crimes(c.Data, 0.01)
	truth := newArea(cells, counts)
	s.Set("what", what, "cells", len(cells), "squares", squares, "seeds", seeds, "levels", levels)
	sides := []int64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}
	var panels []report.Panel
	probe := report.Must(ccbf.Params{Res: 0.01, Bytes: 1 << 20, Dense: true}.Config())
	perCounter := float64(probe.DenseBytes()) / float64(probe.Counters()[0]) // of all layers
	for _, counters := range []float64{14, 7.4, 4} {
		bytes := uint64(counters * float64(len(cells)) * perCounter)
		all := report.Parallel(seeds, func(seed int) (bySide [][]report.Figures) {
			var views [2]ccbf.View
			for i := range views {
				config := report.Must(ccbf.Params{Res: 0.01, Bytes: bytes, Dense: true, Seed: seedOf(seed), Levels: i * levels}.Config())
				report.Check(views[i].Reset(sketched(config, cells, counts)))
			}
			r := random(seedOf(seed), 31)
			for _, side := range sides {
				excess := []report.Figures{{}, {}}
				for range squares {
					box := squareAround(r, cells, side)
					want := float64(truth.sum(box))
					for i := range views {
						got := report.Must(views[i].BoxSum(box, nil))
						report.Require(float64(got) >= want, "a sum of %d, the truth is %v", got, want)
						excess[i]["excess"] += (float64(got) - want) / want / float64(squares)
						excess[i]["percent"] = 100 * excess[i]["excess"]
					}
				}
				bySide = append(bySide, excess)
			}
			return bySide
		})
		for j, bySeed := range transposed(all) {
			s.RecordEach(report.At{"counters": counters, "bytes": bytes, "side": sides[j]}, "form", []string{"without levels", "with 8 levels"}, bySeed)
		}
		cross := int64(0)
		for _, at := range s.Where("counters", counters).By("side") {
			if at.Mean("excess", "form", "with 8 levels") > at.Mean("excess", "form", "without levels") {
				cross = at.At["side"].(int64)
			}
		}
		s.Record(report.At{"with": counters, "cross": cross}, report.Figures{})
		panels = append(panels, report.Panel{Title: report.Num(counters) + " counters a cell", X: "side of the square in cells", Y: "excess in percent", LogX: true, Legend: report.TopRight,
			Series: s.Where("counters", counters).Lines("form", "side", "percent")})
	}
	r := random(seedOf(0), 32)
	for _, side := range sides {
		mean := 0.0
		for range squares {
			mean += float64(truth.sum(squareAround(r, cells, side))) / float64(squares)
		}
		s.Record(report.At{"side": side}, report.Figures{"points": mean})
	}
	s.Plot("excess", panels)
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
