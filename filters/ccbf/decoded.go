package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Decoded is the cells of an exact sketch, laid out for very many questions: a
// count then costs a look into a hash table, where a View decodes a block of cells.
// It has nothing of the BLOB's memory, and any number of goroutines may ask at once.
type Decoded struct {
	Head
	table *cells.Table
}

// NoCategory is the number of a category that no cell has.
const NoCategory = cells.NoCategory

// DecodedBytes is the memory that Decoded takes, about; false where it has no answer:
// of counters, of no cells or of more than four million, and in bounds so wide that
// places and counts do not fit 64 bits. together is for questions without a category.
func (v *View) DecodedBytes(together bool) (int64, bool) {
	if v.form != formExact {
		return 0, false
	}
	n, ok := v.cells.TableBytes(together)
	return headBytes + n, ok
}

// headBytes is about what a Decoded takes beside its table.
const headBytes = 512

// DecodedCost is what Decoded costs, and Spent what CountCells has cost since Reset,
// in blocks of cells that are decoded; both 0 of counters, which cost none.
func (v *View) DecodedCost() int {
	if v.form != formExact {
		return 0
	}
	return decodedCost*v.cells.Blocks() + decodedCost
}

// decodedCost is about how many blocks could be decoded in the time in which one is
// and its cells are put into the table.
const decodedCost = 2

// Spent is what CountCells has cost: see DecodedCost.
func (v *View) Spent() int {
	if v.form != formExact {
		return 0
	}
	return v.cells.Decoded()
}

// Decoded decodes all cells, for questions with a category or, together, for those
// without one. False where DecodedBytes says so, and where the BLOB is damaged.
func (v *View) Decoded(together bool) (*Decoded, bool) {
	if _, ok := v.DecodedBytes(together); !ok || sketch.Verify(v.blob) != nil {
		return nil, false
	}
	t, ok := v.cells.Table(together)
	if !ok {
		return nil, false
	}
	return &Decoded{v.Head, t}, true
}

// Category is the number of a category for CountCells; NoCategory where no cell has it.
func (d *Decoded) Category(category []byte) uint32 { return d.table.Category(category) }

// CountCells writes the count of cells[i] to dst[i], as long as cells: in the category
// with the number categories[i], or, together, where categories is nil. What a View
// answers, it answers.
func (d *Decoded) CountCells(dst []uint64, cells []grid.Cell, categories []uint32) {
	d.table.Counts(dst, cells, categories)
}
