package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"
)

// An image of any size is what image/png reads of its PNG, whether it has nothing in it or nothing
// that repeats.
func TestWriteIsReadAsItWas(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 0))
	for _, size := range [][2]int{{1, 1}, {3, 700}, {511, 512}, {512, 512}, {700, 701}, {1 << 18, 1}, {1, 1<<18 + 1}} {
		for _, drawn := range []float64{0, 1. / 3, 1} {
			img := image.NewPaletted(image.Rect(0, 0, size[0], size[1]), palettes[0].what())
			for i := range img.Pix {
				if r.Float64() < drawn {
					img.Pix[i] = uint8(r.IntN(len(img.Palette)))
				}
			}
			var b bytes.Buffer
			if err := Write(&b, img); err != nil {
				t.Fatal(err)
			}
			read, err := png.Decode(&b)
			if err != nil {
				t.Fatalf("%v, %.2f: %v", size, drawn, err)
			}
			got, ok := read.(*image.Paletted)
			if !ok || got.Rect != img.Rect || !bytes.Equal(got.Pix, img.Pix) || b.Len() > 0 {
				t.Fatalf("%v, %.2f: another image, or %d bytes too many", size, drawn, b.Len())
			}
			for i, c := range img.Palette {
				if color.NRGBAModel.Convert(got.Palette[i]) != c {
					t.Fatalf("%v: colour %d is %v, was %v", size, i, got.Palette[i], c)
				}
			}
		}
	}
}
