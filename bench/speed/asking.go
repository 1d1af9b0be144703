package main

import (
	"runtime"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

// polygons sums countries over an exact sketch of the cities.
func polygons(b *bench) {
	// The tables are c(g), countries as GeoJSON, and cities(lon, lat).
	b.run(text("world", report.At{"countries": duck.File("ne_110m_countries.geojson"), "cities": duck.File("geonames_cities.parquet"), "n": report.Pick(b.c, 9, 177, 177)}))
	countries := duck.Column[string](b.db, "SELECT g FROM c")
	xs, ys := duck.Column[float64](b.db, "SELECT lon FROM cities ORDER BY rowid"), duck.Column[float64](b.db, "SELECT lat FROM cities ORDER BY rowid")
	b.Set("countries", len(countries), "cities", len(xs), "every", every)
	for _, res := range report.Pick(b.c, []string{"0.1", "0.01"}, []string{"0.1", "0.01", "0.001"}, []string{"0.1", "0.01", "0.001"}) {
		b.run("CREATE OR REPLACE TABLE s AS SELECT ccbf_agg(lon, lat, " + res + ") s FROM cities")
		comparison{what: "cells of " + res, at: report.At{"res": res}, contenders: []contender{
			{name: "point in polygon", run: func() { insideOf(countries, xs, ys) }},
			b.query("ccbf_polygon_sum", "SELECT sum(ccbf_polygon_sum(s, g)) FROM c, s"),
		}}.run(b)
		b.Set("finest", res)
	}
}

// every is the step of cities in the point-in-polygon test: with all cities it would take seconds.
const every = 20

// insideOf tests which points are in each polygon.
func insideOf(polygons []string, xs, ys []float64) {
	for _, text := range polygons {
		p := report.Must(grid.ParsePolygon([]byte(text)))
		bound := p.Bound()
		inside := 0
		for i := 0; i < len(xs); i += every {
			if at := (orb.Point{xs[i], ys[i]}); bound.Contains(at) && planar.MultiPolygonContains(p, at) {
				inside++
			}
		}
		runtime.KeepAlive(inside)
	}
}

// places queries many places and boxes of one sketch, of a sketch per map tile, and of a sketch
// with categories.
func places(b *bench) {
	n, boxes, looked := report.Pick(b.c, 20_000, 500_000, 2_000_000), report.Pick(b.c, 20, 200, 1000), report.Pick(b.c, 20_000, 1_000_000, 10_000_000)
	b.Set("n", n, "looked up", looked)
	b.script("places", report.At{"crimes": crimes(b.c), "n": n, "few": n / 20, "boxes": boxes})
	b.script("places of kinds", report.At{"n": n, "kinds": map[string]int{"few": 487, "many": report.Pick(b.c, 1000, 5000, 5000)}})
	b.run("SET threads = 1") // the promised lookups per second are for one thread
	b.script("lookups", looked)
}

// manySketches queries one area in many sketches, relative to the exact query over a table of
// counts. The queries are a county over 365 days, a town over map tiles, boxes over days, and the
// categories of one sketch, which are days.
func manySketches(b *bench) {
	b.run("CREATE TABLE p AS " + crimes(b.c))
	b.script("county over days", report.At{"lon": -2.9, "lat": 53.45, "size": 1})
	b.script("town over tiles", report.At{"lon": -2.9, "lat": 53.45, "size": 0.5})
	const dailySketches = 487 // each box is queried in so many
	b.Set("sketches", dailySketches)
	b.script("boxes over days", report.At{"days": dailySketches, "boxes": []report.At{ // edges as numbers of cells
		{"name": "30 x 30", "west": -120, "south": 51_490, "east": -90, "north": 51_520},
		{"name": "450 x 250", "west": -3_125, "south": 53_325, "east": -2_675, "north": 53_575},
		{"name": "3,000 x 3,000", "west": -3_000, "south": 51_000, "east": 0, "north": 54_000},
	}})
	b.script("histogram of days", report.Pick(b.c, 65536, 1<<20, 1<<20))
}

// drawn lists the largest cells of the whole country and draws it. The sketches are one of a
// megabyte, a tree (nested squares with counts) of half the bytes of all cells, and counters
// without levels.
func drawn(b *bench) {
	b.run("CREATE TABLE p AS " + crimes(b.c))
	b.script("drawings", report.At{"res": "0.01", "threshold": 500})
	b.script("drawings", report.At{"res": "0.001", "threshold": 100})
	b.script("drawing without levels", report.Pick(b.c, "0.01", "0.001", "0.001"))
}
