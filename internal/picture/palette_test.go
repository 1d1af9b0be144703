package picture

import (
	"image/color"
	"math"
	"testing"

	"github.com/lucasb-eyer/go-colorful"
)

// The colours of each palette are on the line through some of them, in steps
// that are even in OkLab, in which distances are how far apart colours look.
func TestColoursOfPalettes(t *testing.T) {
	for name, through := range map[string][]uint32{
		"dusk":    {0x0271c2, 0x5a54ff, 0x9c3ef0, 0xcd2ac6, 0xf0138b, 0xfe3142, 0xe76d04},
		"viridis": {0x414487, 0x2a788e, 0x22a884, 0x7ad151},
		"magma":   {0x641a80, 0x8c2981, 0xb73779, 0xde4968, 0xf7705c},
	} {
		made, err := palettes.find("palette", name)
		if err != nil {
			t.Fatal(err)
		}
		p := made()
		for i, want := range even(through) {
			if c := p[first+i].(color.NRGBA); c.R != want[0] || c.G != want[1] || c.B != want[2] {
				t.Errorf("%s: colour %d is %v, want %v", name, i, c, want)
			}
		}
	}
}

// even are colours in even steps on the line through points in OkLab.
func even(points []uint32) (out [colours][3]uint8) {
	line := make([]colorful.Color, len(points))
	far := make([]float64, len(points)) // from the line's beginning
	for i, p := range points {
		line[i] = colorful.Color{R: float64(p>>16) / 255, G: float64(p>>8&255) / 255, B: float64(p&255) / 255}
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
		r, g, b := line[at].BlendOkLab(line[at+1], (goal-far[at])/(far[at+1]-far[at])).Clamped().RGB255()
		out[i] = [3]uint8{r, g, b}
	}
	return out
}

// distance is how far apart two colours look: the length between them in OkLab.
func distance(a, b colorful.Color) float64 {
	l1, a1, b1 := a.OkLab()
	l2, a2, b2 := b.OkLab()
	return math.Sqrt((l1-l2)*(l1-l2) + (a1-a2)*(a1-a2) + (b1-b2)*(b1-b2))
}
