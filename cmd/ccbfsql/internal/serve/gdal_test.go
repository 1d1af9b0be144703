package serve

import (
	"encoding/json"
	"math"
	"os/exec"
	"testing"
)

// GDAL reads a vector tile, and all vector tiles of a zoom through TileJSON. Every cell is in its place,
// with the count of the exact table. TestTiles looks at pictures.
func TestGDAL(t *testing.T) {
	if firstOf("ogr2ogr") == "" {
		t.Skip("left out: no ogr2ogr (Debian's gdal-bin)")
	}
	file := database(t, towns)
	url := started(t, file)
	db := opened(t, file+"?"+confined)
	type features struct {
		Features []struct {
			Properties struct {
				Count float64
				Cell  bool
			}
			Geometry struct{ Coordinates [][][2]float64 }
		}
	}
	read := func(args ...string) (f features) {
		t.Helper()
		out, err := exec.Command("ogr2ogr", append([]string{"-f", "GeoJSON", "/vsistdout/", "-t_srs", "EPSG:4326"}, args...)...).Output()
		if err == nil {
			err = json.Unmarshal(out, &f)
		}
		if err != nil {
			t.Fatalf("ogr2ogr %v: %v", args, err)
		}
		return f
	}

	// At a low zoom all points are in one tile, as parts whose counts are rounded to thousandths.
	sum := 0.0
	far := read("MVT:" + url + "/tiles/to%20wns/s%22k/3/4/2.pbf")
	for _, f := range far.Features {
		sum += f.Properties.Count
	}
	if math.Abs(sum-12000) > 0.0005*float64(len(far.Features))+1e-6*12000 {
		t.Errorf("GDAL reads %v points in %d parts, of 12000", sum, len(far.Features))
	}

	// All tiles of zoom 9, of one month. Cells on an edge are divided.
	layer := url + "/tiles/to%20wns/s%22k"
	const month = "?by=month&value=month%201"
	near := read("MVT:"+layer+"/9", "-oo", "METADATA_FILE="+layer+".json"+month, "-oo", "TILE_EXTENSION=mvt"+month)
	exact := map[[2]int]float64{}
	rows, err := db.Query(`SELECT floor(c.x / 0.01)::INTEGER, floor(c.y / 0.01)::INTEGER, sum(c.count)::DOUBLE
		FROM (SELECT unnest(ccbf_cells("s""k")) AS c FROM "to wns" WHERE month = 'month 1') GROUP BY ALL`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var at [2]int
		var n float64
		if err := rows.Scan(&at[0], &at[1], &n); err != nil {
			t.Fatal(err)
		}
		exact[at] = n
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	seen := map[[2]int]bool{}
	for _, f := range near.Features {
		low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
		for _, p := range f.Geometry.Coordinates[0] {
			for axis, v := range p {
				low[axis], high[axis] = min(low[axis], v), max(high[axis], v)
			}
		}
		var at [2]int
		for axis := range at {
			at[axis] = int(math.Floor((low[axis] + high[axis]) / 2 / 0.01)) // the middle of a part is in its cell
		}
		seen[at] = true
		if f.Properties.Count != exact[at] || !f.Properties.Cell {
			t.Errorf("GDAL reads %v at cell %v, which has %v", f.Properties.Count, at, exact[at])
		}
	}
	if len(seen) != len(exact) || len(exact) == 0 {
		t.Errorf("GDAL reads %d cells of %d", len(seen), len(exact))
	}
}
