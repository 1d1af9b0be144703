package test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/data"
)

// index returns SQL for the cell of a column, independent of the library's arithmetic: in whole
// numbers, for data with at most 6 decimals.
func index(column string, res float64) string {
	return fmt.Sprintf("floor(round(%s * 1e6) / %.0f)", column, res*1e6)
}

// centre returns SQL for the centre of a column's cell, likewise.
func centre(column string, res float64) string {
	return fmt.Sprintf("(2 * %s + 1) / %v", index(column, res), math.Round(2/res))
}

// ukRows is the number of points in the UK crime file, which has 14 categories and three months.
const ukRows = "1045096"

func ukTable(t *testing.T) (query func(answer, query string, args ...any), do func(statement string)) {
	path := data.Path(t, "uk_crime_2018q4.parquet")
	db := open(t)
	exec(t, db, "CREATE TABLE uk AS FROM '"+path+"'")
	exec(t, db, "CREATE TABLE cells AS SELECT "+centre("lon", 0.001)+" AS x, "+centre("lat", 0.001)+" AS y, count(*) AS n FROM uk GROUP BY ALL")
	return func(answer, query string, args ...any) { t.Helper(); want(t, db, answer, query, args...) },
		func(statement string) { t.Helper(); exec(t, db, statement) }
}

// Exact: every distinct cell has its exact count and absent ones 0, in at most 1.4 bytes per cell.
// The union of parts by month has the same bytes.
func TestUKExact(t *testing.T) {
	query, do := ukTable(t)
	for _, threads := range []int{1, 2, 8} {
		do(fmt.Sprintf("SET threads = %d", threads))
		do("CREATE OR REPLACE TABLE s AS SELECT ccbf_agg(lon, lat, 0.001) AS s FROM uk")
		do("CREATE TABLE IF NOT EXISTS first AS FROM s")
		query("true", "SELECT s.s = first.s FROM s, first")
	}
	query("exact|true|"+ukRows, "SELECT (ccbf_info(s)).encoding, sketch_is_valid(s), ccbf_total(s) FROM s")
	query("283307|283307|0", "SELECT count(*), any_value((ccbf_info(s)).cells), count(*) FILTER (ccbf_get(s, x, y) <> n) FROM cells, s")
	// Empty neighbours of occupied cells.
	do("CREATE TABLE places AS SELECT DISTINCT " + index("lon", 0.001) + " AS cx, " + index("lat", 0.001) + " AS cy FROM uk")
	query("true|0", `SELECT count(*) > 300000, sum(ccbf_get(s, (2 * x + 1) / 2000, (2 * y + 1) / 2000)) FROM s, (SELECT DISTINCT cx + dx AS x, cy + dy AS y
		FROM places, (VALUES (1, 0), (-1, 0), (0, 1), (0, -1)) v(dx, dy) WHERE (x, y) NOT IN (SELECT (cx, cy) FROM places))`)
	query("true", "SELECT octet_length(s) / (SELECT count(*) FROM cells) <= 1.4 FROM s")
	query("3|true", "SELECT count(*), ccbf_union_agg(m) = any_value(s) FROM (SELECT ccbf_agg(lon, lat, 0.001) m FROM uk GROUP BY month), s")
	query("true", "SELECT ccbf_union(ccbf_union(a[1], a[2]), a[3]) = s FROM (SELECT list(m) a FROM (SELECT ccbf_agg(lon, lat, 0.001) m FROM uk GROUP BY month)), s")
	query("true", "SELECT ccbf_agg(x, y, 0.001, {weight: n}) = any_value(s) FROM cells, s")
	// Without a month, the sketch equals the sketch of the other months.
	query("true", `SELECT ccbf_subtract(s, (SELECT ccbf_agg(lon, lat, 0.001) FROM uk WHERE month = (SELECT min(month) FROM uk)))
		= (SELECT ccbf_agg(lon, lat, 0.001) FROM uk WHERE month <> (SELECT min(month) FROM uk)) FROM s`)
	query(ukRows, "SELECT sum(ccbf_bbox_sum(s, x, y, x + 1, y + 1)) FROM s, range(-15, 15) a(x), range(45, 65) b(y)")

	var bytes, cells float64
	var got string
	db := open(t)
	got = mustAsk(t, db, "SELECT octet_length(ccbf_agg(lon, lat, 0.001)), count(DISTINCT ("+index("lon", 0.001)+", "+index("lat", 0.001)+")) FROM '"+data.Path(t, "uk_crime_2018q4.parquet")+"'")
	if _, err := fmt.Sscanf(strings.ReplaceAll(got, "|", " "), "%g %g", &bytes, &cells); err != nil {
		t.Fatal(err)
	}
	t.Logf("%.0f bytes for %.0f cells: %.3f bytes per cell", bytes, cells, bytes/cells)
}

// With categories every count equals GROUP BY, with and without totals. The file has 14 categories,
// four names of places in the same column (18 rows), and two rows with NULL, which are skipped.
func TestUKCategories(t *testing.T) {
	query, do := ukTable(t)
	do("CREATE TABLE s AS SELECT ccbf_agg(lon, lat, 0.001, {category: category, totals: true, bytes: 2000000}) AS s FROM uk")
	do("CREATE TABLE kinds AS SELECT " + centre("lon", 0.001) + " AS x, " + centre("lat", 0.001) + " AS y, category, count(*) AS n FROM uk WHERE category IS NOT NULL GROUP BY ALL")
	do("CREATE TABLE places AS SELECT x, y, sum(n) AS n FROM kinds GROUP BY x, y")
	query("exact|18|1045094", "SELECT (ccbf_info(s)).encoding, (ccbf_info(s)).categories, ccbf_total(s) FROM s")
	query("0|1045094", "SELECT count(*) FILTER (ccbf_get(s, x, y, category) <> n), sum(n)::BIGINT FROM kinds, s")
	query("0", "SELECT count(*) FILTER (ccbf_get(s, x, y) <> n) FROM places, s")
	query("18|0", "SELECT count(*), count(*) FILTER (ccbf_bbox_sum(s, -180, -90, 180, 90, category) <> n) FROM (SELECT category, sum(n) n FROM kinds GROUP BY ALL), s")
	// Isolation: an absent category at every occupied cell.
	query("0", "SELECT sum(ccbf_get(s, x, y, 'no such category')) FROM cells, s")
	query("true", "SELECT ccbf_union_agg(c) = any_value(s) FROM (SELECT ccbf_agg(lon, lat, 0.001, {category: category, totals: true, bytes: 2000000}) c FROM uk GROUP BY category), s")
}

// Dense from the first row on: counts are never below the truth in any size and mode. In mode
// standard the bytes are the same for any threads and parts. make test has the smallest size, and
// CCBF_LONG=1 more sizes and numbers of threads.
func TestUKDense(t *testing.T) {
	query, do := ukTable(t)
	sizes, threads := []int{64 << 10, 1 << 20}, []int{1, 8}
	if testing.Short() {
		sizes = sizes[:1]
	}
	if os.Getenv("CCBF_LONG") != "" {
		sizes, threads = []int{64 << 10, 256 << 10, 1 << 20}, []int{1, 2, 8}
	}
	for _, bytes := range sizes {
		for _, mode := range []string{"mi", "standard"} {
			options := fmt.Sprintf("{exact: false, bytes: %d, mode: '%s'}", bytes, mode)
			do("DROP TABLE IF EXISTS first")
			for _, n := range threads {
				do(fmt.Sprintf("SET threads = %d", n))
				do("CREATE OR REPLACE TABLE s AS SELECT ccbf_agg(lon, lat, 0.001, " + options + ") AS s FROM uk")
				query("0|"+ukRows, "SELECT count(*) FILTER (ccbf_get(s, x, y) < n), any_value(ccbf_total(s)) FROM cells, s")
				if mode == "mi" {
					continue
				}
				do("CREATE TABLE IF NOT EXISTS first AS FROM s")
				query("true", "SELECT s.s = first.s FROM s, first")
				query("true", "SELECT ccbf_union_agg(m) = any_value(s) FROM (SELECT ccbf_agg(lon, lat, 0.001, "+options+") m FROM uk GROUP BY month, category), s")
			}
			query("true", "SELECT octet_length(s) - 48 <= ? AND (ccbf_info(s)).encoding = 'dense' AND sketch_is_valid(s) FROM s", bytes)
			if mode == "standard" {
				query("true", "SELECT ccbf_agg(lon, lat, 0.001, "+options+" ORDER BY category, lat) = any_value(s) FROM uk, s")
			}
		}
	}
}

// The largest cells and the pixels of the country, compared with GROUP BY. They are equal for the
// exact form. With counters and levels, none is missing or too small.
func TestUKMap(t *testing.T) {
	query, do := ukTable(t)
	do("CREATE TABLE s AS SELECT ccbf_agg(lon, lat, 0.001) AS exact, ccbf_agg(lon, lat, 0.001, {exact: false, levels: 10}) AS levels FROM uk")
	const country, spots = "-15, 45, 15, 65", "unnest(ccbf_hotspots(%s, -15, 45, 15, 65, %d), recursive := true)"
	for _, threshold := range []int{1, 20, 300} {
		h := fmt.Sprintf(spots, "exact", threshold)
		query("0", fmt.Sprintf("SELECT count(*) FILTER (h.count IS DISTINCT FROM c.n) FROM (SELECT "+h+" FROM s) h FULL JOIN (FROM cells WHERE n >= %d) c USING (x, y)", threshold))
	}
	for _, threshold := range []int{100, 300} {
		h := fmt.Sprintf(spots, "levels", threshold)
		query("0|0", fmt.Sprintf("SELECT count(*) FILTER (h.count IS NULL), count(*) FILTER (h.count < c.n) FROM (FROM cells WHERE n >= %d) c LEFT JOIN (SELECT "+h+" FROM s) h USING (x, y)", threshold))
	}
	query("true", "SELECT ccbf_top_k(exact, "+country+", 1000) = (SELECT list({x: x, y: y, count: n, side: 0.001::DOUBLE} ORDER BY n DESC, y, x) FROM (FROM cells ORDER BY n DESC, y, x LIMIT 1000)) FROM s")

	do("CREATE TABLE pixels AS SELECT floor((x + 15) * 300 / 30)::INT AS c, 199 - floor((y - 45) * 200 / 20)::INT AS r, sum(n) AS n FROM cells GROUP BY ALL")
	const got = "SELECT i %% 300 AS c, i // 300 AS r, n FROM (SELECT unnest(ccbf_raster(%s, " + country + ", 300, 200)) AS n, unnest(range(60000)) AS i FROM s)"
	query("60000|0", "SELECT count(*), count(*) FILTER (g.n <> coalesce(p.n, 0)) FROM ("+fmt.Sprintf(got, "exact")+") g LEFT JOIN pixels p USING (c, r)")
	query("60000|0", "SELECT count(*), count(*) FILTER (g.n < p.n) FROM ("+fmt.Sprintf(got, "levels")+") g LEFT JOIN pixels p USING (c, r)")
}
