package picture

import (
	"image"
	"image/color"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// parsed is the font of all labels.
var parsed = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(goregular.TTF) })

// labelInks returns the colours of a label, from its ground, which lets a little of the picture
// through, to its letters. White on dark reads well on any picture.
func labelInks() color.Palette {
	var p color.Palette
	for i := range inkSteps {
		ink := func(ground int) uint8 { return uint8(ground + (255-ground)*i/(inkSteps-1)) }
		p = append(p, color.NRGBA{ink(0x14), ink(0x16), ink(0x1c), ink(0xd8)})
	}
	return p
}

// label is a box with text that is being drawn. mask has the pixels that its letters cover.
type label struct {
	mask *image.Alpha
	face font.Face
}

// drawLabel draws a box with the text. Below the text are the colours, with the values of the first, middle and last
// one. If the text does not fit, it draws no box; if the colours do not fit, it leaves them out.
func drawLabel(img *image.Paletted, text, unit string, s *scale) error {
	f, err := parsed()
	if err != nil {
		return err
	}
	size := min(max(img.Rect.Dx()/64, 12), 40)
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(size), DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return err
	}
	pad, line := size/2, size*5/4 // pad is the margin, too
	room := img.Rect.Dx() - 4*pad
	text, width := fit(face, text, room)
	height := line

	middle, last := Short(s.least[colours/2]), strings.TrimSpace(Short(s.top)+" "+unit)
	low := max(width, font.MeasureString(face, middle).Ceil()+2*font.MeasureString(face, last).Ceil()+2*size)
	legend := s.top > 0 && low <= room && 3*line+4*pad <= img.Rect.Dy()
	if legend {
		width, height = low, 3*line
	}
	at := image.Pt(pad, img.Rect.Dy()-3*pad-height)
	if text == "" || at.Y < pad {
		return nil
	}
	l := label{image.NewAlpha(image.Rect(0, 0, width+2*pad, height+2*pad)), face}
	l.write(text, pad, pad+size, 0)
	if legend {
		y := pad + 2*line + size
		l.write("0", pad, y, 0)
		l.write(middle, pad+width/2, y, 1)
		l.write(last, pad+width, y, 2)
	}
	l.stamp(img, at)
	if legend {
		at = at.Add(image.Pt(pad, pad+line+size/4))
		for y := range size * 3 / 4 {
			for x := range width {
				img.SetColorIndex(at.X+x, at.Y+y, uint8(first+x*colours/width))
			}
		}
	}
	return nil
}

// fit returns as much of the beginning of text as fits into room pixels in one line, and the width of
// this.
func fit(face font.Face, text string, room int) (string, int) {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	width := fixed.Int26_6(0)
	for i, r := range text {
		advance, _ := face.GlyphAdvance(r)
		if (width + advance).Ceil() > room {
			return text[:i], width.Ceil()
		}
		width += advance
	}
	return text, width.Ceil()
}

// write writes a text on the line y. It begins at x, moved to the left by halves times half its width.
func (l *label) write(text string, x, y, halves int) {
	d := font.Drawer{Dst: l.mask, Src: image.Opaque, Face: l.face}
	d.Dot = fixed.P(x-d.MeasureString(text).Ceil()*halves/2, y)
	d.DrawString(text)
}

// stamp puts the box on a picture.
func (l *label) stamp(img *image.Paletted, at image.Point) {
	for y := range l.mask.Rect.Dy() {
		for x := range l.mask.Rect.Dx() {
			ink := (int(l.mask.AlphaAt(x, y).A)*(inkSteps-1) + 127) / 255
			img.SetColorIndex(at.X+x, at.Y+y, uint8(inks+ink))
		}
	}
}

// Short formats a value with three digits: 0.034, 1, 47.3, 2.71k, 19M.
func Short(v float64) string {
	units := []string{"", "k", "M", "G", "T", "P", "E"}
	i := 0
	for ; v >= 999.5 && i < len(units)-1; i++ {
		v /= 1000
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + units[i]
}
