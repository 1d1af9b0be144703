package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// covidDates are the dates of table 2 of the CascadeCBF paper, as the columns
// of the file have them.
var covidDates = []string{"3/15/2020", "6/15/2020", "12/31/2020", "6/30/2021", "12/31/2021", "6/30/2022"}

// covidSide is the raster's number of cells from pole to pole and around the
// equator.
const covidSide = 8192

// covid are the cells of the COVID-19 file's places with the points that come at
// each date, date by date: a thousandth of all cases until then, rounded down.
func covid(folder string) (byDate [][]place, what string) {
	var dates []string
	for i, column := range covidDates {
		// Places with equal coordinates are one.
		dates = append(dates, fmt.Sprintf(`SELECT floor((Lon + 180) / 360 * %d)::BIGINT AS x, floor((Lat + 90) / 180 * %[1]d)::BIGINT AS y, '%[2]d' AS date, floor(sum(%[3]q) * 0.001)::UBIGINT
			FROM raw WHERE Lat IS NOT NULL AND Lon IS NOT NULL GROUP BY Lat, Lon`, covidSide, i, column))
	}
	places := readPlaces(fmt.Sprintf("WITH raw AS MATERIALIZED (FROM %s) %s ORDER BY date, y, x", sqlFile(folder, "jhu_covid19_confirmed_global.csv"), strings.Join(dates, " UNION ALL ")))
	return byCategory(places), "confirmed COVID-19 cases (JHU CSSE)"
}

// pile is points that come date by date.
type pile struct {
	places []place // one for each cell
	points []int32
	index  map[grid.Cell]int32
}

// add adds the points of a date, place after place.
func (p *pile) add(places []place) {
	for i := range places {
		at, known := p.index[places[i].Cell]
		if !known {
			at = int32(len(p.places))
			p.index[places[i].Cell] = at
			p.places = append(p.places, place{Cell: places[i].Cell})
		}
		n := places[i].points
		p.places[at].points += n
		p.points = append(p.points, slices.Repeat([]int32{at}, int(n))...)
	}
}

// occupied are the cells with points.
func (p *pile) occupied() []place {
	return slices.DeleteFunc(slices.Clone(p.places), func(p place) bool { return p.points == 0 })
}

// covidPile are the points of all dates.
func covidPile(folder string) (p *pile, what string) {
	byDate, what := covid(folder)
	p = &pile{index: map[grid.Cell]int32{}}
	for _, places := range byDate {
		p.add(places)
	}
	return p, what
}

// covidSeries is table 2: error while points pile up.
func covidSeries(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 2, 10)
	byDate, what := covid(c.Data)
	s.Set("what", what, "side", covidSide, "k", paperK, "seeds", seeds)
	p := pile{index: map[grid.Cell]int32{}}
	for date, places := range byDate {
		p.add(places)
		of := func(uint64) ([]place, []int32) { return p.places, p.points }
		for i, r := range covidRivals {
			at := report.At{"date": covidDates[date], "points": len(p.points), "thousand": float64(len(p.points)) / 1000, "cells": len(p.occupied()), "structure": r.name, "published": i < 3, "last": date > 3}
			for _, f := range judgeAll(seeds, of, []attempt{{r.structure, 2 << 20}}) {
				f[0]["published"] = r.published[date]
				s.Record(at, f...)
			}
		}
	}
	lines := s.Lines("structure", "thousand", "percent")
	for i := range lines {
		lines[i].Style = covidRivals[i].style
	}
	s.Plot("error", []report.Panel{{X: "thousand points so far", Y: "mean error in percent", LogX: true, Legend: report.TopLeft, Series: lines}})
}

// covidRivals are table 2's structures, with its errors in percent, and ours.
var covidRivals = []struct {
	rival
	published []float64
}{
	{rival{cascadeOf("CascadeCBF, 2^20", paperK, ccbf.MinimalIncrement, parts(1, 16)), 2}, []float64{0, 0, 0, 0, 0, 0}},
	{rival{spectralOf("spectral, 2^20", paperK, 16), 3}, []float64{0, 0, 0, 0, 0.23, 0.51}},
	{rival{structure{"Count-Min", func(places []place, points []int32, _ float64, _, seed uint64) answers {
		return countMinned(cms.Params{Epsilon: 0.001, Delta: 0.01, Seed: seed}, 16, places, points)
	}}, 4}, []float64{0, 0, 0, 0, 0.23, 0.51}},
	{defaults, make([]float64, 6)},
}

// urbanDraws is how many pickups the paper has. Section 5.2.4.
const urbanDraws = 987_000

// urbanCascade has a second layer of a sixteenth of the first, as table 4's
// 2,176 KB are.
var urbanCascade = rival{cascadeOf("CascadeCBF, k 8, [16, 16], mi", paperK, ccbf.MinimalIncrement, parts(1, 16)), 2}

// urbanRivals are table 4's structures, with its mean and largest error, and
// ours.
var urbanRivals = []struct {
	rival
	mean, most float64
}{
	{urbanCascade, 0.0029, 8}, {spectralMI, 0.0028, 5}, {countMin5, 0.0039, 8}, {defaultsDense, 0, 0}, {defaults, 0, 0},
}

// urbanBytes is the size of table 4's first layer.
func urbanBytes(c report.Config) uint64 { return report.Pick[uint64](c, 2<<14, 2<<20, 2<<20) }

// crowd is points on a raster.
type crowd struct {
	name   string
	places []place
}

// crowds are the points of the pickups with kernels of several bandwidths, in
// parts of the rule's, and those of the UK file.
func crowds(c report.Config, bandwidths []float64) (all []*crowd, text string) {
	taxis, what := pickups(c.Data)
	uk, ukWhat := crimeRaster(c.Data)
	n := report.Pick(c, 10_000, urbanDraws, urbanDraws)
	rule := nearest(taxis)
	for _, x := range bandwidths {
		all = append(all, &crowd{name: fmt.Sprintf("pickups, bandwidth x %v", x), places: draw(random(seedOf(0), 82), taxis, x*rule, n)})
	}
	if c.Scale == report.Tiny {
		uk = uk[:5000]
	}
	text = fmt.Sprintf("%d points drawn from %d %s: from their kernel density, with a normal kernel whose bandwidth is the median distance of a pickup to the nearest other one, %.2f of a cell, and multiples of that, "+
		"on %d x %[5]d cells over the limits of the city; and as a second case %[6]s, on as many cells over all of them", n, total(taxis), what, rule/fine, urbanSide, ukWhat)
	return append(all, &crowd{name: "crimes", places: uk}), text
}

// urban is table 4: counts on a city's raster.
func urban(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 1, 5)
	all, text := crowds(c, report.Pick(c, []float64{1, 2}, []float64{1, 2}, []float64{1, 0.5, 2, 4}))
	s.Set("draws", urbanDraws, "text", text, "k", paperK, "seeds", seeds, "published", urbanRivals[0].mean)
	lines := make([]report.Series, len(urbanRivals)-1)
	for _, w := range all {
		of := func(seed uint64) ([]place, []int32) { return w.places, arrivals(random(seed, 81), w.places) }
		for i, r := range urbanRivals {
			at := report.At{"points": w.name, "cells": len(w.places), "structure": r.name, "published mean": r.mean, "published largest": r.most, "pickups": w.name != "crimes"}
			s.Record(at, slices.Concat(judgeAll(seeds, of, []attempt{{r.structure, urbanBytes(c)}})...)...)
			if i < len(lines) {
				lines[i].Label, lines[i].Style, lines[i].Only = r.name, r.style, report.Marks
				within(&lines[i], float64(len(w.places)), s.Where("points", w.name, "structure", r.name))
			}
		}
	}
	s.Set("met", loadAt(s.Where("structure", urbanCascade.name, "pickups", true).By("cells"), urbanRivals[0].mean))
	for _, w := range []*crowd{all[0], all[len(all)-1]} {
		why := fmt.Sprintf("%d cells with points; the published error is met with %s", len(w.places), s.At["met"])
		for _, r := range urbanRivals[:3] { // as many are published
			of := s.Where("points", w.name, "structure", r.name)
			s.Record(report.At{"claimed": w.name, "name": strings.Split(r.name, ",")[0], "of": r.name, "why": worseError(of.All("mean"), of.Mean("largest"), r.mean, r.most, why)}, report.Figures{})
		}
	}
	s.Plot("error", []report.Panel{{X: "cells with points", Y: "mean error in percent", LogX: true, LogY: true, Legend: report.TopLeft, Series: lines}})
}

// loadAt is the number of cells at which the mean error of the cascade is that,
// between two measurements of pickups in proportion of the logarithms.
func loadAt(all []*report.Data, mean float64) string {
	for _, low := range all {
		for _, high := range all {
			a, b := low.Mean("mean"), high.Mean("mean")
			if 0 < a && a <= mean && mean < b {
				x, y := math.Log(float64(low.At["cells"].(int))), math.Log(float64(high.At["cells"].(int)))
				return fmt.Sprintf("about %.0f thousand", math.Exp(x+(y-x)*math.Log(mean/a)/math.Log(b/a))/1000)
			}
		}
	}
	return "fewer"
}

// urbanSide is the number of cells of a raster's side. Section 5.2.4.
const urbanSide = 4096

// fine is how many parts of a cell a pickup's place is known to: a tenth of an
// inch or so.
const fine = 1 << 12

// onRaster is a query of points on a raster over a box of degrees, a cell
// divided into so many parts.
func onRaster(table string, west, south, east, north float64, parts int) string {
	side := float64(urbanSide * parts)
	return fmt.Sprintf("SELECT floor((lon - %v) * %v)::BIGINT AS x, floor((lat - %v) * %v)::BIGINT AS y, NULL, count(*) FROM %s WHERE lon >= %[1]v AND lon < %[6]v AND lat >= %[3]v AND lat < %[7]v GROUP BY ALL ORDER BY y, x",
		west, side/(east-west), south, side/(north-south), table, east, north)
}

// pickups are those of the taxi file within the limits of New York, in parts of
// a cell.
func pickups(folder string) (places []place, what string) {
	places = readPlaces(onRaster(sqlFile(folder, "nyc_taxi_pickups.parquet"), -74.26, 40.49, -73.70, 40.92, fine))
	return places, "yellow taxi pickups in New York"
}

// crimeRaster are the points of the UK file on a raster over all of them.
func crimeRaster(folder string) (places []place, what string) {
	table, what := crimePoints(folder)
	places = readPlaces(onRaster(table, -8.1, 49.9, 1.8, 57.6, 1))
	return places, what
}

// nearest is the median over all points of the distance to the nearest other
// one.
func nearest(places []place) float64 {
	byX := slices.Clone(places)
	slices.SortFunc(byX, func(a, b place) int { return int(a.X - b.X) })
	var distances []float64
	for i, p := range byX {
		least := math.Inf(1)
		if p.points > 1 {
			least = 0
		}
		look := func(j int) bool {
			dx, dy := float64(byX[j].X-p.X), float64(byX[j].Y-p.Y)
			least = min(least, math.Hypot(dx, dy))
			return math.Abs(dx) < least
		}
		for j := i + 1; j < len(byX) && look(j); j++ {
		}
		for j := i - 1; j >= 0 && look(j); j-- {
		}
		distances = append(distances, slices.Repeat([]float64{least}, int(p.points))...)
	}
	slices.Sort(distances)
	return distances[len(distances)/2]
}

// draw draws n points from the kernel density of places, with a normal kernel of
// that bandwidth, and returns the cells that hold them.
func draw(r *rand.Rand, places []place, bandwidth float64, n int) []place {
	index := map[grid.Cell]int{}
	var cells []place
	for _, i := range sample(r, places, n) {
		// Anywhere in its part of a cell.
		x := float64(places[i].X) + r.Float64() + bandwidth*r.NormFloat64()
		c := grid.Cell{X: int64(math.Floor(x / fine)), Y: int64(math.Floor((float64(places[i].Y) + r.Float64() + bandwidth*r.NormFloat64()) / fine))}
		j, known := index[c]
		if !known {
			j = len(cells)
			index[c] = j
			cells = append(cells, place{Cell: c})
		}
		cells[j].points++
	}
	return cells
}
