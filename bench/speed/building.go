package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
)

// points are a table of coordinates, x and y.
type points struct {
	table, what string
	res         float64
	limit       float64 // that was promised for ccbf_agg beside the exact GROUP BY
}

// exactCells counts the points of each cell in a table of that name.
func (p points) exactCells(name string) string {
	return fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT floor(x / %v) AS cx, floor(y / %[2]v) AS cy, count(*) AS n FROM %s GROUP BY ALL", name, p.res, p.table)
}

// aggregate builds one sketch of real and of skewed points.
func aggregate(c report.Config, s *report.Section) {
	db := open(2)
	defer db.Close()
	data := aggregated(db, c)
	w := newStopwatch(c, s)
	s.Text("`ccbf_agg` with its default options, and with `exact: false`, compared with `SELECT floor(x / res), floor(y / res), count(*) ... GROUP BY ALL` and with " +
		"`approx_count_distinct` of the cells, which keeps only an estimate of their number. A sketch that outgrows a megabyte becomes dense.")
	t := s.Table("points", "how many", "in cells", "form", "ccbf_agg / GROUP BY", "dense ccbf_agg / GROUP BY", "approx_count_distinct / GROUP BY", "its error")
	var rows []report.Row
	ratios := map[string]ratio{}
	for _, p := range data {
		const cell = "floor(x / %v) * 4294967296 + floor(y / %[1]v)"
		took := w.inTurn(p.what,
			query(db, "ccbf_agg", fmt.Sprintf("CREATE OR REPLACE TEMP TABLE a AS SELECT ccbf_agg(x, y, %v) AS s FROM %s", p.res, p.table)),
			query(db, "exact GROUP BY", p.exactCells("b")),
			query(db, "ccbf_agg, dense", fmt.Sprintf("CREATE OR REPLACE TEMP TABLE d AS SELECT ccbf_agg(x, y, %v, {exact: false}) AS s FROM %s", p.res, p.table)),
			query(db, "approx_count_distinct", fmt.Sprintf("CREATE OR REPLACE TEMP TABLE e AS SELECT approx_count_distinct("+cell+") AS n FROM %s", p.res, p.table)))
		var n, cells, estimate int
		var form string
		report.Check(db.QueryRow("SELECT (SELECT sum(n)::BIGINT FROM b), (SELECT count(*) FROM b), (SELECT n FROM e), (SELECT (ccbf_info(s)).encoding FROM a)").Scan(&n, &cells, &estimate, &form))
		ours := took[0].over(took[1])
		t.Row(p.what, n, cells, form, ours, took[2].over(took[1]), took[3].over(took[1]), report.Percent(float64(estimate)/float64(cells)-1))
		w.claim(ours.atMost("time of `ccbf_agg` / exact GROUP BY, "+p.what, p.limit))
		ratios[p.table] = ours
		rows = append(rows, ours.row(p.what, "ccbf_agg"), took[2].over(took[1]).row(p.what, "ccbf_agg, dense"), took[3].over(took[1]).row(p.what, "approx_count_distinct"))
	}
	rows = append(rows, trees(db, w, s, data[:2])...) // the real points
	s.Short("`ccbf_agg` takes %s of the time of the exact GROUP BY on the real points in the order of their file, %s on points of Zipf's law.", ratios["filed"], ratios["ranks"])
	s.Rows("ratio", "Time of ccbf_agg, of its dense form, and of approx_count_distinct, as a part of the exact GROUP BY's.", "time / exact GROUP BY", rows)
}

// trees builds trees of points whose cells take twice the bytes.
func trees(db *sql.DB, w stopwatch, s *report.Section, data []points) (rows []report.Row) {
	s.Text("A tree of the same points in half the bytes of their exact sketch, compared with that sketch and with the exact GROUP BY.")
	t := s.Table("points", "bytes", "tree / exact sketch", "tree / GROUP BY")
	for _, p := range data {
		build := func(options string) string {
			return fmt.Sprintf("CREATE OR REPLACE TEMP TABLE a AS SELECT ccbf_agg(x, y, %v, {%s}) AS s FROM %s", p.res, options, p.table)
		}
		exact := build(fmt.Sprintf("bytes: %d", 1<<24))
		run(db, exact)
		half := int(number(db, "SELECT octet_length(s) // 2 FROM a"))
		took := w.inTurn(p.what+", tree", query(db, "ccbf_agg, tree", build(fmt.Sprintf("bytes: %d, overflow: 'tree'", half))),
			query(db, "ccbf_agg, exact", exact), query(db, "exact GROUP BY", p.exactCells("b")))
		overExact, overTable := took[0].over(took[1]), took[0].over(took[2])
		t.Row(p.what, half, overExact, overTable)
		w.claim(overExact.atMost("time of a tree of half the bytes / exact sketch, "+p.what, 1.3))
		w.claim(overTable.atMost("time of a tree of half the bytes / exact GROUP BY, "+p.what, 1))
		rows = append(rows, overTable.row(p.what, "ccbf_agg, tree"))
	}
	return rows
}

// aggregated makes the tables of aggregate: the UK's crimes in two orders, and
// points with three kinds of skew.
func aggregated(db *sql.DB, c report.Config) []points {
	uk := crimes(c)
	n := report.Pick(c, 20_000, 1_000_000, 10_000_000)
	// u^-5 inverts the distribution function of ranks with P(r) ~ r^-1.2; a
	// rank is put on the grid by a multiplication modulo 2^24.
	const rank = "floor(((%d::DOUBLE ^ -0.2 - 1) * ((hash(i, %d) %% 1000000007) / 1000000007.0) + 1) ^ -5)"
	cell := fmt.Sprintf(rank, 1<<24, 1)
	axis := func(seed int) string { return fmt.Sprintf(rank, 4097, seed) }
	run(db,
		"CREATE TABLE filed AS SELECT lon AS x, lat AS y FROM ("+uk+")",
		"CREATE TABLE shuffled AS FROM filed ORDER BY hash(rowid)",
		fmt.Sprintf("CREATE TABLE ranks AS SELECT (k %% 4096)::DOUBLE x, (k // 4096)::DOUBLE y FROM (SELECT (%s::UBIGINT * 2654435761 %% 16777216)::BIGINT k FROM range(%d) t(i))", cell, n),
		fmt.Sprintf("CREATE TABLE axes AS SELECT (%s * 1597 %% 4096)::DOUBLE x, (%s * 2971 %% 4096)::DOUBLE y FROM range(%d) t(i)", axis(2), axis(3), n),
		fmt.Sprintf("CREATE TABLE spread AS SELECT (((hash(i, 4) %% 4096) / 4096.0) ^ 1.7 * 4096)::DOUBLE x, ((hash(i, 5) %% 4194304) / 1024.0)::DOUBLE y FROM range(%d) t(i)", n),
	)
	return []points{
		{"filed", "UK crimes, as filed", 0.001, 0.75},
		{"shuffled", "UK crimes, shuffled", 0.001, 0.75},
		{"ranks", "Zipf 1.2 by cell", 1, 0.8},
		{"axes", "Zipf 1.2 by axis", 1, 0.8},
		{"spread", "little skew", 1, 0.8},
	}
}

// groups builds very many small sketches.
func groups(c report.Config, s *report.Section) {
	db := open(2)
	defer db.Close()
	n := report.Pick(c, 2_000, 100_000, 1_000_000)
	table := fmt.Sprintf(`CREATE TABLE p AS SELECT (i %% %d)::INTEGER g, ((hash(i, 1) %% 10000) / 1000.0)::DOUBLE x, ((hash(i, 2) %% 10000) / 1000.0)::DOUBLE y
		FROM (SELECT i FROM range(%d) t(i) ORDER BY hash(i))`, n, 5*n)
	run(db, table)
	const (
		ours  = "SELECT count(s) FROM (SELECT g, ccbf_agg(x, y, 1) s FROM p GROUP BY g) WHERE octet_length(s) > 0"
		exact = "SELECT count(n) FROM (SELECT g, floor(x / 1) x, floor(y / 1) y, count(*) n FROM p GROUP BY ALL) WHERE n > 0"
		count = "SELECT count(n) FROM (SELECT g, count(*) n FROM p GROUP BY g) WHERE n > 0"
	)
	w := newStopwatch(c, s)
	took := w.inTurn("groups", query(db, "ccbf_agg", ours), query(db, "exact GROUP BY group, cell", exact), query(db, "count(*)", count))
	peaks := make(map[string]ratio) // bytes a group
	runs := min(w.rounds, 5)        // each a process that makes its table first
	for range runs {
		for _, q := range []string{ours, exact, count} {
			peaks[q] = append(peaks[q], peak(q, table)/float64(n))
		}
	}
	above, overExact := make(ratio, runs), make(ratio, runs)
	for i := range runs {
		above[i] = max(0, peaks[ours][i]-peaks[count][i])
		overExact[i] = peaks[ours][i] / peaks[exact][i]
	}
	byTime := took[0].over(took[1])
	w.claim(byTime.atMost("time of `ccbf_agg` / exact GROUP BY group, cell", 0.9))
	w.claim(above.atMost("bytes a group at the peak, above those of `count(*)`", 300))
	s.Short("%d sketches of five points take %s of the time of the exact GROUP BY of groups and cells, and %s bytes a group above what DuckDB needs for the groups alone.", n, byTime, report.Num(above.median()))
	s.Text("%d groups of 5 points each, in random order; the peak is that of resident memory in a separate process, %d runs.", n, runs)
	t := s.Table("groups", "time / exact GROUP BY", "time / count(*)", "peak / exact GROUP BY", "peak, bytes a group", "of count(*)")
	t.Row(n, byTime, took[0].over(took[2]), overExact, peaks[ours], peaks[count])
	s.Rows("ratio", "Time and peak of resident memory of ccbf_agg over many small groups.", "ccbf_agg / other", []report.Row{
		byTime.row("time / exact GROUP BY", ""), took[0].over(took[2]).row("time / count(*)", ""), overExact.row("peak / exact GROUP BY", "")})
}

// union merges dense sketches of 256 KiB.
func union(c report.Config, s *report.Section) {
	db := open(2)
	defer db.Close()
	n := report.Pick(c, 20, 100, 1000)
	w := newStopwatch(c, s)
	s.Text("%d dense sketches of 256 KiB, merged by `ccbf_union_agg`; its kernel, called from Go; a plain loop that adds as many bytes, each saturating at 255; and `copy` of as many bytes into one place.", n)
	t := s.Table("sketches", "counters in use", "ccbf_union_agg / kernel", "kernel / plain loop", "ccbf_union_agg / plain loop", "kernel / copy")
	var rows []report.Row
	for _, p := range []struct {
		name     string
		points   int
		promised string
		rate     float64 // bytes a second
	}{
		{"a third full", 23_000, "at least 2 GB/s", 2e9},
		{"nearly empty", 100, "at least 4 GB/s", 4e9},
	} {
		run(db, fmt.Sprintf(`CREATE OR REPLACE TABLE s AS SELECT ccbf_agg((hash(i, g, 1) %% 100000)::DOUBLE, (hash(i, g, 2) %% 100000)::DOUBLE, 1,
			{exact: false, mode: 'standard', bytes: 262144}) s FROM range(%d) t(i), range(%d) u(g) GROUP BY g`, p.points, n))
		fill := number(db, "SELECT avg((ccbf_info(s)).fill) FROM s")
		blobs := column[[]byte](db, "SELECT s FROM s")
		bytes := 0
		for _, b := range blobs {
			bytes += len(b)
		}
		sum := make([]byte, len(blobs[0]))
		took := w.inTurn(p.name, query(db, "ccbf_union_agg", "SELECT octet_length(ccbf_union_agg(s)) FROM s"),
			contender{name: "kernel", run: func() { unite(blobs) }},
			contender{name: "plain loop", fresh: func() { clear(sum) }, run: func() { addBytes(sum, blobs) }},
			loop("copy", func() {
				for _, b := range blobs {
					copy(sum, b)
				}
			}))
		sql := took[0].over(took[2])
		t.Row(p.name, report.Percent(fill), took[0].over(took[1]), took[1].over(took[2]), sql, took[1].over(took[3]))
		w.claim(took[0].rate("time of `ccbf_union_agg`, sketches "+p.name, p.promised, float64(bytes), p.rate, sql, "a plain loop"))
		rows = append(rows, sql.row(p.name, "ccbf_union_agg"), took[1].over(took[2]).row(p.name, "kernel"))
	}
	s.Short("a `ccbf_union_agg` on two threads takes %s of the time of a plain loop over bytes where counters are a third full, %s where nearly all are empty.", report.Num(rows[0].At), report.Num(rows[2].At))
	s.Rows("ratio", "Time of merging as a part of a plain loop's that adds bytes.", "time / plain loop", rows)
}

// unite merges sketches as ccbf_union_agg does.
func unite(blobs [][]byte) {
	var v ccbf.View
	report.Check(v.Reset(blobs[0]))
	b := ccbf.NewBuilder(v.Config, nil)
	for _, blob := range blobs {
		report.Check(v.Reset(blob))
		report.Check(b.AddView(&v))
	}
	report.Must(b.Sketch())
}

// addBytes adds with a ceiling, byte by byte.
func addBytes(sum []byte, blobs [][]byte) {
	for _, blob := range blobs {
		for i, v := range blob {
			sum[i] = byte(min(255, int(sum[i])+int(v)))
		}
	}
}

// sizes weighs exact sketches and the exact table, both also as Parquet.
func sizes(c report.Config, s *report.Section) {
	db := open(2)
	defer db.Close()
	dir := report.Must(os.MkdirTemp("", "ccbfsql-speed"))
	defer os.RemoveAll(dir)
	run(db, "CREATE TABLE p AS "+crimes(c))
	groupings := []struct{ what, key string }{
		{"all in one", "0"},
		{"zoom 6", "quadkey(lon, lat, 6)"},
		{"zoom 8", "quadkey(lon, lat, 8)"},
		{"zoom 10", "quadkey(lon, lat, 10)"},
		{"zoom 12", "quadkey(lon, lat, 12)"},
		{"zoom 14", "quadkey(lon, lat, 14)"},
		{"zoom 16", "quadkey(lon, lat, 16)"},
	}
	w := newStopwatch(c, s)
	s.Text("Bytes for each cell of the UK crimes at 0.001 degrees, in one group and in one for each map tile: the exact sketches as they are and as a column of Parquet with zstd, and the table of group, cell and count, sorted, as Parquet with zstd. Sizes do not vary, so no spread is given.")
	t := s.Table("groups", "cells a group", "BLOBs", "BLOBs in Parquet", "table in Parquet", "BLOBs in Parquet / table", "BLOBs / table")
	var rows []report.Row
	for _, g := range groupings {
		x := weigh(db, dir, g.key)
		share := ratio{x.packed / x.table}
		t.Row(g.what, x.cells/x.groups, x.blobs/x.cells, x.packed/x.cells, x.table/x.cells, share, x.blobs/x.table)
		rows = append(rows, share.row(g.what, "in Parquet"), ratio{x.blobs / x.table}.row(g.what, "as they are"))
		if g.key == "0" {
			perCell := ratio{x.blobs / x.cells}
			w.claim(perCell.atMost("bytes a cell, exact sketch of the UK crimes", 1.4))
			// docs/LIMITS.md: 1.12 bytes where the table takes 2.48.
			w.claim(share.atMost("bytes of the exact sketch / exact table, both in Parquet with zstd", 1.12/2.48))
		}
	}
	s.Short("in Parquet the exact sketch of all points takes %s of the bytes of the exact table, sketches of tiles of zoom 10 %s.", report.Num(rows[0].At), report.Num(rows[6].At))
	s.Rows("ratio", "Bytes of sketches as a part of the exact table's in Parquet with zstd.", "bytes / exact table", rows)
}

// weight is sizes in bytes of the same groups.
type weight struct {
	groups, cells float64 // how many
	blobs, packed float64 // the sketches as they are, and in Parquet
	table         float64 // the exact table in Parquet
}

// weigh groups the points by a key.
func weigh(db *sql.DB, dir, key string) weight {
	var x weight
	run(db, "CREATE OR REPLACE TABLE sketches AS SELECT "+key+" AS g, ccbf_agg(lon, lat, 0.001) AS s FROM p GROUP BY g ORDER BY g",
		// In the smallest types that hold them.
		"CREATE OR REPLACE TABLE counted AS SELECT "+key+" AS g, floor(lon / 0.001)::INTEGER AS x, floor(lat / 0.001)::INTEGER AS y, count(*)::UINTEGER AS n FROM p GROUP BY ALL ORDER BY g, y, x")
	report.Check(db.QueryRow("SELECT count(*), sum(octet_length(s)), (SELECT count(*) FROM counted) FROM sketches").Scan(&x.groups, &x.blobs, &x.cells))
	for _, f := range []struct {
		name string
		to   *float64
	}{{"sketches", &x.packed}, {"counted", &x.table}} {
		file := filepath.Join(dir, f.name+".parquet")
		run(db, fmt.Sprintf("COPY %s TO '%s' (FORMAT parquet, COMPRESSION zstd)", f.name, file))
		*f.to = float64(report.Must(os.Stat(file)).Size())
	}
	return x
}
