package ccbf

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// countersView is counters in a BLOB.
type countersView struct{ *View }

func (v countersView) reset(body []byte) error {
	if uint64(len(body)) != v.shape.Bytes() {
		return sketch.Invalidf("a body of %d bytes, but layers take %d", len(body), v.shape.Bytes())
	}
	v.dense.View(v.shape, body)
	v.dense.Saturated = v.header.Flags.Has(sketch.Saturated)
	if v.header.Flags.Has(sketch.TotalKnown) {
		v.dense.Full = v.header.Total
	}
	if v.additive() {
		v.dense.Meet = v.shape.Meeting()
	}
	return nil
}

func (v countersView) checkBody() error {
	if err := v.dense.CheckBits(); err != nil {
		return err
	}
	if total, known := v.Total(); known {
		if v.Bounds == cells.NoBounds && total > 0 {
			return sketch.Invalidf("a total of %d without bounds", total)
		}
		return v.checkTotal(total)
	}
	return nil
}

func (v countersView) open(s *Sketch) error {
	s.dense = v.dense.Clone()
	return nil
}

func (v countersView) addTo(b *Builder, total uint64) error {
	return b.addDense(&v.dense, v.Bounds, v.parts, total)
}

func (v countersView) memory() int64        { return int64(len(v.dense.Body)) }
func (v countersView) estimateBytes() int64 { return noise.EstimateBytes(v.areaLimit()) }

func (v countersView) count(c grid.Cell, category []byte) uint64 {
	h1, h2 := v.hasher.hash(c, category)
	return v.dense.Count(h1, h2)
}

func (v countersView) counts(dst []uint64, at []grid.Cell, of Categories) {
	var more [hashBatch]uint64
	for len(at) > 0 {
		n := min(len(at), hashBatch)
		sums := sumOfCounts{dst[:n], more[:n], 0}
		_ = of.Each(func(category []byte) error {
			v.countBatch(sums.next(), at[:n], category)
			return nil
		})
		sums.end()
		dst, at = dst[n:], at[n:]
	}
}

// countBatch counts as many cells as a batch has, of one category.
func (v countersView) countBatch(dst []uint64, at []grid.Cell, category []byte) {
	var h1, h2 [hashBatch]uint64
	for i, c := range at {
		h1[i], h2[i] = uint64(c.X), uint64(c.Y)
	}
	v.hasher.all(h1[:len(at)], h2[:len(at)], category)
	v.dense.Counts(dst, h1[:len(at)], h2[:len(at)])
}

// sumOfCounts adds up the counts of categories: those of the first one are counted straight into dst,
// those of others into more.
type sumOfCounts struct {
	dst, more []uint64
	n         int // categories so far
}

// next is where the counts of the next category go.
func (s *sumOfCounts) next() []uint64 {
	s.add()
	if s.n++; s.n == 1 {
		return s.dst
	}
	return s.more
}

// add adds those of the last one.
func (s *sumOfCounts) add() {
	if s.n > 1 {
		for i, n := range s.more {
			s.dst[i] = saturate.Add(s.dst[i], n)
		}
	}
}

// end completes the sums.
func (s *sumOfCounts) end() {
	if s.add(); s.n == 0 {
		clear(s.dst)
	}
}

func (v countersView) countEach(dst []uint64, at []grid.Cell, which []uint32, categories [][]byte) {
	var h1, h2 [hashBatch]uint64
	for len(at) > 0 {
		n := min(len(at), hashBatch)
		for i, c := range at[:n] {
			h1[i], h2[i] = v.hasher.hash(c, categories[which[i]])
		}
		v.dense.Counts(dst[:n], h1[:n], h2[:n])
		dst, at, which = dst[n:], at[n:], which[n:]
	}
}

func (v countersView) sum(a area, of Categories) (uint64, error) {
	return v.areaSums(a, of, nil)
}

// areaSums is areaSum of several categories: each is a key of its own.
func (v countersView) areaSums(a area, of Categories, each func(n uint64)) (sum uint64, err error) {
	err = of.Each(func(category []byte) error {
		n, err := v.areaSum(a, category, each)
		sum = saturate.Add(sum, n)
		return err
	})
	return sum, err
}

func (v countersView) estimate(a area, of Categories) (Estimate, error) {
	var r noise.Histogram // of what cells read, or the squares that the sum is made of
	sum, err := v.areaSums(a, of, r.Add)
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{Value: float64(sum), Low: sum, High: sum}
	if sum == 0 {
		return e, nil
	}
	var low, high float64
	e.Value, low, high = v.noise().Estimate(&r, float64(sum))
	e.Low, e.High = whole(low), min(whole(high), sum)
	if v.saturated() || v.additive() && v.shape.Size[0] < leastSample {
		// What counters hold is not what was counted, or too few tell what is usual: only what is certain is
		// known.
		if total, known := v.Total(); known {
			sum = min(sum, total)
		}
		e.Low, e.High, e.Value = 0, sum, min(e.Value, float64(sum))
	}
	return e, nil
}

// leastSample is how many counters there must be to tell what other cells add to one: with
// fewer that are sums, intervals held the truth in less than 95 of 100 cases, and with fewer of any kind the error
// of cells with points was wrong by up to 15 times (TestIntervalsOfAnyCounters).
const leastSample = 256

// whole is a number of points as a whole number; at most 2^64-1.
func whole(n float64) uint64 {
	if n >= 1<<64 {
		return math.MaxUint64
	}
	return uint64(n)
}

// raster sums the cells of pixels, with levels from the largest squares that lie in a pixel.
func (v countersView) raster(p *pixels, clip grid.Rect, of Categories) error {
	in := box{cells.Box(clip)}
	return of.Each(func(category []byte) error {
		if v.Levels > 0 {
			s := search{v: v.View, of: Of(category), visit: p.take}
			return s.run(in)
		}
		return v.sweep(in, Of(category), func(at grid.Cell, n uint64) bool {
			p.add(p.columns.part(at.X), p.lines.part(at.Y), n)
			return true
		})
	})
}

// density draws the squares that are nearest in size to pixels.
func (v countersView) density(p *picture, of Categories) error {
	level := min(math.Ilogb(max(p.pixel()*math.Sqrt2/v.Grid.Res(), 1)), int(v.Levels))
	return of.Each(func(category []byte) error {
		return v.paint(p, level, func(clip grid.Rect, to *painting) error {
			in := box{cells.Box(clip)}
			if v.Levels == 0 {
				return v.sweep(in, Of(category), func(at grid.Cell, n uint64) bool {
					to.add(at, n)
					return true
				})
			}
			s := search{v: v.View, of: Of(category), visit: each(func(l int, q *reading) bool {
				if l == level {
					to.add(q.at, q.least)
				}
				return l > level
			})}
			return s.run(in)
		})
	})
}

func (v countersView) hotspots(a area, threshold uint64, of Categories, add func(Spot) bool) error {
	if v.Levels == 0 {
		return v.sweep(a, of, func(at grid.Cell, n uint64) bool { return n < threshold || add(Spot{Cell: at, Count: n}) })
	}
	s := search{v: v.View, of: of}
	s.visit = each(func(level int, q *reading) bool {
		if q.least < threshold || level > 0 {
			return q.least >= threshold
		}
		if !add(Spot{Cell: q.at, Count: q.n}) {
			s.most = 0
		}
		return false
	})
	return s.run(a)
}

func (v countersView) topK(a area, of Categories, t *topCells) error {
	s := search{v: v.View, of: of, largestFirst: true}
	s.visit = each(func(level int, q *reading) bool {
		if level == 0 {
			if !t.add(candidate{Spot{Cell: q.at, Count: q.n}, q.least}) {
				s.most = 0
			}
			return false
		}
		// The best that it can hold is its south-western cell.
		first := grid.Cell{X: q.at.X << level, Y: q.at.Y << level}
		return t.wants(candidate{Spot{Cell: first}, q.least})
	})
	return s.run(a)
}

func (v countersView) error() Error {
	if v.saturated() {
		return Error{Unknown: true} // a ceiling is not what was counted
	}
	m := v.noise()
	occupied, _, known := m.Occupied()
	known = known && v.shape.Size[0] >= leastSample
	return Error{Empty: Overcount(m.Empty()), Occupied: Overcount(occupied), Known: known}
}

func (v countersView) unbiased() bool { return !v.saturated() && v.noise().Unbiased() }

func (v countersView) info(i *Info) { i.Fill = v.dense.Fill() }

func (v countersView) describe() string {
	return "dense, " + sketch.Count(uint64(v.shape.Layers), "layer") +
		sketch.Added(v.header.Total, v.header.Flags.Has(sketch.TotalKnown))
}

// countersSketch is counters in memory.
type countersSketch struct{ *Sketch }

func (s countersSketch) form() Form        { return Dense }
func (s countersSketch) limits() grid.Rect { return s.bounds }
func (s countersSketch) additive() bool    { return s.sums }
func (s countersSketch) saturated() bool   { return s.dense.Saturated }
func (s countersSketch) memory() int64     { return int64(len(s.dense.Body)) }

func (s countersSketch) count(c grid.Cell, category []byte) uint64 {
	h := s.hasher(0)
	h1, h2 := h.hash(c, category)
	n := s.dense.Least(h1, h2)
	if s.sums && n > s.shape.Meeting() {
		n = s.dense.Apart(h1, h2, n)
	}
	if s.TotalKnown {
		n = min(n, s.Total)
	}
	return n
}

func (s countersSketch) removable(c grid.Cell, category []byte) uint64 {
	n := s.count(c, category)
	if s.Totals {
		n = min(n, s.count(c, nil))
	}
	return n
}

func (s countersSketch) all(grid.Cell, []byte) (uint64, error) { return 0, ErrNeedsWeight }

func (s countersSketch) add(c grid.Cell, category []byte, n uint64) error {
	s.bounds = cells.Hull(s.bounds, insertCells(s.dense, &s.Config, cells.Single(c, category, n)))
	if s.Mode == MinimalIncrement {
		s.parts = s.parts.More(s.Total)
	}
	return nil
}

func (s countersSketch) remove(c grid.Cell, category []byte, n uint64) error {
	// Two positions may share a counter, here or in a layer above, which then
	// needs twice as much as an estimate says.
	if !s.dense.RemoveKeys(s.keysOf(c, category), n) {
		return fmt.Errorf("%w: fewer than %d at cell (%d, %d)", sketch.ErrTooMany, n, c.X, c.Y)
	}
	s.lessTotal(n)
	return nil
}

// keysOf are the hashes of all keys that a point of a cell counts at.
func (s countersSketch) keysOf(c grid.Cell, category []byte) (hashes [][2]uint64) {
	for level := range s.Levels + 1 {
		h := s.hasher(level)
		h1, h2 := h.hash(cells.Square(c, level), category)
		hashes = append(hashes, [2]uint64{h1, h2})
		if s.Totals {
			h1, h2 = h.hash(cells.Square(c, level), nil)
			hashes = append(hashes, [2]uint64{h1, h2})
		}
	}
	return hashes
}

func (s countersSketch) coarsen(factor uint64) error {
	if s.bounds != cells.NoBounds {
		s.bounds = s.bounds.Coarser(int64(factor))
	}
	return nil
}

func (s countersSketch) fold(f *folding) error {
	if f.err != nil {
		return f.err
	}
	if !s.sums {
		s.dense.ClearFlags() // maxima take a flag for a large value
	}
	for _, st := range f.steps {
		s.dense = s.dense.Fold(st.shape, st.layer, s.sums)
		s.parts = s.parts.Fold(st.layer)
	}
	s.shape, s.Bytes = f.shape, f.bytes
	return nil
}

func (s countersSketch) appendBody(dst []byte, _ grid.Rect, _ uint64) ([]byte, bool) {
	return append(dst, s.dense.Body...), true
}

// maximumDense builds the dense form from all cells and their counts: every
// counter is the maximum of the counts that map to it. One-sided, independent of
// order, and closer than minimal increment (Cohen and Matias 2003, section 3.2).
func maximumDense(c *Config, sections cells.List) *cascade.Counters {
	if c.Totals {
		sections = append(slices.Clone(sections), sections.Plain()...)
	}
	d := cascade.New(c.shape)
	d.FillMax(func(least uint64, yield func(h1, h2, n uint64)) {
		of := sections
		for level := range c.Levels + 1 {
			if level > 0 {
				of = of.Coarser(1)
			}
			h := c.hasher(level)
			for i := range of {
				s := &of[i]
				category := s.KeyCategory()
				for j, n := range s.Counts {
					if n >= least {
						h1, h2 := h.hash(cells.CellOf(s.X, s.Y, s.Keys[j]), category)
						yield(h1, h2, n)
					}
				}
			}
		}
	})
	return d
}

// makeDense turns an exact sketch into a dense one: by maxima in mode mi, by
// sums in mode standard, so that the laws of each hold.
func (s *Sketch) makeDense() {
	if s.dense != nil {
		return
	}
	s.bounds = s.cells.Bounds()
	if s.sums = s.Mode == Standard; s.sums {
		s.dense = cascade.New(s.shape)
		insertCells(s.dense, &s.Config, s.cells)
	} else {
		s.dense = maximumDense(&s.Config, s.cells)
	}
	s.cells = nil
}

// asDense is s where it is dense, otherwise a dense sketch of its cells, which it
// must have. An exact s is left unchanged.
func (s *Sketch) asDense() *Sketch { return s.asDenseOf(s.Config) }

// asDenseOf is asDense in the counters of a configuration: those of s where it is dense.
func (s *Sketch) asDenseOf(c Config) *Sketch {
	d := *s
	d.Config = c
	d.makeDense()
	return &d
}

// Levels: beside each cell the dense form can count the squares that hold it,
// cell >> 1, cell >> 2 and so on, hashed with their level (range trees of
// "Spectral Bloom Filters", section 5.5, in two dimensions). Questions for
// large areas then take a lookup per square in place of one per cell.

// ErrNoLevel says that a dense sketch cannot be coarsened so far.
var ErrNoLevel = errors.New("the sketch is dense and lacks the level")

// insertSquares counts the cells of a section in their squares of a level. Cells of
// one square that follow each other are counted at once.
func insertSquares(d *cascade.Counters, c *Config, s *cells.Section, category []byte, level uint8) {
	var h1, h2, ns [hashBatch]uint64
	var last grid.Cell
	h, n := c.hasher(level), 0
	insert := func() {
		h.all(h1[:n], h2[:n], category)
		d.Insert(c.Mode == Standard, h1[:n], h2[:n], ns[:n])
		n = 0
	}
	for i, k := range s.Keys {
		w := uint64(1)
		if s.Counts != nil {
			w = s.Counts[i]
		}
		at := cells.Square(cells.CellOf(s.X, s.Y, k), level)
		if n > 0 && at == last {
			ns[n-1] = saturate.Add(ns[n-1], w)
			continue
		}
		if n == hashBatch {
			insert()
		}
		h1[n], h2[n] = uint64(at.X), uint64(at.Y)
		ns[n], last = w, at
		n++
	}
	insert()
}

// Coarsen makes the cells of a sketch factor times as wide and as high, a whole number
// from 1 to 2^MaxLevels: the sketch at factor times the resolution, of an exact one the very
// bytes, where grid.Grid.Coarser has the same edges.
//
// An exact sketch stays exact. In a tree, squares that lie across the coarser ones become
// the smallest ones around them, which are few if factor is a power of two; no square may
// lie where none of the coarser cells' squares holds it, which is far from the origin. A
// dense sketch must have counted that level of squares, otherwise the error wraps
// ErrNoLevel. An error changes nothing. Never below the truth; the total is unchanged.
func (s *Sketch) Coarsen(factor uint64) error {
	if factor < 1 || factor > 1<<MaxLevels {
		return sketch.ArgumentError("factor", "is %d, must be a whole number from 1 to %d", factor, 1<<MaxLevels)
	}
	g, err := s.Grid.Coarser(factor)
	if err != nil {
		return err
	}
	before, l := s.Config, uint8(bits.TrailingZeros64(factor))
	switch levels := factor == 1<<l; {
	case levels && l <= s.Levels: // sketches that were exact and those that were not go on combining
		s.Base, s.Levels = s.Base+l, s.Levels-l
	case s.dense != nil && !levels:
		return sketch.ArgumentError("factor", "is %d, must be a power of two up to %d: this sketch has counters, and %d levels of squares", factor, uint64(1)<<s.Levels, s.Levels)
	case s.dense != nil:
		return fmt.Errorf("%w: it has %d levels, but a factor of %d needs %d (build with the option \"levels\")", ErrNoLevel, s.Levels, factor, l)
	default: // the very sketch of the points at that resolution
		s.Base, s.Levels = 0, 0
	}
	if err := s.in().coarsen(factor); err != nil {
		s.Base, s.Levels = before.Base, before.Levels
		return err
	}
	s.Grid = g
	return nil
}
