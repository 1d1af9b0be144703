package serve

import "testing"

// The first view shows the densest part, or the two largest of distant groups. A few points at (0, 0) or
// outside the world do not change it. Points on both sides of 180 degrees are shown together. Points
// without a valid longitude and latitude are reported, and count in sums.
func TestFirstView(t *testing.T) {
	const places = `CREATE MACRO town(lon, lat, n, seed) AS TABLE SELECT lon + (hash(i, seed) % 1000) / 1000 AS lon, lat + (hash(i, seed + 1) % 1000) / 1000 AS lat FROM range(n) t(i);
		CREATE TABLE small AS SELECT -74 + (lon + 74) / 5 AS lon, 40.6 + (lat - 40) / 5 AS lat FROM town(-74, 40, 30000, 1);
		CREATE TABLE zeros AS SELECT ccbf_agg(lon, lat, 0.001) AS s FROM (FROM small UNION ALL SELECT 0, 0 FROM range(900));
		CREATE TABLE slips AS SELECT ccbf_agg(lon, lat, 0.001) AS s FROM (FROM small UNION ALL SELECT lon * 100, lat * 100 FROM small LIMIT 30020);
		CREATE TABLE metres AS SELECT ccbf_agg(580000 + lon * 100, 4500000 + lat * 100, 10) AS s FROM small;
		CREATE TABLE even AS SELECT ccbf_agg((hash(i) % 360)::DOUBLE - 180, (hash(i, 1) % 160)::DOUBLE - 80, 1) AS s FROM range(30000) t(i);
		CREATE TABLE one AS SELECT ccbf_agg(10, 50, 0.001) AS s;
		CREATE TABLE kinds AS SELECT ccbf_agg(lon, lat, 0.001, {category: 'a'}) AS s FROM (FROM small UNION ALL SELECT 0, 0 FROM range(900));
		CREATE TABLE nothing AS SELECT ccbf_empty(0.01) AS s;
		CREATE TABLE scattered AS SELECT ccbf_agg(lon, lat, 0.01) AS s FROM (FROM town(10, 50, 20000, 1) UNION ALL SELECT (hash(i) % 300)::DOUBLE - 150, (hash(i, 1) % 120)::DOUBLE - 60 FROM range(500) t(i));
		CREATE TABLE groups AS SELECT ccbf_agg(lon, lat, 0.01) AS s FROM (FROM town(10, 50, 5000, 1) UNION ALL FROM town(40, 52, 4000, 3) UNION ALL FROM town(-70, -30, 900, 5) UNION ALL FROM town(150, -40, 900, 7));
		CREATE TABLE fiji AS SELECT ccbf_agg(if(lon > 180, lon - 360, lon), lat, 0.01) AS s FROM (FROM town(177, -18, 5000, 1) UNION ALL FROM town(181, -17, 5000, 3));
		CREATE TABLE trips AS SELECT ccbf_agg(lon, lat, 0.01) AS s FROM (SELECT CASE WHEN i < 10 THEN 190.505 ELSE 170.005 + i % 100 / 100 END AS lon, 10.005 AS lat FROM range(1000) t(i))`
	url := started(t, database(t, places))
	small := [4]float64{-74, 40.6, -73.8, 40.8}
	const pixels = 2*360./lookSide + 0.01 // two pixels of the world
	for _, c := range []struct {
		table           string
		box             [4]float64
		smaller, larger float64 // by how much each side of the view may lie inside and outside of the box
		least, most     float64 // points that are reported as outside of the view
		beyond          float64
	}{
		// Each side may leave out 0.1% of the points, and those within a pixel of it.
		{"zeros", small, 0.05, 0.05, 900, 1024, 0},
		{"slips", small, 0.05, 0.05, 0, 124, 20},
		{"kinds", small, 0.05, 0.05, 900, 1024, 0},
		{"even", [4]float64{-180, -80, 180, 80}, 1, 1, 0, 124, 0},
		{"one", [4]float64{10, 50, 10, 50}, 0.02, 0.02, 0, 0, 0},
		{"nothing", [4]float64{}, 0, 0, 0, 0, 0},
		// The view may leave out at most 5% of the towns.
		{"scattered", [4]float64{10, 50, 11, 51}, 0.1, pixels, 1, 1525, 0},
		{"groups", [4]float64{10, 50, 41, 53}, 0.1, pixels, 1800, 2250, 0},
		{"fiji", [4]float64{177, -18, 182, -16}, 0.1, pixels, 0, 500, 0},
		{"trips", [4]float64{170, 10, 171, 10.01}, 0.1, pixels, 0, 50, 10},
	} {
		_, body := get(t, url+"/api/look?column=s&table="+c.table)
		at := decoded[layerExtent](t, body)
		for i, outwards := range []float64{-1, -1, 1, 1} {
			if by := outwards * (at.Box[i] - c.box[i]); by > c.larger || by < -c.smaller {
				t.Errorf("%s: the view is %v, want about %v", c.table, at.Box, c.box)
				break
			}
		}
		if !at.Degrees || at.Outside < c.least || at.Outside > c.most || at.Beyond != c.beyond {
			t.Errorf("%s: %s", c.table, body)
		}
	}
	_, body := get(t, url+"/api/look?column=s&table=metres")
	if at := decoded[layerExtent](t, body); at.Degrees {
		t.Errorf("metres are degrees: %s", body)
	}
	if a := summed(t, url, `{"table": "trips", "column": "s", "box": [169, 9, 191, 11]}`); a.Estimate != 1000 {
		t.Errorf("all are %+v", a)
	}
}
