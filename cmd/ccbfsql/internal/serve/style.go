package serve

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/internal/picture"
)

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
