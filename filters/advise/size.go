package advise

import (
	"math"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// These are sizes of exact counts, as measured by the experiment "choosing-exact" of bench/paper. Its
// section of docs/accuracy/maps.md says how far data are from them.
const (
	// leastPosition and mostPosition are the bits of a cell in the list of a CascadeCBF, beside its
	// count. The first is for cells without gaps. The second is the largest in all real data that were
	// counted, down to places of the whole world in cells of 0.0001 degrees.
	leastPosition, mostPosition = 1, 25
	// categoryBytes is the number of bytes of each category's list beside its cells.
	categoryBytes = 24
	// headerBytes is the largest header of a CascadeCBF, with parameters and bounds, under three
	// conditions. The resolution is a short decimal number, indexes are below 2^31, and there are fewer
	// than 2^42 points. usualHeader is about the usual size.
	headerBytes = 48
	usualHeader = 25
	// keyBytes and cellBytes are the bytes of a row of an exact table beside its count, in Parquet with
	// zstd. The key is a number of 8 bytes or a short text, the cell two numbers.
	keyBytes, cellBytes = 8, 2
	// fewCells is the largest number of cells for which a table is smaller than a sketch with its
	// header.
	fewCells = 4
)

// countBits returns the average number of bits of a count in the class code of the exact form.
func (m *model) countBits() float64 {
	least := math.Inf(1)
	for order := range uint(64) {
		sum := uint(0)
		for _, n := range m.counts {
			sum += bitio.ClassBits(uint(bits.Len64(n-1)), order)
		}
		least = math.Min(least, float64(sum))
	}
	return least / float64(len(m.counts))
}

// listBytes returns the smallest and the largest body of an exact CascadeCBF of real data.
func (m *model) listBytes(d *Data) (least, most uint64) {
	list := func(positionBits float64) float64 {
		return float64(d.Distinct)*(positionBits+m.countBits())/8 + float64(categoryBytes*d.Categories)
	}
	low, high := list(leastPosition), list(mostPosition)
	if surely := d.largestList(); surely < high {
		high = math.Max(low, surely)
	}
	return uint64(low), uint64(math.Ceil(high))
}

// tableBytes returns about the size of an exact table of keys and counts.
func (m *model) tableBytes(d *Data) uint64 {
	row := keyBytes + m.countBits()/8
	if !d.Keys {
		row = cellBytes + m.countBits()/8
	}
	if d.Categories > 0 {
		row++ // one byte for the category, a number in a dictionary
	}
	return uint64(float64(d.Distinct) * row)
}
