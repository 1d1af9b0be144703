package udf

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/picture"
	"github.com/paulmach/orb"
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

// pixelLimit is the largest number of pixels of all pictures of a chunk. They take a few seconds, and
// a chunk cannot be interrupted.
const pixelLimit = 1 << 27

// pngWidth is the width in pixels of a picture of a whole sketch.
const pngWidth = 800

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

// pngOverloads adds the signatures of ccbf_png: all of a sketch, or a box and a width. Without a
// height, the height follows from the width.
func pngOverloads(fn duck.Function) duck.Function {
	width, options := pixels[0], withOptions(pngSettings.Plain())
	for _, ps := range [][]duck.Param{
		everywhere.with(), everywhere.with(options),
		inBox.with(width), inBox.with(pixels...), inBox.with(append(pixels[:2:2], options)...), inBox.with(width, options),
	} {
		fn.Overloads = append(fn.Overloads, overload(ps, duck.Blob, options.Options, ccbfPNG))
	}
	last := &fn.Overloads[len(fn.Overloads)-1]
	optioned, sized := last.Scalar, fn.Overloads[3].Scalar
	last.Scalar = func(rows *duck.Rows, out *duck.Result) error {
		if rows.Col(6).Type().ID() == duck.StructID {
			return optioned(rows, out)
		}
		return sized(rows, out) // DuckDB passes a height that is no BIGINT as ANY
	}
	return fn
}

// ccbfPNG computes ccbf_png.
func ccbfPNG(c *call) error {
	form := everywhere
	if c.needed > 1 {
		form = inBox
	}
	q, err := questionOf(c, form, c.options.Column(pngCategory))
	if err != nil {
		return err
	}
	q.option = pngCategory
	room := canvases.Get().(*canvas)
	defer room.release()
	left := pixelLimit // number of pixels that the chunk may still draw
	return q.each(func(i int, of ccbf.Categories) error {
		box := q.drawn(i)
		width, height, err := q.pngSize(box, i)
		if err != nil {
			return err
		}
		if err := q.check(box, width, height); err != nil {
			return err
		}
		n := width * height
		if left -= n; left < 0 {
			return fmt.Errorf("the pictures of a chunk of rows have more than %d pixels in total (draw smaller ones, or fewer at a time)", pixelLimit)
		}
		if err := c.out.Grow(8 * int64(n)); err != nil {
			return err
		}
		room.values = slices.Grow(room.values[:0], n)[:n]
		var o picture.Options
		if err := args.Read(&c.options, pngSettings, i, &o); err != nil {
			return err
		}
		img, err := picture.Sketch(room.values, &q.view, box, width, height, of, &o)
		if err != nil {
			return err
		}
		room.png.Reset()
		if err := picture.Write(&room.png, img); err != nil {
			return err
		}
		c.out.SetBytes(i, room.png.Bytes())
		return nil
	})
}

// pngSize returns the size of the picture of row i in pixels.
func (q *question) pngSize(box orb.Bound, i int) (width, height int, err error) {
	width = pngWidth
	if q.form == inBox {
		width = int(duck.Slice[int64](q.Col(q.own))[i])
	}
	if q.needed <= q.own+1 {
		_, height = picture.Size(picture.Proportion(box, picture.Degrees(box)), width, 0)
		return width, height, nil
	}
	n, err := args.Signed("height", q.Col(q.own+1), i)
	return width, int(n), err
}
