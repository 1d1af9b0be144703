package grid

import "math"

// Tiles of cells. The sketch of a tile holds whole cells, so points are grouped by the tile of the centre
// of their cell. A centre may lie beyond the edge of the world, although a point of its cell does not. It
// counts in the outermost tile.

const maxLon, maxLatitude = 180, 90

// MiddleLon returns the longitude of the centre of the cells of a longitude, cut to -180..180. It returns a
// longitude outside of that as it is. Errors as Cell.
func (g Grid) MiddleLon(lon float64) (float64, error) { return g.middle("longitude", lon, maxLon) }

// MiddleLat returns the latitude of the centre of the cells of a latitude, cut to -90..90. It returns a
// latitude outside of that as it is. Errors as Cell.
func (g Grid) MiddleLat(lat float64) (float64, error) { return g.middle("latitude", lat, maxLatitude) }

func (g Grid) middle(name string, v, most float64) (float64, error) {
	if !(v >= -most && v <= most) {
		return v, nil
	}
	i, err := g.Index(name, v)
	return min(max(g.center(i), -most), most), err
}

// Tile returns the cells whose centres a tile holds. They are the cells of the points for which TileX of
// MiddleLon and TileY of MiddleLat return it. The outermost tiles also have the cells beyond the edge of
// the map, up to those of longitude 180 and latitude 90. Errors as TileBounds.
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
	return r.Intersect(MaxRect()), nil
}
