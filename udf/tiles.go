package udf

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// corners is a rectangle as SQL has it.
var corners = duck.StructOf(
	duck.Field{Name: "xmin", Type: duck.Double}, duck.Field{Name: "ymin", Type: duck.Double},
	duck.Field{Name: "xmax", Type: duck.Double}, duck.Field{Name: "ymax", Type: duck.Double})

// Tiles returns the functions of the web mercator tiling.
func Tiles() functions {
	lon, lat := duck.Param{Name: "lon", Type: duck.Double}, duck.Param{Name: "lat", Type: duck.Double}
	z := duck.Param{Name: "z", Type: duck.BigInt} // range() and the like are BIGINT, which is no INTEGER by itself
	x, y := duck.Param{Name: "x", Type: duck.BigInt}, duck.Param{Name: "y", Type: duck.BigInt}
	return []duck.Function{
		function("tiles", "tile_x", duck.BigInt, tileNumber(grid.TileX),
			"Column of the Web Mercator tile that contains a longitude at a zoom level.", "SELECT tile_x(-0.1276, 8)", params(lon, z)),
		function("tiles", "tile_y", duck.BigInt, tileNumber(grid.TileY),
			"Row, from the north, of the Web Mercator tile that contains a latitude at a zoom level.", "SELECT tile_y(51.5072, 8)", params(lat, z)),
		function("tiles", "quadkey", duck.Varchar, quadkey,
			"Name of the Web Mercator tile that contains a point: a digit from 0 to 3 per zoom level, so that a tile's name begins with its parent's.",
			"SELECT quadkey(-0.1276, 51.5072, 8)", params(lon, lat, z)),
		function("tiles", "tile_bbox", corners, tileBox,
			"Edges of a Web Mercator tile in degrees.", "SELECT (tile_bbox(8, 127, 85)).xmin", params(z, x, y)),
		function("tiles", "quadkey_bbox", corners, quadkeyBox,
			"Edges of a Web Mercator tile, given by its name, in degrees.", "SELECT (quadkey_bbox('03131313')).ymax",
			params(duck.Param{Name: "quadkey", Type: duck.Varchar})),
	}
}

// zoom is a zoom level; one that no int holds is out of range all the same.
func zoom(z *duck.Vector, i int) int {
	return int(min(max(duck.Slice[int64](z)[i], math.MinInt32), math.MaxInt32))
}

func tileNumber(f func(degrees float64, z int) (int64, error)) compute {
	return func(rows *duck.Rows, out *duck.Result) error {
		degrees, numbers := duck.Slice[float64](rows.Col(0)), duck.Out[int64](out)
		return eachValid(rows, out, func(i int) (err error) {
			numbers[i], err = f(degrees[i], zoom(rows.Col(1), i))
			return err
		})
	}
}

func quadkey(rows *duck.Rows, out *duck.Result) error {
	lon, lat := duck.Slice[float64](rows.Col(0)), duck.Slice[float64](rows.Col(1))
	names := make([]byte, 0, rows.Len()*(grid.MaxZoom+1))
	return eachValid(rows, out, func(i int) (err error) {
		start := len(names)
		names, err = grid.AppendQuadkey(names, lon[i], lat[i], zoom(rows.Col(2), i))
		if err != nil {
			return err
		}
		out.SetBytes(i, names[start:])
		return nil
	})
}

// setCorners writes row i of a result of type corners.
func setCorners(out *duck.Result, i int, edges ...float64) {
	for j, e := range edges {
		duck.Out[float64](out.Field(j))[i] = e
	}
}

func tileBox(rows *duck.Rows, out *duck.Result) error {
	x, y := duck.Slice[int64](rows.Col(1)), duck.Slice[int64](rows.Col(2))
	return eachValid(rows, out, func(i int) error {
		xmin, ymin, xmax, ymax, err := grid.TileBounds(zoom(rows.Col(0), i), x[i], y[i])
		setCorners(out, i, xmin, ymin, xmax, ymax)
		return err
	})
}

func quadkeyBox(rows *duck.Rows, out *duck.Result) error {
	return eachValid(rows, out, func(i int) error {
		z, x, y, err := grid.ParseQuadkey(string(rows.Col(0).Bytes(i)))
		if err != nil {
			return fmt.Errorf("%w", err)
		}
		xmin, ymin, xmax, ymax, err := grid.TileBounds(z, x, y)
		setCorners(out, i, xmin, ymin, xmax, ymax)
		return err
	})
}
