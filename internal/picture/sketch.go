package picture

import (
	"image"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/paulmach/orb"
)

// Sketch draws a sketch's counts in an area, and writes them to values, which must be width*height long. Counts
// are points per pixel, or per cell where cells are larger than pixels. Sketch sets this unit in the options, and
// One. Errors as ccbf.View.Density and Draw.
func Sketch(values []float64, v *ccbf.View, area orb.Bound, width, height int, of ccbf.Categories, o *Options) (*image.Paletted, error) {
	if err := v.Density(values, area, width, height, of); err != nil {
		return nil, err
	}
	o.Unit, o.One = "per pixel", 1
	res := v.Grid.Res()
	pixels := (res / (area.Max[0] - area.Min[0]) * float64(width)) * (res / (area.Max[1] - area.Min[1]) * float64(height))
	if pixels > 1 { // of a cell
		o.Unit = "per cell"
		for i := range values {
			values[i] *= pixels
		}
	}
	return Draw(values, width, height, *o)
}
