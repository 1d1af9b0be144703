package bridge

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/exact"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Decoded is a hash table with the cells of an exact sketch. It pays for very many lookups, because a
// View decodes a block of cells for each lookup. A Decoded shares no memory with the BLOB. Any number of
// goroutines may use it at once.
type Decoded struct {
	table cells.Table
	ccbf.Head
}

// NoCategory is the number of a category without cells.
const NoCategory = cells.NoCategory

// DecodedBytes returns about the memory that Decode takes. It returns false if Decode does for any
// other reason than damage. With together, queries have no category.
func DecodedBytes(v *ccbf.View, together bool) (int64, bool) {
	r, ok := hidden.Reader(v).(*exact.Reader)
	if !ok {
		return 0, false
	}
	n, ok := r.Cells.TableBytes(together)
	return headBytes + n, ok
}

// headBytes is about the memory of a Decoded without its table.
const headBytes = 512

// DecodedCost returns the cost of Decode, in decoded blocks of cells; 0 if the sketch is not exact.
func DecodedCost(v *ccbf.View) int {
	if r, ok := hidden.Reader(v).(*exact.Reader); ok {
		return r.Cells.Blocks() + decodedCost
	}
	return 0
}

// decodedCost is about the number of blocks that could be decoded in the time that an empty table
// takes.
const decodedCost = 2

// Spent returns the cost of View.Counts since Reset, in decoded blocks of cells.
func Spent(v *ccbf.View) int {
	if r, ok := hidden.Reader(v).(*exact.Reader); ok {
		return r.Cells.Decoded()
	}
	return 0
}

// Decode decodes all cells, for lookups with a category or, with together, without one. It returns
// false for counters and trees, without cells, and for more than two million of them. It does so
// too if the bounds are too wide for places and counts in 64 bits, and if the BLOB is damaged.
func Decode(v *ccbf.View, together bool) (Decoded, bool) {
	r, ok := hidden.Reader(v).(*exact.Reader)
	if !ok || sketch.Verify(hidden.Blob(v)) != nil {
		return Decoded{}, false
	}
	t, ok := r.Cells.Table(together)
	return Decoded{t, v.Head}, ok
}

// Category returns the number of a category for FindCells, or NoCategory.
func (d *Decoded) Category(category []byte) uint32 { return d.table.Category(category) }

// FindCells writes the place and the first slot of each cell to places and slots, for ReadCounts.
// If categories is not nil, categories[i] is the number of the category of cell i. It prefetches
// memory: find the cells of some hundred lookups, of one sketch or of many, before reading any.
func (d *Decoded) FindCells(places []uint64, slots []uint32, cells []grid.Cell, categories []uint32) {
	d.table.Find(places, slots, cells, categories)
}

// ReadCounts writes the counts of the cells that FindCells found to dst, as long as places. They
// equal the results of View.Counts.
func (d *Decoded) ReadCounts(dst, places []uint64, slots []uint32) { d.table.Read(dst, places, slots) }
