// Package picture draws values on a grid of pixels as a PNG. It has one colour per step of a scale.
// A value of 0 is transparent, so that a picture lies on any ground.
package picture

import (
	"fmt"
	"image"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Options say how values become colours. The zero value means the defaults.
type Options struct {
	Palette string // one of Palettes
	Scale   string // one of Scales
	// Label is a line of text for the lower left corner. The colours and their values are drawn
	// below it. Text that does not fit is left out.
	Label string
	// Unit is the unit of the values in the label, such as "per pixel".
	Unit string
	// Low and Top fix the scale, so that several pictures have the same colours. Low is the count of a
	// few points. Top and larger values get the last colour. If Top is 0, both are computed from the
	// values.
	Low, Top float64
	// Steps sets a scale that has no formula. It lists the lower bounds of evenly spaced colours in
	// ascending order, then the value of the last colour.
	Steps []float64
	// One is the value of one point in a pixel. Smaller values occur if a tree knows only that a few
	// points lie in many pixels. They get the colour of one point, the fainter the smaller they are. From
	// afar, this looks like the points. One is 0 if the values are no points.
	One float64
}

// Palettes are the names of the palettes, and Scales are the names of the scales, the defaults first.
var (
	Palettes = []string{"viridis", "inferno", "magma", "ylorrd", "dusk"}
	Scales   = []string{"log", "sqrt", "linear", "equal"}
)

// Draw draws values, row by row from the top. The largest, or Top, gets the last colour of the
// palette. A larger value never gets an earlier colour than a smaller one. Values that are not a
// number above 0 (0, negative, NaN, infinite) are transparent, and so are values below a billionth of the
// largest. The image takes a byte per value, and may share its palette with others. Errors wrap
// sketch.ErrOption where an option is at fault. O(len(values)).
func Draw(values []float64, width, height int, o Options) (*image.Paletted, error) {
	if n := len(values); width < 1 || height < 1 || width > n || height > n || width*height != n {
		return nil, fmt.Errorf("%d values for a picture of %d x %d pixels", n, width, height)
	}
	palette, err := choose("palette", o.Palette, Palettes)
	if err != nil {
		return nil, err
	}
	s, err := newScale(values, &o)
	if err != nil {
		return nil, err
	}
	img := image.NewPaletted(image.Rect(0, 0, width, height), palettes[palette]())
	if s.paint(img.Pix, values) {
		img.Palette = faded(img.Palette, s.colour(0, s.one))
	}
	if o.Label != "" {
		if err := drawLabel(img, o.Label, o.Unit, s); err != nil {
			return nil, err
		}
	}
	return img, nil
}

// choose returns the index of a name among the choices of an option, or 0 if the name is empty.
func choose(option, name string, choices []string) (int, error) {
	if name == "" {
		return 0, nil
	}
	o := sketch.Option{Name: option, Choices: choices}
	return o.Choose(name)
}
