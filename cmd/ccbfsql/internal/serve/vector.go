package serve

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"
)

// vectorSide is the largest number of squares along a side of a vector tile, but for those on its edges.
const vectorSide = 128

// vector draws a Mapbox Vector Tile 2.1. It has a square with its count for each cell. If there are more
// than vectorSide cells along a side, it has larger squares, of 2^n cells a side. A square on an edge of
// tiles is in each tile that it intersects.
func (l *layer) vector(ctx context.Context, f filter, z int, x, y int64) ([]byte, error) {
	west, south, east, north, err := grid.TileBounds(z, x, y)
	if err != nil || len(l.sketches) == 0 {
		return nil, err
	}
	side := l.Res
	for (east-west)/side > vectorSide {
		side *= 2
	}
	g, err := grid.New(side)
	if err != nil {
		return nil, err
	}
	first, err := g.Cell(west, south)
	if err != nil {
		return nil, err
	}
	last, err := g.Cell(math.Nextafter(east, west), math.Nextafter(north, south))
	if err != nil {
		return nil, err
	}
	width, height := int(last.X-first.X+1), int(last.Y-first.Y+1)
	box := g.Bound(grid.Rect{MinX: first.X, MinY: first.Y, MaxX: last.X, MaxY: last.Y})
	counts := make([]float64, width*height)
	_, err = l.draw(ctx, f, box, func(v *ccbf.View, _ *rowSketch, reads uint64) (bool, error) {
		return bridge.AddDensity(v, counts, box, width, height, f.of, reads)
	})
	if err != nil {
		return nil, err
	}
	size := math.Exp2(float64(z)) * extent
	column := func(i int) int64 {
		return int64(math.Round((g.Edge(first.X+int64(i))+180)/360*size)) - x*extent
	}
	row := func(j int) int64 {
		lat := min(max(g.Edge(last.Y+1-int64(j)), -grid.MaxLat), grid.MaxLat) * math.Pi / 180
		return int64(math.Round((1-math.Asinh(math.Tan(lat))/math.Pi)/2*size)) - y*extent
	}
	t := vectorTile{isCell: side == l.Res, values: map[float64]uint64{}}
	for i, n := range counts {
		t.square(column(i%width), row(i/width), column(i%width+1), row(i/width+1), n)
	}
	return t.bytes(), nil
}

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

// centerOf returns the centre of a view in degrees, and the zoom at which the view takes about two tiles
// along its longer side.
func centerOf(view orb.Bound) [3]float64 {
	middle := view.Center()
	side := max(width(view), 2*height(view)) // a world is twice as wide as high
	zoom := min(max(math.Floor(math.Log2(2*360/side)), 0), maxTileZoom)
	return [3]float64{math.Remainder(middle[0], 360), middle[1], zoom}
}

// describe handles /tiles/TABLE/COLUMN.json. The addresses of tiles in it have the filter of the
// request. format=png requests pictures in place of vector tiles.
func (s *server) describe(r *http.Request) (any, error) {
	table := r.PathValue("table")
	column, ok := strings.CutSuffix(r.PathValue("name"), ".json")
	if !ok {
		return nil, &problem{http.StatusNotFound, fmt.Errorf("tiles are described by /tiles/TABLE/COLUMN.json")}
	}
	l, err := s.layer(r.Context(), table, column)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	if _, err := l.fromQuery(q); err != nil {
		return nil, err
	}
	seen, err := l.look(r.Context())
	if err != nil {
		return nil, err
	}
	if !seen.Degrees {
		return nil, &problem{http.StatusUnprocessableEntity, fmt.Errorf("%s.%s is not in degrees: it has no tiles", table, column)}
	}
	ending := cmp.Or(q.Get("format"), "mvt")
	if !slices.Contains([]string{"mvt", "png"}, ending) {
		return nil, bad("format is %q, must be mvt or png", ending)
	}
	q.Del("format")
	query := ""
	if len(q) > 0 {
		query = "?" + q.Encode()
	}
	scheme := "http"
	if r.Header.Get("X-Forwarded-Proto") == "https" { // a reverse proxy with TLS
		scheme = "https"
	}
	address := fmt.Sprintf("%s://%s/tiles/%s/%s/{z}/{x}/{y}.%s%s", scheme, r.Host, url.PathEscape(table), url.PathEscape(column), ending, query)
	b := clip.Bound(l.bound(), orb.Bound{Min: orb.Point{-180, -85.0511}, Max: orb.Point{180, 85.0511}})
	t := tileJSON{
		TileJSON: "3.0.0", Name: table + "." + column, Tiles: []string{address}, MaxZoom: maxTileZoom,
		Bounds: boxOf(b),
		Center: centerOf(boundOf(seen.Box)),
	}
	t.Vectors = []vectorLayer{}
	if ending == "mvt" {
		t.Vectors = append(t.Vectors, vectorLayer{cellsLayer, map[string]string{"count": "Number", "cell": "Boolean"}})
	}
	return t, nil
}

// Mapbox Vector Tiles 2.1 of squares are encoded here, as protocol buffers. The library of package orb for
// that depends on a MongoDB driver and on an abandoned library.

const (
	extent     = 4096 // units along a side of a tile
	margin     = 64   // width, in units, of the strip around the tile that is drawn too
	cellsLayer = "cells"
)

// vectorTile collects the features of a tile: squares with the attributes count, their number of
// points, and cell, whether they are whole cells.
type vectorTile struct {
	isCell   bool
	values   map[float64]uint64 // Counts and their numbers among the values of the layer, from 1. Value 0 is isCell.
	counts   []float64          // the same in the order of their numbers
	features []byte
}

// message appends a field of bytes (section 4.1, vector_tile.proto).
func message(dst []byte, field uint64, body []byte) []byte {
	dst = binary.AppendUvarint(dst, field<<3|2)
	dst = binary.AppendUvarint(dst, uint64(len(body)))
	return append(dst, body...)
}

// zigzag encodes a signed number for a command's parameter.
func zigzag(v int64) uint64 { return uint64(v<<1 ^ v>>63) }

// square adds a square with n points, given by its north-western and south-eastern corner. It is
// clipped at the margin.
func (t *vectorTile) square(west, north, east, south int64, n float64) {
	cut := func(v int64) int64 { return min(max(v, -margin), extent+margin) }
	west, north, east, south = cut(west), cut(north), cut(east), cut(south)
	if n < 1e-6 || west >= east || north >= south {
		return
	}
	count := math.Round(n*1000) / 1000 // not an integer if the points of a tree's square are spread over several
	value, ok := t.values[count]
	if !ok {
		t.counts = append(t.counts, count)
		value = uint64(len(t.counts))
		t.values[count] = value
	}
	tags := append(binary.AppendUvarint([]byte{0}, value), 1, 0) // pairs of a key and a value
	var geometry, f []byte
	// MoveTo, three LineTo, ClosePath: clockwise, as y grows to the south.
	for _, v := range []uint64{9, zigzag(west), zigzag(north), 3<<3 | 2, zigzag(east - west), 0, 0, zigzag(south - north), zigzag(west - east), 0, 15} {
		geometry = binary.AppendUvarint(geometry, v)
	}
	f = message(f, 2, tags)
	f = append(f, 3<<3, 3) // the field type: a polygon
	f = message(f, 4, geometry)
	t.features = message(t.features, 2, f)
}

// bytes encodes the vector tile. It returns nil if the tile has no features.
func (t *vectorTile) bytes() []byte {
	if len(t.features) == 0 {
		return nil
	}
	var l []byte
	l = append(l, 15<<3, 2) // the field version: 2
	l = message(l, 1, []byte(cellsLayer))
	l = append(l, t.features...)
	for _, k := range []string{"count", "cell"} {
		l = message(l, 3, []byte(k))
	}
	isCell := []byte{7 << 3, 0}
	if t.isCell {
		isCell[1] = 1
	}
	l = message(l, 4, isCell)
	for _, n := range t.counts {
		if n == math.Trunc(n) && n < 1<<53 {
			l = message(l, 4, binary.AppendUvarint([]byte{5 << 3}, uint64(n)))
		} else {
			l = message(l, 4, binary.LittleEndian.AppendUint64([]byte{3<<3 | 1}, math.Float64bits(n)))
		}
	}
	l = binary.AppendUvarint(append(l, 5<<3), extent)
	return message(nil, 3, l)
}
