package ccbf

import (
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/store"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Budget is called before memory is allocated (delta > 0) and when it is freed
// (delta < 0). A refusal ends the building with its error.
type Budget interface{ Grow(delta int64) error }

// Scarcity is a Budget that says how much it has left, so that builders pack their cells
// in time: there may be a million of them, and each knows only its own.
type Scarcity interface {
	Budget
	// Scarce is 0 while there is plenty, 1 where less is left and 2 where next to nothing is.
	Scarce() int
}

// Builder collects points and sketches and makes one sketch of them.
//
// A point takes these steps:
//
//  1. Its key goes to the section of its category and region, which counts it in a
//     store.Cells, exactly.
//  2. After each change of a store, settle decides by the number of distinct cells
//     whether they stay. A sketch that overflows to a tree is pruned to few squares
//     above 16 times Bytes cells, one that overflows to counters goes over to them above
//     Hold. Nothing else decides, so the result is the same for any order of points and
//     any number of builders that are merged.
//  3. Points of a sketch that has gone over to counters, or is never exact, are counted in
//     those by package-private counting.
//  4. AppendBlob merges the stores, writes the exact BLOB from them, and makes a tree or
//     counters where that takes more than Bytes.
//
// Memory is reserved before each of these steps, by what the stores say that they need, and
// given back after it.
//
// The result does not depend on the order of points, except for sketches that had more
// cells than Hold before they could be known to become dense, trees that were pruned on the way,
// and dense ones in mode mi that were never exact. Nor does it depend on the order of
// sketches, even if their parameters differ (as far as they combine), except for trees,
// and for more cells than HoldSketches holds.
type Builder struct {
	Config
	// Hold is how many bytes of cells are kept, at 16 for each, before a sketch that cannot stay
	// exact becomes dense or is pruned.
	Hold int64
	// OneByOne has a dense sketch count every point by itself and in its order, as in the paper.
	// Otherwise points of a cell that come near each other are counted at once, which takes a third
	// of the time if cells have many points. In mode mi that changes few counts, and those by little.
	OneByOne bool

	budget   Budget
	scarcity Scarcity // budget, where it knows
	held     int64    // bytes that are reserved
	class    key.Class
	total    uint64
	unknown  bool // the total is
	notSums  bool // some part's counters are no sums
	sketches bool // some were added: one to come may have more Bytes
	bounds   grid.Rect
	sections []*section
	plain    *section            // the first section without a category
	byText   map[string]*section // the first section of each category
	least    int                 // how many distinct cells all stores have at least
	packed   int64               // bytes of the code of all, when they were last packed together

	dense   *cascade.Counters
	spilled bool           // cells go into the counters at once, and no longer into stores
	united  cascade.Origin // of the dense sketches that were added
	added   uint64         // their total
	counted bool           // points went into the counters one by one

	trees int           // that were added; 2 where it was pruned
	tau   tree.Tau      // the largest threshold of those
	fit   tree.Accuracy // of the first
	// sample is of cells that were pruned.
	sample cellSample
}

// section is what a Builder has of one category and region.
type section struct {
	cells.Label
	part     uint8    // the upper bits of the keys, beyond store.MaxWidth
	next     *section // of the same category
	cells    store.Cells
	squares  tree.Merger // where some were added or pruned
	counting counting    // on the way into the counters
	held     int64       // bytes that are reserved for all of these
	least    int         // how many distinct cells there are at least
}

// partOf is the upper bits of a key, in which the cells of a section agree.
func partOf(key uint64) uint8 { return uint8(key >> store.MaxWidth) }

const (
	// HoldTree times Bytes is how many bytes of cells a builder of a tree keeps before it prunes
	// them, at 16 for each, where Hold is not less: an exact list of Bytes has at most a
	// quarter as many, at 2 bits for each. A sketch that can stay exact does.
	HoldTree = 256
	// HoldSketches is how many bytes of cells a builder that was given sketches keeps in any case
	// before it prunes or counts in counters, where Hold is not less: their cells may fit a
	// sketch of more Bytes that is yet to come.
	HoldSketches = 16 << 20
	// keepTree times Bytes is what the leaves take in the BLOB that a builder keeps when it prunes.
	keepTree = 4
	// leastSection is about what a section takes at least in a BLOB.
	leastSection = 16
	// cellBytes is the memory of a cell in a list, and sectionCells how many cells take as much as a section.
	cellBytes    = 16
	sectionCells = cells.SectionBytes / cellBytes
)

// NewBuilder returns an empty Builder. A nil budget refuses nothing.
func NewBuilder(c Config, budget Budget) *Builder {
	c.mustBeMade()
	b := &Builder{Config: c, Hold: 1 << 30, budget: budget, bounds: cells.NoBounds}
	b.scarcity, _ = budget.(Scarcity)
	return b
}

// grow reserves memory, or gives it back.
func (b *Builder) grow(delta int64) error {
	if b.budget != nil && delta != 0 {
		if err := b.budget.Grow(delta); err != nil {
			return err
		}
	}
	b.held += delta
	return nil
}

// change reserves what a change of a section takes at most, makes it, and keeps reserved what
// the section has then.
func (b *Builder) change(s *section, need int64, f func()) error {
	if err := b.grow(need); err != nil {
		return err
	}
	f()
	return b.account(s, need)
}

// account keeps reserved what a section has, and gives back what was reserved beside it.
func (b *Builder) account(s *section, reserved int64) error {
	now := s.cells.Bytes() + tree.SquareBytes(s.squares.Len()) + s.counting.bytes()
	least, _ := s.cells.Distinct()
	delta := now - s.held - reserved
	b.least += least - s.least
	s.held, s.least = now, least
	return b.grow(delta)
}

// at returns the section of a category, nil for none, in a region, and of a part of its keys.
func (b *Builder) at(category []byte, x, y int32, part uint8) (*section, error) {
	first := b.plain
	if category != nil {
		first = b.byText[string(category)]
	}
	for s := first; s != nil; s = s.next {
		if s.X == x && s.Y == y && s.part == part {
			return s, nil
		}
	}
	if err := b.grow(cells.SectionBytes + int64(len(category))); err != nil {
		return nil, err
	}
	s := &section{
		Label: cells.Label{Category: string(category), None: category == nil, X: x, Y: y},
		part:  part, next: first,
	}
	b.sections = append(b.sections, s)
	if category == nil {
		b.plain = s
		return s, nil
	}
	if b.byText == nil {
		b.byText = map[string]*section{}
	}
	b.byText[s.Category] = s
	return s, nil
}

// AddKeys counts a point for each of the keys from Config.Keys.
func (b *Builder) AddKeys(keys []uint64) error {
	b.mustBeMade()
	if b.Categories {
		return ErrNeedsCategory
	}
	b.total = saturate.Add(b.total, uint64(len(keys)))
	return b.addKeys(nil, 0, 0, keys, nil)
}

// AddKey counts a point for one key from Config.Keys.
func (b *Builder) AddKey(key uint64) error {
	keys := [1]uint64{key}
	return b.AddKeys(keys[:])
}

// Add counts n points in a cell; category nil is none. class is that of the
// category, 0 without one.
func (b *Builder) Add(c grid.Cell, category []byte, class key.Class, n uint64) error {
	if err := b.checkPoint(c, category); err != nil {
		return err
	}
	if err := differClass(b.class, class); err != nil {
		return err
	}
	b.class = max(b.class, class)
	if n == 0 {
		return nil
	}
	b.total = saturate.Add(b.total, n)
	x, y, z := cells.Key(c)
	keys, counts := [1]uint64{z}, [1]uint64{n}
	if n == 1 {
		return b.addKeys(category, x, y, keys[:], nil)
	}
	return b.addKeys(category, x, y, keys[:], counts[:])
}

// addKeys counts a point for each key of a region, or counts[i] of them.
func (b *Builder) addKeys(category []byte, x, y int32, keys, counts []uint64) error {
	for len(keys) > 0 {
		n := len(keys)
		if store.Differ(keys)>>store.MaxWidth != 0 {
			n = 1
			for n < len(keys) && partOf(keys[n]) == partOf(keys[0]) {
				n++
			}
		}
		s, err := b.at(category, x, y, partOf(keys[0]))
		if err != nil {
			return err
		}
		var some []uint64
		if counts != nil {
			some, counts = counts[:n], counts[n:]
		}
		if err := b.addTo(s, keys[:n], some); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

// addTo counts points of a section.
func (b *Builder) addTo(s *section, keys, counts []uint64) error {
	if b.spilled || !b.Exact {
		return b.count(s, keys, counts)
	}
	need := s.cells.Need(len(keys))
	if need == 0 && counts == nil { // most often: nothing is allocated
		s.cells.Add(keys)
		return nil
	}
	if err := b.grow(need); err != nil {
		return err
	}
	if counts == nil {
		s.cells.Add(keys)
	} else {
		s.cells.AddCounted(keys, counts)
	}
	if err := b.account(s, need); err != nil {
		return err
	}
	return b.settle(s)
}

// addRun adds the cells of a label, which are in the order of their keys.
func (b *Builder) addRun(p *cells.Label, r cells.Run) error {
	for len(r.Keys) > 0 {
		n, _ := slices.BinarySearchFunc(r.Keys, partOf(r.Keys[0]), func(key uint64, part uint8) int {
			if partOf(key) <= part {
				return -1
			}
			return 1
		})
		s, err := b.at(p.KeyCategory(), p.X, p.Y, partOf(r.Keys[0]))
		if err != nil {
			return err
		}
		part := cells.Run{Keys: r.Keys[:n], Counts: r.Counts[:n]}
		r = cells.Run{Keys: r.Keys[n:], Counts: r.Counts[n:]}
		if b.spilled {
			b.insertRun(s, part)
			continue
		}
		if err := b.change(s, s.cells.Need(n), func() { s.cells.AddCounted(part.Keys, part.Counts) }); err != nil {
			return err
		}
		if err := b.settle(s); err != nil {
			return err
		}
	}
	return nil
}

// AddView adds a sketch, which is left unchanged, after checking it.
func (b *Builder) AddView(v *View) error {
	if err := v.check(); err != nil {
		return err
	}
	if err := b.join(&v.Config, v.Form(), v.Class()); err != nil {
		return err
	}
	b.sketches = true
	total, known := v.Total()
	b.mergeTotal(total, known, !v.header.Flags.Has(sketch.Additive))
	switch r := v.reader().(type) {
	case *counters.Reader:
		return b.addDense(&r.Counters, v.Bounds, v.parts, total)
	case *tree.Reader:
		return b.addTreeOf(r, v.Bounds)
	}
	return b.addExact(&v.exact.Cells)
}

// addExact adds the cells of a body.
func (b *Builder) addExact(v *cells.View) error {
	var to *section
	reserved := int64(0)
	room := func(w *cells.Wanted) (r cells.Room, err error) {
		if w.Wide { // the room of before is of no use
			if err := b.grow(-reserved); err != nil {
				return r, err
			}
		}
		if to, err = b.at(w.Category, w.X, w.Y, partOf(w.Base)); err != nil {
			return r, err
		}
		reserved = cells.RunBytes(w.Cells) + to.cells.Need(w.Cells)
		if err := b.grow(reserved); err != nil { // before cells are read
			return r, err
		}
		if !w.Wide && !b.spilled {
			r.Words = to.cells.Room(w.Cells, w.Base)
		}
		if r.Words == nil {
			r.Run = cells.NewRun(w.Cells)
		}
		return r, nil
	}
	return v.EachSectionIn(room, func(w *cells.Wanted, r cells.Room) error {
		if r.Words != nil {
			to.cells.Fill(w.Cells)
			if err := b.account(to, reserved); err != nil {
				return err
			}
			return b.settle(to)
		}
		label := w.Label()
		if err := b.addRun(&label, r.Run); err != nil {
			return err
		}
		return b.grow(-reserved)
	})
}

// Merge adds another builder's points and sketches. from is left unchanged and
// may be merged into several builders at once.
func (b *Builder) Merge(from *Builder) error {
	if err := b.join(&from.Config, from.form(), from.class); err != nil {
		return err
	}
	b.sketches = b.sketches || from.sketches
	b.mergeTotal(from.total, !from.unknown, from.notSums)
	for _, f := range from.sections {
		s, err := b.at(f.KeyCategory(), f.X, f.Y, f.part)
		if err != nil {
			return err
		}
		if err := b.mergeSection(s, f); err != nil {
			return err
		}
	}
	if from.trees > 0 {
		if b.dense != nil {
			return ErrForms
		}
		if err := b.needSample(); err != nil {
			return err
		}
		b.sample.merge(&b.Config, &from.sample)
		return b.addPruned(from.trees, from.tau, from.fit, from.bounds)
	}
	if from.dense != nil {
		return b.addDense(from.dense, from.bounds, from.parts(from.counted), from.total)
	}
	return nil
}

// mergeSection adds a section of another builder.
func (b *Builder) mergeSection(s, from *section) error {
	if !from.cells.Empty() {
		if err := b.change(s, s.cells.MergeNeed(&from.cells), func() { s.cells.Merge(&from.cells) }); err != nil {
			return err
		}
		if b.spilled {
			if err := b.insertStore(s); err != nil {
				return err
			}
		} else if err := b.settle(s); err != nil {
			return err
		}
	}
	for _, squares := range from.squares.Lists() {
		if err := b.addSquares(s, squares); err != nil {
			return err
		}
	}
	return b.mergeCounting(s, &from.counting)
}

// join makes the configuration that of all that was added and a sketch of another one,
// form and class of categories, or returns an error where that cannot be added.
func (b *Builder) join(c *Config, form Form, class key.Class) error {
	b.mustBeMade()
	if b.Config != *c {
		if err := b.combine(b.form(), c, form); err != nil {
			return err
		}
	}
	if err := differClass(b.class, class); err != nil {
		return err
	}
	b.class = max(b.class, class)
	b.Config = joined(&b.Config, b.form(), c, form)
	return nil
}

// form is the form of what was added, as far as it is decided: counters, once there
// are some, stay counters.
func (b *Builder) form() Form {
	switch {
	case b.dense != nil || !b.Exact:
		return Dense
	case b.trees > 0:
		return Tree
	}
	return Exact
}

func (b *Builder) mergeTotal(total uint64, known bool, notSums bool) {
	b.unknown = b.unknown || !known
	b.notSums = b.notSums || notSums
	b.total = saturate.Add(b.total, total)
}

// Class is the class of the categories so far.
func (b *Builder) Class() key.Class { return b.class }

// settle packs the cells of a section where memory is scarce, and ends the exact form where there
// are too many cells.
func (b *Builder) settle(s *section) error {
	if err := b.pack(s); err != nil {
		return err
	}
	if b.spilled {
		return nil
	}
	if b.weight() <= b.mostCells() {
		return nil
	}
	if fits, err := b.fitsPacked(); fits || err != nil {
		return err
	}
	if b.Overflow == ToTree && b.dense == nil {
		return b.overflow()
	}
	return b.spill()
}

// fitsPacked reports whether cells, packed as in a BLOB, may still fit Bytes: then they stay,
// however little memory there is.
func (b *Builder) fitsPacked() (bool, error) {
	if b.dense != nil || b.trees > 0 || uint64(b.least) > b.Bytes*8/cells.MinCellBits {
		return false, nil
	}
	size, err := b.packAll(false)
	if most := max(int64(b.Bytes), b.packed/4*5); err != nil || size <= most {
		return err == nil, err
	}
	// Cells that are in several lists count several times, unless these become one.
	b.packed, err = b.packAll(true)
	return b.packed <= int64(b.Bytes), err
}

// packAll packs the cells of all sections, and returns how many bytes their code takes.
func (b *Builder) packAll(together bool) (size int64, err error) {
	for _, s := range b.sections {
		if together || s.cells.Packs() {
			if err := b.change(s, s.cells.SumNeed(), func() { s.cells.Pack(together) }); err != nil {
				return 0, err
			}
		}
		size += s.cells.CodeBytes()
	}
	return size, nil
}

// mostCells is how many distinct cells are kept before they are pruned or counted in counters.
func (b *Builder) mostCells() int64 {
	most := b.Hold
	switch {
	case b.Overflow == ToTree && b.dense == nil:
		most = int64(b.Bytes) * HoldTree
	case b.Mode == Standard && b.dense != nil:
		return 0
	case b.Mode == Standard: // counters are the same whenever they are made
		most = int64(b.Bytes*8/cells.MinCellBits) * cellBytes
	}
	if b.sketches {
		most = max(most, HoldSketches)
	}
	return min(b.Hold, most) / cellBytes
}

// weight is how many cells take as much memory as all cells, at least, and sections.
func (b *Builder) weight() int64 { return int64(b.least + len(b.sections)*sectionCells) }

// pack makes the cells of a section small where memory is scarce.
func (b *Builder) pack(s *section) error {
	scarce := 0
	if b.scarcity != nil {
		scarce = b.scarcity.Scarce()
	}
	if scarce == 0 {
		s.cells.Limit(max(1<<10, int(min(b.mostCells(), 1<<20)))) // so that the end of the exact form is noticed
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
	return b.change(s, s.cells.SumNeed(), func() { s.cells.Pack(together) })
}

// Build makes the sketch of points, as ccbf_agg does of two columns: the BLOB is the
// same. xs and ys are equally long. A coordinate without a cell is an error, as are
// parameters with categories, which need a Builder.
func Build(p Params, xs, ys []float64) (*Sketch, error) {
	if len(xs) != len(ys) {
		return nil, fmt.Errorf("%d xs and %d ys", len(xs), len(ys))
	}
	c, err := p.Config()
	if err != nil {
		return nil, err
	}
	if c.Categories {
		return nil, sketch.OptionError("category", "is given, but Build takes points without one: use NewBuilder")
	}
	const atOnce = 1024
	var keys [atOnce]uint64
	b := NewBuilder(c, nil)
	for at := 0; at < len(xs); {
		end := min(at+atOnce, len(xs))
		n := c.Keys(keys[:end-at], xs[at:end], ys[at:end])
		if err := b.AddKeys(keys[:n]); err != nil {
			return nil, err
		}
		if at += n; at == end {
			continue
		}
		cell, err := c.Grid.Cell(xs[at], ys[at]) // far away, or nowhere
		if err != nil {
			return nil, fmt.Errorf("point %d: %w", at, err)
		}
		if err := b.Add(cell, nil, key.None, 1); err != nil {
			return nil, err
		}
		at++
	}
	return b.Sketch()
}
