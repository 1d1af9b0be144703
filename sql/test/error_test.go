package test

import (
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/data"
)

// TestErrorsOfRealCells compares ccbf_error with the errors of ccbf_get at cells with points, on
// real data.
//
// The mean excess is within a factor of 1.5 of the predicted one, and 4 standard errors. The
// fraction of cells that are too high is within a factor of 1.6, and 4 standard errors of a count.
// With k = 8 the factor is 1.8, because in unions few cells are too high.
//
// The sketches are built in every mode and way, with half a byte to ten bytes per cell, but at
// least 400 bytes. CCBF_LONG=1 adds sizes, the paper's layers and the large files.
func TestErrorsOfRealCells(t *testing.T) {
	long := os.Getenv("CCBF_LONG") != ""
	sizes := []float64{0.5, 2, 7}
	if long {
		sizes = []float64{0.5, 1, 1.5, 2, 3, 4, 5.5, 7, 10}
	}
	crimes, cities, taxi := data.Path(t, "uk_crime_2018q4.parquet"), data.Path(t, "geonames_cities.parquet"), data.Path(t, "nyc_taxi_pickups.parquet")
	covtype, covid := data.Path(t, "covtype_elevation.parquet"), data.Path(t, "jhu_covid19_confirmed_global.csv")
	for _, d := range []struct {
		name, points string
		res          float64
		long         bool
	}{
		{"crimes, 0.001", "SELECT lon, lat, 1 AS n FROM '" + crimes + "'", 0.001, true},
		{"crimes, 0.01", "SELECT lon, lat, 1 AS n FROM '" + crimes + "'", 0.01, true},
		{"crimes, 0.1", "SELECT lon, lat, 1 AS n FROM '" + crimes + "'", 0.1, true},
		{"cities, 0.1", "SELECT lon, lat, 1 AS n FROM '" + cities + "'", 0.1, true},
		{"cities, 1", "SELECT lon, lat, 1 AS n FROM '" + cities + "'", 1, false},
		{"taxi, 0.001", "SELECT lon, lat, 1 AS n FROM '" + taxi + "'", 0.001, false},
		{"taxi, 0.0001", "SELECT lon, lat, 1 AS n FROM '" + taxi + "'", 0.0001, true},
		{"elevations", "SELECT elevation AS lon, 0 AS lat, 1 AS n FROM '" + covtype + "'", 1, true},
		{"COVID, 0.01", `SELECT "Lon" AS lon, "Lat" AS lat, "6/30/2022"::BIGINT AS n FROM '` + covid + `' WHERE "6/30/2022" > 0`, 0.01, true},
	} {
		if d.long && !long {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			db := open(t)
			exec(t, db, "SET threads = 2")
			exec(t, db, "CREATE TABLE p AS "+d.points)
			exec(t, db, "CREATE TABLE c AS SELECT "+centre("lon", d.res)+" AS x, "+centre("lat", d.res)+" AS y, sum(n)::BIGINT AS n FROM p WHERE lon IS NOT NULL GROUP BY ALL")
			var cells float64
			if err := db.QueryRow("SELECT count(*) FROM c").Scan(&cells); err != nil {
				t.Fatal(err)
			}
			layouts := []string{""}
			if long {
				layouts = append(layouts, ", layers: [16, 16], k: 8")
			}
			for i := range len(sizes) * len(layouts) {
				size, layout, often := sizes[i%len(sizes)], layouts[i/len(sizes)], 1.6
				if layout != "" {
					often = 1.8
				}
				agg := func(options string, bytes float64) string {
					return fmt.Sprintf("ccbf_agg(lon, lat, %v, {bytes: %d, weight: n%s%s})", d.res, max(int(bytes), 400), layout, options)
				}
				b := size * cells
				for _, way := range []struct{ name, sketch string }{
					{"standard", "SELECT " + agg(", exact: false, mode: 'standard'", b) + " AS s FROM p"},
					{"mi", "SELECT " + agg(", exact: false", b) + " AS s FROM p"},
					{"mi, exact before", "SELECT " + agg(", overflow: 'counters'", b) + " AS s FROM p"},
					{"mi, 3 united", "SELECT ccbf_union_agg(s) AS s FROM (SELECT " + agg(", exact: false", b) + " AS s FROM (SELECT *, row_number() OVER () AS i FROM p) GROUP BY i % 3)"},
					{"mi, 8 united", "SELECT ccbf_union_agg(s) AS s FROM (SELECT " + agg(", exact: false", b) + " AS s FROM (SELECT *, row_number() OVER () AS i FROM p) GROUP BY i % 8)"},
					{"mi, folded", fmt.Sprintf("SELECT ccbf_fold(%s, %d) AS s FROM p", agg(", exact: false", 2*b), int(1.1*b)+200)},
					{"mi, 3 united, folded", fmt.Sprintf("SELECT ccbf_fold(ccbf_union_agg(s), %d) AS s FROM (SELECT %s AS s FROM (SELECT *, row_number() OVER () AS i FROM p) GROUP BY i %% 3)", int(1.1*b)+200, agg(", exact: false", 2*b))},
					{"mi, exact before, folded", fmt.Sprintf("SELECT ccbf_fold(%s, %d) AS s FROM p", agg(", overflow: 'counters'", min(2*b, 1.2*cells)), int(1.1*min(b, 0.6*cells))+200)},
				} {
					var exact bool
					var p, e, wrong, excess, deviation float64
					err := db.QueryRow("WITH s AS ("+way.sketch+`) SELECT e.exact, e.occupied_probability, e.occupied_excess, count(*) FILTER (got > n), avg(got - n), stddev_pop(got - n)
						FROM (SELECT ccbf_error(s) AS e, n, ccbf_get(s, x, y)::DOUBLE AS got FROM s, c) GROUP BY e`).Scan(&exact, &p, &e, &wrong, &excess, &deviation)
					if err != nil {
						t.Fatalf("%s, %v bytes a cell: %v", way.name, size, err)
					}
					if exact {
						continue
					}
					said, slack := p*cells, 4*math.Sqrt(wrong)
					t.Logf("%s%s, %v bytes a cell: %.0f cells too high, measured %.0f; excess %.5g, measured %.5g (%.2f)", way.name, layout, size, said, wrong, e, excess, e/excess)
					if said > often*(wrong+slack+8) || said < (wrong-slack)/often {
						t.Errorf("%s%s, %v bytes a cell: %.0f cells too high, measured %.0f", way.name, layout, size, said, wrong)
					}
					if slack = 4 * deviation / math.Sqrt(cells); wrong >= 30 && (e > 1.5*(excess+slack) || e < (excess-slack)/1.5) {
						t.Errorf("%s%s, %v bytes a cell: an excess of %v, measured %v", way.name, layout, size, e, excess)
					}
				}
			}
		})
	}
}
