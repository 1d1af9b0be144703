package main

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// cube is points with attributes, as the papers on cubes of points have them: how many, where
// they are, and in which cells they are counted.
type cube struct {
	name      string
	points    int
	from      string // lon, lat and the attributes of the i-th of POINTS
	keys      string // the attributes
	res       string
	box       string // some towns, or a quarter of one
	few       string // some rows, in SQL
	where     string // and as ccbfsql serve takes them
	near, far int    // zooms of tiles
	lon, lat  float64
}

// scattered is lon and lat around a centre, with a normal distribution of so many degrees
// (Box and Muller 1958).
func scattered(lon, lat, degrees string) string {
	return fmt.Sprintf(`%[1]s + %[3]s * sqrt(-2 * ln((hash(i, 1) %% 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, 2) %% 1000000) / 1e6) AS lon,
		%[2]s + %[3]s * sqrt(-2 * ln((hash(i, 3) %% 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, 4) %% 1000000) / 1e6) AS lat`, lon, lat, degrees)
}

// clock is an hour of the day: few at night, most in the evening.
const clock = "(4 + 20 * sqrt((hash(i, 5) % 100000) / 100000))::INTEGER % 24 AS hour"

// cubesOf are check-ins over the world, in 20,000 towns of which the r-th has points by
// 1/r, and pickups in one city.
func cubesOf(c report.Config) []cube {
	town := "(exp(ln(20000) * (hash(i, 7) % 1000000) / 1e6))::INTEGER"
	return []cube{
		{
			name: "check-ins", points: report.Pick(c, 45_000, 450_000, 4_500_000), keys: "hour, weekday", res: "0.001",
			from: "SELECT " + scattered("(hash(town, 8) % 300000) / 1000 - 150", "(hash(town, 9) % 110000) / 1000 - 50", "0.05") + ", hour, weekday FROM (SELECT i, " + town + " AS town, " + clock + ", (hash(i, 6) % 7)::INTEGER AS weekday FROM range(POINTS) t(i))",
			box:  "-10, 35, 30, 60", few: "weekday >= 5", where: `[{"by": "weekday", "value": "5", "to": "6"}]`, near: 6, far: 1, lon: 10, lat: 50,
		},
		{
			name: "pickups", points: report.Pick(c, 245_000, 2_450_000, 24_500_000), keys: "hour", res: "0.0002",
			from: "SELECT " + scattered("-73.95 + (hash(i, 8) % 16) * 0.01", "40.66 + (hash(i, 9) % 20) * 0.01", "0.01") + ", hour FROM (SELECT i, " + clock + " FROM range(POINTS) t(i))",
			box:  "-73.96, 40.7, -73.9, 40.75", few: "hour BETWEEN 7 AND 9", where: `[{"by": "hour", "value": "7", "to": "9"}]`, near: 14, far: 10, lon: -73.9, lat: 40.75,
		},
	}
}

// answerOf is what an interactive map has time for, and what Pahins et al. (2017, abstract)
// measured themselves by.
const answerOf = 40 * time.Millisecond

// cubes asks sketches what Nanocubes and Hashedcubes are asked, on points of their sizes.
func cubes(b *bench) {
	b.Set("late", 0)
	for _, q := range cubesOf(b.c) {
		b.run("CREATE OR REPLACE TABLE p AS " + strings.ReplaceAll(q.from, "POINTS", strconv.Itoa(q.points)))
		ours := fmt.Sprintf("CREATE OR REPLACE TABLE s AS SELECT %s, ccbf_agg(lon, lat, %s, {bytes: 67108864}) AS s FROM p GROUP BY ALL", q.keys, q.res)
		exact := fmt.Sprintf("CREATE OR REPLACE TABLE counted AS SELECT %s, floor(lon / %[2]s)::INTEGER AS x, floor(lat / %[2]s)::INTEGER AS y, count(*)::INTEGER AS n FROM p GROUP BY ALL", q.keys, q.res)
		few := *b
		few.rounds = report.Pick(b.c, 1, 1, 3) // this takes long
		built := few.inTurn(q.name+", building", b.query("exact table", exact), b.query("sketches", ours))
		report.Require(number(b.db, "SELECT count(*) FROM s WHERE NOT (ccbf_info(s)).exact") == 0, "a sketch of %s is not exact", q.name)
		at := report.At{"points": q.name, "n": q.points, "cells": number(b.db, "SELECT count(*) FROM counted")}
		n := float64(q.points)
		b.note("built", built[1].over(built[0]), at)
		b.Record(at, report.Figures{"sketches": number(b.db, "SELECT sum(octet_length(s)) FROM s") / n, "table": b.packed("(FROM counted ORDER BY ALL)") / n})
		folder(func(dir string) {
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
	r := b.compare(what, report.At{"cube": q.name, "question": ask.what}, b.query("exact table", ask.exact), contender{name: "sketches", run: ask.run})[0]
	part := r.took.part(answerOf.Seconds())
	b.note("part", part, report.At{"of": what})
	if part.median() > 1 {
		b.Set("late", b.At["late"].(int)+1)
	}
	b.Keep("time of "+what, r.rounds)
}

// cubeQuestion is one for a cube, and the exact table's answer to it, with counts n.
type cubeQuestion struct {
	what, ours, exact string
	run               func() // ours, where it is no statement
}

// cubeQuestions are a histogram of an attribute over an area, and a count.
func cubeQuestions(q cube, server string) []cubeQuestion {
	within := func(box string) string {
		return fmt.Sprintf("(x + 0.5) * %[1]s >= ([%[2]s])[1] AND (x + 0.5) * %[1]s < ([%[2]s])[3] AND (y + 0.5) * %[1]s >= ([%[2]s])[2] AND (y + 0.5) * %[1]s < ([%[2]s])[4]", q.res, box)
	}
	return append(tilesOf(q, server, within), []cubeQuestion{
		{
			what:  "histogram of an area by hour",
			ours:  fmt.Sprintf("SELECT hour, sum(ccbf_bbox_sum(s, %s)) AS n FROM s GROUP BY hour", q.box),
			exact: fmt.Sprintf("SELECT hour, sum(n) AS n FROM counted WHERE %s GROUP BY hour", within(q.box)),
		},
		{
			what:  "count of an area, some rows",
			ours:  fmt.Sprintf("SELECT sum(ccbf_bbox_sum(s, %s)) AS n FROM s WHERE %s", q.box, q.few),
			exact: fmt.Sprintf("SELECT sum(n) AS n FROM counted WHERE %s AND %s", within(q.box), q.few),
		},
	}...)
}

// tilesOf are pictures of a cube, asked of ccbfsql serve, each time with another scale: one
// that was drawn is kept. The table answers with a number for each pixel, and draws nothing.
func tilesOf(q cube, server string, within func(box string) string) (asks []cubeQuestion) {
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
		box := fmt.Sprintf("%v, %v, %v, %v", west, south, east, north)
		asks = append(asks, cubeQuestion{
			what: t.what,
			run: func() {
				scale++
				fetch(fmt.Sprintf("%s%s?where=%s&top=%d", server, tilePath(t.zoom, q.lon, q.lat), url.QueryEscape(t.where), 1_000_000+scale))
			},
			exact: fmt.Sprintf("SELECT count(*) AS n FROM (SELECT floor(((x + 0.5) * %[1]s - %[2]v) / %[3]v * 256) AS i, floor((%[4]v - (y + 0.5) * %[1]s) / %[5]v * 256) AS j, sum(n) AS n FROM counted WHERE %[6]s AND %[7]s GROUP BY i, j)",
				q.res, west, east-west, north, north-south, within(box), t.rows),
		})
	}
	return asks
}
