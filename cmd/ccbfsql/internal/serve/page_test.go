package serve

import (
	"bytes"
	"compress/gzip"
	"image/color"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/picture"
)

// The page's files are sent compressed to clients that accept it and plain to others, and can be
// cached. The page's own script stays small.
func TestPageIsSmall(t *testing.T) {
	needsPage(t)
	server := httptest.NewServer(page())
	defer server.Close()
	names, err := fs.Glob(built, "page/assets/*.gz")
	if err != nil || len(names) < 6 {
		t.Fatalf("assets are %q, %v", names, err)
	}
	own := 0
	for _, name := range names {
		file := strings.TrimSuffix(filepath.Base(name), ".gz")
		asked := func(header, value string) (reply, []byte) {
			return ask(t, http.MethodGet, server.URL+"/assets/"+file, "", map[string]string{"Accept-Encoding": "identity", header: value})
		}
		plain, text := asked("Accept", "*/*")
		packed, body := asked("Accept-Encoding", "gzip, deflate")
		if plain.Header.Get("Content-Encoding") != "" || packed.Header.Get("Content-Encoding") != "gzip" || plain.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: headers are %v and %v", file, plain.Header, packed.Header)
		}
		from, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if same, err := io.ReadAll(from); err != nil || !bytes.Equal(same, text) || len(text) == 0 {
			t.Errorf("%s: %d bytes, and %d of its %d compressed ones: %v", file, len(text), len(same), len(body), err)
		}
		want := map[string]string{".js": "javascript", ".mjs": "javascript", ".css": "text/css", ".json": "json"}[filepath.Ext(file)]
		if kind := plain.Header.Get("Content-Type"); want == "" || !strings.Contains(kind, want) {
			t.Errorf("%s is %q", file, kind)
		}
		if again, body := asked("If-None-Match", plain.Header.Get("ETag")); again.StatusCode != http.StatusNotModified || len(body) > 0 {
			t.Errorf("%s: %d with %d bytes for what is there", file, again.StatusCode, len(body))
		}
		if file == "main.js" {
			own = len(body)
		}
	}
	if own == 0 || own > 400<<10 {
		t.Errorf("the page's script has %d bytes compressed, at most 400 KiB are promised", own)
	}
}

// luminance returns the relative luminance of WCAG 2.1.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.03928 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// The contrast with land and sea (WCAG 2.1) rises with every colour in each theme. It begins above
// 1 and ends at 4.5 or more.
func TestColoursStandOut(t *testing.T) {
	source, err := os.ReadFile("../../../../web/src/theme.js")
	if err != nil {
		t.Fatal(err)
	}
	grounds := regexp.MustCompile(`(sea|land): "#([0-9a-f]{6})"`).FindAllStringSubmatch(string(source), -1)
	palettes := regexp.MustCompile(`palette: "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(grounds) != 4 || len(palettes) != 2 {
		t.Fatalf("%d grounds and %d palettes in theme.js", len(grounds), len(palettes))
	}
	contrast := func(c color.Color, hex string) float64 {
		v, err := strconv.ParseUint(hex, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		a, b := luminance(c), luminance(color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255})
		return (max(a, b) + 0.05) / (min(a, b) + 0.05)
	}
	for i, g := range grounds {
		colours := picture.Colours(palettes[i/2][1])
		last := 0.0
		for j, c := range colours {
			now := contrast(c, g[2])
			if now < last && now > 1.3 { // below 1.3, the hue still differs from the sea
				t.Errorf("%s on %s: contrast falls from %.2f to %.2f at colour %d", palettes[i/2][1], g[0], last, now, j)
			}
			last = now
		}
		if last < 4.5 {
			t.Errorf("%s on %s: many have a contrast of %.2f", palettes[i/2][1], g[0], last)
		}
		for j, c := range divergingPalette()[1:] {
			if j%shades > shades/2 && contrast(c, g[2]) < 2.5 {
				t.Errorf("difference %d on %s: contrast %.2f", j, g[0], contrast(c, g[2]))
			}
		}
	}
}
