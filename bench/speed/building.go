package main

import (
	"fmt"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
)

// points is a table with the coordinates x and y, and the size of the cells in which it is counted.
type points struct {
	what, table string
	res         float64 // side of a cell
	most        float64 // promised limit: time of ccbf_agg over the time of the exact query
}

// exactCells returns the query that counts the points of each cell.
func (p points) exactCells() string { return text("cells", report.At{"table": p.table, "res": p.res}) }

// build returns the statement that builds the sketch of the points with options.
func (p points) build(table, options string) string {
	return fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT ccbf_agg(x, y, %v%s) AS s FROM %s", table, p.res, options, p.table)
}

// aggregate builds one sketch: of the UK's crimes in two orders, and of points with three kinds of
// skew.
func aggregate(b *bench) {
	b.make("aggregate", report.At{"crimes": crimes(b.c), "n": report.Pick(b.c, 20_000, 1_000_000, 10_000_000)})
	data := []points{
		{"UK crimes, as filed", "filed", 0.001, 0.65},
		{"UK crimes, shuffled", "shuffled", 0.001, 0.65},
		{"Zipf 1.2 by cell", "ranks", 1, 0.4},
		{"Zipf 1.2 by axis", "axes", 1, 0.65},
		{"little skew", "spread", 1, 0.5},
	}
	for _, p := range data {
		b.compare(p.what, report.At{"most": p.most, "made up": p.res == 1},
			b.query("exact GROUP BY", p.exactCells()),
			b.query("ccbf_agg", p.build("a", "")),
			b.query("ccbf_agg, dense", p.build("d", ", {exact: false}")),
			b.query("ccbf_agg, paper", p.build("d", ", {exact: false, k: 8, layers: [16, 16]}")),
			b.query("approx_count_distinct", text("cells, estimated", report.At{"table": p.table, "res": p.res})))
		var points, cells, estimate int
		var form string
		duck.Scan(b.db, "SELECT (SELECT sum(n)::BIGINT FROM b), (SELECT count(*) FROM b), (SELECT n FROM e), (SELECT (ccbf_info(s)).encoding FROM a)", &points, &cells, &estimate, &form)
		b.Record(report.At{"points": p.what, "n": points, "cells": cells, "form": form}, report.Figures{"error": float64(estimate)/float64(cells) - 1})
	}
	for _, p := range data[:2] { // the first two tables have real points, not drawn ones
		b.tree(p)
	}
}

// tree builds a tree of points whose exact sketch has twice the bytes.
func (b *bench) tree(p points) {
	exact := p.build("a", fmt.Sprintf(", {bytes: %d}", 1<<24))
	b.run(exact)
	half := int(duck.Number(b.db, "SELECT octet_length(s) // 2 FROM a"))
	took := b.inTurn(p.what+", tree", b.query("ccbf_agg, tree", p.build("a", fmt.Sprintf(", {bytes: %d, overflow: 'tree'}", half))),
		b.query("ccbf_agg, exact", exact), b.query("exact GROUP BY", p.exactCells()))
	b.note("over exact", took[0].over(took[1]), report.At{"tree": p.what, "bytes": half})
	b.record(p.what, "ccbf_agg, tree", took[0].over(took[2]), nil)
}

// groups builds many small sketches.
func groups(b *bench) {
	n := report.Pick(b.c, 2_000, 100_000, 1_000_000)
	table := text("groups", report.At{"n": n})
	ours, exact, count := text("groups, sketched", nil), text("groups, exact", nil), text("groups, counted", nil)
	b.run(table)
	took := b.inTurn("groups", b.query("ccbf_agg", ours), b.query("exact GROUP BY group, cell", exact), b.query("count(*)", count))
	peaks := make(map[string]rounds) // peak of memory of each query, in bytes per group
	runs := min(b.rounds, 5)         // each run is a process that first creates its table
	for range runs {
		for _, q := range []string{ours, exact, count} {
			peaks[q] = append(peaks[q], runAlone(q, table).resident/float64(n))
		}
	}
	above := make(rounds, runs)
	for i := range above {
		above[i] = max(0, peaks[ours][i]-peaks[count][i])
	}
	b.Set("n", n, "runs", runs)
	b.record("time / exact GROUP BY", "", took[0].over(took[1]), nil)
	b.record("time / count(*)", "", took[0].over(took[2]), nil)
	b.record("peak / exact GROUP BY", "", peaks[ours].over(peaks[exact]), nil)
	b.note("peak", peaks[ours], nil)
	b.note("peak of count(*)", peaks[count], nil)
	b.note("above", above, nil)
	b.anySize(n)
}

// anySize builds sketches of groups that mostly have more points than a state holds, and of keys,
// which a state does not hold.
func (b *bench) anySize(n int) {
	for _, of := range []struct{ groups, points int }{{n / 10, 5}, {n / 10, 20}, {n / 100, 100}} {
		b.script("groups of any size", report.At{"n": of.groups, "points": of.points})
	}
}

// sizes measures exact sketches of the UK crimes, in one group and by tile, and the exact table,
// both also as Parquet.
func sizes(b *bench) {
	b.run("CREATE TABLE p AS " + crimes(b.c))
	for _, zoom := range []int{0, 6, 8, 10, 12, 14, 16} {
		what, key := fmt.Sprint("zoom ", zoom), fmt.Sprintf("quadkey(lon, lat, %d)", zoom)
		if zoom == 0 {
			what, key = "all in one", "0"
		}
		var groups, cells, blobs float64
		b.make("sizes", report.At{"key": key})
		duck.Scan(b.db, "SELECT count(*), sum(octet_length(s)), (SELECT count(*) FROM counted) FROM sketches", &groups, &blobs, &cells)
		packed, table := duck.Packed(b.db, "sketches"), duck.Packed(b.db, "counted")
		b.record(what, "in Parquet", rounds{packed / table}, nil)
		b.record(what, "as they are", rounds{blobs / table}, nil)
		b.Record(report.At{"groups": what}, report.Figures{"cells": cells / groups, "blobs": blobs / cells, "packed": packed / cells, "table": table / cells})
	}
}

// keyedBuilds builds sketches of keys, relative to DuckDB's own aggregates.
func keyedBuilds(b *bench) {
	n := report.Pick(b.c, 20_000, 1_000_000, 5_000_000)
	b.make("keys", report.At{"n": n})
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
	b.make("estimates", report.At{"n": n, "keys": keys})
	b.Set("n", n, "keys", keys)
	for _, kind := range []string{"numbers", "texts"} {
		column := map[string]string{"numbers": "key", "texts": "text"}[kind]
		for _, q := range []struct {
			what, theirs string   // theirs: a call of DuckDB's approximate aggregate
			ours         []string // calls of our aggregates that answer the same question
			exact, query string
		}{
			{"frequent", "approx_top_k(key, 100)", []string{"cms_agg(key)", "sbf_agg(key, {capacity: $n})"}, "GROUP BY", "SELECT max(n) FROM (SELECT count(*) AS n FROM k GROUP BY key)"},
			{"different", "approx_count_distinct(key)", []string{"bloom_agg(key, {capacity: $n})", "bloom_agg(key, {grow: true})"}, "DISTINCT", "SELECT count(DISTINCT key) FROM k"},
		} {
			of := func(text string) string {
				return strings.NewReplacer("key", column, "$n", fmt.Sprint(keys)).Replace(text)
			}
			contenders := []contender{b.query("DuckDB's own", of("SELECT len(("+q.theirs+")::VARCHAR) FROM k")), b.query(q.exact, of(q.query))}
			for _, ours := range q.ours {
				contenders = append(contenders, b.query(of(ours), of("SELECT octet_length("+ours+") FROM k")))
			}
			took := b.inTurn(q.what+", "+kind, contenders...)
			for i, ours := range q.ours {
				name := strings.ReplaceAll(ours, "$n", fmt.Sprint(keys))
				b.record(name, kind, took[2+i].over(took[0]), report.At{"question": q.what})
				b.note("over exact", took[2+i].over(took[1]), report.At{"sketch": name, "of": kind})
			}
		}
	}
}
