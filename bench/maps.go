package main

import "fmt"

// maps lists the largest cells of the whole country, and draws it, from one
// sketch of a megabyte.
func maps(o options) error {
	db, err := open(2)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := run(db, "CREATE TABLE p AS "+crimes(o)); err != nil {
		return err
	}
	// All of the country, and the centre of London, where cells are larger than pixels.
	const country, city = "-6.5, 49.8, 2.0, 55.9", "-0.15, 51.49, -0.09, 51.53"
	for _, c := range []struct{ res, threshold string }{{"0.01", "500"}, {"0.001", "100"}} {
		if err := run(db, fmt.Sprintf(`CREATE OR REPLACE TABLE s AS
			SELECT ccbf_agg(lon, lat, %[1]s) AS exact, ccbf_agg(lon, lat, %[1]s, {exact: false, levels: 12}) AS levels FROM p`, c.res)); err != nil {
			return err
		}
		for _, form := range []string{"exact", "levels"} {
			var bytes, cells, large int
			err := db.QueryRow(fmt.Sprintf("SELECT octet_length(%[1]s), len(ccbf_hotspots(exact, %[2]s, 1)), len(ccbf_hotspots(%[1]s, %[2]s, %[3]s)) FROM s", form, country, c.threshold)).Scan(&bytes, &cells, &large)
			if err != nil {
				return err
			}
			fmt.Printf("cells of %s, %d of them with points, %s: %d bytes\n", c.res, cells, form, bytes)
			for _, q := range []struct{ what, query, promise string }{
				{fmt.Sprintf("%d cells at %s or more", large, c.threshold), "len(ccbf_hotspots(%s, " + country + ", " + c.threshold + "))", "50 ms"},
				{"the top 100", "len(ccbf_top_k(%s, " + country + ", 100))", "50 ms"},
				{"raster of 1024 x 1024", "len(ccbf_raster(%s, " + country + ", 1024, 1024))", ""},
				{"PNG of 1024 x 1024", "octet_length(ccbf_png(%s, " + country + ", 1024, 1024))", "150 ms"},
				{"PNG of 1024 x 1024, a city", "octet_length(ccbf_png(%s, " + city + ", 1024, 1024))", "150 ms"},
			} {
				t, err := rounds(db, o.rounds, fmt.Sprintf("SELECT "+q.query+" FROM s", form))
				if err != nil {
					return err
				}
				promise := ""
				if q.promise != "" {
					promise = ", promised below " + q.promise
				}
				fmt.Printf("%-44s %v%s\n", q.what, t[0], promise)
			}
		}
	}
	return nil
}
