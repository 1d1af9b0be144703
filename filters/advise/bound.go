package advise

import (
	"math"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// This file bounds the bytes of exact counts, so that exactness can be certain. All follows from
// docs/FORMAT.md, "Exact body".

const (
	// squareBits is the logarithm of a section's side in cells.
	squareBits = 32
	// extentBits is the logarithm of the span of all possible indexes.
	extentBits = 54
	// blockCells is the number of cells of a block.
	blockCells = 128
	// blockExtra is the number of bytes of a block beside its codes. It has 12 bytes in the index, or a
	// first key of up to 10, 2 bytes of orders, and less than 1 of padding.
	blockExtra = 15
	// sectionExtra is the largest number of bytes before a section without a category. Two numbers of a
	// square have up to 23 bits each. Cells and occurrences have up to 41 bits each, and a length up to
	// 31 bits.
	sectionExtra = 2*4 + 2*6 + 5
	// longGap is the largest number of bits of one gap.
	longGap = 2 * 64
)

// codeBits returns the largest number of bits per number in the class code, for numbers with a given
// mean. Each block has the order that is best for it.
//
// In order k a number v takes 1 + k bits below 2^k, and k + 2 + 2j bits from 2^(k+j) on. The smallest
// concave function above these runs through the points (0, k+1), (2^(k+1), k+4), (2^(k+2), k+6) and so
// on. By Jensen's inequality its value at the mean is not below the mean of the codes. The minimum over
// all k is concave too. So blocks of different means take no more on average either.
func codeBits(mean float64) float64 {
	least := math.Inf(1)
	for order := range bitio.MaxOrder + 1 {
		k := float64(order)
		u := mean / math.Exp2(k)
		bits := k + 1 + 1.5*u
		if u > 2 {
			j := math.Floor(math.Log2(u)) // u is from 2^j to 2^(j+1)
			bits = k + 2 + 2*j + 2*(u/math.Exp2(j)-1)
		}
		least = math.Min(least, bits)
	}
	return least
}

// largestList returns the largest body of an exact sketch, wherever its cells lie within the extent. It is
// infinite with categories, whose texts can have any length.
func (d *Data) largestList() float64 {
	if d.Categories > 0 {
		return math.Inf(1)
	}
	anywhere := d.largestListWithin(extentBits)
	if d.Extent == 0 {
		return anywhere
	}
	return math.Min(anywhere, d.largestListWithin(bits.Len64(d.Extent-1)))
}

// largestListWithin is largestList for cells that lie within a square of side 2^e.
func (d *Data) largestListWithin(e int) float64 {
	// All cells lie in a square of side 2^e, which meets at most 2 x 2 aligned squares of that side. In
	// each of these, all gaps add up to at most 4^e. The gaps from one aligned square to the next, at
	// most 3, can be longer. If the parameter e is above 32, each aligned square of side 2^32 is a
	// section. The number of sections is at most that of these squares, and at most that of the cells.
	cells := float64(d.Distinct)
	sections, jumps := math.Min(4, cells), 3.0
	gaps := 4 * math.Exp2(2*float64(e))
	if e > squareBits {
		sections = math.Min(math.Exp2(2*float64(e-squareBits+1)), cells)
		jumps, gaps = 0, sections*math.Exp2(2*squareBits)
	}
	codes := cells*(codeBits(gaps/cells)+codeBits(float64(d.Occurrences-d.Distinct)/cells)) + jumps*longGap
	blocks := math.Ceil(cells/blockCells) + sections
	return codes/8 + blocks*blockExtra + sections*sectionExtra + 5 // 5 for the number of sections
}
