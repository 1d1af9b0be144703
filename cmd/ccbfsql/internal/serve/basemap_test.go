package serve

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Types of tiles in PMTiles (PMTiles 3, 3.9).
const (
	vectorTiles = 1
	pngTiles    = 2
)

// pmtiles returns an archive with one tile of zoom 0 (PMTiles 3, sections 2 to 4).
func pmtiles(tile []byte, typ byte, metadata string) []byte {
	directory := binary.AppendUvarint([]byte{1, 0, 1}, uint64(len(tile))) // entries, tile, run, length
	directory = append(directory, 1)                                      // offset 0
	b := append([]byte("PMTiles"), 3)
	at := uint64(127)
	for _, part := range [][]byte{directory, []byte(metadata), nil, tile} {
		b = binary.LittleEndian.AppendUint64(b, at)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(part)))
		at += uint64(len(part))
	}
	for range 3 { // tiles addressed, entries, contents
		b = binary.LittleEndian.AppendUint64(b, 1)
	}
	b = append(b, 1, 1, 1, typ, 0, 0) // clustered, no compression, type, zooms
	for _, e7 := range []int32{-1800000000, -850000000, 1800000000, 850000000} {
		b = binary.LittleEndian.AppendUint32(b, uint32(e7))
	}
	b = append(b, make([]byte, 9)...) // centre
	return bytes.Join([][]byte{b, directory, []byte(metadata), tile}, nil)
}

// water returns a vector tile that is covered by water, with the name of one place.
func water() []byte {
	feature := func(kind byte, tags []byte, geometry ...uint64) []byte {
		var commands []byte
		for _, v := range geometry {
			commands = binary.AppendUvarint(commands, v)
		}
		return message(append(message(nil, 2, tags), 3<<3, kind), 4, commands)
	}
	layer := func(name string, feature []byte, more ...byte) []byte {
		l := message(message([]byte{15 << 3, 2}, 1, []byte(name)), 2, feature)
		return message(nil, 3, binary.AppendUvarint(append(append(l, more...), 5<<3), extent))
	}
	side := zigzag(extent)
	all := feature(3, nil, 9, 0, 0, 3<<3|2, side, 0, 0, side, zigzag(-extent), 0, 15)
	key, value := message(nil, 3, []byte("name")), message(nil, 4, message(nil, 1, []byte("Atlantis")))
	return append(layer("water", all), layer("places", feature(1, []byte{0, 0}, 9, zigzag(extent/2), zigzag(extent/3)), append(key, value...)...)...)
}

// The user's own map is drawn below the sketches: a PMTiles file of pictures or vector tiles, or
// tiles at a URL. Wrong values have errors.
func TestBasemap(t *testing.T) {
	t.Parallel()
	green := color.NRGBA{0x20, 0xa0, 0x40, 0xff}
	img := image.NewNRGBA(image.Rect(0, 0, tileSide, tileSide))
	for i := range tileSide * tileSide {
		img.Set(i%tileSide, i/tileSide, green)
	}
	var tile bytes.Buffer
	if err := png.Encode(&tile, img); err != nil {
		t.Fatal(err)
	}
	vectors := pmtiles(water(), vectorTiles, `{"vector_layers": [{"id": "water"}, {"id": "places"}]}`)
	tiles := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		switch {
		case strings.HasSuffix(r.URL.Path, "world.pmtiles"):
			http.ServeContent(w, r, "world.pmtiles", time.Time{}, bytes.NewReader(vectors))
		case strings.HasSuffix(r.URL.Path, ".png"):
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write(tile.Bytes())
		default:
			_, _ = w.Write([]byte("<!doctype html>neither an archive nor a picture, and long enough to be read as the head of one of either kind: " + strings.Repeat("no ", 50)))
		}
	}))
	defer tiles.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	sea := color.NRGBA{0xdf, 0xe8, 0xee, 0xff}
	db := database(t, towns)
	cases := map[string]struct {
		basemap string
		shows   color.NRGBA // where it does
		says    string
	}{
		"pictures":      {basemap: written(t, t.TempDir(), "pictures.pmtiles", string(pmtiles(tile.Bytes(), pngTiles, "{}"))), shows: green},
		"url":           {basemap: tiles.URL + "/{z}/{x}/{y}.png", shows: green},
		"vectors":       {basemap: tiles.URL + "/world.pmtiles", shows: sea},
		"wrong-gone":    {basemap: gone.URL + "/{z}/{x}/{y}.png", says: gone.URL},
		"wrong-archive": {basemap: tiles.URL + "/none.pmtiles", says: tiles.URL + "/none.pmtiles"},
		"wrong-picture": {basemap: tiles.URL + "/{z}/{x}/{y}.html", says: "image"},
	}
	var pages []string
	for name, c := range cases {
		url, _ := startedWith(t, Options{File: db, Basemap: c.basemap})
		pages = append(pages, name+"="+url)
	}
	read := browsed[map[string]struct {
		Said     string
		Problems []string
	}](t, "basemap.mjs", "-", pages...)
	for name, c := range cases {
		got := read[name]
		if c.says != "" {
			if !strings.HasPrefix(got.Said, "The basemap: ") || !strings.Contains(got.Said, c.says) {
				t.Errorf("%s: it says %q, not %q", name, got.Said, c.says)
			}
			continue
		}
		for _, p := range got.Problems {
			if !strings.HasPrefix(p, "asked "+tiles.URL+"/") {
				t.Errorf("%s: the browser complains: %s", name, p)
			}
		}
		if part := share(t, "basemap-"+name+".png", c.shows); got.Said != "" || part < 0.9 {
			t.Errorf("%s: it says %q, and %.2f of the map are %v", name, got.Said, part, c.shows)
		}
	}
}

// share returns which fraction of the upper half of a screenshot, beside the panel, has a colour.
func share(t *testing.T, name string, want color.NRGBA) float64 {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "..", "build", "screens", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	shot, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	b, has, all := shot.Bounds(), 0, 0
	for y := b.Dy() / 10; y < b.Dy()*6/10; y++ {
		for x := b.Dx() * 6 / 10; x < b.Dx()*9/10; x++ {
			all++
			if color.NRGBAModel.Convert(shot.At(x, y)) == want {
				has++
			}
		}
	}
	return float64(has) / float64(all)
}

func TestBasemapMistakes(t *testing.T) {
	folder := t.TempDir()
	old, folderOf := written(t, folder, "old.pmtiles", "PM\x02\x00"+strings.Repeat("\x00", 200)), filepath.Join(folder, "folder.pmtiles")
	if err := os.Mkdir(folderOf, 0o755); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		old:                                 "is not a PMTiles archive of version 3",
		folderOf:                            "folder.pmtiles",
		"world.mbtiles":                     "must be a .pmtiles file",
		"none.pmtiles":                      "none.pmtiles",
		"https://tiles.example/a.png":       "lacks {z}, {x} and {y}",
		"ftp://tiles.example/{z}/{x}/{y}":   "not an http or https URL",
		"https://a; b/{z}/{x}/{y}.png":      "not an http or https URL",
		"https:///{z}/{x}/{y}.png":          "not an http or https URL",
		"https://t.example/w.pmtiles":       "",
		"https://t.example/{z}/{y}/{x}.png": "",
	} {
		if b, err := newBasemap(given); want == "" && (err != nil || b.origin != "https://t.example") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v", given, b, err)
		}
	}
}
