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
// the ends of lightness, as those known by their names do elsewhere. The steps of
// a palette look equally large: they are even in OkLab.
var palettes = choices[func() color.Palette]{
	// Blue over violet and red to orange, all of about the same lightness and as
	// full as screens have them: OkLch from (0.54, 250) to (0.67, 50).
	{"dusk", palette("#0271c2", "#5a54ff", "#9c3ef0", "#cd2ac6", "#f0138b", "#fe3142", "#e76d04")},
	// Both by N. Smith, S. van der Walt and E. Firing, CC0:
	// https://bids.github.io/colormap
	{"viridis", palette("#414487", "#2a788e", "#22a884", "#7ad151")},
	{"magma", palette("#641a80", "#8c2981", "#b73779", "#de4968", "#f7705c")},
}

// The first colour is half transparent, those of the upper third are opaque.
const (
	opacity  = 0.5
	opaqueAt = 2. / 3
)

// palette has its colours on the line through some, from few to many.
func palette(through ...string) func() color.Palette {
	return sync.OnceValue(func() color.Palette {
		p := color.Palette{transparent: color.NRGBA{}}
		for i, c := range evenColours(through) {
			share := float64(i) / (colours - 1)
			r, g, b := c.Clamped().RGB255()
			p = append(p, color.NRGBA{r, g, b, uint8(255*(opacity+(1-opacity)*min(share/opaqueAt, 1)) + 0.5)})
		}
		return append(p, labelInks()...)
	})
}

// evenColours are in even steps on the line through points in OkLab.
func evenColours(points []string) (out [colours]colorful.Color) {
	line := make([]colorful.Color, len(points))
	far := make([]float64, len(points)) // from the line's beginning
	for i, p := range points {
		line[i], _ = colorful.Hex(p)
		if i > 0 {
			far[i] = far[i-1] + distance(line[i-1], line[i])
		}
	}
	at := 0
	for i := range out {
		goal := float64(i) / (colours - 1) * far[len(far)-1]
		for at < len(line)-2 && far[at+1] <= goal {
			at++
		}
		out[i] = line[at].BlendOkLab(line[at+1], (goal-far[at])/(far[at+1]-far[at]))
	}
	return out
}

// distance is how far apart two colours look: the length between them in OkLab.
func distance(a, b colorful.Color) float64 {
	l1, a1, b1 := a.OkLab()
	l2, a2, b2 := b.OkLab()
	return math.Sqrt((l1-l2)*(l1-l2) + (a1-a2)*(a1-a2) + (b1-b2)*(b1-b2))
}
