package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// countries are the polygons of the Natural Earth file.
func countries(folder string) (polygons []orb.MultiPolygon, what string) {
	const file = "ne_110m_countries.geojson"
	text := report.Must(os.ReadFile(filepath.Join(folder, file)))
	var collection struct {
		Features []struct{ Geometry json.RawMessage }
	}
	report.Check(json.Unmarshal(text, &collection))
	for _, f := range collection.Features {
		polygons = append(polygons, report.Must(grid.ParseGeoJSON(f.Geometry)))
	}
	return polygons, fmt.Sprintf("the %d countries of Natural Earth at 1:110 million", len(polygons))
}

// cities are the populated places of the world at a resolution in degrees.
func cities(folder string, res float64) (places []place, what string) {
	places = readPlaces(fmt.Sprintf("SELECT floor(lon / %v)::BIGINT AS x, floor(lat / %[1]v)::BIGINT AS y, NULL, count(*) FROM %s GROUP BY ALL ORDER BY y, x",
		res, sqlFile(folder, "geonames_cities.parquet")))
	return places, "populated places (GeoNames)"
}

// covidDegrees are the points of the COVID-19 file at a resolution in degrees.
func covidDegrees(folder string, res float64) (places []place, what string) {
	byDate, what := covid(folder)
	const width, height = 360.0 / covidSide, 180.0 / covidSide // of a cell of the raster
	index := map[grid.Cell]int{}
	for _, p := range slices.Concat(byDate...) {
		if p.points == 0 {
			continue
		}
		c := grid.Cell{X: int64(math.Floor(((float64(p.X)+0.5)*width - 180) / res)), Y: int64(math.Floor(((float64(p.Y)+0.5)*height - 90) / res))}
		j, known := index[c]
		if !known {
			j = len(places)
			index[c] = j
			places = append(places, place{Cell: c})
		}
		places[j].points += p.points
	}
	return places, what
}

// world is points on the globe, with what polygons really hold of them.
type world struct {
	res    float64
	places []place
	bounds grid.Rect
	truth  []uint64 // of each polygon
	// How many cells the polygons have, and how many of them points.
	inside, occupied int
}

// newWorld sums the points of every polygon.
func newWorld(res float64, places []place, polygons []orb.MultiPolygon) *world {
	w := &world{res: res, places: places, bounds: grid.EmptyRect()}
	points := map[grid.Cell]uint64{}
	for i := range places {
		points[places[i].Cell] = places[i].points
		w.bounds = w.bounds.Extend(places[i].Cell)
	}
	w.truth = w.sums(polygons, func(p *place) uint64 {
		n := points[p.Cell]
		w.inside++
		if n > 0 {
			w.occupied++
		}
		return n
	})
	return w
}

// largePolygons is the number of polygons that the paper's claim is about.
func (w *world) largePolygons() int {
	return report.Count(w.truth, func(n uint64) bool { return n > largePolygon })
}

// sums are those of what count has for the cells inside of each polygon.
func (w *world) sums(polygons []orb.MultiPolygon, count func(p *place) uint64) []uint64 {
	g := report.Must(grid.New(w.res))
	sums := make([]uint64, len(polygons))
	for i, mp := range polygons {
		scan := report.Must(g.Scan(mp, w.bounds))
		rows := scan.Bounds()
		for y := rows.MinY; y <= rows.MaxY; y++ {
			for _, of := range scan.Row(y) {
				for x := of.X0; x <= of.X1; x++ {
					sums[i] += count(&place{Cell: grid.Cell{X: x, Y: y}})
				}
			}
		}
	}
	return sums
}

// largePolygon is how many points the paper's claim asks for. Section 5.2.2.
const largePolygon = 1000

// ask sums every polygon with a structure: errors of the sums and of the estimates, in
// parts of the truth, of large polygons and of all; and the errors one by one. A sum
// below the truth is an error.
func (w *world) ask(of structure, polygons []orb.MultiPolygon, bytes, seed uint64) (out report.Figures, each report.Series) {
	a := of.count(w.places, arrivals(random(seed, 72), w.places), w.res, bytes, seed)
	out = report.Figures{"bytes": float64(a.bytes), "exact": 0}
	if a.exact() {
		out["exact"] = 1
	}
	var sums []uint64
	if a.view == nil {
		sums = w.sums(polygons, a.count)
	} else {
		for _, mp := range polygons {
			sums = append(sums, report.Must(a.view.PolygonSum(mp, nil)))
		}
	}
	var large, all, estimates []float64
	for i, sum := range sums {
		truth := w.truth[i]
		report.Require(sum >= truth && !(a.exact() && sum != truth), "polygon %d holds %d points, the sum is %d", i, truth, sum)
		if a.view != nil {
			e := report.Must(a.view.PolygonEstimate(polygons[i], nil))
			out["asked"]++
			if e.Low <= truth && truth <= e.High {
				out["held"]++
			}
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

// sumStructures are those whose sums are compared.
var sumStructures = []structure{paperCascade, paperSpectral, paperCountMin, denseDefaults, ourDefaults}

// bytesPerCell is the paper's load: 512 KB for the 20,000 cells of its events.
const bytesPerCell = float64(categoryBytes) / eventCells

// globePoints are kinds of points on the globe, in cells of so many degrees.
var globePoints = []struct {
	name string
	res  float64
	read func(folder string, res float64) (places []place, what string)
}{
	{"cities, 1 degree", 1, cities},
	{"cities, 0.1 degrees", 0.1, cities},
	{"COVID-19, 1 degree", 1, covidDegrees},
}

// countrySums is section 5.2.2: sums over countries.
func countrySums(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 1, 5)
	polygons, outlines := countries(c.Data)
	s.Set("outlines", outlines, "k", paperK, "a cell", bytesPerCell, "seeds", seeds, "large", largePolygon)
	var panels []report.Panel
	for _, of := range globePoints[:report.Pick(c, 1, 3, 3)] {
		places, what := of.read(c.Data, of.res)
		w := newWorld(of.res, places, polygons)
		s.Record(report.At{"kind": of.name, "what": what}, report.Figures{"total": float64(total(places)), "polygons": float64(w.largePolygons()), "inside": float64(w.inside) / float64(w.occupied)})
		p := report.Panel{Title: of.name, X: "points in the polygon", Y: "error of the sum in percent", LogX: true, LogY: true}
		for i, by := range sumStructures {
			type answer struct {
				report.Figures
				each report.Series
			}
			all := report.Parallel(seeds, func(seed int) (a answer) {
				a.Figures, a.each = w.ask(by, polygons, uint64(bytesPerCell*float64(len(places))), seedOf(seed))
				return a
			})
			s.Record(report.At{"points": of.name, "cells": len(places), "structure": by.name}, report.Column(all, func(a answer) report.Figures { return a.Figures })...)
			if i < 4 { // which have errors
				line := all[0].each
				line.Label, line.Style, line.Only = by.name, i, report.Marks
				p.Series = append(p.Series, line)
			}
		}
		panels = append(panels, p)
	}
	panels[0].Legend = report.BottomLeft
	s.Plot("error", panels)
}
