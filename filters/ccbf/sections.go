package ccbf

import (
	"cmp"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/exact"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/store"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
)

// reserve counts the bytes that are reserved from a budget.
type reserve struct {
	budget Budget // nil for no limit
	held   int64  // bytes reserved
}

// grow reserves delta bytes. A negative delta gives memory back.
func (r *reserve) grow(delta int64) error {
	if r.budget != nil && delta != 0 {
		if err := r.budget.Grow(delta); err != nil {
			return err
		}
	}
	r.held += delta
	return nil
}

// free gives back n bytes. A Budget does not refuse that.
func (r *reserve) free(n int64) { _ = r.grow(-n) }

// sections holds the cells of a Builder by category and region, and accounts for their memory.
type sections struct {
	reserve
	scarcity Scarcity // the budget, if it implements Scarcity; otherwise nil
	all      []*section
	plain    *section                // the first section without a category
	byText   map[string]*section     // the first section of each category.
	others   map[sectionKey]*section // all other sections: few, unless points lie far apart.
	least    int                     // lower bound of the number of distinct cells in all stores
}

// cellBytes is the memory of a cell in a list. sectionCells is the number of cells as which a section counts in
// the limits of a builder. sectionBytes is its memory without cells, also in maps and when it is written.
const (
	cellBytes    = 16
	sectionCells = cells.SectionBytes / cellBytes
	sectionBytes = 1 << 9
)

// sectionKey identifies a section.
type sectionKey struct {
	category string
	x, y     int32
	part     uint8
}

// section has the points of a Builder in one category and region.
type section struct {
	cells.Label
	part     uint8 // bits of the keys above the lower store.MaxWidth bits: they are equal in all keys.
	cells    store.Cells
	squares  cells.Merger // squares that were added as trees, or pruned.
	counting countBuffer  // points on their way into the counters.
	held     int64        // bytes reserved for the section.
	least    int          // lower bound of the number of distinct cells.
}

// partOf returns the upper bits of a key, in which all keys of a section agree.
func partOf(key uint64) uint8 { return uint8(key >> store.MaxWidth) }

// change changes section s by f. It first reserves need bytes for f, and afterwards reserves only what
// the section has.
func (t *sections) change(s *section, need int64, f func()) error {
	if err := t.grow(need); err != nil {
		return err
	}
	f()
	return t.account(s, need)
}

// each changes the stores of all sections by f, one after the other, which takes the SumNeed of one at a time. It
// reserves that once, because there may be very many sections.
func (t *sections) each(f func(*store.Cells)) error {
	most := int64(0)
	for _, s := range t.all {
		most = max(most, s.cells.SumNeed())
	}
	if err := t.grow(most); err != nil {
		return err
	}
	defer t.free(most)
	for _, s := range t.all {
		f(&s.cells)
		if err := t.account(s, 0); err != nil {
			return err
		}
	}
	return nil
}

// account reserves what section s has now. It gives back the reserved bytes beyond that.
func (t *sections) account(s *section, reserved int64) error {
	now := s.cells.Bytes() + cells.SquareBytes(s.squares.Len()) + s.counting.bytes()
	least, _ := s.cells.Distinct()
	delta := now - s.held - reserved
	t.least += least - s.least
	s.held, s.least = now, least
	return t.grow(delta)
}

// at returns the section of a category (nil for none), a region, and a part of the keys. It makes a
// section if there is none.
func (t *sections) at(category []byte, x, y int32, part uint8) (*section, error) {
	first := t.plain
	if category != nil {
		first = t.byText[string(category)]
	}
	if first != nil {
		if first.X == x && first.Y == y && first.part == part {
			return first, nil
		}
		if s := t.others[sectionKey{string(category), x, y, part}]; s != nil {
			return s, nil
		}
	}
	if err := t.grow(sectionBytes + int64(len(category))); err != nil {
		return nil, err
	}
	label := cells.Label{Category: category, X: x, Y: y}
	s := &section{Label: label.Copy(), part: part}
	t.all = append(t.all, s)
	switch {
	case first != nil:
		if t.others == nil {
			t.others = map[sectionKey]*section{}
		}
		t.others[sectionKey{string(category), x, y, part}] = s
	case category == nil:
		t.plain = s
	default:
		if t.byText == nil {
			t.byText = map[string]*section{}
		}
		t.byText[string(category)] = s
	}
	return s, nil
}

// weight returns how much memory all distinct cells and the sections take, as a number of cells.
func (t *sections) weight() int64 { return int64(t.least + len(t.all)*sectionCells) }

// squares returns the number of squares in all sections.
func (t *sections) squares() (n int) {
	for _, s := range t.all {
		n += s.squares.Len()
	}
	return n
}

// turn waits for the turn to do what needs the memory of all cells and squares at once: to prune, or to finish.
func (t *sections) turn() (done func()) {
	if t.scarcity == nil {
		return func() {}
	}
	return t.scarcity.Turn(tree.FitBytes(t.least + t.squares()))
}

// pack shrinks the cells of a section if memory is scarce. Otherwise it bounds the buffer of the section.
// mostCells is the number of cells that all sections keep.
func (t *sections) pack(s *section, mostCells int64) error {
	scarce := 0
	if t.scarcity != nil {
		scarce = t.scarcity.Scarce()
	}
	if scarce == 0 {
		// Bound the buffers of all sections, so that the builder notices early that there are too many
		// cells for the exact form.
		s.cells.Limit(max(1<<10, int(min(mostCells/int64(len(t.all)), 1<<20))))
		return nil
	}
	// A key in the buffer takes as much memory as this many packed cells.
	const cellsPerKey = 16
	_, all := s.cells.Distinct()
	s.cells.Limit(min(max(1<<12>>(2*scarce), all/cellsPerKey), 1<<15))
	if !s.cells.Packs() {
		return nil
	}
	return t.change(s, s.cells.SumNeed(), s.cells.Pack)
}

// sources merges each store into one list, and returns the sections that have cells, in the order of a BLOB.
// The sections of a label are one there.
func (t *sections) sources() (sources []exact.SectionSource, err error) {
	if err := t.each((*store.Cells).Sum); err != nil {
		return nil, err
	}
	sections := slices.DeleteFunc(slices.Clone(t.all), func(s *section) bool { return s.cells.Empty() })
	slices.SortFunc(sections, func(s, t *section) int {
		return cmp.Or(s.Compare(&t.Label), cmp.Compare(s.part, t.part))
	})
	for len(sections) > 0 {
		of := exact.SectionSource{Label: sections[0].Label}
		var stores []*store.Cells
		for len(sections) > 0 && sections[0].Compare(&of.Label) == 0 {
			s := sections[0]
			of.Cells += s.least // the cells of a store that is one list
			stores, sections = append(stores, &s.cells), sections[1:]
		}
		of.Blocks = store.Blocks(stores...)
		sources = append(sources, of)
	}
	return sources, nil
}

// gather returns the cells of all stores. It reserves their memory until release.
func (t *sections) gather() (cells.List, error) {
	sources, err := t.sources()
	if err != nil {
		return nil, err
	}
	if err := t.grow(cells.Bytes(t.least)); err != nil { // each store is one list now
		return nil, err
	}
	list := make(cells.List, len(sources))
	for i, s := range sources {
		of := cells.Squares{Keys: make([]uint64, 0, s.Cells), Counts: make([]uint64, 0, s.Cells)}
		for block := range s.Blocks {
			of.Keys, of.Counts = append(of.Keys, block.Keys...), append(of.Counts, block.Counts...)
		}
		list[i] = cells.Section{Label: s.Label, Squares: of}
	}
	return list, nil
}

// release gives back the memory of gather.
func (t *sections) release(list cells.List) { t.free(cells.Bytes(list.Number())) }

// dropCells removes the cells of all stores, and all squares.
func (t *sections) dropCells() {
	for _, s := range t.all {
		s.cells.Free()
		s.squares = cells.Merger{}
		_ = t.account(s, 0)
	}
}
