package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/store"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/key"
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
//  2. After each change that needs memory, settle decides whether the cells stay: by their
//     number, that of sections, and what they take packed. A sketch that overflows to a tree is
//     pruned to few squares above 16 times Bytes cells. One that overflows to counters goes over
//     to them above Hold.
//  3. Points of a sketch that has gone over to counters, or is never exact, are counted in
//     those, some thousand at a time (counting.go).
//  4. AppendBlob merges the stores, writes the exact BLOB from them, and makes a tree or
//     counters where that takes more than Bytes.
//
// Memory is reserved before each of these steps, by what the stores say that they need, and
// given back after it.
//
// Rejected: a store in which cells move between a buffer, runs and packed blocks by what memory
// is held. It was no faster, and what a sketch became depended on how much memory other groups had.
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

	sections

	class    key.Class
	total    uint64
	unknown  bool // the total is
	notSums  bool // some part's counters are no sums
	sketches bool // some were added: one to come may have more Bytes
	bounds   grid.Rect
	packed   int64 // bytes of the code of all, when they were last packed together

	counterState // where it goes over to counters
	treeState    // where it is pruned
}

const (
	// HoldTree times Bytes is how many bytes of cells a builder of a tree keeps before it prunes
	// them, at 16 for each, where Hold is not less. That is four times the cells that an exact list
	// of Bytes can hold, at 2 bits for each.
	HoldTree = 256
	// HoldSketches is how many bytes of cells a builder that was given sketches keeps in any case
	// before it prunes or counts in counters, where Hold is not less: their cells may fit a
	// sketch of more Bytes that is yet to come.
	HoldSketches = 16 << 20
)

// NewBuilder returns an empty Builder. A nil budget refuses nothing.
func NewBuilder(c Config, budget Budget) *Builder {
	c.mustBeMade()
	scarcity, _ := budget.(Scarcity)
	return &Builder{Config: c, Hold: 1 << 30, sections: sections{budget: budget, scarcity: scarcity}, bounds: cells.NoBounds}
}

// addPoints counts a point for each of the keys from cells.Keys.
func (b *Builder) addPoints(keys []uint64) error {
	b.mustBeMade()
	if b.Categories {
		return ErrNeedsCategory
	}
	b.total = saturate.Add(b.total, uint64(len(keys)))
	return b.addKeys(nil, 0, 0, keys, nil)
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

// settle packs the cells of a section where memory is scarce, and ends the exact form where there
// are too many cells.
func (b *Builder) settle(s *section) error {
	if err := b.pack(s, b.mostCells()); err != nil {
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
		return b.pruneOrCount()
	}
	return b.goToCounters()
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
