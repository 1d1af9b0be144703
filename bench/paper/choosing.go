package main

import (
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/advise"
)

// uses are the uses of sketches that are compared.
var uses = [...]struct {
	name         string
	keys, remove bool
}{
	{"places", false, false}, {"places, removal", false, true},
	{"keys", true, false}, {"keys, removal", true, true},
}

// ofPlaces is the index in uses of places without removal.
const ofPlaces = 0

// hints are the ways to describe the distribution of counts to the advice.
var hints = [...]string{"the skew", fmt.Sprintf("%d counts, extent", sampleSize)}

// manyKeys is the least number of keys for which chance affects the error of a sketch little.
const manyKeys = 1000

// outcomes builds all candidates of the advice, and the advised sketches, for each use and number of bits
// per key. It returns the rows of the table outcomes, without the number of the source.
func (r rowSource) outcomes(bits []float64) (rows [][]any) {
	db := r.count()
	defer db.Close()
	// A number of bits is left out if the sketch of all keys would be smaller than leastBytes, the
	// least size of a sketch.
	bits = slices.DeleteFunc(slices.Clone(bits), func(b float64) bool { return b*float64(db.distinct) < 8*leastBytes })
	if len(bits) == 0 {
		bits = []float64{math.Ceil(8 * leastBytes / float64(db.distinct))}
	}
	for _, b := range bits {
		for use, u := range uses {
			build := func(told any, a advise.Advice) {
				key := "key"
				if a.Family == "ccbf" {
					key = "x, y"
				}
				var bytes, err float64
				duck.Scan(db.DB, text("outcome", report.At{"family": a.Family, "key": key, "call": a.Call}), &bytes, &err)
				rows = append(rows, []any{db.name, db.skew, db.distinct, b, use, u.name, told, a.Family, a.Exact.String(), bytes / float64(a.Bytes), err, a.Error, a.ErrorLow, a.ErrorHigh})
			}
			d := db.data(use, b)
			for _, a := range report.Must(advise.Candidates(d)) {
				build(nil, a)
			}
			build(hints[0], report.Must(advise.For(d)))
			d.Counts, d.Extent = db.sample, db.extent
			build(hints[1], report.Must(advise.For(d)))
		}
	}
	return rows
}

// choosing compares the families at equal bytes, and the advice with the outcome.
func choosing(c report.Scale, s *report.Section) {
	n := report.Pick(c, 2000, 4000, 20_000)
	skews := report.Pick(c, []float64{1.2}, []float64{0.8, 1.2}, []float64{0, 0.8, 1.2, 1.6})
	sources := report.Column(skews, func(skew float64) rowSource { return zipfRows(n, 10*n, skew) })
	sets := realRows(report.Pick(c, 3000, 20_000, 60_000))
	sources = append(sources, sets[report.Pick(c, len(sets)-1, 0, 0):]...)
	bits := report.Pick(c, []float64{4, 8}, []float64{2, 4, 8, 16}, []float64{2, 4, 6, 8, 12, 16, 24, 32})
	s.Set("keys", n, "many", manyKeys, "hints", hints,
		"exactness", []advise.Exactness{advise.Certain, advise.Likely, advise.Open, advise.Unlikely})
	db := duck.Open(1)
	defer db.Close()
	duck.Run(db, text("outcomes", nil))
	for source, rows := range report.Parallel(len(sources), func(i int) [][]any { return sources[i].outcomes(bits) }) {
		for _, row := range rows {
			duck.Insert(db, "outcomes", append([]any{source}, row...)...)
		}
	}
	duck.Run(db, text("settings", nil))
	for _, name := range []string{"errors", "crossings", "costs", "certainty", "advice"} {
		duck.Rows(db, text(name, manyKeys), func(at report.At, of report.Figures) { s.Record(at, of) })
	}
}

// choosingExact measures the size of exact counts as a sketch and as a table.
func choosingExact(c report.Scale, s *report.Section) {
	sources := realRows(report.Pick(c, 500, 50_000, 2_000_000))
	n := report.Pick(c, 500, 20_000, 100_000)
	sources = append(sources, zipfRows(n, 10*n, 1))
	for _, cells := range []int{100, 10_000} {
		sources = append(sources, rowSource{fmt.Sprintf("even, 1 cell in %d", cells), text("scattered rows", report.At{"points": n, "cells": cells})})
	}
	for i, of := range report.Parallel(len(sources), func(i int) (of report.Figures) {
		db := sources[i].count()
		defer db.Close()
		d := db.data(ofPlaces, 1)
		d.Counts, d.Extent = db.sample, db.extent
		likely, surely, err := advise.ExactBytes(d)
		report.Check(err)
		_, of = db.sizes("exact sizes", nil)
		of["real"], of["surely"] = float64(likely)/of["cells"], float64(surely)/of["cells"]
		return of
	}) {
		s.Record(report.At{"points": sources[i].name, "many": of["cells"] >= 1000, "row": i + 1}, of)
	}
	// Sketches of few cells each, in one Parquet file, and the table.
	db := zipfRows(n, report.Pick(c, 1000, 200_000, 1_000_000), 0.5).count()
	defer db.Close()
	for _, side := range []int{1, 2, 4, 8, 16, 64} {
		s.Record(db.sizes("group sizes", side))
	}
	// Tables of keys that are not cells.
	s.Set("keys", n)
	plain := zipfRows(n, 10*n, 0.8).count()
	defer plain.Close()
	for _, of := range [][2]string{
		{"random numbers of 8 bytes", "hash(key, 11)"},
		{"texts such as 'user-13579@example.org'", "'user-' || hash(key, 11) % 100000000 || '@example.org'"},
		{"whole numbers without gaps", "key"},
	} {
		_, size := plain.sizes("key sizes", of[1])
		s.Record(report.At{"key": of[0]}, size)
	}
}

// sizes runs statements of the folder sql that write files into a folder, and returns the row of the
// last one.
func (c *counting) sizes(name string, of any) (at report.At, size report.Figures) {
	duck.Folder(func(dir string) {
		statements := strings.Split(text(name, report.At{"folder": dir, "of": of}), ";\n")
		last := len(statements) - 1
		duck.Run(c.DB, statements[:last]...)
		at, size = duck.Row(c.DB, statements[last])
	})
	return at, size
}

// rowSource is a query for rows (key, x, y, category) in their order. x and y are in cells.
type rowSource struct{ name, query string }

// zipfRows draws keys with probabilities proportional to rank^-skew.
func zipfRows(keys, occurrences int, skew float64) rowSource {
	return rowSource{fmt.Sprintf("Zipf %v", skew), text("zipf rows", report.At{"keys": keys, "occurrences": occurrences, "skew": skew})}
}

// realRows returns all files of points and values at several resolutions. It reads at least atLeast
// rows of each, if a file has as many, in random order.
func realRows(atLeast int) (sources []rowSource) {
	for _, f := range []struct {
		name, query, file, category string
		rows                        int
		by                          []float64 // resolutions in degrees, or in metres for elevations
	}{
		{"UK crimes, %v degrees", "rows of points", uk.file, "category", 1_045_096, []float64{0.001, 0.01, 0.1}},
		{"populated places, %v degrees", "rows of points", cities.file, "country", 171_075, []float64{0.001, 0.1, 1}},
		{"taxi pickups, %v degrees", "rows of points", taxis.file, "lon > -73.97", 28_014, []float64{0.0001, 0.001}},
		{"elevations in %v m", "rows of values", elevations, "", 484_098, []float64{1, 10}}, // most values between the least and the largest occur: adjacent cells
		{"COVID-19 cases, %v degrees", "rows of cases", covidFile, "", 547_182, []float64{0.01, 10}},
	} {
		for _, by := range f.by {
			sources = append(sources, rowSource{fmt.Sprintf(f.name, by), text(f.query, report.At{
				"file": duck.File(f.file), "category": f.category, "by": by, "oneIn": max(1, f.rows/atLeast)})})
		}
	}
	return sources
}

// counting is a database with the rows of a source and their exact counts.
type counting struct {
	*sql.DB
	name                  string
	distinct, occurrences uint64
	skew                  float64
	sample                []uint64 // how often each key of a sample occurs
	extent                uint64   // larger side, in cells, of the box around all cells
}

// sampleSize is the number of keys whose counts the advice gets.
const sampleSize = 1000

// count reads a source. With one thread, aggregates get the rows in their order.
func (r rowSource) count() *counting {
	c := &counting{DB: duck.Open(1), name: r.name}
	duck.Run(c.DB, text("count", r.query))
	duck.Scan(c.DB, text("counted", nil), &c.distinct, &c.occurrences, &c.extent, &c.skew)
	if math.IsNaN(c.skew) { // the skew of a single rank is undefined
		c.skew = 0
	}
	c.skew = min(max(c.skew, 0), advise.MaxSkew)
	c.sample = duck.Column[uint64](c.DB, fmt.Sprintf("SELECT n FROM counted ORDER BY hash(key, 3) LIMIT %d", sampleSize))
	return c
}

// data returns the input of the advice.
func (c *counting) data(use int, bitsPerKey float64) advise.Data {
	return advise.Data{
		Distinct: c.distinct, Occurrences: c.occurrences, Skew: c.skew, Keys: uses[use].keys, Remove: uses[use].remove,
		Bytes: max(advise.MinBytes, uint64(bitsPerKey*float64(c.distinct)/8)),
	}
}
