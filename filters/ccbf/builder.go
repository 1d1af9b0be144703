package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/exact"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/store"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Budget is called before memory is allocated (delta > 0) and after it is freed (delta < 0). If it
// returns an error for memory to allocate, building ends with that error. A Builder gives back what it
// frees on the way, but not the rest at the end: the owner of the Budget does that.
type Budget interface{ Grow(delta int64) error }

// Scarcity is a Budget that also reports how much memory is left, so that builders pack their cells in
// time. A builder cannot know: there may be a million builders, and each knows only its own memory.
type Scarcity interface {
	Budget
	// Scarce returns 0 for plenty of memory, 1 for little, and 2 for next to none.
	Scarce() int
	// Turn waits until no other builder needs a large part of the budget for a moment, if n bytes
	// are one. The builder calls done after it gave them back.
	Turn(n int64) (done func())
}

// Builder collects points and sketches and makes one sketch of them.
//
// A point takes these steps:
//
//  1. Its key goes to the section of its category and region, which counts it exactly in a
//     store.Cells.
//  2. After each change that needs memory, settle decides whether the cells stay. It compares their
//     number, that of sections, and their packed size with Bytes. A sketch that overflows to a tree
//     (nested squares with counts) is pruned above 16 times Bytes cells. One that overflows to
//     counters (a layered counting Bloom filter) goes over to them above Hold, and in mode standard
//     above 4 times Bytes cells.
//  3. If the sketch has gone over to counters, or is never exact, points are counted there, some
//     thousand at a time (counting.go).
//  4. bridge.AppendBlob merges the stores and writes the exact BLOB from them. If that takes more than
//     Bytes, it makes a tree or counters.
//
// Memory is reserved before each of these steps, by the needs that the stores state, and given back
// afterwards.
//
// One design was rejected: a builder that chooses the form of its cells by the memory in use. It was no
// faster, and the form of a sketch depended on the memory of other groups. Now only the store packs its
// lists when memory is scarce.
//
// The result does not depend on the order of points, with three exceptions. One is a sketch with
// more cells than Hold before its overflow is certain. The others are trees pruned on the way, and
// counters of mode mi that were never exact. It does not depend on the order of sketches either,
// even if their parameters differ. Trees are an exception, and so are more cells than HoldSketches.
type Builder struct {
	Config
	// Hold is a number of bytes of cells, at 16 for each. With more cells, a sketch that cannot
	// stay exact goes over to counters. With half as many, it is pruned.
	Hold int64
	// OneByOne makes counters count every point by itself and in its order, as in the paper.
	// Otherwise points of a cell that come near each other are counted at once. That takes a third
	// of the time if cells have many points. In mode mi it changes few counts, and those by little.
	OneByOne bool

	sections

	class    key.Class
	total    uint64
	unknown  bool // whether the total of some part is unknown.
	sketches bool // whether sketches were added: the next one may have a larger parameter Bytes.
	bounds   grid.Rect
	measured int64 // the weight of the cells when fitsPacked last packed them.

	counterState // the counters that the builder went over to.
	treeState    // the squares that were added or pruned.
}

const (
	// HoldTree times Bytes is a number of bytes of cells, at 16 for each. With more cells, a
	// builder of a tree prunes them. Hold is a limit as well. HoldTree allows four times the cells
	// that an exact list of Bytes can hold, at 2 bits for each.
	HoldTree = 256
	// HoldSketches is the number of bytes of cells that a builder of sketches keeps before it
	// prunes them or goes over to counters. Hold is a limit as well. The next sketch may have more
	// Bytes, which the cells fit.
	HoldSketches = 16 << 20
)

// NewBuilder returns an empty Builder. A nil budget has no limit.
func NewBuilder(c Config, budget Budget) *Builder {
	c.mustBeMade()
	scarcity, _ := budget.(Scarcity)
	return &Builder{Config: c, Hold: 1 << 30, sections: sections{reserve: reserve{budget: budget}, scarcity: scarcity}, bounds: grid.EmptyRect()}
}

// addPoints counts one point for each key. The keys come from cells.Keys.
func (b *Builder) addPoints(keys []uint64) error {
	b.mustBeMade()
	if b.Categories {
		return ErrNeedsCategory
	}
	b.total = saturate.Add(b.total, uint64(len(keys)))
	return b.addKeys(nil, 0, 0, keys, nil)
}

// Add counts n points in cell c. A nil category means no category. class is the class of the category, or
// 0 without a category.
func (b *Builder) Add(c grid.Cell, category []byte, class key.Class, n uint64) error {
	if err := b.checkPoint(c, category); err != nil {
		return err
	}
	if class != b.class {
		switch {
		case !b.Categories:
			return ErrNoCategory
		case !class.Known():
			return unknownClass(class)
		}
		if err := differClass(b.class, class); err != nil {
			return err
		}
		b.class = max(b.class, class)
	}
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

// addKeys counts points in region (x, y): counts[i] points for keys[i], or one point if counts is nil.
func (b *Builder) addKeys(category []byte, x, y int32, keys, counts []uint64) error {
	for len(keys) > 0 {
		n, differ := len(keys), cells.Differ(keys)
		if differ>>store.MaxWidth != 0 {
			n = 1
			for n < len(keys) && partOf(keys[n]) == partOf(keys[0]) {
				n++
			}
			differ = cells.Differ(keys[:n])
		}
		s, err := b.at(category, x, y, partOf(keys[0]))
		if err != nil {
			return err
		}
		var some []uint64
		if counts != nil {
			some, counts = counts[:n], counts[n:]
		}
		if err := b.addTo(s, keys[:n], some, differ); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

// addTo counts points in section s: counts[i] points for keys[i], or one point if counts is nil. differ is
// cells.Differ of the keys.
func (b *Builder) addTo(s *section, keys, counts []uint64, differ uint64) error {
	if b.spilled || !b.Exact {
		return b.count(s, keys, counts)
	}
	return b.store(s, keys, counts, differ)
}

// store is addTo for the store of s. It reserves memory, and settles the form.
func (b *Builder) store(s *section, keys, counts []uint64, differ uint64) error {
	need := s.cells.Need(keys, differ)
	// This is the usual case: there is room already, and every key counts once. It reserves no memory.
	if need == 0 && counts == nil {
		s.cells.Add(keys, nil, differ)
		return nil
	}
	if err := b.change(s, need, func() { s.cells.Add(keys, counts, differ) }); err != nil {
		return err
	}
	return b.settle(s)
}

// form returns the form that a sketch of the points so far has. Once there are counters, it stays Dense.
func (b *Builder) form() Form {
	switch {
	case b.dense != nil || !b.Exact:
		return Dense
	case b.pruned:
		return Tree
	}
	return Exact
}

// settle packs the cells of a section if memory is scarce, and ends the exact form if there are too
// many cells.
func (b *Builder) settle(s *section) error {
	if err := b.pack(s, b.mostCells()); err != nil {
		return err
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

// fitsPacked reports whether the cells, if packed, may still fit in Bytes. If they do, the sketch stays
// exact, even if memory is scarce.
func (b *Builder) fitsPacked() (bool, error) {
	if b.dense != nil || b.pruned || uint64(b.least) > b.Bytes*8/exact.MinCellBits {
		return false, nil
	}
	// A packed cell takes about 8 bytes at most. If cells are sure to fit, they stay as they are until they take more
	// memory.
	sure := min(int64(b.Bytes/8), b.Hold/cellBytes)
	if b.weight() <= max(b.measured/4*5, sure) {
		return true, nil
	}
	size := int64(0)
	if err := b.each(func(c *store.Cells) {
		c.Pack()
		c.Sum()
		size += c.Bytes()
	}); err != nil {
		return false, err
	}
	b.measured = b.weight()
	return size <= int64(b.Bytes), nil
}

// mostCells returns the largest number of distinct cells that a builder keeps. More cells are pruned or
// counted in counters.
func (b *Builder) mostCells() int64 {
	hold, most := b.Hold, b.Hold
	switch {
	case b.Overflow == ToTree && b.dense == nil:
		hold, most = b.treeHold(), int64(b.Bytes)*HoldTree
	// In mode standard the result does not depend on the time when cells go into counters: at once, if there
	// are counters already.
	case b.Mode == Standard && b.dense != nil:
		return 0
	case b.Mode == Standard:
		most = int64(b.Bytes*8/exact.MinCellBits) * cellBytes
	}
	if b.sketches {
		most = max(most, HoldSketches)
	}
	return min(hold, most) / cellBytes
}

// treeHold is Hold for the cells of a tree. Pruning takes seven times their memory. When two builders merge, their
// stores may have three times the cells that are known to be distinct.
func (b *Builder) treeHold() int64 { return b.Hold / 2 }
