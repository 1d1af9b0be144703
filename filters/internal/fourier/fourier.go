// Package fourier implements the fast Fourier transform, for distributions of sums.
package fourier

import (
	"math"
	"math/bits"
	"math/cmplx"
)

// Forward replaces x by its spectrum: term k becomes the sum of x[j] exp(-2 pi i j k / n). The length n
// must be a power of two.
func Forward(x []complex128) { transform(x, -1) }

// Backward undoes Forward.
func Backward(x []complex128) {
	transform(x, 1)
	n := complex(float64(len(x)), 0)
	for i := range x {
		x[i] /= n
	}
}

// transform combines the spectra of both halves of the index, even and odd, in place and from the shortest
// on (Cooley and Tukey 1965).
func transform(x []complex128, sign float64) {
	n := len(x)
	if n < 2 {
		return
	}
	unused := bits.LeadingZeros64(uint64(n - 1))
	for i := range x {
		if j := int(bits.Reverse64(uint64(i)) >> unused); i < j {
			x[i], x[j] = x[j], x[i]
		}
	}
	roots := make([]complex128, n/2)
	for i := range roots {
		roots[i] = cmplx.Rect(1, sign*2*math.Pi*float64(i)/float64(n))
	}
	for half := 1; half < n; half *= 2 {
		stride := n / 2 / half
		for i := 0; i < n; i += 2 * half {
			for j := range half {
				a, b := x[i+j], x[i+j+half]*roots[j*stride]
				x[i+j], x[i+j+half] = a+b, a-b
			}
		}
	}
}
