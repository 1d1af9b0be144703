package grid

import "math"

// worldSize is the number of columns and of rows at MaxZoom.
const worldSize = 1 << MaxZoom

// columnEdge returns the west edge of a column at MaxZoom, exactly.
func columnEdge(x int64) float64 { return float64(float64(x)*(360.0/worldSize)) - 180 }

// rowEdge returns the north edge of a row at MaxZoom.
func rowEdge(y int64) float64 {
	switch y {
	case 0:
		return MaxLat
	case worldSize:
		return -MaxLat
	}
	t := float64(math.Pi * (1 - float64(y)*(2.0/worldSize)))
	return math.Atan(math.Sinh(t)) * (180 / math.Pi)
}

// column returns the column at MaxZoom: columnEdge(x) <= lon < columnEdge(x+1). The formula can be one off
// beside an edge. Comparing with the edge decides.
func column(lon float64) int64 {
	x := int64((lon + 180) * (worldSize / 360.0))
	if x >= worldSize {
		return worldSize - 1
	}
	if x > 0 && lon < columnEdge(x) {
		x--
	} else if x < worldSize-1 && lon >= columnEdge(x+1) {
		x++
	}
	return x
}

// row returns the row at MaxZoom: rowEdge(y+1) < lat <= rowEdge(y). Computing an edge is slow, so it is
// done only within a thousandth of a row. The rounding of either formula is much smaller, at most 1e-6
// rows.
func row(lat float64) int64 {
	lat = min(max(lat, -MaxLat), MaxLat)
	sin := math.Sin(lat * (math.Pi / 180))
	f := (0.5 - float64(math.Log((1+sin)/(1-sin))*(0.25/math.Pi))) * worldSize
	y := min(max(int64(f), 0), worldSize-1)
	if d := f - float64(y); d < 1e-3 || d > 1-1e-3 {
		if y > 0 && lat > rowEdge(y) {
			y--
		} else if y < worldSize-1 && lat <= rowEdge(y+1) {
			y++
		}
	}
	return y
}
