package udf

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// corners is the type of a rectangle in SQL.
var corners = duck.StructOf(
	duck.Field{Name: "xmin", Type: duck.Double}, duck.Field{Name: "ymin", Type: duck.Double},
	duck.Field{Name: "xmax", Type: duck.Double}, duck.Field{Name: "ymax", Type: duck.Double})

// paramRes is the resolution: the side of a cell.
var paramRes = duck.Param{Name: "res", Type: duck.Double}

// ofCells ends the summaries of functions with a resolution.
const ofCells = " With res, the tile that contains the centre of the point's cell: sketches grouped by it hold whole cells."

// Tiles returns the functions of the web mercator tiling.
func Tiles() functions {
	lon, lat := duck.Param{Name: "lon", Type: duck.Double}, duck.Param{Name: "lat", Type: duck.Double}
	z := duck.Param{Name: "z", Type: duck.BigInt} // BIGINT, as range() returns it, is not cast to INTEGER implicitly
	x, y := duck.Param{Name: "x", Type: duck.BigInt}, duck.Param{Name: "y", Type: duck.BigInt}
	return []duck.Function{
		function("tiles", "tile_x", duck.BigInt, tileNumber(grid.TileX, grid.Grid.MiddleLon),
			"Column of the Web Mercator tile that contains a longitude at a zoom level."+ofCells, "SELECT tile_x(-0.1276, 8)", params(lon, z), paramRes),
		function("tiles", "tile_y", duck.BigInt, tileNumber(grid.TileY, grid.Grid.MiddleLat),
			"Row, from the north, of the Web Mercator tile that contains a latitude at a zoom level. The map ends at 85.0511 degrees; latitudes beyond are in its first or last row."+ofCells, "SELECT tile_y(51.5072, 8)", params(lat, z), paramRes),
		atPoints(function("tiles", "quadkey", duck.Varchar, quadkey,
			"Name of the Web Mercator tile that contains a longitude and a latitude, or a POINT. It has a digit from 0 to 3 per zoom level, so a tile's name begins with its parent's. Latitudes beyond 85.0511 degrees are in the first or last row."+ofCells,
			"SELECT quadkey(-0.1276, 51.5072, 8), quadkey(-0.1276, 51.5072, 8, 0.001)", params(lon, lat, z), paramRes), 0),
		function("tiles", "tile_bbox", corners, tileBox,
			"Edges of a Web Mercator tile in degrees.", "SELECT (tile_bbox(8, 127, 85)).xmin", params(z, x, y)),
		function("tiles", "quadkey_bbox", corners, quadkeyBox,
			"Edges of a Web Mercator tile, given by its name, in degrees.", "SELECT (quadkey_bbox('03131313')).ymax",
			params(duck.Param{Name: "quadkey", Type: duck.Varchar})),
		function("tiles", "quadbin", duck.BigInt, quadbin,
			"Number of a Web Mercator tile, given by its name of up to 26 digits, as CARTO and deck.gl use it.", "SELECT quadbin(quadkey(-0.1276, 51.5072, 8))",
			params(duck.Param{Name: "quadkey", Type: duck.Varchar})),
	}
}

// zoom returns the zoom level of row i, which may be out of range.
func zoom(z *duck.Vector, i int) int {
	return int(min(max(duck.Slice[int64](z)[i], math.MinInt32), math.MaxInt32))
}

// tileNumber returns a function that computes the column or row of a tile, for a coordinate or for the
// centre of its cell.
func tileNumber(at func(degrees float64, z int) (int64, error), middle func(g grid.Grid, degrees float64) (float64, error)) compute {
	return func(c *call) error {
		degrees, numbers, res := duck.Slice[float64](c.Col(0)), duck.Out[int64](c.out), c.Optional(2)
		return c.eachGrid(res, func(g grid.Grid, i int) (err error) {
			place := degrees[i]
			if res != nil {
				if place, err = middle(g, place); err != nil {
					return err
				}
			}
			numbers[i], err = at(place, zoom(c.Col(1), i))
			return err
		})
	}
}

// eachGrid is each, with the grid of the row's resolution, or the zero Grid if res is nil.
func (c *call) eachGrid(res *duck.Vector, f func(g grid.Grid, i int) error) error {
	var g grid.Grid // used again while the resolution is the same
	return c.each(func(i int) (err error) {
		if res != nil {
			if g, err = g.At(duck.Slice[float64](res)[i]); err != nil {
				return err
			}
		}
		return f(g, i)
	})
}

func quadkey(c *call) error {
	at, err := coordinatesOf(c, 0)
	if err != nil {
		return err
	}
	lon, lat, z, res := at.xs, at.ys, c.Col(at.next), c.Optional(at.next+1)
	return c.eachGrid(res, func(g grid.Grid, i int) (err error) {
		x, y := lon[i], lat[i]
		if res != nil {
			if x, err = g.MiddleLon(x); err != nil {
				return err
			}
			if y, err = g.MiddleLat(y); err != nil {
				return err
			}
		}
		name, err := grid.Quadkey(x, y, zoom(z, i))
		c.out.SetString(i, name)
		return err
	})
}

// setCorners writes row i of a result of type corners: xmin, ymin, xmax, ymax.
func setCorners(out *duck.Result, i int, edges ...float64) {
	for j, e := range edges {
		duck.Out[float64](out.Field(j))[i] = e
	}
}

// tileBox computes tile_bbox.
func tileBox(c *call) error {
	x, y := duck.Slice[int64](c.Col(1)), duck.Slice[int64](c.Col(2))
	return c.each(func(i int) error {
		xmin, ymin, xmax, ymax, err := grid.TileBounds(zoom(c.Col(0), i), x[i], y[i])
		setCorners(c.out, i, xmin, ymin, xmax, ymax)
		return err
	})
}

// quadkeyBox computes quadkey_bbox.
func quadkeyBox(c *call) error {
	return c.each(func(i int) error {
		z, x, y, err := grid.ParseQuadkey(string(c.Col(0).Bytes(i)))
		if err != nil {
			return err
		}
		xmin, ymin, xmax, ymax, err := grid.TileBounds(z, x, y)
		setCorners(c.out, i, xmin, ymin, xmax, ymax)
		return err
	})
}

func quadbin(c *call) error {
	numbers := duck.Out[int64](c.out)
	return c.each(func(i int) error {
		z, x, y, err := grid.ParseQuadkey(string(c.Col(0).Bytes(i)))
		if err != nil {
			return err
		}
		n, err := grid.Quadbin(z, x, y)
		numbers[i] = int64(n) // no overflow: n is below 2^63
		return err
	})
}
