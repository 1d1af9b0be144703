package ccbf

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// With few lookups a picture of counters has, up to chance, what a whole one has, and
// is the same each time; with enough it is the whole one.
func TestDensityWithin(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 1))
	for name, p := range map[string]Params{
		"plain":  {Res: 1, Dense: true, Bytes: 1 << 16},
		"levels": {Res: 1, Dense: true, Bytes: 1 << 16, Levels: 2},
	} {
		v := viewOf(t, sketchOf(t, config(t, p), hot(r, 20_000, 2000)).Blob())
		box := v.Grid.Bound(v.Bounds)
		const side = 16
		whole, some, again := make([]float64, side*side), make([]float64, side*side), make([]float64, side*side)
		if err := v.Density(whole, box, side, side, Categories{}); err != nil {
			t.Fatal(err)
		}
		if sampled, err := v.AddDensity(some, box, side, side, Categories{}, 1<<30); err != nil || sampled {
			t.Fatalf("%s: sampled %v, %v, though all may be read", name, sampled, err)
		}
		if total(some) != total(whole) {
			t.Errorf("%s: %v, and %v with no limit", name, total(some), total(whole))
		}
		cells := v.Bounds.Count()
		for _, most := range []uint64{cells / 8, cells / 100} {
			clear(some)
			clear(again)
			sampled, err := v.AddDensity(some, box, side, side, Categories{}, most)
			if err != nil || !sampled {
				t.Fatalf("%s: sampled %v, %v, with %d lookups for %d cells", name, sampled, err, most, cells)
			}
			// Of n cells one of each of m equal parts is read, and a square has at least
			// leastReads: the deviation is at most that of m drawn at random from all.
			var sum, squares float64
			for y := v.Bounds.MinY; y <= v.Bounds.MaxY; y++ {
				for x := v.Bounds.MinX; x <= v.Bounds.MaxX; x++ {
					n := float64(v.Count(grid.Cell{X: x, Y: y}, nil))
					sum, squares = sum+n, squares+n*n
				}
			}
			n := float64(cells)
			deviation := n * math.Sqrt((squares/n-sum*sum/n/n)/(float64(most)/8))
			if p.Levels == 0 && math.Abs(total(some)-sum) > 4*deviation {
				t.Errorf("%s: %d lookups: %v of %v, deviation %v", name, most, total(some), sum, deviation)
			}
			if _, err := v.AddDensity(again, box, side, side, Categories{}, most); err != nil || total(again) != total(some) {
				t.Errorf("%s: %v, and again %v, %v", name, total(some), total(again), err)
			}
		}
	}
}

func total(values []float64) (n float64) {
	for _, v := range values {
		n += v
	}
	return n
}

// Nobody can make a picture take long by the bounds that a sketch says it has.
func TestDensityWithinIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 2))
	v := viewOf(t, sketchOf(t, config(t, Params{Res: 1e-6, Dense: true, Bytes: 1 << 12}), hot(r, 1000, 100)).Blob())
	v.Bounds, v.head.Bounds = grid.MaxRect(), grid.MaxRect()
	for _, b := range []grid.Rect{grid.MaxRect(), {MinX: -1 << 30, MinY: -5, MaxX: 1 << 30, MaxY: 5}} {
		dst := make([]float64, 64*64)
		if sampled, err := v.AddDensity(dst, v.Grid.Bound(b), 64, 64, Categories{}, 10_000); err != nil || !sampled {
			t.Errorf("%v: sampled %v, %v", b, sampled, err)
		}
	}
}
