package serve

import (
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// areaRequest is a request about an area: a polygon, or a box of west, south, east and north.
type areaRequest struct {
	Table    string          `json:"table"`
	Column   string          `json:"column"`
	Where    []condition     `json:"where"`
	Category *string         `json:"category"`
	Polygon  json.RawMessage `json:"polygon"`
	Box      []float64       `json:"box"`

	Bars  string  `json:"bars"`  // Column whose values have a bar each.
	All   bool    `json:"all"`   // All values of the column, not only the largest.
	K     int     `json:"k"`     // Number of places with the most points.
	Apart float64 `json:"apart"` // Least distance between these places; 0: any.
}

// area is an area as GeoJSON, with the box around it.
type area struct {
	polygon json.RawMessage
	box     [4]float64
	isBox   bool // the area is the whole box, not only the polygon in it
}

func boxArea(box [4]float64) (area, error) {
	polygon, err := json.Marshal(struct {
		Type        string      `json:"type"`
		Coordinates orb.Polygon `json:"coordinates"`
	}{"Polygon", boundOf(box).ToPolygon()})
	return area{polygon, box, true}, err
}

// areaRequest parses a request, and returns its layer, filter and area.
func (s *server) areaRequest(r *http.Request) (q areaRequest, l *layer, f filter, a area, err error) {
	if err = isJSON(r); err != nil {
		return
	}
	body := json.NewDecoder(r.Body)
	body.DisallowUnknownFields()
	if err = body.Decode(&q); err != nil {
		err = bad("the body is not the JSON of a request about an area: %w", err)
		return
	}
	if _, end := body.Token(); !errors.Is(end, io.EOF) {
		err = bad("the body must be one JSON object, but there is more after it")
		return
	}
	if l, f, err = s.chosen(r.Context(), q.Table, q.Column, q.Where, q.Category); err != nil {
		return
	}
	a, err = q.area()
	return
}

// area checks and returns the area of a request.
func (q *areaRequest) area() (area, error) {
	switch {
	case q.Polygon == nil && q.Box == nil, q.Polygon != nil && q.Box != nil:
		return area{}, bad("the request must have either a polygon or a box")
	case q.Box != nil:
		if len(q.Box) != 4 || !(q.Box[0] < q.Box[2] && q.Box[1] < q.Box[3]) {
			return area{}, bad("a box is west, south, east, north, not %v", q.Box)
		}
		return boxArea([4]float64(q.Box))
	}
	polygon, err := grid.ParseGeoJSON(q.Polygon)
	if err != nil {
		return area{}, &problem{http.StatusBadRequest, err}
	}
	points := 0
	for _, member := range polygon {
		for _, ring := range member {
			points += len(ring)
		}
	}
	if points == 0 {
		return area{}, bad("the polygon is empty")
	}
	if points > maxPoints {
		return area{}, bad("the polygon has %d points, at most %d are allowed", points, maxPoints)
	}
	b := polygon.Bound()
	return area{q.Polygon, [4]float64{b.Min[0], b.Min[1], b.Max[0], b.Max[1]}, false}, nil
}

func (s *server) sum(r *http.Request) (any, error) {
	_, l, f, a, err := s.areaRequest(r)
	if err != nil {
		return nil, err
	}
	return s.withDB(r.Context(), func(db *sql.DB) (any, error) { return l.sum(r.Context(), db, f, a) })
}

func (s *server) bars(r *http.Request) (any, error) {
	q, l, f, a, err := s.areaRequest(r)
	if err != nil {
		return nil, err
	}
	return s.withDB(r.Context(), func(db *sql.DB) (any, error) { return l.bars(r.Context(), db, f, a, q.Bars, q.All) })
}

func (s *server) hotspots(r *http.Request) (any, error) {
	q, l, f, a, err := s.areaRequest(r)
	if err != nil {
		return nil, err
	}
	if q.K == 0 {
		q.K = 20
	}
	if q.K < 1 || q.K > maxSpots || !(q.Apart >= 0) {
		return nil, bad("k is %d, must be from 1 to %d, and apart is %v, must not be below 0", q.K, maxSpots, q.Apart)
	}
	return s.withDB(r.Context(), func(db *sql.DB) (any, error) { return l.hottest(r.Context(), db, f, a, q.K, q.Apart) })
}

// numbers parses parameters of a URL as finite numbers.
func numbers(r *http.Request, names ...string) ([]float64, error) {
	out := make([]float64, len(names))
	for i, name := range names {
		var err error
		if out[i], err = strconv.ParseFloat(r.URL.Query().Get(name), 64); err != nil || math.IsInf(out[i], 0) {
			return nil, bad("%s is %q, must be a number", name, r.URL.Query().Get(name))
		}
	}
	return out, nil
}

// inView returns the layer, the filter and the box that a URL names.
func (s *server) inView(r *http.Request) (*layer, filter, area, error) {
	q := r.URL.Query()
	l, f, err := s.fromQuery(r, q.Get("table"), q.Get("column"))
	if err != nil {
		return nil, filter{}, area{}, err
	}
	a, err := boxOf(r)
	return l, f, a, err
}

func boxOf(r *http.Request) (area, error) {
	edges, err := numbers(r, "xmin", "ymin", "xmax", "ymax")
	if err != nil {
		return area{}, err
	}
	if !(edges[0] < edges[2] && edges[1] < edges[3]) {
		return area{}, bad("the box %v has its edges in the wrong order", edges)
	}
	return boxArea([4]float64(edges))
}

// look handles /api/look: the extent of a layer.
func (s *server) look(r *http.Request) (any, error) {
	q := r.URL.Query()
	l, err := s.layer(r.Context(), q.Get("table"), q.Get("column"))
	if err != nil {
		return nil, err
	}
	return l.look(r.Context())
}

// scale handles /api/scale: the colour scale of a view.
func (s *server) scale(r *http.Request) (any, error) {
	l, f, a, err := s.inView(r)
	if err != nil {
		return nil, err
	}
	other, err := s.versus(r, l.Table, l.Column)
	if err != nil {
		return nil, err
	}
	pixel, err := numbers(r, "pixel")
	if err != nil {
		return nil, err
	}
	if !(pixel[0] > 0) {
		return nil, bad("pixel is %v, must be above 0", pixel[0])
	}
	style, _, err := styleOf(r)
	if err != nil {
		return nil, err
	}
	return l.scale(r.Context(), f, other, boundOf(a.box), pixel[0], style)
}

// at handles /api/at: the points at a place.
func (s *server) at(r *http.Request) (any, error) {
	q := r.URL.Query()
	l, f, err := s.fromQuery(r, q.Get("table"), q.Get("column"))
	if err != nil {
		return nil, err
	}
	at, err := numbers(r, "x", "y", "side")
	if err != nil {
		return nil, err
	}
	if math.Abs(at[0]) > 180 || math.Abs(at[1]) > 90 || !(at[2] <= 360) {
		return nil, bad("x is %v, y is %v, side is %v: must be a longitude, a latitude, and degrees", at[0], at[1], at[2])
	}
	return l.at(r.Context(), f, at[0], at[1], at[2])
}
