package serve

import (
	"embed"
	"io/fs"
	"net/http"
	"time"
)

// built is the page that make web builds, or one that says how to build it.
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
		server.ServeHTTP(w, r)
	})
}
