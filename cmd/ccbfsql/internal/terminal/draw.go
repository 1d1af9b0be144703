package terminal

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/ansi/sixel"
)

// Draw draws a picture that fits in Room's size at the cursor, which must be at the start of a
// line. A line break follows.
func (s *Screen) Draw(w io.Writer, img *image.Paletted) error {
	var out bytes.Buffer
	var err error
	switch s.Graphics {
	case Kitty:
		// Quiet: the terminal sends no reply.
		err = kitty.EncodeGraphics(&out, img, &kitty.Options{Action: kitty.TransmitAndPut, Transmission: kitty.Direct, Format: kitty.PNG, Chunk: true, Quiet: 2})
	case Sixel:
		err = s.sixels(&out, img)
	default:
		s.blocks(&out, img)
	}
	if err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err = out.WriteTo(w)
	return err
}

func (s *Screen) sixels(out *bytes.Buffer, img *image.Paletted) error {
	var payload bytes.Buffer
	flat := *img
	flat.Palette = s.flat(img.Palette)
	if err := new(sixel.Encoder).Encode(&payload, &flat); err != nil {
		return err
	}
	out.WriteString(ansi.SixelGraphics(0, 1, 0, payload.Bytes()))
	return nil
}

// flat blends a palette with the screen's background, because sixels and characters cannot be half
// transparent. Fully transparent colours remain.
func (s *Screen) flat(p color.Palette) color.Palette {
	flat := make(color.Palette, len(p))
	for i, c := range p {
		if _, _, _, a := c.RGBA(); a == 0 {
			flat[i] = color.RGBA{}
			continue
		}
		dot := image.NewRGBA(image.Rect(0, 0, 1, 1))
		draw.Draw(dot, dot.Rect, image.NewUniform(s.ground), image.Point{}, draw.Src)
		draw.Draw(dot, dot.Rect, image.NewUniform(c), image.Point{}, draw.Over)
		flat[i] = dot.RGBAAt(0, 0)
	}
	return flat
}

// blocks draws two pixels per character: the upper as its colour, the lower as its background, or
// the other way round.
func (s *Screen) blocks(out *bytes.Buffer, img *image.Paletted) {
	drawn := make([]bool, len(img.Palette))
	inks := make([]color.Color, len(img.Palette)) // nil also on a screen without colours
	for i, c := range s.flat(img.Palette) {
		if drawn[i] = c != (color.RGBA{}); drawn[i] {
			inks[i] = s.profile.Convert(c)
		}
	}
	// at returns the colour of a pixel and true. It returns false if the pixel is transparent, or
	// below the picture.
	at := func(x, y int) (color.Color, bool) {
		if y >= img.Rect.Max.Y {
			return nil, false
		}
		i := img.ColorIndexAt(x, y)
		return inks[i], drawn[i]
	}
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y += 2 {
		var letter, behind color.Color // colours that are set now; nil: the terminal's own
		blank := 0                     // transparent characters so far, written as spaces before the next block
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			upper, above := at(x, y)
			lower, below := at(x, y+1)
			block, ink, ground := "▀", upper, color.Color(nil)
			switch {
			case !above && !below:
				if behind == nil {
					blank++
					continue
				}
				block, ink = " ", letter
			case above && below && upper == lower:
				block = "█"
			case above && below:
				ground = lower
			case below:
				block, ink = "▄", lower
			}
			out.WriteString(strings.Repeat(" ", blank))
			blank = 0
			if ink != letter || ground != behind {
				out.WriteString(ansi.NewStyle().ForegroundColor(ink).BackgroundColor(ground).String())
				letter, behind = ink, ground
			}
			out.WriteString(block)
		}
		if letter != nil || behind != nil {
			out.WriteString(ansi.ResetStyle)
		}
		if y+2 < img.Rect.Max.Y {
			out.WriteByte('\n')
		}
	}
}
