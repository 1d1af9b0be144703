package cells

import (
	"math/rand/v2"
	"testing"

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
		Keys(keys[i:i+1], []float64{x}, []float64{y}, townsGrid)
	}
	l := List{{Label{None: true}, RunOf(keys, nil)}}
	bounds = l.Bounds()
	body, _ = l.AppendBody(nil, bounds, 1<<30)
	return body, bounds
}

func bodyView(t *testing.T, body []byte, bounds grid.Rect, n int) *View {
	t.Helper()
	v := new(View)
	if err := v.Reset(body, bounds, false, uint64(n)); err != nil {
		t.Fatal(err)
	}
	return v
}
