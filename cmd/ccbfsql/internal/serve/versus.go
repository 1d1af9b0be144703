package serve

import (
	"context"
	"encoding/json"
	"image"
	"image/color"
	"math"
	"net/http"
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/internal/picture"
	"github.com/paulmach/orb"
)

// versus parses the URL parameter versus: JSON with the where and the category of the rows that the
// selected rows are compared with. It returns nil if the request has no such parameter.
func (s *server) versus(r *http.Request, table, column string) (*filter, error) {
	text := r.URL.Query().Get("versus")
	if text == "" {
		return nil, nil //nolint:nilnil // nil means that there are none
	}
	var other struct {
		Where    []condition `json:"where"`
		Category *string     `json:"category"`
	}
	if err := json.Unmarshal([]byte(text), &other); err != nil {
		return nil, bad(`versus is not like {"where": [{"by": "month", "value": "2018-10"}]}: %v`, err)
	}
	_, f, err := s.chosen(r.Context(), table, column, other.Where, other.Category)
	return &f, err
}

// difference adds the estimates of the rows of f to the pixels of sum. If other is not nil, it
// subtracts the estimates of the rows of other.
func (l *layer) difference(ctx context.Context, sum []float64, f filter, other *filter, box orb.Bound, width, height, most int) (sampled bool, err error) {
	sampled, err = l.estimates(ctx, sum, f, box, width, height, most)
	if err != nil || other == nil {
		return sampled, err
	}
	theirs := make([]float64, len(sum))
	of, err := l.estimates(ctx, theirs, *other, box, width, height, most)
	if err != nil {
		return sampled, err
	}
	for i, n := range theirs {
		sum[i] -= n
		if math.Abs(sum[i]) < 1e-9*n { // a difference that is only a rounding error
			sum[i] = 0
		}
	}
	return sampled || of, nil
}

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
