package main

import (
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// drawing is a question of maps, and the exact table's answer to it.
type drawing struct {
	what, ours, exact string
	promised          report.At // "limit" in milliseconds, "most" of the table's time of exact sketches
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
		{"cells of " + threshold + " points or more", "len(ccbf_hotspots(%s, " + country + ", " + threshold + "))", largest("AND n >= " + threshold + " ORDER BY n DESC"), report.At{"limit": 50., "most": 1.1}},
		{"the 100 largest cells", "len(ccbf_top_k(%s, " + country + ", 100))", largest("ORDER BY n DESC LIMIT 100"), report.At{"limit": 50.}},
		{"raster of 1024 x 768", "len(ccbf_raster(%s, " + country + ", 1024, 768))", pixels(768), report.At{"most": 1.}},
		{"PNG of 1024 x 1024", "octet_length(ccbf_png(%s, " + country + ", 1024, 1024))", pixels(1024), report.At{"limit": 150., "most": 1.3}},
		{"PNG of 1024 x 1024, a city", "octet_length(ccbf_png(%s, " + city + ", 1024, 1024))", pixels(1024), report.At{"limit": 150.}},
	}
}

// drawn lists the largest cells of the whole country, and draws it, from one sketch of a
// megabyte, or as a tree of half the bytes of all cells.
func drawn(b *bench) {
	b.run("CREATE TABLE p AS " + crimes(b.c))
	for _, r := range []struct{ res, threshold string }{{"0.01", "500"}, {"0.001", "100"}} {
		b.make("forms", r.res)
		for i, d := range drawings(r.res, r.threshold) {
			ours := "SELECT " + d.ours + " FROM s"
			if i == 0 {
				agree(b.db, d.exact, fmt.Sprintf(ours, "exact"))
			}
			var contenders []contender
			for _, form := range []string{"exact", "tree", "dense"} {
				contenders = append(contenders, b.query(form, fmt.Sprintf(ours, form)))
			}
			what := d.what + ", cells of " + r.res
			at := report.At{"cells": r.res, "question": d.what, "drawing": i}
			maps.Copy(at, d.promised)
			b.compare(what, at, b.query("exact table", d.exact), contenders...)
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
	b.compare(what, report.At{"plain": true}, b.query("exact table", raster.exact), b.query("dense", "SELECT "+fmt.Sprintf(raster.ours, "plain")+" FROM s"))
}

// cube is points with attributes, as the papers on cubes of points have them: how many, and in
// which cells they are counted.
type cube struct {
	name      string
	points    int
	keys, res string     // the attributes, and the size of cells
	box       [4]float64 // some towns, or a quarter of one: west, south, east, north
	few       string     // some rows, in SQL
	where     string     // and as ccbfsql serve takes them
	near, far int        // zooms of tiles
	lon, lat  float64
}

// cubesOf are check-ins over the world, and pickups in one city.
func cubesOf(c report.Config) []cube {
	return []cube{
		{"check-ins", report.Pick(c, 45_000, 450_000, 4_500_000), "hour, weekday", "0.001", [4]float64{-10, 35, 30, 60},
			"weekday >= 5", `[{"by": "weekday", "value": "5", "to": "6"}]`, 6, 1, 10, 50},
		{"pickups", report.Pick(c, 245_000, 2_450_000, 24_500_000), "hour", "0.0002", [4]float64{-73.96, 40.7, -73.9, 40.75},
			"hour BETWEEN 7 AND 9", `[{"by": "hour", "value": "7", "to": "9"}]`, 14, 10, -73.9, 40.75},
	}
}

// within is which cells lie in a box.
func (q cube) within(west, south, east, north float64) string {
	return text("in the box", report.At{"res": q.res, "west": west, "south": south, "east": east, "north": north})
}

// answerOf is what an interactive map has time for, and what Pahins et al. (2017, abstract)
// measured themselves by.
const answerOf = 40 * time.Millisecond

// cubes asks sketches what Nanocubes and Hashedcubes are asked, on points of their sizes.
func cubes(b *bench) {
	b.Set("late", 0)
	for _, q := range cubesOf(b.c) {
		b.make(q.name, q.points)
		of := report.At{"keys": q.keys, "res": q.res}
		few := *b
		few.rounds = report.Pick(b.c, 1, 1, 3) // this takes long
		built := few.inTurn(q.name+", building", b.query("exact table", text("cube, exact", of)), b.query("sketches", text("cube", of)))
		report.Require(duck.Number(b.db, "SELECT count(*) FROM s WHERE NOT (ccbf_info(s)).exact") == 0, "a sketch of %s is not exact", q.name)
		at := report.At{"points": q.name, "n": q.points, "cells": duck.Number(b.db, "SELECT count(*) FROM counted")}
		n := float64(q.points)
		b.note("built", built[1].over(built[0]), at)
		b.Record(at, report.Figures{"sketches": duck.Number(b.db, "SELECT sum(octet_length(s)) FROM s") / n, "table": duck.Packed(b.db, "(FROM counted ORDER BY ALL)") / n})
		duck.Folder(func(dir string) {
			file := filepath.Join(dir, "cube.duckdb")
			b.run(fmt.Sprintf("ATTACH '%s' AS f", file), "CREATE TABLE f.tiles AS FROM s", "DETACH f")
			running := startServer(file)
			defer running.stop()
			for _, ask := range cubeQuestions(q, running.url) {
				b.ask(q, ask)
			}
		})
	}
}

// ask measures a question, and says how many were late.
func (b *bench) ask(q cube, ask cubeQuestion) {
	if ask.ours != "" {
		agree(b.db, "SELECT max(n) FROM ("+ask.exact+")", "SELECT max(n) FROM ("+ask.ours+")")
		ask.run = func() { b.run(ask.ours) }
	}
	what := q.name + ", " + ask.what
	b.compare(what, report.At{"cube": q.name, "question": ask.what}, b.query("exact table", ask.exact), contender{name: "sketches", run: ask.run})
	part := report.Parts(rounds(b.All("took", "what", what)), answerOf.Seconds())
	b.note("part", part, report.At{"of": what})
	if part.median() > 1 {
		b.Set("late", b.At["late"].(int)+1)
	}
}

// cubeQuestion is one for a cube, and the exact table's answer to it, with counts n.
type cubeQuestion struct {
	what, ours, exact string
	run               func() // ours, where it is no statement
}

// cubeQuestions are tiles, a histogram of an attribute over an area, and a count.
func cubeQuestions(q cube, server string) []cubeQuestion {
	within := q.within(q.box[0], q.box[1], q.box[2], q.box[3])
	sum := fmt.Sprintf("sum(ccbf_bbox_sum(s, %v, %v, %v, %v)) AS n FROM s", q.box[0], q.box[1], q.box[2], q.box[3])
	return append(tilesOf(q, server),
		cubeQuestion{"histogram of an area by hour", "SELECT hour, " + sum + " GROUP BY hour", "SELECT hour, sum(n) AS n FROM counted WHERE " + within + " GROUP BY hour", nil},
		cubeQuestion{"count of an area, some rows", "SELECT " + sum + " WHERE " + q.few, "SELECT sum(n) AS n FROM counted WHERE " + within + " AND " + q.few, nil})
}

// tilesOf are pictures of a cube, asked of ccbfsql serve, each time with another scale: one
// that was drawn is kept. The table answers with a number for each pixel, and draws nothing.
func tilesOf(q cube, server string) (asks []cubeQuestion) {
	scale := 0
	for _, t := range []struct {
		what        string
		zoom        int
		where, rows string
	}{
		{"tile from near, some rows", q.near, q.where, q.few},
		{"tile from near, all rows", q.near, "[]", "true"},
		{"tile from afar, all rows", q.far, "[]", "true"},
	} {
		x, y := report.Must(grid.TileX(q.lon, t.zoom)), report.Must(grid.TileY(q.lat, t.zoom))
		west, south, east, north, err := grid.TileBounds(t.zoom, x, y)
		report.Check(err)
		asks = append(asks, cubeQuestion{
			what: t.what,
			run: func() {
				scale++
				fetch(fmt.Sprintf("%s%s?where=%s&top=%d", server, tilePath(t.zoom, q.lon, q.lat), url.QueryEscape(t.where), 1_000_000+scale))
			},
			exact: text("pixels of a tile", report.At{"res": q.res, "west": west, "width": east - west, "north": north, "height": north - south,
				"within": q.within(west, south, east, north) + " AND " + t.rows}),
		})
	}
	return asks
}
