package bridge

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/key"
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
