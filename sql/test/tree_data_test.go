package test

import (
	"fmt"
	"os"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/data"
)

// TestTreeBounds: over all real points, the bounds that trees return for boxes and triangles
// contain the truth of the exact sketch. Trees have a half, an eighth and a thirty-second of its
// bytes. There are 400 areas of each kind per tree, 100 in make test, and with CCBF_LONG=1 more than
// 100,000 in all.
func TestTreeBounds(t *testing.T) {
	areas := 400
	if testing.Short() {
		areas = 100
	}
	if os.Getenv("CCBF_LONG") != "" {
		areas = 6000
	}
	parquet := func(file string) string {
		return "SELECT lon, lat, 1::UBIGINT AS n FROM '" + data.Path(t, file) + "' WHERE lon IS NOT NULL AND lat IS NOT NULL"
	}
	for i, d := range []struct {
		name, points string
		res          float64
	}{
		{"UK crime", parquet("uk_crime_2018q4.parquet"), 0.001},
		{"cities", parquet("geonames_cities.parquet"), 0.01},
		{"taxis", parquet("nyc_taxi_pickups.parquet") + " AND lon <> 0", 0.001},
		{"COVID", `SELECT "Lon"::DOUBLE AS lon, "Lat"::DOUBLE AS lat, "6/30/2022"::UBIGINT AS n FROM read_csv('` + data.Path(t, "jhu_covid19_confirmed_global.csv") + `', header = true, sample_size = -1) WHERE "Lat" IS NOT NULL AND "Lon" IS NOT NULL`, 0.01},
	} {
		t.Run(d.name, func(t *testing.T) {
			db := open(t)
			exec(t, db, "CREATE TABLE points AS "+d.points)
			exec(t, db, fmt.Sprintf("CREATE TABLE exact AS SELECT ccbf_agg(lon, lat, %v, {weight: n, bytes: 16777216}) AS e FROM points", d.res))
			exec(t, db, fmt.Sprintf(`CREATE TABLE trees AS SELECT part, ccbf_agg(lon, lat, %v, {weight: n, bytes: bytes, overflow: 'tree'}) AS s
				FROM points, (SELECT part, octet_length(e) // part AS bytes FROM exact, (VALUES (2), (8), (32)) v(part) WHERE octet_length(e) // part >= 372) GROUP BY part`, d.res))
			want(t, db, "true|true", "SELECT count(*) > 0, bool_and((ccbf_info(s)).encoding = 'tree') FROM trees")
			// Areas around points but on the globe, of sizes from a few cells to all of them.
			exec(t, db, fmt.Sprintf(`CREATE TABLE places AS SELECT i, greatest(-180, least(180 - size, lon + (hash(i, %[1]d, 1) %% 1000 - 500.0) / 500 * size)) AS x, greatest(-90, least(90 - size, lat + (hash(i, %[1]d, 2) %% 1000 - 500.0) / 500 * size)) AS y, size
				FROM (SELECT i, %[2]v * 2 ** (hash(i, %[1]d, 3) %% 14 + 1) AS size, hash(i, %[1]d, 4) %% (SELECT count(*) FROM points) AS place FROM range(%[3]d) t(i))
				JOIN (SELECT lon, lat, row_number() OVER (ORDER BY lon, lat) - 1 AS place FROM points) USING (place)`, i, d.res, areas))
			for _, q := range []struct{ what, table, estimate, sum string }{
				{"boxes", "SELECT x AS a, y AS b, x + size AS c, y + size * (1 + i % 7) / 4 AS d FROM places", "ccbf_bbox_estimate(s, a, b, c, d)", "ccbf_bbox_sum(%s, a, b, c, d)"},
				{"triangles", "SELECT printf('POLYGON ((%.7f %.7f, %.7f %.7f, %.7f %.7f, %.7f %.7f))', x, y, x + size, y + size * (i % 5) / 4, x - size * (i % 3) / 3, y + size, x, y) AS p FROM places", "ccbf_polygon_estimate(s, p)", "ccbf_polygon_sum(%s, p)"},
			} {
				want(t, db, fmt.Sprintf("%d|0|0|0|0|true", areas), fmt.Sprintf(`SELECT count(DISTINCT rowid), count(*) FILTER (NOT q.low <= truth), count(*) FILTER (NOT truth <= q.high), count(*) FILTER (q.high <> sum), count(*) FILTER (NOT q.certain), count(*) FILTER (truth > 0) > 10
					FROM (SELECT *, %s AS q, %s AS sum FROM trees, (SELECT *, row_number() OVER () AS rowid, %s AS truth FROM exact, (%s)))`,
					q.estimate, fmt.Sprintf(q.sum, "s"), fmt.Sprintf(q.sum, "e"), q.table))
			}
		})
	}
}
