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
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/notes"
	"github.com/paulmach/orb"
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
	geoJSONThreshold: {Name: "threshold", Kind: sketch.WholeKind, PerRow: true, Default: "1",
		Summary: "Only cells with at least this many points."},
	geoJSONCategory: {Name: "category", Kind: sketch.KeyKind, PerRow: true, Default: "none",
		Summary: "Only points of this category, or of these: a list, or for exact sketches and trees a range {lo: ..., hi: ...}. If it is NULL, the result is NULL."},
}

// listedSketch is a sketch, and which of its cells to list.
type listedSketch struct {
	view      *ccbf.View
	area      ccbf.Area
	threshold uint64
	of        ccbf.Categories
}

// eachListed reads the options of ccbf_geojson, and calls do for every row whose result is not NULL.
func eachListed(rows *duck.Rows, out *duck.Result, do func(i int, l listedSketch) error) error {
	var o args.Options
	if err := o.Reset(optional(rows, 1), ccbfGeoJSONOptions); err != nil {
		return err
	}
	var seen notes.Areas
	defer seen.Record()
	r, err := newReader(o.Column(geoJSONCategory))
	if err != nil {
		return err
	}
	v := &r.view
	return r.eachOption(rows, 1, out, &o, geoJSONCategory, func(i int, of ccbf.Categories) error {
		if err := r.verify(rows.Col(0).Bytes(i)); err != nil {
			return err
		}
		box := v.Bounds
		if o.Given(geoJSONBox, i) {
			edges, err := o.Box(geoJSONBox, i)
			if err != nil {
				return err
			}
			if box, err = v.Grid.Box(edges[0], edges[1], edges[2], edges[3]); err != nil {
				return err
			}
			if err := checkDrawn(&seen, &v.Head, orb.Bound{Min: orb.Point{edges[0], edges[1]}, Max: orb.Point{edges[2], edges[3]}}); err != nil {
				return err
			}
		}
		threshold, err := o.Count(geoJSONThreshold, i, 1)
		if err != nil {
			return err
		}
		if threshold == 0 {
			return fmt.Errorf("%w: threshold is 0, must be at least 1", ccbf.ErrSpots)
		}
		return do(i, listedSketch{v, ccbf.Box(box), threshold, of})
	})
}

// list writes the cells to row i of out. An element has bytes in DuckDB's memory. setter returns the function
// that writes cell j to the elements.
func (l *listedSketch) list(out *duck.Result, i, bytes int, setter func(elements *duck.Result) func(j int, s *ccbf.Spot)) error {
	most, held := bridge.Listed(l.view, l.of)
	if err := out.Charge(held + int64(bytes*most)); err != nil {
		return err
	}
	cells, err := l.view.Cells(l.area, l.of)
	if err != nil {
		return err
	}
	set, n := setter(out.List(i, most)), 0
	for s := range cells {
		if n == most {
			break // damaged bytes can have more cells than they announce
		}
		if s.Count >= l.threshold {
			set(n, &s)
			n++
		}
	}
	out.Shorten(i, n)
	out.Discharge(held)
	return nil
}

// ccbfGeoJSON computes ccbf_geojson.
func ccbfGeoJSON(rows *duck.Rows, out *duck.Result) error {
	var text []byte
	m := reservation{out: out} // memory of text
	return eachListed(rows, out, func(i int, l listedSketch) (err error) {
		_, bytes := bridge.Listed(l.view, l.of)
		if err := out.Charge(bytes); err != nil {
			return err
		}
		text, err = l.appendGeoJSON(text[:0], m.take)
		out.Discharge(bytes)
		if err != nil {
			return err
		}
		if err := out.Charge(int64(len(text))); err != nil { // DuckDB's copy of the text
			return err
		}
		out.SetBytes(i, text)
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
func (l *listedSketch) appendGeoJSON(dst []byte, room func(bytes int64) error) ([]byte, error) {
	cells, err := l.view.Cells(l.area, l.of)
	if err != nil {
		return dst, err
	}
	w := newFeatureWriter(l.view.Grid)
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
		dst = w.append(append(dst, separator...), &s)
		separator = ","
	}
	return append(dst, "]}"...), nil
}

// featureWriter writes cells as GeoJSON features.
type featureWriter struct {
	grid   grid.Grid // the grid of the sketch.
	format byte      // the format for strconv.AppendFloat.
	edges  [4][]byte // the west, south, east and north edge of a cell as text.
}

func newFeatureWriter(g grid.Grid) featureWriter {
	w := featureWriter{grid: g, format: 'f'}
	if res := g.Res(); res < leastPlain || res > 1/leastPlain {
		w.format = 'g'
	}
	return w
}

func (w *featureWriter) append(dst []byte, s *ccbf.Spot) []byte {
	for i, edge := range squareEdges(w.grid, s) {
		w.edges[i] = w.number(w.edges[i][:0], edge)
	}
	dst = append(dst, `{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[`...)
	for i, corner := range squareCorners {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, '['), w.edges[corner[0]]...)
		dst = append(append(dst, ','), w.edges[corner[1]]...)
		dst = append(dst, ']')
	}
	dst = append(dst, `]]},"properties":{"count":`...)
	dst = strconv.AppendUint(dst, s.Count, 10)
	return append(dst, "}}"...)
}

// number appends a coordinate.
func (w *featureWriter) number(dst []byte, v float64) []byte {
	return strconv.AppendFloat(dst, v, w.format, -1, 64)
}
