package ccbf

import (
	"errors"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
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
