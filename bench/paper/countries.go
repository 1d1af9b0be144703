package main

import (
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// world is points on the globe, with what polygons really hold of them.
type world struct {
	points
	polygons []orb.MultiPolygon
	bounds   grid.Rect
	truth    []uint64 // of each polygon
}

// newWorld sums the points of every polygon, and how many cells the polygons have for each
// with points.
func newWorld(p points, polygons []orb.MultiPolygon) (w world, inside float64) {
	w = world{p, polygons, grid.EmptyRect(), nil}
	of := map[grid.Cell]uint64{}
	for _, p := range p.places {
		of[p.Cell] = p.points
		w.bounds = w.bounds.Extend(p.Cell)
	}
	all, occupied := 0.0, 0.0
	w.truth = w.sums(func(p *place) uint64 {
		n := of[p.Cell]
		all++
		if n > 0 {
			occupied++
		}
		return n
	})
	return w, all / occupied
}

// sums are those of what count has for the cells inside of each polygon.
func (w world) sums(count func(p *place) uint64) []uint64 {
	g := report.Must(grid.New(w.res))
	return report.Column(w.polygons, func(mp orb.MultiPolygon) (sum uint64) {
		scan := report.Must(g.Scan(mp, w.bounds))
		rows := scan.Bounds()
		for y := rows.MinY; y <= rows.MaxY; y++ {
			for _, of := range scan.Row(y) {
				for x := of.X0; x <= of.X1; x++ {
					sum += count(&place{Cell: grid.Cell{X: x, Y: y}})
				}
			}
		}
		return sum
	})
}

// largePolygon is how many points the paper's claim asks for. Section 5.2.2.
const largePolygon = 1000

// ask sums every polygon with a structure: errors of the sums and of the estimates, in
// parts of the truth, of large polygons and of all; and the errors one by one. A sum
// below the truth is an error.
func (w world) ask(of structure, bytes, seed uint64) (out report.Figures, each report.Series) {
	a := of.count(w.shuffled(seed, 72), bytes, seed)
	out = report.Figures{"bytes": float64(a.bytes), "exact": yesNo(a.exact())}
	var sums []uint64
	if a.view == nil {
		sums = w.sums(a.count)
	} else {
		sums = report.Column(w.polygons, func(mp orb.MultiPolygon) uint64 { return report.Must(a.view.PolygonSum(mp, nil)) })
	}
	var large, all, estimates []float64
	for i, sum := range sums {
		truth := w.truth[i]
		report.Require(sum >= truth && !(a.exact() && sum != truth), "polygon %d holds %d points, the sum is %d", i, truth, sum)
		if a.view != nil {
			e := report.Must(a.view.PolygonEstimate(w.polygons[i], nil))
			out["asked"]++
			out["held"] += yesNo(e.Low <= truth && truth <= e.High)
			if truth > largePolygon {
				estimates = append(estimates, math.Abs(e.Value/float64(truth)-1))
			}
		}
		excess := float64(sum)/float64(truth) - 1
		if truth > 0 {
			all = append(all, excess)
			each.At(float64(truth), 100*excess)
		}
		if truth > largePolygon {
			large = append(large, excess)
		}
	}
	out["large"], out["largest"], out["any"] = report.Mean(large), slices.Max(large), report.Mean(all)
	out["fullest"] = each.Y[slices.Index(each.X, slices.Max(each.X))] / 100
	if a.view != nil {
		out["estimate"] = report.Mean(estimates)
	}
	return out, each
}

// bytesPerCell is the paper's load: 512 KB for the 20,000 cells of its events.
const bytesPerCell = float64(categoryBytes) / eventCells

// globePoints are kinds of points on the globe, in cells of so many degrees.
var globePoints = []struct {
	name string
	res  float64
	read func(folder string, res float64) points
}{
	{"cities, 1 degree", 1, cities.degrees},
	{"cities, 0.1 degrees", 0.1, cities.degrees},
	{"COVID-19, 1 degree", 1, covidDegrees},
}

// countrySums is section 5.2.2: sums over countries.
func countrySums(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 1, 5)
	polygons, outlines := countries(c.Data)
	s.Set("outlines", outlines, "k", paperK, "a cell", bytesPerCell, "seeds", seeds, "large", largePolygon)
	var panels []report.Panel
	for _, of := range globePoints[:report.Pick(c, 1, 3, 3)] {
		w, inside := newWorld(of.read(c.Data, of.res), polygons)
		s.Record(report.At{"kind": of.name, "what": w.what}, report.Figures{"total": float64(w.total()), "inside": inside,
			"polygons": float64(report.Count(w.truth, func(n uint64) bool { return n > largePolygon }))})
		p := report.Panel{Title: of.name, X: "points in the polygon", Y: "error of the sum in percent", LogX: true, LogY: true}
		for i, by := range []structure{paperCascade, paperSpectral, paperCountMin, denseDefaults, ourDefaults} {
			all := make([]report.Series, seeds)
			s.Record(report.At{"points": of.name, "cells": len(w.places), "structure": by.name}, report.Parallel(seeds, func(seed int) (f report.Figures) {
				f, all[seed] = w.ask(by, uint64(bytesPerCell*float64(len(w.places))), seedOf(seed))
				return f
			})...)
			if i < 4 { // which have errors
				all[0].Label = by.name
				p.Series = append(p.Series, report.Drawn(all[:1], "%s", report.Marks, i)...)
			}
		}
		panels = append(panels, p)
	}
	panels[0].Legend = report.BottomLeft
	s.Plot("error", panels)
}
