package tree

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Picture is pixels over a rectangle of the plane of keys, whose unit is a cell: the
// cell at (x, y) reaches from there to (x+1, y+1).
type Picture struct {
	Left, Bottom float64 // of the first pixel of the last row
	DX, DY       float64 // sides of a pixel in cells, above 0
	Width        int
	Height       int
	Pixels       []float64 // rows from the top, Width*Height
}

// Add spreads the points of a sheet's leaves evenly over their squares: each pixel
// gets of a leaf the share of its square that it covers, be pixels larger or
// smaller. Leaves of a sheet are disjoint, so that it takes O(leaves in the picture
// and pixels).
func (p *Picture) Add(s *Sheet, b *Packet) {
	none := uint64(0)
	s.Visit(&frame{p: p}, b, &none, func(l Leaf, _ bool) { p.leaf(l) })
}

// leaf adds a leaf.
func (p *Picture) leaf(l Leaf) {
	x, y := grid.Deinterleave(l.Key)
	side := float64(uint64(1) << l.Level)
	i0, i1, west, east := span((float64(x)-p.Left)/p.DX, side/p.DX, p.Width)
	j0, j1, south, north := span((float64(y)-p.Bottom)/p.DY, side/p.DY, p.Height)
	if i0 > i1 || j0 > j1 {
		return
	}
	// What a pixel gets that lies in the square; others get a part of it.
	each := float64(l.Count) * (p.DX / side) * (p.DY / side)
	for j := j0; j <= j1; j++ {
		n := each
		switch j {
		case j0:
			n *= south
		case j1:
			n *= north
		}
		row := p.Pixels[(p.Height-1-j)*p.Width:][i0 : i1+1]
		row[0] += n * west
		if len(row) > 1 {
			for i := range row[1 : len(row)-1] {
				row[i+1] += n
			}
			row[len(row)-1] += n * east
		}
	}
}

// span is the first and the last of n units that a stretch from at on covers, of
// some length, and how much of the two; of a single one the first share is it.
func span(at, length float64, n int) (first, last int, low, high float64) {
	from, to := max(at, 0), min(at+length, float64(n))
	if !(from < to) {
		return 1, 0, 0, 0
	}
	first = min(int(from), n-1)
	last = min(int(math.Ceil(to))-1, n-1)
	if last <= first {
		return first, first, to - from, 0
	}
	return first, last, float64(first+1) - from, to - float64(last)
}

// frame is the rectangle of a picture as an Area: squares that meet it.
type frame struct{ p *Picture }

func (f *frame) Enter(key uint64, level uint8) grid.Relation {
	x, y := grid.Deinterleave(key)
	side := float64(uint64(1) << level)
	left, bottom := (float64(x)-f.p.Left)/f.p.DX, (float64(y)-f.p.Bottom)/f.p.DY
	right, top := left+side/f.p.DX, bottom+side/f.p.DY
	width, height := float64(f.p.Width), float64(f.p.Height)
	switch {
	case !(left < width && right > 0 && bottom < height && top > 0):
		return grid.Outside
	case left >= 0 && right <= width && bottom >= 0 && top <= height:
		return grid.Inside
	}
	return grid.Partly
}

func (f *frame) Leave()                      {}
func (f *frame) Share(uint64, uint8) float64 { return 0 } // nobody asks
