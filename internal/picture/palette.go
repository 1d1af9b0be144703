package picture

import (
	"image/color"
	"slices"
	"sync"

	"github.com/lucasb-eyer/go-colorful"
	"github.com/mazznoer/colorgrad"
)

// colours is how many colours a scale has. More of them look no smoother on
// counts, and cost bytes in a PNG.
const colours = 64

// Indexes of a palette. Index 0 is no colour. Then come the colours from few points to many, the colours of labels,
// and shades. A shade is for less than one point: the colour of one point, more or less transparent.
const (
	transparent = 0
	first       = 1
	inks        = first + colours
	inkSteps    = 8 // from the label's ground to its letters
	faint       = inks + inkSteps
	faintSteps  = 16
)

// palettes are in the order of Palettes. They rise evenly in lightness, L*, so that they read in grey and
// to all kinds of colour vision. Viridis stands out on light and dark ground; Inferno and Magma are for
// dark ground, ColorBrewer's YlOrRd is for light ground. Dusk has one lightness.
var palettes = [...]func() color.Palette{
	palette(colorgrad.Viridis(), 34, 80),
	palette(colorgrad.Inferno(), 26, 94),
	palette(colorgrad.Magma(), 26, 94),
	palette(colorgrad.YlOrRd(), 91, 27),
	dusk,
}

// The first colour is half transparent, and colours of the upper third are opaque.
const (
	opacity  = 0.5
	opaqueAt = 2. / 3
)

// palette returns a function that makes a palette from gradient g. The lightness L* (0 to 100) changes
// in even steps from the parameter from to the parameter to.
func palette(g colorgrad.Gradient, from, to float64) func() color.Palette {
	return sync.OnceValue(func() color.Palette {
		return paletteOf(func(share float64) color.Color {
			wanted := from + (to-from)*share
			low, high := 0., 1. // between which it lies: lightness rises or falls throughout
			rises := lightness(g.At(1)) > lightness(g.At(0))
			for range 40 {
				middle := (low + high) / 2
				if (lightness(g.At(middle)) < wanted) == rises {
					low = middle
				} else {
					high = middle
				}
			}
			return g.At(low)
		})
	})
}

// lightness returns L* of CIE 1976, from 0 to 100.
func lightness(c color.Color) float64 {
	made, _ := colorful.MakeColor(c)
	l, _, _ := made.Lab()
	return 100 * l
}

// dusk is blue over violet and red to orange, in steps that are even in OkLab.
var dusk = sync.OnceValue(func() color.Palette {
	g, err := colorgrad.NewGradient().HtmlColors("#0271c2", "#5a54ff", "#9c3ef0", "#cd2ac6", "#f0138b", "#fe3142", "#e76d04").Mode(colorgrad.BlendOklab).Build()
	if err != nil {
		panic(err) // of constants
	}
	return paletteOf(func(share float64) color.Color { return g.At(share) })
})

// paletteOf returns a palette. at returns the colour at each position of the scale, from 0 to 1.
func paletteOf(at func(share float64) color.Color) color.Palette {
	p := color.Palette{transparent: color.NRGBA{}}
	for i := range colours {
		share := float64(i) / (colours - 1)
		c := color.NRGBAModel.Convert(at(share)).(color.NRGBA)
		c.A = uint8(255*(opacity+(1-opacity)*min(share/opaqueAt, 1)) + 0.5)
		p = append(p, c)
	}
	return append(p, labelInks()...)
}

// faded returns p with shades of the colour of one point, from almost transparent up to the colour itself.
func faded(p color.Palette, one int) color.Palette {
	c := p[first+one].(color.NRGBA)
	p = slices.Clone(p)
	for i := range faintSteps {
		p = append(p, color.NRGBA{c.R, c.G, c.B, uint8((int(c.A)*(i+1) + faintSteps/2) / faintSteps)})
	}
	return p
}

// Opaque returns p without transparency, except for the shades of less than one point.
func Opaque(p color.Palette) color.Palette {
	p = slices.Clone(p)
	for i := first; i < len(p); i++ {
		c := p[i].(color.NRGBA)
		switch {
		case i < inks:
			c.A = 255
		case i >= faint:
			c.A = uint8(255 * (i - faint + 1) / faintSteps)
		}
		p[i] = c
	}
	return p
}

// Colours returns the colours of a palette from few points to many, without transparency. It returns nil if
// no palette has the name.
func Colours(name string) []color.Color {
	palette, err := choose("palette", name, Palettes)
	if err != nil {
		return nil
	}
	return Opaque(palettes[palette]())[first:inks]
}
