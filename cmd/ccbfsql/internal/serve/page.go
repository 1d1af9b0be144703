package serve

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// built has the page that make web builds, or one that explains how to build it. Its assets are
// compressed, because place names and outlines have several megabytes.
//
//go:embed all:page
var built embed.FS

// page returns a handler for the files of the page.
func page() http.Handler {
	files, err := fs.Sub(built, "page")
	if err != nil {
		panic(err) // the name is a constant
	}
	if _, err := fs.Stat(files, "index.html"); err != nil {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/" {
				http.NotFound(w, r)
				return
			}
			http.ServeFileFS(w, r, files, "missing.html")
		})
	}
	server := http.FileServerFS(files)
	tag := `"` + time.Now().UTC().Format("20060102150405") + `"` // changes with every process, as embedded files have no date
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		w.Header().Set("Cache-Control", "no-cache")
		body, err := fs.ReadFile(files, strings.TrimPrefix(path.Clean(r.URL.Path), "/")+".gz")
		if err != nil {
			server.ServeHTTP(w, r)
			return
		}
		packed(w, r, body)
	})
}

// inflated returns the text of a file that is embedded as gzip.
func inflated(packed []byte) ([]byte, error) {
	from, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(from)
}

// packed serves a compressed file: unchanged to clients that accept gzip, as all browsers do, and
// inflated to others.
func packed(w http.ResponseWriter, r *http.Request, body []byte) {
	h := w.Header()
	h.Set("Vary", "Accept-Encoding")
	if path.Ext(r.URL.Path) == ".mjs" { // some systems do not know this extension
		h.Set("Content-Type", "text/javascript; charset=utf-8")
	}
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
	} else {
		var err error
		if body, err = inflated(body); err != nil {
			fail(w, r, err)
			return
		}
	}
	http.ServeContent(w, r, r.URL.Path, time.Time{}, bytes.NewReader(body))
}
