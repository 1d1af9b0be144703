package picture

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/lucasb-eyer/go-colorful"
	"github.com/paulmach/orb"
)

// counts returns values as in maps: nothing in most pixels, few points in most
// others, many in a few.
func counts(n int) []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, n)
	for i := range values {
		if r.IntN(3) == 0 {
			values[i] = math.Floor(math.Exp(r.ExpFloat64()))
		}
	}
	return values
}

func draw(t *testing.T, values []float64, width, height int, o Options) *image.Paletted {
	t.Helper()
	img, err := Draw(values, width, height, o)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestWrite(t *testing.T) {
	values := counts(90 * 40)
	for _, palette := range Palettes {
		var b bytes.Buffer
		if err := Write(&b, draw(t, values, 90, 40, Options{Palette: palette})); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		if img.Bounds() != image.Rect(0, 0, 90, 40) {
			t.Fatalf("bounds %v", img.Bounds())
		}
		top := slices.Max(values)
		last := draw(t, values, 90, 40, Options{Palette: palette}).Palette[colours]
		for i, v := range values {
			c := color.NRGBAModel.Convert(img.At(i%90, i/90)).(color.NRGBA)
			if (v == 0) != (c.A == 0) || (v == top) != (c == last) || v > 0 && c.A < 127 {
				t.Fatalf("%s: pixel %d of value %v is %v", palette, i, v, c)
			}
		}
	}
}

func TestColoursRiseWithValues(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range Scales {
		for _, spread := range []float64{0.1, 1, 5, 20} {
			values := make([]float64, 5000)
			for i := range values {
				values[i] = math.Exp(r.NormFloat64() * spread)
			}
			slices.Sort(values)
			pix := draw(t, values, 100, 50, Options{Scale: name}).Pix
			if !slices.IsSorted(pix) || pix[len(pix)-1] != colours {
				t.Errorf("%s, spread %v: colours do not rise to the last: %v", name, spread, slices.Compact(pix))
			}
		}
	}
}

// Colours follow the laws of the scales.
func TestLaws(t *testing.T) {
	values := counts(1 << 16) // one point is the lower quartile
	top := slices.Max(values)
	sorted := slices.Sorted(slices.Values(values))
	below := func(v float64) float64 { // how many are drawn and below
		i, _ := slices.BinarySearch(sorted, v)
		zeros, _ := slices.BinarySearch(sorted, 1)
		return float64(i - zeros)
	}
	shares := map[string]func(v float64) float64{
		"log":    func(v float64) float64 { return math.Log(1+v) / math.Log(1+top) },
		"sqrt":   func(v float64) float64 { return math.Sqrt(v / top) },
		"linear": func(v float64) float64 { return v / top },
		"equal":  func(v float64) float64 { return below(v) / below(top) },
	}
	if len(shares) != len(Scales) {
		t.Fatalf("scales are %v", Scales)
	}
	for _, name := range Scales {
		for i, got := range draw(t, values, 256, 256, Options{Scale: name}).Pix {
			v := values[i]
			if v == 0 {
				continue
			}
			share := shares[name](v) * colours
			want := uint8(min(1+math.Floor(share), colours))
			if got != want && math.Abs(share-math.Round(share)) > 1e-9 { // at a limit, either
				t.Fatalf("%s: %v of %v has colour %d, expected %d", name, v, top, got, want)
			}
		}
	}
}

// A scale does not depend on the unit of the values.
func TestScalesIgnoreUnits(t *testing.T) {
	values := counts(64 * 64)
	for _, name := range Scales {
		want := draw(t, values, 64, 64, Options{Scale: name}).Pix
		for _, unit := range []float64{0x1p-500, 0x1p-20, 1024, 0x1p500} {
			scaled := make([]float64, len(values))
			for i, v := range values {
				scaled[i] = v * unit
			}
			if got := draw(t, scaled, 64, 64, Options{Scale: name}).Pix; !slices.Equal(got, want) {
				t.Errorf("%s: another picture of values times %v", name, unit)
			}
		}
	}
}

func TestWhatIsNoNumberIsTransparent(t *testing.T) {
	nothing := []float64{0, math.Copysign(0, -1), -1, math.NaN(), math.Inf(1), math.Inf(-1), 5e-324}
	for _, name := range Scales {
		for _, v := range draw(t, nothing, 7, 1, Options{Scale: name, Label: "x"}).Pix {
			if v != transparent {
				t.Errorf("%s: colour %d", name, v)
			}
		}
		pix := draw(t, append(nothing, 1, 1e-12), 3, 3, Options{Scale: name}).Pix
		if want := []uint8{0, 0, 0, 0, 0, 0, 0, colours, 0}; !slices.Equal(pix, want) {
			t.Errorf("%s: colours %v, expected %v", name, pix, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		width, height, values int
		o                     Options
		want                  string
	}{
		{0, 0, 0, Options{}, "0 values for a picture of 0 x 0 pixels"},
		{-2, -2, 4, Options{}, "4 values for a picture of -2 x -2 pixels"},
		{2, 2, 3, Options{}, "3 values for a picture of 2 x 2 pixels"},
		{1 << 40, 1 << 40, 0, Options{}, "0 values for a picture of 1099511627776 x 1099511627776 pixels"},
		{1, 1, 1, Options{Palette: "jet"}, `option "palette" is 'jet', must be 'viridis', 'inferno', 'magma', 'ylorrd' or 'dusk'`},
		{1, 1, 1, Options{Scale: "cubic"}, `option "scale" is 'cubic', must be 'log', 'sqrt', 'linear' or 'equal'`},
	} {
		_, err := Draw(make([]float64, c.values), c.width, c.height, c.o)
		if err == nil || err.Error() != c.want {
			t.Errorf("%v, expected %s", err, c.want)
		}
		if strings.HasPrefix(c.want, "option") && !errors.Is(err, sketch.ErrOption) {
			t.Errorf("%v is no error of an option", err)
		}
	}
	if err := Write(full{}, draw(t, []float64{1}, 1, 1, Options{})); !errors.Is(err, errFull) {
		t.Errorf("a writer that is full: %v", err)
	}
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

// Less than one point is drawn in the colour of one, the less the fainter; the largest
// never is.
func TestFaint(t *testing.T) {
	values := []float64{0.01, 0.25, 0.5, 0.999, 1, 2, 100}
	for _, name := range Scales {
		img := draw(t, values, len(values), 1, Options{Scale: name, One: 1})
		at := func(i int) color.NRGBA { return img.Palette[img.Pix[i]].(color.NRGBA) }
		one := at(4)
		for i := range 4 {
			c := at(i)
			if want := values[i] * float64(one.A); math.Abs(float64(c.A)-want) > float64(one.A)/faintSteps+1 {
				t.Errorf("%s: %v points have an opacity of %d, one has %d", name, values[i], c.A, one.A)
			}
			if c.A = one.A; c != one {
				t.Errorf("%s: %v points have the colour %v, one has %v", name, values[i], c, one)
			}
		}
		if few := draw(t, values[:3], 3, 1, Options{Scale: name, One: 1}); few.Pix[2] != colours {
			t.Errorf("%s: the largest of few has colour %d", name, few.Pix[2])
		}
	}
}

// A scale by its steps draws as the values do that it was made of.
func TestSteps(t *testing.T) {
	values := counts(1 << 12)
	for _, name := range Scales {
		steps, err := Steps(values, colours, Options{Scale: name})
		if err != nil || !slices.IsSorted(steps) || steps[colours] != slices.Max(values) {
			t.Fatalf("%s: %v, %v", name, steps, err)
		}
		if got, want := draw(t, values, 64, 64, Options{Steps: steps}).Pix, draw(t, values, 64, 64, Options{Scale: name}).Pix; !slices.Equal(got, want) {
			t.Errorf("%s: by its steps the picture is another", name)
		}
	}
	if steps, err := Steps(make([]float64, 4), 8, Options{}); err != nil || steps != nil {
		t.Errorf("of nothing: %v, %v", steps, err)
	}
}

// Pictures of one scale agree: a value has one colour in all of them, and what
// is above the top has the top's.
func TestFixedScale(t *testing.T) {
	o := Options{Low: 1, Top: 1000}
	pixel := func(values ...float64) uint8 {
		img, err := Draw(values, len(values), 1, o)
		if err != nil {
			t.Fatal(err)
		}
		return img.Pix[0]
	}
	for _, v := range []float64{1, 7, 300, 1000} {
		if a, b := pixel(v), pixel(v, 1e6, 0.1); a != b {
			t.Errorf("%v has colour %d alone, and %d beside others", v, a, b)
		}
	}
	if a, b := pixel(1000), pixel(5000); a != b || a <= pixel(300) {
		t.Errorf("the top has colour %d, more than it %d, less %d", a, b, pixel(300))
	}
}

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

func bound(x0, y0, x1, y1 float64) orb.Bound {
	return orb.Bound{Min: orb.Point{x0, y0}, Max: orb.Point{x1, y1}}
}

func TestSize(t *testing.T) {
	for _, c := range []struct {
		area  orb.Bound
		width int
		want  int
	}{
		{bound(-10, -10, 10, 10), 400, 400}, // around the equator
		{bound(0, 59, 2, 61), 400, 800},     // at 60 degrees north a degree is half as wide
		{bound(0, -61, 2, -59), 400, 800},   // and south
		{bound(-180, -90, 180, 90), 360, 180},
		{bound(0, 0, 400, 200), 100, 50}, // no degrees
		{bound(500000, 5000000, 500200, 5000100), 100, 50},
		{bound(0, 0, 1000, 1), 9, 1},
		{bound(0, 89, 1e-9, 90), 400, 8193},
		{bound(1, 1, 1, 1), 400, 1},
		{bound(2, 2, 1, 1), 400, 400}, // which is refused elsewhere
		{bound(math.NaN(), 0, 1, 1), 400, 1},
	} {
		if _, got := Size(Proportion(c.area, Degrees(c.area)), c.width, 0); got != c.want {
			t.Errorf("%v: %d, want %d", c.area, got, c.want)
		}
	}
}
