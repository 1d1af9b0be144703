package udf

import (
	"fmt"
	"math"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// CCBF returns the scalar functions of CascadeCBF.
func CCBF() functions {
	// q is the sketch of the examples.
	const q = "ccbf_agg(x, y, 1) s FROM (VALUES (0.5, 0.5), (0.6, 0.7), (5.5, 0.5)) p(x, y)"
	point := params(paramSketch, paramX, paramY)
	fn := func(name string, returns duck.Type, f compute, summary, example string, ps []duck.Param, optional ...duck.Param) duck.Function {
		return function("ccbf", name, returns, f, summary, "SELECT "+example, ps, optional...)
	}
	return append(ccbfParts(fn, q), []duck.Function{
		withOptions(fn("ccbf_empty", duck.Blob, ccbfEmpty,
			"Empty sketch, to add points to; with the option category: true, for points that have one.",
			"ccbf_total(ccbf_add(ccbf_empty(0.5), 1.2, 3.4))", params(paramRes), paramOptions), args.CCBFEmptyOptions),
		withOptions(fn("ccbf_add", duck.Blob, ccbfChange(1, func(s *ccbf.Sketch, c []grid.Cell, category []byte, n *uint64) error {
			return s.Add(c[0], category, *n)
		}), "Returns the sketch with one more point, or with weight more.",
			"ccbf_total(ccbf_add(s, 5.5, 0.5, {weight: 3})) FROM (SELECT "+q+")", point, paramOptions), ccbfChangeOptions),
		withOptions(fn("ccbf_remove", duck.Blob, ccbfChange(1, func(s *ccbf.Sketch, c []grid.Cell, category []byte, n *uint64) error {
			return s.Remove(c[0], category, *n)
		}), "Returns the sketch with one point removed, or weight points. It must be exact, a tree or of mode 'standard'.",
			"ccbf_get(ccbf_remove(s, 0.5, 0.5), 0.5, 0.5) FROM (SELECT "+q+")", point, paramOptions), ccbfChangeOptions),
		withOptions(fn("ccbf_move", duck.Blob, ccbfChange(2, func(s *ccbf.Sketch, c []grid.Cell, category []byte, n *uint64) error {
			return s.Move(c[0], c[1], category, n)
		}), "Returns the sketch with weight points moved from one cell to another. Without weight, all points of the cell are moved, if the sketch is exact. For counters of mode 'standard', the option all_points: true moves as many points as ccbf_get returns. These can be too many and include points of other cells.",
			"ccbf_get(ccbf_move(s, 0.5, 0.5, 9.5, 9.5), 9.5, 9.5) FROM (SELECT "+q+")",
			params(paramSketch, duck.Param{Name: "x1", Type: duck.Double}, duck.Param{Name: "y1", Type: duck.Double},
				duck.Param{Name: "x2", Type: duck.Double}, duck.Param{Name: "y2", Type: duck.Double}), paramOptions), ccbfMoveOptions),

		fn("ccbf_union", duck.Blob, eachUnion(ccbfUnion), "Returns the sketch of the points of both. They must have the same res and, if both have counters, the same counters. The result has the larger of their bytes.",
			"ccbf_total(ccbf_union(s, s)) FROM (SELECT "+q+")", params(paramLeft, paramRight)),
		fn("ccbf_intersect", duck.Blob, ccbfPair((*ccbf.Sketch).Intersect), "Returns the sketch with the smaller of both counts in every cell.",
			"ccbf_total(ccbf_intersect(s, ccbf_add(ccbf_empty(1), 0.5, 0.5))) FROM (SELECT "+q+")", params(paramLeft, paramRight)),
		fn("ccbf_subtract", duck.Blob, ccbfPair((*ccbf.Sketch).Subtract), "Returns a without the points of b, which must be part of a.",
			"ccbf_total(ccbf_subtract(s, ccbf_add(ccbf_empty(1), 0.5, 0.5))) FROM (SELECT "+q+")", params(paramLeft, paramRight)),
		fn("ccbf_coarsen", duck.Blob, ccbfReduce("factor", (*ccbf.Sketch).Coarsen),
			"Returns the sketch of the same points in cells factor times as wide and as high. For exact sketches and trees, factor is any whole number, and exact sketches stay exact. For counters, factor is a power of two, at most 2^levels. A sketch with levels then combines with sketches coarsened by the same factor.",
			"ccbf_get(ccbf_coarsen(s, 2), 1, 1) FROM (SELECT "+q+")", params(paramSketch, duck.Param{Name: "factor", Type: duck.Any})),
		fn("ccbf_fold", duck.Blob, ccbfReduce("bytes", (*ccbf.Sketch).Fold), "Returns the sketch in a BLOB of at most bytes, header included. It stays exact if the cells fit. Otherwise it becomes a tree with larger squares, or the layers of counters are halved until they fit. An exact sketch or a tree gets the parameters of a sketch that was built with that size.",
			"octet_length(ccbf_fold(ccbf_empty(1, {exact: false}), 70000)) <= 70000", params(paramSketch, duck.Param{Name: "bytes", Type: duck.Any})),
		fn("ccbf_suppress", duck.Blob, ccbfReduce("k", (*ccbf.Sketch).Suppress), "Returns a tree in which no square has fewer than k points, so it reveals no small counts. Smaller numbers of points are counted in a larger square. A category with fewer than k points in all is dropped; the field suppressed of ccbf_info counts dropped points. Sums have bounds for the points that are kept. The sketch must be exact or a tree; adding or removing points later ends the protection. docs/MAPS.md says what this protects from, and what not.",
			"ccbf_get(ccbf_suppress(s, 3), 5.5, 0.5) FROM (SELECT "+q+")", params(paramSketch, duck.Param{Name: "k", Type: duck.Any})),

		atPoints(fn("ccbf_get", duck.UBigInt, ccbfGet(putCounts), "Number of points in the cell that contains (x, y), or a POINT: never below the true count. "+categoryAdvice+" "+joinAdvice,
			"ccbf_get(s, 0.5, 0.5) FROM (SELECT "+q+")", point, paramCategory), 1),
		atPoints(fn("ccbf_contains", duck.Boolean, ccbfGet(putPresent), "Whether the cell that contains (x, y), or a POINT, has a point: never false if it has one.",
			"ccbf_contains(s, 5.5, 0.5) FROM (SELECT "+q+")", point, paramCategory), 1),
		fn("ccbf_polygon_sum", duck.UBigInt, ccbfPolygonSum,
			"Number of points in the cells whose centres lie in a Polygon, MultiPolygon or collection of them: WKT or GeoJSON text, WKB BLOB, or GEOMETRY. "+categoryAdvice,
			"ccbf_polygon_sum(s, 'POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))') FROM (SELECT "+q+")",
			params(paramSketch, paramPolygon), paramCategory),
		fn("ccbf_polygon_estimate", ccbfEstimateType, ccbfPolygonEstimate,
			"Estimate of ccbf_polygon_sum without the average excess of a dense sketch (unbiased if ccbf_info says so). cells is the number of cells inside. The interval from low to high contains the true sum with a probability of 95%, or always if certain. It is also certain, with low 0, if the sketch is saturated, or has fewer than 256 counters in mode standard. For an exact sketch, estimate and interval are the sum. For a tree, low adds up the squares inside the area, and high also those on its border. The estimate counts squares on the border by the fraction that is inside.",
			"ccbf_polygon_estimate(s, 'POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))') FROM (SELECT "+q+")",
			params(paramSketch, paramPolygon), paramCategory),
		fn("ccbf_get_estimate", ccbfEstimateType, ccbfBoxEstimate(2, cellAt),
			"Estimate of ccbf_get, with an interval: as ccbf_polygon_estimate for one cell.",
			"ccbf_get_estimate(s, 0.5, 0.5) FROM (SELECT "+q+")", point, paramCategory),
		fn("ccbf_bbox_estimate", ccbfEstimateType, ccbfBoxEstimate(4, cellsOf),
			"Estimate of ccbf_bbox_sum, with an interval: as ccbf_polygon_estimate for a box.",
			"ccbf_bbox_estimate(s, 0, 0, 2, 2) FROM (SELECT "+q+")", inBox(), paramCategory),
		fn("ccbf_bbox_sum", duck.UBigInt, ccbfBoxSum(4, cellsOf),
			"Number of points in the cells whose centres lie in a box; lower edges are included, upper edges are not. "+categoryAdvice,
			"ccbf_bbox_sum(s, 0, 0, 2, 2) FROM (SELECT "+q+")", inBox(), paramCategory),
		fn("ccbf_bbox_overlaps", duck.Boolean, ccbfOverlaps,
			"Whether the bounding box of a sketch has a cell whose centre lies in a box: if not, ccbf_bbox_sum is 0. Reads only the header.",
			"ccbf_bbox_overlaps(s, 2, 0, 5, 1) FROM (SELECT "+q+")", inBox()),
		fn("ccbf_tile_sum", duck.UBigInt, ccbfBoxSum(3, cellsOfTile),
			"Number of points in the cells whose centres lie in a Web Mercator tile. For each of these cells, quadkey with the res of the sketch gives this tile. Points beyond latitudes of 85.0511 are included. "+categoryAdvice,
			"ccbf_tile_sum(s, 1, 1, 0) FROM (SELECT "+q+")",
			params(paramSketch, duck.Param{Name: "z", Type: duck.BigInt}, duck.Param{Name: "x", Type: duck.BigInt}, duck.Param{Name: "y", Type: duck.BigInt}), paramCategory),
		spotOverloads(fn("ccbf_hotspots", ccbfSpotsType, ccbfSpots("threshold", (*ccbf.View).Hotspots),
			"Cells with at least threshold points, in a polygon, in a box or anywhere, given by their centre and side, largest count first. No such cell is missing; if counters are used, some cells may have fewer points. A tree returns squares of cells: count is the number of points somewhere in the square. "+unnestAdvice,
			"unnest(ccbf_hotspots(s, 0, 0, 9, 9, 2), recursive := true) FROM (SELECT "+q+")", params(paramSketch)), "threshold"),
		spotOverloads(fn("ccbf_top_k", ccbfSpotsType, ccbfSpots("k", func(v *ccbf.View, a ccbf.Area, k uint64, of ccbf.Categories) ([]ccbf.Spot, error) {
			return v.TopK(a, int(min(k, math.MaxInt)), of)
		}), "The k cells with the most points, in a polygon, in a box or anywhere, given by their centre and side. The largest count comes first; equal counts are ordered by y and then x. If counters are used, these are the largest estimates, and cells with fewer points may be among them. A tree returns squares of cells, as in ccbf_hotspots. "+unnestAdvice,
			"unnest(ccbf_top_k(s, 1), recursive := true) FROM (SELECT "+q+")", params(paramSketch)), "k"),
		fn("ccbf_cells", ccbfSpotsType, ccbfCells,
			"All cells with points: centre, number of points and side. A tree returns squares of cells: count is the number of points somewhere in the square. These counts add up to the points of the tree. The memory budget limits the number of cells. "+unnestAdvice,
			"unnest(ccbf_cells(s), recursive := true) FROM (SELECT "+q+")", params(paramSketch), paramCategory),
		withOptions(fn("ccbf_geojson", duck.Varchar, ccbfGeoJSON,
			"The cells of ccbf_cells as GeoJSON, for maps in other programs: a FeatureCollection of their squares, each with the property count. Coordinates have the digits of the resolution and its units; GeoJSON expects degrees.",
			"ccbf_geojson(s, {threshold: 2}) FROM (SELECT "+q+")", params(paramSketch), paramOptions), ccbfGeoJSONOptions),
		withOptions(fn("ccbf_squares", ccbfSquaresType, ccbfSquares,
			"The cells of ccbf_cells as squares, for GeoParquet and for functions of the spatial extension: a GEOMETRY and a count each. Before DuckDB 1.5.2, the geometry is a BLOB of WKB. "+unnestAdvice,
			"count, ccbf_polygon_sum(s, geometry) FROM (SELECT s, unnest(ccbf_squares(s), recursive := true) FROM (SELECT "+q+"))", params(paramSketch), paramOptions), ccbfGeoJSONOptions),
		categoryOverloads(fn("ccbf_categories", ccbfCategoriesType, ccbfCategories,
			"The categories of a sketch as text, ordered by value, with the number of points and cells of each. This helps to find a misspelt category that returned 0. For a tree, whose cells are not known, cells is NULL. With a polygon as for ccbf_polygon_sum, or a box, these are the categories with points in it. The argument category selects some of them: a value, a list, a range, or some fields of a STRUCT. Each has its sum and, as in ccbf_polygon_estimate, estimate, low and high. Counters cannot list their categories; category must then be given.",
			"unnest(ccbf_categories(s), recursive := true) FROM (SELECT ccbf_agg(x, y, 1, {category: kind}) s FROM (VALUES (0.5, 0.5, 'shop'), (0.6, 0.7, 'home'), (5.5, 0.5, 'shop')) p(x, y, kind))", params(paramSketch))),
		rasterOverloads(fn("ccbf_raster", duck.ListOf(duck.UBigInt), ccbfRaster,
			"Number of points in each pixel of a box, or of the box around all points, row by row from the north-west. A pixel counts the cells whose centres lie in it.",
			"ccbf_raster(s, 0, 0, 6, 2, 3, 2) FROM (SELECT "+q+")", params(paramSketch))),

		pngOverloads(withOptions(fn("ccbf_png", duck.Blob, ccbfPNG,
			"PNG image of a box, width x height pixels, or of the box around all points, 800 pixels wide; north up. Without a height, it follows from the shape of the box. If coordinates can be degrees, the height is chosen so that the proportions are right on the ground, in the middle of the box. Each cell's points are spread evenly over the cell; the picture is transparent where there are none. For counters, their excess is drawn too: if empty_excess of ccbf_error is not far below 1, the whole picture is coloured.",
			"octet_length(ccbf_png(s, 0, 0, 8, 2, 400, 100, {palette: 'viridis', label: 'three points'})) > 0 FROM (SELECT "+q+")",
			inBox(pixels...)), ccbfPNGOptions)),

		fn("ccbf_total", duck.UBigInt, ccbfTotal, "Number of points in the sketch; NULL if an operation made it unknown, such as ccbf_mask of a tree.",
			"ccbf_total(s) FROM (SELECT "+q+")", params(paramSketch)),
		fn("ccbf_error", ccbfErrorType, ccbfError,
			"Expected error of the count of a cell, and whether counts are exact. A probability is how likely the count is too high, an excess is how much too high it is on average. empty_ is for a cell without points, occupied_ for a random cell with points. The expected error of a sum is the sum for all its cells, or less with levels. In exact sketches and trees, no count is ever too high by more than most. For counters, occupied_ fields are NULL after intersect and mask, with levels and with totals. All numbers are NULL if a counter of the last layer is full (saturated in ccbf_info). A tree has the error from when it was built, without occupied_probability; it is NULL once anything was added. A tree that was pruned while it was built has the error of a sample of its cells.",
			"(ccbf_error(s)).exact FROM (SELECT "+q+")", params(paramSketch)),
		fn("ccbf_info", ccbfInfoType, ccbfInfo, "All parameters of a sketch, its encoding, fill and size.",
			"(ccbf_info(s)).cells FROM (SELECT "+q+")", params(paramSketch)),
		isValid("ccbf", "ccbf_is_valid", "Whether a BLOB is a CascadeCBF sketch, complete and unchanged. Never an error, unless the memory budget is too small to check it.",
			"SELECT ccbf_is_valid(ccbf_empty(1))", always(ccbf.Family)),
	}...)
}

// ccbfReader reads the sketches of a chunk, and the categories of its rows. The view stays open while
// rows have the same BLOB.
type ccbfReader struct {
	view     ccbf.View
	head     ccbf.Head         // the head of a sketch whose view is not opened.
	category args.Keys         // the categories, if each row has one.
	several  severalCategories // the categories, if rows have several.
	has      bool              // true if the call has an argument for categories.
}

var ccbfReaders = sync.Pool{New: func() any { return new(ccbfReader) }}

// withReader calls f with a reader. Its categories are in column at, if at is not 0 and the call has
// that column.
func withReader(rows *duck.Rows, at int, f func(r *ccbfReader) error) error {
	var categories *duck.Vector
	if at > 0 {
		categories = optional(rows, at)
	}
	return withReaderOf(categories, f)
}

// categoryOption returns the column of an option that is a category, or nil.
func categoryOption(o *args.Options, i int) *duck.Vector {
	if !o.Has(i) {
		return nil
	}
	return o.Column(i)
}

// optionOf returns the categories of row i if they are an option. given is false if the STRUCT of
// options is NULL.
func (r *ccbfReader) optionOf(given bool, blob []byte, out *duck.Result, i int) (of ccbf.Categories, err error) {
	if err := r.view.CheckCategory(given); err != nil || !given {
		return of, err
	}
	return r.categories(blob, out, i)
}

// withReaderOf calls f with a reader for a column of categories, or nil.
func withReaderOf(categories *duck.Vector, f func(r *ccbfReader) error) error {
	r := ccbfReaders.Get().(*ccbfReader)
	defer func() {
		r.view = ccbf.View{} // drop references to the chunk's memory, which DuckDB reuses
		r.several = severalCategories{}
		ccbfReaders.Put(r)
	}()
	bridge.LimitAreas(&r.view) // limit the work for areas, as a user cannot interrupt a chunk
	if r.has = categories != nil; r.has {
		if several, err := r.several.reset(categories); err != nil {
			return fmt.Errorf("category: %w", err)
		} else if several {
			return f(r)
		}
		if err := r.category.Reset(categories); err != nil {
			return fmt.Errorf("category: %w", err)
		}
	}
	return f(r)
}

// open opens a sketch in the view. The error says that it needs a category, or cannot have one.
func (r *ccbfReader) open(blob []byte) error {
	if err := r.openAny(blob); err != nil {
		return err
	}
	return r.view.CheckCategory(r.has)
}

// headOf returns the head of a sketch, without opening it.
func (r *ccbfReader) headOf(blob []byte) (*ccbf.Head, error) {
	if bridge.IsOf(&r.view, blob) {
		return &r.view.Head, nil
	}
	if err := bridge.ReadHead(&r.head, blob); err != nil {
		return nil, err
	}
	return &r.head, r.head.CheckCategory(r.has)
}

// categoryOf returns the category of row i, or nil if the call has none.
func (r *ccbfReader) categoryOf(h *ccbf.Head, i int) ([]byte, error) {
	if !r.has {
		return nil, nil
	}
	return r.category.Bytes(i, h.Class())
}

// selects reports whether row i selects categories. A range without an end is NULL.
func (r *ccbfReader) selects(i int) bool { return !r.several.given || r.several.valid(i) }

// categories returns the categories that row i selects in the view of blob.
func (r *ccbfReader) categories(blob []byte, out *duck.Result, i int) (ccbf.Categories, error) {
	if r.several.takes(r.view.Class()) {
		err := r.several.read(&r.view, blob, out, i)
		return r.several.set, err
	}
	category, err := r.categoryOf(&r.view.Head, i)
	return ccbf.Of(category), err
}

// each calls f for the rows without a NULL, with their sketch open in the view, and the categories
// that they select. Other rows are NULL.
func (r *ccbfReader) each(rows *duck.Rows, out *duck.Result, f func(i int, of ccbf.Categories) error) error {
	return eachValid(rows, out, func(i int) error {
		if !r.selects(i) {
			out.SetNull(i)
			return nil
		}
		of, err := r.row(rows, out, i)
		if err != nil {
			return err
		}
		return f(i, of)
	})
}

// row opens the sketch of row i, and returns the categories that the row selects.
func (r *ccbfReader) row(rows *duck.Rows, out *duck.Result, i int) (ccbf.Categories, error) {
	blob := rows.Col(0).Bytes(i)
	if err := r.open(blob); err != nil {
		return ccbf.Categories{}, err
	}
	return r.categories(blob, out, i)
}

// ccbfTotal computes ccbf_total.
func ccbfTotal(rows *duck.Rows, out *duck.Result) error {
	return withReader(rows, 0, func(r *ccbfReader) error {
		return eachValid(rows, out, func(i int) error {
			if err := r.openAny(rows.Col(0).Bytes(i)); err != nil {
				return err
			}
			n, known := r.view.Total()
			setKnown(out, i, n, known)
			return nil
		})
	})
}

// openAny opens a sketch in the view, with or without categories.
func (r *ccbfReader) openAny(blob []byte) error {
	if bridge.IsOf(&r.view, blob) {
		return nil
	}
	return r.view.Reset(blob)
}

// ccbfEmpty computes ccbf_empty.
func ccbfEmpty(rows *duck.Rows, out *duck.Result) error {
	var o args.Options
	if err := o.Reset(optional(rows, 1), args.CCBFOptions); err != nil {
		return err
	}
	res := rows.Col(0)
	for i := range rows.Len() {
		if !res.Valid(i) {
			out.SetNull(i)
			continue
		}
		categories, err := args.CCBFCategories(&o, i)
		if err != nil {
			return err
		}
		c, err := args.CCBFConfig(duck.Slice[float64](res)[i], &o, i, categories)
		if err != nil {
			return err
		}
		s, err := ccbf.NewBuilder(c, nil).Sketch()
		if err != nil {
			return err
		}
		out.SetBytes(i, s.Blob())
	}
	return nil
}
