package fourier

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

// Forward is the sum that defines it, and Backward undoes it.
func TestTransform(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for n := 1; n <= 256; n *= 2 {
		x, got := make([]complex128, n), make([]complex128, n)
		for i := range x {
			x[i] = complex(r.NormFloat64(), r.NormFloat64())
		}
		copy(got, x)
		Forward(got)
		for k := range got {
			want := complex128(0)
			for j, v := range x {
				want += v * cmplx.Exp(complex(0, -2*math.Pi*float64(j*k%n)/float64(n)))
			}
			if cmplx.Abs(got[k]-want) > 1e-12*float64(n) {
				t.Fatalf("term %d of %d is %v, want %v", k, n, got[k], want)
			}
		}
		Backward(got)
		for i := range got {
			if cmplx.Abs(got[i]-x[i]) > 1e-13*float64(n) {
				t.Fatalf("%d of %d comes back as %v, was %v", i, n, got[i], x[i])
			}
		}
	}
}
