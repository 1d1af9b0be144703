package picture

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/lucasb-eyer/go-colorful"
)

// changed is the smallest rectangle with all pixels in which pictures differ.
func changed(a, b *image.Paletted) image.Rectangle {
	var r image.Rectangle
	for i := range a.Pix {
		if a.Pix[i] != b.Pix[i] {
			at := image.Pt(i%a.Stride, i/a.Stride)
			r = r.Union(image.Rectangle{at, at.Add(image.Pt(1, 1))})
		}
	}
	return r
}

// TestLabel: a label is a box in the lower left corner, with letters on their ground and the
// colours in their order. It changes nothing else.
func TestLabel(t *testing.T) {
	for _, size := range []image.Point{{120, 80}, {300, 200}, {1024, 768}, {4000, 300}} {
		values := counts(size.X * size.Y)
		without := draw(t, values, size.X, size.Y, Options{})
		with := draw(t, values, size.X, size.Y, Options{Label: "Pickups", Unit: "per pixel"})
		box := changed(without, with)
		if box.Min.X > 20 || size.Y-box.Max.Y > 20 || box.Dx() > max(size.X/3, 240) || box.Empty() {
			t.Errorf("%v: the box is %v", size, box)
		}
		letters, seen := 0, false
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				switch c := int(with.ColorIndexAt(x, y)); {
				case c > inks:
					letters++
				case c < inks && x > box.Min.X && int(with.ColorIndexAt(x-1, y)) < inks:
					if c < int(with.ColorIndexAt(x-1, y)) {
						t.Fatalf("%v: colours fall at %d, %d", size, x, y)
					}
					seen = true
				}
			}
		}
		if letters == 0 || !seen && size.X > 200 {
			t.Errorf("%v: %d pixels of letters, colours: %v", size, letters, seen)
		}
	}
}

// A box has its legend where the values have room beside one another, and else the text alone.
func TestLegendThatFits(t *testing.T) {
	has := func(width, height int) bool {
		values := counts(width * height)
		without, with := draw(t, values, width, height, Options{}), draw(t, values, width, height, Options{Label: "a"})
		box := changed(without, with)
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				if int(with.ColorIndexAt(x, y)) < inks {
					return true
				}
			}
		}
		return false
	}
	for _, c := range []struct {
		width, height int
		want          bool
	}{{60, 200, false}, {200, 60, false}, {200, 200, true}} {
		if has(c.width, c.height) != c.want {
			t.Errorf("%d by %d: the legend is %v", c.width, c.height, !c.want)
		}
	}
}

// Letters have the contrast that WCAG 2.1 asks of text, 4.5, on any picture.
func TestLabelsAreReadable(t *testing.T) {
	p := palettes[0]()
	for _, ground := range []color.Color{color.White, color.Black, color.NRGBA{0xf9, 0x96, 3, 0xff}} {
		_, letters, _ := over(p[inks+inkSteps-1], ground).Xyz()
		_, box, _ := over(p[inks], ground).Xyz()
		if contrast := (letters + 0.05) / (box + 0.05); contrast < 4.5 {
			t.Errorf("on %v the contrast is %.1f", ground, contrast)
		}
	}
}

func TestLabelsThatDoNotFit(t *testing.T) {
	values := counts(400 * 40)
	text := strings.Repeat("much too long ", 1000)
	for _, c := range []struct{ width, height int }{{1, 1}, {20, 400}, {400, 10}, {400, 40}, {40, 40}, {160, 100}} {
		without := draw(t, values[:c.width*c.height], c.width, c.height, Options{})
		with := draw(t, values[:c.width*c.height], c.width, c.height, Options{Label: text})
		box := changed(without, with)
		if tiny := c.width < 30 || c.height < 20; tiny != box.Empty() {
			t.Errorf("%d by %d: the box is %v", c.width, c.height, box)
		}
	}
	// A line break is no second line.
	a := draw(t, values, 400, 40, Options{Label: "one\ntwo"})
	b := draw(t, values, 400, 40, Options{Label: "one two"})
	if box := changed(a, b); !box.Empty() {
		t.Errorf("a line break changes %v", box)
	}
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{
		1: "1", 0.034: "0.034", 47.25: "47.2", 999: "999", 999.9: "1k", 1000: "1k", 2714: "2.71k",
		19e6: "19M", math.MaxUint64: "18.4E", 1e-7: "1e-07", 2e21: "2e+03E",
	} {
		if got := Short(v); got != want {
			t.Errorf("%v is %s, expected %s", v, got, want)
		}
	}
}

// over is a colour as seen on an opaque ground.
func over(c, ground color.Color) colorful.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	g, _ := colorful.MakeColor(ground)
	return g.BlendRgb(solid(c), float64(n.A)/255)
}

// solid is a colour without its opacity.
func solid(c color.Color) colorful.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return colorful.Color{R: float64(n.R) / 255, G: float64(n.G) / 255, B: float64(n.B) / 255}
}
