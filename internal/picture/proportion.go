package picture

import (
	"math"

	"github.com/paulmach/orb"
)

// Degrees reports whether an area can be one of longitudes and latitudes.
func Degrees(area orb.Bound) bool {
	return area.Min[0] >= -180 && area.Max[0] <= 180 && area.Min[1] >= -90 && area.Max[1] <= 90
}

// Proportion returns the height of an area over its width. For coordinates in degrees, it is the proportion on
// the ground, in the middle of the area. Towards the poles a degree of longitude is shorter, by the
// cosine of the latitude. This is the equirectangular projection with the middle latitude as its
// standard parallel (Snyder 1987, "Map Projections", section 12).
func Proportion(area orb.Bound, degrees bool) float64 {
	dx, dy := area.Max[0]-area.Min[0], area.Max[1]-area.Min[1]
	if degrees {
		dx *= math.Cos((area.Min[1]/2 + area.Max[1]/2) * math.Pi / 180)
	}
	return dy / dx
}

// Height returns the height of a picture of an area, in pixels, for its width. If it is larger than most, Height
// returns most + 1. For an area without height, it returns 1.
func Height(area orb.Bound, width, most int) int {
	p := Proportion(area, Degrees(area))
	if !(p > 0) { // or no number
		return 1
	}
	return int(math.Min(math.Max(math.Round(float64(width)*p), 1), float64(most)+1))
}
