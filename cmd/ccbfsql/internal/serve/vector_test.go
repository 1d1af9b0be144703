package serve

import (
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"testing"

	"github.com/ccbfsql/ccbfsql/connector"
)

// fields calls f for each field of a message of protocol buffers: a number, or bytes.
func fields(t *testing.T, b []byte, f func(field uint64, n uint64, body []byte)) {
	t.Helper()
	for len(b) > 0 {
		key, k := binary.Uvarint(b)
		b = b[k:]
		switch key & 7 {
		case 0:
			n, k := binary.Uvarint(b)
			f(key>>3, n, nil)
			b = b[k:]
		case 1:
			f(key>>3, binary.LittleEndian.Uint64(b), nil)
			b = b[8:]
		case 2:
			n, k := binary.Uvarint(b)
			f(key>>3, 0, b[k:][:n])
			b = b[k:][n:]
		default:
			t.Fatalf("a field of type %d", key&7)
		}
	}
}

// squareOf is a feature of a tile, read by the format's specification.
type squareOf struct {
	west, north, east, south int64
	count                    float64
}

func squares(t *testing.T, tile []byte) (out []squareOf, name string, extentOf uint64) {
	t.Helper()
	fields(t, tile, func(field, _ uint64, layer []byte) {
		if field != 3 {
			t.Fatalf("field %d of a tile", field)
		}
		var values []float64
		var features [][]byte
		fields(t, layer, func(field, n uint64, body []byte) {
			switch field {
			case 1:
				name = string(body)
			case 2:
				features = append(features, body)
			case 4:
				fields(t, body, func(field, n uint64, _ []byte) {
					if field == 3 {
						values = append(values, math.Float64frombits(n))
					} else {
						values = append(values, float64(n))
					}
				})
			case 5:
				extentOf = n
			}
		})
		for _, f := range features {
			var s squareOf
			fields(t, f, func(field, _ uint64, body []byte) {
				var numbers []uint64
				for len(body) > 0 {
					n, k := binary.Uvarint(body)
					numbers, body = append(numbers, n), body[k:]
				}
				signed := func(i int) int64 { return int64(numbers[i]>>1) ^ -int64(numbers[i]&1) }
				switch field {
				case 2:
					s.count = values[numbers[1]]
				case 4:
					s.west, s.north = signed(1), signed(2)
					s.east, s.south = s.west+signed(4), s.north+signed(7)
				}
			})
			out = append(out, s)
		}
	})
	return out, name, extentOf
}

// Vector tiles have the cells where they are, each with its count, and far away parts that
// add up to all points; TileJSON says where they are.
func TestVectorTiles(t *testing.T) {
	file := database(t, towns)
	url := started(t, file)
	db, err := connector.Open(file + "?" + confined)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	// Of zoom 9, with cells of 58 units, and of zoom 3, with parts.
	status, body := get(t, url+"/tiles/to%20wns/s%22k/9/256/171.mvt?by=month&value=month+1")
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	got, name, units := squares(t, body)
	if name != "cells" || units != extent || len(got) == 0 {
		t.Fatalf("layer %q of %d units, %d squares", name, units, len(got))
	}
	cells := map[[2]int]float64{}
	rows, err := db.Query(`SELECT floor(round(lon * 1e6) / 1e4)::INTEGER, floor(round(lat * 1e6) / 1e4)::INTEGER, count(*)::DOUBLE FROM points WHERE month = 'month 1' GROUP BY ALL`)
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
		cells[at] = n
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	size := 512. * extent
	for _, s := range got {
		if s.west == -margin || s.north == -margin || s.east == extent+margin || s.south == extent+margin {
			continue // cut
		}
		// The middle of a square is in its cell.
		lon := (float64(s.west+s.east)/2+256*extent)/size*360 - 180
		lat := math.Atan(math.Sinh(math.Pi*(1-2*(float64(s.north+s.south)/2+171*extent)/size))) * 180 / math.Pi
		at := [2]int{int(math.Floor(lon / 0.01)), int(math.Floor(lat / 0.01))}
		if cells[at] != s.count {
			t.Errorf("the square at %v, %v has %v, its cell %v", lon, lat, s.count, cells[at])
		}
	}
	_, body = get(t, url+"/tiles/to%20wns/s%22k/3/4/2.mvt")
	got, _, _ = squares(t, body)
	sum := 0.0
	for _, s := range got {
		sum += s.count
	}
	if math.Abs(sum-12000) > 0.0005*float64(len(got))+1e-6*12000 {
		t.Errorf("far away there are %v points in %d squares, of 12000", sum, len(got))
	}
	if status, body := get(t, url+"/tiles/to%20wns/s%22k/9/0/0.mvt"); status != http.StatusOK || len(body) != 0 {
		t.Errorf("an empty tile: %d, %d bytes", status, len(body))
	}
	_, body = get(t, url+"/tiles/to%20wns/s%22k.json?by=month&value=month+1")
	j := decoded[tileJSON](t, body)
	if j.TileJSON != "3.0.0" || len(j.Tiles) != 1 || j.Tiles[0] != url+"/tiles/to%20wns/s%22k/{z}/{x}/{y}.mvt?by=month&value=month+1" || len(j.Vectors) != 1 || j.Bounds != [4]float64{0.25, 50.25, 1.75, 51.75} {
		t.Errorf("TileJSON is %s", body)
	}
	for path, want := range map[string]int{"/tiles/to%20wns/none.json": 404, "/tiles/to%20wns/s%22k": 404, "/tiles/to%20wns/s%22k.json?format=jpg": 400, "/tiles/to%20wns/s%22k/9/0/0.pbf": 200, "/tiles/to%20wns/s%22k/9/0/0": 400} {
		if status, body := get(t, url+path); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
}

// Pages of the origins that were named have tiles and nothing else; others have nothing.
func TestCORS(t *testing.T) {
	url, _ := startedWith(t, Options{Database: database(t, towns), CORS: []string{"https://maps.example"}})
	for _, c := range []struct {
		path, origin string
		status       int
		allowed      string
	}{
		{"/tiles/july/s%22k/2/2/1.png", "https://maps.example", 200, "https://maps.example"},
		{"/tiles/july/s%22k.json", "https://maps.example", 200, "https://maps.example"},
		{"/tiles/july/s%22k/2/2/1.mvt", "https://maps.example:444", 403, ""},
		{"/tiles/july/s%22k/2/2/1.mvt", "null", 403, ""},
		{"/api/layers", "https://maps.example", 403, ""},
		{"/tiles/july/s%22k/2/2/1.png", "", 403, ""},
	} {
		r, err := http.NewRequest(http.MethodGet, url+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := fmt.Sprint(resp.StatusCode, resp.Header.Get("Access-Control-Allow-Origin"), resp.Header.Get("Vary")); got != fmt.Sprint(c.status, c.allowed, "Origin") {
			t.Errorf("%s from %q: %s", c.path, c.origin, got)
		}
	}
}
