package grid

// Web mercator tiles. At zoom z the world is 2^z x 2^z tiles. x counts from longitude -180 eastward, y
// from latitude MaxLat southward. A tile holds its west and its north edge. All zooms are cut from one
// division at MaxZoom. So the tile of a point at a zoom is the parent of its tile at the next zoom. Tiles
// that touch have the same edge, to the bit.

const (
	// MaxZoom is the largest zoom; a tile is then under 4 cm wide.
	MaxZoom = 30
	// MaxLat is the latitude at which the web mercator square ends, in
	// degrees. Latitudes beyond are clamped to it.
	MaxLat = 85.0511287798066
)

// TileX returns the column of the tile at a longitude in degrees. 180 belongs
// to the last column. Errors wrap ErrTile: a zoom outside 0..MaxZoom, a
// longitude that is NaN or outside -180..180.
func TileX(lon float64, z int) (int64, error) {
	if err := checkPlace(lon, 0, z); err != nil {
		return 0, err
	}
	return column(lon) >> (MaxZoom - z), nil
}

// TileY returns the row of the tile at a latitude in degrees, clamped to
// -MaxLat..MaxLat. Errors wrap ErrTile: a zoom outside 0..MaxZoom, a latitude
// that is NaN or outside -90..90.
func TileY(lat float64, z int) (int64, error) {
	if err := checkPlace(0, lat, z); err != nil {
		return 0, err
	}
	return row(lat) >> (MaxZoom - z), nil
}

// Quadkey returns the quadkey of the tile at a point. It has one digit from 0 to 3 per zoom, so that a
// tile's key begins with those of its ancestors. Zoom 0 gives the empty string. Errors as TileX and TileY.
func Quadkey(lon, lat float64, z int) (string, error) {
	if err := checkPlace(lon, lat, z); err != nil {
		return "", err
	}
	number := Interleave(uint32(column(lon)>>(MaxZoom-z)), uint32(row(lat)>>(MaxZoom-z)))
	var digits [MaxZoom]byte
	for i := range z {
		digits[z-1-i] = '0' + byte(number>>(2*i)&3)
	}
	return string(digits[:z]), nil
}

// ParseQuadkey returns the tile that a quadkey names; its length is the zoom.
// Errors wrap ErrTile: longer than MaxZoom, or a digit other than 0 to 3.
func ParseQuadkey(s string) (z int, x, y int64, err error) {
	if len(s) > MaxZoom {
		return 0, 0, 0, errf(ErrTile, "quadkey %s has %d digits; the limit is %d", quote(s), len(s), MaxZoom)
	}
	bits := uint64(0)
	for i := range len(s) {
		d := s[i] - '0'
		if d > 3 {
			return 0, 0, 0, errf(ErrTile, "quadkey %s: %s is not a digit 0 to 3", quote(s), quote(s[i:i+1]))
		}
		bits = bits<<2 | uint64(d)
	}
	tx, ty := Deinterleave(bits)
	return len(s), int64(tx), int64(ty), nil
}

// MaxQuadbinZoom is the finest zoom that a quadbin has bits for.
const MaxQuadbinZoom = 26

// Quadbin returns the number of a tile in CARTO's scheme, which deck.gl and others read. Below a bit that
// is always 1, bits 59 to 62 hold the mode 1 of cells. Bits 52 to 57 hold the zoom. The bits of y and x
// follow by turns from bit 51 down, and ones below them. Errors wrap ErrTile, also for a zoom above
// MaxQuadbinZoom.
func Quadbin(z int, x, y int64) (uint64, error) {
	if err := checkTile(z, x, y); err != nil {
		return 0, err
	}
	if z > MaxQuadbinZoom {
		return 0, errf(ErrTile, "zoom %d, a quadbin has at most %d", z, MaxQuadbinZoom)
	}
	const low = 1<<52 - 1
	return 1<<62 | 1<<59 | uint64(z)<<52 | Interleave(uint32(x), uint32(y))<<(52-2*z) | low>>(2*z), nil
}

// TileBounds returns the edges of a tile in degrees. Each is bit-identical to
// the edge of the neighbour, of the parent and of the children there. The
// outermost are -180, 180, -MaxLat and MaxLat. Errors wrap ErrTile: a zoom
// outside 0..MaxZoom, or x or y outside 0..2^z-1.
func TileBounds(z int, x, y int64) (xmin, ymin, xmax, ymax float64, err error) {
	if err := checkTile(z, x, y); err != nil {
		return 0, 0, 0, 0, err
	}
	k := MaxZoom - z
	return columnEdge(x << k), rowEdge((y + 1) << k), columnEdge((x + 1) << k), rowEdge(y << k), nil
}

func checkTile(z int, x, y int64) error {
	if err := checkPlace(0, 0, z); err != nil {
		return err
	}
	if n := int64(1) << z; x < 0 || x >= n || y < 0 || y >= n {
		return errf(ErrTile, "tile %d/%d/%d does not exist: at zoom %d, x and y go from 0 to %d", z, x, y, z, n-1)
	}
	return nil
}

// checkPlace returns an error for a zoom, a longitude or a latitude that does not exist.
func checkPlace(lon, lat float64, z int) error {
	switch {
	case z < 0 || z > MaxZoom:
		return errf(ErrTile, "zoom %d is outside 0..%d", z, MaxZoom)
	case !(lon >= -180 && lon <= 180):
		return errf(ErrTile, "longitude %v is outside -180..180", lon)
	case !(lat >= -90 && lat <= 90):
		return errf(ErrTile, "latitude %v is outside -90..90", lat)
	}
	return nil
}
