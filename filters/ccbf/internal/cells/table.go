package cells

import (
	"math/bits"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/prefetch"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Table is the cells of a list for very many questions in no particular order: a hash table
// with linear probing (Knuth, The Art of Computer Programming, volume 3, section
// 6.4, algorithm L).
//
// A slot is a number: the place of a cell, which is its index in its category's
// rectangle of cells, and below it the count; a count that takes all those bits stands
// in more. No cell counts 0, so that 0 is an empty slot.
type Table struct {
	bounds        grid.Rect
	width, height uint64
	places        uint64 // of all categories; also the place of what is in none
	slots         []uint64
	mask          uint64
	shift         uint // of a hash, to have a slot
	countBits     uint
	more          map[uint64]uint64
	categories    map[string]uint32 // nil where they do not matter
}

const (
	// minCountBits is the fewest bits for a count.
	minCountBits = 8
	// MaxTable is up to how many cells a table takes: a chunk waits while it is made.
	MaxTable = 1 << 21
	// tableBytes and categoryBytes are about what a table and a category in it take,
	// beside the slots and the name.
	tableBytes, categoryBytes = 256, 64
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
	size := tableBytes + int64(slotsFor(n))*8
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

// Table is a table of all cells, together the sums of their categories. False where
// TableBytes says so, and where the cells are damaged.
func (v *View) Table(together bool) (Table, bool) {
	if _, ok := v.TableBytes(together); !ok {
		return Table{}, false
	}
	t, _ := v.layOut(together)
	t.slots = make([]uint64, slotsFor(v.total()))
	t.mask = uint64(len(t.slots) - 1)
	t.shift = uint(64 - bits.Len64(t.mask))
	category := uint32(0)
	for i := range v.sections {
		s := &v.sections[i]
		if !together && s.category != nil {
			if t.categories == nil {
				t.categories = make(map[string]uint32)
			} else if string(s.category) != string(v.sections[i-1].category) {
				category++
			}
			t.categories[string(s.category)] = category
		}
		if !t.addSection(s, category) {
			return Table{}, false
		}
	}
	return t, true
}

// addSection adds the cells of a section; false where they are damaged.
func (t *Table) addSection(s *sectionView, category uint32) bool {
	var keys, counts [blockCells]uint64
	var slots [blockCells]uint32
	for i := range blockCount(s.cells) {
		n, ok := s.decode(i, &keys, &counts)
		if !ok {
			return false
		}
		for j, k := range keys[:n] {
			place := t.place(CellOf(s.x, s.y, k), category)
			if place == t.places {
				return false
			}
			keys[j] = place
		}
		t.fetch(slots[:n], keys[:n])
		for j, place := range keys[:n] {
			t.add(place, counts[j])
		}
	}
	return true
}

// fetch asks for the slots of places and writes which they are.
func (t *Table) fetch(slots []uint32, places []uint64) {
	for i, p := range places {
		slots[i] = uint32(t.slot(p) * 8)
	}
	prefetch.Offsets(unsafe.Pointer(&t.slots[0]), slots)
}

// place is the place of a cell.
func (t *Table) place(c grid.Cell, category uint32) uint64 {
	x, y := uint64(c.X-t.bounds.MinX), uint64(c.Y-t.bounds.MinY)
	if x >= t.width || y >= t.height {
		return t.places
	}
	return (uint64(category)*t.height+y)*t.width + x
}

// slot is where the place of a cell is looked for first (multiplicative hashing,
// Knuth, section 6.4).
func (t *Table) slot(place uint64) uint64 { return place * 0x9e37_79b9_7f4a_7c15 >> (t.shift & 63) }

func (t *Table) add(place, n uint64) {
	full := uint64(1)<<t.countBits - 1
	for i := t.slot(place); ; i = (i + 1) & t.mask {
		s := t.slots[i]
		if s != 0 && s>>t.countBits != place {
			continue
		}
		if have := s & full; have == full {
			n = saturate.Add(n, t.more[place])
		} else {
			n = saturate.Add(n, have)
		}
		if n >= full {
			if t.more == nil {
				t.more = make(map[uint64]uint64)
			}
			t.more[place] = n
			n = full
		}
		t.slots[i] = place<<t.countBits | n
		return
	}
}

// NoCategory is the category of no cell.
const NoCategory = ^uint32(0)

// Category is the number of a category; NoCategory where no cell has it.
func (t *Table) Category(category []byte) uint32 {
	if i, ok := t.categories[string(category)]; ok {
		return i
	}
	return NoCategory
}

// Find writes the places of cells and the slots that they may be in, for Read, and asks
// for the slots: of categories[i], a number, where categories is not nil. Several tables
// may be asked before the first is read.
func (t *Table) Find(places []uint64, slots []uint32, at []grid.Cell, categories []uint32) {
	places = places[:len(at)]
	if categories == nil {
		for i, c := range at {
			places[i] = t.place(c, 0)
		}
	} else {
		for i, c := range at {
			places[i] = t.places
			if k := categories[i]; k != NoCategory {
				places[i] = t.place(c, k)
			}
		}
	}
	t.fetch(slots[:len(at)], places)
}

// Read writes the counts of places that Find has found.
func (t *Table) Read(dst, places []uint64, slots []uint32) {
	dst, slots = dst[:len(places)], slots[:len(places)]
	for i, p := range places {
		dst[i] = t.count(p, uint64(slots[i]/8))
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
