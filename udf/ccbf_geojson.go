package udf

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// The options of ccbf_geojson, in the order of ccbfGeoJSONOptions.
const (
	geoJSONBox = iota
	geoJSONThreshold
	geoJSONCategory
)

var ccbfGeoJSONOptions = []sketch.Option{
	geoJSONBox: {Name: "box", Kind: sketch.BoxKind, PerRow: true, Default: "all",
		Summary: "Only cells whose centres lie in this box; lower edges are included, upper edges are not. For a tree, the squares that meet it. tile_bbox and quadkey_bbox return such a box."},
	geoJSONThreshold: {Name: "threshold", Kind: sketch.WholeKind, Range: "from 1 to 2^64-1", PerRow: true, Default: "1",
		Summary: "Only cells with at least this many points."},
	geoJSONCategory: {Name: "category", Kind: sketch.KeyKind, PerRow: true, Default: "none",
		Summary: "Only points of this category, or of these: a list, or for exact sketches and trees a range {lo: ..., hi: ...}. If it is NULL, the result is NULL."},
}

// listing says which cells of a sketch to list.
type listing struct {
	area      ccbf.Area
	threshold uint64
	of        ccbf.Categories
}

// eachListed reads the options of ccbf_geojson, and calls do for every row whose result is not NULL.
func eachListed(c *call, do func(q *question, i int, l listing) error) error {
	q, err := questionOf(c, everywhere, c.options.Column(geoJSONCategory))
	if err != nil {
		return err
	}
	q.option, q.verifies = geoJSONCategory, true
	h := &q.view.Head
	return q.each(func(i int, of ccbf.Categories) error {
		area := ccbf.Box(h.Bounds)
		if c.options.Given(geoJSONBox, i) {
			box, err := c.options.Box(geoJSONBox, i)
			if err != nil {
				return err
			}
			if area, _, err = boxArea(h, box); err != nil {
				return err
			}
		}
		threshold, err := c.options.Count(geoJSONThreshold, i, 1)
		if err != nil {
			return err
		}
		if threshold == 0 {
			return fmt.Errorf("%w: threshold is 0, must be at least 1", ccbf.ErrSpots)
		}
		return do(q, i, listing{area, threshold, of})
	})
}

// list writes cells as row i. An element has bytes in DuckDB's memory. putter returns the function that
// writes a cell as element j of a list.
func (q *question) list(i int, l listing, bytes int, putter func(list *duck.Result, g grid.Grid) func(j int, s *ccbf.Spot)) error {
	most, walked := bridge.Listed(&q.view, l.of)
	if err := q.out.Grow(walked); err != nil {
		return err
	}
	if err := q.out.Charge(int64(bytes * most)); err != nil {
		return err
	}
	cells, err := q.view.Cells(l.area, l.of)
	if err != nil {
		return err
	}
	put, n := putter(q.out.List(i, most), q.view.Grid), 0
	for s := range cells {
		if n == most {
			break // damaged bytes can have more cells than they announce
		}
		if s.Count >= l.threshold {
			put(n, &s)
			n++
		}
	}
	q.out.Shorten(i, n)
	return nil
}

// ccbfGeoJSON computes ccbf_geojson.
func ccbfGeoJSON(c *call) error {
	var text []byte
	return eachListed(c, func(q *question, i int, l listing) (err error) {
		_, walked := bridge.Listed(&q.view, l.of)
		if err := c.out.Grow(walked); err != nil {
			return err
		}
		if text, err = l.appendGeoJSON(text[:0], &q.view, c.out.Charge); err != nil {
			return err
		}
		if err := c.out.Charge(int64(len(text))); err != nil { // DuckDB's copy of the text
			return err
		}
		c.out.SetBytes(i, text)
		return nil
	})
}

const (
	maxText    = math.MaxInt32
	maxFeature = 1 << 10 // bytes: text, ten coordinates, a count
	leastPlain = 1e-15   // the smallest cell size, and the inverse of the largest, without exponents
)

// appendGeoJSON appends the cells as a FeatureCollection of RFC 7946. Each cell is a feature: its square, with
// the property count. Coordinates are the shortest decimals of the edges, in any unit; GeoJSON expects
// degrees.
//
// It calls room with the size of each larger buffer before that is made. Its error ends the text.
func (l *listing) appendGeoJSON(dst []byte, v *ccbf.View, room func(bytes int64) error) ([]byte, error) {
	cells, err := v.Cells(l.area, l.of)
	if err != nil {
		return dst, err
	}
	dst = append(dst, `{"type":"FeatureCollection","features":[`...)
	separator := ""
	for s := range cells {
		if s.Count < l.threshold {
			continue
		}
		if cap(dst)-len(dst) < maxFeature {
			if len(dst) > maxText-2*maxFeature {
				return dst, errors.New("the text is too long: more than 2 GiB (ask for a smaller area or a higher threshold)")
			}
			size := 2 * int64(cap(dst)+maxFeature)
			if err := room(size); err != nil {
				return dst, err
			}
			dst = append(make([]byte, 0, size), dst...)
		}
		dst = appendFeature(append(dst, separator...), v.Grid, &s)
		separator = ","
	}
	return append(dst, "]}"...), nil
}

// appendFeature appends a cell as a GeoJSON feature.
func appendFeature(dst []byte, g grid.Grid, s *ccbf.Spot) []byte {
	format := byte('f')
	if res := g.Res(); res < leastPlain || res > 1/leastPlain {
		format = 'g'
	}
	dst = append(dst, `{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[`...)
	for i, corner := range squareOf(g, s) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendFloat(append(dst, '['), corner[0], format, -1, 64)
		dst = strconv.AppendFloat(append(dst, ','), corner[1], format, -1, 64)
		dst = append(dst, ']')
	}
	dst = append(dst, `]]},"properties":{"count":`...)
	dst = strconv.AppendUint(dst, s.Count, 10)
	return append(dst, "}}"...)
}
