package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Budget is called before memory is allocated (delta > 0) and when it is freed
// (delta < 0). A refusal ends the building with its error.
type Budget interface{ Grow(delta int64) error }

// Builder collects points and sketches and makes one sketch of them. Cells are
// buffered, sorted and counted run by run, so that the exact form, and the
// dense form made from exact counts, come out in the order that they need.
//
// The result does not depend on the order of points, except for sketches that grew
// past Hold before they could be known to become dense, and for dense ones in
// mode mi that were never exact. Nor does it depend on the order of sketches, even if
// their parameters differ (as far as they combine), except for trees, and for more
// cells than HoldSketches holds.
type Builder struct {
	Config
	// Hold is how many bytes of cells are kept before a sketch that cannot
	// stay exact becomes dense for want of memory.
	Hold int64
	// Spare reports whether a processor has nothing else to do: then the end of a large
	// sketch, its last merge and its BLOB, is made by two goroutines. None where
	// it is nil. The bytes are the same.
	Spare func() bool
	// OneByOne has a dense sketch count every point by itself and in its order, as in the paper.
	// Otherwise points of a cell that come near each other are counted at once, which takes a third
	// of the time if cells have many points. In mode mi that changes few counts, and those by little.
	OneByOne bool

	budget   Budget
	scarcity Scarcity // budget, where it knows
	class    key.Class
	total    uint64
	unknown  bool // the total is
	notSums  bool // some part's counters are no sums
	bounds   grid.Rect
	sections []*sectionBuilder
	plain    *sectionBuilder            // the first section without a category
	byText   map[string]*sectionBuilder // the first section of each category
	dense    *cascade.Counters
	trees    int            // that were added; 2 where it was pruned
	tau      tree.Tau       // the largest threshold of those
	fit      accuracy       // of the first
	united   cascade.Origin // of the dense sketches that were added
	added    uint64         // their total
	counted  bool           // points went into the dense form one by one
	held     int64          // bytes of all of it
	cells    uint64         // in runs, packed ones too
	inPiles  int            // cells
	lent     int64          // bytes of lists that gather made of packed runs
	ending   bool           // the sketch is made: runs are not packed any more
	// packed is the cells in packed runs, packedBytes what those take, and leastPacked
	// how many different cells they have at least.
	packed, leastPacked int
	packedBytes         int64
	// spilled says that cells go into the dense form at once, and no longer
	// into runs.
	spilled bool
	// sketches says that sketches were added: one to come may have more Bytes.
	sketches bool
}

// sectionBuilder collects the cells of one section.
type sectionBuilder struct {
	cells.Label
	next    *sectionBuilder // of the same category
	buf     []uint64
	weights []uint64      // beside buf; nil while all are 1
	recents cells.Recents // on their way into the dense form
	recurs  bool          // the last keys were of recent cells
	alone   int           // for how many buffers keys are taken not to be of recent cells
	words   cells.Words
	runs    []cells.Run // each less than half as long as the one before
	pile    cells.Pile  // of small sketches, in any order, some more than once
	packed  []cells.Packed
	squares tree.Merger
}

// NewBuilder returns an empty Builder. A nil budget refuses nothing.
func NewBuilder(c Config, budget Budget) *Builder {
	b := &Builder{Config: c, Hold: 1 << 30, budget: budget, bounds: cells.NoBounds}
	b.scarcity, _ = budget.(Scarcity)
	return b
}

func (b *Builder) grow(delta int64) error {
	if b.budget != nil {
		if err := b.budget.Grow(delta); err != nil {
			return err
		}
	}
	b.held += delta
	return nil
}

// growing makes room for a change to what holds cells, which takes at most so many bytes
// more, and gives back what it did not keep.
func (b *Builder) growing(more int64, cells interface{ Bytes() int64 }, change func()) error {
	before := cells.Bytes()
	if err := b.grow(more); err != nil {
		return err
	}
	change()
	return b.grow(cells.Bytes() - before - more)
}

// at returns the builder of the cells of a category, nil for none, in a region.
func (b *Builder) at(category []byte, x, y int32) (*sectionBuilder, error) {
	first := b.plain
	if category != nil {
		first = b.byText[string(category)]
	}
	for pb := first; pb != nil; pb = pb.next {
		if pb.X == x && pb.Y == y {
			return pb, nil
		}
	}
	if err := b.grow(cells.SectionBytes + int64(len(category))); err != nil {
		return nil, err
	}
	pb := &sectionBuilder{Label: cells.Label{Category: string(category), None: category == nil, X: x, Y: y}, next: first}
	b.sections = append(b.sections, pb)
	if category == nil {
		b.plain = pb
		return pb, nil
	}
	if b.byText == nil {
		b.byText = map[string]*sectionBuilder{}
	}
	b.byText[pb.Category] = pb
	return pb, nil
}

// AddKeys counts a point for each of the keys from Config.Keys.
func (b *Builder) AddKeys(keys []uint64) error {
	if b.Categories {
		return ErrNeedsCategory
	}
	pb, err := b.at(nil, 0, 0)
	if err != nil {
		return err
	}
	b.total = saturate.Add(b.total, uint64(len(keys)))
	return b.pushAll(pb, keys, nil)
}

// AddKey counts a point for one key from Config.Keys.
func (b *Builder) AddKey(key uint64) error {
	if b.Categories {
		return ErrNeedsCategory
	}
	pb, err := b.at(nil, 0, 0)
	if err != nil {
		return err
	}
	b.total = saturate.Add(b.total, 1)
	return b.push(pb, key, 1)
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
	sx, sy, z := cells.Key(c)
	pb, err := b.at(category, sx, sy)
	if err != nil {
		return err
	}
	b.total = saturate.Add(b.total, n)
	return b.push(pb, z, n)
}

// Sketch makes a sketch of everything that was added. It may share memory with the
// builder: read or encode it before adding anything else, and before Release.
func (b *Builder) Sketch() (*Sketch, error) {
	if err := b.Release(); err != nil {
		return nil, err
	}
	b.ending = true
	defer func() { b.ending = false }()
	for _, pb := range b.sections {
		if err := b.flushAll(pb); err != nil {
			return nil, err
		}
	}
	if !b.Exact {
		if err := b.spill(); err != nil {
			return nil, err
		}
	}
	list, err := b.gather()
	if err != nil {
		return nil, err
	}
	if b.trees > 0 {
		return b.sketchTree(list)
	}
	s := b.empty()
	s.cells, s.dense = list, b.dense
	if s.dense != nil && len(s.cells) > 0 {
		// Cells that came beside dense sketches: they go in last and in their
		// own order, so that the order in which they came does not matter.
		s.dense = s.dense.Clone()
		s.bounds = cells.Hull(s.bounds, insertCells(s.dense, &s.Config, s.cells))
		s.cells, s.parts = nil, b.parts(true)
	} else if s.dense != nil {
		s.parts = b.parts(b.counted)
	}
	return s, nil
}

// empty is a sketch of what was added without its cells or counters.
func (b *Builder) empty() *Sketch {
	return &Sketch{
		Config: b.Config, Class: b.class, Total: b.total, TotalKnown: !b.unknown, bounds: b.bounds,
		sums: b.Mode == Standard && !b.notSums, spare: b.Spare,
	}
}

// join makes the configuration that of all that was added and a sketch of another one,
// form and class of categories, or returns an error where that cannot be added.
func (b *Builder) join(c *Config, form Form, class key.Class) error {
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
	return v.in().addTo(b, total)
}

// addShared adds a run that is accounted for to a section.
func (b *Builder) addShared(pb *sectionBuilder, r cells.Run) error {
	if b.spilled {
		b.insertRun(pb, r)
		return b.grow(-r.Bytes())
	}
	return b.addRun(pb, r)
}

// parts are those of the dense form: of the dense sketches that were added, and of
// all other points; counted says that some of these were counted one by one.
func (b *Builder) parts(counted bool) cascade.Origin {
	if b.Mode == Standard {
		return cascade.Origin{}
	}
	own, total := cascade.Origin{}, b.total-min(b.added, b.total)
	if counted {
		own = cascade.OnePart(total)
	}
	return b.united.With(b.added, own, total)
}

func (b *Builder) addDense(d *cascade.Counters, bounds grid.Rect, p cascade.Origin, total uint64) error {
	if b.trees > 0 {
		return ErrForms
	}
	if err := b.needDense(); err != nil {
		return err
	}
	b.united = b.united.With(b.added, p, total)
	b.added = saturate.Add(b.added, total)
	b.bounds = cells.Hull(b.bounds, bounds)
	b.dense.Union(d)
	return nil
}

// Merge adds another builder's points and sketches. from is left unchanged and
// may be merged into several builders at once.
func (b *Builder) Merge(from *Builder) error {
	if err := b.join(&from.Config, from.form(), from.class); err != nil {
		return err
	}
	b.sketches = b.sketches || from.sketches
	b.mergeTotal(from.total, !from.unknown, from.notSums)
	for _, fp := range from.sections {
		pb, err := b.at(fp.KeyCategory(), fp.X, fp.Y)
		if err != nil {
			return err
		}
		for _, r := range fp.runs {
			if err := b.grow(r.Bytes()); err != nil {
				return err
			}
			if err := b.addShared(pb, r); err != nil {
				return err
			}
		}
		if err := b.mergePile(pb, &fp.pile); err != nil {
			return err
		}
		for _, p := range fp.packed {
			if err := b.mergePacked(pb, p); err != nil {
				return err
			}
		}
		for _, squares := range fp.squares.Lists() {
			if err := b.addSquares(pb, squares); err != nil {
				return err
			}
		}
		if err := b.mergeWords(pb, &fp.words); err != nil {
			return err
		}
		if err := b.mergeRecents(pb, &fp.recents); err != nil {
			return err
		}
		if len(fp.buf) >= sortAtOnce && fp.weights == nil {
			if ok, err := b.addWords(pb, fp.buf); err != nil {
				return err
			} else if ok {
				continue
			}
		}
		if err := b.reserve(pb, len(fp.buf)); err != nil {
			return err
		}
		if err := b.pushAll(pb, fp.buf, fp.weights); err != nil {
			return err
		}
	}
	if from.trees > 0 {
		if b.dense != nil {
			return ErrForms
		}
		return b.addPruned(from.trees, from.tau, from.fit, from.bounds)
	}
	if from.dense != nil {
		return b.addDense(from.dense, from.bounds, from.parts(from.counted), from.total)
	}
	return nil
}

// Class is the class of the categories so far.
func (b *Builder) Class() key.Class { return b.class }
