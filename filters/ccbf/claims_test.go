package ccbf

import (
	"errors"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/paulmach/orb"
)

// edited is a BLOB whose parameters say something else, and its checksum right.
func edited(t *testing.T, blob []byte, edit func(p *params)) []byte {
	t.Helper()
	b := must(sketch.Parse(blob))
	var p params
	noError(t, p.read(&b, grid.Grid{}))
	edit(&p)
	return sketch.Join(b.Header, p.append(nil), b.Body)
}

// within is an edit of the bounds.
func within(bounds grid.Rect) func(*params) {
	return func(p *params) { p.bounds = bounds }
}

// reset is a view of a BLOB whose checksum need not be right.
func reset(t *testing.T, blob []byte) *View {
	t.Helper()
	v := new(View)
	noError(t, v.Reset(blob))
	return v
}

// TestLayersAreWithinBytes: layers that exceed Bytes are an error in every form. They would be
// allocated as soon as one more cell does not fit.
func TestLayersAreWithinBytes(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{X: 1, Y: 2}, plain}, 1)
	exact := blobOf(t, builderOf(t, config(t, Params{Counters: []uint64{1 << 16, 1 << 12, 1 << 8, 1 << 4}}), p))
	dense := blobOf(t, builderOf(t, config(t, Params{Dense: true, Bytes: 1000}), p))
	for _, c := range []struct {
		what string
		blob []byte
	}{
		{"an exact sketch of 16 bytes at most", edited(t, exact, func(p *params) { p.Bytes = 16 })},
		{"an exact sketch with 2^30 counters", edited(t, exact, func(p *params) { p.shape.Size[0] = 1 << 30 })},
		{"an exact sketch that is to be dense", edited(t, exact, func(p *params) { p.Exact = false })},
		{"a dense sketch of 16 bytes at most", edited(t, dense, func(p *params) { p.Bytes = 16 })},
	} {
		if err := new(View).Reset(c.blob); !errors.Is(err, sketch.ErrInvalid) {
			t.Errorf("%s: %v", c.what, err)
		}
		if _, err := Decode(c.blob); !errors.Is(err, sketch.ErrInvalid) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestWorkOfOneQuestion: one query to a small sketch does little work, for any bounds, k and
// resolution in its head. It looks up at most Limit.Cells cells, each in k counters of each layer,
// or is an error. The limit grows with the bytes up to AreaLimit.
func TestWorkOfOneQuestion(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{X: 1, Y: 2}, plain}, 1)
	const far = 1 << 40
	earth := orb.MultiPolygon{{{{-far, -far}, {far, -far}, {far, far}, {-far, 1}, {-far, -far}}}}
	for _, params := range []Params{
		{Bytes: 4000},
		{Bytes: 4000, K: 32},
		{Bytes: 4000, Levels: MaxLevels},
		{K: 32, Widths: []int{2, 3, 4, 5, 6, 7, 8, 9}, Counters: []uint64{1 << 13, 1 << 11, 1 << 9, 128, 32, 8, 4, 2}},
	} {
		params.Dense = true
		c := config(t, params)
		blob := edited(t, blobOf(t, builderOf(t, c, p)), within(grid.Rect{MinX: -far, MinY: -far, MaxX: far, MaxY: far}))
		full := append([]byte(nil), blob...)
		body := full[len(full)-int(c.shape.Bytes()):]
		for i := range body {
			body[i] = 0xff
		}
		for _, b := range [][]byte{blob, full} {
			v := reset(t, b)
			// This is 0.12 s, at 3 ns for each counter and 50 ns for each cell: 0.2 s with the work
			// on the counts.
			if limit := v.head.Limit.Cells(); float64(limit)*(50+3*float64(v.K()*v.shape.Layers)) > 0.12e9 {
				t.Errorf("%+v: %d lookups", params, limit)
			}
			for what, ask := range map[string]func() error{
				"box":       func() error { _, err := v.Sum(Box(grid.MaxRect()), Categories{}); return err },
				"polygon":   func() error { _, err := v.Sum(NewPolygon(earth).Area(), Categories{}); return err },
				"estimate":  func() error { _, err := v.Estimate(NewPolygon(earth).Area(), Categories{}); return err },
				"hotspots":  func() error { _, err := v.Hotspots(Box(grid.MaxRect()), 1, Categories{}); return err },
				"top k":     func() error { _, err := v.TopK(Box(grid.MaxRect()), MaxSpots, Categories{}); return err },
				"raster":    func() error { return v.Raster(make([]uint64, 9), earth.Bound(), 3, 3, Categories{}) },
				"density":   func() error { return v.Density(make([]float64, 9), earth.Bound(), 3, 3, Categories{}) },
				"small box": func() error { _, err := v.Sum(Box(grid.Rect{MaxX: 299, MaxY: 299}), Categories{}); return err },
			} {
				v.limitAreas()
				err := ask()
				var many *ErrTooManyCells
				if err != nil && !errors.As(err, &many) && !errors.Is(err, ErrSpots) || what == "small box" && err != nil {
					t.Errorf("%+v, %s: %v", params, what, err)
				}
				if v.head.Limit.Covered > v.head.Limit.Cells() {
					t.Errorf("%+v, %s: %d lookups of %d", params, what, v.head.Limit.Covered, v.head.Limit.Cells())
				}
				if many != nil && many.Limit > v.head.Limit.Work() {
					t.Errorf("%+v, %s: %v", params, what, err)
				}
			}
		}
	}
	large := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true, Bytes: 1 << 19}), p)))
	if large.head.Limit.Cells() < AreaLimit*9/10 || large.head.MaxSpots() != MaxSpots {
		t.Errorf("of %d bytes %d lookups and %d spots", len(large.blob), large.head.Limit.Cells(), large.head.MaxSpots())
	}
	// The rows of a polygon on a grid as fine as a sketch says.
	fine := edited(t, blobOf(t, builderOf(t, config(t, Params{}), p)), func(p *params) { p.Grid = must(grid.New(1e-7)) })
	v := reset(t, fine)
	var many *ErrTooManyCells
	if _, err := v.Estimate(NewPolygon(orb.MultiPolygon{{{{0, 0}, {5, 0}, {5, 4}, {0, 4}, {0, 0}}}}).Area(), Categories{}); !errors.As(err, &many) {
		t.Errorf("4e7 rows: %v", err)
	}
}
