package udf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/asked"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/paulmach/orb"
)

// The options of ccbf_geojson, in the order of ccbfGeoJSONOptions.
const (
	geoJSONBox = iota
	geoJSONThreshold
	geoJSONCategory
)

var ccbfGeoJSONOptions = []args.Option{
	geoJSONBox: {Name: "box", Kind: args.Box, PerRow: true, Default: "all",
		Summary: "Only cells whose centres lie in this box; lower edges are included, upper edges are not. For a tree, the squares that meet it. tile_bbox and quadkey_bbox return such a box."},
	geoJSONThreshold: {Name: "threshold", Kind: args.Whole, PerRow: true, Default: "1",
		Summary: "Only cells with at least this many points."},
	geoJSONCategory: {Name: "category", Kind: args.Key, PerRow: true, Default: "none",
		Summary: "Only points of this category. If it is NULL, the result is NULL."},
}

func ccbfGeoJSON(rows *duck.Rows, out *duck.Result) error {
	var o args.Options
	if err := o.Reset(optional(rows, 1), ccbfGeoJSONOptions); err != nil {
		return err
	}
	var category args.Keys
	if o.Has(geoJSONCategory) {
		if err := category.Reset(o.Column(geoJSONCategory)); err != nil {
			return fmt.Errorf("category: %w", err)
		}
	}
	var seen asked.Areas
	defer asked.Record(&seen)
	return ccbfAsk(rows, 0, func(r *ccbfReader) error {
		var text []byte
		m := making{out: out} // the text
		for i := range rows.Len() {
			if !rows.Col(0).Valid(i) || o.Null(geoJSONCategory, i) {
				out.SetNull(i)
				continue
			}
			blob := rows.Col(0).Bytes(i)
			if !r.view.Is(blob) {
				if err := sketch.Verify(blob); err != nil { // all of it is read anyway
					return err
				}
				if err := r.openAny(blob); err != nil {
					return err
				}
			}
			v := &r.view
			given := o.Given(geoJSONCategory, i)
			err := v.CheckCategory(given)
			if err != nil {
				return err
			}
			var c []byte
			if given {
				if c, err = category.Bytes(i, v.Class()); err != nil {
					return err
				}
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
				if err := lookAt(&seen, &v.Head, orb.Bound{Min: orb.Point{edges[0], edges[1]}, Max: orb.Point{edges[2], edges[3]}}); err != nil {
					return err
				}
			}
			threshold, err := o.Count(geoJSONThreshold, i, 1)
			if err != nil {
				return err
			}
			_, bytes := v.Listed(c)
			if err := out.Charge(bytes); err != nil {
				return err
			}
			text, err = v.AppendGeoJSON(text[:0], box, threshold, c, m.take)
			out.Discharge(bytes)
			if err != nil {
				return err
			}
			if err := out.Charge(int64(len(text))); err != nil { // DuckDB's
				return err
			}
			out.SetBytes(i, text)
		}
		return nil
	})
}
