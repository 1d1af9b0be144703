package counters

import (
	"errors"
	"math"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/noise"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// Density draws the squares that are nearest in size to pixels.
func (r *Reader) Density(p *form.Picture, of cells.Categories) error {
	return of.Each(func(category []byte) error {
		return r.draw(&picture{Picture: p}, category, r.levelOf(p))
	})
}

// DensityWithin is Density with at most most lookups. If the box has more cells, it draws squares by the
// counts of some of their cells, and returns true.
func (r *Reader) DensityWithin(p *form.Picture, of cells.Categories, most uint64) (sampled bool, err error) {
	err = of.Each(func(category []byte) error {
		how, err := r.drawWithin(&picture{Picture: p}, category, most/uint64(of.Number()))
		sampled = sampled || how.isSample
		return err
	})
	return sampled, err
}

// picture is a form.Picture that is drawn, either of counts or of estimates.
type picture struct {
	*form.Picture
	noise *noise.Cells // computes estimates from counts; nil for a picture of counts.
}

// value returns what is drawn for a count.
func (p *picture) value(n uint64) float64 {
	if p.noise != nil {
		return p.noise.Estimate(n)
	}
	return float64(n)
}

// count is value less what a count of 0 draws.
func (p *picture) count(n uint64) float64 { return p.value(n) - p.value(0) }

// levelOf returns the level whose squares are nearest in size to pixels.
func (r *Reader) levelOf(p *form.Picture) int {
	return min(squaresFor(r, p.Side()), int(r.Levels))
}

// draw draws the squares of a level.
func (r *Reader) draw(p *picture, category []byte, level int) error {
	return p.Paint(r.Head, level, func(clip grid.Rect, to *form.Painting) error {
		s := search{r: r, of: cells.Of(category)}
		s.visit = s.each(func(l int, q *squareCount) bool {
			if l == level {
				to.Spread(q.at, p.count(q.least))
			}
			return l > level
		})
		return s.run(form.Box(clip))
	})
}

// leastReads is the least number of cells of a square that a sample looks up, unless it has fewer. Fewer
// say little about the sum.
const leastReads = 4

// drawWithin draws a category with at most most lookups, and returns how it did.
func (r *Reader) drawWithin(p *picture, category []byte, most uint64) (how readPlan, err error) {
	unit := r.levelOf(p.Picture)
	// With levels, a search also looks up the larger squares, which are a third more. So it may draw half
	// of most.
	if p.SquaresIn(r.Head, unit) <= most/2 {
		return squaresAt(unit), r.draw(p, category, unit)
	}
	if r.Levels > 0 {
		// A search skips the inside of empty squares, so most lookups may suffice. It draws into a copy,
		// because a search that fails has drawn only a part.
		some := *p.Picture
		some.Pixels = make([]float64, len(p.Pixels))
		err := r.Head.Limit.Within(most, func() error { return r.draw(&picture{&some, p.noise}, category, unit) })
		if err == nil {
			for i, n := range some.Pixels {
				p.Pixels[i] += n
			}
			return squaresAt(unit), nil
		}
		if many := new(form.ErrTooManyCells); !errors.As(err, &many) {
			return how, err
		}
	}
	level := unit
	for level < 62 && p.SquaresIn(r.Head, level) > most/leastReads {
		level++
	}
	reading := max(leastReads, most/max(p.SquaresIn(r.Head, level), 1))
	n := math.Exp2(float64(2 * (level - unit)))
	how = readPlan{level, n, min(float64(reading), n), true}
	err = p.Paint(r.Head, level, func(clip grid.Rect, to *form.Painting) error {
		s := sampler{r: r, picture: p, category: category, reads: reading, level: uint8(unit)}
		all := clip.Intersect(r.Head.Bounds).Squares(unit)
		squares := clip.Intersect(r.Head.Bounds).Squares(level)
		for y := squares.MinY; y <= squares.MaxY; y++ {
			for x := squares.MinX; x <= squares.MaxX; x++ {
				if n := s.sum(square(grid.Cell{X: x, Y: y}, level-unit).Intersect(all)); n != 0 {
					to.Spread(grid.Cell{X: x, Y: y}, n)
				}
			}
		}
		return nil
	})
	return how, err
}

// square returns the cells of a square.
func square(at grid.Cell, level int) grid.Rect {
	return grid.Rect{MinX: at.X << level, MinY: at.Y << level, MaxX: at.X<<level + (1<<level - 1), MaxY: at.Y<<level + (1<<level - 1)}
}

// sampler estimates the sum of the counts of many cells from lookups of some of them.
type sampler struct {
	r        *Reader
	picture  *picture
	category []byte
	// A sum takes at most reads lookups.
	reads   uint64
	level   uint8
	at      [hashBatch]grid.Cell
	counts  [hashBatch]uint64
	lookups lookups
}

// sum estimates the sum over all cells of a rectangle.
func (s *sampler) sum(in grid.Rect) float64 {
	all := in.Count()
	if all == 0 {
		return 0
	}
	reads := min(all, s.reads)
	sum, n := 0.0, 0
	read := func() {
		s.lookups.count(s.counts[:n], s.r, s.level, s.at[:n], cells.Of(s.category))
		for _, c := range s.counts[:n] {
			sum += s.picture.value(c)
		}
		n = 0
	}
	// The random numbers depend only on the place of the rectangle, so a repeated query has the same
	// result.
	state := mix(uint64(in.MinX)*0x9e3779b97f4a7c15 ^ uint64(in.MinY)) //nolint:gosec // any bits do
	for i := range reads {
		k := i
		if reads < all {
			// The cells, numbered row by row, are divided into equal parts: as many as reads. Each part
			// provides one random cell.
			state = mix(state + 0x9e3779b97f4a7c15)
			k = uint64((float64(i) + float64(state>>11)/(1<<53)) * float64(all) / float64(reads))
		}
		k = min(k, all-1)
		s.at[n] = grid.Cell{X: in.MinX + int64(k%in.Width()), Y: in.MinY + int64(k/in.Width())}
		if n++; n == len(s.at) {
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

// Estimates computes a picture of estimates at several scales. A pixel of a scale is 2 x 2 pixels of the
// scale before. Relative to its points, a large pixel has less noise. So it can exceed the noise even if
// none of its parts does. With levels, large pixels are read from a few large squares, which have even
// less noise.
type Estimates struct {
	box           orb.Bound
	width, height int
	scales        []scale
}

// scale is a picture of all sketches so far at one scale: counts minus the expected noise.
type scale struct {
	width, height int
	box           orb.Bound
	read          []float64 // counts of sketches that are looked up again at the next scale.
	last          []float64 // counts of the other sketches, which the next scale adds up.
	second, third []float64 // central moments of the noise in each pixel.
}

// smallest is the least pixels of the shorter side at the last scale.
const smallest = 4

// NewEstimates returns an empty picture of a box.
func NewEstimates(box orb.Bound, width, height int) *Estimates {
	e := &Estimates{box: box, width: width, height: height}
	x, y := (box.Max[0]-box.Min[0])/float64(width), (box.Max[1]-box.Min[1])/float64(height)
	for k := range max(bits.Len(uint(min(width, height)/smallest)), 1) {
		side := 1 << k
		s := scale{width: (width + side - 1) / side, height: (height + side - 1) / side, box: box}
		s.box.Max[0] = box.Min[0] + float64(s.width*side)*x
		s.box.Min[1] = box.Max[1] - float64(s.height*side)*y
		n := s.width * s.height
		s.read, s.last = make([]float64, n), make([]float64, n)
		s.second, s.third = make([]float64, n), make([]float64, n)
		e.scales = append(e.scales, s)
	}
	return e
}

// Holds reports whether the picture shows this box.
func (e *Estimates) Holds(box orb.Bound) bool { return e.box == box }

// Add adds a sketch with noise n. Each scale takes at most most lookups. A scale that would take more is
// left out. If all would, Add draws a sample and returns true.
func (e *Estimates) Add(r *Reader, n *noise.Cells, of cells.Categories, most uint64) (sampled bool, err error) {
	err = of.Each(func(category []byte) error {
		how, err := e.add(r, n, category, most/uint64(of.Number()))
		sampled = sampled || how.isSample
		return err
	})
	return sampled, err
}

// add is Add for one category, or for all points if category is nil. It returns how it drew the last scale.
func (e *Estimates) add(r *Reader, n *noise.Cells, category []byte, most uint64) (how readPlan, err error) {
	picture := func(k int, pixels []float64) *picture {
		s := &e.scales[k]
		return &picture{&form.Picture{Pixels: pixels, Box: s.box, Width: s.width, Height: s.height}, n}
	}
	// last is the first scale with pixels at least as large as the largest squares that the sketch
	// counts. If no scale has such pixels, it is the last scale.
	last := 0
	for last+1 < len(e.scales) && squaresFor(r, picture(last, nil).Side()) < int(r.Levels) {
		last++
	}
	p := picture(last, e.scales[last].last)
	if how, err = r.drawWithin(p, category, most); err != nil {
		return how, err
	}
	r.subtract(p, how, &e.scales[last])
	// Pixels of these scales are sums of pixels of scale last. The noise is subtracted already, only its
	// moments are missing.
	for k := last + 1; k < len(e.scales); k++ {
		r.subtract(picture(k, nil), how, &e.scales[k])
	}
	for k := last - 1; k >= 0 && !how.isSample; k-- {
		p := picture(k, make([]float64, len(e.scales[k].read)))
		err := r.Head.Limit.Within(most, func() error { return r.draw(p, category, r.levelOf(p.Picture)) })
		if many := new(form.ErrTooManyCells); errors.As(err, &many) {
			// Finer scales need even more lookups.
			break
		}
		if err != nil {
			return how, err
		}
		for i, v := range p.Pixels {
			e.scales[k].read[i] += v
		}
		p.Pixels = e.scales[k].read
		r.subtract(p, squaresAt(r.levelOf(p.Picture)), &e.scales[k])
	}
	return how, nil
}

// Finish adds to dst what exceeds the noise, from single pixels to large ones. A large pixel may exceed
// the noise by more than its drawn parts. Then the rest is spread evenly over its other parts. O(pixels).
func (e *Estimates) Finish(dst []float64) {
	isDrawn := make([]bool, len(dst))
	var parts scaleEstimate // the estimate of the scale before, whose pixels are parts of those of this scale
	for k := range e.scales {
		s := &e.scales[k]
		now := scaleEstimate{make([]float64, len(s.last)), make([]float64, len(s.last)), make([]float64, len(s.last)), s.last}
		for i := range s.last {
			if k > 0 {
				now.addParts(i, s.width, &parts, e.scales[k-1].width)
			}
			all := s.read[i] + s.last[i]
			rest := all - now.drawn[i]
			if !(rest > least(s.second[i]+now.second[i], s.third[i]+now.third[i])) {
				continue
			}
			if e.spread(dst, isDrawn, k, i, rest) {
				now.drawn[i], now.second[i], now.third[i] = all, s.second[i], s.third[i]
			}
		}
		parts = now
	}
}

// scaleEstimate has four values for each pixel of a scale: the count that is drawn, two moments of its
// noise, and a sum. The sum adds up the counts of the sketches that larger scales do not look up.
type scaleEstimate struct{ drawn, second, third, sums []float64 }

// addParts adds to pixel i the four pixels of the scale before that lie in it.
func (d *scaleEstimate) addParts(i, width int, parts *scaleEstimate, partsWidth int) {
	x, y := i%width*2, i/width*2
	for dy := range 2 {
		for dx := range 2 {
			at := (y+dy)*partsWidth + x + dx
			if x+dx >= partsWidth || at >= len(parts.sums) {
				continue
			}
			d.drawn[i] += parts.drawn[at]
			d.second[i] += parts.second[at]
			d.third[i] += parts.third[at]
			d.sums[i] += parts.sums[at]
		}
	}
}

// spread spreads a count over the parts of pixel i of scale k that are not drawn; false if all are.
func (e *Estimates) spread(dst []float64, isDrawn []bool, k, i int, n float64) bool {
	side, width := 1<<k, e.scales[k].width
	x, y := i%width*side, i/width*side
	east, south := min(x+side, e.width), min(y+side, e.height)
	free := 0
	for row := y; row < south; row++ {
		for _, is := range isDrawn[row*e.width+x : row*e.width+east] {
			if !is {
				free++
			}
		}
	}
	if free == 0 {
		return false
	}
	n /= float64(free)
	for row := y; row < south; row++ {
		for at := row*e.width + x; at < row*e.width+east; at++ {
			if !isDrawn[at] {
				isDrawn[at] = true
				dst[at] += n
			}
		}
	}
	return true
}

// Surest is the number of standard deviations of the noise that a pixel must exceed. Among a million empty
// pixels some tens do.
const Surest = 4

// least returns the value above which a pixel is not noise. Let a sum of surpluses have standard deviation
// s and skewness g. It exceeds z s + (z^2-1) s g/6 about as often as a normal sum exceeds z s (Cornish and
// Fisher 1938, the first term).
func least(second, third float64) float64 {
	if second <= 0 {
		return 0
	}
	return Surest*math.Sqrt(second) + (Surest*Surest-1)/6.*max(third/second, 0)
}

// readPlan says how a picture was computed: from squares of a level. Each square has as many cells as
// cells says, and takes as many lookups as read says. A sample looks up some cells of a square. Without a
// sample, a square takes one lookup.
type readPlan struct {
	level       int
	cells, read float64
	isSample    bool
}

// squaresAt returns the plan of all squares of a level, one lookup each.
func squaresAt(level int) readPlan { return readPlan{level, 1, 1, false} }

// subtract subtracts the noise of empty squares from a picture, and adds its moments to scale s. A picture
// without pixels has its noise subtracted already. With levels, a square is looked up only if the larger
// ones around it have points. Its noise is lower than what is subtracted.
func (r *Reader) subtract(p *picture, how readPlan, s *scale) {
	none := p.noise.Estimate(0)
	// A sample subtracted the noise of every cell that it read.
	if how.isSample {
		none = 0
	}
	side, bounds := r.Head.Grid.Res()*math.Exp2(float64(how.level)), r.Head.Bounds.Squares(how.level)
	x := covered(p.Box.Min[0], p.Box.Max[0], p.Width, side, float64(bounds.MinX), float64(bounds.MaxX+1))
	y := covered(p.Box.Min[1], p.Box.Max[1], p.Height, side, float64(bounds.MinY), float64(bounds.MaxY+1))
	second, third := p.noise.Second*how.cells*how.cells/how.read, p.noise.Third*how.cells*how.cells*how.cells/how.read/how.read
	for j, row := range y {
		if row.squares == 0 {
			continue
		}
		at := (p.Height - 1 - j) * p.Width
		for i, column := range x {
			if p.Pixels != nil {
				p.Pixels[at+i] += none * row.squares * column.squares
			}
			s.second[at+i] += second * row.second * column.second
			s.third[at+i] += third * row.third * column.third
		}
	}
}

// cover says how many squares a row or column of pixels covers along its axis. A square may be covered in
// part. second and third are the sums of the second and third powers of the covered fractions.
type cover struct{ squares, second, third float64 }

// covered returns, for each pixel of an axis from low to high, how many squares it covers. A square has
// this side. Only squares from index first to last-1 count.
func covered(low, high float64, pixels int, side, first, last float64) []cover {
	out := make([]cover, pixels)
	pixel := (high - low) / float64(pixels) / side
	for i := range out {
		from := low/side + float64(i)*pixel
		n := max(min(from+pixel, last)-max(from, first), 0)
		out[i] = cover{n, n, n}
		// A pixel smaller than a square mostly lies inside one square.
		if pixel < 1 {
			out[i] = cover{n, n * n, n * n * n}
		}
	}
	return out
}

// squaresFor returns the level whose squares are nearest in size to pixels, even if the sketch has none.
func squaresFor(r *Reader, pixel float64) int {
	return math.Ilogb(max(pixel*math.Sqrt2/r.Head.Grid.Res(), 1))
}
