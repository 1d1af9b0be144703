package clients

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// embedded returns a connection to a DuckDB in this process.
func embedded(t *testing.T) sqltest.Conn {
	t.Helper()
	db, err := connector.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c, err := sqltest.DB(db, func() {})()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// mustAsk returns all rows of a query as DuckDB's text.
func mustAsk(t *testing.T, c sqltest.Conn, query string) string {
	t.Helper()
	rows, err := sqltest.Text(c, query)
	if err != nil {
		t.Fatalf("%.400s: %v", query, err)
	}
	return rows
}

// tables are queries for sketches of every family and form, with so few rows that their order is
// the same everywhere. A column has sketches of one family only: DuckDB 1.3 evaluates functions on
// all values of a Parquet file's dictionary, before WHERE.
var tables = []struct{ name, query string }{
	{"places", "SELECT 'exact' AS form, g, ccbf_agg(x, y, 1) AS s FROM d GROUP BY g" +
		" UNION ALL SELECT 'list gone coarse', g, ccbf_agg(x, y, 1, {bytes: 400}) FROM d GROUP BY g" +
		" UNION ALL SELECT 'list gone dense', g, ccbf_agg(x, y, 1, {bytes: 400, overflow: 'counters'}) FROM d GROUP BY g" +
		" UNION ALL SELECT 'standard', g, ccbf_agg(x, y, 1, {exact: false, mode: 'standard', bytes: 3000}) FROM d GROUP BY g" +
		" UNION ALL SELECT 'categories', g, ccbf_agg(x, y, 1, {category: 'kind ' || x % 3, totals: true}) FROM d GROUP BY g"},
	{"words", "SELECT 'text' AS form, g, cms_agg('key ' || x) AS s FROM d GROUP BY g" +
		" UNION ALL SELECT 'other text', g, cms_agg('no key ' || x) FROM d GROUP BY g"},
	{"families", everyFamily()},
}

// everyFamily returns SQL for sketches of all families of keys, full and nearly empty.
func everyFamily() string {
	var parts []string
	for _, f := range filters.Families() {
		if f.ID != ccbf.Family.ID {
			parts = append(parts, strings.ReplaceAll("SELECT '@' AS form, g, @_agg(x) AS s FROM d GROUP BY g"+
				" UNION ALL SELECT '@ of few', g, @_agg(x) FROM d WHERE x < 3 GROUP BY g", "@", f.ID.String()))
		}
	}
	return strings.Join(parts, " UNION ALL ")
}

// questions are queries of the sketches in {from}, by table.
var questions = map[string][]string{
	"places": {
		"SELECT form, g, ccbf_total(s), ccbf_get(s, 1, 1), ccbf_get(s, 95, 7), ccbf_bbox_sum(s, 10, 5, 60, 20), ccbf_polygon_sum(s, 'POLYGON ((0 0, 50 0, 50 20, 0 0))') FROM {from} WHERE form <> 'categories' ORDER BY ALL",
		"SELECT form, md5(ccbf_union_agg(s)), ccbf_info(ccbf_union_agg(s)) FROM {from} GROUP BY form ORDER BY form",
	},
	"words": {
		"SELECT form, g, cms_get(s, 'key 1'), cms_get(s, 'key 1000') FROM {from} ORDER BY ALL",
		"SELECT form, md5(cms_union_agg(s)), cms_info(cms_union_agg(s)) FROM {from} GROUP BY form ORDER BY form",
	},
}

// answers returns the results of the questions, and of queries that every family has.
func answers(t *testing.T, c sqltest.Conn, from func(table string) string) string {
	t.Helper()
	out := ""
	for _, table := range tables {
		for _, q := range append([]string{"SELECT form, g, md5(s), sketch_is_valid(s), sketch_info(s) FROM {from} ORDER BY ALL"}, questions[table.name]...) {
			out += mustAsk(t, c, strings.ReplaceAll(q, "{from}", from(table.name)))
		}
	}
	return out
}

// fill creates the tables.
func fill(t *testing.T, c sqltest.Conn) {
	t.Helper()
	mustExec(t, c, "CREATE TEMP TABLE d AS SELECT i % 5 AS g, i * i % 97 AS x, i % 31 AS y FROM range(5000) t(i)")
	for _, table := range tables {
		mustExec(t, c, "CREATE TEMP TABLE "+table.name+" AS "+table.query)
	}
}

// save writes the tables of a host as Parquet and into a DuckDB file, in a folder.
func save(t *testing.T, c sqltest.Conn, folder string) {
	t.Helper()
	// DuckDB 2.0 writes files that 1.5 cannot read, unless a setting says otherwise.
	mustExec(t, c, "ATTACH "+quote(filepath.Join(folder, "sketches.duckdb"))+" AS f (STORAGE_VERSION 'v1.0.0')")
	for _, table := range tables {
		mustExec(t, c, "COPY "+table.name+" TO "+quote(filepath.Join(folder, table.name+".parquet"))+" (FORMAT parquet);"+
			"CREATE TABLE f."+table.name+" AS FROM "+table.name)
	}
	mustExec(t, c, "DETACH f")
}

// reads queries the files of one host in another.
func reads(t *testing.T, c sqltest.Conn, folder, want string) {
	t.Helper()
	parquet := func(table string) string {
		return "read_parquet(" + quote(filepath.Join(folder, table+".parquet")) + ")"
	}
	if got := answers(t, c, parquet); got != want {
		t.Errorf("from Parquet:\n%swant:\n%s", got, want)
	}
	mustExec(t, c, "ATTACH "+quote(filepath.Join(folder, "sketches.duckdb"))+" AS f (READ_ONLY)")
	if got := answers(t, c, func(table string) string { return "f." + table }); got != want {
		t.Errorf("from a DuckDB file:\n%swant:\n%s", got, want)
	}
	mustExec(t, c, "DETACH f")
}

// Sketches have the same bytes in every host, and every host reads the files of the others, as
// Parquet and as a DuckDB file.
func TestFiles(t *testing.T) {
	home, ours := embedded(t), t.TempDir()
	made := func(table string) string { return table }
	fill(t, home)
	save(t, home, ours)
	want := answers(t, home, made)
	each(t, func(t *testing.T, _ int, c *client) {
		guest, theirs := connect(t, loaded(t, c, ":memory:")), t.TempDir()
		fill(t, guest)
		if got := answers(t, guest, made); got != want {
			t.Errorf("made here:\n%swant:\n%s", got, want)
		}
		save(t, guest, theirs)
		reads(t, home, theirs, want)
		reads(t, guest, ours, want)
	})
}

// Every function of the embedded host exists, and its example has the same result.
func TestExamples(t *testing.T) {
	home := embedded(t)
	limit := strings.TrimSpace(mustAsk(t, home, "SELECT (ccbf_memory()).limit"))
	defer mustExec(t, home, "SELECT ccbf_memory_limit("+limit+"::UBIGINT)") // an example changes it
	functions := ccbfsql.Functions()
	want := make([]string, len(functions))
	for i, f := range functions {
		want[i] = mustAsk(t, home, f.Example)
	}
	each(t, func(t *testing.T, _ int, c *client) {
		guest := connect(t, loaded(t, c, ":memory:"))
		for i, f := range functions {
			got := mustAsk(t, guest, f.Example)
			// Results about the process may differ.
			if got != want[i] && f.Group != "process" {
				t.Errorf("%s: %s\n got %s want %s", f.Name, f.Example, got, want[i])
			}
		}
	})
}
