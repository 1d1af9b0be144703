package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// drawing is a question of maps, and the exact table's answer to it.
type drawing struct {
	what, ours, exact string
	limit             time.Duration // that was promised; 0 for none
	most              float64       // of the table's time, promised of exact sketches; 0 for none
}

// country is the box of all drawings but one: London's centre, where cells are larger than pixels.
const (
	country = "-6.5, 49.8, 2.0, 55.9"
	city    = "-0.15, 51.49, -0.09, 51.53"
)

// drawings are the questions about an area.
func drawings(res, threshold string) []drawing {
	pixels := func(height int) string { return text("pixels", report.At{"res": res, "height": height}) }
	largest := func(which string) string { return text("largest", report.At{"res": res, "which": which}) }
	return []drawing{
		{"cells of " + threshold + " points or more", "len(ccbf_hotspots(%s, " + country + ", " + threshold + "))", largest("AND n >= " + threshold + " ORDER BY n DESC"), 50 * time.Millisecond, 1},
		{"the 100 largest cells", "len(ccbf_top_k(%s, " + country + ", 100))", largest("ORDER BY n DESC LIMIT 100"), 50 * time.Millisecond, 0},
		{"raster of 1024 x 768", "len(ccbf_raster(%s, " + country + ", 1024, 768))", pixels(768), 0, 1},
		{"PNG of 1024 x 1024", "octet_length(ccbf_png(%s, " + country + ", 1024, 1024))", pixels(1024), 150 * time.Millisecond, 1.2},
		{"PNG of 1024 x 1024, a city", "octet_length(ccbf_png(%s, " + city + ", 1024, 1024))", pixels(1024), 150 * time.Millisecond, 0},
	}
}

// maps lists the largest cells of the whole country, and draws it, from one sketch of a
// megabyte, or as a tree of half the bytes of all cells.
func maps(b *bench) {
	b.run("CREATE TABLE p AS " + crimes(b.c))
	forms := []string{"exact", "tree", "dense"}
	claims, ratios := make([][]claim, len(drawings("", ""))), make([][]claim, len(drawings("", "")))
	for _, r := range []struct{ res, threshold string }{{"0.01", "500"}, {"0.001", "100"}} {
		b.make("forms", r.res)
		for i, d := range drawings(r.res, r.threshold) {
			ours := "SELECT " + d.ours + " FROM s"
			if i == 0 {
				agree(b.db, d.exact, fmt.Sprintf(ours, "exact"))
			}
			var contenders []contender
			for _, form := range forms {
				contenders = append(contenders, b.query(form, fmt.Sprintf(ours, form)))
			}
			what := d.what + ", cells of " + r.res
			for form, of := range b.compare(what, report.At{"cells": r.res, "question": d.what}, b.query("exact table", d.exact), contenders...) {
				crowded := forms[form] == "dense" && r.res == "0.001"
				if d.limit > 0 {
					judged := of.within("time of "+what+", "+forms[form]+" sketch, the slowest of six", d.limit, "the exact table")
					if crowded {
						judged = judged.because("so many cells with 12 levels are too much for a megabyte: most places without points seem to have some")
					}
					claims[i] = append(claims[i], judged)
				}
				if d.most > 0 && form == 0 {
					ratios[i] = append(ratios[i], of.atMost("time of "+d.what+", exact sketch / exact table, slowest: cells of "+r.res, d.most))
				}
				if i == 2 && crowded {
					b.promise(of.atMost("time of "+what+", counters with 12 levels / exact table", 1).because("squares that pixels cut are asked for cell by cell"))
				}
			}
		}
	}
	for _, of := range slices.Concat(claims, ratios) {
		if of != nil {
			b.promise(worst(of))
		}
	}
	b.cellByCell()
}

// cellByCell is a raster of counters that have no levels.
func (b *bench) cellByCell() {
	res := report.Pick(b.c, "0.01", "0.001", "0.001")
	b.make("without levels", res)
	raster := drawings(res, "")[2]
	what := raster.what + ", cells of " + res + ", counters without levels"
	r := b.compare(what, nil, b.query("exact table", raster.exact), b.query("dense", "SELECT "+fmt.Sprintf(raster.ours, "plain")+" FROM s"))
	b.promise(r[0].atMost("time of "+what+" / exact table", 5).because("each of 52 million cells is asked for: only what a cell reads tells whether it is empty"))
}
