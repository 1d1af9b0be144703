package ccbf

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/paulmach/orb"
)

// towns returns a sketch of n points around 300 places of a country of 6 by 5 degrees. Cells are
// 0.001 degrees wide. There are many small towns and few large ones.
func towns(t testing.TB, n int) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(65, 0))
	z := rand.NewZipf(r, 1.1, 20, 299)
	var places [300]orb.Point
	for i := range places {
		places[i] = orb.Point{-5 + 6*r.Float64(), 50 + 5*r.Float64()}
	}
	c := config(t, Params{Res: 0.001})
	keys, xs, ys := make([]uint64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		at := places[z.Uint64()]
		xs[i], ys[i] = at[0]+0.05*r.NormFloat64(), at[1]+0.03*r.NormFloat64()
	}
	if got := cells.Keys(keys, xs, ys, c.Grid); got != n {
		t.Fatalf("point %d has no key", got)
	}
	b := NewBuilder(c, nil)
	noError(t, b.addPoints(keys))
	return blobOf(t, b)
}

// An index in no particular order and blocks that are none: some answer, soon.
func TestAreasOfDamagedSketches(t *testing.T) {
	blob := towns(t, 20_000)
	r := rand.New(rand.NewPCG(69, 0))
	asked := 0
	for range 200 {
		b := append([]byte(nil), blob...)
		for at := len(blob) - len(must(sketch.Parse(blob)).Body) + 20 + r.IntN(1000); at < len(b); at += 1 + r.IntN(100) {
			b[at] = byte(r.Uint32())
		}
		var v View
		if v.Reset(b) != nil {
			continue
		}
		asked++
		for range 3 {
			if _, err := v.Sum(NewPolygon(round(-2, 52, 2, 100)).Area(), Categories{}); err != nil {
				t.Fatal(err)
			}
			if _, err := v.Sum(Box(randomBox(r, 1<<17)), Categories{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if asked < 100 {
		t.Errorf("only %d of 200 damaged sketches are read at all", asked)
	}
}
