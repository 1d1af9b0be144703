package serve

import (
	"image"
	"image/color"
	"math"
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/internal/picture"
)

// shades is the number of colours on each side of the diverging palette.
const shades = 64

// drawDifference draws values with a diverging palette: one colour for positive values, another for
// negative ones. Larger magnitudes are more saturated.
func drawDifference(values []float64, width, height int, o picture.Options) (*image.Paletted, error) {
	sizes := make([]float64, len(values))
	for i, v := range values {
		sizes[i] = math.Abs(v)
	}
	img, err := picture.Draw(sizes, width, height, o)
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		if v < 0 && img.Pix[i] > 0 {
			img.Pix[i] += shades
		}
	}
	img.Palette = divergingPalette()
	return img, nil
}

// divergingPalette returns transparent, then shades of orange for positive and shades of blue for
// negative values. All kinds of colour vision can distinguish orange and blue. Larger magnitudes
// are more saturated, and stand out on light and dark ground.
var divergingPalette = sync.OnceValue(func() color.Palette {
	p := color.Palette{color.NRGBA{}}
	for _, side := range [2][2][3]float64{{{0xa8, 0x7a, 0x5c}, {0xe8, 0x50, 0x00}}, {{0x64, 0x80, 0xa8}, {0x00, 0x62, 0xe0}}} {
		for i := range shades {
			share := float64(i) / (shades - 1)
			var c [3]uint8
			for k := range c {
				c[k] = uint8(side[0][k] + (side[1][k]-side[0][k])*share + 0.5)
			}
			p = append(p, color.NRGBA{c[0], c[1], c[2], 255})
		}
	}
	return p
})

// divergingLegend returns colours of the diverging palette as #rrggbb, from the most negative to
// the most positive.
var divergingLegend = sync.OnceValue(func() []string {
	p := divergingPalette()
	less := hexes(p[1+shades:])
	slices.Reverse(less)
	return append(less, hexes(p[1:1+shades])...)
})
