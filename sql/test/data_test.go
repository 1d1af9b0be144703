package test

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/data"
)

// TestData: the Parquet files of test/data have the rows and values that its README names. Other
// tests count the other files.
func TestData(t *testing.T) {
	db := open(t)
	from := func(file string) string { return " FROM '" + data.Path(t, file) + "'" }
	want(t, db, ukRows+"|14|18|2|2018-10|2018-12", `SELECT sum(n)::BIGINT, count(*) FILTER (category IS NOT NULL AND n > 1000), sum(n) FILTER (category IS NOT NULL AND n < 100)::BIGINT,
		sum(n) FILTER (category IS NULL)::BIGINT, min(a), max(b) FROM (SELECT category, count(*) AS n, min(month) AS a, max(month) AS b`+from("uk_crime_2018q4.parquet")+" GROUP BY ALL)")
	want(t, db, "28014|true", "SELECT count(*), bool_or(lon = 0 AND lat = 0)"+from("nyc_taxi_pickups.parquet"))
	want(t, db, "171075|2|2", "SELECT count(*), min(length(country)), max(length(country))"+from("geonames_cities.parquet"))
	want(t, db, "1616|241|true", `SELECT count(*), count(DISTINCT country), bool_and(polygon LIKE '[[[%') `+from("ne_50m_countries.parquet"))
	want(t, db, "484098|1965|1859|3858", "SELECT count(*), count(DISTINCT elevation), min(elevation), max(elevation)"+from("covtype_elevation.parquet"))
}
