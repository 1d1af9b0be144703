package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// covidDates are the dates of table 2 of the CascadeCBF paper, as the columns
// of the file have them, and covidTotals the points up to each.
var (
	covidDates  = []string{"3/15/2020", "6/15/2020", "12/31/2020", "6/30/2021", "12/31/2021", "6/30/2022"}
	covidTotals = []uint64{142, 8095, 91747, 274323, 562914, 1110096}
)

// covidSide is the raster's number of cells from pole to pole and around the
// equator.
const covidSide = 8192

// snapshots are points that come date by date: cells, and for each date the
// cells of its points.
type snapshots struct {
	cells  []grid.Cell
	byDate [][]int
	index  map[grid.Cell]int
}

func newSnapshots(dates int) *snapshots {
	return &snapshots{byDate: make([][]int, dates), index: map[grid.Cell]int{}}
}

// add adds n points of a date.
func (s *snapshots) add(date int, at grid.Cell, n uint64) {
	i, known := s.index[at]
	if !known {
		i = len(s.cells)
		s.index[at] = i
		s.cells = append(s.cells, at)
	}
	s.byDate[date] = append(s.byDate[date], slices.Repeat([]int{i}, int(n))...)
}

// covid are the points of the COVID-19 file: at each place, for each date, a
// thousandth of all cases until then, rounded down. Where the file is not
// there, as many in 284 made-up places. The text says which.
func covid(folder string) (s *snapshots, what string, err error) {
	s = newSnapshots(len(covidDates))
	path := filepath.Join(folder, "jhu_covid19_confirmed_global.csv")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		s.makeUp()
		return s, "made-up points in 284 places, as the COVID-19 file is not there", nil
	}
	db, err := connector.Open("?threads=1")
	if err != nil {
		return nil, "", err
	}
	defer db.Close()
	var sums []string
	for date, column := range covidDates {
		// Places with equal coordinates are one.
		sums = append(sums, fmt.Sprintf(`SELECT %d AS date, floor((Lon + 180) / 360 * %d)::BIGINT AS x, floor((Lat + 90) / 180 * %[2]d)::BIGINT AS y, floor(sum(%[3]q) * 0.001)::UBIGINT
			FROM raw WHERE Lat IS NOT NULL AND Lon IS NOT NULL GROUP BY Lat, Lon`, date, covidSide, column))
	}
	rows, err := db.Query(fmt.Sprintf("WITH raw AS MATERIALIZED (FROM read_csv('%s', header = true, sample_size = -1)) %s ORDER BY date, y, x",
		strings.ReplaceAll(path, "'", "''"), strings.Join(sums, " UNION ALL ")))
	if err != nil {
		return nil, "", err
	}
	defer rows.Close()
	for rows.Next() {
		var date int
		var at grid.Cell
		var n uint64
		if err := rows.Scan(&date, &at.X, &at.Y, &n); err != nil {
			return nil, "", err
		}
		s.add(date, at, n)
	}
	if err := rows.Err(); err != nil {
		return nil, "", err
	}
	return s, "confirmed COVID-19 cases (JHU CSSE)", nil
}

// makeUp draws 284 places; the points of each are in proportion to
// rank^-1.2.
func (s *snapshots) makeUp() {
	const places, skew = 284, 1.2
	r, norm := random(seedOf(0), 52), 0.0
	at := make([]grid.Cell, places)
	for i := range at {
		at[i] = grid.Cell{X: r.Int64N(covidSide), Y: r.Int64N(covidSide)}
		norm += math.Pow(float64(i+1), -skew)
	}
	before := uint64(0)
	for date, total := range covidTotals {
		for i, c := range at {
			s.add(date, c, uint64(float64(total-before)*math.Pow(float64(i+1), -skew)/norm))
		}
		before = total
	}
}

// covidSeries is table 2: error while points pile up.
func covidSeries(c report.Config, s *report.Section) error {
	seeds := report.Pick(c, 1, 2, 10)
	counters := report.Pick(c, 1<<14, 1<<20, 1<<20)
	data, what, err := covid(c.Data)
	if err != nil {
		return err
	}
	cascade := cascadeOf("CascadeCBF, mi", 2, math.MaxUint64, ccbf.MinimalIncrement, 1, 16)
	countMin := rival{"Count-Min", 4, most16, func(p *points, _, _ int) (counted, error) {
		return p.countMin(cms.Params{Epsilon: 0.001, Delta: 0.01})
	}}
	rivals := []rival{cascade, spectralMI, countMin, defaults}
	published := [][]float64{{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0.23, 0.51}, {0, 0, 0, 0, 0.23, 0.51}} // in percent
	s.Text("Points are %s: at each of six dates a thousandth of the sum so far, rounded down, comes as points to each place, on a raster of %d x %[2]d over the globe. k = %d, %d seeds of the hash. "+
		"CascadeCBF has %d and %d counters of 16 bits, Spectral %[5]d, Count-Min epsilon 0.001 and delta 0.01. "+
		"Spectral and Count-Min are this project's, whose counters widen and so lose nothing, with estimates cut at 65,535: what counters of 16 bits that stop there would say, for where only the least counters are raised a ceiling "+
		"changes nothing below it. Errors are relative, in the mean over the cells with points and the seeds.",
		what, covidSide, cascadeK, seeds, counters, counters/16)
	t := s.Table("date", "points", "cells")
	lines, here := make([]report.Series, len(rivals)), make([][]string, len(rivals))
	for i, r := range rivals {
		t.Heads(r.name)
		if i < len(published) {
			t.Heads("published")
		}
		lines[i].Label, lines[i].Style = r.name, r.style
	}
	var last outcomes
	var order []int
	for date, more := range data.byDate {
		order = append(order, more...)
		of, err := judgeAll(s, seeds, rivals, []sizing{{counters, cascadeK}}, func(seed uint64) (*points, error) { return newPoints(data.cells, order, seed) })
		if err != nil {
			return err
		}
		last = of[0]
		row := []any{covidDates[date], len(order), cellsOf(order)}
		for i, r := range rivals {
			mean := report.Mean(last.errors(r))
			row = append(row, report.Percent2(mean))
			if i < len(published) {
				row = append(row, fmt.Sprintf("%.2f%%", published[i][date]))
			}
			here[i] = append(here[i], fmt.Sprintf("%.2f%%", 100*mean))
			lines[i].X, lines[i].Y = append(lines[i].X, float64(len(order))), append(lines[i].Y, 100*mean)
		}
		t.Row(row...)
	}
	from := len(covidDates) - 2 // the dates with errors
	for i, of := range published {
		s.Compare(report.Comparison{
			What: "mean error at the last two dates, " + rivals[i].name, Published: fmt.Sprintf("%.2f%%, %.2f%%", of[from], of[from+1]), Paper: strings.Join(here[i][from:], ", "),
			Defaults: strings.Join(here[len(rivals)-1][from:], ", "), Bytes: fmt.Sprintf("%.0f of %.0f", last.bytes(defaults), last.bytes(rivals[i])), Note: "-",
		})
	}
	s.Short("mean errors at the last two dates: CascadeCBF %s, counters of 16 bits that stop %s and %s (published: 0.00 and 0.00%%, and 0.23 and 0.51%% for both that stop); our defaults %s, in %.0f bytes.",
		strings.Join(here[0][from:], " and "), strings.Join(here[1][from:], " and "), strings.Join(here[2][from:], " and "), strings.Join(here[3][from:], " and "), last.bytes(defaults))
	return s.Figure("error", "Mean relative error at the six dates (table 2 of the paper).", []report.Panel{{
		X: "points so far", Y: "mean error in percent", LogX: true, Legend: report.TopLeft, Series: lines,
	}})
}

// cellsOf is the number of different cells of points.
func cellsOf(order []int) int {
	seen := map[int]bool{}
	for _, i := range order {
		seen[i] = true
	}
	return len(seen)
}
