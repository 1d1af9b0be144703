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
	table exact.Table
	ccbf.Head
}

// DecodedBytes returns about how much memory Decode takes. It returns false if Decode would return false
// for a reason other than a damaged BLOB. together says that queries have no category.
func DecodedBytes(v *ccbf.View, together bool) (int64, bool) {
	r, ok := hidden.Reader(v).(*exact.Reader)
	if !ok {
		return 0, false
	}
	n, ok := r.TableBytes(together)
	return headBytes + n, ok
}

// headBytes is about the memory of a Decoded without its table.
const headBytes = 512

// Costs returns what the calls of View.Counts since Reset have cost, and what Decode costs. It is about the number of
// blocks that they read, and that it decodes. Both are 0 if the sketch is not exact.
func Costs(v *ccbf.View) (ofCounts, ofDecode int) {
	if r, ok := hidden.Reader(v).(*exact.Reader); ok {
		return r.Lookups(), r.Number()/cells.BlockCells + len(r.Sections) + tableCost
	}
	return 0, 0
}

// tableCost is about the number of blocks that could be decoded in the time that an empty table takes.
const tableCost = 2

// Decode decodes all cells for lookups. If together is set, lookups have no category, and the counts of a
// cell's categories are added up. Decode returns false for counters and trees, for a sketch without
// cells, and for more than two million cells. It also returns false if the bounds are too wide for places
// and counts in 64 bits, or if the BLOB is damaged.
func Decode(v *ccbf.View, together bool) (Decoded, bool) {
	r, ok := hidden.Reader(v).(*exact.Reader)
	if !ok || sketch.Verify(hidden.Blob(v)) != nil {
		return Decoded{}, false
	}
	t, ok := r.Table(together)
	return Decoded{t, v.Head}, ok
}

// Category returns the number of a category, for FindCells. It is NoCategory if the sketch has no such
// category.
func (d *Decoded) Category(category []byte) uint32 { return d.table.Category(category) }

// FindCells writes the place of each cell to places, and its first slot to slots, for ReadCounts. If
// categories is not nil, categories[i] is the number of the category of cells[i]. FindCells prefetches
// memory. So find the cells of some hundred lookups, of one sketch or of many, before reading any count.
func (d *Decoded) FindCells(places []uint64, slots []uint32, cells []grid.Cell, categories []uint32) {
	d.table.Find(places, slots, cells, categories)
}

// ReadCounts takes the places and slots that FindCells wrote, and writes the counts of these cells to
// dst. The counts equal those of View.Counts.
func (d *Decoded) ReadCounts(dst, places []uint64, slots []uint32) { d.table.Read(dst, places, slots) }
