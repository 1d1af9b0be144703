package main

import (
	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
)

// aggregate builds one sketch: of the UK's crimes in two orders, and of points with three kinds of
// skew. It also builds a tree of the crimes, with half the bytes of the exact sketch.
func aggregate(b *bench) {
	b.script("aggregate", report.At{"crimes": crimes(b.c), "n": report.Pick(b.c, 20_000, 1_000_000, 10_000_000)})
}

// groups builds many small sketches.
func groups(b *bench) {
	n := report.Pick(b.c, 2_000, 100_000, 1_000_000)
	table := text("groups", report.At{"n": n})
	ours, exact, count := text("groups, sketched", nil), text("groups, exact", nil), text("groups, counted", nil)
	b.run(table)
	took := b.inTurn("groups", b.query("ccbf_agg", ours), b.query("exact GROUP BY group, cell", exact), b.query("count(*)", count))
	peaks := make(map[string][]float64) // peak of memory of each query, in bytes per group
	runs := min(b.rounds, 5)            // each run is a process that first creates its table
	for range runs {
		for _, q := range []string{ours, exact, count} {
			peaks[q] = append(peaks[q], runAlone(q, table).resident/float64(n))
		}
	}
	above := make([]float64, runs)
	for i := range above {
		above[i] = max(0, peaks[ours][i]-peaks[count][i])
	}
	b.Set("n", n, "runs", runs)
	b.record("time / exact GROUP BY", "", over(took[0], took[1]), nil)
	b.record("time / count(*)", "", over(took[0], took[2]), nil)
	b.record("peak / exact GROUP BY", "", over(peaks[ours], peaks[exact]), nil)
	b.note("peak", peaks[ours], nil)
	b.note("peak of count(*)", peaks[count], nil)
	b.note("above", above, nil)
	// Further groups mostly have more points than a state holds, or have keys, which a state does not
	// hold.
	for _, of := range []report.At{
		{"n": n / 10, "points": 5, "most": 1.5, "mostKeys": 2.0},
		{"n": n / 10, "points": 20, "most": 1.0, "mostKeys": 1.3},
		{"n": n / 100, "points": 100},
	} {
		b.script("groups of any size", of)
	}
}

// sizes measures exact sketches of the UK crimes, in one group and by tile, and the exact table,
// both also as Parquet.
func sizes(b *bench) {
	duck.Folder(func(dir string) { b.script("sizes", report.At{"crimes": crimes(b.c), "folder": dir}) })
}

// keyedBuilds builds sketches of keys, relative to DuckDB's own aggregates.
func keyedBuilds(b *bench) {
	n := report.Pick(b.c, 20_000, 1_000_000, 5_000_000)
	b.run(text("keys", report.At{"n": n}))
	b.Set("n", n)
	for _, keys := range []string{"different", "skewed"} {
		many := duck.Number(b.db, "SELECT count(DISTINCT "+keys+") FROM k")
		b.script("builds of keys", report.At{"keys": keys, "many": int(many)})
	}
}

// estimates builds sketches, relative to DuckDB's approximate aggregates with the same result and
// to the exact query.
func estimates(b *bench) {
	n, keys := report.Pick(b.c, 20_000, 500_000, 2_000_000), report.Pick(b.c, 500, 50_000, 50_000)
	b.Set("n", n, "keys", keys)
	b.script("estimates", report.At{"n": n, "keys": keys})
}
