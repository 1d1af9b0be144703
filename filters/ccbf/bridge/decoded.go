package bridge

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/exact"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/hooks"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Decoded has the cells of an exact sketch, laid out for very many questions: a
// count then costs a lookup in a hash table, while a View decodes a block of cells.
// It shares no memory with the BLOB, and any number of goroutines may use it at
// once.
type Decoded struct {
	table cells.Table
	ccbf.Head
}

// NoCategory is the number of a category without cells.
const NoCategory = cells.NoCategory

// DecodedBytes is about the memory that Decode takes; false if there is no answer:
// for counters, for no cells or more than two million, and for bounds so wide that
// places and counts do not fit 64 bits. together is for questions without a category.
func DecodedBytes(v *ccbf.View, together bool) (int64, bool) {
	r, ok := hooks.View(v).Reader().(*exact.Reader)
	if !ok {
		return 0, false
	}
	n, ok := r.Cells.TableBytes(together)
	return headBytes + n, ok
}

// headBytes is about what a Decoded takes beside its table.
const headBytes = 512

// DecodedCost is the cost of Decode, and Spent that of Counts since Reset, in
// decoded blocks of cells; both are 0 where the sketch is not exact.
func DecodedCost(v *ccbf.View) int {
	if r, ok := hooks.View(v).Reader().(*exact.Reader); ok {
		return r.Cells.Blocks() + decodedCost
	}
	return 0
}

// decodedCost is about how many blocks could be decoded in the time that a table takes,
// however small.
const decodedCost = 2

// Spent is what Counts has cost: see DecodedCost.
func Spent(v *ccbf.View) int {
	if r, ok := hooks.View(v).Reader().(*exact.Reader); ok {
		return r.Cells.Decoded()
	}
	return 0
}

// Decode decodes all cells, for questions with a category or, together, for those
// without one. It returns false if DecodedBytes does, or if the BLOB is damaged.
func Decode(v *ccbf.View, together bool) (Decoded, bool) {
	r, ok := hooks.View(v).Reader().(*exact.Reader)
	if !ok || sketch.Verify(hooks.View(v).Blob()) != nil {
		return Decoded{}, false
	}
	t, ok := r.Cells.Table(together)
	return Decoded{t, v.Head}, ok
}

// Category is the number of a category for FindCells; NoCategory where no cell has it.
func (d *Decoded) Category(category []byte) uint32 { return d.table.Category(category) }

// FindCells looks up where the counts of cells are: in the category with the number
// categories[i], or, if categories is nil, in all together. It writes as many elements of
// places and slots, for ReadCounts. It prefetches memory: find the cells of some hundred
// questions, of one sketch or of many, before reading any.
func (d *Decoded) FindCells(places []uint64, slots []uint32, cells []grid.Cell, categories []uint32) {
	d.table.Find(places, slots, cells, categories)
}

// ReadCounts writes the counts of what FindCells found, dst as long as places. They are
// those of View.Counts.
func (d *Decoded) ReadCounts(dst, places []uint64, slots []uint32) { d.table.Read(dst, places, slots) }
