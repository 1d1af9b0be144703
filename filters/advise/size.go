package advise

import (
	"math"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// What exact counts take: measured by the experiment "choosing-exact" of
// bench/paper, whose section of docs/accuracy/maps.md has how far from it data are.
const (
	// leastPosition and mostPosition are what a cell takes in the list of a CascadeCBF
	// beside its count: cells without gaps, and those of all real data that were counted,
	// down to places of the whole world in cells of 0.0001 degrees.
	leastPosition, mostPosition = 1, 25
	// categoryBytes is what each category's list takes beside its cells.
	categoryBytes = 24
	// headerBytes is the most that the header of a CascadeCBF takes, parameters and bounds
	// included, where the resolution is a short decimal number, indexes are below 2^31 and
	// there are fewer than 2^42 points; usualHeader is about what it takes.
	headerBytes = 48
	usualHeader = 25
	// keyBytes and cellBytes are what a row of an exact table takes beside its
	// count, in Parquet with zstd: a number of 8 bytes or a short text, and the
	// two numbers of a cell.
	keyBytes, cellBytes = 8, 2
	// fewCells is up to how many cells a table beats a sketch with its header.
	fewCells = 4
)

// countBits is what a count takes on average, in the class code that the exact
// form writes.
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

// listBytes is what the body of an exact CascadeCBF takes of real data, from and to.
func (m *model) listBytes(d *Data) (least, most uint64) {
	list := func(positionBits float64) float64 {
		return float64(d.Distinct)*(positionBits+m.countBits())/8 + float64(categoryBytes*d.Categories)
	}
	low, high := list(leastPosition), list(mostPosition)
	if surely := d.surely(); surely < high {
		high = math.Max(low, surely)
	}
	return uint64(low), uint64(math.Ceil(high))
}

// tableBytes is about what an exact table of keys and counts takes.
func (m *model) tableBytes(d *Data) uint64 {
	row := keyBytes + m.countBits()/8
	if !d.Keys {
		row = cellBytes + m.countBits()/8
	}
	if d.Categories > 0 {
		row++ // the category, a number in a dictionary
	}
	return uint64(float64(d.Distinct) * row)
}
