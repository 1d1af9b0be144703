package ccbf

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Budget is asked before memory is allocated (delta > 0) and told when it is
// given back (delta < 0). A refusal ends the building with its error.
type Budget interface{ Grow(delta int64) error }

// Builder collects points and sketches and makes one sketch of them. Cells are
// buffered, sorted and counted run by run, so that the exact form, and the
// dense form made from exact counts, come out in the order that they need.
//
// The result does not depend on the order of points, but for dense sketches in
// mode mi that grew past Hold or that were never exact.
type Builder struct {
	Config
	// Hold is how many bytes of cells are kept before a sketch that cannot
	// stay exact becomes dense for want of memory.
	Hold int64

	budget  Budget
	class   key.Class
	total   uint64
	unknown bool // the total is
	notSums bool // some part's counters are no sums
	bounds  grid.Rect
	places  []*placeBuilder
	byPlace map[place]*placeBuilder
	dense   *dense
	held    int64 // bytes of all of it
	// spilled says that cells go into the dense form at once, and no longer
	// into runs.
	spilled bool
}

// placeBuilder collects the cells of one section.
type placeBuilder struct {
	place
	buf     []uint64
	weights []uint64 // beside buf; nil while all are 1
	runs    []run    // each less than half as long as the one before
}

// Buffers start small, for there may be a million of them, and grow with what
// they hold up to a size that sorts in the second-level cache.
const (
	minBuffer  = 16
	sortBuffer = 1 << 12
	maxBuffer  = 1 << 18
)

// NewBuilder returns an empty Builder. A nil budget refuses nothing.
func NewBuilder(c Config, budget Budget) *Builder {
	return &Builder{Config: c, Hold: 1 << 30, budget: budget, bounds: noBounds}
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

// placeBytes is about what a section costs before it holds anything.
const placeBytes = 256

// at returns the builder of a place.
func (b *Builder) at(p place) (*placeBuilder, error) {
	if len(b.places) > 0 && b.places[0].place == p {
		return b.places[0], nil
	}
	if pb := b.byPlace[p]; pb != nil {
		return pb, nil
	}
	if err := b.grow(placeBytes + int64(len(p.category))); err != nil {
		return nil, err
	}
	pb := &placeBuilder{place: p}
	b.places = append(b.places, pb)
	if b.byPlace == nil {
		b.byPlace = map[place]*placeBuilder{}
	}
	b.byPlace[p] = pb
	return pb, nil
}

var home = place{none: true}

// AddKeys counts a point for each of the keys from Config.Keys.
func (b *Builder) AddKeys(keys []uint64) error {
	pb, err := b.at(home)
	if err != nil {
		return err
	}
	b.total = saturatingAdd(b.total, uint64(len(keys)))
	return b.pushAll(pb, keys, nil)
}

// pushAll is push for keys with an occurrence each, or weights[i] of them.
func (b *Builder) pushAll(pb *placeBuilder, keys, weights []uint64) error {
	if pb.weights != nil || weights != nil {
		for i, k := range keys {
			n := uint64(1)
			if weights != nil {
				n = weights[i]
			}
			if err := b.push(pb, k, n); err != nil {
				return err
			}
		}
		return nil
	}
	for len(keys) > 0 {
		if len(pb.buf) == cap(pb.buf) {
			if err := b.full(pb); err != nil {
				return err
			}
		}
		n := min(len(keys), cap(pb.buf)-len(pb.buf))
		pb.buf = append(pb.buf, keys[:n]...)
		keys = keys[n:]
	}
	return nil
}

// AddKey counts a point for one key from Config.Keys.
func (b *Builder) AddKey(key uint64) error {
	pb, err := b.at(home)
	if err != nil {
		return err
	}
	b.total = saturatingAdd(b.total, 1)
	return b.push(pb, key, 1)
}

// Add counts n points in a cell; category nil is none. class is that of the
// category, 0 without one.
func (b *Builder) Add(c grid.Cell, category []byte, class key.Class, n uint64) error {
	if err := b.checkPoint(category); err != nil {
		return err
	}
	if err := differClass(b.class, class); err != nil {
		return err
	}
	b.class = max(b.class, class)
	if n == 0 {
		return nil
	}
	sx, sy, z := zkey(c)
	pb, err := b.at(place{string(category), category == nil, sx, sy})
	if err != nil {
		return err
	}
	b.total = saturatingAdd(b.total, n)
	return b.push(pb, z, n)
}

// push puts a key into the buffer of its place.
func (b *Builder) push(pb *placeBuilder, key, n uint64) error {
	if len(pb.buf) == cap(pb.buf) {
		if err := b.full(pb); err != nil {
			return err
		}
	}
	if n != 1 && pb.weights == nil {
		if err := b.grow(int64(cap(pb.buf)) * 8); err != nil {
			return err
		}
		pb.weights = make([]uint64, len(pb.buf), cap(pb.buf))
		for i := range pb.weights {
			pb.weights[i] = 1
		}
	}
	pb.buf = append(pb.buf, key)
	if pb.weights != nil {
		pb.weights = append(pb.weights, n)
	}
	return nil
}

// full makes room in a full buffer: a larger one while it is small, else by
// sorting it into a run or counting it into the dense form.
func (b *Builder) full(pb *placeBuilder) error {
	size := cap(pb.buf)
	if size >= sortBuffer {
		if err := b.flush(pb); err != nil {
			return err
		}
		cells := 0
		for _, r := range pb.runs {
			cells += len(r.keys)
		}
		if size >= maxBuffer || cells <= size || b.spilled {
			return nil
		}
	}
	return b.resize(pb, max(minBuffer, 2*size))
}

// reserve makes room for n more keys at once where no buffer is too large for
// them: sorted together they are one run.
func (b *Builder) reserve(pb *placeBuilder, n int) error {
	size := max(minBuffer, cap(pb.buf))
	for size < len(pb.buf)+n && size < maxBuffer {
		size *= 2
	}
	if size <= cap(pb.buf) || n == 0 {
		return nil
	}
	return b.resize(pb, size)
}

// resize gives a place a larger buffer.
func (b *Builder) resize(pb *placeBuilder, size int) error {
	each := int64(8)
	if pb.weights != nil {
		each = 16
	}
	if err := b.grow(int64(size-cap(pb.buf)) * each); err != nil {
		return err
	}
	pb.buf = append(make([]uint64, 0, size), pb.buf...)
	if pb.weights != nil {
		pb.weights = append(make([]uint64, 0, size), pb.weights...)
	}
	return nil
}

// flush empties a buffer, into the dense form or a run.
func (b *Builder) flush(pb *placeBuilder) error {
	if len(pb.buf) == 0 {
		return nil
	}
	if !b.Exact {
		if err := b.spill(); err != nil {
			return err
		}
	}
	if b.spilled { // unsorted: mode mi counts rows as they come
		b.insert(section{pb.place, run{pb.buf, pb.weights}})
	} else {
		r := pb.sorted()
		if err := b.grow(runBytes(len(r.keys))); err != nil {
			return err
		}
		if err := b.addRun(pb, r); err != nil {
			return err
		}
	}
	pb.buf = pb.buf[:0]
	if pb.weights != nil {
		pb.weights = pb.weights[:0]
	}
	return nil
}

// sorted makes a run of the buffer, which it may sort.
func (pb *placeBuilder) sorted() run {
	s := sorters.Get().(*sorter)
	defer sorters.Put(s)
	return s.run(pb.buf, pb.weights)
}

// insert counts sections' cells in the dense form.
func (b *Builder) insert(sections ...section) {
	b.bounds = hull(b.bounds, b.dense.insertSections(&b.Config, sections))
}

// addRun adds a run, whose memory is accounted for, and merges runs so that
// each stays less than half as long as the one before.
func (b *Builder) addRun(pb *placeBuilder, r run) error {
	for n := len(pb.runs); n > 0 && len(pb.runs[n-1].keys) < 2*len(r.keys); n = len(pb.runs) {
		last := pb.runs[n-1]
		before := runBytes(len(last.keys) + len(r.keys))
		if err := b.grow(before); err != nil {
			return err
		}
		r = merge(last, r)
		pb.runs = pb.runs[:n-1]
		if err := b.grow(-before); err != nil {
			return err
		}
	}
	pb.runs = append(pb.runs, r)
	return b.settle()
}

// settle spills where holding cells no longer pays.
func (b *Builder) settle() error {
	cells := uint64(0)
	for _, pb := range b.places {
		for _, r := range pb.runs {
			cells += uint64(len(r.keys))
		}
	}
	// A cell in several runs is counted more than once, but as each run is
	// less than half as long as the one before, none of them more than twice.
	certain := b.Mode == Standard && (b.dense != nil || cells/2 > b.Bytes*8/minCellBits)
	if certain || b.held > b.Hold {
		return b.spill()
	}
	return nil
}

// needDense gives the builder an empty dense form.
func (b *Builder) needDense() error {
	if b.dense != nil {
		return nil
	}
	if err := b.grow(int64(b.shape.bytes())); err != nil {
		return err
	}
	b.dense = newDense(b.shape)
	return nil
}

// spill counts the cells held in the dense form, and from now on all others.
func (b *Builder) spill() error {
	if b.spilled {
		return nil
	}
	b.spilled = true
	fresh := b.dense == nil
	if err := b.needDense(); err != nil {
		return err
	}
	if sections := b.runSections(); len(sections) > 0 && fresh && b.Mode == MinimalIncrement {
		b.bounds = hull(b.bounds, cellBounds(sections))
		b.dense = maximumDense(&b.Config, sections)
	} else {
		b.insert(sections...)
	}
	freed := int64(0)
	for _, pb := range b.places {
		for _, r := range pb.runs {
			freed += runBytes(len(r.keys))
		}
		pb.runs = nil
	}
	return b.grow(-freed)
}

// runSections merges the runs of every place, without its buffer.
func (b *Builder) runSections() []section {
	sections := make([]section, 0, len(b.places))
	for _, pb := range b.places {
		var r run
		for i := len(pb.runs) - 1; i >= 0; i-- {
			r = merge(pb.runs[i], r)
		}
		if len(r.keys) > 0 {
			sections = append(sections, section{pb.place, r})
		}
	}
	slices.SortFunc(sections, func(a, b section) int { return a.compare(b.place) })
	return sections
}

// Sketch makes a sketch of all that was added. It may share memory with the
// builder: it is to be read or encoded before anything else is added.
func (b *Builder) Sketch() (*Sketch, error) {
	for _, pb := range b.places {
		if err := b.flush(pb); err != nil {
			return nil, err
		}
	}
	if !b.Exact {
		if err := b.spill(); err != nil {
			return nil, err
		}
	}
	s := &Sketch{
		Config: b.Config, Class: b.class, Total: b.total, TotalKnown: !b.unknown, Bounds: b.bounds,
		sections: b.runSections(), dense: b.dense, sums: b.Mode == Standard && !b.notSums,
	}
	if s.dense != nil && len(s.sections) > 0 {
		// Cells that came beside dense sketches: they go in last and in their
		// own order, so that the order in which they came does not matter.
		s.dense = s.dense.clone()
		s.Bounds = hull(s.Bounds, s.dense.insertSections(&s.Config, s.sections))
		s.sections = nil
	}
	return s, nil
}

// check returns an error where a sketch of this configuration and class of
// categories cannot be added.
func (b *Builder) check(c *Config, class key.Class) error {
	if err := b.Config.Differ(c); err != nil {
		return err
	}
	if err := differClass(b.class, class); err != nil {
		return err
	}
	b.class = max(b.class, class)
	b.Exact = b.Exact && c.Exact
	return nil
}

func (b *Builder) mergeTotal(total uint64, known bool, notSums bool) {
	b.unknown = b.unknown || !known
	b.notSums = b.notSums || notSums
	b.total = saturatingAdd(b.total, total)
}

// AddView adds a sketch, which stays as it is, after verifying its checksum.
func (b *Builder) AddView(v *View) error {
	if err := sketch.Verify(v.blob); err != nil {
		return err
	}
	if err := b.check(&v.Config, v.Class()); err != nil {
		return err
	}
	total, known := v.Total()
	b.mergeTotal(total, known, !v.header.Flags.Has(sketch.Additive))
	if v.form == formDense {
		return b.addDense(&v.dense, v.Bounds)
	}
	return v.eachSection(func(s section) error {
		pb, err := b.at(s.place)
		if err != nil {
			return err
		}
		if err := b.grow(runBytes(len(s.keys))); err != nil {
			return err
		}
		return b.addShared(pb, s.run)
	})
}

// addShared adds a run that is accounted for to a place.
func (b *Builder) addShared(pb *placeBuilder, r run) error {
	if b.spilled {
		b.insert(section{pb.place, r})
		return b.grow(-runBytes(len(r.keys)))
	}
	return b.addRun(pb, r)
}

func (b *Builder) addDense(d *dense, bounds grid.Rect) error {
	if err := b.needDense(); err != nil {
		return err
	}
	b.bounds = hull(b.bounds, bounds)
	b.dense.union(d)
	return nil
}

// Merge adds another builder's points and sketches. from stays as it is and
// may be merged into several builders at once.
func (b *Builder) Merge(from *Builder) error {
	if err := b.check(&from.Config, from.class); err != nil {
		return err
	}
	b.mergeTotal(from.total, !from.unknown, from.notSums)
	for _, fp := range from.places {
		pb, err := b.at(fp.place)
		if err != nil {
			return err
		}
		for _, r := range fp.runs {
			if err := b.grow(runBytes(len(r.keys))); err != nil {
				return err
			}
			if err := b.addShared(pb, r); err != nil {
				return err
			}
		}
		if err := b.reserve(pb, len(fp.buf)); err != nil {
			return err
		}
		if err := b.pushAll(pb, fp.buf, fp.weights); err != nil {
			return err
		}
	}
	if from.dense != nil {
		return b.addDense(from.dense, from.bounds)
	}
	return nil
}

// Class is the class of the categories so far.
func (b *Builder) Class() key.Class { return b.class }
