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

// The formula of a row takes a sine, a logarithm and a division. Below the largest zooms, a row at MaxZoom
// that is off by a few rows is enough, unless it is beside an edge. So rowAt uses a table of third-order
// expansions, one for each piece of latitude. It uses the formula only if the guess lies within slack rows
// of an edge.
const (
	pieces = 1024
	slack  = 16 // the table is off by less than 4; the tests check it

	pieceSize = 2 * MaxLat / pieces // degrees
)

// expansions has, for each piece, the row in powers of the degrees from the middle of the piece.
var expansions = func() (t [pieces][4]float64) {
	const rows = -worldSize / (2 * math.Pi) // rows per unit of the projection
	for i := range t {
		lat := -MaxLat + (float64(i)+0.5)*pieceSize
		sin, cos := math.Sincos(lat * (math.Pi / 180))
		sec, tan, deg := 1/cos, sin/cos, math.Pi/180
		t[i] = [4]float64{
			worldSize/2 + rows*math.Log((1+sin)/(1-sin))/2,
			rows * sec * deg,
			rows * sec * tan * deg * deg / 2,
			rows * sec * (2*sec*sec - 1) * deg * deg * deg / 6,
		}
	}
	return t
}()

// guessRow returns row(lat) as a fraction, off by less than slack. lat is within -MaxLat..MaxLat.
func guessRow(lat float64) float64 {
	i := min(int((lat+MaxLat)*(1/pieceSize)), pieces-1)
	d := lat - (-MaxLat + (float64(i)+0.5)*pieceSize)
	e := &expansions[i]
	return e[0] + d*(e[1]+d*(e[2]+d*e[3]))
}

// rowAt returns row(lat) >> (MaxZoom - z), mostly without computing row.
func rowAt(lat float64, z int) int64 {
	k := MaxZoom - z
	y := int64(guessRow(min(max(lat, -MaxLat), MaxLat)))
	if r := y & (1<<k - 1); r >= slack && r < 1<<k-slack {
		return y >> k
	}
	return row(lat) >> k
}
