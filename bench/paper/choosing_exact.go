package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/advise"
)

// scatteredRows are points that lie evenly over a square, one cell in so many.
func scatteredRows(points, cells int) rowSource {
	return rowSource{fmt.Sprintf("even, 1 cell in %d", cells), fmt.Sprintf(`
		SELECT x || ' ' || y AS key, x, y, hash(i, 5) %% 14 AS category
		FROM (SELECT i, (hash(i, 3) %% ceil(sqrt(%d * %[2]d::DOUBLE))::BIGINT)::BIGINT AS x, (hash(i, 4) %% ceil(sqrt(%[1]d * %[2]d::DOUBLE))::BIGINT)::BIGINT AS y FROM range(%[1]d) t(i))`,
		points, cells)}
}

// exactSources are points of which exact counts are kept.
func exactSources(c report.Config) (sources []rowSource) {
	sources = realRows(c.Data, report.Pick(c, 500, 50_000, 2_000_000))
	n := report.Pick(c, 500, 20_000, 100_000)
	return append(sources, zipfRows(n, 10*n, 1), scatteredRows(n, 100), scatteredRows(n, 10_000))
}

// exactSize is what exact counts take, in bytes for each key.
type exactSize struct {
	cells, list, parquet, memory float64
	real, surely                 float64 // by the advice: of real data, and wherever within the extent
	pairs, pairList, pairParquet float64 // with categories
}

func (r rowSource) exactSize() (e exactSize) {
	db := r.count()
	defer db.Close()
	folder := report.Must(os.MkdirTemp("", "choosing"))
	defer os.RemoveAll(folder)
	e.cells = float64(db.distinct)
	d := db.data(uses[ofPlaces], 1)
	d.Counts, d.Extent = db.sample, db.extent
	likely, surely, err := advise.ExactBytes(d)
	report.Check(err)
	e.real, e.surely = float64(likely)/e.cells, float64(surely)/e.cells
	const tableBytes = "SELECT memory_usage_bytes FROM duckdb_memory() WHERE tag = 'IN_MEMORY_TABLE'"
	var before, after float64
	report.Check(db.QueryRow(tableBytes).Scan(&before))
	for _, statement := range []string{
		"CREATE TABLE cells AS SELECT x::INTEGER AS x, y::INTEGER AS y, n FROM counted ORDER BY x, y",
		"CREATE TABLE pairs AS SELECT x::INTEGER AS x, y::INTEGER AS y, category::VARCHAR AS category, count(*) AS n FROM raw GROUP BY ALL ORDER BY category, x, y",
	} {
		report.Must(db.Exec(statement))
		if after == 0 { // of the first table
			report.Check(db.QueryRow(tableBytes).Scan(&after))
		}
	}
	e.memory = (after - before) / e.cells
	report.Check(db.QueryRow("SELECT count(*), (SELECT octet_length(ccbf_agg(x, y, 1, {bytes: 1000000000})) FROM raw), (SELECT octet_length(ccbf_agg(x, y, 1, {bytes: 1000000000, category: category::VARCHAR})) FROM raw) FROM pairs").
		Scan(&e.pairs, &e.list, &e.pairList))
	e.list, e.pairList = e.list/e.cells, e.pairList/e.pairs
	e.parquet = db.parquetBytes("cells", folder)
	e.parquet /= e.cells
	e.pairParquet = db.parquetBytes("pairs", folder)
	e.pairParquet /= e.pairs
	return e
}

// parquetBytes is what a table takes in Parquet with zstd.
func (c *counting) parquetBytes(table, folder string) float64 {
	path := filepath.Join(folder, table+".parquet")
	report.Must(c.Exec(fmt.Sprintf("COPY %s TO '%s' (FORMAT parquet, COMPRESSION zstd)", table, path)))
	return float64(report.Must(os.Stat(path)).Size())
}

// choosingExact measures what exact counts take, as a sketch and as a table.
func choosingExact(c report.Config, s *report.Section) {
	sources := exactSources(c)
	s.Steps(len(sources))
	sizes := report.Parallel(s, len(sources), func(i int) exactSize { return sources[i].exactSize() })
	s.Text("Bytes for each cell that has points: as one exact CascadeCBF, the most that `sketch_advise` reckons with of real data and proves for the extent of the points, and as a table (x, y, count) in Parquet with zstd, sorted, and in DuckDB's memory, where a column takes 256 KiB at least. "+
		"With categories, bytes for each pair of a cell and a category, of a sketch and of the table in Parquet: crimes have 14 kinds, populated places and cases are by country, the others have made-up categories. Cells where few points lie take more, for their counts are large: %s of fewer than 1,000 cells, %s of more.",
		span(sizes, func(e exactSize) float64 { return e.list }, func(e exactSize) bool { return e.cells < 1000 }), span(sizes, func(e exactSize) float64 { return e.list }, func(e exactSize) bool { return e.cells >= 1000 }))
	t := s.Table("points", "cells", "sketch", "of real data, most", "proven, most", "Parquet", "memory", "pairs", "sketch with categories", "Parquet with categories")
	for i, e := range sizes {
		t.Row(sources[i].name, int(e.cells), e.list, e.real, e.surely, e.parquet, e.memory, int(e.pairs), e.pairList, e.pairParquet)
	}
	few := groups(c, s)
	keyTables(c, s)
	many := func(e exactSize) bool { return e.cells >= 1000 }
	s.Short("of %d sets of points with 1,000 cells and more an exact sketch takes %s bytes a cell, the table %s in Parquet and %s in memory; with categories %s a pair; groups of up to about %.0f cells are smaller as a table.",
		count(sizes, many), span(sizes, func(e exactSize) float64 { return e.list }, many), span(sizes, func(e exactSize) float64 { return e.parquet }, many),
		span(sizes, func(e exactSize) float64 { return e.memory }, many), span(sizes, func(e exactSize) float64 { return e.pairList }, many), few)
	names := make([]float64, len(sizes))
	for i := range names {
		names[i] = float64(i + 1)
	}
	s.Figure("bytes", "Bytes for each cell, in the order of the table.", []report.Panel{{
		X: "row of the table", Y: "bytes a cell", LogY: true, Legend: report.TopRight,
		Series: []report.Series{
			{Label: "sketch", X: names, Y: report.Column(sizes, func(e exactSize) float64 { return e.list }), Only: report.Marks},
			{Label: "Parquet", X: names, Y: report.Column(sizes, func(e exactSize) float64 { return e.parquet }), Style: 1, Only: report.Marks},
			{Label: "memory", X: names, Y: report.Column(sizes, func(e exactSize) float64 { return e.memory }), Style: 2, Only: report.Marks},
		},
	}})
}

// count is how many sizes are of a kind.
func count(sizes []exactSize, kind func(exactSize) bool) (n int) {
	for _, e := range sizes {
		if kind(e) {
			n++
		}
	}
	return n
}

// span is from where to where a figure goes among the sizes of a kind.
func span(sizes []exactSize, figure func(exactSize) float64, kind func(exactSize) bool) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, e := range sizes {
		if kind(e) {
			low, high = min(low, figure(e)), max(high, figure(e))
		}
	}
	if low > high {
		return "-"
	}
	return report.Num2(low) + " to " + report.Num2(high)
}

// groups are sketches of few cells each, all of them in one Parquet file, beside the
// table; it returns up to how many cells in a group the table is the smaller.
func groups(c report.Config, s *report.Section) (few float64) {
	source := zipfRows(report.Pick(c, 500, 20_000, 100_000), report.Pick(c, 1000, 200_000, 1_000_000), 0.5)
	db := source.count()
	defer db.Close()
	folder := report.Must(os.MkdirTemp("", "choosing"))
	defer os.RemoveAll(folder)
	s.Text("Groups: the cells of %s in squares, a sketch for each, all in one column of a Parquet file with zstd, beside the table (square, x, y, count) in another. Bytes for each cell.", source.name)
	t := s.Table("cells in a group", "sketches, BLOBs alone", "sketches, Parquet", "table, Parquet")
	for _, side := range []int{1, 2, 4, 8, 16, 64} {
		var groups, blobs float64
		for _, statement := range []string{
			fmt.Sprintf("CREATE OR REPLACE TABLE sketches AS SELECT x // %d AS gx, y // %[1]d AS gy, ccbf_agg(x, y, 1) AS s FROM raw GROUP BY ALL ORDER BY gx, gy", 8*side),
			fmt.Sprintf("CREATE OR REPLACE TABLE cells AS SELECT x // %d AS gx, y // %[1]d AS gy, x, y, n FROM counted ORDER BY ALL", 8*side),
		} {
			report.Must(db.Exec(statement))
		}
		report.Check(db.QueryRow("SELECT count(*), sum(octet_length(s)) FROM sketches").Scan(&groups, &blobs))
		sketches := db.parquetBytes("sketches", folder)
		table := db.parquetBytes("cells", folder)
		n := float64(db.distinct)
		t.Row(n/groups, blobs/n, sketches/n, table/n)
		if table < sketches {
			few = n / groups
		}
	}
	return few
}

// keyTables are exact tables of keys that are no cells.
func keyTables(c report.Config, s *report.Section) {
	n := report.Pick(c, 500, 20_000, 100_000)
	folder := report.Must(os.MkdirTemp("", "choosing"))
	defer os.RemoveAll(folder)
	s.Text("Tables (key, count) of keys that are no cells, sorted by key, in Parquet with zstd: %d keys.", n)
	t := s.Table("keys", "bytes a key")
	for _, keys := range []struct{ name, key string }{
		{"random numbers of 8 bytes", "hash(key, 11)"},
		{"texts such as 'user-13579@example.org'", "'user-' || hash(key, 11) % 100000000 || '@example.org'"},
		{"whole numbers without gaps", "key"},
	} {
		source := zipfRows(n, 10*n, 0.8)
		source.query = "SELECT " + keys.key + " AS key, x, y, category FROM (" + source.query + ")"
		db := source.count()
		report.Must(db.Exec("CREATE TABLE keys AS SELECT key, n FROM counted ORDER BY key"))
		t.Row(keys.name, db.parquetBytes("keys", folder)/float64(db.distinct))
		report.Check(db.Close())
	}
}
