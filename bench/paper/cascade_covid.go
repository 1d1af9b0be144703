package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
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

// cells is the number of cells with points.
func (p *pile) cells() int {
	n := 0
	for i := range p.places {
		if p.places[i].points > 0 {
			n++
		}
	}
	return n
}

// covidSeries is table 2: error while points pile up.
func covidSeries(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 2, 10)
	byDate, what := covid(c.Data)
	rivals := []rival{
		{cascadeOf("CascadeCBF, 2^20", paperK, ccbf.MinimalIncrement, parts(1, 16)), 2},
		{spectralOf("spectral, 2^20", paperK, 16), 3},
		{structure{"Count-Min", func(places []place, points []int32, _ float64, _, seed uint64) answers {
			return countMinned(cms.Params{Epsilon: 0.001, Delta: 0.01, Seed: seed}, 16, places, points)
		}}, 4},
		defaults,
	}
	own := len(rivals) - 1
	published := [][]float64{{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0.23, 0.51}, {0, 0, 0, 0, 0.23, 0.51}} // in percent
	s.Text("Points are %s: at each of six dates a thousandth of the sum so far, rounded down, comes as points to each place, on a raster of %d x %[2]d over the globe. k = %d, %d seeds of the hash. "+
		"CascadeCBF has 2^20 and 2^16 counters of 16 bits, spectral 2^20, Count-Min epsilon 0.001 and delta 0.01. "+
		"Spectral and Count-Min are this project's, whose counters widen and so lose nothing, with estimates cut at 65,535: what counters of 16 bits that stop there would say, for where only the least counters are raised a ceiling "+
		"changes nothing below it. Errors are relative, in the mean over the cells with points and the seeds.", what, covidSide, paperK, seeds)
	t := s.Table("date", "points", "cells")
	lines, here := make([]report.Series, len(rivals)), make([][]string, len(rivals))
	for i, r := range rivals {
		t.Heads(r.name)
		if i < own {
			t.Heads("published")
		}
		lines[i].Label, lines[i].Style = r.name, r.style
	}
	p := pile{index: map[grid.Cell]int32{}}
	var last []seeded
	for date, places := range byDate {
		p.add(places)
		last = judgeAll(s, seeds, func(uint64) ([]place, []int32) { return p.places, p.points }, attempts(rivals, 2<<20))
		row := []any{covidDates[date], len(p.points), p.cells()}
		for i, of := range last {
			row = append(row, report.Percent2(of.mean()))
			if i < own {
				row = append(row, fmt.Sprintf("%.2f%%", published[i][date]))
			}
			here[i] = append(here[i], fmt.Sprintf("%.2f%%", 100*of.mean()))
			lines[i].X, lines[i].Y = append(lines[i].X, float64(len(p.points))/1000), append(lines[i].Y, 100*of.mean())
		}
		t.Row(row...)
	}
	before := len(covidDates) - 2 // the first date with errors
	latest := func(i int) string { return strings.Join(here[i][before:], " and ") }
	for i, of := range published {
		s.Compare("mean error at the last two dates, "+rivals[i].name, fmt.Sprintf("%.2f%% and %.2f%%", of[before], of[before+1])).Paper(latest(i)).Defaults(latest(own)).
			Bytes(bytesOf(last[own].bytes(), last[i].bytes()))
	}
	s.Short("mean errors at the last two dates: CascadeCBF %s (published: 0.00 and 0.00%%), counters of 16 bits that stop %s, spectral, and %s, Count-Min (published: 0.23 and 0.51%% for both); our defaults %s, in %s bytes.",
		latest(0), latest(1), latest(2), latest(own), sketch.Number(uint64(last[own].bytes())))
	s.Figure("error", "Mean relative error at the six dates (table 2 of the paper).", []report.Panel{{
		X: "thousand points so far", Y: "mean error in percent", LogX: true, Legend: report.TopLeft, Series: lines,
	}})
}
