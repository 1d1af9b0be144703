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
