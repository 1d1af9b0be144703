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

// Draw draws a picture of Room's size or smaller where the cursor is, at the
// beginning of a line, and ends with a line break.
func (s *Screen) Draw(w io.Writer, img *image.Paletted) error {
	var out bytes.Buffer
	var err error
	switch s.Graphics {
	case Kitty:
		// Quiet, for nobody reads the answer.
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

// flat is a palette as seen on the screen's ground: neither sixels nor
// characters let it through by half. What is fully transparent stays so.
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

// blocks draws two pixels to a character: one in its colour, one in that behind
// it.
func (s *Screen) blocks(out *bytes.Buffer, img *image.Paletted) {
	drawn := make([]bool, len(img.Palette))
	inks := make([]color.Color, len(img.Palette)) // nil on a screen without colours, too
	for i, c := range s.flat(img.Palette) {
		if drawn[i] = c != (color.RGBA{}); drawn[i] {
			inks[i] = s.profile.Convert(c)
		}
	}
	// at is the pixel's colour; outside the picture there is nothing.
	at := func(x, y int) (color.Color, bool) {
		if y >= img.Rect.Max.Y {
			return nil, false
		}
		i := img.ColorIndexAt(x, y)
		return inks[i], drawn[i]
	}
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y += 2 {
		var letter, behind color.Color // as they were set last; nil is the terminal's own
		blank := 0                     // spaces that are written before something follows
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
