package main

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// This file has experiments about sums over areas of the UK's points.

// estimatedSketches are counters (layered counting Bloom filters) with several options. The first
// has the paper's parameters, the second our defaults.
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

// paperCounters is the paper's number of 16-bit counters for each cell with points.
const paperCounters = 14

// estimates measures polygon estimates of dense sketches on the UK file.
func estimates(c report.Config, s *report.Section) {
	seeds, n := report.Pick(c, 1, 1, 3), report.Pick(c, 5, 40, 200)
	p := uk.degrees(c.Data, 0.01)
	if part := report.Pick(c, 10, 3, 1); part > 1 {
		p.places = p.places[:len(p.places)/part]
		p.what += fmt.Sprintf(", the southern 1/%d of the cells", part)
	}
	full := uint64(2 * paperCounters * len(p.places))
	exact, size := p.exact(full / 20)
	asked, truth := askedPolygons(p, exact, n)
	s.Set("what", p.what, "cells", len(p.places), "polygons", n, "median", int(report.Median(truth)), "seeds", seeds, "counters", paperCounters,
		"full", full, "size", float64(size), "share", float64(size)/float64(full))
	for _, share := range []uint64{1, 4} {
		for _, of := range estimatedSketches {
			for _, of.Levels = range []int{0, 8} {
				of.Bytes, of.Dense = full/share, true
				at := report.At{"bytes": full / share, "sketch": of.name, "levels": of.Levels, "sized": share == 1, "title": of.name}
				if of.Levels > 0 {
					at["title"] = fmt.Sprintf("%s, %d levels", of.name, of.Levels)
				}
				for i, polygons := range report.Parallel(seeds, func(seed int) []report.Figures {
					of := of.Params
					of.Seed = seedOf(seed)
					return polygonErrors(of, p, asked, truth)
				}) {
					s.Record(at, polygons...)
					for j, e := range polygons { // the plot has a mark for each polygon of the first seed
						if i == 0 {
							s.Record(at, report.Figures{"points": truth[j], "sum in percent": 100 * e["sum"], "estimate in percent": 100 * e["off"]})
						}
					}
				}
			}
		}
	}
}

// askedPolygons returns n stars with more than 1,000 points each, and their numbers of points.
func askedPolygons(p points, exact *ccbf.View, n int) (asked []orb.MultiPolygon, truth []float64) {
	r, b := random(seedOf(0), 41), exact.Bounds
	for len(asked) < n {
		at := p.places[r.IntN(len(p.places))].Cell
		if len(asked)%2 == 0 {
			at = grid.Cell{X: b.MinX + r.Int64N(int64(b.Width())), Y: b.MinY + r.Int64N(int64(b.Height()))}
		}
		x, y := exact.Grid.Center(at)
		star := star(r, orb.Point{x, y}, 0.1*math.Pow(20, r.Float64()))
		if sum := report.Must(exact.Sum(ccbf.NewPolygon(star).Area(), ccbf.Categories{})); sum > 1000 {
			asked, truth = append(asked, star), append(truth, float64(sum))
		}
	}
	return asked, truth
}

// polygonErrors builds a sketch from points in random order. It returns the errors of the sum and
// of the estimate for each polygon, as fractions of the truth.
func polygonErrors(of ccbf.Params, p points, asked []orb.MultiPolygon, truth []float64) []report.Figures {
	v := cascaded(of, p.shuffled(of.Seed, 42)).view
	out := make([]report.Figures, len(asked))
	for i, mp := range asked {
		sum, e, truth := report.Must(v.Sum(ccbf.NewPolygon(mp).Area(), ccbf.Categories{})), report.Must(v.Estimate(ccbf.NewPolygon(mp).Area(), ccbf.Categories{})), truth[i]
		low, high := float64(e.Low), float64(e.High)
		out[i] = report.Figures{"sum": float64(sum)/truth - 1, "bias": e.Value/truth - 1, "off": math.Abs(e.Value/truth - 1),
			"width": (high - low) / truth, "held": yesNo(low <= truth && truth <= high)}
	}
	return out
}

// levels compares sums over squares of dense sketches of equal size, with and without levels.
func levels(c report.Config, s *report.Section) {
	seeds, squares := report.Pick(c, 1, 2, 4), report.Pick(c, 10, 100, 300)
	const levels = 8
	p := uk.degrees(c.Data, 0.01)
	truth := p.sketched(ccbf.Params{Bytes: 64 << 20})
	s.Set("what", p.what, "cells", len(p.places), "squares", squares, "seeds", seeds, "levels", levels)
	sides := []int64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}
	forms := []string{"without levels", "with 8 levels"}
	probe := report.Must(ccbf.Params{Res: 0.01, Bytes: 1 << 20, Dense: true}.Config())
	perCounter := float64(bridge.DenseBytes(&probe)) / float64(probe.Counters()[0]) // bytes of all layers, per counter of the first layer
	for _, counters := range []float64{14, 7.4, 4} {
		bytes := uint64(counters * float64(len(p.places)) * perCounter)
		for i, form := range forms {
			for j, of := range transposed(report.Parallel(seeds, func(seed int) []report.Figures {
				v := viewOf(p.sketched(ccbf.Params{Bytes: bytes, Dense: true, Seed: seedOf(seed), Levels: i * levels}))
				exact := viewOf(truth) // each goroutine needs a view of its own
				report.Require(exact.IsExact(), "the cells do not fit")
				r := random(seedOf(seed), 31)
				return report.Column(sides, func(side int64) report.Figures {
					excess := 0.0
					for range squares {
						box := p.squareAround(r, side)
						want, got := float64(report.Must(exact.Sum(ccbf.Box(box), ccbf.Categories{}))), float64(report.Must(v.Sum(ccbf.Box(box), ccbf.Categories{})))
						report.Require(got >= want, "a sum of %v, the truth is %v", got, want)
						excess += (got - want) / want / float64(squares)
					}
					return report.Figures{"excess": excess, "percent": 100 * excess}
				})
			})) {
				s.Record(report.At{"counters": counters, "bytes": bytes, "side": sides[j], "form": form}, of...)
			}
		}
		cross := any(0)
		for _, at := range s.Where("counters", counters).By("side") {
			if at.Mean("excess", "form", forms[1]) > at.Mean("excess", "form", forms[0]) {
				cross = at.At["side"]
			}
		}
		s.Record(report.At{"with": counters, "cross": cross}, report.Figures{})
	}
	r := random(seedOf(0), 32)
	for _, side := range sides {
		mean := 0.0
		for range squares {
			mean += float64(report.Must(viewOf(truth).Sum(ccbf.Box(p.squareAround(r, side)), ccbf.Categories{}))) / float64(squares)
		}
		s.Record(report.At{"side": side}, report.Figures{"points": mean})
	}
}

// cancel tests section 4 of the CascadeCBF paper: errors cancel in large areas.
func cancel(c report.Config, s *report.Section) {
	boxes := report.Pick(c, 20, 200, 1000)
	p := uk.degrees(c.Data, 0.01).light(c)
	exact, _ := p.exact(64 << 20)
	bounds := exact.Bounds
	s.Set("what", p.what, "k", paperK, "boxes", boxes)
	for _, perCell := range []uint64{4, 2} {
		a := paperCascade.count(p.shuffled(seedOf(0), 98), 2*perCell*uint64(len(p.places)), seedOf(0))
		s.Set("bytes", a.bytes)
		r := random(seedOf(0), 99)
		one := 0.0
		for _, side := range []int64{1, 4, 16, 64, 256} {
			var each []float64
			excess, sum, low := 0.0, 0.0, 0.0
			for range boxes * int(max(1, 256/(side*side))) { // small boxes vary more, so there are more of them
				x, y := bounds.MinX+r.Int64N(bounds.MaxX-bounds.MinX-side+2), bounds.MinY+r.Int64N(bounds.MaxY-bounds.MinY-side+2)
				box := grid.Rect{MinX: x, MinY: y, MaxX: x + side - 1, MaxY: y + side - 1}
				want, got := float64(report.Must(exact.Sum(ccbf.Box(box), ccbf.Categories{}))), float64(report.Must(a.view.Sum(ccbf.Box(box), ccbf.Categories{})))
				low += yesNo(got < want)
				each = append(each, (got-want)/float64(side*side))
				excess, sum = excess+got-want, sum+want
			}
			mean := report.Mean(each)
			if side == 1 {
				one = mean
			}
			s.Record(report.At{"counters": perCell, "side": side}, report.Figures{"mean": mean, "of one": mean / one,
				"deviation": report.Deviation(each) / mean, "low": low, "asked": float64(len(each)), "excess": excess / sum})
		}
	}
}
