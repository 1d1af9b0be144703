package serve

import (
	"context"
	"math"

	"github.com/paulmach/orb"
)

// look is where a layer's points are.
type look struct {
	Box     [4]float64 `json:"box"`     // what a first view shows
	Degrees bool       `json:"degrees"` // most are at a longitude and latitude
	Outside float64    `json:"outside"` // points that the box leaves out, about
}

// world is all longitudes and latitudes.
var world = orb.Bound{Min: orb.Point{-180, -90}, Max: orb.Point{180, 90}}

// A view may leave out this share of the points on each side, where that makes it
// smaller by so much: a few points at (0, 0), or of a slip of the pen, would else make
// all others a dot.
const (
	leftOut  = 0.001
	muchLess = 0.25
	lookSide = 256
)

// look finds a box that has nearly all points. Two requests may both do it: neither
// waits for the other, which may be cancelled.
func (l *layer) look(ctx context.Context) (*look, error) {
	if at := l.looks.Load(); at != nil {
		return at, nil
	}
	at, err := l.looked(ctx)
	if err == nil {
		l.looks.Store(at)
	}
	return at, err
}

func (l *layer) looked(ctx context.Context) (*look, error) {
	box := l.bound()
	at := &look{Box: l.Bounds, Degrees: true}
	if len(l.sketches) == 0 {
		return at, nil
	}
	all, err := l.everything(ctx, box)
	if err != nil {
		return nil, err
	}
	total := sumOf(all)
	if world.Union(box) != world {
		at.Degrees = false
		if !world.Intersects(box) {
			return at, nil
		}
		if all, err = l.everything(ctx, world); err != nil {
			return nil, err
		}
		if sumOf(all) < total/2 {
			return at, nil
		}
		at.Degrees = true
		box = meet(box, world)
		if all, err = l.everything(ctx, box); err != nil {
			return nil, err
		}
	}
	for range 6 {
		next := trimmed(all, box)
		smallest := 16 * l.Res
		if (next.Max[0]-next.Min[0])*(next.Max[1]-next.Min[1]) > muchLess*(box.Max[0]-box.Min[0])*(box.Max[1]-box.Min[1]) ||
			next.Max[0]-next.Min[0] < smallest && next.Max[1]-next.Min[1] < smallest {
			break
		}
		box = next
		if all, err = l.everything(ctx, box); err != nil {
			return nil, err
		}
	}
	at.Box = [4]float64{box.Min[0], box.Min[1], box.Max[0], box.Max[1]}
	// Pictures of counters do not tell a few points from chance.
	if left := total - sumOf(all); left > 0.5 && l.Dense == 0 {
		at.Outside = math.Round(left)
	}
	return at, nil
}

// everything is a picture of all rows, of any category.
func (l *layer) everything(ctx context.Context, box orb.Bound) ([]float64, error) {
	pixels := make([]float64, lookSide*lookSide)
	if !l.Categories {
		_, err := l.estimates(ctx, pixels, filter{}, box, lookSide, lookSide, readsOfLook)
		return pixels, err
	}
	names := l.Names
	if !l.namesKnown || len(names) > 16 {
		names = names[:min(len(names), 16)]
	}
	for _, name := range names {
		if _, err := l.estimates(ctx, pixels, filter{category: name, given: true}, box, lookSide, lookSide, readsOfLook); err != nil {
			return nil, err
		}
	}
	return pixels, nil
}

// trimmed is a box without the rows and columns on its sides that have next to no
// points, those at (0, 0) taken for none.
func trimmed(pixels []float64, box orb.Bound) orb.Bound {
	step := [2]float64{(box.Max[0] - box.Min[0]) / lookSide, (box.Max[1] - box.Min[1]) / lookSide}
	var sums [2][lookSide]float64
	total := 0.0
	for i, n := range pixels {
		column, row := i%lookSide, lookSide-1-i/lookSide
		west, south := box.Min[0]+float64(column)*step[0], box.Min[1]+float64(row)*step[1]
		if west <= 0 && 0 < west+step[0] && south <= 0 && 0 < south+step[1] {
			continue
		}
		sums[0][column] += n
		sums[1][row] += n
		total += n
	}
	if total == 0 {
		return box
	}
	for axis := range 2 {
		first, last := 0, lookSide-1
		for below := sums[axis][first]; below <= leftOut*total; below += sums[axis][first] {
			first++
		}
		for above := sums[axis][last]; above <= leftOut*total; above += sums[axis][last] {
			last--
		}
		low := box.Min[axis]
		box.Min[axis], box.Max[axis] = low+float64(max(first-1, 0))*step[axis], low+float64(min(last+2, lookSide))*step[axis]
	}
	return box
}

func meet(a, b orb.Bound) orb.Bound {
	return orb.Bound{
		Min: orb.Point{max(a.Min[0], b.Min[0]), max(a.Min[1], b.Min[1])},
		Max: orb.Point{min(a.Max[0], b.Max[0]), min(a.Max[1], b.Max[1])},
	}
}

func sumOf(values []float64) (n float64) {
	for _, v := range values {
		n += v
	}
	return n
}
