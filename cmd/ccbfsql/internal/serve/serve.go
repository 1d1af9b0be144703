// Package serve shows the sketches of a database on a map in the browser. It draws tiles from the
// sketches, returns sums over areas and the cells with the most points, and shows the SQL of each
// result.
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

// Options describe the server.
type Options struct {
	Database string   // File, opened read-only.
	Addr     string   // Address to listen on, as host:port; port 0: any free port.
	Memory   int64    // Most bytes of sketches in memory.
	Hosts    []string // Host names in addition to localhost and the machine's own.
	CORS     []string // Origins such as https://maps.example whose pages may load tiles.
	Basemap  string   // PMTiles file or URL; "": none.
	Points   Points   // File of points to build sketches from, in place of a Database.
}

// Run serves until ctx ends, and then completes the running requests. It writes its address to out.
func Run(ctx context.Context, o Options, out io.Writer) (err error) {
	folder, err := os.MkdirTemp("", "ccbfsql-serve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := o.prepare(ctx, folder, out); err != nil {
		return err
	}
	s := newServer(o.Database, o.Memory)
	s.cors = o.CORS
	if s.basemap, err = newBasemap(o.Basemap); err != nil {
		return err
	}
	defer s.source.end()
	s.build = func(_ context.Context, table string) error { // the request's context is not used: building goes on when the client leaves
		s.source.end() // a process can open a file only once
		database := filepath.Join(folder, "built.duckdb")
		if err := build(ctx, database, Points{File: o.Database, Table: table}, out); err != nil {
			return err
		}
		s.source.become(database)
		return nil
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
	what := o.Database
	if o.Points.File != "" && o.Points.Save == "" {
		what = o.Points.File
	}
	fmt.Fprintf(out, "Serving %s on http://%s (Ctrl-C stops it)\n", what, l.Addr())
	if !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		fmt.Fprintln(out, "Anyone who can reach this address can see the sketches. For the public, put a reverse proxy in front (docs/SHELL.md).")
	}
	return serve(ctx, l, httpServer(handler(s, namesOf(o.Hosts))))
}

// prepare builds the sketches of a file of points, if there is one, and sets Database to them.
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
