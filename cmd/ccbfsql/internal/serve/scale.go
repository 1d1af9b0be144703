package serve

import (
	"context"
	"image/color"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/internal/picture"
	"github.com/lucasb-eyer/go-colorful"
	"github.com/paulmach/orb"
)

// topModel predicts the largest pixel of a tile from the area of a pixel, the same for all tiles of
// a zoom. It is a power law through the largest pixel of an overview and the largest block of
// pixels.
type topModel struct {
	area, value float64 // Area of a pixel of the overview, and the largest value of its pixels.
	power       float64 // Exponent of the law: a pixel of area a has at most about value (a/area)^power.
}

// at returns the predicted largest value of pixels with an area in square degrees.
func (t topModel) at(area float64) float64 { return t.value * math.Pow(area/t.area, t.power) }

// top returns the model of a filter, from the cache if possible. Concurrent requests may compute it
// twice: one that waited would fail if the other were cancelled.
func (l *layer) top(ctx context.Context, f filter) (topModel, error) {
	if t, ok := l.tops.Get(f.key()); ok {
		return t, nil
	}
	seen, err := l.look(ctx)
	if err != nil {
		return topModel{}, err
	}
	d, err := l.overview(ctx, f, boundOf(seen.Box))
	if err != nil {
		return topModel{}, err
	}
	t := d.top()
	l.tops.Add(f.key(), t)
	return t, nil
}

// top compares the largest pixel with the largest block of pixels.
func (d *densityGrid) top() topModel {
	const block = 8
	dx, dy := d.step()
	pixel, largest := slices.Max(d.points), slices.Max(coarser(d.points, block))
	t := topModel{area: dx * dy, value: max(pixel, 1e-9), power: 1}
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
func (l *layer) scale(ctx context.Context, f filter, box orb.Bound, pixel float64, style style) (*viewScale, error) {
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
	if seen.Plane == nil { // on the map the height of a pixel in degrees shrinks with the cosine of the latitude
		low *= max(math.Cos((box.Min[1]+box.Max[1])/2*math.Pi/180), 0.05)
	}
	width, height := side(0, pixel), side(1, low)
	values, sampled, err := l.estimates(ctx, f, box, width, height)
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
		Colours: hexes(picture.Colours(style.palette)),
	}
	if f.versus != nil {
		s.Colours, style.scale = divergingLegend(), ""
	}
	s.Hidden = largest == 0 && l.Dense > 0 && l.intersects(f, box)
	if largest == 0 {
		return s, nil
	}
	area := (box.Max[0] - box.Min[0]) * (box.Max[1] - box.Min[1]) / float64(len(values))
	round := func(v float64) float64 { return math.Exp2(math.Ceil(2*math.Log2(v)) / 2) }
	// The last colour is for at least crowd points in a pixel, so that a few single points do not get
	// the colour of many.
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

// style describes the colours of tiles.
type style struct {
	palette, scale string    // Names of a palette and of a scale, for picture.Options.
	top            float64   // Points per square degree of the last colour; 0: chosen for the layer.
	steps          []float64 // Points per square degree of evenly spaced colours, for the scale "equal".
}

// equal is the name of the scale that needs steps.
const equal = "equal"

// styleOf parses the style of a request. id is equal for equal styles.
func styleOf(r *http.Request) (s style, id string, err error) {
	q := r.URL.Query()
	s = style{palette: q.Get("palette"), scale: q.Get("scale")}
	for _, o := range []struct {
		name, value string
		are         []string
	}{{"palette", s.palette, picture.Palettes}, {"scale", s.scale, picture.Scales}} {
		if o.value != "" && !slices.Contains(o.are, o.value) {
			return s, "", bad("%s is %q, must be one of %s", o.name, o.value, strings.Join(o.are, ", "))
		}
	}
	if text := q.Get("top"); text != "" {
		if s.top, err = strconv.ParseFloat(text, 64); err != nil || !(s.top > 0) || math.IsInf(s.top, 0) {
			return s, "", bad("top is %q, must be a number of points above 0", text)
		}
	}
	steps := q.Get("steps")
	if steps != "" {
		for text := range strings.SplitSeq(steps, ",") {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || !(v > 0) || math.IsInf(v, 0) || len(s.steps) > 0 && v < s.steps[len(s.steps)-1] {
				return s, "", bad("steps are %q, must be rising numbers above 0", steps)
			}
			s.steps = append(s.steps, v)
		}
	}
	return s, strings.Join([]string{s.palette, s.scale, q.Get("top"), steps}, " "), nil
}

// options returns the options of a picture. area is the area of a pixel, and low the value of one point in
// it.
func (s *style) options(area, low float64) picture.Options {
	o := picture.Options{Palette: s.palette, Scale: s.scale, Low: low, Top: s.top * area, One: low}
	if s.scale == equal {
		for _, v := range s.steps {
			o.Steps = append(o.Steps, v*area)
		}
	}
	return o
}
