package pipeline

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/stretchr/testify/require"
)

// A run writes the rows that DuckDB alone returns, for every format of the files, number of their
// parts, and number of output files.
func TestTheRowsOfDuckDB(t *testing.T) {
	dir := t.TempDir()
	points(t, dir+"/a.parquet", 1, 15_000)
	points(t, dir+"/b.csv.gz", 2, 3000)
	points(t, dir+"/c.json", 3, 2000)
	run(t, "CREATE OR REPLACE VIEW together AS SELECT lon::DOUBLE AS lon, lat::DOUBLE AS lat, seen, kind FROM '%[1]s/a.parquet' UNION ALL SELECT lon, lat, seen, kind FROM '%[1]s/b.csv.gz' UNION ALL SELECT lon, lat, seen::TIMESTAMP, kind FROM '%[1]s/c.json'", dir)
	for name, change := range map[string]func(*Options){
		"whole":    func(*Options) {},
		"parts":    func(o *Options) { o.Rows = 2000 },
		"fanout":   func(o *Options) { o.Rows, o.Fanout = 1000, 3 },
		"one file": func(o *Options) { o.Files = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			o := options(dir+"/a.*", t.TempDir()+"/v")
			o.In = append(o.In, dir+"/b*", dir+"/c.*")
			change(o)
			s := must(build(o))
			same(t, o.Out, strings.ReplaceAll(direct, "'%s'", "together"))
			require.EqualValues(t, 20_000, s.Rows)
			require.Empty(t, s.Bad)
		})
	}
}

// Sketches of every family are united, and counts beside them are added up.
func TestEveryFamily(t *testing.T) {
	dir := t.TempDir()
	points(t, dir+"/a.parquet", 4, 9000)
	call := map[string]string{}
	for _, f := range filters.Keyed() {
		name := f.About().ID.String()
		call[name] = name + "_agg(seen"
	}
	call["cuckoo"] += ", {capacity: 20000}"
	columns := "kind, ccbf_agg(lon, lat, 0.01) AS ccbf, ccbf_agg(lon, lat, 0.01, {bytes: 4096, mode: 'standard'}) AS standard, " +
		"count(*) AS n, min(seen) AS low, max(lat) AS high, sum(CASE WHEN lat > 50 THEN 1 END) AS north"
	for name, c := range call {
		columns += ", " + c + ") AS " + name
	}
	text := "SELECT " + columns + " FROM %s GROUP BY ALL"
	o := bySQL(dir+"/a.parquet", dir+"/v", strings.Replace(text, "%s", "input", 1))
	o.Rows = 1000
	must(build(o))
	whole := strings.Replace(text, "%s", "'"+dir+"/a.parquet'", 1)
	// Exact sketches, and families whose cells are bits or sums, have the bytes of one sketch of
	// all rows. For others the total shows a key that counts twice or not at all.
	require.Zero(t, one(t, "SELECT count(*) FROM ((SELECT %[1]s FROM %[2]s) EXCEPT ALL (SELECT %[1]s FROM (%[3]s)))",
		"kind, n, low, high, north, ccbf, standard, bloom", result(t, o.Out), whole))
	for name := range call {
		require.Zero(t, one(t, "SELECT count(*) FROM %s p JOIN (%s) d USING (kind) WHERE (sketch_info(p.%[3]s)).total IS DISTINCT FROM (sketch_info(d.%[3]s)).total",
			result(t, o.Out), whole, name), name)
	}
}

// Keys of every type are the same as in DuckDB, and keep their type.
func TestKeysOfEveryType(t *testing.T) {
	dir := t.TempDir()
	for name, values := range map[string]string{
		"DOUBLE":        "0.1, 1e300, 'nan', -0.0, 0.0, NULL",
		"DECIMAL(18,6)": "1.5, 1.500001, NULL",
		"TIMESTAMPTZ":   "'2018-10-28 00:30:00+00', '2018-10-28 01:30:00+00', NULL",
		"TIMESTAMP_NS":  "'2018-01-01 00:00:00.000000001', '2018-01-01 00:00:00.000000002', '2018-01-01 00:00:00.000000003', '2018-01-01 00:00:00.000000004'",
		"JSON":          `'{"a": 1}', '{"a":1}', NULL`,
		"BLOB":          `'\xFF\x00', '\xFE', '', NULL`,
		"VARCHAR":       "'', ',', 'NULL', 'ä', NULL",
		"UUID":          "'00000000-0000-0000-0000-000000000001', NULL",
		"DATE":          "'10000-01-01', '0044-03-15 (BC)', 'infinity', NULL",
		"BOOLEAN":       "true, false, NULL",
		"UBIGINT":       "18446744073709551615, 0, NULL",
	} {
		t.Run(name, func(t *testing.T) {
			in, out := filepath.Join(dir, "p.parquet"), t.TempDir()+"/v"
			run(t, "COPY (SELECT unnest([%s])::%s AS k, 1.5 AS x FROM range(100)) TO '%s' (ROW_GROUP_SIZE 2048)", values, name, in)
			o := bySQL(in, out, "SELECT k, count(*) AS n, ccbf_agg(x, x, 0.1) AS s FROM input GROUP BY ALL")
			o.Rows = 37
			must(build(o))
			same(t, out, "SELECT k, count(*) AS n, ccbf_agg(x, x, 0.1) AS s FROM '"+in+"' GROUP BY ALL")
			require.EqualValues(t, 1, one(t, "SELECT count(*) FROM (DESCRIBE FROM %s) p JOIN (DESCRIBE FROM '%s') d USING (column_name, column_type) WHERE column_name = 'k'",
				result(t, out), in), "the type of the key")
		})
	}
}

// A point with DECIMAL coordinates is in the same cell as in ccbf_agg. A number that is wider than
// Parquet's integers stays exact.
func TestDecimalsAndWideNumbers(t *testing.T) {
	dir := t.TempDir()
	in := dir + "/p.parquet"
	run(t, "COPY (SELECT (13 + i / 1000)::DECIMAL(9,6) AS lon, (52 + i / 999)::DECIMAL(9,6) AS lat, 'k' || i %% 7 AS kind FROM range(20000) t(i)) TO '%s'", in)
	o := options(in, dir+"/v")
	o.Time, o.Keys, o.Res, o.Final = "", []string{"kind"}, "0.001", "FROM result"
	must(build(o))
	same(t, o.Out, "SELECT kind, quadkey(lon, lat, 6, 0.001), ccbf_agg(lon, lat, 0.001) FROM '"+in+"' GROUP BY ALL")
	run(t, "COPY (SELECT 9223372036854775807 AS n FROM range(9)) TO '%s'", in)
	o = bySQL(in, dir+"/w", "SELECT sum(n) AS n FROM input")
	must(build(o))
	same(t, o.Out, "SELECT 83010348331692982263::DECIMAL(38,0)")
}

// DuckDB's own CSV of times with a zone is read in UTC, also in the year 10000.
func TestTimesInCSV(t *testing.T) {
	dir := t.TempDir()
	in := dir + "/p.csv"
	run(t, "SET TimeZone = 'America/New_York'")
	run(t, "COPY (SELECT 1.5 AS lon, 2.5 AS lat, unnest(['2018-01-31 23:30:00+00', '2018-02-01 00:30:00+00', '10000-01-01 00:00:00+00'])::TIMESTAMPTZ AS seen) TO '%s'", in)
	run(t, "SET TimeZone = 'UTC'")
	o := options(in, dir+"/v")
	must(build(o))
	require.EqualValues(t, 3, one(t, "SELECT count(*) FROM %s WHERE month IN ('2018-01-01', '2018-02-01', '10000-01-01')", result(t, o.Out)))
}

// Many keys and many files have DuckDB's rows.
func TestManyKeysAndFiles(t *testing.T) {
	keys, number := 200_000, 2000
	if testing.Short() {
		keys, number = 20_000, 100
	}
	dir := t.TempDir()
	run(t, "COPY (SELECT i AS k, i / 1000 AS x, i %% %[1]d AS file FROM range(%[2]d) t(i)) TO '%[3]s' (FORMAT parquet, PARTITION_BY file)", number, keys, dir+"/in")
	o := bySQL(dir+"/in/*/*.parquet", dir+"/v", "SELECT k, ccbf_agg(x, x, 0.1) AS s, count(*) AS n FROM input GROUP BY ALL")
	o.Fanout = 4
	s := must(build(o))
	same(t, o.Out, "SELECT k, ccbf_agg(x, x, 0.1), count(*) FROM '"+dir+"/in/*/*.parquet' GROUP BY ALL")
	require.EqualValues(t, keys, s.Rows)
	// One key has half of all rows.
	o = bySQL(dir+"/in/*/*.parquet", dir+"/w", fmt.Sprintf("SELECT greatest(k - %d, 0) AS k, ccbf_agg(x, x, 0.1) AS s, count(*) AS n FROM input GROUP BY ALL", keys/2))
	must(build(o))
	same(t, o.Out, strings.Replace(o.SQL, "FROM input", "FROM '"+dir+"/in/*/*.parquet'", 1))
}

// Groups are suppressed when all of their parts are united.
func TestAtLeast(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		run(t, "COPY (SELECT unnest([1.5, 1.5, 7.5]) AS lon, 2.5 AS lat) TO '%s/%s.parquet'", dir, name)
	}
	o := options(dir+"/*.parquet", dir+"/v")
	o.Time, o.Zoom, o.Res = "", -1, "1"
	o.Sketch = map[string]string{"at_least": "3"}
	must(build(o))
	same(t, o.Out, "SELECT s, ccbf_total(s), UNNEST((ccbf_info(s)).bbox) FROM (SELECT ccbf_agg(lon, lat, 1, {at_least: 3}) AS s FROM '"+dir+"/*.parquet')")
	require.EqualValues(t, 6, one(t, "SELECT total FROM %s", result(t, o.Out)))
}

// A query whose results over parts cannot be united is an error before the run, which says what to
// do.
func TestQueriesThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	in := dir + "/p.parquet"
	points(t, in, 5, 10)
	for text, want := range map[string]string{
		"SELECT kind, avg(lon) AS a FROM input GROUP BY ALL":                                               "results of avg over parts",
		"SELECT kind, count(*) + 1 AS a FROM input GROUP BY ALL":                                           "an expression of count_star",
		"SELECT kind, count(DISTINCT lon) AS a FROM input GROUP BY ALL":                                    "count(DISTINCT",
		"SELECT kind FROM input GROUP BY ALL":                                                              "nothing to unite",
		"SELECT count(*) AS n FROM input GROUP BY kind":                                                    "GROUP BY ALL",
		"SELECT lon + 1 AS a, count(*) AS n FROM input GROUP BY lon, kind":                                 "GROUP BY ALL",
		"SELECT kind, count(*) AS n FROM input GROUP BY ROLLUP (kind)":                                     "ROLLUP",
		"SELECT kind, count(*) AS n FROM input GROUP BY ALL HAVING count(*) > 1":                           "HAVING",
		"SELECT kind, count(*) AS n FROM input GROUP BY ALL LIMIT 3":                                       "LIMIT",
		"SELECT kind, count(*) AS n FROM (SELECT DISTINCT kind FROM input) GROUP BY ALL":                   "DISTINCT",
		"SELECT kind, count(*) AS n FROM (SELECT kind FROM input GROUP BY kind) GROUP BY ALL":              "subquery",
		"SELECT kind, count(*) AS n FROM (SELECT kind, row_number() OVER () FROM input) GROUP BY ALL":      "window",
		"SELECT a.kind, count(*) AS n FROM input a JOIN input b USING (lon) GROUP BY ALL":                  "input must be there once",
		"SELECT kind, count(*) AS n FROM (VALUES ('a')) v(kind) LEFT JOIN input USING (kind) GROUP BY ALL": "outer join",
		"SELECT count(*) AS n FROM range(3)":                                                               "input must be there once",
		"SELECT kind, count(*) AS n FROM input GROUP BY ALL UNION ALL SELECT 'a', 1":                       "UNION",
		"SELECT count(*) AS n, sum(lon) AS n FROM input":                                                   `two columns "n"`,
		"SELECT count(*) AS n FROM input; SELECT 1":                                                        "2 statements",
		"SELECT nothing, count(*) AS n FROM input GROUP BY ALL":                                            "nothing",
		"SELECT * FROM":     "syntax error",
		"DELETE FROM input": "-sql: ",
		"SELECT {a: lon::HUGEINT} AS k, count(*) AS n FROM input GROUP BY ALL":                "STRUCT(a HUGEINT)",
		"SELECT to_days(1) AS k, count(*) AS n FROM input GROUP BY ALL":                       "INTERVAL",
		"SELECT [TIMETZ '10:00+01'] AS k, count(*) AS n FROM input GROUP BY ALL":              "TIME WITH TIME ZONE[]",
		"SELECT union_value(a := kind) AS k, count(*) AS n FROM input GROUP BY ALL":           "UNION(a VARCHAR)",
		"SELECT kind AS ccbf_shard, count(*) AS n FROM input GROUP BY ALL":                    `column "ccbf_shard"`,
		"WITH input AS (SELECT 1 AS kind) SELECT kind, count(*) AS n FROM input GROUP BY ALL": "WITH has a table of the name input",
		"SELECT ccbf_agg(lon, lat, 0.01, {at_least: 5}) AS s FROM input":                      "ccbf_suppress in -final",
		"SELECT ccbf_agg(lon, lat, 0.01, {capcity: 1}) AS s FROM input":                       "capcity",
	} {
		o := bySQL(in, dir+"/v", text)
		fails(t, o, "-sql: ", want)
	}
	o := bySQL(in, dir+"/v", "SELECT kind, count(*) AS n FROM input GROUP BY ALL")
	o.Combine["m"] = "sum"
	fails(t, o, "p.parquet: -combine m=sum: no such column: the query has kind, n")
	delete(o.Combine, "m")
	o.Combine["n"] = "avg"
	fails(t, o, "-combine names")
	// The same expressions are allowed if -combine says how to unite them, and if the other table
	// is the one that is looked up.
	o = bySQL(in, dir+"/v", "SELECT kind, coalesce(sum(lon::DECIMAL(9, 3)), 0) AS a FROM input LEFT JOIN (VALUES ('k1', 1)) v(kind, b) USING (kind) GROUP BY ALL")
	o.Combine["a"] = "sum"
	must(build(o))
	same(t, o.Out, "SELECT kind, sum(lon::DECIMAL(9, 3)) FROM '"+in+"' GROUP BY ALL")
	// Quotes and backslashes reach the query unchanged, and so do comments and names of the pipeline's own tables.
	o = bySQL(in, dir+"/w", `SELECT regexp_extract(kind, '\d') AS "the ""d""", kind AS shard, kind AS slices, count(*) AS n FROM input GROUP BY regexp_extract(kind, '\d'), kind -- all`)
	must(build(o))
	same(t, o.Out, strings.NewReplacer("FROM input", "FROM '"+in+"'", " -- all", "").Replace(o.SQL))
}

func TestOptionsThatAreRefused(t *testing.T) {
	in, quadkeys, totals := t.TempDir()+"/p.parquet", t.TempDir()+"/q.parquet", t.TempDir()+"/t.parquet"
	run(t, "COPY (SELECT 1.0 AS lon, 1.0 AS lat, 'a' AS total, TIMESTAMP '2018-01-01' AS seen) TO '%s'", totals)
	points(t, in, 6, 10)
	run(t, "COPY (SELECT 1.0 AS lon, 1.0 AS lat, '0' AS quadkey, TIMESTAMP '2018-01-01' AS seen) TO '%s'", quadkeys)
	for want, change := range map[string]func(o *Options){
		"-in is missing":    func(o *Options) { o.In = nil },
		"-out is missing":   func(o *Options) { o.Out = "" },
		"is a folder":       func(o *Options) { o.Out = "out/" },
		"is a glob":         func(o *Options) { o.Out = "out/*" },
		"-files is 0":       func(o *Options) { o.Files = 0 },
		"-rows is 0":        func(o *Options) { o.Rows = 0 },
		"-zoom is 31":       func(o *Options) { o.Zoom = 31 },
		"-zoom is -2":       func(o *Options) { o.Zoom = -2 },
		`-bucket is "week"`: func(o *Options) { o.Bucket = "week" },
		`columns "quadkey"`: func(o *Options) { o.Keys, o.In[0] = []string{"quadkey"}, quadkeys },
		"p.parquet: -key nowhere: no such column: the file has kind, lat, lon, seen": func(o *Options) { o.Keys = []string{"nowhere"} },
		"-res is missing":                           func(o *Options) { o.Res = "" },
		"p.parquet: -x longitude: no such column":   func(o *Options) { o.X = "longitude" },
		"p.parquet: -time nosuch: no such column":   func(o *Options) { o.Time = "nosuch" },
		"p.parquet: -combine m=sum: no such column": func(o *Options) { o.Combine["m"] = "sum" },
		"-csv has no effect":                        func(o *Options) { o.CSV = "delim = ';'" },
		`-res is "0"`:                               func(o *Options) { o.Res = "0" },
		`-res is "wide"`:                            func(o *Options) { o.Res = "wide" },
		"-key total":                                func(o *Options) { o.Keys, o.In[0] = []string{"total"}, totals },
		"-at_least beside -final":                   func(o *Options) { o.Sketch["at_least"], o.Final = "5", "FROM result" },
		`option "k" is 99`:                          func(o *Options) { o.Sketch["k"] = "99" },
		`option "totals"`:                           func(o *Options) { o.Sketch["totals"] = "true" },
		"no file matches":                           func(o *Options) { o.In = []string{"nowhere/*.csv"} },
		"neither .parquet, .csv":                    func(o *Options) { o.In = []string{"options.go"} },
	} {
		o := options(in, filepath.Join(t.TempDir(), "v"))
		change(o)
		_, err := build(o)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "-sql:", "which was not given")
	}
	// Semicolons at the end are not.
	o := bySQL(in, filepath.Join(t.TempDir(), "v"), "SELECT count(*) AS n FROM input GROUP BY ALL; ;\n")
	o.Final = "FROM result;"
	must(build(o))
	same(t, o.Out, "SELECT 10")
}

// -explain prints SQL that returns in DuckDB alone what a run writes.
func TestExplain(t *testing.T) {
	dir := t.TempDir()
	points(t, dir+"/a.parquet", 7, 2000)
	o := options(dir+"/a.parquet", dir+"/v")
	o.Keys, o.Category, o.Sketch = []string{"kind"}, "kind", map[string]string{"mode": "'standard'", "layers": "[8,32]", "seed": "7", "totals": "true"}
	o.Explain = true
	var out strings.Builder
	must(Build(context.Background(), o, &out))
	require.Empty(t, files(dir+"/v*"))
	statements := strings.Split(out.String(), ";\n")
	for i, text := range statements {
		statements[i] = text[max(0, strings.Index(text, "SELECT")):]
	}
	run(t, "CREATE OR REPLACE VIEW input AS FROM '%s/a.parquet'", dir)
	require.Zero(t, one(t, "SELECT count(*) FROM (%s) t(reason) WHERE reason IS NOT NULL", statements[1]), "bad rows")
	run(t, "CREATE OR REPLACE TABLE result AS %s", statements[0])
	run(t, "CREATE OR REPLACE TABLE result AS %s", statements[2])
	o.Explain = false
	must(build(o))
	same(t, o.Out, statements[3])
}

// A row without a valid point is left out and counted with its reason. The others count.
func TestBadRows(t *testing.T) {
	dir := t.TempDir()
	rows := []struct{ text, reason string }{
		{"1,2,2018-10-01", ""},
		{",2,2018-10-01", "lon is NULL"},
		{"here,2,2018-10-01", "lon is not a number"},
		{"nan,2,2018-10-01", "no cell at these coordinates"},
		{"190,2,2018-10-01", "no map tile at these coordinates"},
		{"1,2,", "seen is NULL"},
		{"1,2", "missing columns of seen"},
		{"1,2,2018-10-01,4", "too many columns"},
		{"1,2,2018-10-02", ""},
	}
	text := "lon,lat,seen\n"
	for _, r := range rows {
		text += r.text + "\n"
	}
	fillWith(t, dir+"/p.csv", text)
	o := options(dir+"/p.csv", dir+"/v")
	o.CSV = "auto_detect = false, delim = ',', columns = {lon: 'VARCHAR', lat: 'DOUBLE', seen: 'DATE'}"
	s := must(build(o))
	for i, r := range rows {
		if r.reason == "" {
			continue
		}
		b := s.Bad[r.reason]
		require.NotNil(t, b, r.reason)
		require.Equal(t, []any{int64(1), int64(i + 1), dir + "/p.csv"}, []any{b.Rows, b.Examples[0].Row, b.Examples[0].File}, r.reason)
	}
	require.EqualValues(t, 2, s.Rows)
	require.Len(t, s.Bad, 7)
	require.Equal(t, s, must(readSummary(context.Background(), o.Out+manifestSuffix)), "the manifest")
	o.Out, o.MaxBad = dir+"/w", 6
	fails(t, o, "7 bad rows, and -max-bad is 6", "p.csv, row ")
	o.MaxBad = 7
	must(build(o))
	// No good row at all.
	run(t, "COPY (SELECT NULL::DOUBLE AS lon, i AS lat, now() AS seen FROM range(1000) t(i)) TO '%s/none.parquet'", dir)
	fails(t, options(dir+"/none.parquet", dir+"/x"), "1000 bad rows, and no row is good", "none.parquet, row 1: lon is NULL")
	// The number of examples of a reason is limited.
	o = options(dir+"/none.parquet", dir+"/y")
	o.MaxBad = 1000
	all := must(build(o)).Bad["lon is NULL"]
	require.EqualValues(t, 1000, all.Rows)
	require.Len(t, all.Examples, maxExamples)
}

// A row for which the query fails ends the run with the file and the row.
func TestARowThatFails(t *testing.T) {
	dir := t.TempDir()
	run(t, "COPY (SELECT CASE WHEN i = 4321 THEN 'x' ELSE i::VARCHAR END AS a FROM range(9000) t(i)) TO '%s/p.parquet' (ROW_GROUP_SIZE 2048)", dir)
	o := bySQL(dir+"/p.parquet", dir+"/v", "SELECT sum(a::INTEGER) AS n FROM input")
	o.Rows = 4000
	fails(t, o, dir+"/p.parquet: row 4322: ", "Could not convert string 'x'")
	o.Check = "CASE WHEN TRY_CAST(a AS INTEGER) IS NULL THEN 'a is no number' END"
	s := must(build(o))
	require.EqualValues(t, 8999, s.Rows)
	require.EqualValues(t, 4322, s.Bad["a is no number"].Examples[0].Row)
}
