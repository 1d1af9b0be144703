package ccbf

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/store"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
)

// sections are the cells of a Builder by category and region, and the memory that they take.
type sections struct {
	budget   Budget
	scarcity Scarcity // budget, where it knows
	held     int64    // bytes that are reserved
	all      []*section
	plain    *section            // the first section without a category
	byText   map[string]*section // the first section of each category
	least    int                 // how many distinct cells all stores have at least
}

// cellBytes is the memory of a cell in a list, and sectionCells how many cells take as much as a section.
const (
	cellBytes    = 16
	sectionCells = cells.SectionBytes / cellBytes
)

// section is what a Builder has of one category and region.
type section struct {
	cells.Label
	part     uint8    // the upper bits of the keys, beyond store.MaxWidth
	next     *section // of the same category
	cells    store.Cells
	squares  tree.Merger // where some were added or pruned
	counting countBuffer // on the way into the counters
	held     int64       // bytes that are reserved for all of these
	least    int         // how many distinct cells there are at least
}

// partOf is the upper bits of a key, in which the cells of a section agree.
func partOf(key uint64) uint8 { return uint8(key >> store.MaxWidth) }

// grow reserves memory, or gives it back.
func (t *sections) grow(delta int64) error {
	if t.budget != nil && delta != 0 {
		if err := t.budget.Grow(delta); err != nil {
			return err
		}
	}
	t.held += delta
	return nil
}

// change reserves what a change of a section takes at most, makes it, and keeps reserved what
// the section has then.
func (t *sections) change(s *section, need int64, f func()) error {
	if err := t.grow(need); err != nil {
		return err
	}
	f()
	return t.account(s, need)
}

// account keeps reserved what a section has, and gives back what was reserved beside it.
func (t *sections) account(s *section, reserved int64) error {
	now := s.cells.Bytes() + tree.SquareBytes(s.squares.Len()) + s.counting.bytes()
	least, _ := s.cells.Distinct()
	delta := now - s.held - reserved
	t.least += least - s.least
	s.held, s.least = now, least
	return t.grow(delta)
}

// at returns the section of a category, nil for none, in a region, and of a part of its keys.
func (t *sections) at(category []byte, x, y int32, part uint8) (*section, error) {
	first := t.plain
	if category != nil {
		first = t.byText[string(category)]
	}
	for s := first; s != nil; s = s.next {
		if s.X == x && s.Y == y && s.part == part {
			return s, nil
		}
	}
	if err := t.grow(cells.SectionBytes + int64(len(category))); err != nil {
		return nil, err
	}
	s := &section{
		Label: cells.Label{Category: string(category), None: category == nil, X: x, Y: y},
		part:  part, next: first,
	}
	t.all = append(t.all, s)
	if category == nil {
		t.plain = s
		return s, nil
	}
	if t.byText == nil {
		t.byText = map[string]*section{}
	}
	t.byText[s.Category] = s
	return s, nil
}

// packAll packs the cells of all sections, and returns how many bytes their code takes.
func (t *sections) packAll(together bool) (size int64, err error) {
	for _, s := range t.all {
		if together || s.cells.Packs() {
			if err := t.change(s, s.cells.SumNeed(), func() { s.cells.Pack(together) }); err != nil {
				return 0, err
			}
		}
		size += s.cells.CodeBytes()
	}
	return size, nil
}

// weight is how many cells take as much memory as all cells, at least, and sections.
func (t *sections) weight() int64 { return int64(t.least + len(t.all)*sectionCells) }

// pack makes the cells of a section small where memory is scarce. mostCells is how many are kept
// in all sections.
func (t *sections) pack(s *section, mostCells int64) error {
	scarce := 0
	if t.scarcity != nil {
		scarce = t.scarcity.Scarce()
	}
	if scarce == 0 {
		s.cells.Limit(max(1<<10, int(min(mostCells, 1<<20)))) // so that the end of the exact form is noticed
		return nil
	}
	// A key in the front takes as much as this many packed cells.
	const cellsPerKey = 16
	most := 1 << 10
	if scarce > 1 {
		most = 1 << 8
	}
	least, all := s.cells.Distinct()
	for size := most; size < all/cellsPerKey && most < 1<<15; size *= 2 {
		most *= 2
	}
	s.cells.Limit(most)
	if !s.cells.Packs() {
		return nil
	}
	together := scarce > 1 && all > least/2*3
	return t.change(s, s.cells.SumNeed(), func() { s.cells.Pack(together) })
}

// group is the sections of one label, in the order of their keys.
type group []*section

func (g group) stores() []*store.Cells {
	stores := make([]*store.Cells, len(g))
	for i, s := range g {
		stores[i] = &s.cells
	}
	return stores
}

// groups is the sections that have cells in the order of a BLOB.
func (t *sections) groups() (groups []group) {
	sections := slices.DeleteFunc(slices.Clone(t.all), func(s *section) bool { return s.cells.Empty() })
	slices.SortFunc(sections, func(s, t *section) int {
		if n := s.Compare(t.Label); n != 0 {
			return n
		}
		return int(s.part) - int(t.part)
	})
	for from := 0; from < len(sections); {
		to := from + 1
		for to < len(sections) && sections[to].Compare(sections[from].Label) == 0 {
			to++
		}
		groups = append(groups, sections[from:to])
		from = to
	}
	return groups
}

// gather is the cells of all stores, for which memory is reserved until release.
func (t *sections) gather() (cells.List, error) {
	n := 0
	groups := t.groups()
	for _, g := range groups {
		for _, s := range g {
			if err := t.change(s, s.cells.SumNeed(), s.cells.Sum); err != nil {
				return nil, err
			}
			least, _ := s.cells.Distinct()
			n += least
		}
	}
	if err := t.grow(cells.RunBytes(n)); err != nil {
		return nil, err
	}
	list := make(cells.List, len(groups))
	for i, g := range groups {
		list[i] = cells.Section{Label: g[0].Label, Run: store.Run(g.stores()...)}
	}
	return list, nil
}

// release gives back the memory of gather. The budget refuses no such thing.
func (t *sections) release(list cells.List) { _ = t.grow(-cells.RunBytes(list.Cells())) }

// dropStores forgets the cells of all stores.
func (t *sections) dropStores() error {
	for _, s := range t.all {
		s.cells = store.Cells{}
		if err := t.account(s, 0); err != nil {
			return err
		}
	}
	return nil
}
