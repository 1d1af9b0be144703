package picture

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
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

// Size returns the largest size of a picture with a proportion of height to width that fits in width by
// height pixels. A height of 0 means no limit. The result may be larger than a sketch can be drawn.
func Size(proportion float64, width, height int) (w, h int) {
	if !(proportion > 0) { // or no number: drawing such an area returns an error
		return width, max(height, 1)
	}
	wide, high := float64(width), float64(width)*proportion
	if height > 0 && high > float64(height) {
		wide, high = float64(height)/proportion, float64(height)
	}
	return max(int(math.Round(wide)), 1), max(int(math.Round(min(high, ccbf.MaxSide+1))), 1)
}
