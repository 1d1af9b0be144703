package serve

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
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
		ask := func(header, value string) (int, http.Header, []byte) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/assets/"+file, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", "identity")
			r.Header.Set(header, value)
			a, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Body.Close()
			b, err := io.ReadAll(a.Body)
			if err != nil {
				t.Fatal(err)
			}
			return a.StatusCode, a.Header, b
		}
		_, plain, text := ask("Accept", "*/*")
		_, packed, body := ask("Accept-Encoding", "gzip, deflate")
		if plain.Get("Content-Encoding") != "" || packed.Get("Content-Encoding") != "gzip" || plain.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: headers are %v and %v", file, plain, packed)
		}
		from, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if same, err := io.ReadAll(from); err != nil || !bytes.Equal(same, text) || len(text) == 0 {
			t.Errorf("%s: %d bytes, and %d of its %d compressed ones: %v", file, len(text), len(same), len(body), err)
		}
		want := map[string]string{".js": "javascript", ".mjs": "javascript", ".css": "text/css", ".json": "json"}[filepath.Ext(file)]
		if kind := plain.Get("Content-Type"); want == "" || !strings.Contains(kind, want) {
			t.Errorf("%s is %q", file, kind)
		}
		if status, _, body := ask("If-None-Match", plain.Get("ETag")); status != http.StatusNotModified || len(body) > 0 {
			t.Errorf("%s: %d with %d bytes for what is there", file, status, len(body))
		}
		if file == "main.js" {
			own = len(body)
		}
	}
	if own == 0 || own > 400<<10 {
		t.Errorf("the page's script has %d bytes compressed, at most 400 KiB are promised", own)
	}
}
