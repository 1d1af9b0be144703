package picture

import (
	"math"
	"slices"
	"testing"

	"github.com/lucasb-eyer/go-colorful"
)

// deuteranopia returns how a colour looks to an eye without green cones. Machado, Oliveira and
// Fernandes 2009, "A Physiologically-based Model for Simulation of Color Vision Deficiency", table
// 1, severity 1.
func deuteranopia(c colorful.Color) colorful.Color {
	r, g, b := c.LinearRgb()
	return colorful.LinearRgb(
		0.367322*r+0.860646*g-0.227968*b,
		0.280085*r+0.672501*g+0.047413*b,
		-0.011820*r+0.042940*g+0.968881*b,
	).Clamped()
}

// Lightness rises, or falls on light ground, in steps that differ by less than a fifth: a
// ramp reads in grey. An eye without green cones tells its colours apart, too.
func TestLightnessIsEven(t *testing.T) {
	const apart = 7 // colours of a step: 9 steps in all
	for i, name := range Palettes {
		if name == "dusk" {
			continue
		}
		p := palettes[i]()
		var steps []float64
		for c := first; c+apart < inks; c += apart {
			from, to := solid(p[c]), solid(p[c+apart])
			steps = append(steps, lightness(to)-lightness(from))
			if d := deuteranopia(from).DistanceCIEDE2000(deuteranopia(to)); d < 0.03 {
				t.Errorf("%s: without green cones, colours %d and %d are %.3f apart", name, c, c+apart, d)
			}
		}
		if least, most := slices.Min(steps), slices.Max(steps); least*most <= 0 || math.Abs(most-least) > 0.2*math.Max(math.Abs(least), math.Abs(most)) {
			t.Errorf("%s: steps of lightness are from %.2f to %.2f", name, least, most)
		}
		rises := lightness(p[first+colours-1]) > lightness(p[first])
		for c := first + 1; c < inks; c++ {
			if (lightness(solid(p[c])) > lightness(solid(p[c-1]))) != rises {
				t.Errorf("%s: lightness turns at colour %d", name, c)
			}
		}
	}
}
