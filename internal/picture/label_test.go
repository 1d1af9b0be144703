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

// A label is a box in the lower left corner, of letters on their ground and of
// the colours in their order, and changes nothing else.
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

// The bar of colours has all of them, from side to side within the margins of the box; above
// it is the text, and below it 0 under its beginning, the middle value under its middle, and
// the last under its end. Nothing touches anything else.
func TestLegend(t *testing.T) {
	for _, size := range []image.Point{{400, 200}, {1024, 768}, {2500, 400}} {
		values := counts(size.X * size.Y)
		without := draw(t, values, size.X, size.Y, Options{})
		with := draw(t, values, size.X, size.Y, Options{Label: "Taxi pickups at noon"})
		box := changed(without, with)
		var bar image.Rectangle
		letters := map[int][]int{} // columns with letters, by row
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				switch c := int(with.ColorIndexAt(x, y)); {
				case c > inks:
					letters[y] = append(letters[y], x)
				case c < inks:
					bar = bar.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		if first0, last := int(with.ColorIndexAt(bar.Min.X, bar.Min.Y)), int(with.ColorIndexAt(bar.Max.X-1, bar.Min.Y)); first0 != first || last != first+colours-1 {
			t.Errorf("%v: the bar is of colours %d to %d", size, first0, last)
		}
		left, right := bar.Min.X-box.Min.X, box.Max.X-bar.Max.X
		if left != right || left < 4 || box.Min.X != size.Y-box.Max.Y {
			t.Errorf("%v: the bar %v is not in the middle of the box %v", size, bar, box)
		}
		// columns are the letters of rows, cut where as many columns have none as the bar is high.
		columns := func(from, to int) (words []image.Point, top, bottom int) {
			has := map[int]bool{}
			for y := from; y < to; y++ {
				for _, x := range letters[y] {
					has[x] = true
					if top == 0 {
						top = y
					}
					bottom = y + 1
				}
			}
			for x := box.Min.X; x < box.Max.X; x++ {
				if n := len(words); has[x] && n > 0 && x-words[n-1].Y < bar.Dy() {
					words[n-1].Y = x + 1
				} else if has[x] {
					words = append(words, image.Pt(x, x+1))
				}
			}
			return words, top, bottom
		}
		near := func(what string, is, want int) {
			t.Helper()
			if d := is - want; d < -2 || d > 2 {
				t.Errorf("%v: %s is at %d, the bar has it at %d", size, what, is, want)
			}
		}
		words, top, bottom := columns(box.Min.Y, bar.Min.Y)
		near("the text", words[0].X, bar.Min.X)
		if top-box.Min.Y < 4 || bar.Min.Y-bottom < 1 {
			t.Errorf("%v: the text is in rows %d to %d, the box begins at %d, the bar at %d", size, top, bottom, box.Min.Y, bar.Min.Y)
		}
		words, top, bottom = columns(bar.Max.Y, box.Max.Y)
		if len(words) != 3 {
			t.Fatalf("%v: %d values below the bar", size, len(words))
		}
		near("0", words[0].X, bar.Min.X)
		near("the middle value", (words[1].X+words[1].Y)/2, (bar.Min.X+bar.Max.X)/2)
		near("the last value", words[2].Y, bar.Max.X)
		if top-bar.Max.Y < 1 || box.Max.Y-bottom < 4 {
			t.Errorf("%v: the values are in rows %d to %d, the bar ends at %d, the box at %d", size, top, bottom, bar.Max.Y, box.Max.Y)
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
	p := palettes[0].what()
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
