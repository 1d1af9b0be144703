package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// path is one piece of work done by a statement and by Go.
type path struct {
	what, statement string
	kernel          func()
	build           bool // an aggregate
}

// overSQL compares statements with the same work in Go, on one thread.
func overSQL(c report.Config, s *report.Section) {
	db := open(1)
	defer db.Close()
	paths := append(spatialPaths(db, c), keyedPaths(db, c)...)
	w := newStopwatch(c, s)
	s.Text("Each statement reads a table in memory, on one thread, and does what the kernel does with slices of the same values: the difference is DuckDB's reading, passing %d rows at once to Go and back, and grouping. Points are the UK crimes, keys whole numbers.", batch)
	t := s.Table("work", "time of SQL / kernel")
	var rows []report.Row
	worst := report.Row{}
	for _, p := range paths {
		took := w.inTurn(p.what, query(db, "SQL", p.statement), contender{name: "kernel", run: p.kernel})
		r := took[0].over(took[1])
		t.Row(p.what, r)
		row := r.row(p.what, "")
		rows = append(rows, row)
		if p.build {
			w.claim(r.atMost("time of `"+p.what+"` by SQL / kernel", 1.5))
		}
		if row.At > worst.At {
			worst = row
		}
	}
	s.Short("SQL takes %s times the kernel's time in the worst of %d cases (%s), %s in the median one.", report.Num(worst.At), len(rows), worst.Name,
		report.Num(report.Median(report.Column(rows, func(r report.Row) float64 { return r.At }))))
	s.Rows("ratio", "Time of the SQL path, as a multiple of the kernel's.", "time of SQL / kernel", rows)
}

// spatialPaths build and ask sketches of points.
func spatialPaths(db *sql.DB, c report.Config) []path {
	points := crimes(c)
	const outlines = 20
	texts := make([]string, outlines)
	for i := range texts {
		texts[i] = around(-2.9, 53.45, 1+0.01*float64(i))
	}
	run(db, "CREATE TABLE p AS "+points, `CREATE TABLE s AS SELECT ccbf_agg(lon, lat, 0.001) AS exact, ccbf_agg(lon, lat, 0.001, {exact: false}) AS dense FROM p`,
		"CREATE TABLE outlines AS SELECT unnest(['"+strings.Join(texts, "', '")+"']) AS g")
	xs, ys := coordinates(db, "p")
	var exact, dense []byte
	report.Check(db.QueryRow("SELECT exact, dense FROM s").Scan(&exact, &dense))
	config := report.Must(ccbf.Params{Res: 0.001}.Config())
	report.Require(bytes.Equal(buildPoints(config, xs, ys), exact), "the kernel makes other bytes of the points than SQL")
	denseConfig := report.Must(ccbf.Params{Res: 0.001, Dense: true}.Config())
	builds := func(config ccbf.Config) func() { return func() { buildPoints(config, xs, ys) } }
	paths := []path{
		{"ccbf_agg, exact", "SELECT octet_length(ccbf_agg(lon, lat, 0.001)) FROM p", builds(config), true},
		{"ccbf_agg, dense", "SELECT octet_length(ccbf_agg(lon, lat, 0.001, {exact: false})) FROM p", builds(denseConfig), true},
	}
	for _, form := range []struct {
		name string
		blob []byte
	}{{"exact", exact}, {"dense", dense}} {
		v := new(ccbf.View)
		report.Check(v.Reset(form.blob))
		paths = append(paths,
			path{"ccbf_get, " + form.name, "SELECT sum(ccbf_get(" + form.name + ", lon, lat)) FROM p, s", func() { lookUp(v, xs, ys) }, false},
			path{"ccbf_polygon_sum of counties, " + form.name, "SELECT sum(ccbf_polygon_sum(" + form.name + ", g)) FROM outlines, s", func() { sumAll(v, texts) }, false})
	}
	return paths
}

// buildPoints is the BLOB of points that arrive as in SQL.
func buildPoints(config ccbf.Config, xs, ys []float64) []byte {
	b := ccbf.NewBuilder(config, nil)
	var keys [batch]uint64
	for from := 0; from < len(xs); from += batch {
		to := min(from+batch, len(xs))
		report.Require(config.Keys(keys[:to-from], xs[from:to], ys[from:to]) == to-from, "a point has no key")
		report.Check(b.AddKeys(keys[:to-from]))
	}
	return report.Must(b.Sketch()).Blob()
}

// lookUp asks for the cells of points.
func lookUp(v *ccbf.View, xs, ys []float64) {
	var cells [batch]grid.Cell
	var counts [batch]uint64
	for from := 0; from < len(xs); from += batch {
		to := min(from+batch, len(xs))
		report.Must(v.Grid.Cells(cells[:to-from], xs[from:to], ys[from:to]))
		v.CountCells(counts[:to-from], cells[:to-from], nil)
	}
}

// sumAll asks for polygons.
func sumAll(v *ccbf.View, texts []string) {
	for _, text := range texts {
		report.Must(v.PolygonSum(report.Must(grid.ParsePolygon([]byte(text))), nil))
	}
}

// keyedPaths build sketches of keys.
func keyedPaths(db *sql.DB, c report.Config) []path {
	n := report.Pick(c, 20_000, 200_000, 2_000_000)
	run(db, fmt.Sprintf("CREATE TABLE k AS SELECT (hash(i) >> 1)::BIGINT AS k FROM range(%d) t(i)", n))
	signed := column[int64](db, "SELECT k FROM k ORDER BY rowid")
	keys := report.Column(signed, func(k int64) uint64 { return uint64(k) })
	var paths []path
	for _, f := range families {
		paths = append(paths, path{f.name + "_agg", fmt.Sprintf("SELECT octet_length(%s_agg(k, %s)) FROM k", f.name, strings.ReplaceAll(f.options, "$n", strconv.Itoa(n))), func() {
			s := f.make(uint64(n))
			addNumbers(s, keys)
			s.Blob()
		}, true})
	}
	return paths
}
