package picture

import (
	"image/color"
	"math"
	"sync"

	"github.com/lucasb-eyer/go-colorful"
)

// colours is how many colours a scale has. More of them look no smoother on
// counts, and cost bytes in a PNG.
const colours = 64

// The indexes of a palette: nothing, colours from few to many, and what labels
// are made of.
const (
	transparent = 0
	first       = 1
	inks        = first + colours
	inkSteps    = 8 // from the label's ground to its letters
)

// palettes have to stand out on white and on dark alike: few are pale, by being
// half transparent, many are full and bright. For the same reason none goes to
// the ends of lightness, as those known by their names do elsewhere.
var palettes = choices[func() color.Palette]{
	// Blue over violet and red to orange, all of about the same lightness and as
	// full as screens have them: OkLch from (0.54, 250) to (0.67, 50).
	{"dusk", through(0x0271c2, 0x5a54ff, 0x9c3ef0, 0xcd2ac6, 0xf0138b, 0xfe3142, 0xe76d04)},
	// Both by N. Smith, S. van der Walt and E. Firing, CC0:
	// https://bids.github.io/colormap
	{"viridis", through(0x414487, 0x2a788e, 0x22a884, 0x7ad151)},
	{"magma", through(0x641a80, 0x8c2981, 0xb73779, 0xde4968, 0xf7705c)},
}

// The first colour is half transparent, those of the upper third are opaque.
const (
	opacity  = 0.5
	opaqueAt = 2. / 3
)

// through makes a palette of the line through some colours in OkLab, given as
// 0xRRGGBB, in steps that look equally large.
func through(points ...uint32) func() color.Palette {
	return sync.OnceValue(func() color.Palette {
		line := make([]colorful.Color, len(points))
		far := make([]float64, len(points)) // from the line's beginning
		for i, p := range points {
			line[i] = colorful.Color{R: float64(p>>16) / 255, G: float64(p>>8&255) / 255, B: float64(p&255) / 255}
			if i > 0 {
				far[i] = far[i-1] + distance(line[i-1], line[i])
			}
		}
		p, at := color.Palette{transparent: color.NRGBA{}}, 0
		for i := range colours {
			share := float64(i) / (colours - 1)
			goal := share * far[len(far)-1]
			for at < len(line)-2 && far[at+1] <= goal {
				at++
			}
			r, g, b := line[at].BlendOkLab(line[at+1], (goal-far[at])/(far[at+1]-far[at])).Clamped().RGB255()
			p = append(p, color.NRGBA{r, g, b, uint8(255*(opacity+(1-opacity)*min(share/opaqueAt, 1)) + 0.5)})
		}
		return append(p, labelInks()...)
	})
}

// distance is how far apart two colours look: the length between them in OkLab.
func distance(a, b colorful.Color) float64 {
	l1, a1, b1 := a.OkLab()
	l2, a2, b2 := b.OkLab()
	return math.Sqrt((l1-l2)*(l1-l2) + (a1-a2)*(a1-a2) + (b1-b2)*(b1-b2))
}
