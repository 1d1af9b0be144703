package cells

import (
	"math/bits"
	"sort"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/prefetch"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Table is the cells of a list for very many questions in no particular order: a hash table
// with linear probing (Knuth, The Art of Computer Programming, volume 3, section
// 6.4, algorithm L).
//
// A slot is a number: the place of a cell, which is its index in the rectangle of all
// cells, and below it the count; a count that takes all those bits stands
// in more. No cell counts 0, so that 0 is an empty slot. Slots have 32 bits where places leave
// room there, so that a table takes half of the caches.
//
// The cells of a category have a stretch of slots of their own, so that the caches have it
// while the table is made, category by category.
type Table struct {
	bounds        grid.Rect
	width, height uint64
	area          uint64 // also the place of what is in none
	narrow        []uint32
	wide          []uint64  // where narrow is nil
	stretches     []stretch // by category
	countBits     uint
	slotShift     uint              // of a slot's number, to have its offset
	more          map[uint32]uint64 // by the slot's number
	categories    categoryNumbers   // none where they do not matter
}

// stretch is where the slots of a category begin, and how many of these a cell may be looked for
// in first. Behind them are some that cells move to, and one that is the end: whoever comes
// there goes on where the stretch begins.
type stretch struct{ from, slots uint32 }

const (
	// minCountBits is the fewest bits for a count, minNarrowBits in slots of 32 bits.
	minCountBits, minNarrowBits = 8, 5
	// narrowMean is how much cells may count on average in slots of 32 bits: nearly no
	// count is to stand in more. Tables of fewer cells than narrowCells are in near caches
	// anyway, and those of many sketches are all of one width.
	narrowMean, narrowCells = 2, 1 << 12
	// mostBehind is how many slots there are for cells to move to, at most: the end is hardly ever reached.
	mostBehind = 32
	// MaxTable is up to how many cells a table takes: a chunk waits while it is made.
	MaxTable = 1 << 21
	// tableBytes and categoryBytes are about what a table and a category in it take,
	// beside the slots and the name.
	tableBytes, categoryBytes = 256, 64 + 8
)

// stretchFor is the stretch of n cells, and how many slots it takes in all: half of them stay empty.
func stretchFor(from, n int) (s stretch, all int) {
	slots := 2 * n
	return stretch{uint32(from), uint32(slots)}, slots + min(n, mostBehind) + 1
}

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
	t, ok := v.layOut()
	if !ok || n == 0 || n > MaxTable {
		return 0, false
	}
	slots := 0
	size := int64(tableBytes)
	v.eachCategory(together, func(sections []sectionView, cells int) {
		_, all := stretchFor(0, cells)
		if slots += all; !together {
			size += categoryBytes + int64(len(sections[0].category))
		}
	})
	return size + int64(slots)<<t.slotShift, true
}

// eachCategory calls f with the sections of each category, together with all at once.
func (v *View) eachCategory(together bool, f func(sections []sectionView, cells int)) {
	for rest := v.sections; len(rest) > 0; {
		n, cells := 0, 0
		for n < len(rest) && (together || string(rest[n].category) == string(rest[0].category)) {
			cells += rest[n].cells
			n++
		}
		f(rest[:n], cells)
		rest = rest[n:]
	}
}

// layOut is a table without slots.
func (v *View) layOut() (t Table, ok bool) {
	t.bounds = v.bounds
	t.width, t.height = uint64(v.bounds.MaxX-v.bounds.MinX)+1, uint64(v.bounds.MaxY-v.bounds.MinY)+1
	if v.bounds == NoBounds {
		t.width, t.height = 0, 0
	}
	high, area := bits.Mul64(t.width, t.height)
	t.area = area
	total := uint64(0)
	for i := range v.sections {
		total = saturate.Add(total, v.sections[i].total)
	}
	placeBits, n := bits.Len64(area), uint64(v.total())
	if t.countBits, t.slotShift = uint(64-placeBits), 3; placeBits+minNarrowBits <= 32 && n >= narrowCells && total <= narrowMean*n {
		t.countBits, t.slotShift = uint(32-placeBits), 2
	}
	return t, high == 0 && 64-placeBits >= minCountBits
}

// fetch asks for slots, by their offsets.
func (t *Table) fetch(slots []uint32) {
	base := unsafe.Pointer(unsafe.SliceData(t.wide))
	if t.narrow != nil {
		base = unsafe.Pointer(&t.narrow[0])
	}
	prefetch.Offsets(base, slots)
}

// place is the place of a cell.
func (t *Table) place(c grid.Cell) uint64 {
	x, y := uint64(c.X-t.bounds.MinX), uint64(c.Y-t.bounds.MinY)
	if x >= t.width || y >= t.height {
		return t.area
	}
	return y*t.width + x
}

// offset is that of the slot which the place of a cell is looked for in first (multiplicative
// hashing, Knuth, section 6.4).
func (t *Table) offset(in *stretch, place uint64) uint32 {
	hash := place * 0x9e37_79b9_7f4a_7c15 >> 32
	return (in.from + uint32(hash*uint64(in.slots)>>32)) << (t.slotShift & 31)
}

// end is what is in the last slot of a stretch: it is of the place of what is in none, and
// counts 0.
func (t *Table) end() uint64 { return t.area << (t.countBits & 63) }

// begin is where the stretch begins that slot i is in.
func (t *Table) begin(i uint32) uint32 {
	n := sort.Search(len(t.stretches), func(k int) bool { return t.stretches[k].from > i })
	return t.stretches[n-1].from
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
		in := &t.stretches[0]
		for i, c := range at {
			places[i] = t.place(c)
			slots[i] = t.offset(in, places[i])
		}
	} else {
		for i, c := range at {
			places[i], slots[i] = t.area, 0
			if k := categories[i]; k != NoCategory {
				places[i] = t.place(c)
				slots[i] = t.offset(&t.stretches[k], places[i])
			}
		}
	}
	t.fetch(slots)
}

// Read writes the counts of places that Find has found.
func (t *Table) Read(dst, places []uint64, slots []uint32) {
	if t.narrow != nil {
		readCounts(t, t.narrow, dst, places, slots)
	} else {
		readCounts(t, t.wide, dst, places, slots)
	}
}

func readCounts[S uint32 | uint64](t *Table, all []S, dst, places []uint64, slots []uint32) {
	dst, slots = dst[:len(places)], slots[:len(places)]
	shift := t.countBits & 63
	full := uint64(1)<<shift - 1
	for i, place := range places {
		at := slots[i] / uint32(unsafe.Sizeof(all[0]))
		s := uint64(all[at])
		for s>>shift != place && s != 0 {
			if at++; s&full == 0 { // the end
				at = t.begin(at - 1)
			}
			s = uint64(all[at])
		}
		n := s & full
		if n == full {
			n = t.more[at]
		}
		dst[i] = n
	}
}
