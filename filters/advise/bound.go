package advise

import (
	"math"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// How many bytes exact counts can take at most: what must be there for exactness to
// be certain. Everything here follows from docs/FORMAT.md, "Exact body".

const (
	// squareBits is the logarithm of a section's side in cells.
	squareBits = 32
	// extentBits is that of the span of all indexes that there can be.
	extentBits = 54
	// blockCells are the cells of a block.
	blockCells = 128
	// blockExtra is what a block has beside its codes: 12 bytes in the index, or a first
	// key of up to 10, 2 of orders, less than 1 of padding.
	blockExtra = 15
	// sectionExtra is the most that stands before a section without a category: two
	// numbers of a square of up to 23 bits, cells and occurrences of up to 41 bits, a
	// length of up to 31 bits.
	sectionExtra = 2*4 + 2*6 + 5
	// longGap is the most bits that one gap can take.
	longGap = 2 * 64
)

// codeBits is the most that numbers with a mean take in the class code, in bits each,
// where each block has the order that is best for it.
//
// In order k a number v takes 1 + k bits below 2^k and k + 2 + 2j bits from 2^(k+j)
// on. The least concave function that is nowhere below runs through the points
// (0, k+1), (2^(k+1), k+4), (2^(k+2), k+6), (2^(k+3), k+8) and so on, and by Jensen's
// inequality its value at the mean is not below the mean of the codes. So it is for
// the least over all k, which is concave too, so that also blocks of different means
// take no more on average.
func codeBits(mean float64) float64 {
	least := math.Inf(1)
	for order := range bitio.MaxOrder + 1 {
		k := float64(order)
		u := mean / math.Exp2(k)
		bits := k + 1 + 1.5*u
		if u > 2 {
			j := math.Floor(math.Log2(u)) // from 2^j to 2^(j+1)
			bits = k + 2 + 2*j + 2*(u/math.Exp2(j)-1)
		}
		least = math.Min(least, bits)
	}
	return least
}

// surely is the most that the body of an exact sketch takes, wherever its cells lie
// within the extent; infinite with categories, whose texts can be of any length.
func (d *Data) surely() float64 {
	if d.Categories > 0 {
		return math.Inf(1)
	}
	anywhere := d.surelyWithin(extentBits)
	if d.Extent == 0 {
		return anywhere
	}
	return math.Min(anywhere, d.surelyWithin(bits.Len64(d.Extent-1)))
}

// surelyWithin is surely for cells that lie within a square of side 2^e.
func (d *Data) surelyWithin(e int) float64 {
	// The square meets at most 2 x 2 aligned ones of its side, in each of which the keys
	// are within a range of 4^e, and at most 3 gaps lead from one to the next. Where e
	// is above 32, aligned squares of side 2^32 are sections of their own: as many of
	// them as can be met, or as there are cells.
	cells := float64(d.Distinct)
	sections, jumps := math.Min(4, cells), 3.0
	gaps := 4 * math.Exp2(2*float64(e))
	if e > squareBits {
		sections = math.Min(math.Exp2(2*float64(e-squareBits+1)), cells)
		jumps, gaps = 0, sections*math.Exp2(2*squareBits)
	}
	codes := cells*(codeBits(gaps/cells)+codeBits(float64(d.Occurrences-d.Distinct)/cells)) + jumps*longGap
	blocks := math.Ceil(cells/blockCells) + sections
	return codes/8 + blocks*blockExtra + sections*sectionExtra + 5 // and their number
}
