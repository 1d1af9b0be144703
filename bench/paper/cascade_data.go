package main

import (
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// This file has table 3 and sections 4 and 5.2.2 of the CascadeCBF paper, on real points: categories,
// and sums over areas.

// categoryBytes is the size of all structures in table 3.
const categoryBytes = 512 << 10

// cellAlone is the paper's structure as in its public program, which hashes the cell without the
// category.
var cellAlone = structure{name: "the same, the cell alone hashed", cells: paperCascade.cells, alone: true}

// strangers returns, for every category, the cells that have points of other categories only.
func strangers(places []place) (out []place) {
	there := map[grid.Cell]map[string]bool{}
	for _, p := range places {
		if there[p.Cell] == nil {
			there[p.Cell] = map[string]bool{}
		}
		there[p.Cell][string(p.category)] = true
	}
	for _, of := range byCategory(places) {
		for c, categories := range there {
			if !categories[string(of[0].category)] {
				out = append(out, place{Cell: c, category: of[0].category})
			}
		}
	}
	return out
}

// askCategories counts points and then queries a sample of each category, and categories that cells
// do not have. It returns the errors of the sample, and the lookups of absent categories with the mean
// of results above 0.
func askCategories(of structure, p points, strange []place, samples int, seed uint64) (report.Figures, tally) {
	a := of.count(p, categoryBytes, seed)
	r := random(seed, 62)
	all := byCategory(p.places)
	mean, most := 0.0, 0.0
	for _, places := range all {
		for _, i := range sample(r, places, samples) {
			x := a.excess(&places[i])
			mean += x / float64(samples*len(all))
			most = max(most, x)
		}
	}
	hits, sum := 0, 0.0
	for i := range strange {
		if n := a.count(&strange[i]); n > 0 {
			hits++
			sum += float64(n)
		}
	}
	var absent tally
	absent.add(hits, len(strange), a.absentRate())
	return report.Figures{"mean": mean, "most": most, "bytes": float64(a.bytes), "rate": absent.rate(),
		"percent": 100 * mean, "percent absent": 100 * absent.rate(), "percent formula": 100 * absent.formula(), "extra": sum / float64(max(1, hits))}, absent
}

// askAllCategories calls askCategories for every structure with several seeds. It also records how often
// categories are found in cells that lack them, over all seeds. A rate above the formula by more than four
// standard errors is a failure.
func askAllCategories(c report.Scale, s *report.Section, p points) {
	seeds, samples := report.Pick(c, 1, 1, 5), report.Pick(c, 200, 10_000, 10_000)
	strange := strangers(p.places)
	perCounter := float64(len(p.places)) / float64(categoryBytes/20*9) // keys per counter of the cascade's first layer
	for _, of := range []structure{paperSpectral, paperCountMin, paperCascade, paperStandard, denseDefaults, ourDefaults, cellAlone} {
		tallies := make([]tally, seeds)
		figures := report.Parallel(seeds, func(i int) (f report.Figures) {
			f, tallies[i] = askCategories(of, p.shuffled(seedOf(i), 61), strange, samples, seedOf(i))
			return f
		})
		s.Record(report.At{"points": p.name, "keys": len(p.places), "load": perCounter, "crimes": p.what != "", "structure": of.name}, figures...)
		if of.name == paperSpectral.name || of.name == paperCountMin.name {
			continue
		}
		var sum tally
		for _, t := range tallies {
			sum.merge(t)
		}
		all := sum.figures()
		all["extra"] = report.Mean(report.Column(figures, func(f report.Figures) float64 { return f["extra"] }))
		if of.alone { // it ignores categories: its hits are points of other categories, not false positives
			delete(all, "formula")
		} else {
			report.Require(float64(sum.hits) <= sum.expected+4*math.Sqrt(sum.variance),
				"%s, %s: %d of %d keys that are absent have a count, the formula allows %.0f", p.name, of.name, sum.hits, sum.asked, sum.expected)
		}
		if of.alone || sum.variance == 0 { // without a variance: the structure is exact, or every counter is in use
			delete(all, "z")
		} else {
			all["isolation z"] = sum.z()
		}
		s.Record(report.At{"isolated": p.name, "structure": of.name}, all)
	}
}

// sameKeys is the resolution at which the UK has as many keys as the synthetic events.
const sameKeys = 0.108

// categories measures table 3: counts of cells and categories in one sketch.
func categories(c report.Scale, s *report.Section) {
	loads := []points{events().light(c)}
	for _, res := range append([]float64{sameKeys}, report.Pick(c, nil, []float64{0.01}, []float64{0.05, 0.02, 0.01})...) {
		loads = append(loads, crimeCategories(res).light(c))
	}
	for _, p := range loads {
		askAllCategories(c, s, p)
	}
	like, at := loads[0], loads[1]
	s.Set("k", paperK, "most", eventMost, "points", like.total(), "keys", len(like.places), "categories", len(byCategory(at.places)),
		"same", sameKeys, "counters", categoryBytes/4, "row", categoryBytes/20, "seeds", report.Pick(c, 1, 1, 5),
		"small", inSmall(at), "small of events", inSmall(like), "like", like.name, "at", at.name, "shown", []string{like.name, at.name}, "all bytes", float64(categoryBytes), "uk", at.what)
}

// inSmall returns the fraction of points in places with fewer than 10.
func inSmall(p points) float64 {
	few := uint64(0)
	for i := range p.places {
		if p.places[i].points < 10 {
			few += p.places[i].points
		}
	}
	return float64(few) / float64(p.total())
}

// world is points on the globe, with the true numbers of points in polygons.
type world struct {
	points
	polygons []orb.MultiPolygon
	bounds   grid.Rect
	truth    []uint64 // true number of points in each polygon
}

// newWorld counts the points in every polygon. inside is the number of cells in all polygons over
// the number of those with points.
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

// sums returns the sum of count over the cells inside each polygon.
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

// largePolygon is the least number of points of a polygon in the paper's claim. Section 5.2.2.
const largePolygon = 1000

// ask sums every polygon with a structure. The first result has the errors of sums and estimates as
// fractions of the truth, for large polygons and for all. The others have the errors of single
// polygons. A sum below the truth is a failure.
func (w world) ask(of structure, bytes, seed uint64) []report.Figures {
	a := of.count(w.shuffled(seed, 72), bytes, seed)
	out := report.Figures{"bytes": float64(a.bytes)}
	var sums []uint64
	if a.view == nil {
		sums = w.sums(a.count)
	} else {
		sums = report.Column(w.polygons, func(mp orb.MultiPolygon) uint64 {
			return report.Must(a.view.Sum(ccbf.NewPolygon(mp).Area(), ccbf.Categories{}))
		})
	}
	var large, all, estimates []float64
	each, fullest := []report.Figures{out}, 0.0
	for i, sum := range sums {
		truth := w.truth[i]
		report.Require(sum >= truth && !(a.exact() && sum != truth), "polygon %d holds %d points, the sum is %d", i, truth, sum)
		if a.view != nil {
			e := report.Must(a.view.Estimate(ccbf.NewPolygon(w.polygons[i]).Area(), ccbf.Categories{}))
			out["asked"]++
			out["held"] += yesNo(e.Low <= truth && truth <= e.High)
			if truth > largePolygon {
				estimates = append(estimates, math.Abs(e.Value/float64(truth)-1))
			}
		}
		excess := float64(sum)/float64(truth) - 1
		if truth > 0 {
			all = append(all, excess)
			each = append(each, report.Figures{"in polygon": float64(truth), "error in percent": 100 * excess})
		}
		if float64(truth) > fullest {
			fullest, out["fullest"] = float64(truth), excess
		}
		if truth > largePolygon {
			large = append(large, excess)
		}
	}
	out["large"], out["largest"], out["any"] = report.Mean(large), slices.Max(large), report.Mean(all)
	if a.view != nil {
		out["estimate"] = report.Mean(estimates)
	}
	return each
}

// bytesPerCell is the paper's load: 512 KB for the 20,000 cells of its events.
const bytesPerCell = float64(categoryBytes) / eventCells

// countrySums measures section 5.2.2: sums over countries.
func countrySums(c report.Scale, s *report.Section) {
	seeds := report.Pick(c, 1, 1, 5)
	polygons := outlines(`SELECT '{"type": "Polygon", "coordinates": ' || polygon || '}' FROM ` + duck.File("ne_50m_countries.parquet"))
	s.Set("polygons", len(polygons), "k", paperK, "a cell", bytesPerCell, "seeds", seeds, "large", largePolygon)
	for _, of := range []struct {
		name string
		res  float64
		read func(res float64) points
	}{
		{"cities, 1 degree", 1, cities.degrees},
		{"cities, 0.1 degrees", 0.1, cities.degrees},
		{"COVID-19, 1 degree", 1, covidDegrees},
	}[:report.Pick(c, 1, 3, 3)] {
		w, inside := newWorld(of.read(of.res), polygons)
		s.Record(report.At{"kind": of.name, "what": w.what}, report.Figures{"total": float64(w.total()), "inside": inside,
			"polygons": float64(report.Count(w.truth, func(n uint64) bool { return n > largePolygon }))})
		for _, by := range []structure{paperCascade, paperSpectral, paperCountMin, denseDefaults, ourDefaults} {
			at := report.At{"points": of.name, "cells": len(w.places), "structure": by.name}
			for i, rows := range report.Parallel(seeds, func(seed int) []report.Figures {
				return w.ask(by, uint64(bytesPerCell*float64(len(w.places))), seedOf(seed))
			}) {
				s.Record(at, rows[0])
				if i == 0 { // the further rows of the first seed are the marks of the plot
					s.Record(at, rows[1:]...)
				}
			}
		}
	}
}

// cancel tests section 4 of the CascadeCBF paper: errors cancel in large areas.
func cancel(c report.Scale, s *report.Section) {
	boxes := report.Pick(c, 20, 200, 1000)
	p := uk.degrees(0.01).light(c)
	exact, _ := p.exact()
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
