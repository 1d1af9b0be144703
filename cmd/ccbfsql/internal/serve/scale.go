package serve

import (
	"context"
	"image/color"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/internal/picture"
	"github.com/lucasb-eyer/go-colorful"
	"github.com/paulmach/orb"
)

// topModel predicts the largest pixel of a layer's tiles from the area of a pixel, the same for all tiles of
// a zoom. It is a power law through the largest pixel of an overview and the largest block of
// pixels.
type topModel struct {
	area, value float64 // Area of a pixel of the overview, and the largest value of its pixels.
	power       float64 // Exponent of the law: a pixel of area a has at most about value (a/area)^power.
}

// at returns the predicted largest value of pixels with an area in square degrees, or 0 if the overview has
// no points.
func (t topModel) at(area float64) float64 { return t.value * math.Pow(area/t.area, t.power) }

// top compares the largest pixel with the largest block of pixels.
func (d *densityGrid) top() topModel {
	dx, dy := d.step()
	pixel, largest := slices.Max(d.points), slices.Max(coarser(d.points))
	t := topModel{area: dx * dy, value: pixel, power: 1}
	if pixel > 0 {
		t.power = math.Log(largest/pixel) / math.Log(block*block)
	}
	return t
}

// viewScale is the colour scale of a view.
type viewScale struct {
	Top     float64 `json:"top"`     // Points per square degree of the last colour; 0: no points.
	Low     float64 `json:"low"`     // Value of one point in a pixel.
	Pixel   float64 `json:"pixel"`   // Side of a pixel in degrees of longitude.
	Sampled bool    `json:"sampled"` // Only a sample of the cells was looked up in counters.
	Dense   bool    `json:"dense"`   // Counters are among the sketches.
	Spread  bool    `json:"spread"`  // A tree (nested squares with counts) is among the sketches: its counts are spread over its squares.
	Hidden  bool    `json:"hidden"`  // Counters have nothing that stands out from chance.

	Colours []string  `json:"colours"` // from few to many points
	Steps   []float64 `json:"steps"`   // the least points per square degree of each colour, then the largest of the last one
}

// Largest number of pixels of a view along an axis. Counters have fewer, because small pixels do
// not stand out from chance.
const (
	mostPixels         = 2048
	mostPixelsOfCounts = 512
)

// crowd is the least number of points of the last colour.
const crowd = 4

// steps is the number of colours in a legend.
const steps = 16

// scale computes the colour scale of a view from its largest pixel. pixel is the side of a pixel.
// The top and the steps are rounded up to powers of the square root of 2. So tiles stay the same
// while the view moves a little.
func (l *layer) scale(ctx context.Context, f filter, box orb.Bound, pixel float64, style picture.Options) (*viewScale, error) {
	most := mostPixels
	if l.Dense > 0 {
		most = mostPixelsOfCounts
	}
	pixels := func(length, pixel float64) int { return int(min(max(math.Ceil(length/pixel), 1), float64(most))) }
	seen, err := l.look(ctx)
	if err != nil {
		return nil, err
	}
	low := pixel
	if seen.Plane == nil { // on the map the height of a pixel in degrees shrinks with the cosine of the latitude
		low *= max(math.Cos((box.Min[1]+box.Max[1])/2*math.Pi/180), 0.05)
	}
	values, sampled, err := l.estimates(ctx, f, box, pixels(width(box), pixel), pixels(height(box), low))
	if err != nil {
		return nil, err
	}
	largest := 0.0
	for i, v := range values {
		values[i] = math.Abs(v)
		largest = max(largest, values[i])
	}
	s := &viewScale{
		Low: l.low(pixel), Pixel: pixel, Sampled: sampled, Dense: l.Dense > 0, Spread: l.Exact+l.Dense < l.Rows,
		Colours: hexes(picture.Colours(style.Palette)),
	}
	if f.versus != nil {
		s.Colours, style.Scale = divergingLegend(), ""
	}
	if largest == 0 {
		s.Hidden = l.Dense > 0 && l.hasRows(&f, box)
		return s, nil
	}
	area := width(box) * height(box) / float64(len(values))
	round := func(v float64) float64 { return math.Exp2(math.Ceil(2*math.Log2(v)) / 2) }
	// The last colour is for at least crowd points in a pixel, so that a few single points do not get
	// the colour of many.
	s.Top = max(round(largest/area), crowd*s.Low/(pixel*pixel))
	o := picture.Options{Scale: style.Scale, Low: s.Low, Top: s.Top * pixel * pixel, One: s.Low}
	if style.Scale == equal {
		o.Top, area = 0, 1/area
	} else {
		area = 1 / (pixel * pixel)
	}
	if s.Steps, err = picture.Steps(values, steps, o); err != nil {
		return nil, err
	}
	for i := range s.Steps {
		if s.Steps[i] *= area; style.Scale == equal {
			s.Steps[i] = round(s.Steps[i])
		}
	}
	return s, nil
}

// boundOf returns the bound of a box in a request or response, boxOf the reverse.
func boundOf(box [4]float64) orb.Bound {
	return orb.Bound{Min: orb.Point{box[0], box[1]}, Max: orb.Point{box[2], box[3]}}
}

func boxOf(b orb.Bound) [4]float64 { return [4]float64{b.Min[0], b.Min[1], b.Max[0], b.Max[1]} }

// hexes returns steps+1 evenly spaced colours as #rrggbb.
func hexes(p []color.Color) (colours []string) {
	all := hexesOf(p)
	for i := range steps + 1 {
		colours = append(colours, all[i*(len(all)-1)/steps])
	}
	return colours
}

// hexesOf returns all colours as #rrggbb.
func hexesOf(p []color.Color) (colours []string) {
	for _, c := range p {
		opaque, _ := colorful.MakeColor(c)
		colours = append(colours, opaque.Hex())
	}
	return colours
}

// equal is the name of the scale that needs steps.
const equal = "equal"

// styleOf parses the style of a request. Its Top and its Steps are points per square degree. If Top is
// 0, it is chosen for the layer, or for the category if the layer's counters need one.
func styleOf(q url.Values) (o picture.Options, err error) {
	o = picture.Options{Palette: q.Get("palette"), Scale: q.Get("scale")}
	for _, c := range []struct {
		name, value string
		are         []string
	}{{"palette", o.Palette, picture.Palettes}, {"scale", o.Scale, picture.Scales}} {
		if c.value != "" && !slices.Contains(c.are, c.value) {
			return o, bad("%s is %q, must be one of %s", c.name, c.value, strings.Join(c.are, ", "))
		}
	}
	if text := q.Get("top"); text != "" {
		if o.Top, err = strconv.ParseFloat(text, 64); err != nil || !(o.Top > 0) || math.IsInf(o.Top, 0) {
			return o, bad("top is %q, must be a number of points above 0", text)
		}
	}
	if steps := q.Get("steps"); o.Scale == equal && steps != "" {
		for text := range strings.SplitSeq(steps, ",") {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || !(v > 0) || math.IsInf(v, 0) || len(o.Steps) > 0 && v < o.Steps[len(o.Steps)-1] {
				return o, bad("steps are %q, must be rising numbers above 0", steps)
			}
			o.Steps = append(o.Steps, v)
		}
	}
	return o, nil
}
