package pipeline

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/stretchr/testify/require"
)

// TestMain removes temporary files that Beam and killed children leave behind.
func TestMain(m *testing.M) {
	if asCommand() { // a child process of a test
		return
	}
	dir := must(os.MkdirTemp("", "ccbf-test-"))
	_ = os.Setenv("TMPDIR", dir)
	code := ptest.MainRet(m)
	closeEngine()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// must returns the value of a call, or panics at an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// truth is a DuckDB database that the pipeline does not use.
var truth = sync.OnceValue(func() *sql.DB {
	db := must(connector.Open(""))
	db.SetMaxOpenConns(1)
	must(db.Exec("SET TimeZone = 'UTC'"))
	return db
})

// run runs statements in it.
func run(t testing.TB, format string, args ...any) {
	t.Helper()
	statement := fmt.Sprintf(format, args...)
	_, err := truth().Exec(statement)
	require.NoError(t, err, statement)
}

// one returns the result of a query for a number.
func one(t testing.TB, format string, args ...any) (n int64) {
	t.Helper()
	query := fmt.Sprintf(format, args...)
	require.NoError(t, truth().QueryRow(query).Scan(&n), query)
	return n
}

// result returns the output of a run as a table in a FROM clause.
func result(t testing.TB, out string) string {
	t.Helper()
	m := must(readSummary(context.Background(), out+manifestSuffix))
	require.NotEmpty(t, m.Files, "the manifest names no file")
	return "read_parquet(['" + strings.Join(m.Files, "', '") + "'])"
}

// same compares the output of a run with a query of DuckDB, row by row.
func same(t testing.TB, out, query string) {
	t.Helper()
	got := "FROM " + result(t, out)
	require.NotZero(t, one(t, "SELECT count(*) FROM (%s)", query), query)
	for _, q := range [][2]string{{got, query}, {query, got}} {
		require.Zero(t, one(t, "SELECT count(*) FROM ((%s) EXCEPT ALL (%s))", q[0], q[1]), "rows only in %s", q[0])
	}
}

// points writes n points around three cities, in two years.
func points(t testing.TB, file string, seed, n int) {
	t.Helper()
	groups := ""
	if strings.HasSuffix(file, ".parquet") {
		groups = "(ROW_GROUP_SIZE 2048)"
	}
	run(t, `COPY (SELECT [13.4, -0.1, 2.3][(h %% 3)::INTEGER + 1] + (h // 3 %% 1009) / 5000 AS lon, [52.5, 51.5, 48.9][(h %% 3)::INTEGER + 1] + (h // 3027 %% 1013) / 5000 AS lat,
		TIMESTAMP '2017-01-01' + to_hours((h // 3066351 %% 17520)::INTEGER) AS seen, 'k' || (h // 7 %% 5) AS kind
		FROM (SELECT hash(i + %d)::HUGEINT AS h FROM range(%d) t(i))) TO '%s' %s`, seed*1_000_000, n, file, groups)
}

// options returns the options of a run over the tests' files: a sketch per tile and month.
func options(in, out string) *Options {
	o := NewOptions()
	o.In, o.Out, o.Zoom, o.Time, o.Bucket, o.Files, o.Res, o.Threads = []string{in}, out, 6, "seen", "month", 3, "0.01", 2
	return o
}

// direct returns the query that the flags of options stand for.
const direct = `SELECT *, ccbf_total(sketch), (ccbf_info(sketch)).bbox.xmin, (ccbf_info(sketch)).bbox.ymin, (ccbf_info(sketch)).bbox.xmax, (ccbf_info(sketch)).bbox.ymax
	FROM (SELECT quadkey(lon, lat, 6, 0.01), date_trunc('month', seen)::DATE, ccbf_agg(lon, lat, 0.01) AS sketch FROM '%s' GROUP BY ALL)`

// bySQL returns the options of a run with a query.
func bySQL(in, out, text string) *Options {
	o := NewOptions()
	o.In, o.Out, o.SQL, o.Threads = []string{in}, out, text, 2
	return o
}

// files returns the files that match a pattern.
func files(pattern string) []string { return must(filepath.Glob(pattern)) }

// fillWith writes a file.
func fillWith(t testing.TB, name, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
}

// build runs Build without progress messages.
func build(o *Options) (*Summary, error) { return Build(context.Background(), o, io.Discard) }

func compact(o *Options) (*Summary, error) { return Compact(context.Background(), o, io.Discard) }

// fails runs Build. It wants an error with the given words, and no file.
func fails(t *testing.T, o *Options, words ...string) {
	t.Helper()
	_, err := build(o)
	for _, w := range words {
		require.ErrorContains(t, err, w)
	}
	require.Empty(t, files(o.Out+"*"))
}
