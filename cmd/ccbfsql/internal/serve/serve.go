// Package serve shows the sketches of a database on a map, to this machine's
// browser: tiles drawn from the sketches, sums over areas, the hottest places,
// and the SQL behind each answer.
package serve

import (
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

// Options say what to serve, and where.
type Options struct {
	Database string   // a file, opened read-only
	Addr     string   // host:port; port 0 is any that is free
	Memory   int64    // most bytes of sketches to hold
	Hosts    []string // names that it goes by, beside localhost and the machine's own
	CORS     []string // origins, as https://maps.example, whose pages may have the tiles
	Basemap  string   // a PMTiles file, or a URL; empty for none
	Points   Points   // a file to build the sketches of, in place of a Database
}

// Run serves until ctx ends, and then finishes the requests that it has. Where
// it listens is written to out.
func Run(ctx context.Context, o Options, out io.Writer) (err error) {
	folder, err := os.MkdirTemp("", "ccbfsql-serve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := o.prepare(ctx, folder, out); err != nil {
		return err
	}
	s := newServer(nil, o.Memory)
	s.cors = o.CORS
	if s.basemap, err = newBasemap(o.Basemap); err != nil {
		return err
	}
	s.source = &source{file: o.Database, idle: idleFor}
	defer s.source.end()
	s.build = func(_ context.Context, table string) error { // whoever asked may have gone
		s.source.end() // a file is open in one database of a process only
		database := filepath.Join(folder, "built.duckdb")
		if err := build(ctx, database, Points{File: o.Database, Table: table}, out); err != nil {
			return err
		}
		s.source.become(database)
		return nil
	}
	_, done, err := s.source.use(ctx) // now, to say what is wrong with it
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
	what := o.Database
	if o.Points.File != "" && o.Points.Save == "" {
		what = o.Points.File
	}
	fmt.Fprintf(out, "Serving %s on http://%s (Ctrl-C stops it)\n", what, l.Addr())
	if !loopback(l.Addr()) {
		fmt.Fprintln(out, "Anyone who can reach this address can see the sketches. For the public, put a reverse proxy in front (docs/SHELL.md).")
	}
	return serve(ctx, l, httpServer(handler(s, namesOf(o.Hosts))))
}

// prepare builds the sketches of a file of points, if it is one, and makes them the database.
func (o *Options) prepare(ctx context.Context, folder string, out io.Writer) error {
	if o.Points.File == "" {
		return nil
	}
	o.Database = o.Points.Save
	if o.Database == "" {
		o.Database = filepath.Join(folder, "points.duckdb")
	}
	return build(ctx, o.Database, o.Points, out)
}

// httpServer bounds how long a request may take, and how much its head.
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

// serve answers on l until ctx ends.
func serve(ctx context.Context, l net.Listener, srv *http.Server) error {
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	// Browsers open connections that they do not use, for which Shutdown waits as
	// it does for answers on their way.
	stop, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := srv.Shutdown(stop)
	if errors.Is(err, context.DeadlineExceeded) {
		return srv.Close()
	}
	return err
}

// handler is everything that is served; hosts are the names that it goes by.
func handler(s *server, hosts names) http.Handler {
	api := http.NewServeMux()
	s.routes(api)
	answers := bounded(api)
	files := http.NewServeMux()
	files.Handle("GET /", page())
	mux := http.NewServeMux()
	mux.Handle("/api/", answers)
	mux.Handle("/tiles/", answers)
	mux.HandleFunc("GET "+basemapPath, s.basemap.serve)
	mux.Handle("/", files)
	return guard(mux, hosts, s.cors, s.basemap.origin)
}
