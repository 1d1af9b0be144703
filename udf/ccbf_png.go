package udf

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/picture"
)

// pngSettings is the options of ccbf_png, and the fields that they set.
var pngSettings = keyed.Options[picture.Options]{
	{Option: sketch.Option{Name: "palette", Kind: sketch.TextKind, Choices: picture.Palettes, Default: "'viridis'",
		Summary: "'viridis' for any background, 'inferno' or 'magma' for a dark one, 'ylorrd' for a light one: lightness rises evenly, so they read in grey, too. 'dusk' has one lightness and changes its hue. Few points are half transparent, and less than one point in a pixel is fainter still."},
		Set: func(p *picture.Options, v sketch.Value) error { p.Palette = v.Text; return nil }},
	{Option: sketch.Option{Name: "scale", Kind: sketch.TextKind, Choices: picture.Scales, Default: "'log'",
		Summary: "'log', 'sqrt', 'linear', or 'equal', in which each colour has as many pixels. With any scale, the last colour is for the pixel with the most points."},
		Set: func(p *picture.Options, v sketch.Value) error { p.Scale = v.Text; return nil }},
	{Option: sketch.Option{Name: "label", Kind: sketch.TextKind, Default: "none",
		Summary: "A line of text for the lower left corner, with a legend of the colours below it. What does not fit is left out."},
		Set: func(p *picture.Options, v sketch.Value) error { p.Label = v.Text; return nil }},
	pngCategory: {Option: sketch.Option{Name: "category", Kind: sketch.KeyKind, PerRow: true, Default: "none",
		Summary: "Draw only points of this category, or of these: a list, or for exact sketches and trees a range {lo: ..., hi: ...}. If it is NULL, the result is NULL."}},
}

const pngCategory = 3 // index of the option category

var ccbfPNGOptions = pngSettings.Plain()

// pixelLimit is the largest number of pixels of all pictures of a chunk. They take a few seconds, and
// a chunk cannot be interrupted.
const pixelLimit = 1 << 27

// pngWidth is the width in pixels of a picture of a whole sketch.
const pngWidth = 800

// ccbfPainter draws the pictures of a chunk.
type ccbfPainter struct {
	areas
	options args.Options
	high    bool // the call has a height.
	left    int  // number of pixels that the chunk may still draw.
	charged int  // number of values for which memory is charged.
	*canvas
}

// canvas is the memory of a picture. One chunk after the other uses it: new memory for a million
// pixels can take longer than the picture.
type canvas struct {
	values []float64
	png    bytes.Buffer
}

var canvases = sync.Pool{New: func() any { return new(canvas) }}

// maxPooledPixels is the largest number of pixels of a picture whose memory is used again.
const maxPooledPixels = 1 << 21

// release puts the canvas into the pool, unless it is too large.
func (c *canvas) release() {
	if cap(c.values) <= maxPooledPixels && c.png.Cap() <= maxPooledPixels {
		canvases.Put(c)
	}
}

// pngOverloads sets the signatures of ccbf_png: all of a sketch, or a box and a width. Without a
// height, the height follows from the width.
func pngOverloads(fn duck.Function) duck.Function {
	width, o := pixels[0], fn.Overloads[0]
	fn.Overloads = nil
	for _, o.Params = range [][]duck.Param{
		everywhere.with(), everywhere.with(paramOptions),
		inBox.with(width), inBox.with(pixels...), inBox.with(append(pixels[:2:2], paramOptions)...), inBox.with(width, paramOptions),
	} {
		fn.Overloads = append(fn.Overloads, o)
	}
	return fn
}

// pngHasHeight reports whether the argument after the width is the height. Options have the type ANY,
// and DuckDB also passes numbers of other types than BIGINT for that.
func pngHasHeight(rows *duck.Rows) bool {
	return rows.NumCols() > 7 || rows.NumCols() == 7 && rows.Col(6).Type().ID() != duck.StructID
}

// ccbfPNG computes ccbf_png.
func ccbfPNG(rows *duck.Rows, out *duck.Result) error {
	p := ccbfPainter{areas: areas{form: everywhere, rows: rows}, left: pixelLimit, high: pngHasHeight(rows), canvas: canvases.Get().(*canvas)}
	defer p.release()
	arguments := 1 // number of arguments before the options
	if rows.NumCols() > 2 {
		p.form, arguments = inBox, 6
	}
	if p.high {
		arguments = 7
	}
	if err := p.options.Reset(optional(rows, arguments), ccbfPNGOptions); err != nil {
		return err
	}
	defer p.seen.Record()
	r, err := newReader(p.options.Column(pngCategory))
	if err != nil {
		return err
	}
	return r.eachOption(rows, arguments, out, &p.options, pngCategory, func(i int, of ccbf.Categories) error {
		png, err := p.draw(&r.view, of, out, i)
		if err == nil {
			out.SetBytes(i, png)
		}
		return err
	})
}

// draw returns the picture of row i, valid until the next call.
func (p *ccbfPainter) draw(v *ccbf.View, of ccbf.Categories, out *duck.Result, i int) ([]byte, error) {
	box, width, rows := p.drawn(&v.Head, i), pngWidth, p.rows
	if p.form == inBox {
		width = int(duck.Slice[int64](rows.Col(5))[i])
	}
	height := 0
	switch {
	case !p.high:
		height = picture.Height(box, width, ccbf.MaxSide)
	case rows.Col(6).Type().ID() == duck.BigIntID:
		height = int(duck.Slice[int64](rows.Col(6))[i])
	default:
		n, err := args.Signed("height", rows.Col(6), i)
		if err != nil {
			return nil, err
		}
		height = int(n)
	}
	if err := p.check(&v.Head, box, width, height); err != nil {
		return nil, err
	}
	if p.left -= width * height; p.left < 0 {
		return nil, fmt.Errorf("the pictures of a chunk of rows have more than %d pixels in total (draw smaller ones, or fewer at a time)", pixelLimit)
	}
	n := width * height
	if p.charged < n {
		if err := out.Charge(8 * int64(n-p.charged)); err != nil {
			return nil, err
		}
		p.charged = n
	}
	if cap(p.values) < n {
		p.values = make([]float64, n)
	}
	p.values = p.values[:n]
	unit, err := picture.Values(p.values, v, box, width, height, of)
	if err != nil {
		return nil, err
	}
	o := picture.Options{Unit: unit, One: 1}
	if err := args.Read(&p.options, pngSettings, i, &o); err != nil {
		return nil, err
	}
	p.png.Reset()
	err = picture.Encode(&p.png, p.values, width, height, o)
	return p.png.Bytes(), err
}
