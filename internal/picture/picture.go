// Package picture draws values on a grid of pixels as a PNG. It has one colour per step of a scale.
// A value of 0 is transparent, so that a picture lies on any ground.
package picture

import (
	"fmt"
	"image"
	"io"
	"strings"

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
	Palettes = palettes.names()
	Scales   = laws.names()
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
	colours, err := palettes.find("palette", o.Palette)
	if err != nil {
		return nil, err
	}
	law, err := laws.find("scale", o.Scale)
	if err != nil {
		return nil, err
	}
	s := newScale(law, values, &o)
	img := image.NewPaletted(image.Rect(0, 0, width, height), colours())
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

// Encode writes what Draw draws as a PNG. Equal values and options give equal
// bytes.
func Encode(w io.Writer, values []float64, width, height int, o Options) error {
	img, err := Draw(values, width, height, o)
	if err != nil {
		return err
	}
	return Write(w, img)
}

// choices has the values of an option by name. The default comes first.
type choices[T any] []choice[T]

// choice is a value of an option with its name.
type choice[T any] struct {
	name string
	what T
}

func (c choices[T]) names() []string {
	names := make([]string, len(c))
	for i := range c {
		names[i] = c[i].name
	}
	return names
}

// find returns the choice with this name, or the default if name is empty. option is the name of the
// option in an error.
func (c choices[T]) find(option, name string) (T, error) {
	if name == "" {
		return c[0].what, nil
	}
	for i := range c {
		if strings.EqualFold(c[i].name, name) {
			return c[i].what, nil
		}
	}
	var none T
	return none, sketch.OptionError(option, "is '%s', must be '%s'", name, strings.Join(c.names(), "' or '"))
}
