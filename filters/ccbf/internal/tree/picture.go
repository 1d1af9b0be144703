package tree

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Density spreads a leaf evenly over its square. Squares begin at multiples of their side from the
// origin of keys, which is no multiple of it in cells.
func (r *Reader) Density(p *form.Picture, of cells.Categories) error {
	res := r.Head.Grid.Res()
	for _, g := range r.about(of) {
		corner := cells.CellOf(g.x, g.y, 0) // the origin of keys
		to := picture{
			left: p.Box.Min[0]/res - float64(corner.X), bottom: p.Box.Min[1]/res - float64(corner.Y),
			dx: (p.Box.Max[0] - p.Box.Min[0]) / float64(p.Width) / res, dy: (p.Box.Max[1] - p.Box.Min[1]) / float64(p.Height) / res,
			width: p.Width, height: p.Height, pixels: p.Pixels,
		}
		none := uint64(0)
		for i := range g.sheets {
			g.sheets[i].Visit(&frame{&to}, r.packet, &none, func(l Leaf, _ bool) { to.add(l) })
		}
	}
	return nil
}

// picture is pixels over a rectangle of the plane of keys, whose unit is a cell: the
// cell at (x, y) reaches from there to (x+1, y+1).
type picture struct {
	left, bottom  float64 // of the first pixel of the last row
	dx, dy        float64 // sides of a pixel in cells, above 0
	width, height int
	pixels        []float64 // rows from the top
}

// add gives each pixel the share of a leaf that it covers of its square.
func (p *picture) add(l Leaf) {
	x, y := grid.Deinterleave(l.Key)
	side := float64(uint64(1) << l.Level)
	i0, i1, west, east := span((float64(x)-p.left)/p.dx, side/p.dx, p.width)
	j0, j1, south, north := span((float64(y)-p.bottom)/p.dy, side/p.dy, p.height)
	if i0 > i1 || j0 > j1 {
		return
	}
	// A pixel that lies in the square gets each, another one its share of that.
	each := float64(l.Count) * (p.dx / side) * (p.dy / side)
	for j := j0; j <= j1; j++ {
		n := each
		switch j {
		case j0:
			n *= south
		case j1:
			n *= north
		}
		row := p.pixels[(p.height-1-j)*p.width:][i0 : i1+1]
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
type frame struct{ p *picture }

func (f *frame) Enter(key uint64, level uint8) grid.Relation {
	x, y := grid.Deinterleave(key)
	side := float64(uint64(1) << level)
	left, bottom := (float64(x)-f.p.left)/f.p.dx, (float64(y)-f.p.bottom)/f.p.dy
	right, top := left+side/f.p.dx, bottom+side/f.p.dy
	width, height := float64(f.p.width), float64(f.p.height)
	switch {
	case !(left < width && right > 0 && bottom < height && top > 0):
		return grid.Outside
	case left >= 0 && right <= width && bottom >= 0 && top <= height:
		return grid.Inside
	}
	return grid.Partly
}

func (f *frame) Leave()                      {}
func (f *frame) Share(uint64, uint8) float64 { return 0 } // no visit by a frame asks
