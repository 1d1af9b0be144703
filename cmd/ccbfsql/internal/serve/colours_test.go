package serve

import (
	"image/color"
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// luminance is that of WCAG 2.1, relative to white.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.03928 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// The colours of few points have a contrast of 3 with land and sea, in both themes: what
// WCAG 2.1 (1.4.11) asks of parts of a picture. The brightest have 2.5 with the light
// sea: many points stand beside fewer.
func TestColoursStandOut(t *testing.T) {
	source, err := os.ReadFile("../../../../web/src/theme.js")
	if err != nil {
		t.Fatal(err)
	}
	grounds := regexp.MustCompile(`(sea|land): "#([0-9a-f]{6})"`).FindAllStringSubmatch(string(source), -1)
	if len(grounds) != 4 {
		t.Fatalf("%d grounds in theme.js", len(grounds))
	}
	for i, c := range append(opaque()[1:65:65], twoSided()[1:]...) {
		if _, _, _, a := c.RGBA(); a != 0xffff {
			t.Errorf("colour %d lets the ground through", i)
		}
		for _, g := range grounds {
			v, err := strconv.ParseUint(g[2], 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			low, high := luminance(c), luminance(color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255})
			if low > high {
				low, high = high, low
			}
			if contrast := (high + 0.05) / (low + 0.05); contrast < 2.5 || i < 50 && contrast < 3 {
				t.Errorf("colour %d on %s #%s: contrast %.2f", i, g[1], g[2], contrast)
			}
		}
	}
}
