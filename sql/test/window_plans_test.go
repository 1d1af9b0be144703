package test

import (
	"fmt"
	"strings"
	"testing"
)

// TestOptionsInOtherPlans: options that differ between groups are allowed if DuckDB passes them
// correctly.
func TestOptionsInOtherPlans(t *testing.T) {
	db := open(t)
	exec(t, db, `CREATE TABLE d AS SELECT i, i % 50 AS x, (1 + i % 4) AS w, i % 77 AS g FROM range(9000) t(i)`)
	const options = `{bytes: 400 + 10 * g, weight: w, seed: 7}`
	truth := `(SELECT g, ccbf_agg(x, g, 1, ` + options + `) AS s FROM d GROUP BY g) r`
	for _, threads := range []int{1, 4} {
		exec(t, db, fmt.Sprintf("SET threads = %d", threads))
		for _, sketches := range []string{
			`SELECT g, ccbf_agg(x, g, 1, ` + options + ` ORDER BY i) AS s FROM d GROUP BY g`,
			`SELECT g, ccbf_agg(x, g, 1, ` + options + `) OVER (PARTITION BY g ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE NO OTHERS) AS s FROM d WHERE g < 1`,
			`SELECT g, ccbf_agg(x, g, 1, ` + options + `) OVER (PARTITION BY g) AS s FROM d`,
		} {
			want(t, db, "0", `SELECT count(*) FILTER (q.s IS DISTINCT FROM r.s) FROM (`+sketches+`) q JOIN `+truth+` USING (g)`)
		}
		// Sliding frames: each has a row and the two before it.
		want(t, db, "0", `SELECT count(*) FILTER (ccbf_total(s) IS DISTINCT FROM n) FROM (SELECT ccbf_agg(x, g, 1, {bytes: 400, weight: w}) OVER v AS s, sum(w) OVER v AS n
			FROM d WINDOW v AS (PARTITION BY g ORDER BY i ROWS 2 PRECEDING))`)
	}
}

// TestOptionsOfSeveralAggregates: aggregates without GROUP BY get a whole chunk one after the
// other, each for its own state. Their states and options can lie side by side like those of a
// window's partitions, and are allowed.
func TestOptionsOfSeveralAggregates(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE d AS SELECT (hash(i) % 60)::BIGINT AS x, (hash(i, 1) % 40)::BIGINT AS y, ['street', 'shop', 'home', ''][1 + i % 4] AS kind, (i * 7 % 52)::INTEGER AS week, DATE '2024-01-01' + (i * 7 % 364)::INTEGER AS day FROM range(6000) t(i)")
	for range 20 {
		want(t, db, "54000", `SELECT sum(ccbf_total(k) + ccbf_total(w) + ccbf_total(d))::BIGINT FROM (
			SELECT ccbf_agg(x, y, 1, {category: kind}) AS k, ccbf_agg(x, y, 1, {category: week}) AS w, ccbf_agg(x, y, 1, {category: day}) AS d FROM d
			UNION ALL SELECT ccbf_agg(x, y, 1, {category: kind, bytes: 1500}), ccbf_agg(x, y, 1, {category: week, bytes: 4000}), ccbf_agg(x, y, 1, {category: day, bytes: 12000}) FROM d
			UNION ALL SELECT ccbf_agg(x, y, 1, {category: kind, exact: false}), ccbf_agg(x, y, 1, {category: week, exact: false}), ccbf_agg(x, y, 1, {category: day, exact: false}) FROM d)`)
	}
}

// TestKeysOfSeveralAggregates does the same with keys and FILTER.
func TestKeysOfSeveralAggregates(t *testing.T) {
	db := open(t)
	for _, rows := range []int{2, 2050, 4098} {
		exec(t, db, fmt.Sprintf("CREATE OR REPLACE TABLE d AS SELECT i, {a: i, b: 'z' || i} k FROM range(%d) t(i)", rows))
		for range 10 {
			want(t, db, fmt.Sprintf("%d|%d|%d", rows, (rows+1)/2, rows/2),
				"SELECT sketch_info(cms_agg(k)).total, sketch_info(cms_agg(k) FILTER (i % 2 = 0)).total, sketch_info(cms_agg(k) FILTER (i % 2 = 1)).total FROM d")
		}
	}
}

// TestStructsOfOtherFunctions: DuckDB builds a STRUCT that another function also gets only once. If
// that function comes first, a constant in it may be damaged, and nothing shows whether a value is
// a constant. So values that differ are an error.
func TestStructsOfOtherFunctions(t *testing.T) {
	db := open(t)
	exec(t, db, `SET threads = 1`)
	exec(t, db, `CREATE TABLE d AS SELECT i, hash(i) % 50 AS x, i // 12 AS g FROM range(3000) t(i)`)
	const ours, other = "cms_agg({a: 12345, b: x}) OVER (PARTITION BY g) AS s", "list({a: 12345, b: x}) OVER (PARTITION BY g)"
	const from = ", sum(i) OVER (ORDER BY i) FROM d) q JOIN (SELECT g, cms_agg({a: 12345, b: x}) AS s FROM d GROUP BY g) r USING (g)"
	want(t, db, "3000|0", "SELECT count(*), count(*) FILTER (q.s IS DISTINCT FROM r.s) FROM (SELECT g, "+ours+", "+other+from)
	// The memory behind the first part may hold the constant of an earlier query.
	wrong, err := ask(db, "SELECT count(*) FILTER (q.s IS DISTINCT FROM r.s) FROM (SELECT g, "+other+", "+ours+from)
	if err == nil && wrong != "0" || err != nil && !strings.Contains(err.Error(), "use GROUP BY instead of the window") {
		t.Errorf("after another function: %s wrong, %v", wrong, err)
	}
}
