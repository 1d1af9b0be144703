package exact

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/kit"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

var townsGrid, _ = grid.New(0.001)

// townsBody returns the body of n points around 300 places of a country of 6 by 5 degrees, and the
// bounds of their cells. There are many small towns and few large ones.
func townsBody(n int) (body []byte, bounds grid.Rect) {
	r := rand.New(rand.NewPCG(65, 0))
	z := rand.NewZipf(r, 1.1, 20, 299)
	var places [300]orb.Point
	for i := range places {
		places[i] = orb.Point{-5 + 6*r.Float64(), 50 + 5*r.Float64()}
	}
	keys := make([]uint64, n)
	for i := range keys {
		at := places[z.Uint64()]
		x, y := at[0]+0.05*r.NormFloat64(), at[1]+0.03*r.NormFloat64()
		cells.Keys(keys[i:i+1], []float64{x}, []float64{y}, townsGrid)
	}
	l := cells.List{{Label: cells.Label{None: true}, Squares: cells.Collect(keys, nil)}}
	bounds = l.Bounds()
	body, _ = AppendList(nil, l, bounds, 1<<30)
	return body, bounds
}

// readerOf returns a reader of a body without categories.
func readerOf(t *testing.T, body []byte, bounds grid.Rect, total uint64) *Reader {
	t.Helper()
	r := &Reader{Squares: form.Squares{Head: &form.Head{Bounds: bounds, Total: total, Sums: true}}}
	kit.NoError(t, r.Reset(body))
	return r
}
