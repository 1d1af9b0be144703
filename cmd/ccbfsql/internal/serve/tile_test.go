package serve

import (
	"bytes"
	"fmt"
	"image/color"
	"net/http"
	"testing"
)

// A difference has one colour if there is more, another if there is less, and none between equal
// rows.
func TestDifference(t *testing.T) {
	url := started(t, database(t, towns))
	const path = "/tiles/to%20wns/s%22k/6/32/21.png?top=20000"
	const month, all = "&by=month&value=month+1", ""
	const versusMonth, versusAll = `&versus={"where":[{"by":"month","value":"month%201"}]}`, `&versus={}`
	pixels := func(query string) (more, less int) {
		t.Helper()
		img := tileAt(t, url+path+query)
		for i := range tileSide * tileSide {
			switch c := color.NRGBAModel.Convert(img.At(i%tileSide, i/tileSide)).(color.NRGBA); {
			case c.A == 0:
			case c.R > c.B:
				more++
			default:
				less++
			}
		}
		return more, less
	}
	if more, less := pixels(all + versusMonth); more == 0 || less != 0 {
		t.Errorf("all and a month: %d pixels with more, %d with less", more, less)
	}
	if more, less := pixels(month + versusAll); more != 0 || less == 0 {
		t.Errorf("a month and all: %d pixels with more, %d with less", more, less)
	}
	if more, less := pixels(month + versusMonth); more != 0 || less != 0 {
		t.Errorf("a month and itself: %d pixels with more, %d with less", more, less)
	}
	for query, want := range map[string]int{
		"/tiles/to%20wns/s%22k/6/32/21.png?versus={}":                                           400, // without top
		"/tiles/to%20wns/s%22k/6/32/21.png?top=1&versus=month":                                  400,
		`/tiles/to%20wns/s%22k/6/32/21.png?top=1&versus={"where":[{"by":"month","value":"m"}]}`: 400,
		"/tiles/to%20wns/s%22k/6/32/21.mvt?versus={}":                                           400,
	} {
		if status, body := get(t, url+query); status != want {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
	_, body := get(t, url+`/api/scale?table=to+wns&column=s%22k&xmin=0&ymin=50&xmax=2&ymax=52&pixel=0.01&versus={"where":[{"by":"month","value":"month%201"}]}`)
	if s := decoded[viewScale](t, body); len(s.Colours) != 2*(steps+1) || !(s.Top > 0) {
		t.Errorf("the scale is %s", body)
	}
}

// Pictures of counters show the towns and nothing between them, because what collisions add is
// subtracted. Counts in vector tiles are never below the truth.
func TestEmptyCountryIsEmpty(t *testing.T) {
	url := started(t, database(t, `CREATE TABLE towns AS SELECT i % 2 AS month, ccbf_agg(lon, lat, 0.001, {bytes: 16384, exact: false, mode: mode}) AS s, mode
		FROM (SELECT i, (i % 2) * 0.6 + 0.01 * sqrt(-2 * ln((hash(i) % 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, 1) % 1000000) / 1e6) AS lon,
			(i % 2) * 0.6 + 0.01 * (hash(i, 2) % 1000) / 1000 AS lat FROM range(20000) t(i)
			UNION ALL SELECT i, i // 2 * 0.9 - 0.1, i // 2 * 0.9 - 0.1 FROM range(4) t(i)), (VALUES ('mi'), ('standard')) m(mode) GROUP BY ALL`))
	tile := func(lon, lat float64) string { // of zoom 10, 0.35 degrees wide
		return fmt.Sprintf("10/%d/%d", int((lon+180)/360*1024), int(512-lat/360*1024)) // near the equator
	}
	for _, mode := range []string{"mi", "standard"} {
		where := "?where=" + queryText(`[{"by": "mode", "value": "`+mode+`"}]`)
		for at, want := range map[string]bool{tile(0.01, 0.005): true, tile(0.61, 0.605): true, tile(0.1, 0.61): false, tile(0.6, 0.1): false} {
			n := drawnPixels(t, url+"/tiles/towns/s/"+at+".png"+where)
			// A town has about 100 pixels. 0.1% of all pixels may be chance.
			if want && n < 15 || !want && n > tileSide*tileSide/1000 {
				t.Errorf("%s at %s: %d pixels", mode, at, n)
			}
		}
	}
	if status, body := get(t, url+"/tiles/towns/s/"+tile(0.1, 0.61)+".mvt"); status != http.StatusOK || len(body) == 0 {
		t.Errorf("vector tiles are without their counts: %d, %d bytes", status, len(body))
	}
}

// A tile has its points where the projection puts them, and the four tiles below it show the same
// places.
func TestTiles(t *testing.T) {
	url := started(t, database(t, towns))
	// It reaches from 0 to 5.6 degrees east and from 48.9 to 52.5 north.
	const path = "/tiles/to%20wns/s%22k/6/32/21.png"
	img := tileAt(t, url+path)
	if b := img.Bounds(); b.Dx() != tileSide || b.Dy() != tileSide {
		t.Fatalf("a tile of %v", b)
	}
	filled := func(lon, lat float64) bool {
		x, y := mercatorPixel(lon, lat, 6)
		_, _, _, a := img.At(x-32*tileSide, y-21*tileSide).RGBA()
		return a != 0
	}
	for _, p := range []struct {
		lon, lat float64
		want     bool
	}{{0.5, 50.5, true}, {1.5, 50.5, true}, {0.5, 51.5, true}, {1.5, 51.5, true}, {1, 50.5, false}, {0.5, 51, false}, {0.1, 50.1, false}, {1.5, 51.9, false}} {
		if got := filled(p.lon, p.lat); got != p.want {
			t.Errorf("the pixel of (%v, %v) has points: %v", p.lon, p.lat, got)
		}
	}
	// At a low zoom, and on the other side of the world.
	for _, path := range []string{`/tiles/to%20wns/s%22k/7/0/0.png`, `/tiles/to%20wns/s%22k/24/0/0.png`} {
		if status, body := get(t, url+path); status != http.StatusOK || !bytes.Equal(body, empty()) {
			t.Errorf("%s: %d, %d bytes", path, status, len(body))
		}
	}
	// One of the towns, and all of them.
	one, all := drawnPixels(t, url+path+"?by=tile&value=0"), drawnPixels(t, url+path)
	if one == 0 || all < 3*one {
		t.Errorf("%d pixels of one town, %d of four", one, all)
	}
}

// A layer in metres is drawn in its own plane, cell by cell.
func TestPlane(t *testing.T) {
	url := started(t, database(t, `CREATE TABLE metres AS SELECT ccbf_agg(x, y, 100) AS s FROM (VALUES (500050, 4000050), (500050, 4000050), (500150, 4000050), (503050, 4002050)) t(x, y)`))
	_, body := get(t, url+"/api/look?table=metres&column=s")
	at := decoded[layerExtent](t, body)
	if at.Degrees || at.Plane == nil || at.Plane.Side != 25600 {
		t.Fatalf("the look is %s", body)
	}
	// At zoom 1 a pixel is half as wide as a cell: a cell has 4 pixels.
	drawn := map[[2]int]uint8{}
	for x := range 2 {
		for y := range 2 {
			img := tileAt(t, fmt.Sprintf("%s/tiles/metres/s/1/%d/%d.png?top=1", url, x, y))
			for i := range tileSide * tileSide {
				if _, _, _, a := img.At(i%tileSide, i/tileSide).RGBA(); a > 0 {
					px, py := x*tileSide+i%tileSide, y*tileSide+i/tileSide
					cell := [2]int{int(at.Plane.West)/100 + px/2, int(at.Plane.North)/100 - 1 - py/2}
					drawn[cell]++
				}
			}
		}
	}
	want := map[[2]int]uint8{{5000, 40000}: 4, {5001, 40000}: 4, {5030, 40020}: 4}
	if fmt.Sprint(drawn) != fmt.Sprint(want) {
		t.Errorf("pixels of cells: %v, want %v", drawn, want)
	}
}
