package serve

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// built is the page that make web builds, or one that says how to build it. Its assets
// are compressed: names and outlines are several megabytes.
//
//go:embed all:page
var built embed.FS

// page serves the files of the page.
func page() http.Handler {
	files, err := fs.Sub(built, "page")
	if err != nil {
		panic(err) // of a constant name
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
	tag := `"` + time.Now().UTC().Format("20060102150405") + `"` // of this process: files of embed have no date
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", tag)
		w.Header().Set("Cache-Control", "no-cache")
		body, err := fs.ReadFile(files, strings.TrimPrefix(path.Clean(r.URL.Path), "/")+".gz")
		if err != nil {
			server.ServeHTTP(w, r)
			return
		}
		packed(w, r, body, tag)
	})
}

// inflations are the files that somebody asked for uncompressed, by their paths: each is inflated once,
// however many slow connections it is sent to.
var inflations sync.Map

func inflated(path string, body []byte) []byte {
	once, _ := inflations.LoadOrStore(path, sync.OnceValue(func() []byte {
		var plain bytes.Buffer
		if from, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
			_, _ = io.Copy(&plain, from) //nolint:gosec // our own bytes, whole
		}
		return plain.Bytes()
	}))
	return once.(func() []byte)()
}

// packed serves a file that is kept compressed: as it is to who takes that, as all
// browsers do.
func packed(w http.ResponseWriter, r *http.Request, body []byte, tag string) {
	h := w.Header()
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Type", mime.TypeByExtension(path.Ext(r.URL.Path)))
	if path.Ext(r.URL.Path) == ".mjs" { // which not every system knows
		h.Set("Content-Type", "text/javascript; charset=utf-8")
	}
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
	} else {
		body = inflated(r.URL.Path, body)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // the client is gone then
}
