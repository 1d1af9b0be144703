package serve

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/duckdb/duckdb-go/v2"
	lru "github.com/hashicorp/golang-lru/v2"
)

// Limits of one request.
const (
	maxPoints = 100_000 // of a polygon
	maxSpots  = 1000
)

// keptTiles is how many drawn tiles are kept, of 64 KiB at most each: those of
// low zooms, which everyone sees first, take longest to draw.
const keptTiles = 1 << 10

// server answers the requests of the page.
type server struct {
	source  *source
	memory  int64  // most bytes of sketches
	atLeast uint64 // fewest points of a square of theirs; 0 for all squares
	basemap basemap
	cors    []string // origins whose pages may have the tiles
	tiles   *lru.Cache[tileKey, []byte]

	started time.Time
	build   func(ctx context.Context, table string) error // builds sketches of a table of points, and serves them; nil where that cannot be

	loading sync.Mutex // of who loads, or looks at layers
	layers  []*layer   // nil before the first request
	stamp   string     // of the file when they were read
	loads   int        // how often they were
	waiting error      // why they are not those of the file now
}

func newServer(db *sql.DB, memory int64) *server {
	return &server{
		source: &source{db: db}, memory: memory,
		tiles: newCache[tileKey, []byte](keptTiles), started: time.Now(),
	}
}

// ask asks the database a question.
func (s *server) ask(ctx context.Context, question func(db *sql.DB) (any, error)) (any, error) {
	db, done, err := s.source.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return question(db)
}

// tileKey is all that a tile depends on: a layer does not change, another takes its place.
type tileKey struct {
	layer  *layer
	filter string // its id
	kind   string
	style  string
	z      int
	x, y   int64
}

// problem is an error of the request itself.
type problem struct {
	status int
	err    error
}

func (p *problem) Error() string { return p.err.Error() }
func (p *problem) Unwrap() error { return p.err }

func bad(format string, args ...any) error {
	return &problem{http.StatusBadRequest, fmt.Errorf(format, args...)}
}

// routes are all that there is to ask, but for the page itself.
func (s *server) routes(mux *http.ServeMux) {
	mux.Handle("GET /api/layers", answering(func(r *http.Request) (any, error) { return s.all(r.Context()) }))
	mux.Handle("GET /api/basemap", answering(func(*http.Request) (any, error) { return s.basemap, nil }))
	mux.Handle("GET /api/version", answering(s.version))
	mux.Handle("GET /api/tables", answering(s.pointTables))
	mux.Handle("POST /api/build", answering(s.buildTable))
	mux.Handle("GET /api/look", answering(s.look))
	mux.Handle("GET /api/scale", answering(s.scale))
	mux.Handle("GET /api/at", answering(s.at))
	mux.Handle("POST /api/sum", answering(s.sum))
	mux.Handle("POST /api/bars", answering(s.bars))
	mux.Handle("POST /api/hotspots", answering(s.hotspots))
	mux.HandleFunc("GET /tiles/{table}/{column}/{z}/{x}/{y}", s.tile)
	mux.Handle("GET /tiles/{table}/{name}", answering(s.describe))
}

// answering answers with what f returns.
func answering(f func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := f(r)
		if err != nil {
			fail(w, r, err)
			return
		}
		writeJSON(w, http.StatusOK, v)
	})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil { // a number that JSON has no word for
		status, b = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // the client is gone then
}

// unanswerable reports whether a function of the statement found that it cannot
// answer for what it was given: a question that is too large, a coordinate beyond
// all cells. A sketch that is none is not the client's fault.
func unanswerable(err error) bool {
	var d *duckdb.Error
	return errors.As(err, &d) && d.Type == duckdb.ErrorTypeInvalidInput &&
		!strings.Contains(d.Msg, sketch.ErrInvalid.Error()) && !strings.Contains(d.Msg, "memory budget")
}

// fail answers with an error.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusInternalServerError
	var p *problem
	var many *ccbf.ErrTooManyCells
	var large *http.MaxBytesError
	switch {
	case r.Context().Err() != nil:
		return // nobody is there to read it
	case errors.As(err, &large):
		status = http.StatusRequestEntityTooLarge
	case errors.As(err, &p):
		status = p.status
	case errors.As(err, &many), unanswerable(err):
		status = http.StatusUnprocessableEntity
	case errors.Is(err, errTooLarge):
		status = http.StatusInsufficientStorage
	}
	writeJSON(w, status, map[string]string{"error": err.Error()})
}

// all loads every column of sketches, once, and again where the file has changed.
func (s *server) all(ctx context.Context) ([]*layer, error) {
	s.loading.Lock()
	defer s.loading.Unlock()
	stamp := s.source.stamp()
	if s.layers != nil && stamp == s.stamp {
		return s.layers, nil
	}
	layers, err := s.read(ctx)
	if s.waiting = nil; err != nil {
		if s.layers == nil || ctx.Err() != nil {
			return nil, err
		}
		s.waiting = err // those from before are there
		return s.layers, nil
	}
	s.layers, s.stamp = layers, stamp
	s.loads++
	s.tiles.Purge()
	return layers, nil
}

// read reads every column of sketches.
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
			case err != nil: // the others can be looked at
				l = &layer{Table: t.name, Column: c.name, Sliders: []slider{}, Error: err.Error(), tops: newCache[string, topOf](1)}
			case !is:
				continue
			}
			left -= l.Bytes
			layers = append(layers, l)
		}
	}
	// Exact ones first, which can be looked at from afar.
	slices.SortStableFunc(layers, func(a, b *layer) int { return cmp.Compare(b.exactShare(), a.exactShare()) })
	return layers, nil
}

// exactShare is how many rows are exact, of one; -1 where there is nothing to see.
func (l *layer) exactShare() float64 {
	if l.Rows == 0 {
		return -1
	}
	return float64(l.Exact) / float64(l.Rows)
}

// layer is the one that a request names.
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
	return nil, &problem{http.StatusNotFound, fmt.Errorf("no sketches in %q.%q", table, column)}
}

// chosen is the layer and the rows of it that a request names.
func (s *server) chosen(ctx context.Context, table, column string, rows []words, category *string) (*layer, filter, error) {
	l, err := s.layer(ctx, table, column)
	if err != nil {
		return nil, filter{}, err
	}
	f, err := l.filter(rows, category)
	if err != nil {
		return nil, f, &problem{http.StatusBadRequest, err}
	}
	return l, f, nil
}

// fromQuery is chosen for the parameters of a URL: by, value and to for one column,
// and where for several, a list of such in JSON.
func (s *server) fromQuery(r *http.Request, table, column string) (*layer, filter, error) {
	q := r.URL.Query()
	var category *string
	if q.Has("category") {
		c := q.Get("category")
		category = &c
	}
	var rows []words
	if q.Has("where") {
		if err := json.Unmarshal([]byte(q.Get("where")), &rows); err != nil {
			return nil, filter{}, bad("where is not a list like [{\"by\": \"month\", \"value\": \"2018-10\"}]: %v", err)
		}
	}
	if by := q.Get("by"); by != "" {
		rows = append(rows, words{by, q.Get("value"), q.Get("to")})
	}
	return s.chosen(r.Context(), table, column, rows, category)
}

func (s *server) tile(w http.ResponseWriter, r *http.Request) {
	name, kind := r.PathValue("y"), ""
	for ending, k := range map[string]string{".png": "image/png", ".mvt": vectorType, ".pbf": vectorType} {
		if cut, ok := strings.CutSuffix(name, ending); ok {
			name, kind = cut, k
		}
	}
	tile, err := s.drawn(r, name, kind)
	if err != nil {
		fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(tile)))
	w.Header().Set("Cache-Control", "private, max-age=600")
	_, _ = w.Write(tile) // the client is gone then
}

const vectorType = "application/vnd.mapbox-vector-tile"

func (s *server) drawn(r *http.Request, name, kind string) ([]byte, error) {
	var at [3]int64
	for i, text := range []string{r.PathValue("z"), r.PathValue("x"), name} {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || kind == "" {
			return nil, bad("a tile is /tiles/TABLE/COLUMN/Z/X/Y.png or .mvt, with numbers for Z, X and Y")
		}
		at[i] = n
	}
	if _, _, _, _, err := grid.TileBounds(int(at[0]), at[1], at[2]); err != nil {
		return nil, &problem{http.StatusNotFound, err}
	}
	l, f, err := s.fromQuery(r, r.PathValue("table"), r.PathValue("column"))
	if err != nil {
		return nil, err
	}
	style, styled, err := styleOf(r)
	if err != nil {
		return nil, err
	}
	if style.scale == equal && len(style.steps) < 2 {
		return nil, bad("the scale equal needs steps, which /api/scale returns")
	}
	other, err := s.versus(r, l.Table, l.Column)
	if err != nil {
		return nil, err
	}
	id := f.id
	if other != nil {
		if kind == vectorType || style.top == 0 {
			return nil, bad("a difference is a picture, and needs top, which /api/scale returns")
		}
		id += " versus " + other.id
	}
	key := tileKey{l, id, kind, styled, int(at[0]), at[1], at[2]}
	if tile, ok := s.tiles.Get(key); ok {
		return tile, nil
	}
	var tile []byte
	if kind == vectorType {
		tile, err = l.vector(r.Context(), f, key.z, key.x, key.y)
	} else {
		tile, err = l.tile(r.Context(), f, other, key.z, key.x, key.y, style)
	}
	if err == nil {
		s.tiles.Add(key, tile)
	}
	return tile, err
}
