package grid

import "math"

// Tiles of cells. The sketch of a tile holds whole cells, so points are grouped by the tile of the centre
// of their cell. A centre may lie beyond the edge of the world, although a point of its cell does not. It
// counts in the outermost tile.

const maxLon, maxLatitude = 180, 90

// TileX returns the column of the tile that holds the centre of the cell of a longitude.
// Errors as the function TileX and as Cell.
func (g Grid) TileX(lon float64, z int) (int64, error) {
	if z < 0 || z > MaxZoom || !(lon >= -maxLon && lon <= maxLon) {
		return 0, tileError(lon, 0, z)
	}
	lon, err := g.middle("longitude", lon, maxLon)
	if err != nil {
		return 0, err
	}
	return TileX(lon, z)
}

// TileY returns the row of the tile that holds the centre of the cell of a latitude.
// Errors as the function TileY and as Cell.
func (g Grid) TileY(lat float64, z int) (int64, error) {
	if z < 0 || z > MaxZoom || !(lat >= -maxLatitude && lat <= maxLatitude) {
		return 0, tileError(0, lat, z)
	}
	lat, err := g.middle("latitude", lat, maxLatitude)
	if err != nil {
		return 0, err
	}
	return TileY(lat, z)
}

// AppendQuadkey appends to dst the quadkey of the tile that holds the centre of the cell of a point. An
// error leaves dst unchanged. Errors as TileX and TileY.
func (g Grid) AppendQuadkey(dst []byte, lon, lat float64, z int) ([]byte, error) {
	x, err := g.TileX(lon, z)
	if err != nil {
		return dst, err
	}
	y, err := g.TileY(lat, z)
	if err != nil {
		return dst, err
	}
	return appendDigits(dst, Interleave(uint32(x), uint32(y)), z), nil
}

// middle returns the centre of the cell that holds coordinate v, cut to the range from -most to most.
func (g Grid) middle(name string, v, most float64) (float64, error) {
	i, err := g.Index(name, v)
	return min(max(g.center(i), -most), most), err
}

// Tile returns the cells whose centres a tile holds. They are the cells of the points for which TileX and
// TileY of the grid return it. The outermost tiles also have the cells beyond the edge of the map, up to
// those of longitude 180 and latitude 90. Errors as TileBounds.
func (g Grid) Tile(z int, x, y int64) (Rect, error) {
	xmin, ymin, xmax, ymax, err := TileBounds(z, x, y)
	if err != nil {
		return Rect{}, err
	}
	above := func(v float64) int64 { return g.lower(math.Nextafter(v, math.Inf(1))) }
	r := Rect{g.lower(xmin), above(ymin), g.lower(xmax) - 1, above(ymax) - 1}
	last := int64(1)<<z - 1
	reach := func(v float64) int64 { return int64(max(min(g.floor(v), MaxIndex), -MaxIndex)) }
	if x == 0 {
		r.MinX = min(r.MinX, reach(-maxLon))
	}
	if x == last {
		r.MaxX = max(r.MaxX, reach(maxLon))
	}
	if y == 0 {
		r.MaxY = max(r.MaxY, reach(maxLatitude))
	}
	if y == last {
		r.MinY = min(r.MinY, reach(-maxLatitude))
	}
	if r.Empty() {
		return EmptyRect(), nil
	}
	return r, nil
}
