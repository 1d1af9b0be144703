package noise

import (
	"math"
	"testing"
)

// The closed form beside the sum of the terms.
func TestAhead(t *testing.T) {
	for _, less := range []float64{1, 2, 7, 32, 33, 50, 200, 3000} {
		for _, more := range []float64{0, 1, 5, 40, 300, 4000, 1e6} {
			term, want := 1.0, 0.0
			for d := 0.0; d < less; d++ {
				term *= (less - d) / (less + more + 1 + d)
				want += term * term
			}
			if got := ahead(less, less+more); math.Abs(got-want) > 0.05*want {
				t.Errorf("%v and %v: %v, want %v", less, less+more, got, want)
			}
		}
	}
	if got := ahead(1e18, 1e18); math.Abs(got/math.Sqrt(math.Pi*1e18/8)-1) > 0.01 {
		t.Errorf("large and even: %v", got)
	}
	if got := ahead(1e18, 2e18); math.Abs(got-1.0/3) > 0.01 {
		t.Errorf("large: %v", got)
	}
}
