package serve

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// vectorSide is the largest number of squares along a side of a vector tile. Squares are cells if
// these are large enough, and otherwise parts of the tile.
const vectorSide = 128

// vector draws a Mapbox Vector Tile 2.1. It has a square with its count for each cell. If cells are
// smaller than that, it has one for each of vectorSide by vectorSide parts of the tile.
func (l *layer) vector(ctx context.Context, f filter, z int, x, y int64) ([]byte, error) {
	west, south, east, north, err := grid.TileBounds(z, x, y)
	if err != nil {
		return nil, err
	}
	t := vectorTile{isCell: l.Res > 0 && (east-west)/l.Res <= vectorSide, values: map[float64]uint64{}}
	size := math.Exp2(float64(z)) * extent
	if t.isCell {
		// The tile has whole cells. A cell on an edge of tiles is in each tile that it intersects.
		first, err := l.grid.Cell(west, south)
		if err != nil {
			return nil, err
		}
		last, err := l.grid.Cell(math.Nextafter(east, west), math.Nextafter(north, south))
		if err != nil {
			return nil, err
		}
		width, height := int(last.X-first.X+1), int(last.Y-first.Y+1)
		values := make([]float64, width*height)
		box := l.grid.Bound(grid.Rect{MinX: first.X, MinY: first.Y, MaxX: last.X, MaxY: last.Y})
		if _, err := l.density(ctx, values, f, box, width, height, readsOfTile); err != nil {
			return nil, err
		}
		column := func(i int) int64 {
			return int64(math.Round((l.grid.Edge(first.X+int64(i))+180)/360*size)) - x*extent
		}
		row := func(j int) int64 {
			lat := min(max(l.grid.Edge(last.Y+1-int64(j)), -mercatorLimit), mercatorLimit) * math.Pi / 180
			return int64(math.Round((1-math.Asinh(math.Tan(lat))/math.Pi)/2*size)) - y*extent
		}
		for i, n := range values {
			t.square(column(i%width), row(i/width), column(i%width+1), row(i/width+1), n)
		}
		return t.bytes(), nil
	}
	even := make([]float64, tileSide*2*tileSide)
	box := orb.Bound{Min: orb.Point{west, south}, Max: orb.Point{east, north}}
	if _, err := l.density(ctx, even, f, box, tileSide, 2*tileSide, readsOfTile); err != nil {
		return nil, err
	}
	const of, step = tileSide / vectorSide, extent / vectorSide
	parts := make([]float64, vectorSide*vectorSide)
	for i, n := range mercator(even, z, y, south, north) {
		parts[i/tileSide/of*vectorSide+i%tileSide/of] += n
	}
	for i, n := range parts {
		at, down := int64(i%vectorSide*step), int64(i/vectorSide*step)
		t.square(at, down, at+step, down+step, n)
	}
	return t.bytes(), nil
}

// mercatorLimit is the largest latitude of the map in degrees.
const mercatorLimit = 85.0511287798066

// tileJSON is a TileJSON 3.0.0 document, which says where a layer's tiles are.
type tileJSON struct {
	TileJSON string        `json:"tilejson"`
	Name     string        `json:"name"`
	Tiles    []string      `json:"tiles"`
	MinZoom  int           `json:"minzoom"`
	MaxZoom  int           `json:"maxzoom"`
	Bounds   [4]float64    `json:"bounds"`
	Center   [3]float64    `json:"center"`
	Vectors  []vectorLayer `json:"vector_layers"`
}

// vectorLayer describes a layer of the vector tiles: its name and the types of its attributes.
type vectorLayer struct {
	ID     string            `json:"id"`
	Fields map[string]string `json:"fields"`
}

// maxTileZoom is the largest zoom in TileJSON.
const maxTileZoom = 20

// describe handles /tiles/TABLE/COLUMN.json. The addresses of tiles in it have the filter of the
// request. format=png requests pictures in place of vector tiles.
func (s *server) describe(r *http.Request) (any, error) {
	table := r.PathValue("table")
	column, ok := strings.CutSuffix(r.PathValue("name"), ".json")
	if !ok {
		return nil, &problem{http.StatusNotFound, fmt.Errorf("tiles are described by /tiles/TABLE/COLUMN.json")}
	}
	l, _, err := s.fromQuery(r, table, column)
	if err != nil {
		return nil, err
	}
	seen, err := l.look(r.Context())
	if err != nil {
		return nil, err
	}
	if !seen.Degrees {
		return nil, &problem{http.StatusUnprocessableEntity, fmt.Errorf("%s.%s is not in degrees: it has no tiles", table, column)}
	}
	q := r.URL.Query()
	ending := cmp.Or(q.Get("format"), "mvt")
	if !slices.Contains([]string{"mvt", "png"}, ending) {
		return nil, bad("format is %q, must be mvt or png", ending)
	}
	q.Del("format")
	query := ""
	if len(q) > 0 {
		query = "?" + q.Encode()
	}
	address := fmt.Sprintf("http://%s/tiles/%s/%s/{z}/{x}/{y}.%s%s", r.Host, url.PathEscape(table), url.PathEscape(column), ending, query)
	b := intersection(l.bound(), orb.Bound{Min: orb.Point{-180, -85.0511}, Max: orb.Point{180, 85.0511}})
	t := tileJSON{
		TileJSON: "3.0.0", Name: table + "." + column, Tiles: []string{address}, MaxZoom: maxTileZoom,
		Bounds: [4]float64{b.Min[0], b.Min[1], b.Max[0], b.Max[1]},
		Center: [3]float64{(seen.Box[0] + seen.Box[2]) / 2, (seen.Box[1] + seen.Box[3]) / 2, 6},
	}
	t.Vectors = []vectorLayer{}
	if ending == "mvt" {
		t.Vectors = append(t.Vectors, vectorLayer{cellsLayer, map[string]string{"count": "Number", "cell": "Boolean"}})
	}
	return t, nil
}
