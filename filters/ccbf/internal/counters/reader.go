package counters

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Reader is a form.Reader for counters (a layered counting Bloom filter).
type Reader struct {
	Head *form.Head
	Params
	Origin   cascade.Origin // how counters of minimal increment were made
	Counters cascade.Counters

	hasher Hasher
	Model  *noise.Model     // nil before the first call of Noise
	counts *noise.Histogram // the counts of the last estimate: of cells, or of squares of cells
}

// Reset sets r to read a body. The other fields must be set before. It checks the length only.
func (r *Reader) Reset(body []byte) error {
	if uint64(len(body)) != r.Shape.Bytes() {
		return sketch.Invalidf("a body of %d bytes, but layers take %d", len(body), r.Shape.Bytes())
	}
	r.Model = nil
	r.hasher.seed = r.Seed
	r.Counters.View(r.Shape, body)
	r.Counters.Saturated = r.Head.Saturated
	r.Counters.Limit(r.Head.Total, r.Head.TotalKnown, r.Head.Sums)
	return nil
}

// Noise returns the model of collisions. O(counters) the first time.
func (r *Reader) Noise() *noise.Model {
	if r.Model == nil {
		r.Model = noise.New(*r.Head, &r.Counters, r.Origin, r.Levels > 0 || r.Base > 0 || r.Totals)
	}
	return r.Model
}

// Check checks more than reading does: whether the body follows docs/FORMAT.md.
func (r *Reader) Check() error {
	if err := r.Counters.CheckBits(); err != nil {
		return err
	}
	if !r.Head.TotalKnown {
		return nil
	}
	if r.Head.Bounds.Empty() && r.Head.Total > 0 {
		return sketch.Invalidf("a total of %d without bounds", r.Head.Total)
	}
	return r.checkTotal(r.Head.Total)
}

// Memory implements form.Reader.
func (r *Reader) Memory() int64 { return int64(len(r.Counters.Body)) }

// Count implements form.Reader.
func (r *Reader) Count(c grid.Cell, category []byte) uint64 {
	if !r.Head.Bounds.Contains(c) {
		return 0
	}
	return r.lookup(0, c, category)
}

// lookup is Count for a square of a level. Level 0 is the cells.
func (r *Reader) lookup(level int, c grid.Cell, category []byte) uint64 {
	h1, h2 := r.hasherOf(level).Hash(c, category)
	return r.Counters.Count(h1, h2)
}

// hasherOf returns the reader's hasher, for the squares of a level.
func (r *Reader) hasherOf(level int) *Hasher {
	r.hasher.level = r.Base + uint8(level)
	return &r.hasher
}

// Counts implements form.Reader.
func (r *Reader) Counts(dst []uint64, at []grid.Cell, of cells.Categories) {
	r.squares(dst, 0, at, of)
	for i, c := range at {
		if !r.Head.Bounds.Contains(c) {
			dst[i] = 0
		}
	}
}

// squares is Counts for squares of a level. Level 0 is the cells.
func (r *Reader) squares(dst []uint64, level int, at []grid.Cell, of cells.Categories) {
	var l lookups
	for len(at) > 0 {
		n := min(len(at), hashBatch)
		l.count(dst[:n], r, level, at[:n], of)
		dst, at = dst[n:], at[n:]
	}
}

// lookups has room for the hashes and the counts of a batch of squares.
type lookups struct{ h1, h2, counts [hashBatch]uint64 }

// count looks up at most a batch of squares of a level in categories, and adds up the counts of each square.
// Level 0 is the cells.
func (l *lookups) count(dst []uint64, r *Reader, level int, at []grid.Cell, of cells.Categories) {
	h, h1, h2, counts := r.hasherOf(level), l.h1[:len(at)], l.h2[:len(at)], l.counts[:len(at)]
	clear(dst)
	_ = of.Each(func(category []byte) error {
		for i, c := range at {
			h1[i], h2[i] = uint64(c.X), uint64(c.Y)
		}
		h.All(h1, h2, category)
		r.Counters.Counts(counts, h1, h2)
		for i, n := range counts {
			dst[i] = min(saturate.Add(dst[i], n), r.Counters.Full)
		}
		return nil
	})
}

// Sum implements form.Reader. It is at most the total.
func (r *Reader) Sum(a form.Area, of cells.Categories) (uint64, error) {
	sum, err := r.AreaSums(a, of, nil)
	return min(sum, r.Counters.Full), err
}

// AreaSums is Sum. If each is not nil, it calls each with every count that the sum consists of. Each
// category has keys of its own.
func (r *Reader) AreaSums(a form.Area, of cells.Categories, each func(n uint64)) (sum uint64, err error) {
	err = of.Each(func(category []byte) error {
		n, err := r.areaSum(a, category, each)
		sum = saturate.Add(sum, n)
		return err
	})
	return sum, err
}

// Estimate implements form.Reader.
func (r *Reader) Estimate(a form.Area, of cells.Categories) (form.Estimate, error) {
	if r.counts == nil {
		r.counts = new(noise.Histogram)
	}
	r.counts.Reset()
	sum, err := r.AreaSums(a, of, r.counts.Add)
	sum = min(sum, r.Counters.Full)
	if err != nil {
		return form.Estimate{}, err
	}
	e := form.Estimate{Value: float64(sum), Low: sum, High: sum}
	if sum == 0 {
		return e, nil
	}
	var low, high float64
	e.Value, low, high = r.Noise().Estimate(r.counts, float64(sum))
	e.Low, e.High = whole(low), min(whole(high), sum)
	few := uint64(leastLayer)
	if r.Head.Sums {
		few = leastLayerOfSums
	}
	if r.Head.Saturated || r.Head.Sums && r.Shape.Size[0] < LeastSample || r.Noise().Reached(r.counts) < few {
		// Saturated counters hold less than they counted. In few counters, noise differs from the usual
		// noise. In all cases only the bounds without a model hold.
		e.Low, e.High = 0, sum
	}
	return e, nil
}

// LeastSample is the least number of counters from which the noise can be estimated. With fewer, intervals
// may miss the truth more often than in 5 of 100 cases. Errors of cells with points may be far off
// (TestIntervalsOfAnyCounters).
const LeastSample = 256

// leastLayer is the least number of counters of a layer, from which the noise of counts that reach the layer can be
// estimated. Fewer counters hold little more than these counts themselves (measured: TestIntervalsOfFewCounters).
const (
	leastLayer       = 80
	leastLayerOfSums = 24
)

// whole returns a number of points as an integer, at most the largest uint64.
func whole(n float64) uint64 {
	if n >= 1<<64 {
		return math.MaxUint64
	}
	return uint64(n)
}

// Raster sums up the cells of pixels, at most the total. With levels it takes the largest squares that lie in a pixel.
func (r *Reader) Raster(p *form.Pixels, clip grid.Rect, of cells.Categories) error {
	clip = clip.Intersect(r.Head.Bounds)
	err := of.Each(func(category []byte) error {
		// A search that is not allowed ends at once.
		if p.Both != nil && clip.Count() >= stripedCells && clip.Squares(int(r.Levels)).Count() <= r.Head.Limit.Left() {
			return r.rasterStrips(p, clip, category)
		}
		s := search{r: r, of: cells.Of(category), visit: wholeSquares(p)}
		return s.run(form.Box(clip))
	})
	for i, n := range p.Dst {
		p.Dst[i] = min(n, r.Counters.Full)
	}
	return err
}

const (
	stripedCells = 1 << 18 // cells of a raster that is divided into strips.
	mostStrips   = 32
	leastRows    = 256 // rows of cells in a strip
)

// rasterStrips adds the cells of a category to a raster. It divides the raster into strips of whole pixels, which two
// searches take by turns. They take as many steps as one search of the whole.
func (r *Reader) rasterStrips(p *form.Pixels, clip grid.Rect, category []byte) error {
	rows := max(leastRows, int64(clip.Height()/mostStrips)+1)
	start := func(strip int64) int64 { // its first row
		switch y := clip.MinY + strip*rows; {
		case strip == 0:
			return clip.MinY
		case y <= clip.MaxY:
			return max(clip.MinY, p.Lines.Start(y))
		}
		return clip.MaxY + 1
	}
	most := r.Head.Limit.Left()
	var taken atomic.Int64 // strips
	var steps atomic.Uint64
	take := func() error {
		own := *r
		own.hasher = r.Hasher(0)
		s := search{r: &own, of: cells.Of(category), visit: wholeSquares(p)}
		for {
			i, strip := taken.Add(1)-1, clip
			strip.MinY, strip.MaxY = start(i), start(i+1)-1
			spent := steps.Load()
			if strip.MinY > clip.MaxY || spent > most {
				return nil
			}
			if strip.Empty() {
				continue
			}
			if s.from = strip.MinY; i == 0 {
				s.from = math.MinInt64
			}
			s.steps, s.most = 0, most-spent
			s.strip(strip)
			steps.Add(s.steps)
		}
	}
	if err := p.Both(take, take); err != nil {
		return err
	}
	return r.Head.Limit.Allow(steps.Load())
}

// wholeSquares returns a visitor of squares, which adds those that lie in a pixel.
func wholeSquares(p *form.Pixels) func(level int, q squareCount) bool {
	return func(level int, q squareCount) bool {
		side := int64(1) << level
		if column, ok := p.Columns.Whole(q.at.X<<level, side); ok {
			if line, ok := p.Lines.Whole(q.at.Y<<level, side); ok {
				p.Add(column, line, q.least)
				return false
			}
		}
		return true
	}
}

// Top implements form.Reader.
func (r *Reader) Top(a form.Area, of cells.Categories, t *form.Top) error {
	s := search{r: r, of: of, largestFirst: t.Each == nil}
	s.visit = func(level int, q squareCount) bool {
		// No cell of a square ranks before its south-western one.
		c := form.Candidate{Spot: form.Spot{Cell: corner(q.at, level), Count: q.n}, Least: q.least}
		if level > 0 {
			return t.Wants(c)
		}
		if !t.Add(c) {
			s.ended = true
		}
		return false
	}
	return s.run(a)
}

// Listing implements form.Reader.
func (r *Reader) Listing() *form.Squares { return nil }

// Error implements form.Reader, for counters that are not saturated.
func (r *Reader) Error() form.Error {
	m := r.Noise()
	occupied := m.Occupied
	known := occupied.Known && r.Shape.Size[0] >= LeastSample
	return form.Error{Empty: m.Empty(), Occupied: occupied.Overcount, Known: known}
}

// Describe implements form.Reader.
func (r *Reader) Describe(i *form.Info) {
	i.Fill = r.Counters.Fill()
	i.Unbiased = !r.Head.Saturated && noise.Unbiased(r.Head, &r.Origin, r.Shape.K, i.Fill)
}

// String implements form.Reader.
func (r *Reader) String() string {
	return "dense, " + sketch.Count(uint64(r.Shape.Layers), "layer") +
		sketch.Added(r.Head.Total, r.Head.TotalKnown)
}

// checkTotal checks a total against the counters.
//
// If counters are sums, every point adds 1 to k counters for each of its keys. These are the cell and each
// level, with and without the category. A coarsened sketch has also counted levels that it dropped. Counts
// above a ceiling, or beyond 2^64-1 points, are lost.
//
// If counters are no sums, the total says little, as maxima of many cells can be small. But counters are
// all 0 if and only if there are no points. Every key of every point raised a counter of the first layer
// at most once, unless it left this layer.
func (r *Reader) checkTotal(total uint64) error {
	d, keys, coarse := &r.Counters, uint64(r.Levels)+1, uint64(r.Base)
	if r.Totals {
		keys, coarse = 2*keys, 2*coarse
	}
	if !r.Head.Sums {
		over, most := bits.Mul64(total, keys+coarse)
		if over != 0 {
			most = ^uint64(0)
		}
		return d.CheckMaxima(total, most)
	}
	if r.Head.Saturated || total == ^uint64(0) {
		return nil
	}
	keys *= uint64(r.Shape.K)
	hi, lo := bits.Mul64(total, keys)
	sumHi, sumLo := d.Sum()
	if over := sumHi > hi || sumHi == hi && sumLo > lo; sumHi < hi || sumHi == hi && sumLo < lo || over && r.Base == 0 {
		return sketch.Invalidf("counters that do not add up to %d times the total %d", keys, total)
	}
	return nil
}
