package test

import (
	"strings"
	"testing"
)

// TestScarceMemory: groups that exceed the budget at 16 bytes per cell, on several threads.
// Builders compress their cells, the sketches have the same bytes, and they agree with GROUP BY.
func TestScarceMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: builds with little memory take long (make test-all)")
	}
	db := open(t)
	before := mustAsk(t, db, "SELECT (ccbf_memory()).limit")
	defer exec(t, db, "SELECT ccbf_memory_limit("+before+"::UBIGINT)")
	exec(t, db, "SET threads = 4")
	exec(t, db, `CREATE TABLE p AS SELECT (hash(i, 1) % 120)::INTEGER AS g, pow((hash(i, 2) % 1000000) / 1e6, 1.7) * 500 AS x, (hash(i, 3) % 1000000) / 1e6 * 100 AS y,
		'c' || hash(i, 4) % 2 AS c FROM range(1200000) t(i)`)
	for _, query := range []string{
		"SELECT md5(string_agg(hex(s), ',' ORDER BY g)) FROM (SELECT g, ccbf_agg(x, y, 1) s FROM p GROUP BY g)",
		"SELECT md5(string_agg(hex(s), ',' ORDER BY g)) FROM (SELECT g, ccbf_agg(x, y, 1, {category: c}) s FROM p GROUP BY g)",
		"SELECT md5(string_agg(hex(s), ',' ORDER BY g)) FROM (SELECT g, ccbf_agg(x, y, 1) s FROM (FROM p ORDER BY g) GROUP BY g)",
		"SELECT md5(string_agg(hex(s), ',' ORDER BY g)) FROM (SELECT g, ccbf_union_agg(s) s FROM (SELECT g, ccbf_agg(x, y, 1) s FROM p GROUP BY g, x > 100) GROUP BY g)",
	} {
		exec(t, db, "SELECT ccbf_memory_limit("+before+"::UBIGINT)")
		plenty := mustAsk(t, db, query)
		exec(t, db, "SELECT ccbf_memory_limit(8388608)")
		if scarce, err := ask(db, query); err != nil || scarce != plenty {
			t.Errorf("%s: %s, %v; with more memory %s", query, scarce, err, plenty)
		}
		want(t, db, "0", "SELECT (ccbf_memory()).used")
	}
	// A single group needs more than a mebibyte, so that the budget is exceeded for certain.
	exec(t, db, "SELECT ccbf_memory_limit(1048576)")
	if _, err := ask(db, "SELECT ccbf_agg(x + g * 1000, y, 1, {bytes: 100000000}) FROM p"); err == nil || !strings.Contains(err.Error(), "memory budget of 1.0 MiB is used up") {
		t.Errorf("all in one: error %v", err)
	}
	exec(t, db, "SELECT ccbf_memory_limit(8388608)")
	want(t, db, "0|120|1200000", `WITH s AS (SELECT g, ccbf_agg(x, y, 1) s FROM p GROUP BY g)
		SELECT count(*) FILTER (ccbf_get(s, cx, cy) != n), count(DISTINCT g), sum(n)::BIGINT
		FROM (SELECT g, floor(x) cx, floor(y) cy, count(*) n FROM p GROUP BY ALL) JOIN s USING (g)`)
}
