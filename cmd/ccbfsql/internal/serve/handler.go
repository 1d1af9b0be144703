package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/help"
	"github.com/duckdb/duckdb-go/v2"
	lru "github.com/hashicorp/golang-lru/v2"
)

// Limits of one request.
const (
	maxPoints = 100_000 // corners of a polygon
	maxSpots  = 1000    // places with the most points
)

// keptTiles is the number of tiles in the cache, each up to 64 KiB. Tiles of low zooms, which every
// user sees first, take longest to draw.
const keptTiles = 1 << 10

// server handles the requests of the page.
type server struct {
	source  source
	memory  int64  // most bytes of sketches in memory
	atLeast uint64 // squares of the map with fewer points are removed; 0 and 1: none are
	basemap basemap
	cors    []string // origins whose pages may load tiles
	tiles   *lru.Cache[tileKey, []byte]
	build   func(table string) error // builds sketches from a table of points and serves them

	loading   sync.Mutex // Protects the fields below.
	layers    []*layer   // Nil: not loaded yet.
	stamp     string     // State of the file when the layers were loaded.
	reloadErr error      // Why the last reload failed; nil: it did not.
}

func newServer(file string, memory int64) *server {
	tiles, err := lru.New[tileKey, []byte](keptTiles)
	if err != nil {
		panic(err) // only if keptTiles is below 1
	}
	return &server{source: source{file: file, idle: idleFor}, memory: memory, tiles: tiles}
}

// tileKey has all that a tile depends on. A layer never changes: a reload creates other layers.
type tileKey struct {
	layer *layer
	url   string
}

// problem is an error with an HTTP status.
type problem struct {
	status int
	err    error
}

func (p *problem) Error() string { return p.err.Error() }
func (p *problem) Unwrap() error { return p.err }

func bad(format string, args ...any) error {
	return &problem{http.StatusBadRequest, fmt.Errorf(format, args...)}
}

// routes adds the handlers of all requests except those for files of the page.
func (s *server) routes(mux *http.ServeMux) {
	mux.Handle("GET /api/layers", jsonHandler(func(r *http.Request) (any, error) { return s.all(r.Context()) }))
	mux.Handle("GET /api/basemap", jsonHandler(func(*http.Request) (any, error) { return s.basemap, nil }))
	mux.Handle("GET /api/version", jsonHandler(s.version))
	mux.Handle("GET /api/tables", jsonHandler(func(r *http.Request) (any, error) { return s.tablesOfPoints(r.Context()) }))
	mux.Handle("POST /api/build", jsonHandler(s.buildTable))
	mux.Handle("GET /api/look", s.layerHandler(look))
	mux.Handle("GET /api/scale", s.layerHandler(scale, append(ofTiles, "xmin", "ymin", "xmax", "ymax", "pixel")...))
	mux.Handle("GET /api/at", s.layerHandler(at, append(ofFilters, "x", "y", "side")...))
	mux.Handle("POST /api/sum", s.areaHandler((*areaRequest).sum))
	mux.Handle("POST /api/bars", s.areaHandler((*areaRequest).bars))
	mux.Handle("POST /api/hotspots", s.areaHandler((*areaRequest).hotspots))
	mux.HandleFunc("GET /tiles/{table}/{column}/{z}/{x}/{y}", s.tile)
	mux.Handle("GET /tiles/{table}/{name}", jsonHandler(s.describe, append(ofTiles, "format")...))
}

// Parameters in the URLs of requests with a filter, and of tiles. The page puts the version of the data into
// a tile's URL.
var (
	ofFilters = []string{"category", "where", "by", "value", "to", "versus"}
	ofTiles   = slices.Clip(append(ofFilters, "palette", "scale", "top", "steps", "version"))
)

// checkParameters returns an error if the URL of a request has a parameter that is none of the names.
func checkParameters(r *http.Request, names []string) error {
	query := r.URL.Query()
	for _, given := range slices.Sorted(maps.Keys(query)) {
		switch {
		case !slices.Contains(names, given):
			return bad("%s has no parameter %q%s", r.URL.Path, given, help.Suggestion(given, names))
		case len(query[given]) > 1:
			return bad("the parameter %q of %s is given %d times", given, r.URL.Path, len(query[given]))
		}
	}
	return nil
}

// jsonHandler returns a handler that writes the result of f as JSON, or its error. names are the parameters
// that the URL can have.
func jsonHandler(f func(*http.Request) (any, error), names ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := checkParameters(r, names)
		var v any
		if err == nil {
			v, err = f(r)
		}
		if err != nil {
			fail(w, r, err)
			return
		}
		writeJSON(w, http.StatusOK, v)
	})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil { // JSON has no infinity and no NaN
		status, b = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // an error means that the client has left
}

// isInputError reports whether the error of a statement is the client's: for example an area with
// too many cells, or a coordinate out of range. A BLOB that is not a sketch is the database's
// error.
func isInputError(err error) bool {
	var d *duckdb.Error
	return errors.As(err, &d) && d.Type == duckdb.ErrorTypeInvalidInput &&
		!strings.Contains(d.Msg, sketch.ErrInvalid.Error()) && !strings.Contains(d.Msg, "memory budget")
}

// fail writes an error as JSON, with its HTTP status.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusInternalServerError
	var p *problem
	var many *ccbf.ErrTooManyCells
	var large *http.MaxBytesError
	switch {
	case r.Context().Err() != nil:
		return // the client has left
	case errors.As(err, &large):
		status = http.StatusRequestEntityTooLarge
	case errors.As(err, &p):
		status = p.status
	case errors.As(err, &many), isInputError(err):
		status = http.StatusUnprocessableEntity
	}
	writeJSON(w, status, map[string]string{"error": err.Error()})
}

// all returns all columns of sketches. It loads them at the first call, and again after a change of
// the file. If a reload fails, the previous layers stay.
func (s *server) all(ctx context.Context) ([]*layer, error) {
	s.loading.Lock()
	defer s.loading.Unlock()
	stamp := s.source.stamp()
	if s.layers != nil && stamp == s.stamp {
		return s.layers, nil
	}
	layers, err := s.read(ctx)
	if s.reloadErr = nil; err != nil {
		if s.layers == nil || ctx.Err() != nil {
			return nil, err
		}
		s.reloadErr = err // the previous layers stay
		return s.layers, nil
	}
	s.layers, s.stamp = layers, stamp
	s.tiles.Purge()
	return layers, nil
}

// read loads all columns of sketches.
func (s *server) read(ctx context.Context) ([]*layer, error) {
	db, done, err := s.source.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	ts, err := tables(ctx, db)
	if err != nil {
		return nil, err
	}
	layers, left := []*layer{}, s.memory
	for i := range ts {
		t := &ts[i]
		for _, c := range t.columns {
			is, err := isSketch(ctx, db, t.name, c)
			var l *layer
			if is {
				l, err = load(ctx, db, t, c.name, left, s.atLeast)
			}
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil: // the other columns can still be shown
				l = &layer{Table: t.name, Column: c.name, Sliders: []slider{}, Error: err.Error()}
			case !is:
				continue
			}
			left -= l.Bytes
			layers = append(layers, l)
		}
	}
	// Layers with many exact sketches come first: they show points at low zooms too.
	exact := func(l *layer) float64 { return float64(l.Exact) / float64(l.Rows) } // without rows NaN, which sorts last
	slices.SortStableFunc(layers, func(a, b *layer) int { return cmp.Compare(exact(b), exact(a)) })
	return layers, nil
}

// layer returns the layer of a table and a column.
func (s *server) layer(ctx context.Context, table, column string) (*layer, error) {
	layers, err := s.all(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range layers {
		if l.Table == table && l.Column == column {
			return l, nil
		}
	}
	return nil, &problem{http.StatusNotFound, fmt.Errorf("there are no sketches in %q.%q: /api/layers lists the columns of sketches", table, column)}
}

// fromQuery returns the filter of a URL: by, value and to for one column, or where, a JSON list of
// conditions. versus has the where and the category of the rows to compare with.
func (l *layer) fromQuery(q url.Values) (f filter, err error) {
	var of, other selection
	if q.Has("category") {
		of.Category = new(q.Get("category"))
	}
	if q.Has("where") {
		if err := json.Unmarshal([]byte(q.Get("where")), &of.Where); err != nil {
			return f, bad("where is not a list like [{\"by\": \"month\", \"value\": \"2018-10\"}]: %v", err)
		}
	}
	if q.Has("by") || q.Has("value") || q.Has("to") {
		one := condition{By: q.Get("by"), To: q.Get("to")}
		if q.Has("value") {
			one.Value = new(q.Get("value"))
		}
		of.Where = append(of.Where, one)
	}
	if f, err = l.filter(of); err != nil || q.Get("versus") == "" {
		return f, err
	}
	if err := json.Unmarshal([]byte(q.Get("versus")), &other); err != nil {
		return f, bad(`versus is not like {"where": [{"by": "month", "value": "2018-10"}]}: %v`, err)
	}
	versus, err := l.filter(other)
	f.versus = &versus
	return f, err
}

func (s *server) tile(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("y")
	ending := path.Ext(name)
	kind := map[string]string{".png": "image/png", ".mvt": vectorType, ".pbf": vectorType}[ending]
	tile, err := s.cachedTile(r, strings.TrimSuffix(name, ending), kind)
	if err != nil {
		fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(tile)))
	w.Header().Set("Cache-Control", "private, max-age=600")
	_, _ = w.Write(tile) // an error means that the client has left
}

const vectorType = "application/vnd.mapbox-vector-tile"

func (s *server) cachedTile(r *http.Request, name, kind string) ([]byte, error) {
	l, err := s.layer(r.Context(), r.PathValue("table"), r.PathValue("column"))
	if err != nil {
		return nil, err
	}
	key := tileKey{l, r.URL.RequestURI()}
	if tile, ok := s.tiles.Get(key); ok {
		return tile, nil
	}
	var at [3]int64
	for i, text := range []string{r.PathValue("z"), r.PathValue("x"), name} {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || kind == "" {
			return nil, bad("a tile is /tiles/TABLE/COLUMN/Z/X/Y.png or .mvt with numbers for Z, X and Y, not %s", r.URL.Path)
		}
		at[i] = n
	}
	z, x, y := int(at[0]), at[1], at[2]
	if _, _, _, _, err := grid.TileBounds(z, x, y); err != nil {
		return nil, &problem{http.StatusNotFound, err}
	}
	if err := checkParameters(r, ofTiles); err != nil {
		return nil, err
	}
	f, err := l.fromQuery(r.URL.Query())
	if err != nil {
		return nil, err
	}
	style, err := styleOf(r.URL.Query())
	if err != nil {
		return nil, err
	}
	if style.Scale == equal && len(style.Steps) < 2 {
		return nil, bad("the scale equal needs steps, which /api/scale returns")
	}
	if f.versus != nil && (kind == vectorType || style.Top == 0) {
		return nil, bad("a difference is a picture, and needs top, which /api/scale returns")
	}
	var tile []byte
	if kind == vectorType {
		tile, err = l.vector(r.Context(), f, z, x, y)
	} else {
		tile, err = l.tile(r.Context(), f, z, x, y, style)
	}
	if err == nil {
		s.tiles.Add(key, tile)
	}
	return tile, err
}
