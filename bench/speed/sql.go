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
	kernel          func() error
}

// overSQL compares statements with the same work in Go, on one thread.
func overSQL(c report.Config, s *report.Section) error {
	db, err := open(1)
	if err != nil {
		return err
	}
	defer db.Close()
	spatial, err := spatialPaths(db, c)
	if err != nil {
		return err
	}
	keyed, err := keyedPaths(db, c)
	if err != nil {
		return err
	}
	paths := append(spatial, keyed...)
	w := newStopwatch(c, s, len(paths))
	s.Text("Each statement reads a table in memory, on one thread, and does what the kernel does with slices of the same values: what is more is DuckDB's reading, the way of %d rows at once from it to Go and back, and grouping. Points are the UK crimes, keys whole numbers.", batch)
	t := s.Table("work", "time of SQL / kernel")
	var rows []report.Row
	worst := report.Row{}
	for _, p := range paths {
		took, err := w.inTurn(p.what, query(db, "SQL", p.statement), contender{name: "kernel", run: p.kernel})
		if err != nil {
			return err
		}
		r := took[0].over(took[1])
		t.Row(p.what, r)
		row := r.row(p.what, "")
		rows = append(rows, row)
		if row.At > worst.At {
			worst = row
		}
	}
	s.Short("SQL takes %s times the kernel's time in the worst of %d cases (%s), %s in the median one.", report.Num(worst.At), len(rows), worst.Name,
		report.Num(report.Median(report.Column(rows, func(r report.Row) float64 { return r.At }))))
	return s.Rows("ratio", "Time of the SQL path, as a multiple of the kernel's.", "time of SQL / kernel", rows)
}

// spatialPaths build and ask sketches of points.
func spatialPaths(db *sql.DB, c report.Config) ([]path, error) {
	points, err := crimes(c)
	if err != nil {
		return nil, err
	}
	const outlines = 20
	texts := make([]string, outlines)
	for i := range texts {
		texts[i] = around(-2.9, 53.45, 1+0.01*float64(i))
	}
	if err := run(db, "CREATE TABLE p AS "+points, `CREATE TABLE s AS SELECT ccbf_agg(lon, lat, 0.001) AS exact, ccbf_agg(lon, lat, 0.001, {exact: false}) AS dense FROM p`,
		"CREATE TABLE outlines AS SELECT unnest(['"+strings.Join(texts, "', '")+"']) AS g"); err != nil {
		return nil, err
	}
	xs, ys, err := coordinates(db, "p")
	if err != nil {
		return nil, err
	}
	var exact, dense []byte
	if err := db.QueryRow("SELECT exact, dense FROM s").Scan(&exact, &dense); err != nil {
		return nil, err
	}
	config, err := ccbf.Params{Res: 0.001}.Config()
	if err != nil {
		return nil, err
	}
	if blob, err := buildPoints(config, xs, ys); err != nil {
		return nil, err
	} else if !bytes.Equal(blob, exact) {
		return nil, fmt.Errorf("the kernel makes %d bytes of the points, SQL other %d", len(blob), len(exact))
	}
	denseConfig, err := ccbf.Params{Res: 0.001, Dense: true}.Config()
	if err != nil {
		return nil, err
	}
	builds := func(config ccbf.Config) func() error {
		return func() error {
			_, err := buildPoints(config, xs, ys)
			return err
		}
	}
	paths := []path{
		{"ccbf_agg, exact", "SELECT octet_length(ccbf_agg(lon, lat, 0.001)) FROM p", builds(config)},
		{"ccbf_agg, dense", "SELECT octet_length(ccbf_agg(lon, lat, 0.001, {exact: false})) FROM p", builds(denseConfig)},
	}
	for _, form := range []struct {
		name string
		blob []byte
	}{{"exact", exact}, {"dense", dense}} {
		v := new(ccbf.View)
		if err := v.Reset(form.blob); err != nil {
			return nil, err
		}
		paths = append(paths,
			path{"ccbf_get, " + form.name, "SELECT sum(ccbf_get(" + form.name + ", lon, lat)) FROM p, s", func() error { return lookUp(v, xs, ys) }},
			path{"ccbf_polygon_sum of counties, " + form.name, "SELECT sum(ccbf_polygon_sum(" + form.name + ", g)) FROM outlines, s", func() error { return sumAll(v, texts) }})
	}
	return paths, nil
}

// buildPoints is the BLOB of points that arrive as in SQL.
func buildPoints(config ccbf.Config, xs, ys []float64) ([]byte, error) {
	b := ccbf.NewBuilder(config, nil)
	var keys [batch]uint64
	for from := 0; from < len(xs); from += batch {
		to := min(from+batch, len(xs))
		if got := config.Keys(keys[:to-from], xs[from:to], ys[from:to]); got != to-from {
			return nil, fmt.Errorf("point %d has no key", from+got)
		}
		if err := b.AddKeys(keys[:to-from]); err != nil {
			return nil, err
		}
	}
	s, err := b.Sketch()
	if err != nil {
		return nil, err
	}
	return s.Blob(), nil
}

// lookUp asks for the cells of points.
func lookUp(v *ccbf.View, xs, ys []float64) error {
	var cells [batch]grid.Cell
	var counts [batch]uint64
	for from := 0; from < len(xs); from += batch {
		to := min(from+batch, len(xs))
		if _, err := v.Grid.Cells(cells[:to-from], xs[from:to], ys[from:to]); err != nil {
			return err
		}
		v.CountCells(counts[:to-from], cells[:to-from], nil)
	}
	return nil
}

// sumAll asks for polygons.
func sumAll(v *ccbf.View, texts []string) error {
	for _, text := range texts {
		p, err := grid.ParsePolygon([]byte(text))
		if err != nil {
			return err
		}
		if _, err := v.PolygonSum(p, nil); err != nil {
			return err
		}
	}
	return nil
}

// keyedPaths build sketches of keys.
func keyedPaths(db *sql.DB, c report.Config) ([]path, error) {
	n := report.Pick(c, 20_000, 200_000, 2_000_000)
	if err := run(db, fmt.Sprintf("CREATE TABLE k AS SELECT (hash(i) >> 1)::BIGINT AS k FROM range(%d) t(i)", n)); err != nil {
		return nil, err
	}
	signed, err := column[int64](db, "SELECT k FROM k ORDER BY rowid")
	if err != nil {
		return nil, err
	}
	keys := make([]uint64, n)
	for i, k := range signed {
		keys[i] = uint64(k)
	}
	var paths []path
	for _, f := range families {
		paths = append(paths, path{f.name + "_agg", fmt.Sprintf("SELECT octet_length(%s_agg(k, %s)) FROM k", f.name, strings.ReplaceAll(f.options, "$n", strconv.Itoa(n))), func() error {
			s, err := f.make(uint64(n))
			if err != nil {
				return err
			}
			if err := addNumbers(s, keys); err != nil {
				return err
			}
			s.Blob()
			return nil
		}})
	}
	return paths, nil
}
