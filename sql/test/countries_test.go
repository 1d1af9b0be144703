package test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/data"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/wkb"
	"github.com/paulmach/orb/encoding/wkt"
	"github.com/paulmach/orb/planar"
)

// TestCountrySums: over three real data sets ccbf_polygon_sum equals the sum over the cells whose
// centres orb's planar finds inside. That holds for each of the 177 countries, in every format of a
// polygon, and for all countries as one collection. They are already cut at 180 degrees, so
// globe_polygon does not change them. Dense sums are never below. make test leaves out the data of
// one country.
func TestCountrySums(t *testing.T) {
	countries := readCountries(t)
	for _, d := range []struct {
		name, points string // query for lon, lat and n
		res          float64
		total        uint64
	}{
		{"cities", "SELECT lon, lat, 1 AS n FROM '" + data.Path(t, "geonames_cities.parquet") + "'", 0.1, 171075},
		{"COVID", `SELECT "Lon"::DOUBLE AS lon, "Lat"::DOUBLE AS lat, "6/30/2022"::UBIGINT AS n FROM read_csv('` + data.Path(t, "jhu_covid19_confirmed_global.csv") + `', header = true, sample_size = -1) WHERE "Lat" IS NOT NULL AND "Lon" IS NOT NULL`, 0.01, 547311322},
		{"UK crime", "SELECT lon, lat, 1 AS n FROM '" + data.Path(t, "uk_crime_2018q4.parquet") + "'", 0.001, 1045096},
	} {
		if testing.Short() && d.name == "UK crime" {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			db := open(t)
			exec(t, db, "CREATE TABLE points AS "+d.points)
			exec(t, db, fmt.Sprintf("CREATE TABLE s AS SELECT ccbf_agg(lon, lat, %[1]v, {weight: n}) AS exact, ccbf_agg(lon, lat, 0.1, {exact: false, bytes: 4194304, weight: n}) AS dense FROM points", d.res))
			want(t, db, fmt.Sprint("exact|", d.total, "|", d.total), "SELECT (ccbf_info(exact)).encoding, ccbf_total(exact), ccbf_total(dense) FROM s")
			cells, coarse := countedCells(t, db, d.res), countedCells(t, db, 0.1)

			sum, found, worst := uint64(0), 0, 0.0
			for _, c := range countries {
				asWKB, err := wkb.Marshal(c.polygon)
				if err != nil {
					t.Fatal(err)
				}
				var j, b, w, g, dense uint64
				err = db.QueryRow("SELECT ccbf_polygon_sum(exact, $1), ccbf_polygon_sum(exact, $2::BLOB), ccbf_polygon_sum(exact, $3), ccbf_polygon_sum(exact, globe_polygon($3::GEOMETRY)), ccbf_polygon_sum(dense, $1) FROM s",
					c.geojson, asWKB, wkt.MarshalString(c.polygon)).Scan(&j, &b, &w, &g, &dense)
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				n, floor := inside(cells, c.polygon), inside(coarse, c.polygon)
				if j != n || b != n || w != n || g != n {
					t.Errorf("%s: GeoJSON %d, WKB %d, WKT %d, globe_polygon of GEOMETRY %d, orb's planar %d", c.name, j, b, w, g, n)
				}
				if dense < floor {
					t.Errorf("%s: dense %d, below %d", c.name, dense, floor)
				}
				if floor > 1000 {
					worst = max(worst, float64(dense-floor)/float64(floor))
				}
				if n > 0 {
					found++
				}
				sum += n
			}
			var all orb.MultiPolygon
			for _, c := range countries {
				all = append(all, c.polygon...)
			}
			want(t, db, fmt.Sprint(inside(cells, all)), "SELECT ccbf_polygon_sum(exact, $1) FROM s", readText(t, countriesFile))
			t.Logf("%d countries at resolution %v: %d of %d points, in %d of them; dense in 4 MiB at resolution 0.1 at most %.3f%% too high where there are more than 1000", len(countries), d.res, sum, d.total, found, 100*worst)
			// The paper has an error below 2% for more than 1,000 points.
			if worst > 0.02 || math.IsNaN(worst) {
				t.Errorf("dense sums are up to %.2f%% too high", 100*worst)
			}
		})
	}
}

// TestCountryEstimates estimates sums over the countries from sketches that are much too small. The
// intervals contain the truth, which orb's planar finds, with the stated probability. Among n
// countries the number of misses has a mean of 0.05*n and a deviation of sqrt(0.05*0.95*n), of
// which 4 are allowed. Sums are a multiple of the truth here. The estimates of all countries
// together are closer by more than a factor of 10. (With levels, sums are already close.) An
// ordinary run uses every third country, and make test every sixth.
func TestCountryEstimates(t *testing.T) {
	countries := readCountries(t)
	db := open(t)
	exec(t, db, "CREATE TABLE points AS SELECT lon, lat, 1 AS n FROM '"+data.Path(t, "geonames_cities.parquet")+"'")
	exec(t, db, "CREATE TABLE s AS SELECT 'mi' AS form, ccbf_agg(lon, lat, 0.1, {exact: false, bytes: 300000}) AS s FROM points "+
		"UNION ALL SELECT 'standard', ccbf_agg(lon, lat, 0.1, {exact: false, bytes: 300000, mode: 'standard'}) FROM points "+
		"UNION ALL SELECT 'levels', ccbf_agg(lon, lat, 0.1, {exact: false, bytes: 900000, levels: 6}) FROM points")
	cells := countedCells(t, db, 0.1)
	type result struct{ misses, truth, sum, estimate float64 }
	of := map[string]*result{}
	n, every := 0.0, 3
	switch {
	case testing.Short():
		every = 6
	case os.Getenv("CCBF_LONG") != "":
		every = 1
	}
	for i, c := range countries {
		if i%every != 0 {
			continue
		}
		n++
		truth := float64(inside(cells, c.polygon))
		for _, e := range estimates(t, db, c) {
			r := of[e.form]
			if r == nil {
				r = &result{}
				of[e.form] = r
			}
			r.truth, r.sum, r.estimate = r.truth+truth, r.sum+e.sum, r.estimate+e.estimate
			if truth < e.low || truth > e.high {
				r.misses++
			}
			if e.sum < e.high {
				t.Errorf("%s, %s: up to %v of a sum of %v", c.name, e.form, e.high, e.sum)
			}
		}
	}
	for form, r := range of {
		t.Logf("%s: %v of %v intervals miss; %v points, the sums are %v, the estimates %.0f", form, r.misses, n, r.truth, r.sum, r.estimate)
		if most := 0.05*n + 4*math.Sqrt(0.05*0.95*n); r.misses > most {
			t.Errorf("%s: %v of %v intervals miss, more than %.1f", form, r.misses, n, most)
		}
		if form != "levels" && (r.sum < 1.5*r.truth || math.Abs(r.estimate-r.truth) > (r.sum-r.truth)/10) {
			t.Errorf("%s: %v points, the sums are %v, the estimates %.0f", form, r.truth, r.sum, r.estimate)
		}
	}
	if len(of) != 3 {
		t.Errorf("%d forms", len(of))
	}
}

type estimated struct {
	form                     string
	sum, estimate, low, high float64
}

// estimates queries every sketch of the table s for a country.
func estimates(t *testing.T, db *sql.DB, c country) (all []estimated) {
	t.Helper()
	rows, err := db.Query("SELECT form, ccbf_polygon_sum(s, $1)::DOUBLE, e.estimate, e.low, e.high FROM (SELECT *, ccbf_polygon_estimate(s, $1) AS e FROM s)", c.geojson)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	defer rows.Close()
	for rows.Next() {
		var e estimated
		if err := rows.Scan(&e.form, &e.sum, &e.estimate, &e.low, &e.high); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

const countriesFile = "ne_110m_countries.geojson"

type country struct {
	name, geojson string
	polygon       orb.MultiPolygon
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(data.Path(t, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readCountries(t *testing.T) []country {
	t.Helper()
	var file struct {
		Features []struct {
			Properties struct{ NAME string }
			Geometry   json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(readText(t, countriesFile)), &file); err != nil {
		t.Fatal(err)
	}
	var all []country
	for _, f := range file.Features {
		all = append(all, country{f.Properties.NAME, string(f.Geometry), multiPolygon(t, f.Geometry)})
	}
	if len(all) != 177 {
		t.Fatalf("%d countries, expected 177", len(all))
	}
	return all
}

// index returns SQL for the cell of a column, independent of the library's arithmetic: in whole
// numbers, for data with at most 6 decimals.
func index(column string, res float64) string {
	return fmt.Sprintf("floor(round(%s * 1e6) / %.0f)", column, res*1e6)
}

// centre returns SQL for the centre of a column's cell, likewise.
func centre(column string, res float64) string {
	return fmt.Sprintf("(2 * %s + 1) / %v", index(column, res), math.Round(2/res))
}

type countedCell struct {
	centre orb.Point
	n      uint64
}

// countedCells returns the cells of table points by GROUP BY.
func countedCells(t *testing.T, db *sql.DB, res float64) []countedCell {
	t.Helper()
	rows, err := db.Query("SELECT " + centre("lon", res) + ", " + centre("lat", res) + ", sum(n)::UBIGINT FROM points GROUP BY ALL")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var cells []countedCell
	for rows.Next() {
		var p orb.Point
		var n uint64
		if err := rows.Scan(&p[0], &p[1], &n); err != nil {
			t.Fatal(err)
		}
		cells = append(cells, countedCell{p, n})
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return cells
}

// inside returns the sum over the cells whose centres orb's planar finds inside a polygon. The
// bounds only exclude distant members.
func inside(cells []countedCell, mp orb.MultiPolygon) (sum uint64) {
	bounds := make([]orb.Bound, len(mp))
	for i, member := range mp {
		bounds[i] = member.Bound()
	}
	for _, c := range cells {
		for i, member := range mp {
			if bounds[i].Contains(c.centre) && planar.PolygonContains(member, c.centre) {
				sum += c.n
				break
			}
		}
	}
	return sum
}

// multiPolygon reads a Polygon or MultiPolygon of GeoJSON without the code
// under test.
func multiPolygon(t *testing.T, raw json.RawMessage) orb.MultiPolygon {
	var g struct {
		Type        string
		Coordinates json.RawMessage
	}
	err := json.Unmarshal(raw, &g)
	var mp orb.MultiPolygon
	switch {
	case err != nil:
	case g.Type == "Polygon":
		mp = make(orb.MultiPolygon, 1)
		err = json.Unmarshal(g.Coordinates, &mp[0])
	default:
		err = json.Unmarshal(g.Coordinates, &mp)
	}
	if err != nil {
		t.Fatal(err)
	}
	return mp
}
