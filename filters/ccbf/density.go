package ccbf

import (
	"errors"
	"math"
	"sort"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// Density writes the counts of a box as width x height pixels to dst, row by
// row from the north-west, the points of a cell spread evenly over the cell: a
// pixel gets from each cell the share of its area that it covers. Pictures are
// made of it, smooth at any zoom; the pixels of a box that holds all cells add
// up to all counts, up to rounding. (Raster keeps cells whole.)
//
// In a dense sketch with levels, squares are looked up instead of cells, at the
// level nearest to the pixels: their side is at most 1.41 times a pixel's shorter
// one.
//
// dst must be width*height long. Exact sketches answer for any box, dense ones
// for up to AreaLimit lookups inside Bounds. Errors as CheckRaster. O(cells in
// the box + pixels).
func (v *View) Density(dst []float64, b orb.Bound, width, height int, of Categories) error {
	if err := checkPixels(len(dst), b, width, height); err != nil {
		return err
	}
	clear(dst)
	return v.in().density(&picture{dst: dst, box: b, width: width, height: height}, of)
}

// picture is a picture in the making.
type picture struct {
	dst           []float64
	box           orb.Bound
	width, height int

	estimates *Estimates   // that it is a part of; nil for a picture of counts
	noise     *noise.Cells // of the sketch that is drawn then
}

// pixel is the shorter side of a pixel.
func (p *picture) pixel() float64 {
	return min((p.box.Max[0]-p.box.Min[0])/float64(p.width), (p.box.Max[1]-p.box.Min[1])/float64(p.height))
}

// paint draws squares of one level. each is called with the rectangle of cells that
// the picture shows and paints them.
func (v *View) paint(p *picture, level int, each func(clip grid.Rect, to *painting) error) error {
	side, bounds := v.Grid.Res()*float64(uint64(1)<<level), v.Bounds.Squares(level)
	to := painting{
		x:    newAxis(p.box.Min[0], p.box.Max[0], p.width, side, bounds.MinX, bounds.MaxX),
		y:    newAxis(p.box.Min[1], p.box.Max[1], p.height, side, bounds.MinY, bounds.MaxY),
		sums: p.dst, noise: p.noise,
	}
	x, y := &to.x, &to.y
	if x.first > x.last || y.first > y.last {
		return nil
	}
	if x.large || y.large {
		lent := takeBins(x.bins * y.bins)
		defer giveBins(lent)
		to.sums = *lent
	}
	clip := grid.Rect{MinX: x.first << level, MinY: y.first << level, MaxX: (x.last+1)<<level - 1, MaxY: (y.last+1)<<level - 1}
	if err := each(clip, &to); err != nil {
		return err
	}
	if x.large || y.large {
		stretch(p.dst, to.sums, x, y)
	}
	return nil
}

// lentBins lends the memory of bins: to come by half a million each time took an eighth of
// the processor time of a picture.
var lentBins = sync.Pool{New: func() any { return new([]float64) }}

// maxLentBins is up to how many bins are kept.
const maxLentBins = 1 << 20

// takeBins is n bins, all of them 0.
func takeBins(n int) *[]float64 {
	lent := lentBins.Get().(*[]float64)
	if cap(*lent) < n {
		*lent = make([]float64, n)
	}
	*lent = (*lent)[:n]
	clear(*lent)
	return lent
}

func giveBins(lent *[]float64) {
	if cap(*lent) <= maxLentBins {
		lentBins.Put(lent)
	}
}

// painting is the sums of bins.
type painting struct {
	x, y  axis
	sums  []float64
	noise *noise.Cells // of counters that are drawn as estimates; nil of counts
}

// add is spread for a count.
func (p *painting) add(c grid.Cell, count uint64) {
	if p.noise != nil { // over that of a cell that reads nothing, which haze has
		p.spread(c, p.noise.Estimate(count)-p.noise.Estimate(0))
		return
	}
	p.spread(c, float64(count))
}

// spread spreads the points of a square over the bins that it meets.
func (p *painting) spread(c grid.Cell, n float64) {
	x, y, sums := &p.x, &p.y, p.sums
	i, west, east := x.bin(c.X)
	j, south, north := y.bin(c.Y)
	at := (y.bins-1-j)*x.bins + i
	sums[at] += n * south * west
	if east > 0 {
		sums[at+1] += n * south * east
	}
	if north > 0 {
		at -= x.bins
		sums[at] += n * north * west
		if east > 0 {
			sums[at+1] += n * north * east
		}
	}
}

// axis is one axis of a picture: pixels, and cells that are no larger than
// those or larger. Whichever is larger are its bins, so that each of the others
// meets two bins at most: cells are added up in bins, and larger cells are then
// stretched over their pixels. No cell is painted pixel by pixel, of which
// there may be millions.
type axis struct {
	low, pixel, side float64 // where the box begins, length of a pixel and of a cell
	first, last      int64   // the cells that meet the box and can have a count
	pixels, bins     int
	large            bool // cells are larger than pixels
}

func newAxis(low, high float64, pixels int, side float64, first, last int64) axis {
	a := axis{low: low, pixel: (high - low) / float64(pixels), side: side, pixels: pixels, bins: pixels}
	// Cells beyond the indexes of a grid need no number.
	index := func(v float64) int64 { return int64(max(min(v, 2*grid.MaxIndex), -2*grid.MaxIndex)) }
	a.first, a.last = max(first, index(math.Floor(low/side))), min(last, index(math.Ceil(high/side))-1)
	if a.large = side > a.pixel; a.large {
		a.bins = int(a.last - a.first + 1)
	}
	return a
}

// bin is the first bin that a cell meets, and its shares of the cell and of the
// one after it.
func (a *axis) bin(cell int64) (i int, here, next float64) {
	if a.large {
		return int(cell - a.first), 1, 0
	}
	i, here, next = overlap((float64(cell)*a.side-a.low)/a.pixel, a.side/a.pixel, a.pixels)
	return i, here * a.pixel / a.side, next * a.pixel / a.side
}

// source is the first bin that a pixel meets, and how much of it and of the one
// after it the pixel covers.
func (a *axis) source(pixel int) (i int, here, next float64) {
	if !a.large {
		return pixel, 1, 0
	}
	return overlap((a.low+float64(pixel)*a.pixel)/a.side-float64(a.first), a.pixel/a.side, a.bins)
}

// overlap is what a stretch from at on, of a length up to 1, has of the unit
// intervals i and i+1, of which there are n from 0 on; next is 0 where there is
// no i+1.
func overlap(at, length float64, n int) (i int, here, next float64) {
	floor := math.Floor(at)
	here = min(length, floor+1-at)
	next = length - here
	switch {
	case floor == -1:
		return 0, next, 0
	case !(floor >= 0 && floor < float64(n)):
		return 0, 0, 0
	case floor == float64(n-1):
		return n - 1, here, 0
	}
	return int(floor), here, next
}

// stretch adds bins to the pixels that meet them, both row by row from the
// north-west.
func stretch(dst, bins []float64, x, y *axis) {
	w := stretcher{x: x, y: y, bins: bins}
	w.init()
	for j := range y.pixels { // from the south
		i, here, next := y.source(j)
		if here == 0 && next == 0 {
			continue
		}
		row := dst[(y.pixels-1-j)*x.pixels+w.first:]
		if next == 0 {
			w.add(row, w.row(i), here)
		} else if low, high := w.row(i), w.row(i+1); low.from >= low.to {
			w.add(row, high, next)
		} else {
			w.addBoth(row, low, here, high, next)
		}
	}
}

// stretcher stretches rows of bins to the width of the picture. Each is stretched once,
// for all rows of pixels that it meets.
type stretcher struct {
	x, y    *axis
	bins    []float64
	columns []column // from first on; no others meet a bin
	first   int
	rows    [2]stretched // the one of bin i at i%2
}

// column is the first bin that a column of pixels meets, and how much of it and of the one
// after it.
type column struct {
	bin        int
	here, next float64
}

// stretched is a row of bins, as wide as columns are. Outside of from to to-1 it is 0.
type stretched struct {
	bin      int // -1 for none
	sums     []float64
	from, to int
}

func (w *stretcher) init() {
	for i := range w.x.pixels {
		bin, here, next := w.x.source(i)
		if here == 0 && next == 0 {
			continue
		}
		if len(w.columns) == 0 {
			w.first = i
		}
		w.columns = append(w.columns, column{bin, here, next})
	}
	for i := range w.rows {
		w.rows[i] = stretched{bin: -1, sums: make([]float64, len(w.columns))}
	}
}

// row is the stretched row of bins i, counted from the south.
func (w *stretcher) row(i int) *stretched {
	s := &w.rows[i%2]
	if s.bin == i {
		return s
	}
	s.bin = i
	bins := w.bins[(w.y.bins-1-i)*w.x.bins:][:w.x.bins]
	first, last := 0, len(bins)-1
	for first <= last && bins[first] == 0 {
		first++
	}
	for last >= first && bins[last] == 0 {
		last--
	}
	// The columns that meet bins from first to last.
	s.from = sort.Search(len(w.columns), func(j int) bool { return w.columns[j].bin+1 >= first })
	s.to = sort.Search(len(w.columns), func(j int) bool { return w.columns[j].bin > last })
	if first > last {
		s.from, s.to = 0, 0
	}
	sums := s.sums[s.from:s.to]
	for j, c := range w.columns[s.from:s.to] {
		n := bins[c.bin] * c.here
		if c.next > 0 {
			n += bins[c.bin+1] * c.next
		}
		sums[j] = n
	}
	return s
}

// add adds a share of a row of bins to one of pixels.
func (w *stretcher) add(row []float64, s *stretched, share float64) {
	row = row[s.from:s.to]
	for i, n := range s.sums[s.from:s.to] {
		row[i] += n * share
	}
}

// addBoth is add of two rows of bins, the first of which is not empty.
func (w *stretcher) addBoth(row []float64, a *stretched, here float64, b *stretched, next float64) {
	from, to := max(a.from, b.from), min(a.to, b.to)
	if from >= to {
		w.add(row, a, here)
		w.add(row, b, next)
		return
	}
	part := func(s *stretched, from, to int, share float64) {
		if from < to {
			w.add(row, &stretched{sums: s.sums, from: from, to: to}, share)
		}
	}
	part(a, a.from, min(from, a.to), here)
	part(b, b.from, min(from, b.to), next)
	both := row[from:to]
	n := b.sums[from:to]
	for i, m := range a.sums[from:to] {
		both[i] += m * here
		both[i] += n[i] * next
	}
	part(a, to, a.to, here)
	part(b, to, b.to, next)
}

// AddDensity adds Density to dst, for a picture of several sketches, each of which touches only
// the pixels where it can have counts. A dense sketch takes at most that many lookups,
// for pictures that must be ready in time: where the box has more cells, squares of
// them are drawn, each from the counts of some cells drawn at random from it, and
// sampled is true. What is drawn is then right on average: a sum of n cells, m of
// them read, is n/m times what these read. Equal boxes give equal pictures. After an error
// dst is partly written.
func (v *View) AddDensity(dst []float64, b orb.Bound, width, height int, of Categories, most uint64) (sampled bool, err error) {
	if err := checkPixels(len(dst), b, width, height); err != nil {
		return false, err
	}
	p := &picture{dst: dst, box: b, width: width, height: height}
	if v.Form() != Dense {
		return false, v.in().density(p, of)
	}
	return countersView{v}.densityWithin(p, of, min(most, v.left()))
}

// leastReads is how many cells of a square are read where it has as many: a square
// from fewer says little of its sum.
const leastReads = 4

// densityWithin is density with at most so many lookups.
func (v countersView) densityWithin(p *picture, of Categories, most uint64) (sampled bool, err error) {
	err = of.Each(func(category []byte) error {
		some, err := v.densityOf(p, category, most/uint64(of.Number()))
		sampled = sampled || some
		return err
	})
	return sampled, err
}

// densityOf is densityWithin for one category.
func (v countersView) densityOf(p *picture, category []byte, most uint64) (sampled bool, err error) {
	unit := min(math.Ilogb(max(p.pixel()*math.Sqrt2/v.Grid.Res(), 1)), int(v.Levels))
	whole := v.cellsOf(p, unit)
	if whole <= most/2 { // a search reads a third more, of larger squares
		err := v.density(p, Of(category))
		v.hazed(p, unit)
		return false, err
	}
	if v.Levels > 0 {
		// Squares without points may leave few to read; an error leaves a part drawn.
		some := *p
		some.dst = make([]float64, len(p.dst))
		together, covered := v.together, v.covered
		v.together, v.covered = true, AreaLimit-most
		err := v.density(&some, Of(category))
		v.together, v.covered = together, covered
		if err == nil {
			for i, n := range some.dst {
				p.dst[i] += n
			}
			v.hazed(p, unit)
			return false, nil
		}
		if many := new(ErrTooManyCells); !errors.As(err, &many) {
			return false, err
		}
	}
	level := unit
	for level < 62 && v.cellsOf(p, level) > most/leastReads {
		level++
	}
	reads := max(leastReads, most/max(v.cellsOf(p, level), 1))
	if p.noise != nil {
		cells := math.Exp2(float64(2 * (level - unit)))
		p.haze(v, level, 0, cells, min(float64(reads), cells))
	}
	err = v.paint(p, level, func(clip grid.Rect, to *painting) error {
		s := sampler{v: v, noise: p.noise, unit: unit, category: category, reads: reads, hasher: v.Config.hasher(uint8(unit))}
		cells := clip.Intersect(v.Bounds).Squares(unit)
		squares := clip.Intersect(v.Bounds).Squares(level)
		for y := squares.MinY; y <= squares.MaxY; y++ {
			for x := squares.MinX; x <= squares.MaxX; x++ {
				if n := s.sum(square(grid.Cell{X: x, Y: y}, level-unit).Intersect(cells)); n != 0 {
					to.spread(grid.Cell{X: x, Y: y}, n)
				}
			}
		}
		return nil
	})
	return true, err
}

// hazed is haze for a picture of all squares of a level, where it is one of estimates.
func (v countersView) hazed(p *picture, level int) {
	if p.noise != nil {
		p.haze(v, level, p.noise.Estimate(0), 1, 1)
	}
}

// cellsOf is how many squares of a level the picture shows.
func (v countersView) cellsOf(p *picture, level int) (n uint64) {
	side := v.Grid.Res() * math.Exp2(float64(level))
	b := v.Bounds.Squares(level)
	x := newAxis(p.box.Min[0], p.box.Max[0], p.width, side, b.MinX, b.MaxX)
	y := newAxis(p.box.Min[1], p.box.Max[1], p.height, side, b.MinY, b.MaxY)
	return grid.Rect{MinX: x.first, MinY: y.first, MaxX: x.last, MaxY: y.last}.Count()
}

// square is the cells of a square.
func square(at grid.Cell, level int) grid.Rect {
	return grid.Rect{MinX: at.X << level, MinY: at.Y << level, MaxX: at.X<<level + (1<<level - 1), MaxY: at.Y<<level + (1<<level - 1)}
}

// sampler adds up cells of which it reads some.
type sampler struct {
	v        countersView
	noise    *noise.Cells // for estimates; nil for counts
	unit     int          // level of what is read
	category []byte
	reads    uint64
	hasher   hasher
	h1, h2   [searchBatch]uint64
	counts   [searchBatch]uint64
}

// sum is that of all cells of a rectangle, by those that are read.
func (s *sampler) sum(in grid.Rect) float64 {
	all := in.Count()
	if all == 0 {
		return 0
	}
	reads := min(all, s.reads)
	sum, n := 0.0, 0
	read := func() {
		s.hasher.all(s.h1[:n], s.h2[:n], s.category)
		s.v.dense.Counts(s.counts[:n], s.h1[:n], s.h2[:n])
		for _, c := range s.counts[:n] {
			if s.noise != nil {
				sum += s.noise.Estimate(c)
			} else {
				sum += float64(c)
			}
		}
		n = 0
	}
	// Random numbers that depend on the place alone.
	state := mix(uint64(in.MinX)*0x9e3779b97f4a7c15 ^ uint64(in.MinY)) //nolint:gosec // any bits do
	for i := range reads {
		k := i
		if reads < all {
			// One of each of as many equal parts, row by row.
			state = mix(state + 0x9e3779b97f4a7c15)
			k = uint64((float64(i) + float64(state>>11)/(1<<53)) * float64(all) / float64(reads))
		}
		k = min(k, all-1)
		at := grid.Cell{X: in.MinX + int64(k%in.Width()), Y: in.MinY + int64(k/in.Width())}
		s.h1[n], s.h2[n] = uint64(at.X), uint64(at.Y)
		if n++; n == searchBatch {
			read()
		}
	}
	read()
	return sum * (float64(all) / float64(reads))
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014, figure 15).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
