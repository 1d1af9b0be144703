package serve

import (
	"context"
	"fmt"
	"image/color"
	"math"

	"github.com/ccbfsql/ccbfsql/internal/picture"
	"github.com/paulmach/orb"
)

// topOf is what the last colour stands for in the tiles of a layer, alike at
// all tiles of a zoom. The largest pixel of an overview is known, and the largest
// block of such pixels; between them, and beyond, it grows with a power of its
// area.
type topOf struct {
	area, value float64 // of a pixel of the overview
	power       float64
}

// at is the top of pixels with an area, in square degrees.
func (t topOf) at(area float64) float64 { return t.value * math.Pow(area/t.area, t.power) }

// top is that of a filter. Two requests may both measure it: neither waits for
// the other, which may be cancelled.
func (l *layer) top(ctx context.Context, f filter) (topOf, error) {
	if t, ok := l.tops.Get(f.id); ok {
		return t, nil
	}
	t, err := l.measure(ctx, f)
	if err == nil {
		l.tops.Add(f.id, t)
	}
	return t, err
}

// measure draws the layer, as far as its points are, and looks at pixels one by one
// and in blocks.
func (l *layer) measure(ctx context.Context, f filter) (topOf, error) {
	const block = 8
	box := l.bound()
	if seen := l.looks.Load(); seen != nil && seen.Degrees { // the first tile does not wait for one
		box = boundOf(seen.Box)
	}
	pixels := make([]float64, overviewSide*overviewSide)
	if _, err := l.estimates(ctx, pixels, f, box, overviewSide, overviewSide, readsOfScale); err != nil {
		return topOf{}, err
	}
	var blocks [overviewSide / block * overviewSide / block]float64
	pixel, largest := 0.0, 0.0
	for i, n := range pixels {
		b := &blocks[i/overviewSide/block*(overviewSide/block)+i%overviewSide/block]
		*b += n
		pixel, largest = max(pixel, n), max(largest, *b)
	}
	t := topOf{
		area:  (box.Max[0] - box.Min[0]) * (box.Max[1] - box.Min[1]) / float64(len(pixels)),
		value: max(pixel, 1e-9), power: 1,
	}
	if pixel > 0 {
		t.power = math.Log(largest/pixel) / math.Log(block*block)
	}
	return t, nil
}

// viewScale is the scale of what a view shows.
type viewScale struct {
	Top     float64 `json:"top"`     // points per square degree of the last colour; 0 where there are none
	Low     float64 `json:"low"`     // one point, in a pixel
	Pixel   float64 `json:"pixel"`   // side of a pixel, in degrees of longitude
	Sampled bool    `json:"sampled"` // cells are too many to be read all
	Dense   bool    `json:"dense"`   // counters that cells share are among what is shown
	Spread  bool    `json:"spread"`  // counts of a tree's squares are spread over them
	Hidden  bool    `json:"hidden"`  // counters are, and all that they say can be chance

	Colours []string  `json:"colours"` // from few to many
	Steps   []float64 `json:"steps"`   // the least points per square degree of the colours, and those of the last
}

// How many pixels of a view are looked at along an axis. Of counters fewer: small pixels do
// not stand out from chance.
const (
	mostPixels         = 2048
	mostPixelsOfCounts = 512
)

// crowd is how many points the last colour stands for at least.
const crowd = 4

// steps is how many colours of a legend there are.
const steps = 16

// scale looks at what a view shows; pixel is the side of a pixel. The top is rounded up
// to a half power of two, and steps likewise, so that tiles stay as they are while the view
// moves a little.
func (l *layer) scale(ctx context.Context, f filter, other *filter, box orb.Bound, pixel float64, style style) (*viewScale, error) {
	most := mostPixels
	if l.Dense > 0 {
		most = mostPixelsOfCounts
	}
	side := func(axis int, pixel float64) int {
		return int(min(max(math.Ceil((box.Max[axis]-box.Min[axis])/pixel), 1), float64(most)))
	}
	seen, err := l.look(ctx)
	if err != nil {
		return nil, err
	}
	low := pixel
	if seen.Plane == nil { // on the map a pixel is lower in degrees, by the cosine of the latitude
		low *= max(math.Cos((box.Min[1]+box.Max[1])/2*math.Pi/180), 0.05)
	}
	width, height := side(0, pixel), side(1, low)
	values := make([]float64, width*height)
	d, err := l.less(ctx, values, f, other, box, width, height, readsOfScale)
	if err != nil {
		return nil, err
	}
	largest := 0.0
	for i, v := range values {
		values[i] = math.Abs(v)
		largest = max(largest, values[i])
	}
	s := &viewScale{
		Low: l.low(pixel), Pixel: pixel, Sampled: d.sampled, Dense: l.Dense > 0, Spread: l.Exact+l.Dense < l.Rows,
		Colours: hexes(picture.Colours(style.palette)),
	}
	if other != nil {
		s.Colours, style.scale = twoRamp(), ""
	}
	s.Hidden = largest == 0 && l.Dense > 0 && (l.meets(f, box) || other != nil && l.meets(*other, box))
	if largest == 0 {
		return s, nil
	}
	area := (box.Max[0] - box.Min[0]) * (box.Max[1] - box.Min[1]) / float64(len(values))
	round := func(v float64) float64 { return math.Exp2(math.Ceil(2*math.Log2(v)) / 2) }
	// Single points, as many as they are, are no crowd: they have a colour of few.
	s.Top = max(round(largest/area), crowd*s.Low/(pixel*pixel))
	o := picture.Options{Scale: style.scale, Low: s.Low, Top: s.Top * pixel * pixel, One: s.Low}
	if style.scale == equal {
		o.Top, area = 0, 1/area
	} else {
		area = 1 / (pixel * pixel)
	}
	if s.Steps, err = picture.Steps(values, steps, o); err != nil {
		return nil, err
	}
	for i := range s.Steps {
		if s.Steps[i] *= area; style.scale == equal {
			s.Steps[i] = round(s.Steps[i])
		}
	}
	return s, nil
}

func boundOf(box [4]float64) orb.Bound {
	return orb.Bound{Min: orb.Point{box[0], box[1]}, Max: orb.Point{box[2], box[3]}}
}

// hexes is some of some colours, in even steps.
func hexes(p []color.Color) (colours []string) {
	for i := range steps + 1 {
		colours = append(colours, hex(p[i*(len(p)-1)/steps]))
	}
	return colours
}

// hexesOf is all of them.
func hexesOf(p []color.Color) (colours []string) {
	for _, c := range p {
		colours = append(colours, hex(c))
	}
	return colours
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
