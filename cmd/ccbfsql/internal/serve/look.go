package serve

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"

	"github.com/paulmach/orb"
)

// layerExtent says where a layer's points are.
type layerExtent struct {
	Box     [4]float64 `json:"box"`     // The first view; its east is above 180 degrees if it crosses the date line.
	Degrees bool       `json:"degrees"` // Most points are at a valid longitude and latitude.
	Outside float64    `json:"outside"` // About how many points are outside the box.
	Beyond  float64    `json:"beyond"`  // About how many points have no valid longitude and latitude, so that no map shows them.
	Plane   *plane     `json:"plane,omitempty"`
	top     topModel
}

// plane is the square that tile 0/0/0 shows of a layer that is not in degrees.
type plane struct {
	West  float64 `json:"west"`
	North float64 `json:"north"`
	Side  float64 `json:"side"`
}

// planeOf returns a square around a box with a margin, whose side is a power of two of cells.
func (l *layer) planeOf(box orb.Bound) *plane {
	side := l.Res * 256
	for side < 4*max(width(box), height(box)) {
		side *= 2
	}
	along := func(v float64) float64 { return math.Floor(v/l.Res) * l.Res }
	middle := box.Center()
	return &plane{West: along(middle[0] - side/2), North: along(middle[1] + side/2), Side: side}
}

// world is the box of all longitudes and latitudes.
var world = orb.Bound{Min: orb.Point{-180, -90}, Max: orb.Point{180, 90}}

// Parameters of the first view. It may leave out a fraction leftOut of the points. Edges below a
// fraction thin of the mean density are cut off. Its picture has lookSide pixels along each side, and
// so has the overview from which the scale of tiles is chosen.
const (
	leftOut  = 0.05
	thin     = 0.25
	lookSide = tileSide
)

// The first view shows only the two largest groups of points if they have this fraction of the
// points within this fraction of the area.
const (
	mostPoints = 0.75
	muchLess   = 0.25
)

// look returns the extent of the layer, computed at the first call. Concurrent calls may compute it
// twice: a call that waited would fail if the other one were cancelled.
func (l *layer) look(ctx context.Context) (*layerExtent, error) {
	if at := l.looks.Load(); at != nil {
		return at, nil
	}
	at, err := l.findExtent(ctx)
	if err == nil {
		l.looks.Store(at)
	}
	return at, err
}

func (l *layer) findExtent(ctx context.Context) (*layerExtent, error) {
	at := &layerExtent{Box: l.Bounds, Degrees: true}
	if len(l.sketches) == 0 {
		return at, nil
	}
	box := l.bound()
	d, err := l.overview(ctx, filter{}, box, false)
	if err != nil {
		return nil, err
	}
	total := sumOf(d.points)
	if beyond := world.Union(box) != world; beyond || width(box) > 180 {
		inWorld, err := l.overview(ctx, filter{}, world, false)
		if err != nil {
			return nil, err
		}
		n := sumOf(inWorld.points)
		if at.Degrees = !beyond || n >= total/2 && n > 0; at.Degrees {
			d = inWorld
		}
		if at.Degrees && beyond && l.Dense == 0 {
			at.Beyond = math.Round(total - n)
		}
	}
	d.withoutZero(l.Res)
	if at.Degrees && d.box == world {
		d.turn()
	}
	if d.group() {
		if d, err = l.overview(ctx, filter{}, d.box, at.Degrees); err != nil {
			return nil, err
		}
	}
	spare := leftOut * sumOf(d.points)
	for range 6 {
		at.top = d.top()
		was := d.box
		spare -= d.trim(spare)
		narrow := 16 * l.Res
		if width(d.box)*height(d.box) > muchLess*width(was)*height(was) || width(d.box) < narrow && height(d.box) < narrow {
			break
		}
		if d, err = l.overview(ctx, filter{}, d.box, at.Degrees); err != nil {
			return nil, err
		}
	}
	at.Box = boxOf(d.box)
	if !at.Degrees {
		at.Plane = l.planeOf(d.box)
	}
	// In pictures of counters, a few points do not stand out from chance.
	if left := total - at.Beyond - sumOf(d.points); left > 0.5 && l.Dense == 0 {
		at.Outside = math.Round(left)
	}
	return at, nil
}

func width(b orb.Bound) float64  { return b.Max[0] - b.Min[0] }
func height(b orb.Bound) float64 { return b.Max[1] - b.Min[1] }

// densityGrid is a picture of a box with lookSide by lookSide pixels. points has the number of points
// in each pixel, row by row from the north-west.
type densityGrid struct {
	points []float64
	box    orb.Bound
}

// overview returns a picture of the selected points. A box in degrees may continue east of 180 degrees.
func (l *layer) overview(ctx context.Context, f filter, box orb.Bound, degrees bool) (*densityGrid, error) {
	d := &densityGrid{make([]float64, lookSide*lookSide), box}
	if l.Categories && !f.given() {
		return d, nil // counters need a category
	}
	parts := []orb.Bound{box}
	if degrees && box.Max[0] > world.Max[0] {
		parts = append(parts, orb.Bound{Min: orb.Point{box.Min[0] - 360, box.Min[1]}, Max: orb.Point{box.Max[0] - 360, box.Max[1]}})
	}
	for _, part := range parts {
		points, _, err := l.estimates(ctx, f, part, lookSide, lookSide)
		if err != nil {
			return nil, err
		}
		for i, n := range points {
			d.points[i] += n
		}
	}
	return d, nil
}

func (d *densityGrid) step() (x, y float64) { return width(d.box) / lookSide, height(d.box) / lookSide }

// withoutZero removes the points of cell (0, 0) of side res, which many files use for unknown places.
func (d *densityGrid) withoutZero(res float64) {
	dx, dy := d.step()
	cell := image.Rect(int(-d.box.Min[0]/dx), int((d.box.Max[1]-res)/dy), int(math.Ceil((res-d.box.Min[0])/dx)), int(math.Ceil(d.box.Max[1]/dy)))
	left := slices.Clone(d.points)
	for i := range left {
		if image.Pt(i%lookSide, i/lookSide).In(cell) {
			left[i] = 0
		}
	}
	if sumOf(left) > 0 {
		d.points = left
	}
}

// turn moves the left edge of a picture of the world, so that it cuts no group of points in two. The
// edge is then in the widest range of longitudes without points.
func (d *densityGrid) turn() {
	var columns [lookSide]float64
	for i, n := range d.points {
		columns[i%lookSide] += n
	}
	gap, after, run := 0, 0, 0
	for i := range 2 * lookSide {
		if run++; columns[i%lookSide] > 0 {
			run = 0
		}
		if run > gap && run <= lookSide {
			gap, after = run, (i+1)%lookSide
		}
	}
	if gap == lookSide || after <= gap {
		return // the widest empty range of longitudes contains 180 degrees: no group of points crosses the date line
	}
	dx, _ := d.step()
	turned := make([]float64, 0, len(d.points))
	for row := range lookSide {
		line := d.points[row*lookSide:][:lookSide]
		turned = append(append(turned, line[after:]...), line[:after]...)
	}
	d.points = turned
	d.box.Min[0] += float64(after) * dx
	d.box.Max[0] += float64(after) * dx
}

// group cuts the picture down to the two largest groups of points if they have most of them. It
// returns true if it did: the points must then be counted again.
func (d *densityGrid) group() bool {
	const side = lookSide / block
	blocks := coarser(d.points)
	type part struct {
		points float64
		bound  image.Rectangle // in blocks
	}
	var parts []part
	for first := range blocks {
		var p part
		for next := []int{first}; len(next) > 0; {
			i := next[len(next)-1]
			next = next[:len(next)-1]
			if blocks[i] == 0 {
				continue
			}
			x, y := i%side, i/side
			p.points += blocks[i]
			blocks[i] = 0 // counted
			p.bound = p.bound.Union(image.Rect(x, y, x+1, y+1))
			for dy := max(y-1, 0); dy <= min(y+1, side-1); dy++ {
				for dx := max(x-1, 0); dx <= min(x+1, side-1); dx++ {
					next = append(next, dy*side+dx)
				}
			}
		}
		if p.points > 0 {
			parts = append(parts, p)
		}
	}
	if len(parts) < 3 {
		return false
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(b.points, a.points) })
	both := parts[0].bound.Union(parts[1].bound)
	if parts[0].points+parts[1].points < mostPoints*sumOf(d.points) || float64(both.Dx()*both.Dy()) > muchLess*side*side {
		return false
	}
	d.cut(image.Rectangle{both.Min.Mul(block), both.Max.Mul(block)})
	return true
}

// cut cuts the box down to a rectangle of pixels. It sets the other pixels to 0.
func (d *densityGrid) cut(r image.Rectangle) {
	for i := range d.points {
		if !image.Pt(i%lookSide, i/lookSide).In(r) {
			d.points[i] = 0
		}
	}
	dx, dy := d.step()
	b := d.box
	d.box = orb.Bound{
		Min: orb.Point{b.Min[0] + float64(r.Min.X)*dx, b.Max[1] - float64(r.Max.Y)*dy},
		Max: orb.Point{b.Min[0] + float64(r.Max.X)*dx, b.Max[1] - float64(r.Min.Y)*dy},
	}
}

// trim cuts off edges with few points for their size, at most most points in all, and keeps a
// margin of one pixel. It returns how many points it cut off.
func (d *densityGrid) trim(most float64) (left float64) {
	west, north, east, end := 0, 0, lookSide, lookSide
	total := sumOf(d.points)
	strip := func(x0, y0, x1, y1 int) (n float64) {
		for y := y0; y < y1; y++ {
			n += sumOf(d.points[y*lookSide+x0 : y*lookSide+x1])
		}
		return n
	}
	type side struct {
		points, pixels float64
		edge           *int
		inward         int // direction in which the edge moves
	}
	for east-west > 1 && end-north > 1 {
		average := (total - left) / float64((east-west)*(end-north))
		width, height := float64(east-west), float64(end-north)
		s := slices.MinFunc([]side{
			{strip(west, north, west+1, end), height, &west, 1}, {strip(east-1, north, east, end), height, &east, -1},
			{strip(west, north, east, north+1), width, &north, 1}, {strip(west, end-1, east, end), width, &end, -1},
		}, func(a, b side) int { return cmp.Compare(a.points/a.pixels, b.points/b.pixels) })
		if s.points > most-left || s.points > 0 && s.points/s.pixels > thin*average {
			break
		}
		left += s.points
		*s.edge += s.inward
	}
	d.cut(image.Rect(west, north, east, end).Inset(-1).Intersect(image.Rect(0, 0, lookSide, lookSide)))
	return left
}

func sumOf(values []float64) (n float64) {
	for _, v := range values {
		n += v
	}
	return n
}
