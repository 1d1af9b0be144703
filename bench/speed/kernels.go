package main

import (
	"bytes"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// batch is the number of keys that are handed over at once, as SQL does.
const batch = 2048

// path is one piece of work done by a statement and by Go.
type path struct {
	what, statement string
	kernel          func()
	build           bool // an aggregate
}

// overSQL compares statements with the same work in Go, on one thread.
func overSQL(b *bench) {
	b.Set("batch", batch)
	worst := 0.0
	for _, p := range append(b.spatialPaths(), b.keyedPaths()...) {
		b.compare(p.what, report.At{"build": p.build}, contender{name: "kernel", run: p.kernel}, b.query("SQL", p.statement))
		if r := b.Median("ratio", "what", p.what); r > worst {
			worst = r
			b.Set("worst", p.what)
		}
	}
}

// spatialPaths build and ask sketches of points.
func (b *bench) spatialPaths() []path {
	const outlines = 20
	texts := make([]string, outlines)
	for i := range texts {
		texts[i] = around(-2.9, 53.45, 1+0.01*float64(i))
	}
	b.make("outlines", report.At{"crimes": crimes(b.c), "texts": texts})
	xs, ys := coordinates(b.db, "p")
	var paths []path
	for _, form := range []struct {
		name, options string
		params        ccbf.Params
	}{{"exact", "", ccbf.Params{Res: 0.001}}, {"dense", ", {exact: false}", ccbf.Params{Res: 0.001, Dense: true}}} {
		blob := duck.Column[[]byte](b.db, "SELECT "+form.name+" FROM s")[0]
		config := report.Must(form.params.Config())
		if form.name == "exact" {
			report.Require(bytes.Equal(buildPoints(config, xs, ys), blob), "the kernel makes other bytes of the points than SQL")
		}
		v := new(ccbf.View)
		report.Check(v.Reset(blob))
		paths = append(paths,
			path{"ccbf_agg, " + form.name, "SELECT octet_length(ccbf_agg(lon, lat, 0.001" + form.options + ")) FROM p", func() { buildPoints(config, xs, ys) }, true},
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
		report.Require(bridge.Keys(&config, keys[:to-from], xs[from:to], ys[from:to]) == to-from, "a point has no key")
		report.Check(bridge.AddKeys(b, keys[:to-from]))
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
		v.Counts(counts[:to-from], cells[:to-from], ccbf.Categories{})
	}
}

// sumAll asks for polygons.
func sumAll(v *ccbf.View, texts []string) {
	for _, text := range texts {
		report.Must(v.Sum(ccbf.NewPolygon(report.Must(grid.ParsePolygon([]byte(text)))).Area(), ccbf.Categories{}))
	}
}
