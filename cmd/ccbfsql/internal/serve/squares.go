package serve

import (
	"context"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// square is a square of cells whose count is more than chance.
type square struct {
	rect  grid.Rect
	value float64
}

// leastPixels is how wide squares are that are not looked into any further.
const leastPixels = 2

// addSquares adds what counters with levels say of a box: squares whose count is significant,
// as small as they are that. What a square has beyond its significant quarters is spread over
// its other ones, so that nothing is lost between levels. At most about so many questions are
// asked of the sketch.
func addSquares(ctx context.Context, v *ccbf.View, sum []float64, box orb.Bound, width, height int, category []byte, most uint64) error {
	pixel := (box.Max[0] - box.Min[0]) / float64(width)
	level := int(v.Levels)
	v.LimitAreas()
	inside := box
	if b := v.Grid.Bound(v.Bounds); b.Intersects(box) {
		inside = meet(b, box)
	} else {
		return nil
	}
	all, err := v.Grid.Box(inside.Min[0], inside.Min[1], inside.Max[0], inside.Max[1])
	if err != nil {
		return err
	}
	for float64(all.MaxX-all.MinX)/math.Exp2(float64(level))*float64(all.MaxY-all.MinY)/math.Exp2(float64(level)) > float64(most)/8 && level < mostLevel {
		level++
	}
	asked := uint64(0)
	// significant is a square with its count, if that is more than chance.
	significant := func(x, y int64, level int) (square, bool, error) {
		if asked++; asked%1024 == 0 && ctx.Err() != nil {
			return square{}, false, ctx.Err()
		}
		r := grid.Rect{MinX: x << level, MinY: y << level, MaxX: (x+1)<<level - 1, MaxY: (y+1)<<level - 1}
		e, err := v.BoxEstimate(r, category)
		return square{r, e.Value}, e.Low > 0 && e.Value > 0, err
	}
	var now []square
	for x := all.MinX >> level; x <= all.MaxX>>level; x++ {
		for y := all.MinY >> level; y <= all.MaxY>>level; y++ {
			s, ok, err := significant(x, y, level)
			if err != nil {
				return err
			}
			if ok {
				now = append(now, s)
			}
		}
	}
	for ; level > 0 && float64(v.Grid.Res())*math.Exp2(float64(level)) > leastPixels*pixel && asked+4*uint64(len(now)) < most; level-- {
		var next []square
		for _, s := range now {
			rest := s.value
			var others []grid.Rect
			for i := range int64(4) {
				x, y := s.rect.MinX>>(level-1)+i&1, s.rect.MinY>>(level-1)+i>>1
				q, ok, err := significant(x, y, level-1)
				if err != nil {
					return err
				}
				if ok {
					next = append(next, q)
					rest -= q.value
				} else {
					others = append(others, q.rect)
				}
			}
			for _, r := range others {
				if rest > 0 {
					spread(sum, box, width, height, v.Grid.Bound(r), rest/float64(len(others)))
				}
			}
		}
		now = next
	}
	for _, s := range now {
		spread(sum, box, width, height, v.Grid.Bound(s.rect), s.value)
	}
	return nil
}

// spread adds a count to the pixels of a square, to each by its share of the square.
func spread(sum []float64, box orb.Bound, width, height int, of orb.Bound, count float64) {
	dx, dy := (box.Max[0]-box.Min[0])/float64(width), (box.Max[1]-box.Min[1])/float64(height)
	west, east := (of.Min[0]-box.Min[0])/dx, (of.Max[0]-box.Min[0])/dx
	north, south := (box.Max[1]-of.Max[1])/dy, (box.Max[1]-of.Min[1])/dy
	per := count / ((east - west) * (south - north))
	for y := max(int(north), 0); y < min(int(math.Ceil(south)), height); y++ {
		high := min(south, float64(y+1)) - max(north, float64(y))
		for x := max(int(west), 0); x < min(int(math.Ceil(east)), width); x++ {
			wide := min(east, float64(x+1)) - max(west, float64(x))
			if share := per * high * wide; share > 0 {
				sum[y*width+x] += share
			}
		}
	}
}
