package test

import (
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql"
)

// TestResultsCount: memory for the results of functions, and for the encoding of aggregates, counts
// against the budget. A budget of 4 MiB has room for the states and arguments of each query, but
// not for its result.
func TestResultsCount(t *testing.T) {
	db := open(t)
	limit := mustAsk(t, db, "SELECT (ccbf_memory()).limit")
	defer exec(t, db, "SELECT ccbf_memory_limit("+limit+"::UBIGINT)")
	exec(t, db, `CREATE TABLE s AS SELECT ccbf_agg(i, i, 1, {exact: false, bytes: 3000000}) AS dense, ccbf_agg(i % 300, i // 300, 1) AS exact,
		cms_agg(i, {width: 700000, depth: 5}) AS c, sbf_agg(i, {counters: 3000000}) AS b FROM range(90000) t(i)`)
	exec(t, db, "CREATE TABLE full_of AS SELECT ccbf_agg(i % 1024, i // 1024, 1, {bytes: 65536}) AS tree FROM range(1048576) t(i)")
	// The header alone shows that a BLOB has another family.
	exec(t, db, "SELECT ccbf_memory_limit(4194304)")
	want(t, db, "false", "SELECT cms_is_valid(tree) FROM full_of")
	exec(t, db, "SELECT ccbf_memory_limit("+limit+"::UBIGINT)")
	for _, query := range []string{
		"SELECT ccbf_is_valid(tree) FROM full_of",
		"SELECT sketch_is_valid(tree) FROM full_of",
		"SELECT octet_length(ccbf_add(tree, 1, 1)) FROM full_of",
		"SELECT octet_length(ccbf_union(tree, tree)) FROM full_of",
		"SELECT (ccbf_error(tree)).exact FROM full_of",
		"SELECT octet_length(ccbf_agg(i, i, 1, {exact: false, bytes: 3000000})) FROM range(9) t(i)",
		"SELECT octet_length(cms_agg(i, {width: 500000, depth: 6})) FROM range(9) t(i)",
		"SELECT octet_length(ccbf_add(dense, 1, 1)) FROM s",
		"SELECT octet_length(ccbf_union(dense, dense)) FROM s",
		"SELECT octet_length(ccbf_intersect(dense, dense)) FROM s",
		"SELECT octet_length(ccbf_fold(dense, 3000000)) FROM s",
		"SELECT octet_length(cms_add(c, 1)) FROM s",
		"SELECT octet_length(cms_union(c, c)) FROM s",
		"SELECT octet_length(cms_empty({width: 500000, depth: 6}))",
		"SELECT octet_length(sbf_join(b, b)) FROM s",
		"SELECT len(ccbf_raster(exact, 0, 0, 300, 300, 1000, 1000)) FROM s",
		"SELECT octet_length(ccbf_png(exact, 0, 0, 300, 300, 1000, 1000)) FROM s",
		"SELECT len(ccbf_hotspots(exact, 0, 0, 300, 300, 1)) FROM s",
		"SELECT len(ccbf_top_k(exact, 0, 0, 300, 300, 90000)) FROM s",
		"SELECT (ccbf_polygon_estimate(dense, 'POLYGON ((0 0, 300 0, 300 300, 0 0))')).estimate FROM s",
	} {
		want := mustAsk(t, db, query)
		exec(t, db, "SELECT ccbf_memory_limit(4194304)")
		got, err := ask(db, query)
		if err == nil || !strings.Contains(err.Error(), "memory budget of 4.0 MiB is used up") {
			t.Errorf("%s: %s, %v", query, got, err)
		}
		if used := ccbfsql.MemoryUsed(); used != 0 {
			t.Fatalf("%s: %d bytes are held and no query runs", query, used)
		}
		exec(t, db, "SELECT ccbf_memory_limit("+limit+"::UBIGINT)")
		if got := mustAsk(t, db, query); got != want {
			t.Errorf("%s: %s and then %s", query, want, got)
		}
	}
}
