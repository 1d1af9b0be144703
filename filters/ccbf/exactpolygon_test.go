package ccbf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
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

// round is a polygon of n corners.
func round(x, y, radius float64, n int) orb.MultiPolygon {
	var ring orb.Ring
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		d := radius * (0.9 + 0.1*math.Sin(float64(i)/3))
		ring = append(ring, orb.Point{x + d*cos, y + d*sin})
	}
	return orb.MultiPolygon{{append(ring, ring[0])}}
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

// TestLongOutlineOverManySections: an outline has more edges than sections have cells. The sums equal those
// of the cells one by one.
func TestLongOutlineOverManySections(t *testing.T) {
	r := rand.New(rand.NewPCG(67, 0))
	cfg := config(t, Params{Res: 0.25, Categories: true, Totals: true})
	var p points
	for i := range 4000 {
		c := spot{grid.Cell{X: r.Int64N(60) - 30, Y: r.Int64N(60) - 30}, fmt.Sprint(r.IntN(200))}
		switch {
		case i%5 == 0:
			c.X += cells.Highest // over the edge of a region
		case i%2 == 0:
			c.category = "many"
		}
		p.add(c, 1+r.Uint64N(4))
	}
	v, m := viewOf(t, blobOf(t, builderOf(t, cfg, p))), p.model()
	for i := range 9 {
		mp := round(r.Float64(), r.Float64(), 2+6*r.Float64(), 1000)
		if i%3 == 0 {
			mp = shifted(mp, (cells.Highest+1)*0.25)
		}
		want := uint64(0)
		for s, n := range m {
			if inside(mp, cfg.Grid, s.Cell) {
				want += n
			}
		}
		if got, err := v.Sum(NewPolygon(mp).Area(), Categories{}); err != nil || got != want || want == 0 {
			t.Fatalf("polygon %d: %d, want %d, error %v", i, got, want, err)
		}
	}
}
