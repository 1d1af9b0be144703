package exact

import (
	"math/bits"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// Table is a hash table of the cells of a list, for very many lookups in any order. It uses linear
// probing (Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithm L).
//
// A slot is a word with a cell's place in the upper bits, and its count in the lower bits. The place
// combines the cell's index in the bounds with its category. If a count does not fit, all its bits are
// set, and the map more has the count. No cell counts 0, so a slot of 0 is empty.
type Table struct {
	bounds        grid.Rect
	width, height uint64
	area          uint64
	none          uint64 // the place that stands for all cells outside the table.
	slots         []uint64
	shift         uint // bits of a hash that do not select a slot
	countBits     uint
	more          map[uint64]uint64 // counts that do not fit into a slot, by place.
	categories    map[string]uint32 // number of each category; nil without categories
}

const (
	// minCountBits is the least number of bits for a count.
	minCountBits = 8
	// MaxTable is the largest number of cells of a table. DuckDB waits while one is made.
	MaxTable = 1 << 21
	// tableBytes is about the memory of a table without slots. categoryBytes is about that of a
	// category without its name.
	tableBytes, categoryBytes = 256, 64
)

// layOut returns a table without slots, and the memory of the whole table. It returns false if there are no
// cells, if there are more than MaxTable, or if places and counts do not fit in a word.
func (r *Reader) layOut(together bool) (t Table, size int64, ok bool) {
	n := r.Number()
	if n == 0 || n > MaxTable {
		return t, 0, false
	}
	categories, slotBits := uint64(0), bits.Len(uint(2*n-1)) // at least half of the slots stay empty
	size = tableBytes + 8<<slotBits
	if together {
		categories = 1
	} else {
		r.EachCategory(func(category []byte, _, _ uint64) {
			categories++
			size += categoryBytes + int64(len(category))
		})
	}
	t.bounds, t.shift = r.Head.Bounds, uint(64-slotBits)
	t.width, t.height = t.bounds.Width(), t.bounds.Height()
	high, area := bits.Mul64(t.width, t.height)
	over, places := bits.Mul64(area, categories)
	t.area, t.none = area, places
	t.countBits = uint(64 - bits.Len64(places))
	return t, size, high == 0 && over == 0 && t.countBits >= minCountBits
}

// TableBytes returns how much memory Table takes. It returns false if Table would return false for a
// reason other than damaged cells.
func (r *Reader) TableBytes(together bool) (int64, bool) {
	_, size, ok := r.layOut(together)
	return size, ok
}

// Table returns a table of all cells. With together, it adds up the categories of a cell. It
// returns false if there are no cells or too many, if the bounds are too wide, or if the cells are
// damaged.
func (r *Reader) Table(together bool) (Table, bool) {
	t, _, ok := r.layOut(together)
	if !ok {
		return Table{}, false
	}
	t.slots = make([]uint64, 1<<(64-t.shift))
	if !together && r.sections[0].Category != nil {
		t.categories = make(map[string]uint32)
	}
	for i := range r.sections {
		s := &r.sections[i]
		category := uint32(0)
		if t.categories != nil {
			if category, ok = t.categories[string(s.Category)]; !ok {
				category = uint32(len(t.categories))
				t.categories[string(s.Category)] = category
			}
		}
		if !s.each(func(_ int, block cells.Squares) bool { return t.addBlock(s, category, block) }) {
			return Table{}, false
		}
	}
	return t, true
}

// addBlock adds the cells of a block of a section. It returns false if one is not within the bounds.
func (t *Table) addBlock(s *section, category uint32, block cells.Squares) bool {
	var at [cells.BlockCells]grid.Cell
	var places [cells.BlockCells]uint64
	var slots, categories [cells.BlockCells]uint32
	n := block.Len()
	for i, z := range block.Keys {
		at[i], categories[i] = cells.CellOf(s.X, s.Y, z), category
	}
	t.Find(places[:n], slots[:n], at[:n], categories[:n]) // prefetches the slots
	for i, place := range places[:n] {
		if place == t.none {
			return false
		}
		t.add(place, block.Counts[i])
	}
	return true
}

// add adds n to the count of a place.
func (t *Table) add(place, n uint64) {
	full := uint64(1)<<t.countBits - 1
	i := t.slot(place)
	for s := t.slots[i]; s != 0 && s>>t.countBits != place; s = t.slots[i] {
		i = (i + 1) & uint64(len(t.slots)-1)
	}
	have := t.slots[i] & full
	if have == full {
		have = t.more[place]
	}
	if n = saturate.Add(n, have); n >= full {
		if t.more == nil {
			t.more = make(map[uint64]uint64)
		}
		t.more[place], n = n, full
	}
	t.slots[i] = place<<t.countBits | n
}

// place returns the place of a cell of a category.
func (t *Table) place(c grid.Cell, category uint32) uint64 {
	x, y := uint64(c.X-t.bounds.MinX), uint64(c.Y-t.bounds.MinY)
	if x >= t.width || y >= t.height || category == NoCategory {
		return t.none
	}
	return uint64(category)*t.area + y*t.width + x
}

// slot returns the first slot to search for a place (multiplicative hashing, Knuth, section 6.4).
func (t *Table) slot(place uint64) uint64 { return place * 0x9e37_79b9_7f4a_7c15 >> (t.shift & 63) }

// NoCategory is the number of a category without cells.
const NoCategory = ^uint32(0)

// Category returns the number of a category, or NoCategory.
func (t *Table) Category(category []byte) uint32 {
	if number, ok := t.categories[string(category)]; ok {
		return number
	}
	return NoCategory
}

// Find writes the place of cell at[i] to places[i], and its first slot to slots[i]. If categories is not
// nil, categories[i] is the number of the cell's category. Find prefetches the slots for Read: call it
// for several tables before reading from the first.
func (t *Table) Find(places []uint64, slots []uint32, at []grid.Cell, categories []uint32) {
	places, slots = places[:len(at)], slots[:len(at)]
	for i, c := range at {
		category := uint32(0)
		if categories != nil {
			category = categories[i]
		}
		places[i] = t.place(c, category)
		slots[i] = uint32(t.slot(places[i]) * 8)
	}
	simd.Prefetch(unsafe.Pointer(&t.slots[0]), slots)
}

// Read writes the counts of the cells for which Find wrote places and slots to dst.
func (t *Table) Read(dst, places []uint64, slots []uint32) {
	dst, slots = dst[:len(places)], slots[:len(places)]
	all, shift := t.slots, t.countBits&63
	full := uint64(1)<<shift - 1
	for i, place := range places {
		at := uint64(slots[i] / 8)
		s := all[at]
		for s>>shift != place && s != 0 {
			at = (at + 1) & uint64(len(all)-1)
			s = all[at]
		}
		n := s & full
		if n == full {
			n = t.more[place]
		}
		dst[i] = n
	}
}
