package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
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
	defer notes.Record(&seen)
	r, err := newReader(o.Column(geoJSONCategory))
	if err != nil {
		return err
	}
	v := &r.view
	var verified []byte
	return r.eachOption(rows, 1, out, &o, geoJSONCategory, func(i int, of ccbf.Categories) error {
		if blob := rows.Col(0).Bytes(i); !sameBytes(blob, verified) {
			if err := sketch.Verify(blob); err != nil { // check the whole BLOB, as all of it is read anyway
				return err
			}
			verified = blob
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
		return do(i, listedSketch{v, ccbf.Box(box), threshold, of})
	})
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
		text, err = bridge.AppendGeoJSON(l.view, text[:0], l.area, l.threshold, l.of, m.take)
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
