package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
)

// points fills the table p with so many rows from a query over range(n).
func points(o options, n int) int {
	if o.quick {
		return n / 10
	}
	return n
}

// crimes loads the UK file, or points of its shape where it is not there.
func crimes(o options) string {
	file := filepath.Join(o.data, "uk_crime_2018q4.parquet")
	if _, err := os.Stat(file); err == nil {
		return fmt.Sprintf("SELECT lon, lat FROM '%s'", file)
	}
	fmt.Println("the UK file is not there: 1,045,096 seeded points in 2,000 towns instead")
	return `SELECT (hash(i // 500) % 8000) / 1000.0 - 6 + sqrt(-2 * ln((hash(i, 1) % 1000000 + 1) / 1000001.0)) * cos(2 * pi() * (hash(i, 2) % 1000000) / 1e6) * 0.02 lon,
		(hash(i // 500, 3) % 6000) / 1000.0 + 50 + sqrt(-2 * ln((hash(i, 4) % 1000000 + 1) / 1000001.0)) * cos(2 * pi() * (hash(i, 5) % 1000000) / 1e6) * 0.02 lat
		FROM range(1045096) t(i)`
}

func uk(o options) error {
	db, err := open(2)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := run(db, "CREATE TABLE filed AS "+crimes(o), "CREATE TABLE shuffled AS SELECT lon, lat FROM filed ORDER BY hash(rowid)"); err != nil {
		return err
	}
	for _, t := range []string{"filed", "shuffled"} {
		err := against(db, 3*o.rounds, "1,045,096 points, "+t,
			"CREATE OR REPLACE TEMP TABLE a AS SELECT ccbf_agg(lon, lat, 0.001) s FROM "+t,
			"CREATE OR REPLACE TEMP TABLE b AS SELECT floor(lon / 0.001) x, floor(lat / 0.001) y, count(*) n FROM "+t+" GROUP BY ALL", 1.0)
		if err != nil {
			return err
		}
	}
	var bytes, cells float64
	if err := db.QueryRow("SELECT octet_length(s), (ccbf_info(s)).cells FROM a").Scan(&bytes, &cells); err != nil {
		return err
	}
	fmt.Printf("%-44s %.3f bytes per cell, promised at most 1.400\n", "exact form, header and index included", bytes/cells)
	return nil
}

func zipf(o options) error {
	db, err := open(2)
	if err != nil {
		return err
	}
	defer db.Close()
	n := points(o, 10_000_000)
	// u^-5 inverts the distribution function of ranks with P(r) ~ r^-1.2; a
	// rank is put on the grid by a multiplication modulo 2^24.
	const rank = "floor(((%d::DOUBLE ^ -0.2 - 1) * ((hash(i, %d) %% 1000000007) / 1000000007.0) + 1) ^ -5)"
	cell := fmt.Sprintf(rank, 1<<24, 1)
	axis := func(seed int) string { return fmt.Sprintf(rank, 4097, seed) }
	if err := run(db,
		fmt.Sprintf("CREATE TABLE ranks AS SELECT (k %% 4096)::DOUBLE x, (k // 4096)::DOUBLE y FROM (SELECT (%s::UBIGINT * 2654435761 %% 16777216)::BIGINT k FROM range(%d) t(i))", cell, n),
		fmt.Sprintf("CREATE TABLE axes AS SELECT (%s * 1597 %% 4096)::DOUBLE x, (%s * 2971 %% 4096)::DOUBLE y FROM range(%d) t(i)", axis(2), axis(3), n),
		fmt.Sprintf("CREATE TABLE spread AS SELECT (((hash(i, 4) %% 4096) / 4096.0) ^ 1.7 * 4096)::DOUBLE x, ((hash(i, 5) %% 4194304) / 1024.0)::DOUBLE y FROM range(%d) t(i)", n),
	); err != nil {
		return err
	}
	for _, t := range []string{"ranks", "axes", "spread"} {
		exact := "CREATE OR REPLACE TEMP TABLE b AS SELECT floor(x / 1) x, floor(y / 1) y, count(*) n FROM " + t + " GROUP BY ALL"
		if err := run(db, exact); err != nil {
			return err
		}
		var cells int
		if err := db.QueryRow("SELECT count(*) FROM b").Scan(&cells); err != nil {
			return err
		}
		err := against(db, o.rounds, fmt.Sprintf("%d points in %d cells (%s)", n, cells, t),
			"CREATE OR REPLACE TEMP TABLE a AS SELECT ccbf_agg(x, y, 1) s FROM "+t, exact, 0.8)
		if err != nil {
			return err
		}
	}
	return nil
}

func groups(o options) error {
	db, err := open(2)
	if err != nil {
		return err
	}
	defer db.Close()
	n := points(o, 1_000_000)
	table := fmt.Sprintf(`CREATE TABLE p AS SELECT (i %% %d)::INTEGER g, ((hash(i, 1) %% 10000) / 1000.0)::DOUBLE x, ((hash(i, 2) %% 10000) / 1000.0)::DOUBLE y
		FROM (SELECT i FROM range(%d) t(i) ORDER BY hash(i))`, n, 5*n)
	if err := run(db, table); err != nil {
		return err
	}
	const ours = "SELECT count(s) FROM (SELECT g, ccbf_agg(x, y, 1) s FROM p GROUP BY g) WHERE octet_length(s) > 0"
	err = against(db, o.rounds, fmt.Sprintf("%d groups of 5 points", n), ours,
		"SELECT count(n) FROM (SELECT g, floor(x / 1) x, floor(y / 1) y, count(*) n FROM p GROUP BY ALL) WHERE n > 0", 3)
	if err != nil {
		return err
	}
	sketches, err := peak(ours, table)
	if err != nil {
		return err
	}
	plain, err := peak("SELECT count(n) FROM (SELECT g, count(*) n FROM p GROUP BY g) WHERE n > 0", table)
	if err != nil {
		return err
	}
	fmt.Printf("%-44s %.0f bytes a group, %.0f above the %.0f of count(*), promised at most 300\n", "peak of resident memory",
		float64(sketches)/float64(n), float64(sketches-min(plain, sketches))/float64(n), float64(plain)/float64(n))
	return nil
}

func get(o options) error {
	db, err := open(1)
	if err != nil {
		return err
	}
	defer db.Close()
	n := points(o, 10_000_000)
	if err := run(db,
		"CREATE TABLE s AS SELECT ccbf_agg((hash(i, 1) % 4096)::DOUBLE, (hash(i, 2) % 4096)::DOUBLE, 1, {exact: false}) s FROM range(150000) t(i)",
		fmt.Sprintf("CREATE TABLE p AS SELECT (hash(i, 3) %% 4096)::DOUBLE x, (hash(i, 4) %% 4096)::DOUBLE y FROM range(%d) t(i)", n)); err != nil {
		return err
	}
	t, err := rounds(db, o.rounds, "SELECT sum(ccbf_get(s, x, y)) FROM p, s", "SELECT sum(x + y + octet_length(s)) FROM p, s")
	if err != nil {
		return err
	}
	perSecond := func(s float64) float64 { return float64(n) / s / 1e6 }
	fmt.Printf("%-44s %.1f million lookups a second and core, promised at least 15\n", "whole query, 1 thread", perSecond(t[0].median().Seconds()))
	fmt.Printf("%-44s %.1f million without what the query takes around them\n", "", perSecond((t[0].median() - t[1].median()).Seconds()))
	return nil
}

func union(o options) error {
	db, err := open(2)
	if err != nil {
		return err
	}
	defer db.Close()
	n := points(o, 1000)
	for _, c := range []struct {
		name   string
		points int
		least  int
	}{{"a third full", 23_000, 2}, {"nearly empty", 100, 4}} {
		if err := run(db, fmt.Sprintf(`CREATE OR REPLACE TABLE s AS SELECT ccbf_agg((hash(i, g, 1) %% 100000)::DOUBLE, (hash(i, g, 2) %% 100000)::DOUBLE, 1,
			{exact: false, mode: 'standard', bytes: 262144}) s FROM range(%d) t(i), range(%d) u(g) GROUP BY g`, c.points, n)); err != nil {
			return err
		}
		var bytes, fill float64
		if err := db.QueryRow("SELECT sum(octet_length(s)), avg((ccbf_info(s)).fill) FROM s").Scan(&bytes, &fill); err != nil {
			return err
		}
		t, err := rounds(db, o.rounds, "SELECT octet_length(ccbf_union_agg(s)) FROM s", "SELECT sum(octet_length(s)) FROM s")
		if err != nil {
			return err
		}
		fmt.Printf("%-44s %.2f GB/s of %.0f MB, %.1f%% of counters in use, promised at least %d\n",
			fmt.Sprintf("%d sketches of 256 KiB, %s", n, c.name), bytes/t[0].median().Seconds()/1e9, bytes/1e6, 100*fill, c.least)
	}
	return nil
}

// world is a database with the countries c(g), GeoJSON each, and the cities
// (lon, lat); nil where their files are not there.
func world(o options) (*sql.DB, error) {
	cities, countries := filepath.Join(o.data, "geonames_cities.parquet"), filepath.Join(o.data, "ne_110m_countries.geojson")
	for _, f := range []string{cities, countries} {
		if _, err := os.Stat(f); err != nil {
			fmt.Printf("left out: %v\n", err)
			return nil, nil
		}
	}
	db, err := open(2)
	if err != nil {
		return nil, err
	}
	err = run(db, fmt.Sprintf("CREATE TABLE c AS SELECT unnest(features).geometry::VARCHAR g FROM read_json('%s', columns = {features: 'STRUCT(geometry JSON)[]'})", countries),
		fmt.Sprintf("CREATE TABLE cities AS SELECT lon, lat FROM '%s'", cities))
	return db, err
}

func polygons(o options) error {
	db, err := world(o)
	if db == nil || err != nil {
		return err
	}
	defer db.Close()
	for _, res := range []string{"0.1", "0.01", "0.001"} {
		if err := run(db, "CREATE OR REPLACE TABLE s AS SELECT ccbf_agg(lon, lat, "+res+") s FROM cities"); err != nil {
			return err
		}
		t, err := rounds(db, o.rounds, "SELECT sum(ccbf_polygon_sum(s, g)) FROM c, s")
		if err != nil {
			return err
		}
		fmt.Printf("%-44s %v, promised at most 50 ms\n", "177 countries as GeoJSON, cells of "+res, t[0])
	}
	return nil
}
