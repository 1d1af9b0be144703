package cells

import (
	"math/bits"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/prefetch"
)

// Table is the cells of a list for very many questions in no particular order: a hash table
// with linear probing (Knuth, The Art of Computer Programming, volume 3, section
// 6.4, algorithm L).
//
// A slot is a number: the place of a cell, which is its index in its category's
// rectangle of cells, and below it the count; a count that takes all those bits stands
// in more. No cell counts 0, so that 0 is an empty slot.
//
// The cells of a category begin to look for a slot in a stretch of their own, so that the
// caches have it while the table is made, category by category.
type Table struct {
	bounds        grid.Rect
	width, height uint64
	places        uint64 // of all categories; also the place of what is in none
	slots         []uint64
	mask          uint64
	stretches     []stretch // by category
	countBits     uint
	more          map[uint64]uint64
	categories    categoryNumbers // none where they do not matter
}

// stretch is where slots of a category begin, and how many these are: as its part of all cells.
type stretch struct{ from, slots uint32 }

const (
	// minCountBits is the fewest bits for a count.
	minCountBits = 8
	// MaxTable is up to how many cells a table takes: a chunk waits while it is made.
	MaxTable = 1 << 21
	// tableBytes and categoryBytes are about what a table and a category in it take,
	// beside the slots and the name.
	tableBytes, categoryBytes = 256, 64 + 8
	slotBytes                 = 8
)

// slotsFor is how many slots n cells get: from a third to two thirds stay empty.
func slotsFor(n int) int { return 1 << bits.Len64(uint64(n)+uint64(n)/2) }

// total is the number of cells, one that has several categories once for each.
func (v *View) total() int {
	n := 0
	for i := range v.sections {
		n += v.sections[i].cells
	}
	return n
}

// TableBytes is the memory that Table takes; false where there is none of so many
// cells or of none, or in so large a rectangle.
func (v *View) TableBytes(together bool) (int64, bool) {
	n := v.total()
	if _, ok := v.layOut(together); !ok || n == 0 || n > MaxTable {
		return 0, false
	}
	size := tableBytes + int64(slotsFor(n))*slotBytes
	if !together {
		for i := range v.sections {
			size += categoryBytes + int64(len(v.sections[i].category))
		}
	}
	return size, true
}

// layOut is a table without slots.
func (v *View) layOut(together bool) (t Table, ok bool) {
	t.bounds = v.bounds
	t.width, t.height = uint64(v.bounds.MaxX-v.bounds.MinX)+1, uint64(v.bounds.MaxY-v.bounds.MinY)+1
	if v.bounds == NoBounds {
		t.width, t.height = 0, 0
	}
	categories := uint64(1)
	if !together && len(v.sections) > 0 && v.sections[0].category != nil {
		_, categories = v.Size()
	}
	high, area := bits.Mul64(t.width, t.height)
	if high == 0 {
		high, t.places = bits.Mul64(area, categories)
	}
	t.countBits = uint(64 - bits.Len64(t.places))
	return t, high == 0 && t.countBits >= minCountBits
}

// fetch asks for slots, by their offsets.
func (t *Table) fetch(slots []uint32) { prefetch.Offsets(unsafe.Pointer(&t.slots[0]), slots) }

// place is the place of a cell.
func (t *Table) place(c grid.Cell, category uint32) uint64 {
	x, y := uint64(c.X-t.bounds.MinX), uint64(c.Y-t.bounds.MinY)
	if x >= t.width || y >= t.height {
		return t.places
	}
	return (uint64(category)*t.height+y)*t.width + x
}

// offset is that of the slot which the place of a cell is looked for in first (multiplicative
// hashing, Knuth, section 6.4).
func (s stretch) offset(place uint64) uint32 {
	hash := place * 0x9e37_79b9_7f4a_7c15 >> 32
	return (s.from + uint32(hash*uint64(s.slots)>>32)) * slotBytes
}

// NoCategory is the category of no cell.
const NoCategory = ^uint32(0)

// Category is the number of a category; NoCategory where no cell has it.
func (t *Table) Category(category []byte) uint32 { return t.categories.number(category) }

// ShortCategories writes the numbers of categories, as Category has them, as many as dst takes.
func (t *Table) ShortCategories(dst []uint32, categories []ShortCategory) {
	t.categories.numbers(dst, categories)
}

// Find writes the places of cells and the slots that they may be in, for Read, and asks
// for the slots: of categories[i], a number, where categories is not nil. Several tables
// may be asked before the first is read.
func (t *Table) Find(places []uint64, slots []uint32, at []grid.Cell, categories []uint32) {
	places, slots = places[:len(at)], slots[:len(at)]
	if categories == nil {
		in := t.stretches[0]
		for i, c := range at {
			places[i] = t.place(c, 0)
			slots[i] = in.offset(places[i])
		}
	} else {
		for i, c := range at {
			places[i], slots[i] = t.places, 0
			if k := categories[i]; k != NoCategory {
				places[i] = t.place(c, k)
				slots[i] = t.stretches[k].offset(places[i])
			}
		}
	}
	t.fetch(slots)
}

// Read writes the counts of places that Find has found.
func (t *Table) Read(dst, places []uint64, slots []uint32) {
	dst, slots = dst[:len(places)], slots[:len(places)]
	for i, p := range places {
		dst[i] = t.count(p, uint64(slots[i]/slotBytes))
	}
}

// count is the count of a place, whose slot is i or one that follows.
func (t *Table) count(place, i uint64) uint64 {
	slots, shift := t.slots, t.countBits&63
	for {
		s := slots[i&t.mask]
		if s == 0 {
			return 0
		}
		if s>>shift == place {
			full := uint64(1)<<shift - 1
			if n := s & full; n != full {
				return n
			}
			return t.more[place]
		}
		i++
	}
}
