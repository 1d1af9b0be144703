package ccbf

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// Where cells are larger than pixels each pixel has its share of its cell, whatever was drawn
// before in the memory that is lent.
func TestDensityInLentBins(t *testing.T) {
	r := rand.New(rand.NewPCG(85, 0))
	xs, ys := make([]float64, 2000), make([]float64, 2000)
	for i := range xs {
		xs[i], ys[i] = 20*r.NormFloat64(), 20*r.NormFloat64()
	}
	s, err := Build(Params{Res: 1}, xs, ys)
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewView(s.Blob())
	if err != nil {
		t.Fatal(err)
	}
	const side = 128
	dst := make([]float64, side*side)
	for _, half := range []float64{4, 32, 16, 4} { // few cells, more than before, fewer
		if err := v.Density(dst, orb.Bound{Min: orb.Point{-half, -half}, Max: orb.Point{half, half}}, side, side, Categories{}); err != nil {
			t.Fatal(err)
		}
		pixel := 2 * half / side // a power of 2
		for i, got := range dst {
			x, y := -half+(float64(i%side)+0.5)*pixel, half-(float64(i/side)+0.5)*pixel
			cell := grid.Cell{X: int64(math.Floor(x)), Y: int64(math.Floor(y))}
			if want := float64(v.Count(cell, nil)) * pixel * pixel; got != want {
				t.Fatalf("%v to %v: pixel %d of cell %v has %v points, must have %v", -half, half, i, cell, got, want)
			}
		}
	}
}
