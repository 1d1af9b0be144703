package picture

import (
	"bytes"
	"hash/adler32"
	"image"
	"image/png"
	"math/rand/v2"
	"testing"
)

// An image of any size is what image/png reads of its PNG, whether it is compressed in one
// piece or in two, and whether it has nothing in it or nothing that repeats.
func TestWriteIsReadAsItWas(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 0))
	for _, size := range [][2]int{{1, 1}, {3, 700}, {511, 512}, {512, 512}, {700, 701}, {halvedValues, 1}, {1, halvedValues + 1}} {
		for _, drawn := range []float64{0, 1. / 3, 1} {
			img := image.NewPaletted(image.Rect(0, 0, size[0], size[1]), palettes[0].what())
			for i := range img.Pix {
				if r.Float64() < drawn {
					img.Pix[i] = uint8(r.IntN(len(img.Palette)))
				}
			}
			var b bytes.Buffer
			if err := Write(&b, img, nil); err != nil {
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
				if got.Palette[i] != c {
					t.Fatalf("%v: colour %d is %v, was %v", size, i, got.Palette[i], c)
				}
			}
		}
	}
}

// Whoever compresses which blocks, the bytes are the same.
func TestWriteBesideIsTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(85, 0))
	for _, size := range [][2]int{{512, 512}, {700, 701}, {1024, 1024}, {halvedValues, 1}, {1, halvedValues + 1}} {
		img := image.NewPaletted(image.Rect(0, 0, size[0], size[1]), palettes[0].what())
		for i := range img.Pix {
			img.Pix[i] = uint8(r.IntN(1 + i*len(img.Palette)/len(img.Pix)))
		}
		var alone bytes.Buffer
		if err := Write(&alone, img, nil); err != nil {
			t.Fatal(err)
		}
		for range 5 { // where they meet is chance
			var b bytes.Buffer
			if err := Write(&b, img, func() bool { return true }); err != nil || !bytes.Equal(b.Bytes(), alone.Bytes()) {
				t.Fatalf("%v: other bytes of two goroutines, or an error: %v", size, err)
			}
		}
	}
}

func TestJoinSums(t *testing.T) {
	r := rand.New(rand.NewPCG(84, 0))
	for range 50 {
		all := bytes.Repeat([]byte{255}, r.IntN(100_000))
		for i := range all {
			if r.IntN(4) == 0 {
				all[i] = uint8(r.Uint32())
			}
		}
		cut := r.IntN(len(all) + 1)
		if got := joinSums(adler32.Checksum(all[:cut]), adler32.Checksum(all[cut:]), len(all)-cut); got != adler32.Checksum(all) {
			t.Fatalf("%d bytes cut at %d: %#x, must be %#x", len(all), cut, got, adler32.Checksum(all))
		}
	}
}
