package polygons

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/paulmach/orb"
)

// TestRandom: every kind has closed rings of at least three places and the stated size. The same
// seed gives the same polygons.
func TestRandom(t *testing.T) {
	world := orb.Bound{Min: orb.Point{-180, -90}, Max: orb.Point{180, 90}}
	for _, kind := range Kinds {
		rng, again := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
		for range 500 {
			mp := Random(rng, kind, world)
			if other := Random(again, kind, world); !reflect.DeepEqual(mp, other) {
				t.Fatalf("%s: %v and %v from one seed", kind, mp, other)
			}
			for _, poly := range mp {
				for _, r := range poly {
					places := map[orb.Point]bool{}
					for _, p := range r {
						places[p] = true
					}
					if !r.Closed() || len(places) < 3 {
						t.Fatalf("%s: the ring %v", kind, r)
					}
				}
			}
			width := (mp.Bound().Right() - mp.Bound().Left()) / 360
			if kind == Tiny && width > 0.02 || kind == Crossed && width > 1 || kind == Huge && width < 0.2 {
				t.Fatalf("%s: %v of the bound wide: %v", kind, width, mp)
			}
		}
	}
}
