package serve

import (
	"bytes"
	"context"
	"math"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/picture"
	"github.com/paulmach/orb"
)

const (
	tileSide = 256
	// overviewSide is that of the picture of a whole layer by which the scale of
	// its tiles is chosen.
	overviewSide = 256
)

// empty is the tile without points.
var empty = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	if err := picture.Encode(&b, make([]float64, tileSide*tileSide), tileSide, tileSide, picture.Options{}); err != nil {
		panic(err) // of constants
	}
	return b.Bytes()
})

// tile draws a web mercator tile as a PNG.
func (l *layer) tile(ctx context.Context, f filter, z int, x, y int64) ([]byte, error) {
	west, south, east, north, err := grid.TileBounds(z, x, y)
	if err != nil {
		return nil, err
	}
	// Rows of even height in degrees first: counts are added up there, and
	// moved to the rows of the map at once.
	box := orb.Bound{Min: orb.Point{west, south}, Max: orb.Point{east, north}}
	even := make([]float64, tileSide*2*tileSide)
	drawn, err := l.density(ctx, even, f, box, tileSide, 2*tileSide)
	if err != nil || !drawn {
		return empty(), err
	}
	top, err := l.top(ctx, f)
	if err != nil {
		return nil, err
	}
	values := make([]float64, tileSide*tileSide)
	mercator(values, even, z, y, south, north)
	var b bytes.Buffer
	side := 360 / math.Exp2(float64(z)) / tileSide
	err = picture.Encode(&b, values, tileSide, tileSide, picture.Options{
		Low: min(1, side*side/(l.Res*l.Res)), // a point, or what a pixel has of one
		Top: top.at(side * side),
	})
	return b.Bytes(), err
}

// density adds up the densities of the rows chosen; false where none is there.
func (l *layer) density(ctx context.Context, sum []float64, f filter, box orb.Bound, width, height int) (bool, error) {
	var v ccbf.View
	v.LimitAreas()
	drawn := false
	for i := range l.sketches {
		p := &l.sketches[i]
		if !f.holds(p) || !p.bounds.Intersects(box) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if err := v.Reset(p.blob); err != nil {
			return false, err
		}
		if err := v.CheckCategory(f.given); err != nil {
			return false, err
		}
		var category []byte
		if f.given {
			category = []byte(f.category)
		}
		if err := v.AddDensity(sum, box, width, height, category); err != nil {
			return false, err
		}
		drawn = true
	}
	return drawn, nil
}

// mercator moves rows of even height in degrees to those of a tile, which are
// even in the projection: each takes the share of every row that it covers.
func mercator(dst, even []float64, z int, y int64, south, north float64) {
	rows := len(even) / tileSide
	perDegree := float64(rows) / (north - south)
	size := math.Exp2(float64(z))
	edge := func(j int) float64 { // rows from the top at which row j of the tile begins
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
}

// topOf is what the last colour stands for in the tiles of a layer, alike at
// all tiles of a zoom. The largest pixel of an overview is known, and the largest
// block of such pixels; between them, and beyond, it grows with a power of its
// area.
type topOf struct {
	area, value float64 // of a pixel of the overview
	power       float64
}

// at is the top of pixels with an area, in square degrees.
func (t topOf) at(area float64) float64 { return t.value * math.Pow(area/t.area, t.power) }

// top is that of a filter. Two requests may both measure it: neither waits for
// the other, which may be cancelled.
func (l *layer) top(ctx context.Context, f filter) (topOf, error) {
	if t, ok := l.tops.Get(f); ok {
		return t, nil
	}
	t, err := l.measure(ctx, f)
	if err == nil {
		l.tops.Add(f, t)
	}
	return t, err
}

// measure draws the layer, and looks at pixels one by one and in blocks.
func (l *layer) measure(ctx context.Context, f filter) (topOf, error) {
	const block = 8
	pixels := make([]float64, overviewSide*overviewSide)
	if _, err := l.density(ctx, pixels, f, l.bound(), overviewSide, overviewSide); err != nil {
		return topOf{}, err
	}
	var blocks [overviewSide / block * overviewSide / block]float64
	pixel, largest := 0.0, 0.0
	for i, n := range pixels {
		b := &blocks[i/overviewSide/block*(overviewSide/block)+i%overviewSide/block]
		*b += n
		pixel, largest = max(pixel, n), max(largest, *b)
	}
	t := topOf{
		area:  (l.Bounds[2] - l.Bounds[0]) * (l.Bounds[3] - l.Bounds[1]) / float64(len(pixels)),
		value: max(pixel, 1e-9), power: 1,
	}
	if pixel > 0 {
		t.power = math.Log(largest/pixel) / math.Log(block*block)
	}
	return t, nil
}
