package test

import (
	"fmt"
	"strings"
	"testing"
)

// TestSumsOfManySketches: sums over areas of many sketches, which two goroutines may compute, equal
// those of the table, row by row. The sketches include NULLs, counters and an empty sketch. An
// error in either half of a chunk is the query's error.
func TestSumsOfManySketches(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE p AS SELECT i % 500 AS day, hash(i) % 1000 + 0.5 AS x, hash(i, 1) % 1000 + 0.5 AS y FROM range(400000) t(i)")
	exec(t, db, `CREATE TABLE days AS SELECT day, if(day % 83 = 5, NULL, s) AS s FROM (
		SELECT day, ccbf_agg(x, y, 1) AS s FROM p WHERE day <> 400 GROUP BY day
		UNION ALL SELECT 400, ccbf_agg(x, y, 1, {exact: false}) FROM p WHERE day = 400
		UNION ALL SELECT 500, ccbf_empty(1)) ORDER BY day`)
	polygon := "'POLYGON ((200 100, 700 100, 700 650, 200 650, 200 100))'"
	for _, c := range []struct{ ours, inside, none string }{
		{"ccbf_bbox_sum(s, 200, 100, 700, 650)", "x BETWEEN 200 AND 700 AND y BETWEEN 100 AND 650", "false"},
		{"ccbf_bbox_sum(s, 3, 3, 4, 9)", "x BETWEEN 3 AND 4 AND y BETWEEN 3 AND 9", "false"},
		{"ccbf_polygon_sum(s, " + polygon + ")", "x BETWEEN 200 AND 700 AND y BETWEEN 100 AND 650", "false"},
		{"ccbf_bbox_sum(s, 200, 100, if(day % 97 = 1, NULL, 700), 650)", "x BETWEEN 200 AND 700 AND y BETWEEN 100 AND 650", "day % 97 = 1"},
	} {
		want(t, db, "0|501", fmt.Sprintf(`SELECT count(*) FILTER (CASE WHEN s IS NULL OR %[3]s THEN ours IS NOT NULL WHEN day = 400 THEN ours < exact ELSE ours IS DISTINCT FROM exact END), count(*)
			FROM (SELECT day, s, %[1]s AS ours FROM days) LEFT JOIN (SELECT day, count(*) FILTER (%[2]s) AS exact FROM (FROM p UNION ALL SELECT 500, NULL, NULL) GROUP BY day) USING (day)`,
			c.ours, c.inside, c.none))
	}
	// A sum over exact sketches needs no union of them.
	want(t, db, "true", "SELECT sum(ccbf_bbox_sum(s, 200, 100, 700, 650)) = ccbf_bbox_sum(ccbf_union_agg(s), 200, 100, 700, 650) FROM days WHERE day <> 400")
	want(t, db, "true", "SELECT sum(ccbf_polygon_sum(s, "+polygon+")) = ccbf_polygon_sum(ccbf_union_agg(s), "+polygon+") FROM days WHERE day <> 400")
	for _, bad := range []int{10, 490} {
		if _, err := ask(db, fmt.Sprintf("SELECT sum(ccbf_bbox_sum(if(day = %d, 'no sketch at all, of so many bytes'::BLOB, s), 0, 0, 500, 500)) FROM days", bad)); err == nil || !strings.Contains(err.Error(), "ccbf_bbox_sum: ") {
			t.Errorf("no sketch on day %d: %v", bad, err)
		}
	}
}

// TestSumsOfManyBlocks does the same with boxes that cut thousands of blocks.
func TestSumsOfManyBlocks(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE p AS SELECT i % 150 AS day, hash(i) % 1000 + 0.5 AS x, hash(i, 1) % 1000 + 0.5 AS y FROM range(1200000) t(i)")
	exec(t, db, "CREATE TABLE days AS SELECT day, ccbf_agg(x, y, 1, {bytes: 1000000}) AS s FROM p GROUP BY day ORDER BY day")
	want(t, db, "true|true", "SELECT bool_and((ccbf_info(s)).exact), sum((ccbf_info(s)).cells) > 150 * 60 * 128 FROM days")
	for _, box := range []string{"100, 0, 800, 650", "0, 0, 40, 1000"} {
		x0, y0, x1, y1 := 0, 0, 0, 0
		if _, err := fmt.Sscanf(box, "%d, %d, %d, %d", &x0, &y0, &x1, &y1); err != nil {
			t.Fatal(err)
		}
		want(t, db, "0|150", fmt.Sprintf(`SELECT count(*) FILTER (ours IS DISTINCT FROM exact), count(*) FROM (SELECT day, ccbf_bbox_sum(s, %s) AS ours FROM days)
			JOIN (SELECT day, count(*) FILTER (x BETWEEN %d AND %d AND y BETWEEN %d AND %d) AS exact FROM p GROUP BY day) USING (day)`, box, x0, x1, y0, y1))
	}
	for _, bad := range []int{3, 70, 149} {
		if _, err := ask(db, fmt.Sprintf("SELECT sum(ccbf_bbox_sum(if(day = %d, 'no sketch at all, of so many bytes'::BLOB, s), 100, 0, 800, 650)) FROM days", bad)); err == nil || !strings.Contains(err.Error(), "ccbf_bbox_sum: ") {
			t.Errorf("no sketch on day %d: %v", bad, err)
		}
	}
}

// TestSumsOfCategories does the same with boxes over sketches that have categories, many of them
// with few cells. A sum is over all categories, or over one that differs from row to row and is
// sometimes absent.
func TestSumsOfCategories(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE p AS SELECT i % 120 AS day, hash(i) % 1000 + 0.5 AS x, hash(i, 1) % 1000 + 0.5 AS y, 'k' || (hash(i, 2) % (1 + hash(i, 3) % 90)) AS kind FROM range(60000) t(i)")
	exec(t, db, "CREATE TABLE days AS SELECT day, ccbf_agg(x, y, 1, {category: kind, totals: true}) AS s FROM p GROUP BY day ORDER BY day")
	for ours, inside := range map[string]string{
		"ccbf_bbox_sum(s, 200, 100, 700, 650)":                    "true",
		"ccbf_bbox_sum(s, 200, 100, 700, 650, 'k' || (day % 11))": "kind = 'k' || (day % 11)",
	} {
		want(t, db, "0|120|true", fmt.Sprintf(`SELECT count(*) FILTER (ours IS DISTINCT FROM exact), count(*), sum(ours) > 0 FROM (SELECT day, %s AS ours FROM days)
			JOIN (SELECT day, count(*) FILTER (x BETWEEN 200 AND 700 AND y BETWEEN 100 AND 650 AND %s) AS exact FROM p GROUP BY day) USING (day)`, ours, inside))
	}
}

// TestUnionsOfManySketches: the union of many sketches is the sketch of all their points: grouped
// or not, with NULLs, in one chunk and in several. A sketch of counters among them makes the union
// counters. BLOBs that are not sketches, or have other cells, are errors.
func TestUnionsOfManySketches(t *testing.T) {
	db := open(t)
	exec(t, db, "SET threads = 2")
	exec(t, db, "CREATE TABLE p AS SELECT i % 500 AS day, (hash(i) % 700 * (hash(i) % 3))::DOUBLE AS x, (hash(i, 1) % 900)::DOUBLE AS y FROM range(300000) t(i)")
	exec(t, db, "CREATE TABLE days AS SELECT day, if(day % 83 = 5, NULL, s) AS s FROM (SELECT day, ccbf_agg(x, y, 1) AS s FROM p GROUP BY day) ORDER BY day")
	exec(t, db, "CREATE TABLE whole AS SELECT ccbf_agg(x, y, 1) AS s FROM p WHERE day % 83 <> 5")
	exec(t, db, "CREATE TABLE often AS SELECT day, s FROM days, range(9) t(i) ORDER BY i, day")
	want(t, db, "true", "SELECT (SELECT ccbf_union_agg(s) FROM days) = s FROM whole")
	want(t, db, "true", "SELECT (SELECT ccbf_union_agg(s ORDER BY day DESC) FROM days) = s FROM whole")
	want(t, db, "true|9", "SELECT count(DISTINCT u) = 1 AND any_value(u) = any_value(s), count(*) FROM (SELECT i, ccbf_union_agg(s) AS u FROM days, range(9) t(i) GROUP BY i), whole")
	want(t, db, "true", "SELECT (SELECT ccbf_total(ccbf_union_agg(s)) FROM often) = 9 * ccbf_total(s) FROM whole")
	for _, day := range []int{3, 490} {
		replaced := func(by string) string {
			return fmt.Sprintf("SELECT ccbf_union_agg(if(day = %d, %s, s)) AS u FROM days", day, by)
		}
		want(t, db, "dense|300000", "SELECT (ccbf_info(u)).encoding, ccbf_total(u) + (SELECT count(*) FROM p WHERE day % 83 = 5) FROM ("+replaced(fmt.Sprintf("(SELECT ccbf_agg(x, y, 1, {exact: false}) FROM p WHERE day = %d)", day))+")")
		for by, text := range map[string]string{
			"'no sketch at all, of so many bytes'::BLOB":      "ccbf_union_agg: ",
			"(SELECT ccbf_agg(x, y, 2) FROM p WHERE day < 9)": "resolution 1 vs 2",
			"s[:octet_length(s) - 1] || '\\xFF\\xFF'::BLOB":   "ccbf_union_agg: ",
		} {
			if _, err := ask(db, replaced(by)); err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s on day %d: %v", by, day, err)
			}
		}
	}
}
