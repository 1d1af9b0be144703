package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pmtiles is an archive of one tile, of zoom 0 (PMTiles 3, sections 2 to 4).
func pmtiles(tile []byte) []byte {
	directory := binary.AppendUvarint([]byte{1, 0, 1}, uint64(len(tile))) // entries, tile, run, length
	directory = append(directory, 1)                                      // offset 0
	metadata := []byte("{}")
	b := append([]byte("PMTiles"), 3)
	at := uint64(127)
	for _, part := range [][]byte{directory, metadata, nil, tile} {
		b = binary.LittleEndian.AppendUint64(b, at)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(part)))
		at += uint64(len(part))
	}
	for range 3 { // tiles addressed, entries, contents
		b = binary.LittleEndian.AppendUint64(b, 1)
	}
	b = append(b, 1, 1, 1, 2, 0, 0) // clustered, no compression, PNG, zooms
	for _, e7 := range []int32{-1800000000, -850000000, 1800000000, 850000000} {
		b = binary.LittleEndian.AppendUint32(b, uint32(e7))
	}
	b = append(b, make([]byte, 9)...) // centre
	return bytes.Join([][]byte{b, directory, metadata, tile}, nil)
}

// A map of the user's own lies below the sketches: a PMTiles file, or tiles at a URL.
func TestBasemap(t *testing.T) {
	green := color.NRGBA{0x20, 0xa0, 0x40, 0xff}
	img := image.NewNRGBA(image.Rect(0, 0, tileSide, tileSide))
	for i := range tileSide * tileSide {
		img.Set(i%tileSide, i/tileSide, green)
	}
	var tile bytes.Buffer
	if err := png.Encode(&tile, img); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "world.pmtiles")
	if err := os.WriteFile(file, pmtiles(tile.Bytes()), 0o644); err != nil {
		t.Fatal(err)
	}
	tiles := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(tile.Bytes())
	}))
	defer tiles.Close()
	db := database(t, towns)
	for name, given := range map[string]string{"file": file, "url": tiles.URL + "/{z}/{x}/{y}.png"} {
		url, _ := startedWith(t, Options{Database: db, Basemap: given})
		var problems []string
		out := browsed(t, "basemap.mjs", url, name, tiles.URL)
		if err := json.Unmarshal(out, &problems); err != nil || len(problems) > 0 {
			t.Errorf("%s: %s, %v", name, out, err)
		}
		f, err := os.Open(filepath.Join("..", "..", "..", "..", "build", "screens", "basemap-"+name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		shot, err := png.Decode(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if got := color.NRGBAModel.Convert(shot.At(1240, 300)); got != green {
			t.Errorf("%s: beside the points the map is %v, want %v", name, got, green)
		}
	}
}

func TestBasemapMistakes(t *testing.T) {
	for given, want := range map[string]string{
		"world.mbtiles":                     "must be a .pmtiles file",
		"none.pmtiles":                      "none.pmtiles",
		"https://tiles.example/a.png":       "no {z}, {x} and {y}",
		"ftp://tiles.example/{z}/{x}/{y}":   "no URL of http",
		"https://a; b/{z}/{x}/{y}.png":      "no URL of http",
		"https:///{z}/{x}/{y}.png":          "no URL of http",
		"https://t.example/w.pmtiles":       "",
		"https://t.example/{z}/{y}/{x}.png": "",
	} {
		if b, err := newBasemap(given); want == "" && (err != nil || b.origin != "https://t.example") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v", given, b, err)
		}
	}
}
