package picture

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/paulmach/orb"
)

// A picture that two goroutines make, its values, its scale and its colours, is the one that
// one makes; and only a large one has a second.
func TestPictureInHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(79, 0))
	xs, ys := make([]float64, 3000), make([]float64, 3000)
	for i := range xs {
		xs[i], ys[i] = 30*r.NormFloat64(), 20*r.NormFloat64()
	}
	s, err := ccbf.Build(ccbf.Params{Res: 1}, xs, ys)
	if err != nil {
		t.Fatal(err)
	}
	v, err := ccbf.NewView(s.Blob())
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	spare := func() bool { asked++; return true }
	for _, side := range []int{100, 700} { // an odd number of rows behind the cut, too
		for _, width := range []float64{40, 4000} { // cells larger than pixels, and smaller
			box := orb.Bound{Min: orb.Point{-width / 2, -width / 2}, Max: orb.Point{width / 2, width/2 + 1}}
			var values [2][]float64
			var pngs [2]bytes.Buffer
			asked = 0
			for i := range values {
				o := Options{}
				v.Spare = nil
				if i == 1 {
					v.Spare, o.Spare = spare, spare
				}
				values[i] = make([]float64, side*(side+1))
				if _, err := Values(values[i], &v, box, side, side+1, nil); err != nil {
					t.Fatal(err)
				}
				if err := Encode(&pngs[i], values[i], side, side+1, o); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(values[0], values[1]) || !bytes.Equal(pngs[0].Bytes(), pngs[1].Bytes()) {
				t.Errorf("%d pixels wide, %v cells: the halves make another picture", side, width)
			}
			want := 0
			if side*(side+1) >= halvedValues {
				want = 5 // cells stretched, values scaled, their tally, colours, bytes
				if width > float64(side) {
					want = 3
				}
			}
			if asked != want {
				t.Errorf("%d pixels wide, %v cells: asked %d times for a second processor, want %d", side, width, asked, want)
			}
		}
	}
}
