package bridge

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/kit"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/paulmach/orb"
)

// viewOf is a view of the sketch of points, each a cell.
func viewOf(t *testing.T, p ccbf.Params, points []grid.Cell) *ccbf.View {
	t.Helper()
	return open(t, blobOf(t, p, points))
}

func open(t *testing.T, blob []byte) *ccbf.View {
	t.Helper()
	v := kit.Must(ccbf.NewView(blob))
	return &v
}

// blobOf is the sketch of points, each a cell, of one of two categories where it has some.
func blobOf(t *testing.T, p ccbf.Params, points []grid.Cell) []byte {
	t.Helper()
	if p.Res == 0 {
		p.Res = 1
	}
	c := kit.Must(p.Config())
	b := ccbf.NewBuilder(c, nil)
	for i, at := range points {
		var category []byte
		class := key.None
		if c.Categories {
			category, class = key.AppendInt64(nil, int64(i%2)), key.Int
		}
		kit.NoError(t, b.Add(at, category, class, 1))
	}
	return encoded(t, b)
}

// encoded is the sketch that a builder has.
func encoded(t *testing.T, b *ccbf.Builder) []byte {
	t.Helper()
	s := kit.Must(b.Sketch())
	return s.Blob()
}

// hot is n points in at most so many cells, by Zipf's law.
func hot(r *rand.Rand, n, cells int) (p []grid.Cell) {
	z := rand.NewZipf(r, 1.2, 2, uint64(cells-1))
	for range n {
		i := int64(z.Uint64())
		p = append(p, grid.Cell{X: i%211 - 100, Y: i/211 - 50})
	}
	return p
}

func bound(xmin, ymin, xmax, ymax float64) orb.Bound {
	return orb.Bound{Min: orb.Point{xmin, ymin}, Max: orb.Point{xmax, ymax}}
}
