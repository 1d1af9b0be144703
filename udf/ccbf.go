package udf

import (
	"math"

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
	// asks returns a function that asks a sketch about an area. It has signatures for each form of the
	// area, without and with categories.
	asks := func(name string, returns duck.Type, run ask, summary, example string, own []duck.Param, forms ...*areaForm) duck.Function {
		return asking(duck.Function{Name: name, Group: "ccbf", Summary: summary, Example: "SELECT " + example}, returns, run, own, forms...)
	}
	return []duck.Function{
		fn("ccbf_difference", ccbfDifferenceType, ccbfDifference,
			"Cells whose counts differ in two exact sketches, given by their centres, in no particular order. count is that in a minus that in b: it is negative if b has more.",
			"unnest(ccbf_difference(s, ccbf_add(ccbf_empty(1), 9.5, 0.5)), recursive := true) FROM (SELECT "+q+")",
			params(paramLeft, paramRight), paramCategory),
		fn("ccbf_clip", duck.Blob, ccbfClip,
			"Returns the sketch of the cells whose centres lie in a polygon, given as for ccbf_polygon_sum. A tree keeps every square with such a cell as a whole. If a square lies across the outline, the total is no longer known.",
			"ccbf_total(ccbf_clip(s, 'POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))')) FROM (SELECT "+q+")", params(paramSketch, paramPolygon)),
		fn("ccbf_mask", duck.Blob, ccbfMask,
			"Returns the sketch of those cells of a that b also has, with a's counts. b can also be a Bloom filter of cells: bloom_agg over ccbf_cell_key(x, y, res). It keeps other cells, too, at its false positive rate. Counts of the cells that are kept are never below those of a. A tree keeps each square with such a cell as a whole. Counters with categories cannot be masked by a Bloom filter.",
			"ccbf_total(ccbf_mask(s, ccbf_add(ccbf_empty(1), 0.5, 0.5))) FROM (SELECT "+q+")", params(paramLeft, paramRight)),
		fn("ccbf_cell_key", duck.Blob, ccbfCellKey,
			"Key of the cell that contains (x, y), for bloom_agg and for GROUP BY. It is the same for all points of the cell, and different for other cells and resolutions.",
			"ccbf_cell_key(0.2, 0.7, 0.5) = ccbf_cell_key(0.4, 0.9, 0.5)", params(paramX, paramY, paramRes)),

		fn("ccbf_empty", duck.Blob, ccbfEmpty,
			"Empty sketch, to add points to; with the option category: true, for points that have one.",
			"ccbf_total(ccbf_add(ccbf_empty(0.5), 1.2, 3.4))", params(paramRes), withOptions(args.CCBFEmptyOptions)),
		fn("ccbf_add", duck.Blob, ccbfChange(1, func(s *ccbf.Sketch, c []grid.Cell, category []byte, n *uint64) error {
			return s.Add(c[0], category, *n)
		}), "Returns the sketch with one more point, or with weight more.",
			"ccbf_total(ccbf_add(s, 5.5, 0.5, {weight: 3})) FROM (SELECT "+q+")", point, withOptions(ccbfChangeOptions)),
		fn("ccbf_remove", duck.Blob, ccbfChange(1, func(s *ccbf.Sketch, c []grid.Cell, category []byte, n *uint64) error {
			return s.Remove(c[0], category, *n)
		}), "Returns the sketch with one point removed, or weight points. It must be exact, a tree or of mode 'standard'.",
			"ccbf_get(ccbf_remove(s, 0.5, 0.5), 0.5, 0.5) FROM (SELECT "+q+")", point, withOptions(ccbfChangeOptions)),
		fn("ccbf_move", duck.Blob, ccbfChange(2, func(s *ccbf.Sketch, c []grid.Cell, category []byte, n *uint64) error {
			return s.Move(c[0], c[1], category, n)
		}), "Returns the sketch with weight points moved from one cell to another. Without weight, all points of the cell are moved, if the sketch is exact. For counters of mode 'standard', the option all_points: true moves as many points as ccbf_get returns. These can be too many and include points of other cells.",
			"ccbf_get(ccbf_move(s, 0.5, 0.5, 9.5, 9.5), 9.5, 9.5) FROM (SELECT "+q+")",
			params(paramSketch, duck.Param{Name: "x1", Type: duck.Double}, duck.Param{Name: "y1", Type: duck.Double},
				duck.Param{Name: "x2", Type: duck.Double}, duck.Param{Name: "y2", Type: duck.Double}), withOptions(ccbfMoveOptions)),

		fn("ccbf_union", duck.Blob, eachUnion(ccbfUnion), "Returns the sketch of the points of both. They must have the same res and, if both have counters, the same counters. The result has the larger of their bytes.",
			"ccbf_total(ccbf_union(s, s)) FROM (SELECT "+q+")", params(paramLeft, paramRight)),
		fn("ccbf_intersect", duck.Blob, ccbfPair((*ccbf.Sketch).Intersect), "Returns the sketch with the smaller of both counts in every cell.",
			"ccbf_total(ccbf_intersect(s, ccbf_add(ccbf_empty(1), 0.5, 0.5))) FROM (SELECT "+q+")", params(paramLeft, paramRight)),
		fn("ccbf_subtract", duck.Blob, ccbfPair((*ccbf.Sketch).Subtract), "Returns a without the points of b, which must be part of a.",
			"ccbf_total(ccbf_subtract(s, ccbf_add(ccbf_empty(1), 0.5, 0.5))) FROM (SELECT "+q+")", params(paramLeft, paramRight)),
		fn("ccbf_coarsen", duck.Blob, ccbfReduce("factor", 1, 1<<ccbf.MaxLevels, (*ccbf.Sketch).Coarsen),
			"Returns the sketch of the same points in cells factor times as wide and as high. For exact sketches and trees, factor is any whole number, and exact sketches stay exact. For counters, factor is a power of two, at most 2^levels. A sketch with levels then combines with sketches coarsened by the same factor.",
			"ccbf_get(ccbf_coarsen(s, 2), 1, 1) FROM (SELECT "+q+")", params(paramSketch, duck.Param{Name: "factor", Type: duck.Any})),
		fn("ccbf_fold", duck.Blob, ccbfReduce("bytes", 1, math.MaxUint64, (*ccbf.Sketch).Fold), "Returns the sketch in a BLOB of at most bytes, header included. It stays exact if the cells fit. Otherwise it becomes a tree with larger squares, or the layers of counters are halved until they fit. An exact sketch or a tree gets the parameters of a sketch that was built with that size.",
			"octet_length(ccbf_fold(ccbf_empty(1, {exact: false}), 70000)) <= 70000", params(paramSketch, duck.Param{Name: "bytes", Type: duck.Any})),
		fn("ccbf_suppress", duck.Blob, ccbfReduce("k", ccbf.MinLeast, ccbf.MaxLeast, (*ccbf.Sketch).Suppress), "Returns a tree in which no square has fewer than k points, so it reveals no small counts. Smaller numbers of points are counted in a larger square. A category with fewer than k points in all is dropped. The field suppressed of ccbf_info counts dropped points, and is k if they are fewer. Sums have bounds for the points that are kept. The sketch must be exact or a tree; adding or removing points later ends the protection. docs/MAPS.md says what this protects from, and what not.",
			"ccbf_get(ccbf_suppress(s, 3), 5.5, 0.5) FROM (SELECT "+q+")", params(paramSketch, duck.Param{Name: "k", Type: duck.Any})),

		atPoints(fn("ccbf_get", duck.UBigInt, ccbfGet(putCounts), "Number of points in the cell that contains (x, y), or a POINT: never below the true count. "+categoryAdvice+" "+joinAdvice,
			"ccbf_get(s, 0.5, 0.5) FROM (SELECT "+q+")", point, paramCategory), 1),
		atPoints(fn("ccbf_contains", duck.Boolean, ccbfGet(putPresent), "Whether the cell that contains (x, y), or a POINT, has a point: never false if it has one.",
			"ccbf_contains(s, 5.5, 0.5) FROM (SELECT "+q+")", point, paramCategory), 1),
		asks("ccbf_polygon_sum", duck.UBigInt, ccbfSum,
			"Number of points in the cells whose centres lie in a Polygon, MultiPolygon or collection of them: WKT or GeoJSON text, WKB BLOB, or GEOMETRY. "+categoryAdvice,
			"ccbf_polygon_sum(s, 'POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))') FROM (SELECT "+q+")", nil, inPolygon),
		asks("ccbf_polygon_estimate", structType(ccbfEstimateFields.Fields), ccbfEstimate,
			"Estimate of ccbf_polygon_sum without the average excess of a dense sketch (unbiased if ccbf_info says so). cells is the number of cells inside, or about that if counting them takes too long. The interval from low to high contains the true sum with a probability of 95%, or always if certain. It is also certain, with low 0, if the sketch is saturated, or has fewer than 256 counters in mode standard. The same holds for counts that reach a layer of few counters: fewer than 24, or 80 in mode mi. high is at most ccbf_total. For an exact sketch, estimate and interval are the sum. For a tree, low adds up the squares inside the area, and high also those on its border. The estimate counts squares on the border by about the fraction that is inside.",
			"ccbf_polygon_estimate(s, 'POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))') FROM (SELECT "+q+")", nil, inPolygon),
		asks("ccbf_get_estimate", structType(ccbfEstimateFields.Fields), ccbfEstimate,
			"Estimate of ccbf_get, with an interval: as ccbf_polygon_estimate for one cell.",
			"ccbf_get_estimate(s, 0.5, 0.5) FROM (SELECT "+q+")", nil, inCell),
		asks("ccbf_bbox_estimate", structType(ccbfEstimateFields.Fields), ccbfEstimate,
			"Estimate of ccbf_bbox_sum, with an interval: as ccbf_polygon_estimate for a box.",
			"ccbf_bbox_estimate(s, 0, 0, 2, 2) FROM (SELECT "+q+")", nil, inBox),
		asks("ccbf_bbox_sum", duck.UBigInt, ccbfSum,
			"Number of points in the cells whose centres lie in a box; lower edges are included, upper edges are not. It is never below the true number in these cells, and at most ccbf_total. "+categoryAdvice,
			"ccbf_bbox_sum(s, 0, 0, 2, 2) FROM (SELECT "+q+")", nil, inBox),
		fn("ccbf_bbox_overlaps", duck.Boolean, ccbfOverlaps,
			"Whether the bounding box of a sketch has a cell whose centre lies in a box: if not, ccbf_bbox_sum is 0. Reads only the header.",
			"ccbf_bbox_overlaps(s, 2, 0, 5, 1) FROM (SELECT "+q+")", inBox.with()),
		asks("ccbf_tile_sum", duck.UBigInt, ccbfSum,
			"Number of points in the cells whose centres lie in a Web Mercator tile. For each of these cells, quadkey with the res of the sketch gives this tile. Points beyond latitudes of 85.0511 are included. "+categoryAdvice,
			"ccbf_tile_sum(s, 1, 1, 0) FROM (SELECT "+q+")", nil, inTile),
		asks("ccbf_hotspots", ccbfSpotsType, ccbfSpots("threshold", math.MaxUint64, (*ccbf.View).Hotspots),
			"Cells with at least threshold points, in a polygon, in a box or anywhere, given by their centre and side, largest count first. No such cell is missing; if counters are used, some cells may have fewer points. A tree returns squares of cells: count is the number of points somewhere in the square. "+unnestAdvice,
			"unnest(ccbf_hotspots(s, 0, 0, 9, 9, 2), recursive := true) FROM (SELECT "+q+")", params(duck.Param{Name: "threshold", Type: duck.Any}), everywhere, inPolygon, inBox),
		asks("ccbf_top_k", ccbfSpotsType, ccbfSpots("k", ccbf.MaxSpots, func(v *ccbf.View, a ccbf.Area, k uint64, of ccbf.Categories) ([]ccbf.Spot, error) {
			return v.TopK(a, int(k), of)
		}), "The k cells with the most points, in a polygon, in a box or anywhere, given by their centre and side. The largest count comes first; equal counts are ordered by y and then x. If counters are used, these are the largest estimates, and cells with fewer points may be among them. A tree returns squares of cells, as in ccbf_hotspots. "+unnestAdvice,
			"unnest(ccbf_top_k(s, 1), recursive := true) FROM (SELECT "+q+")", params(duck.Param{Name: "k", Type: duck.Any}), everywhere, inPolygon, inBox),
		asks("ccbf_cells", ccbfSpotsType, ccbfCells,
			"All cells with points: centre, number of points and side. A tree returns squares of cells: count is the number of points somewhere in the square. These counts add up to the points of the tree. The memory budget limits the number of cells. "+unnestAdvice,
			"unnest(ccbf_cells(s), recursive := true) FROM (SELECT "+q+")", nil, everywhere),
		fn("ccbf_geojson", duck.Varchar, ccbfGeoJSON,
			"The cells of ccbf_cells as GeoJSON, for maps in other programs: a FeatureCollection of their squares, each with the property count. Coordinates have the digits of the resolution and its units; GeoJSON expects degrees.",
			"ccbf_geojson(s, {threshold: 2}) FROM (SELECT "+q+")", params(paramSketch), withOptions(ccbfGeoJSONOptions)),
		fn("ccbf_squares", ccbfSquaresType, ccbfSquares,
			"The cells of ccbf_cells as squares, for GeoParquet and for functions of the spatial extension: a GEOMETRY and a count each. Before DuckDB 1.5.2, the geometry is a BLOB of WKB. "+unnestAdvice,
			"count, ccbf_polygon_sum(s, geometry) FROM (SELECT s, unnest(ccbf_squares(s), recursive := true) FROM (SELECT "+q+"))", params(paramSketch), withOptions(ccbfGeoJSONOptions)),
		asking(fn("ccbf_categories", ccbfCategoriesType, ccbfCategories,
			"The categories of a sketch as text, ordered by value, with the number of points and cells of each. This helps to find a misspelt category that returned 0. For a tree, whose cells are not known, cells is NULL. With a polygon as for ccbf_polygon_sum, or a box, these are the categories with points in it. The argument category selects some of them: a value, a list, a range, or some fields of a STRUCT. Each has its sum and, as in ccbf_polygon_estimate, estimate, low and high. Counters cannot list their categories; category must then be given.",
			"unnest(ccbf_categories(s), recursive := true) FROM (SELECT ccbf_agg(x, y, 1, {category: kind}) s FROM (VALUES (0.5, 0.5, 'shop'), (0.6, 0.7, 'home'), (5.5, 0.5, 'shop')) p(x, y, kind))", params(paramSketch)), ccbfCategorySumsType, ccbfCategorySums, nil, inPolygon, inBox),
		asks("ccbf_raster", duck.ListOf(duck.UBigInt), ccbfRaster,
			"Number of points in each pixel of a box, or of the box around all points, row by row from the north-west. A pixel counts the cells whose centres lie in it. In a tree, a square counts in each pixel where it has such cells. So pixels are upper bounds, and do not add up to the sum of the box. Pixels of counters can add up to more, because a sum is at most ccbf_total.",
			"ccbf_raster(s, 0, 0, 6, 2, 3, 2) FROM (SELECT "+q+")", pixels, everywhere, inBox),

		pngOverloads(duck.Function{
			Name: "ccbf_png", Group: "ccbf",
			Summary: "PNG image of a box, width x height pixels, or of the box around all points, 800 pixels wide; north up. COPY (SELECT ccbf_png(s) FROM t) TO 'map.png' (FORMAT BLOB) writes a file. Without a height, it follows from the shape of the box. If coordinates can be degrees, the height is chosen so that the proportions are right on the ground, in the middle of the box. Each cell's points are spread evenly over the cell; the picture is transparent where there are none. For counters, their excess is drawn too: if empty_excess of ccbf_error is not far below 1, the whole picture is coloured.",
			Example: "SELECT octet_length(ccbf_png(s, 0, 0, 8, 2, 400, 100, {palette: 'viridis', label: 'three points'})) > 0 FROM (SELECT " + q + ")",
		}),

		fn("ccbf_total", duck.UBigInt, ccbfTotal, "Number of points in the sketch; NULL if an operation made it unknown, such as ccbf_mask of a tree.",
			"ccbf_total(s) FROM (SELECT "+q+")", params(paramSketch)),
		fn("ccbf_error", structType(ccbfErrorFields.Fields), ccbfError,
			"Expected error of the count of a cell, and whether counts are exact. A probability is how likely the count is too high, an excess is how much too high it is on average. empty_ is for a cell without points within the bounds, occupied_ for a random cell with points. The expected error of a sum is the sum for all its cells, or less with levels. In exact sketches and trees, no count is ever too high by more than most. In mode mi, occupied_ fields assume that points come one by one: rows with large weights have less error. For counters, occupied_ fields are NULL after intersect and mask, with levels and with totals. All numbers are NULL if a counter of the last layer is full (saturated in ccbf_info). A tree has the error from when it was built, without occupied_probability; it is NULL once anything was added. A tree that was pruned while it was built has the error of a sample of its cells.",
			"(ccbf_error(s)).exact FROM (SELECT "+q+")", params(paramSketch)),
		fn("ccbf_info", structType(ccbfInfoFields.Fields, duck.Field{Name: "bbox", Type: corners}), ccbfInfo, "All parameters of a sketch, its encoding, fill and size. encoding says what the sketch is now: exact, tree or dense. The parameters, such as exact, overflow and k, say how it was built and what it may become. cells counts a cell once for each of its categories.",
			"(ccbf_info(s)).cells FROM (SELECT "+q+")", params(paramSketch)),
		isValid("ccbf", "ccbf_is_valid", "Whether a BLOB is a CascadeCBF sketch, complete and unchanged. Never an error, unless the memory budget is too small to check it.",
			"SELECT ccbf_is_valid(ccbf_empty(1))", ccbf.Family),
	}
}

// ccbfTotal computes ccbf_total.
func ccbfTotal(c *call) error {
	return eachBlob(c, ccbf.NewView, func(v *ccbf.View, i int) error {
		n, known := knownTotal(v.Total())
		setKnown(c.out, i, n, known)
		return nil
	})
}

// ccbfEmpty computes ccbf_empty.
func ccbfEmpty(c *call) error {
	return c.eachSketch(func(i int) (encoder, error) {
		categories, err := args.CCBFCategories(&c.options, i)
		if err != nil {
			return nil, err
		}
		config, err := args.CCBFConfig(duck.Slice[float64](c.Col(0))[i], &c.options, i, categories)
		if err != nil {
			return nil, err
		}
		blob, err := bridge.AppendBlob(ccbf.NewBuilder(config, c.out), nil)
		return rawBlob(blob), err
	})
}
