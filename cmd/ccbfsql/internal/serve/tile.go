package serve

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/picture"
	"github.com/mazznoer/colorgrad"
	"github.com/paulmach/orb"
)

// tileSide is the side of a tile in pixels.
const tileSide = 256

// topOf returns the top of a layer's categories. It keeps some, as all tiles of a category have one top.
func (l *layer) topOf(ctx context.Context, of filter) (topModel, error) {
	name := fmt.Sprint(of.parts)
	if of.text != nil {
		name = strconv.Quote(*of.text)
	}
	if top, kept := l.tops.Get(name); kept {
		return top, nil
	}
	d, err := l.overview(ctx, of, l.bound(), false)
	if err != nil {
		return topModel{}, err
	}
	top := d.top()
	l.tops.Add(name, top)
	return top, nil
}

// tile draws a web mercator tile as a PNG.
func (l *layer) tile(ctx context.Context, f filter, z int, x, y int64, style picture.Options) ([]byte, error) {
	seen, err := l.look(ctx)
	if err != nil {
		return nil, err
	}
	box, err := seen.tileBox(z, x, y)
	if err != nil {
		return nil, err
	}
	if !l.hasRows(&f, box) {
		return blank()
	}
	rows := tileSide
	if seen.Plane == nil {
		// All sketches are first added up in rows of equal heights in degrees. Then mercator moves
		// the sums to the rows of the tile.
		rows = 2 * tileSide
	}
	values, _, err := l.estimates(ctx, f, box, tileSide, rows)
	if err != nil {
		return nil, err
	}
	if seen.Plane == nil {
		values = mercator(values, z, y, box.Min[1], box.Max[1])
	}
	side := width(box) / tileSide
	area, low := side*side, l.low(side)
	style.Low, style.One, style.Top = low, low, style.Top*area
	for i := range style.Steps {
		style.Steps[i] *= area
	}
	if style.Top == 0 {
		top := seen.top
		if l.Categories { // the layer has no top, but each category has one
			if top, err = l.topOf(ctx, filter{of: f.of, parts: f.parts, text: f.text}); err != nil {
				return nil, err
			}
		}
		style.Top = top.at(area)
	}
	var img *image.Paletted
	if f.versus != nil {
		img, err = drawDifference(values, picture.Options{Low: low, Top: style.Top})
	} else if img, err = picture.Draw(values, tileSide, tileSide, style); err == nil {
		img.Palette = picture.Opaque(img.Palette)
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = picture.Write(&b, img)
	return b.Bytes(), err
}

// blank returns a tile without points.
var blank = sync.OnceValues(func() ([]byte, error) {
	var b bytes.Buffer
	err := picture.Write(&b, image.NewPaletted(image.Rect(0, 0, tileSide, tileSide), divergingPalette()[:1]))
	return b.Bytes(), err
})

// tileBox returns the box of a tile: in degrees, or in the units of a layer's plane.
func (e *layerExtent) tileBox(z int, x, y int64) (box orb.Bound, err error) {
	if p := e.Plane; p != nil {
		side := p.Side / math.Exp2(float64(z))
		west, north := p.West+float64(x)*side, p.North-float64(y)*side
		return orb.Bound{Min: orb.Point{west, north - side}, Max: orb.Point{west + side, north}}, nil
	}
	box.Min[0], box.Min[1], box.Max[0], box.Max[1], err = grid.TileBounds(z, x, y)
	return box, err
}

// low returns the value that a single point gives to a pixel. It is 1, or less if a pixel with this
// side is smaller than a cell: its fraction of the cell.
func (l *layer) low(side float64) float64 { return min(1, side*side/(l.Res*l.Res)) }

// Limits of lookups in counters, which take some tenths of a second: of all sketches together, and the
// least number for each of them.
const (
	mostReads  = 1 << 20
	leastReads = 1 << 10
)

// estimates returns the number of points of the selected rows in each pixel of a picture of the box, with
// width by height pixels. From the counts of counters it subtracts the part that collisions add, and leaves
// out counts that can be chance. It subtracts the rows to compare with, if the filter has some. sampled is
// true if only a sample of the cells was looked up in counters.
func (l *layer) estimates(ctx context.Context, f filter, box orb.Bound, width, height int) (sum []float64, sampled bool, err error) {
	sum = make([]float64, width*height)
	e := &bridge.Estimates{Values: sum, Box: box, Width: width, Height: height}
	sampled, err = l.draw(ctx, f, box, func(v *ccbf.View, p *rowSketch, reads uint64) (bool, error) {
		return e.Add(v, p.noise(), f.of, reads)
	})
	e.Finish()
	if err != nil || f.versus == nil {
		return sum, sampled, err
	}
	theirs, of, err := l.estimates(ctx, *f.versus, box, width, height)
	for i, n := range theirs {
		sum[i] -= n
		if math.Abs(sum[i]) < 1e-9*n { // a difference that is only a rounding error
			sum[i] = 0
		}
	}
	return sum, sampled || of, err
}

// draw calls add for each selected sketch whose bounds intersect a box. reads is the largest number of
// lookups in the sketch, if it has counters.
func (l *layer) draw(ctx context.Context, f filter, box orb.Bound, add func(v *ccbf.View, p *rowSketch, reads uint64) (bool, error)) (sampled bool, err error) {
	var v ccbf.View
	drawn := l.selected(&f, box)
	reads := uint64(max(mostReads/max(len(drawn), 1), leastReads))
	for _, p := range drawn {
		if err := p.open(ctx, &v, &f); err != nil {
			return sampled, err
		}
		part, err := add(&v, p, reads)
		if err != nil {
			return sampled, err
		}
		sampled = sampled || part
	}
	return sampled, nil
}

// mercator moves rows of equal height in degrees to the rows of a tile, which have equal heights in
// the projection. A row of the tile gets the fraction of each row that it covers.
func mercator(even []float64, z int, y int64, south, north float64) []float64 {
	dst := make([]float64, tileSide*tileSide)
	rows := len(even) / tileSide
	perDegree := float64(rows) / (north - south)
	size := math.Exp2(float64(z))
	edge := func(j int) float64 { // returns the distance from the tile's top to its row j, in rows of even
		lat := math.Atan(math.Sinh(math.Pi*(1-2*(float64(y)+float64(j)/tileSide)/size))) * 180 / math.Pi
		return min(max((north-lat)*perDegree, 0), float64(rows))
	}
	from := edge(0)
	for j := range tileSide {
		to := edge(j + 1)
		row := dst[j*tileSide:][:tileSide]
		for i := int(from); i < rows && float64(i) < to; i++ {
			share := min(to, float64(i+1)) - max(from, float64(i))
			for c, n := range even[i*tileSide:][:tileSide] {
				row[c] += n * share
			}
		}
		from = to
	}
	return dst
}

// block is the side in pixels of the blocks that coarser sums up.
const block = 8

// coarser returns the sums of square blocks of a picture with tileSide by tileSide pixels.
func coarser(pixels []float64) []float64 {
	const side = tileSide / block
	sums := make([]float64, side*side)
	for i, n := range pixels {
		sums[i/tileSide/block*side+i%tileSide/block] += n
	}
	return sums
}

// shades is the number of colours on each side of the diverging palette.
const shades = 64

// drawDifference draws the values of a tile with a diverging palette: one colour for positive values, another for
// negative ones. Larger magnitudes are more saturated.
func drawDifference(values []float64, o picture.Options) (*image.Paletted, error) {
	sizes := make([]float64, len(values))
	for i, v := range values {
		sizes[i] = math.Abs(v)
	}
	img, err := picture.Draw(sizes, tileSide, tileSide, o)
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		if v < 0 && img.Pix[i] > 0 {
			img.Pix[i] += shades
		}
	}
	img.Palette = divergingPalette()
	return img, nil
}

// divergingPalette returns transparent, then shades of orange for positive and shades of blue for
// negative values. All kinds of colour vision can distinguish orange and blue. Larger magnitudes
// are more saturated, and stand out on light and dark ground.
var divergingPalette = sync.OnceValue(func() color.Palette {
	p := color.Palette{color.NRGBA{}}
	for _, ends := range [][]string{{"#a87a5c", "#e85000"}, {"#6480a8", "#0062e0"}} {
		g, err := colorgrad.NewGradient().HtmlColors(ends...).Build()
		if err != nil {
			panic(err) // the colours are constants
		}
		for _, c := range g.Colors(shades) {
			p = append(p, color.NRGBAModel.Convert(c))
		}
	}
	return p
})

// divergingLegend returns colours of the diverging palette as #rrggbb, from the most negative to
// the most positive.
var divergingLegend = sync.OnceValue(func() []string {
	p := divergingPalette()
	less := hexes(p[1+shades:])
	slices.Reverse(less)
	return append(less, hexes(p[1:1+shades])...)
})
