package serve

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/duckdb/duckdb-go/v2"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/paulmach/orb"
)

// Limits of one request.
const (
	maxBody   = 1 << 20 // bytes
	maxPoints = 100_000 // of a polygon
	maxSpots  = 1000
)

// keptTiles is how many drawn tiles are kept, of 64 KiB at most each: those of
// low zooms, which everyone sees first, take longest to draw.
const keptTiles = 1 << 10

// server answers the requests of the page.
type server struct {
	db     *sql.DB
	memory int64         // most bytes of sketches
	draws  chan struct{} // held while a tile is drawn
	asks   chan struct{} // held while the database is asked
	queued atomic.Int32  // requests that wait for asks
	tiles  *lru.Cache[tileKey, []byte]

	loading chan struct{} // held by who loads, or looks at layers
	layers  []*layer      // nil before the first request
}

// asksAtOnce is how many questions run in the database at a time: each takes all
// of its threads.
const asksAtOnce = 2

func newServer(db *sql.DB, memory int64) *server {
	return &server{
		db: db, memory: memory,
		draws: make(chan struct{}, runtime.GOMAXPROCS(0)), asks: make(chan struct{}, asksAtOnce), loading: make(chan struct{}, 1),
		tiles: newCache[tileKey, []byte](keptTiles),
	}
}

// hold takes a place among those at work, and returns what gives it back; an error
// once nobody waits for it any more.
func hold(ctx context.Context, places chan struct{}) (func(), error) {
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ask is hold for a question to the database.
func (s *server) ask(ctx context.Context) (func(), error) {
	s.queued.Add(1)
	defer s.queued.Add(-1)
	return hold(ctx, s.asks)
}

// tileKey is all that a tile depends on, as the database does not change.
type tileKey struct {
	layer  *layer
	filter filter
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
	mux.Handle("POST /api/sum", answering(s.sum))
	mux.Handle("GET /api/hotspots", answering(s.hotspots))
	mux.HandleFunc("GET /tiles/{table}/{column}/{z}/{x}/{y}", s.tile)
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
	switch {
	case r.Context().Err() != nil:
		return // nobody is there to read it
	case errors.As(err, &p):
		status = p.status
	case errors.As(err, &many), unanswerable(err):
		status = http.StatusUnprocessableEntity
	case errors.Is(err, errTooLarge):
		status = http.StatusInsufficientStorage
	}
	writeJSON(w, status, map[string]string{"error": err.Error()})
}

// all loads every column of sketches, once.
func (s *server) all(ctx context.Context) ([]*layer, error) {
	done, err := hold(ctx, s.loading)
	if err != nil {
		return nil, err
	}
	defer done()
	if s.layers != nil {
		return s.layers, nil
	}
	ts, err := tables(ctx, s.db)
	if err != nil {
		return nil, err
	}
	layers, left := []*layer{}, s.memory
	for i := range ts {
		t := &ts[i]
		for _, c := range t.columns {
			is, err := isSketch(ctx, s.db, t.name, c)
			if err != nil {
				return nil, err
			}
			if !is {
				continue
			}
			l, err := load(ctx, s.db, t, c.name, left)
			if err != nil {
				return nil, err
			}
			left -= l.Bytes
			layers = append(layers, l)
		}
	}
	// Exact ones first, which can be looked at from afar.
	slices.SortStableFunc(layers, func(a, b *layer) int { return cmp.Compare(b.Exact*a.Rows, a.Exact*b.Rows) })
	s.layers = layers
	return layers, nil
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

// chosen is the layer and the rows of it that the words of a request name.
func (s *server) chosen(ctx context.Context, table, column string, by, value, to string, category *string) (*layer, filter, error) {
	l, err := s.layer(ctx, table, column)
	if err != nil {
		return nil, filter{}, err
	}
	text := ""
	if category != nil {
		text = *category
	}
	f, err := l.filter(by, value, to, text, category != nil)
	if err != nil {
		return nil, f, &problem{http.StatusBadRequest, err}
	}
	return l, f, nil
}

// fromQuery is chosen for the parameters of a URL.
func (s *server) fromQuery(r *http.Request, table, column string) (*layer, filter, error) {
	q := r.URL.Query()
	var category *string
	if q.Has("category") {
		c := q.Get("category")
		category = &c
	}
	return s.chosen(r.Context(), table, column, q.Get("by"), q.Get("value"), q.Get("to"), category)
}

func (s *server) tile(w http.ResponseWriter, r *http.Request) {
	png, err := s.drawn(r)
	if err != nil {
		fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Content-Length", strconv.Itoa(len(png)))
	w.Header().Set("Cache-Control", "private, max-age=600")
	_, _ = w.Write(png) // the client is gone then
}

func (s *server) drawn(r *http.Request) ([]byte, error) {
	name, isPNG := strings.CutSuffix(r.PathValue("y"), ".png")
	var at [3]int64
	for i, text := range []string{r.PathValue("z"), r.PathValue("x"), name} {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || !isPNG {
			return nil, bad("a tile is /tiles/TABLE/COLUMN/Z/X/Y.png, with numbers for Z, X and Y")
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
	key := tileKey{l, f, int(at[0]), at[1], at[2]}
	if png, ok := s.tiles.Get(key); ok {
		return png, nil
	}
	done, err := hold(r.Context(), s.draws) // as many at a time as there are processors
	if err != nil {
		return nil, err
	}
	defer done()
	png, err := l.tile(r.Context(), f, key.z, key.x, key.y)
	if err == nil {
		s.tiles.Add(key, png)
	}
	return png, err
}

// question is one for an area: a polygon, or a box as west, south, east, north.
type question struct {
	Table    string          `json:"table"`
	Column   string          `json:"column"`
	By       string          `json:"by"`
	Value    string          `json:"value"`
	To       string          `json:"to"`
	Category *string         `json:"category"`
	Polygon  json.RawMessage `json:"polygon"`
	Box      []float64       `json:"box"`
}

func (s *server) sum(r *http.Request) (any, error) {
	if err := isJSON(r); err != nil {
		return nil, err
	}
	var q question
	body := json.NewDecoder(r.Body)
	body.DisallowUnknownFields()
	if err := body.Decode(&q); err != nil {
		return nil, bad("the body is not the JSON of a question: %v", err)
	}
	if _, err := body.Token(); !errors.Is(err, io.EOF) {
		return nil, bad("something follows the question")
	}
	l, f, err := s.chosen(r.Context(), q.Table, q.Column, q.By, q.Value, q.To, q.Category)
	if err != nil {
		return nil, err
	}
	switch {
	case q.Polygon == nil && q.Box == nil, q.Polygon != nil && q.Box != nil:
		return nil, bad("give a polygon or a box")
	case q.Box != nil:
		if len(q.Box) != 4 || !(q.Box[0] < q.Box[2] && q.Box[1] < q.Box[3]) {
			return nil, bad("a box is west, south, east, north, not %v", q.Box)
		}
		b := orb.Bound{Min: orb.Point{q.Box[0], q.Box[1]}, Max: orb.Point{q.Box[2], q.Box[3]}}
		if q.Polygon, err = json.Marshal(struct {
			Type        string      `json:"type"`
			Coordinates orb.Polygon `json:"coordinates"`
		}{"Polygon", b.ToPolygon()}); err != nil {
			return nil, err
		}
	}
	polygon, err := grid.ParseGeoJSON(q.Polygon)
	if err != nil {
		return nil, &problem{http.StatusBadRequest, err}
	}
	points := 0
	for _, member := range polygon {
		for _, ring := range member {
			points += len(ring)
		}
	}
	if points == 0 {
		return nil, bad("the polygon is empty")
	}
	if points > maxPoints {
		return nil, bad("the polygon has %d points, at most %d are allowed", points, maxPoints)
	}
	b := polygon.Bound()
	done, err := s.ask(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	return l.sum(r.Context(), s.db, f, q.Polygon, [4]float64{b.Min[0], b.Min[1], b.Max[0], b.Max[1]})
}

func (s *server) hotspots(r *http.Request) (any, error) {
	q := r.URL.Query()
	l, f, err := s.fromQuery(r, q.Get("table"), q.Get("column"))
	if err != nil {
		return nil, err
	}
	var box [4]float64
	for i, name := range []string{"xmin", "ymin", "xmax", "ymax"} {
		if box[i], err = strconv.ParseFloat(q.Get(name), 64); err != nil || math.IsInf(box[i], 0) {
			return nil, bad("%s is %q, must be a number", name, q.Get(name))
		}
	}
	if !(box[0] < box[2] && box[1] < box[3]) {
		return nil, bad("the box %v has its edges in the wrong order", box)
	}
	k := 20
	if q.Has("k") {
		if k, err = strconv.Atoi(q.Get("k")); err != nil || k < 1 || k > maxSpots {
			return nil, bad("k is %q, must be from 1 to %d", q.Get("k"), maxSpots)
		}
	}
	done, err := s.ask(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	return l.hottest(r.Context(), s.db, f, box, k)
}
