package sbf

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// Info.ErrorRate of a small sketch is the measured rate: over many sketches of each size and k, at most 1.3
// times as many keys are found, beyond 4 sigma of the sample.
func TestErrorRateOfSmallSketches(t *testing.T) {
	sketches, asked := 100, 2000
	if os.Getenv("CCBF_LONG") == "1" {
		sketches, asked = 1000, 50_000
	}
	r := rand.New(rand.NewPCG(51, 0))
	for _, form := range []Params{{}, {Method: MI}, {Method: RM}, {Blocked: true}} {
		for _, capacity := range []uint64{1, 2, 4, 8, 16, 32, 100} {
			for _, k := range []uint64{1, 2, 5, 8, 16, 32} {
				p := form
				p.Capacity, p.K = capacity, k
				found, mean := 0, 0.0
				for range sketches {
					s := mustNew(t, p)
					for range capacity {
						s.Add(r.Uint64(), r.Uint64()|1, 1)
					}
					v, err := NewView(s.Blob())
					must(t, err)
					mean += v.Info().ErrorRate / float64(sketches)
					for range asked {
						if s.Count(r.Uint64(), r.Uint64()|1) > 0 {
							found++
						}
					}
				}
				n := float64(sketches * asked)
				if limit := 1.3*mean*n + 4*math.Sqrt(1.3*mean*n) + 1; float64(found) > limit {
					t.Errorf("%+v: %d of %g found, at most %.1f by the error rate %.3g", p, found, n, limit, mean)
				}
			}
		}
	}
}
