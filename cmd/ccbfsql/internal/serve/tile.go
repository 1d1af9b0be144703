package serve

import (
	"bytes"
	"context"
	"image/color"
	"math"
	"slices"
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

// tile draws a web mercator tile as a PNG. top is what the last colour stands for, in
// points per square degree; 0 takes what suits the layer at this zoom. With other rows it
// is what the rows have more or less than those.
func (l *layer) tile(ctx context.Context, f filter, other *filter, z int, x, y int64, top float64) ([]byte, error) {
	west, south, east, north, err := grid.TileBounds(z, x, y)
	if err != nil {
		return nil, err
	}
	// Rows of even height in degrees first: counts are added up there, and
	// moved to the rows of the map at once.
	box := orb.Bound{Min: orb.Point{west, south}, Max: orb.Point{east, north}}
	if !l.meets(f, box) && (other == nil || !l.meets(*other, box)) {
		return empty(), nil // most of the world
	}
	paper := papers.Get().(*[3 * tileSide * tileSide]float64)
	defer papers.Put(paper)
	clear(paper[:])
	even, values := paper[:2*tileSide*tileSide], paper[2*tileSide*tileSide:]
	if _, err := l.less(ctx, even, f, other, box, tileSide, 2*tileSide, readsOfTile); err != nil {
		return nil, err
	}
	side := 360 / math.Exp2(float64(z)) / tileSide
	if top == 0 {
		of, err := l.top(ctx, f)
		if err != nil {
			return nil, err
		}
		top = of.at(side*side) / (side * side)
	}
	mercator(values, even, z, y, south, north)
	scale := picture.Options{Low: l.low(side), Top: top * side * side}
	if other != nil {
		return signed(values, tileSide, tileSide, scale)
	}
	img, err := picture.Draw(values, tileSide, tileSide, scale)
	if err != nil {
		return nil, err
	}
	img.Palette = opaque()
	var b bytes.Buffer
	err = picture.Write(&b, img)
	return b.Bytes(), err
}

// papers are what tiles were drawn on, 1.5 MB each: clearing one takes less than making one
// and collecting it.
var papers = sync.Pool{New: func() any { return new([3 * tileSide * tileSide]float64) }}

// meets reports whether a row that is chosen has points in a box, as far as its bounds tell.
func (l *layer) meets(f filter, box orb.Bound) bool {
	for i := range l.sketches {
		if p := &l.sketches[i]; f.holds(p) && p.bounds.Intersects(box) {
			return true
		}
	}
	return false
}

// low is what few points are in a pixel: one, or what a pixel has of one.
func (l *layer) low(side float64) float64 { return min(1, side*side/(l.Res*l.Res)) }

// opaque is the palette of tiles. The colours of few points let nothing of the map
// through, which is drawn above them: on either ground they have to be seen.
var opaque = sync.OnceValue(func() color.Palette {
	img, err := picture.Draw(make([]float64, 1), 1, 1, picture.Options{})
	if err != nil {
		panic(err) // of constants
	}
	p := slices.Clone(img.Palette)
	for i, c := range p {
		if c := color.NRGBAModel.Convert(c).(color.NRGBA); c.A > 0 {
			c.A = 255
			p[i] = c
		}
	}
	return p
})

// How many cells of counters are read for a tile, about, for a scale and to find where
// points are; and of each sketch at least: some tenths of a second of lookups.
const (
	readsOfTile  = 1 << 20
	readsOfScale = 1 << 20
	readsOfLook  = 1 << 18
	leastReads   = 1 << 10
)

// drawing is what was drawn.
type drawing struct {
	sampled bool // cells of counters were too many to be read all
}

// density adds up the densities of the rows chosen, with about so many lookups in
// counters at most.
func (l *layer) density(ctx context.Context, sum []float64, f filter, box orb.Bound, width, height, most int) (d drawing, err error) {
	return l.draw(ctx, f, box, most, func(v *ccbf.View, _ *placed, reads uint64) (bool, error) {
		return v.AddDensity(sum, box, width, height, ccbf.Of(f.key()), reads)
	})
}

// estimates is density for a picture that people look at: of counters that cells share it
// has what is left when that is taken off, and nothing where that can be chance.
func (l *layer) estimates(ctx context.Context, sum []float64, f filter, box orb.Bound, width, height, most int) (drawing, error) {
	e := ccbf.NewEstimates(sum, width, height)
	d, err := l.draw(ctx, f, box, most, func(v *ccbf.View, p *placed, reads uint64) (bool, error) {
		return e.Add(v, p.noise(v), box, ccbf.Of(f.key()), reads)
	})
	e.Finish()
	return d, err
}

// draw calls add for the sketches of the rows chosen that are in a box.
func (l *layer) draw(ctx context.Context, f filter, box orb.Bound, most int, add func(v *ccbf.View, p *placed, reads uint64) (sampled bool, err error)) (d drawing, err error) {
	var v ccbf.View
	var drawn []*placed
	for i := range l.sketches {
		if p := &l.sketches[i]; f.holds(p) && p.bounds.Intersects(box) {
			drawn = append(drawn, p)
		}
	}
	reads := uint64(max(most/max(len(drawn), 1), leastReads))
	for _, p := range drawn {
		if err := ctx.Err(); err != nil {
			return d, err
		}
		if err := v.Reset(p.blob); err != nil {
			return d, err
		}
		if err := v.CheckCategory(f.given); err != nil {
			return d, err
		}
		sampled, err := add(&v, p, reads)
		if err != nil {
			return d, err
		}
		d.sampled = d.sampled || sampled
	}
	return d, nil
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
