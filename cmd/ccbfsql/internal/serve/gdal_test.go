package serve

import (
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gdal runs a program of GDAL, which QGIS uses to read tiles, and returns its output.
func gdal(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "GDAL_DEFAULT_WMS_CACHE_PATH="+t.TempDir())
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, stderr.String())
	}
	return out
}

// GDAL reads a vector tile, all vector tiles of a zoom through TileJSON, and pictures as XYZ tiles.
// Every cell is in its place, with the count of the exact table.
func TestGDAL(t *testing.T) {
	for _, program := range []string{"ogr2ogr", "gdal_translate"} {
		if firstOf(program) == "" {
			t.Skip("left out: no " + program + " (Debian's gdal-bin)")
		}
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
		if err := json.Unmarshal(gdal(t, "ogr2ogr", append([]string{"-f", "GeoJSON", "/vsistdout/", "-t_srs", "EPSG:4326"}, args...)...), &f); err != nil {
			t.Fatal(err)
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

	// A mosaic of pictures has colours where the towns are.
	folder := t.TempDir()
	xml, picture := filepath.Join(folder, "xyz.xml"), filepath.Join(folder, "xyz.png")
	const edge = 20037508.342789244 // half the width of the world in metres of the projection
	if err := os.WriteFile(xml, fmt.Appendf(nil, `<GDAL_WMS><Service name="TMS"><ServerUrl>%s/${z}/${x}/${y}.png</ServerUrl></Service>
		<DataWindow><UpperLeftX>-%[2]f</UpperLeftX><UpperLeftY>%[2]f</UpperLeftY><LowerRightX>%[2]f</LowerRightX><LowerRightY>-%[2]f</LowerRightY>
		<TileLevel>8</TileLevel><TileCountX>1</TileCountX><TileCountY>1</TileCountY><YOrigin>top</YOrigin></DataWindow>
		<Projection>EPSG:3857</Projection><BlockSizeX>256</BlockSizeX><BlockSizeY>256</BlockSizeY><BandsCount>4</BandsCount></GDAL_WMS>`, layer, edge), 0o644); err != nil {
		t.Fatal(err)
	}
	// From (0, 52) to (2, 50), in pixels of zoom 8.
	west, north := mercatorPixel(0, 52, 8)
	east, south := mercatorPixel(2, 50, 8)
	gdal(t, "gdal_translate", "-q", "-of", "PNG", "-srcwin", fmt.Sprint(west), fmt.Sprint(north), fmt.Sprint(east-west), fmt.Sprint(south-north), xml, picture)
	f, err := os.Open(picture)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []struct {
		lon, lat float64
		want     bool
	}{{0.5, 50.5, true}, {1.5, 50.5, true}, {0.5, 51.5, true}, {1.5, 51.5, true}, {1, 50.5, false}, {0.5, 51, false}, {0.1, 50.1, false}, {1.9, 51.9, false}} {
		x, y := mercatorPixel(p.lon, p.lat, 8)
		if _, _, _, a := img.At(x-west, y-north).RGBA(); (a != 0) != p.want {
			t.Errorf("in GDAL's picture (%v, %v) has points: %v", p.lon, p.lat, a != 0)
		}
	}
}
