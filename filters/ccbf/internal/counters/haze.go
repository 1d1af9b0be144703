package counters

import "math"

// Haze is the moments of the noise in the pixels of a picture of estimates.
type Haze struct{ Second, Third []float64 }

// NewHaze is that of a picture of so many pixels with nothing in it.
func NewHaze(pixels int) *Haze { return &Haze{make([]float64, pixels), make([]float64, pixels)} }

// Surest is how many standard deviations of the noise a pixel must exceed: of a million
// empty ones some tens do.
const Surest = 4

// Least is what a pixel must exceed so that it is not noise. A sum of n surpluses with
// standard deviation s and skewness g exceeds z s + (z^2-1) s g/6 about as often as a
// normal one z s (Cornish and Fisher 1938, the first term).
func (h *Haze) Least(pixel int) float64 {
	second := h.Second[pixel]
	if second <= 0 {
		return 0
	}
	return Surest*math.Sqrt(second) + (Surest*Surest-1)/6.*max(h.Third[pixel]/second, 0)
}

// hazeAll is hazeOf for a picture of all squares of a level.
func (r *Reader) hazeAll(p *picture, level int) {
	if p.haze != nil {
		r.hazeOf(p, level, p.noise.Estimate(0), 1, 1)
	}
}

// hazeOf takes the noise of the cells that read nothing off a picture, and notes its
// moments: those of squares of a level with so many cells each, of which some are read.
// With levels a square is read where larger ones around it have points alone, and
// has less noise than this takes off.
func (r *Reader) hazeOf(p *picture, level int, none, cells, reads float64) {
	side, bounds := r.Head.Grid.Res()*float64(uint64(1)<<level), r.Head.Bounds.Squares(level)
	x := covered(p.Box.Min[0], p.Box.Max[0], p.Width, side, float64(bounds.MinX), float64(bounds.MaxX+1))
	y := covered(p.Box.Min[1], p.Box.Max[1], p.Height, side, float64(bounds.MinY), float64(bounds.MaxY+1))
	second, third := p.noise.Second*cells*cells/reads, p.noise.Third*cells*cells*cells/reads/reads
	for j, row := range y {
		if row.squares == 0 {
			continue
		}
		at := (p.Height - 1 - j) * p.Width
		for i, column := range x {
			p.Pixels[at+i] += none * row.squares * column.squares
			p.haze.Second[at+i] += second * row.second * column.second
			p.haze.Third[at+i] += third * row.third * column.third
		}
	}
}

// cover is how many squares a row or column of pixels covers along its axis, and the
// sums of the squares and of the cubes of their shares.
type cover struct{ squares, second, third float64 }

func covered(low, high float64, pixels int, side, first, last float64) []cover {
	out := make([]cover, pixels)
	pixel := (high - low) / float64(pixels) / side
	for i := range out {
		from := low/side + float64(i)*pixel
		n := max(min(from+pixel, last)-max(from, first), 0)
		out[i] = cover{n, n, n}
		if pixel < 1 { // a part of one square, most often
			out[i] = cover{n, n * n, n * n * n}
		}
	}
	return out
}
