package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/data"
)

// TestCovidTimeSeries tests the time series of the CascadeCBF paper, table 2. The paper does not
// say how cases become points. Here each of 284 places has floor(cumulative * 0.001) more points at
// each of six dates, on a raster of 8192 x 8192. The dense parameters are the paper's.
func TestCovidTimeSeries(t *testing.T) {
	const options = "{exact: false, mode: 'mi', k: 8, layers: [16, 16], counters: [1048576, 65536]}"
	path := data.Path(t, "jhu_covid19_confirmed_global.csv")
	db := open(t)
	dates := []string{"3/15/2020", "6/15/2020", "12/31/2020", "6/30/2021", "12/31/2021", "6/30/2022"}
	running := []string{"142", "8095", "91747", "274323", "562914", "1110096"}
	exec(t, db, "CREATE TABLE raw AS FROM read_csv('"+path+"', header = true, sample_size = -1)")
	var parts []string
	for i, d := range dates {
		parts = append(parts, fmt.Sprintf("SELECT %d AS d, (lon + 180) / 360 * 8192 AS x, (lat + 90) / 180 * 8192 AS y, floor(n * 0.001)::UBIGINT AS n FROM (SELECT Lon::DOUBLE AS lon, Lat::DOUBLE AS lat, sum(%q) AS n FROM raw WHERE Lat IS NOT NULL AND Lon IS NOT NULL GROUP BY ALL)", i+1, d))
	}
	exec(t, db, "CREATE TABLE points AS "+strings.Join(parts, " UNION ALL "))
	want(t, db, "284", "SELECT count(DISTINCT (x, y)) FROM points")
	exec(t, db, "CREATE TABLE merged AS SELECT ccbf_empty(1, "+options+") AS s")
	for i := range dates {
		exec(t, db, fmt.Sprintf("CREATE OR REPLACE TABLE now AS SELECT ccbf_agg(x, y, 1, {exact: false, mode: 'mi', k: 8, layers: [16, 16], counters: [1048576, 65536], weight: n} ORDER BY d) AS s FROM points WHERE d <= %d", i+1))
		exec(t, db, fmt.Sprintf("UPDATE merged SET s = ccbf_union(s, (SELECT ccbf_agg(x, y, 1, {exact: false, mode: 'mi', k: 8, layers: [16, 16], counters: [1048576, 65536], weight: n}) FROM points WHERE d = %d))", i+1))
		exec(t, db, fmt.Sprintf("CREATE OR REPLACE TABLE truth AS SELECT floor(x) AS cx, floor(y) AS cy, sum(n) AS n FROM points WHERE d <= %d GROUP BY ALL HAVING sum(n) > 0", i+1))
		for _, table := range []string{"now", "merged"} {
			want(t, db, running[i]+"|dense", "SELECT ccbf_total(s), (ccbf_info(s)).encoding FROM "+table)
			want(t, db, "0.00%|0|0", "SELECT printf('%.2f%%', 100 * avg(abs(ccbf_get(s, cx, cy)::DOUBLE - n) / n)), count(*) FILTER (ccbf_get(s, cx, cy) < n), max(ccbf_get(s, cx, cy) - n) FROM truth, "+table)
		}
		t.Logf("%-10s %8s points, %s cells: %s", dates[i], running[i], mustAsk(t, db, "SELECT count(*) FROM truth"), mustAsk(t, db, "SELECT printf('mean error %.4f%%, largest count %d', 100 * avg(abs(ccbf_get(s, cx, cy)::DOUBLE - n) / n), max(n)::BIGINT) FROM truth, now"))
	}
	// Point by point, as in the paper: a weight is that many occurrences.
	want(t, db, "true", "SELECT (SELECT ccbf_agg(x, y, 1, "+options+" ORDER BY d, x, y) FROM (SELECT d, x, y, unnest(range(n::BIGINT)) FROM points)) = (SELECT ccbf_agg(x, y, 1, {exact: false, mode: 'mi', k: 8, layers: [16, 16], counters: [1048576, 65536], weight: n} ORDER BY d, x, y) FROM points)")
}
