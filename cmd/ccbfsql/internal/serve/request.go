package serve

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// areaRequest is a request about an area: a polygon, or a box of west, south, east and north.
type areaRequest struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	selection
	Polygon json.RawMessage `json:"polygon"` // The area as GeoJSON, also that of a Box, or as WKT in a string.
	Box     []float64       `json:"box"`     // Nil if the area is not a box.

	Bars  string  `json:"bars"`  // Column whose values have a bar each.
	All   bool    `json:"all"`   // All values of the column, not only the largest.
	K     int     `json:"k"`     // Number of places with the most points.
	Apart float64 `json:"apart"` // Least distance between these places; 0: any.

	layer  *layer
	filter filter
	around orb.Bound // Box around the area.
}

// allDegrees are all longitudes and latitudes. A map that goes around the globe continues beyond 180 degrees.
var allDegrees = orb.Bound{Min: orb.Point{-540, -90}, Max: orb.Point{540, 90}}

// areaHandler returns a handler that parses and checks requests about an area. query computes the response.
func (s *server) areaHandler(query func(q *areaRequest, ctx context.Context, db *sql.DB) (any, error)) http.Handler {
	return jsonHandler(func(r *http.Request) (any, error) {
		var q areaRequest
		err := readJSON(r, &q)
		if err != nil {
			return nil, err
		}
		if q.layer, err = s.layer(r.Context(), q.Table, q.Column); err != nil {
			return nil, err
		}
		if q.filter, err = q.layer.filter(q.selection); err != nil {
			return nil, err
		}
		if q.around, err = q.bound(); err != nil {
			return nil, err
		}
		seen, err := q.layer.look(r.Context())
		if err != nil {
			return nil, err
		}
		if seen.Plane == nil && !q.around.Intersects(allDegrees) {
			return nil, bad("the area %v is not in degrees: west, south, east, north must be longitudes and latitudes", boxOf(q.around))
		}
		db, done, err := s.source.use(r.Context())
		if err != nil {
			return nil, err
		}
		defer done()
		return query(&q, r.Context(), db)
	})
}

// bound checks the area of a request, a polygon or a box, and returns the box around it. It sets the
// polygon of a box.
func (q *areaRequest) bound() (orb.Bound, error) {
	switch {
	case (q.Polygon == nil) == (q.Box == nil):
		return orb.Bound{}, bad("the request must have either a polygon or a box")
	case q.Box != nil:
		if len(q.Box) != 4 || !(q.Box[0] < q.Box[2] && q.Box[1] < q.Box[3]) {
			return orb.Bound{}, bad("a box is west, south, east, north, not %v", q.Box)
		}
		box := boundOf([4]float64(q.Box))
		corners, err := json.Marshal(box.ToPolygon())
		q.Polygon = fmt.Appendf(nil, `{"type":"Polygon","coordinates":%s}`, corners)
		return box, err
	}
	if text := ""; json.Unmarshal(q.Polygon, &text) == nil {
		q.Polygon = json.RawMessage(text)
	}
	read, err := grid.ParsePolygon(q.Polygon)
	if err != nil {
		return orb.Bound{}, &problem{http.StatusBadRequest, err}
	}
	points := 0
	for _, member := range read {
		for _, ring := range member {
			points += len(ring)
		}
	}
	if points == 0 {
		return orb.Bound{}, bad("the polygon is empty")
	}
	if points > maxPoints {
		return orb.Bound{}, bad("the polygon has %d points, at most %d are allowed", points, maxPoints)
	}
	return read.Bound(), nil
}

// layerHandler returns a handler of requests about the layer that their URL names. names are the other
// parameters of the URL.
func (s *server) layerHandler(answer func(ctx context.Context, l *layer, q url.Values) (any, error), names ...string) http.Handler {
	return jsonHandler(func(r *http.Request) (any, error) {
		q := r.URL.Query()
		l, err := s.layer(r.Context(), q.Get("table"), q.Get("column"))
		if err != nil {
			return nil, err
		}
		return answer(r.Context(), l, q)
	}, append(names, "table", "column")...)
}

// numbers parses parameters of a URL as finite numbers.
func numbers(q url.Values, names ...string) ([]float64, error) {
	out := make([]float64, len(names))
	for i, name := range names {
		var err error
		if out[i], err = strconv.ParseFloat(q.Get(name), 64); err != nil || math.IsInf(out[i], 0) || math.IsNaN(out[i]) {
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
	if !(view[0] < view[2] && view[1] < view[3] && pixel*pixel > 0) {
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
	seen, err := l.look(ctx)
	if err != nil {
		return nil, err
	}
	if seen.Plane == nil && (math.Abs(at[0]) > 180 || math.Abs(at[1]) > 90 || at[2] > 360) {
		return nil, bad("x is %v, y is %v, side is %v: must be a longitude, a latitude, and degrees", at[0], at[1], at[2])
	}
	if at[2] < 0 {
		return nil, bad("side is %v, must not be below 0", at[2])
	}
	return l.at(ctx, f, at[0], at[1], at[2])
}
