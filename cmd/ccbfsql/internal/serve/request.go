package serve

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// areaRequest is a request about an area: a polygon, or a box of west, south, east and north.
type areaRequest struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	selection
	Polygon json.RawMessage `json:"polygon"`
	Box     []float64       `json:"box"`

	Bars  string  `json:"bars"`  // Column whose values have a bar each.
	All   bool    `json:"all"`   // All values of the column, not only the largest.
	K     int     `json:"k"`     // Number of places with the most points.
	Apart float64 `json:"apart"` // Least distance between these places; 0: any.

	layer  *layer
	filter filter
	area   area
}

// area is an area as GeoJSON, with the box around it.
type area struct {
	polygon json.RawMessage
	box     [4]float64
	isBox   bool // the area is the whole box, not only the polygon in it
}

// areaHandler returns a handler of requests about an area. query computes the response.
func (s *server) areaHandler(query func(q *areaRequest, ctx context.Context, db *sql.DB) (any, error)) http.Handler {
	return jsonHandler(func(r *http.Request) (any, error) {
		q, err := s.areaRequest(r)
		if err != nil {
			return nil, err
		}
		db, done, err := s.source.use(r.Context())
		if err != nil {
			return nil, err
		}
		defer done()
		return query(q, r.Context(), db)
	})
}

// areaRequest parses and checks a request.
func (s *server) areaRequest(r *http.Request) (*areaRequest, error) {
	if err := isJSON(r); err != nil {
		return nil, err
	}
	q := &areaRequest{}
	body := json.NewDecoder(r.Body)
	body.DisallowUnknownFields()
	if err := body.Decode(q); err != nil {
		return nil, bad("the body is not the JSON of a request about an area: %w", err)
	}
	if _, end := body.Token(); !errors.Is(end, io.EOF) {
		return nil, bad("the body must be one JSON object, but there is more after it")
	}
	var err error
	if q.layer, err = s.layer(r.Context(), q.Table, q.Column); err != nil {
		return nil, err
	}
	if q.filter, err = q.layer.filter(q.selection); err != nil {
		return nil, err
	}
	q.area, err = areaOf(q.Polygon, q.Box)
	return q, err
}

// areaOf checks and returns the area of a request: a polygon or a box.
func areaOf(polygon json.RawMessage, box []float64) (area, error) {
	switch {
	case (polygon == nil) == (box == nil):
		return area{}, bad("the request must have either a polygon or a box")
	case box != nil:
		if len(box) != 4 || !(box[0] < box[2] && box[1] < box[3]) {
			return area{}, bad("a box is west, south, east, north, not %v", box)
		}
		edges := [4]float64(box)
		corners, err := json.Marshal(boundOf(edges).ToPolygon())
		return area{fmt.Appendf(nil, `{"type":"Polygon","coordinates":%s}`, corners), edges, true}, err
	}
	read, err := grid.ParsePolygon(polygon)
	if err != nil {
		return area{}, &problem{http.StatusBadRequest, err}
	}
	points := 0
	for _, member := range read {
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
	return area{polygon, boxOf(read.Bound()), false}, nil
}

// layerHandler returns a handler of requests about the layer that their URL names.
func (s *server) layerHandler(answer func(ctx context.Context, l *layer, q url.Values) (any, error)) http.Handler {
	return jsonHandler(func(r *http.Request) (any, error) {
		q := r.URL.Query()
		l, err := s.layer(r.Context(), q.Get("table"), q.Get("column"))
		if err != nil {
			return nil, err
		}
		return answer(r.Context(), l, q)
	})
}

// numbers parses parameters of a URL as finite numbers.
func numbers(q url.Values, names ...string) ([]float64, error) {
	out := make([]float64, len(names))
	for i, name := range names {
		var err error
		if out[i], err = strconv.ParseFloat(q.Get(name), 64); err != nil || math.IsInf(out[i], 0) {
			return nil, bad("%s is %q, must be a number", name, q.Get(name))
		}
	}
	return out, nil
}

// look handles /api/look: the extent of a layer.
func look(ctx context.Context, l *layer, _ url.Values) (any, error) { return l.look(ctx) }

// scale handles /api/scale: the colour scale of a view.
func scale(ctx context.Context, l *layer, q url.Values) (any, error) {
	f, err := l.fromQuery(q)
	if err != nil {
		return nil, err
	}
	view, err := numbers(q, "xmin", "ymin", "xmax", "ymax", "pixel")
	if err != nil {
		return nil, err
	}
	pixel := view[4]
	if !(view[0] < view[2] && view[1] < view[3] && pixel > 0) {
		return nil, bad("the box %v has its edges in the wrong order, or pixel is %v and not above 0", view[:4], pixel)
	}
	style, err := styleOf(q)
	if err != nil {
		return nil, err
	}
	return l.scale(ctx, f, boundOf([4]float64(view)), pixel, style)
}

// at handles /api/at: the points at a place.
func at(ctx context.Context, l *layer, q url.Values) (any, error) {
	f, err := l.fromQuery(q)
	if err != nil {
		return nil, err
	}
	at, err := numbers(q, "x", "y", "side")
	if err != nil {
		return nil, err
	}
	if math.Abs(at[0]) > 180 || math.Abs(at[1]) > 90 || !(at[2] <= 360) {
		return nil, bad("x is %v, y is %v, side is %v: must be a longitude, a latitude, and degrees", at[0], at[1], at[2])
	}
	return l.at(ctx, f, at[0], at[1], at[2])
}
