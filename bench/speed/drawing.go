package main

import (
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// drawn lists the largest cells of the whole country, and draws it, from one sketch of a
// megabyte, or as a tree of half the bytes of all cells; and from counters that have no levels.
func drawn(b *bench) {
	b.run("CREATE TABLE p AS " + crimes(b.c))
	b.script("drawings", report.At{"res": "0.01", "threshold": 500})
	b.script("drawings", report.At{"res": "0.001", "threshold": 100})
	b.script("drawing without levels", report.Pick(b.c, "0.01", "0.001", "0.001"))
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
