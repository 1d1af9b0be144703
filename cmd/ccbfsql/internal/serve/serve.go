// Package serve shows the sketches of a database on a map in the browser. It draws tiles from the
// sketches, returns sums over areas and the cells with the most points, and shows the SQL of each
// result.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// Options describe the server.
type Options struct {
	File    string   // Database, opened read-only, or a file of points: any file that DuckDB reads by its name.
	Addr    string   // Address to listen on, as host:port; port 0: any free port.
	Memory  int64    // Most bytes of sketches in memory.
	Hosts   []string // Host names in addition to localhost and the machine's own.
	CORS    []string // Origins such as https://maps.example whose pages may load tiles.
	Basemap string   // PMTiles file or URL; "": none.
	Points  Points   // How sketches of points are built.
}

// Run serves until ctx ends, and then completes the running requests. It writes its address to out.
func Run(ctx context.Context, o Options, out io.Writer) (err error) {
	s, end, err := o.server(ctx, out)
	if err != nil {
		return err
	}
	defer end()
	s.cors = o.CORS
	if s.basemap, err = newBasemap(o.Basemap); err != nil {
		return err
	}
	_, done, err := s.source.use(ctx) // opens the database now, so that Run returns an error if that fails
	if err != nil {
		return err
	}
	done()
	l, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return err
	}
	if tables, err := s.tablesOfPoints(ctx); err == nil {
		for _, t := range tables {
			fmt.Fprintf(out, "There are no sketches, but table %s has points: -table %[1]s builds sketches of it, and the page offers to.\n", t.Table)
		}
	}
	fmt.Fprintf(out, "Serving %s on http://%s (Ctrl-C stops it)\n", cmp.Or(o.Points.Save, o.File), l.Addr())
	if !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		fmt.Fprintln(out, "Anyone who can reach this address can see the sketches. For the public, put a reverse proxy in front (docs/SHELL.md).")
	}
	return serve(ctx, l, httpServer(handler(s, namesOf(o.Hosts))))
}

// server returns a server of the database, or of the sketches of a file of points, which it builds. The
// returned function removes what only the server needs.
func (o *Options) server(ctx context.Context, out io.Writer) (s *server, end func(), err error) {
	folder, err := os.MkdirTemp("", "ccbfsql-serve")
	if err != nil {
		return nil, nil, err
	}
	database := o.File
	if o.IsPoints() {
		database = cmp.Or(o.Points.Save, filepath.Join(folder, "points.duckdb"))
		if err := build(ctx, database, o.File, o.Points, out); err != nil {
			return nil, nil, errors.Join(err, os.RemoveAll(folder))
		}
	}
	s = newServer(database, o.Memory)
	s.build = func(table string) error { // building goes on when the client leaves
		s.source.end() // a process can open a file only once
		built := filepath.Join(folder, "built.duckdb")
		if err := build(ctx, built, database, Points{Table: table}, out); err != nil {
			return err
		}
		s.source.become(built)
		return nil
	}
	return s, func() {
		s.source.end()
		_ = os.RemoveAll(folder) // temporary: an error does not matter
	}, nil
}

// httpServer returns a server with limits for the time and the headers of requests.
func httpServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       20 * time.Second,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    1 << 14,
	}
}

// serve serves on l until ctx ends.
func serve(ctx context.Context, l net.Listener, srv *http.Server) error {
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	// Browsers open connections in advance. Shutdown waits for these as for running requests.
	stop, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := srv.Shutdown(stop)
	if errors.Is(err, context.DeadlineExceeded) {
		return srv.Close()
	}
	return err
}

// handler returns the handler of all requests. hosts are the server's names.
func handler(s *server, hosts names) http.Handler {
	api := http.NewServeMux()
	s.routes(api)
	answers := limited(api)
	files := http.NewServeMux()
	files.Handle("GET /", page())
	mux := http.NewServeMux()
	mux.Handle("/api/", answers)
	mux.Handle("/tiles/", answers)
	mux.HandleFunc("GET "+basemapPath, s.basemap.serve)
	mux.Handle("/", files)
	return guard(mux, hosts, s.cors, s.basemap.origin)
}
