package main

import (
	"database/sql"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/filters/advise"
)

// scatteredRows are points that lie evenly over a square, one cell in so many.
func scatteredRows(points, cells int) rowSource {
	return rowSource{fmt.Sprintf("even, 1 cell in %d", cells), fmt.Sprintf(`
		SELECT x || ' ' || y AS key, x, y, hash(i, 5) %% 14 AS category
		FROM (SELECT i, (hash(i, 3) %% ceil(sqrt(%d * %[2]d::DOUBLE))::BIGINT)::BIGINT AS x,
			(hash(i, 4) %% ceil(sqrt(%[1]d * %[2]d::DOUBLE))::BIGINT)::BIGINT AS y FROM range(%[1]d) t(i))`,
		points, cells)}
}

// exactSources are points of which exact counts are kept.
func exactSources(c report.Config) (sources []rowSource) {
	sources = realRows(c.Data, report.Pick(c, 500, 50_000, 2_000_000))
	n := report.Pick(c, 500, 20_000, 100_000)
	return append(sources, zipfRows(n, 10*n, 1), scatteredRows(n, 100), scatteredRows(n, 10_000))
}

// exactSize is what exact counts take: bytes for each cell, and with categories for each
// pair of a cell and a category.
func (r rowSource) exactSize() report.Figures {
	db := r.count()
	defer db.Close()
	cells := float64(db.distinct)
	d := db.data(ofPlaces, 1)
	d.Counts, d.Extent = db.sample, db.extent
	likely, surely, err := advise.ExactBytes(d)
	report.Check(err)
	const tableBytes = "SELECT memory_usage_bytes FROM duckdb_memory() WHERE tag = 'IN_MEMORY_TABLE'"
	var before, after, pairs, list, pairList float64
	report.Check(db.QueryRow(tableBytes).Scan(&before))
	report.Must(db.Exec("CREATE TABLE cells AS SELECT x::INTEGER AS x, y::INTEGER AS y, n FROM counted ORDER BY x, y"))
	report.Check(db.QueryRow(tableBytes).Scan(&after))
	report.Must(db.Exec(`CREATE TABLE pairs AS SELECT x::INTEGER AS x, y::INTEGER AS y, category::VARCHAR AS category, count(*) AS n FROM raw
		GROUP BY ALL ORDER BY category, x, y`))
	report.Check(db.QueryRow(`SELECT count(*), (SELECT octet_length(ccbf_agg(x, y, 1, {bytes: 1000000000})) FROM raw),
		(SELECT octet_length(ccbf_agg(x, y, 1, {bytes: 1000000000, category: category::VARCHAR})) FROM raw) FROM pairs`).
		Scan(&pairs, &list, &pairList))
	return report.Figures{
		"cells": cells, "real": float64(likely) / cells, "surely": float64(surely) / cells, "memory": (after - before) / cells,
		"sketch": list / cells, "Parquet": db.parquetBytes("cells") / cells,
		"pairs": pairs, "pair sketch": pairList / pairs, "pair Parquet": db.parquetBytes("pairs") / pairs,
	}
}

// parquetBytes is what a table takes in Parquet with zstd.
func (c *counting) parquetBytes(table string) float64 {
	folder := report.Must(os.MkdirTemp("", "choosing"))
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, table+".parquet")
	report.Must(c.Exec(fmt.Sprintf("COPY %s TO '%s' (FORMAT parquet, COMPRESSION zstd)", table, path)))
	return float64(report.Must(os.Stat(path)).Size())
}

// choosingExact measures what exact counts take, as a sketch and as a table.
func choosingExact(c report.Config, s *report.Section) {
	sources := exactSources(c)
	for i, of := range report.Parallel(len(sources), func(i int) report.Figures { return sources[i].exactSize() }) {
		s.Record(report.At{"points": sources[i].name, "many": of["cells"] >= 1000, "row": i + 1}, of)
	}
	groups(c, s)
	keyTables(c, s)
}

// groups are sketches of few cells each, all of them in one Parquet file, beside the
// table; "few" is up to how many cells in a group the table is the smaller.
func groups(c report.Config, s *report.Section) {
	source := zipfRows(report.Pick(c, 500, 20_000, 100_000), report.Pick(c, 1000, 200_000, 1_000_000), 0.5)
	db := source.count()
	defer db.Close()
	s.Set("grouped", source.name)
	for _, side := range []int{1, 2, 4, 8, 16, 64} {
		var groups, blobs float64
		report.Must(db.Exec(fmt.Sprintf(`CREATE OR REPLACE TABLE sketches AS SELECT x // %d AS gx, y // %[1]d AS gy, ccbf_agg(x, y, 1) AS s FROM raw
			GROUP BY ALL ORDER BY gx, gy`, 8*side)))
		report.Must(db.Exec(fmt.Sprintf("CREATE OR REPLACE TABLE cells AS SELECT x // %d AS gx, y // %[1]d AS gy, x, y, n FROM counted ORDER BY ALL", 8*side)))
		report.Check(db.QueryRow("SELECT count(*), sum(octet_length(s)) FROM sketches").Scan(&groups, &blobs))
		sketches, table, n := db.parquetBytes("sketches"), db.parquetBytes("cells"), float64(db.distinct)
		of := report.Figures{"in group": n / groups, "blobs": blobs / n, "sketches": sketches / n, "table": table / n}
		if table < sketches {
			of["few"] = n / groups
		}
		s.Record(report.At{"side": side}, of)
	}
}

// keyTables are exact tables of keys that are no cells.
func keyTables(c report.Config, s *report.Section) {
	n := report.Pick(c, 500, 20_000, 100_000)
	s.Set("keys", n)
	for _, keys := range []struct{ name, key string }{
		{"random numbers of 8 bytes", "hash(key, 11)"},
		{"texts such as 'user-13579@example.org'", "'user-' || hash(key, 11) % 100000000 || '@example.org'"},
		{"whole numbers without gaps", "key"},
	} {
		source := zipfRows(n, 10*n, 0.8)
		source.query = "SELECT " + keys.key + " AS key, x, y, category FROM (" + source.query + ")"
		db := source.count()
		report.Must(db.Exec("CREATE TABLE keys AS SELECT key, n FROM counted ORDER BY key"))
		s.Record(report.At{"key": keys.name}, report.Figures{"a key": db.parquetBytes("keys") / float64(db.distinct)})
		report.Check(db.Close())
	}
}

// rowSource is a query for rows (key, x, y, category) in the order in which they
// come, x and y in cells.
type rowSource struct{ name, query string }

// zipfRows draws occurrences of keys with probabilities in proportion to
// rank^-skew. Each key has a cell of its own, somewhere in a square of 64.
func zipfRows(keys, occurrences int, skew float64) rowSource {
	return rowSource{fmt.Sprintf("Zipf %v", skew), fmt.Sprintf(`
		WITH ranks AS (SELECT r AS key, sum(p) OVER (ORDER BY r) / sum(p) OVER () AS upto FROM (SELECT r, (r + 1) ** -%v AS p FROM range(%d) t(r))),
			draws AS (SELECT i, (hash(i, 7) %% 1000000007) / 1000000007 AS u FROM range(%d) t(i))
		SELECT key, 8 * (key // 200) + hash(key) %% 8 AS x, 8 * (key %% 200) + hash(key, 1) %% 8 AS y, key %% 14 AS category
		FROM draws ASOF JOIN ranks ON u < upto ORDER BY i`, skew, keys, occurrences)}
}

// realRows are all files of points and values, each at several resolutions: so many
// rows or more of each, where a file has as many, in random order.
func realRows(folder string, atLeast int) (sources []rowSource) {
	oneIn := func(rows int) int { return max(1, rows/atLeast) }
	add := func(name string, by any, query string, args ...any) {
		sources = append(sources, rowSource{fmt.Sprintf(name, by), fmt.Sprintf(query, args...)})
	}
	for _, f := range []struct {
		name, file, category string
		rows                 int
		res                  []float64
	}{
		{"UK crimes", uk.file, "category", 1_045_096, []float64{0.001, 0.01, 0.1}},
		{"populated places", cities.file, "country", 171_075, []float64{0.001, 0.1, 1}},
		{"taxi pickups", taxis.file, "lon > -73.97", 28_014, []float64{0.0001, 0.001}},
	} {
		for _, res := range f.res {
			add(f.name+", %v degrees", res, `
				SELECT x || ' ' || y AS key, x, y, category FROM (SELECT floor(lon / %v)::BIGINT AS x, floor(lat / %[1]v)::BIGINT AS y, %s AS category, hash(file_row_number) AS h
				FROM read_parquet(%s, file_row_number = true)) WHERE h %% %d = 0 ORDER BY h`, res, f.category, sqlFile(folder, f.file), oneIn(f.rows))
		}
	}
	for _, class := range []int{1, 10} { // cells side by side
		add("elevations in %d m", class, `
			SELECT x AS key, x, 0::BIGINT AS y, x %% 14 AS category FROM (SELECT elevation::BIGINT // %d AS x, hash(file_row_number) AS h
			FROM read_parquet(%s, file_row_number = true)) WHERE h %% %d = 0 ORDER BY h`, class, sqlFile(folder, "covtype_elevation.parquet"), oneIn(484_098))
	}
	for _, res := range []float64{0.01, 10} { // a row for so many of the cases at each place up to June 2022
		add("COVID-19 cases, %v degrees", res, `
			SELECT x || ' ' || y AS key, x, y, category FROM (SELECT floor(Lon / %v)::BIGINT AS x, floor(Lat / %[1]v)::BIGINT AS y, Country AS category,
			unnest(range("6/30/2022" // %d)) AS i FROM %s WHERE Lat IS NOT NULL AND Lon IS NOT NULL) ORDER BY hash(x, y, i)`,
			res, 1000*oneIn(547_182), sqlFile(folder, "jhu_covid19_confirmed_global.csv"))
	}
	return sources
}

// counting is a database with the rows of a source and their exact counts.
type counting struct {
	*sql.DB
	name                  string
	distinct, occurrences uint64
	skew                  float64
	sample                []uint64 // counts of some keys
	extent                uint64   // the larger side of the box around all cells
}

// sampleSize is how many keys' counts the advice is told.
const sampleSize = 1000

// count reads a source. Aggregates see the rows in their order, for there is one
// thread.
func (r rowSource) count() *counting {
	c := &counting{DB: report.Must(connector.Open("?threads=1")), name: r.name}
	report.Must(c.Exec("CREATE TABLE raw AS SELECT *, 1 AS res FROM (" + r.query + ")"))
	report.Must(c.Exec("CREATE TABLE counted AS SELECT key, x, y, count(*)::BIGINT AS n FROM raw GROUP BY ALL"))
	// The skew as one finds it who does not know it: the slope of the counts over
	// their ranks, both in logarithms, at ranks that are evenly apart there.
	report.Check(c.QueryRow(`SELECT count(*), sum(n)::BIGINT, 1 + greatest(max(x) - min(x), max(y) - min(y)), (SELECT coalesce(-regr_slope(ln(n), ln(rank)), 0) FROM
		(SELECT n, row_number() OVER (ORDER BY n DESC) AS rank FROM counted) WHERE n > 1 AND rank IN (SELECT floor(1.1 ** k) FROM range(200) t(k))) FROM counted`).
		Scan(&c.distinct, &c.occurrences, &c.extent, &c.skew))
	if math.IsNaN(c.skew) { // of a single rank
		c.skew = 0
	}
	c.skew = min(max(c.skew, 0), advise.MaxSkew)
	rows := report.Must(c.Query(fmt.Sprintf("SELECT n FROM counted ORDER BY hash(key, 3) LIMIT %d", sampleSize)))
	defer rows.Close()
	for n := uint64(0); rows.Next(); {
		report.Check(rows.Scan(&n))
		c.sample = append(c.sample, n)
	}
	report.Check(rows.Err())
	return c
}

// data is what the advice is asked for.
func (c *counting) data(use int, bitsPerKey float64) advise.Data {
	return advise.Data{
		Distinct: c.distinct, Occurrences: c.occurrences, Skew: c.skew, Keys: uses[use].keys, Remove: uses[use].remove,
		Bytes: max(advise.MinBytes, uint64(bitsPerKey*float64(c.distinct)/8)),
	}
}

// outcome runs the call that an advice gives, and measures its sketch.
func (c *counting) outcome(a advise.Advice) outcome {
	o, key := outcome{Advice: a}, "key"
	if a.Family == "ccbf" {
		key = "x, y"
	}
	report.Check(c.QueryRow(fmt.Sprintf("SELECT octet_length(s), avg((%s_get(s, %s)::DOUBLE - n) / n) FROM counted, (SELECT %s AS s FROM raw) GROUP BY s",
		a.Family, key, a.Call)).Scan(&o.bytes, &o.err))
	return o
}
