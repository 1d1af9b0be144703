package test

import (
	"bytes"
	"database/sql"
	"strconv"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
)

// TestGroupsOfAnySize: groups have 1 to 1,000 points, which states, slots and pages hold. Each BLOB
// equals the BLOB of a Builder with the same points, whatever DuckDB does with the states.
func TestGroupsOfAnySize(t *testing.T) {
	db := open(t)
	const groups = 300
	// The first 100 groups have 1 to 100 points, the next ones up to 1,000, and the last ones few again.
	// Points are in random order. Some are in few cells, some far apart.
	exec(t, db, `CREATE TABLE p AS SELECT g::INTEGER AS g, n, (hash(g, i, 1) % w)::DOUBLE AS x, (hash(g, i, 2) % w)::DOUBLE / 7 AS y, i::INTEGER AS i
		FROM (SELECT g, CASE g % 3 WHEN 0 THEN 3 WHEN 1 THEN 20 ELSE 1000000 END AS w,
				CASE WHEN g <= 100 THEN g WHEN g <= 180 THEN g * g // 100 WHEN g <= 200 THEN 1000 ELSE g % 7 + 1 END AS n FROM range(1, $groups + 1) t(g)),
			LATERAL (SELECT unnest(range(n)) AS i) ORDER BY hash(g, i, 3)`, sql.Named("groups", groups))
	points := pointsOf(t, db, groups)
	for options, params := range map[string]ccbf.Params{
		"":                                     {},
		", {bytes: 400}":                       {Bytes: 400}, // most groups become trees
		", {bytes: 700, overflow: 'counters'}": {Bytes: 700, Overflow: ccbf.ToCounters},
		", {bytes: 500, mode: 'standard'}":     {Bytes: 500, Mode: ccbf.Standard},
		", {exact: false, mode: 'standard', bytes: 400}": {Bytes: 400, Mode: ccbf.Standard, Dense: true},
		", {seed: 7, bytes: 4096}":                       {Seed: 7, Bytes: 4096},
	} {
		params.Res = 1
		blobs := make([][]byte, groups+1)
		for g := 1; g <= groups; g++ {
			s, err := ccbf.Build(params, points[g].xs, points[g].ys)
			if err != nil {
				t.Fatal(err)
			}
			blobs[g] = s.Blob()
		}
		agg := "ccbf_agg(x, y, 1" + options + ")"
		for _, query := range []string{
			"SELECT g, AGG FROM p GROUP BY g",
			"SELECT g, AGG FROM (FROM p ORDER BY g) GROUP BY g", // runs of one group
			"SELECT g, AGG FROM (SELECT * FROM p ORDER BY g % 20, hash(i)) GROUP BY g",
			"SELECT g, AGG FILTER (i >= 0) FROM p GROUP BY ROLLUP (g) HAVING g IS NOT NULL",
			"SELECT DISTINCT g, AGG OVER (PARTITION BY g) FROM p WHERE g % 50 = 7",
			"SELECT g, s FROM (SELECT g, n, i, AGG OVER (PARTITION BY g ORDER BY i ROWS UNBOUNDED PRECEDING) s FROM p WHERE g % 50 = 9) WHERE i = n - 1",
			"SELECT g, s FROM (SELECT g, i, AGG OVER (PARTITION BY g ORDER BY i ROWS BETWEEN 999 PRECEDING AND 999 FOLLOWING EXCLUDE TIES) s FROM p WHERE g IN (1, 7, 30, 141)) WHERE i = 0",
			"SELECT g, ccbf_union_agg(s) FROM (SELECT g, AGG s FROM p GROUP BY g) GROUP BY g",
		} {
			if strings.Contains(options, "exact: false") && strings.Contains(query, "OVER (PARTITION BY g ORDER") {
				continue // for every row a BLOB of counters
			}
			for _, threads := range []int{1, 4} {
				exec(t, db, "SET threads = "+strconv.Itoa(threads))
				compareBlobs(t, db, strings.ReplaceAll(query, "AGG", agg), blobs)
			}
		}
	}
}

type columns struct{ xs, ys []float64 }

func pointsOf(t *testing.T, db *sql.DB, groups int) []columns {
	t.Helper()
	points := make([]columns, groups+1)
	rows, err := db.Query("SELECT g, x, y FROM p")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var g int
		var x, y float64
		if err := rows.Scan(&g, &x, &y); err != nil {
			t.Fatal(err)
		}
		p := &points[g]
		p.xs, p.ys = append(p.xs, x), append(p.ys, y)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return points
}

// compareBlobs compares the BLOBs of a query's groups, of which there must be at least one, with
// others.
func compareBlobs(t *testing.T, db *sql.DB, query string, blobs [][]byte) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Errorf("%s: %v", query, err)
		return
	}
	defer func() { _ = rows.Close() }()
	n := 0
	for ; rows.Next(); n++ {
		var g int
		var blob []byte
		if err := rows.Scan(&g, &blob); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(blob, blobs[g]) {
			t.Errorf("%s: group %d has another BLOB, of %d bytes instead of %d", query, g, len(blob), len(blobs[g]))
			return
		}
	}
	if err := rows.Err(); err != nil || n == 0 {
		t.Errorf("%s: %d groups, %v", query, n, err)
	}
}

// TestManyGroupsInLittleMemory: groups of more points than a state holds need little more memory than these
// points. With less memory the query ends with an error, and the memory is freed.
func TestManyGroupsInLittleMemory(t *testing.T) {
	db := open(t)
	before := mustAsk(t, db, "SELECT (ccbf_memory()).limit")
	defer exec(t, db, "SELECT ccbf_memory_limit("+before+"::UBIGINT)")
	exec(t, db, "SET threads = 2")
	exec(t, db, "CREATE TABLE p AS SELECT (hash(i) % 10000)::INTEGER AS g, hash(i, 1) % 30 AS x, hash(i, 2) % 30 AS y FROM range(200000) t(i)")
	exec(t, db, "SELECT ccbf_memory_limit(8388608)") // 40 bytes per point, or 800 per group
	want(t, db, "0|10000|200000", `WITH s AS (SELECT g, ccbf_agg(x, y, 1) s FROM p GROUP BY g)
		SELECT count(*) FILTER (ccbf_get(s, x, y) != n), count(DISTINCT g), sum(n)::BIGINT
		FROM (SELECT g, x, y, count(*) n FROM p GROUP BY ALL) JOIN s USING (g)`)
	want(t, db, "0", "SELECT (ccbf_memory()).used")
	exec(t, db, "SELECT ccbf_memory_limit(65536)")
	if answer, err := ask(db, "SELECT count(s) FROM (SELECT ccbf_agg(x, y, 1) s FROM p GROUP BY g)"); err == nil || !strings.Contains(err.Error(), "memory budget of 64.0 KiB is used up") {
		t.Errorf("%s, %v", answer, err)
	}
	exec(t, db, "SELECT ccbf_memory_limit(8388608)")
	want(t, db, "0", "SELECT (ccbf_memory()).used")
}
