package picture

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/paulmach/orb"
)

// Values writes a sketch's counts in an area to dst, which must be width*height long, for Draw.
// Counts are points per pixel, or per cell where cells are larger than pixels; it returns which.
// Errors as ccbf.View.Density.
func Values(dst []float64, v *ccbf.View, area orb.Bound, width, height int, of ccbf.Categories) (unit string, err error) {
	if err := v.Density(dst, area, width, height, of); err != nil {
		return "", err
	}
	res := v.Grid.Res()
	pixels := (res / (area.Max[0] - area.Min[0]) * float64(width)) * (res / (area.Max[1] - area.Min[1]) * float64(height))
	if pixels <= 1 { // of a cell
		return "per pixel", nil
	}
	for i := range dst {
		dst[i] *= pixels
	}
	return "per cell", nil
}
