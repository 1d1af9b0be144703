package ccbf

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/store"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// counterState has the counters of a Builder, and how points went into them. There are counters without spilled
// if a sketch with counters was added: the cells beside it stay in the stores. They go into the counters last, so that
// the result does not depend on the order of additions.
type counterState struct {
	dense   *cascade.Counters // the counters; nil before the first points.
	spilled bool              // whether cells go straight into the counters, not into stores.
	united  cascade.Origin    // the origin of the counters that came with sketches.
	added   uint64            // the sum of the totals of the sketches that came with counters.
	single  bool              // whether points went into the counters one by one.
}

// countBuffer buffers the points of a section on their way into the counters. It adds up points of
// a cell that come near each other, because counting in counters takes many times as long.
type countBuffer struct {
	cells.Squares // keys in any order, with counts; nil until the first count that is not 1.
	recents       cells.RecentCache
	hasRecent     bool // the last batch had many recent cells
	skips         int  // number of batches left that bypass recents.
}

const (
	// countAtOnce is the number of keys that go into the counters together.
	countAtOnce = 1 << 12
	// leastRecents and mostRecents bound the number of recent cells. They fit the first-level
	// cache, and half of a second-level one.
	leastRecents = 1 << 12
	mostRecents  = 1 << 15
	// skippedBatches is the number of batches without recent cells after one whose keys do not
	// repeat.
	skippedBatches = 15
)

// bytes returns how much memory c takes.
func (c *countBuffer) bytes() int64 { return int64(cap(c.Keys)+cap(c.Counts))*8 + c.recents.Bytes() }

// count counts points of section s in the counters, a batch at a time: counts[i] points for keys[i], or
// one point if counts is nil.
func (b *Builder) count(s *section, keys, counts []uint64) error {
	c := &s.counting
	for len(keys) > 0 {
		n := min(len(keys), countAtOnce-len(c.Keys))
		most := len(c.Keys) + n
		if most <= cap(c.Keys) && (counts == nil || c.Counts != nil) {
			c.add(keys[:n], counts)
		} else if err := b.change(s, 16*int64(min(countAtOnce, 2*most)), func() { c.add(keys[:n], counts) }); err != nil {
			return err
		}
		keys = keys[n:]
		if counts != nil {
			counts = counts[n:]
		}
		if len(c.Keys) == countAtOnce {
			if err := b.flush(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// add appends keys with their counts to the batch. Nil counts are all 1.
func (c *countBuffer) add(keys, counts []uint64) {
	had := len(c.Keys)
	c.Keys = append(c.Keys, keys...)
	if counts == nil && c.Counts == nil {
		return
	}
	c.Counts = slices.Grow(c.Counts, cap(c.Keys)-len(c.Counts))
	for len(c.Counts) < len(c.Keys) {
		c.Counts = append(c.Counts, 1)
	}
	copy(c.Counts[had:], counts)
}

// flush counts the keys of a section's batch in the counters.
func (b *Builder) flush(s *section) error {
	c := &s.counting
	if len(c.Keys) == 0 {
		return nil
	}
	if err := b.goToCounters(); err != nil {
		return err
	}
	if err := b.countBatch(s); err != nil {
		return err
	}
	// Counts that are not nil stay so: from its first weight on, a section adds up no points of its cells.
	c.Keys, c.Counts = c.Keys[:0], c.Counts[:0]
	return nil
}

// countBatch counts the batch of section s in the counters. If it pays, it counts several points of a
// cell at once, which makes the estimates of mode mi no worse.
func (b *Builder) countBatch(s *section) error {
	c := &s.counting
	switch {
	case b.Levels > 0:
		// The keys are sorted, so that cells of one square mostly follow each other.
		b.insertRun(s, cells.Sorted(c.Squares))
		return nil
	case c.skips > 0:
		c.skips--
	case c.Counts == nil && !b.OneByOne && (len(c.Keys) >= leastRecents || c.recents.Slots() > 0):
		switch {
		case !c.recents.Fits(c.Keys):
			b.endRecents(s)
		case c.hasRecent || cells.CountRecent(c.Keys, func(cells.Squares) {}) <= mostFresh(c.Keys):
			return b.countRecents(s)
		}
		// Adding up repeated cells would save nothing. Insert the keys in their own order, and skip the
		// test for some batches.
		c.hasRecent, c.skips = false, skippedBatches
	}
	b.insertRun(s, c.Squares)
	return nil
}

// mostFresh returns how many fresh keys a batch may have: with more, a cache of recent cells does not
// pay. A key is fresh if its cell is not in the cache.
func mostFresh(keys []uint64) int { return len(keys) / 8 * 7 }

// countRecents counts the batch of section s through the cache of recent cells. There it meets earlier
// points of the same cells.
func (b *Builder) countRecents(s *section) error {
	c := &s.counting
	insert := func(r cells.Squares) { b.insertRun(s, r) }
	most := b.recentsFor()
	// Set single even if no cell has been evicted so far.
	b.single = true
	if c.recents.Slots() > most {
		b.endRecents(s)
	}
	fresh, out := 0, 0
	if most == 0 {
		fresh = cells.CountRecent(c.Keys, insert)
	} else {
		if c.recents.Slots() == 0 {
			if err := b.growRecents(s, leastRecents); err != nil {
				return err
			}
		}
		fresh, out = c.recents.Count(c.Keys, insert)
	}
	if c.hasRecent = fresh <= mostFresh(c.Keys); !c.hasRecent {
		c.skips = skippedBatches
		return nil
	}
	if slots := 2 * c.recents.Slots(); out > len(c.Keys)/16 && slots <= most {
		return b.growRecents(s, slots)
	}
	return nil
}

// recentsFor returns how many recent cells a section may keep: at most half the memory of the counters.
// It returns 0 if memory is scarce or unknown, or if there are several sections.
func (b *Builder) recentsFor() int {
	scarce := b.budget != nil && (b.scarcity == nil || b.scarcity.Scarce() > 0)
	if len(b.all) > 1 || scarce || b.shape.Bytes() < 16*leastRecents {
		return 0
	}
	return min(mostRecents, int(b.shape.Bytes()/16))
}

// growRecents gives the cache of section s room for slots cells.
func (b *Builder) growRecents(s *section, slots int) error {
	return b.change(s, int64(slots)*8, func() { s.counting.recents.Grow(slots) })
}

// endRecents counts the recent cells of a section in the counters and frees their memory.
func (b *Builder) endRecents(s *section) {
	s.counting.recents.Each(func(r cells.Squares) { b.insertRun(s, r) })
	s.counting.recents = cells.RecentCache{}
	_ = b.account(s, 0)
}

// mergeCounting adds to s the pending points of another builder's section, which are in from.
func (b *Builder) mergeCounting(s *section, from *countBuffer) (err error) {
	from.recents.Each(func(r cells.Squares) {
		switch {
		case b.spilled:
			b.insertRun(s, r)
		case err == nil:
			err = b.addTo(s, r.Keys, r.Counts, cells.Differ(r.Keys))
		}
	})
	if err != nil || len(from.Keys) == 0 {
		return err
	}
	return b.addTo(s, from.Keys, from.Counts, cells.Differ(from.Keys))
}

// insert counts the cells of sections in the counters.
func (b *Builder) insert(sections ...cells.Section) {
	b.bounds = b.bounds.Union(cells.List(sections).Bounds())
	counters.Insert(b.dense, b.counters(), sections)
	b.single = b.single || len(sections) > 0
}

// insertRun counts cells of a section in the counters.
func (b *Builder) insertRun(s *section, r cells.Squares) {
	b.insert(cells.Section{Label: s.Label, Squares: r})
}

// insertStore counts the cells of a section's store in the counters, and empties the store.
func (b *Builder) insertStore(s *section) error {
	if err := b.change(s, s.cells.SumNeed(), s.cells.Sum); err != nil {
		return err
	}
	for block := range store.Blocks(&s.cells) {
		b.insertRun(s, block)
	}
	s.cells.Free()
	return b.account(s, 0)
}

// goToCounters counts the cells of all stores in the counters. All later points go there too.
func (b *Builder) goToCounters() error {
	if b.spilled {
		return nil
	}
	list, err := b.gather()
	if err != nil {
		return err
	}
	defer b.release(list)
	if b.dense != nil {
		b.insert(list...)
	} else {
		scratch := b.denseScratch(list.Number())
		if err := b.grow(int64(b.shape.Bytes()) + scratch); err != nil {
			return err
		}
		b.bounds = b.bounds.Union(list.Bounds())
		b.dense = counters.FromList(b.counters(), list)
		b.free(scratch)
	}
	b.spilled = true
	b.dropCells()
	return nil
}

// origin returns how the counters were made: from the sketches that were added, and from all other
// points. counted says that some of the other points were counted one by one.
func (b *Builder) origin(counted bool) cascade.Origin {
	if b.Mode == Standard {
		return cascade.Origin{}
	}
	own, total := cascade.Origin{}, b.total-min(b.added, b.total)
	if counted {
		own = cascade.OnePart(total)
	}
	return b.united.With(b.added, own, total)
}

// addDense adds the counters d of a sketch with its bounds, its origin p and its total.
func (b *Builder) addDense(d *cascade.Counters, bounds grid.Rect, p cascade.Origin, total uint64) error {
	if b.pruned {
		return ErrForms
	}
	if b.dense == nil {
		if err := b.grow(int64(b.shape.Bytes())); err != nil {
			return err
		}
		b.dense = cascade.New(b.shape)
	}
	b.united = b.united.With(b.added, p, total)
	b.added = saturate.Add(b.added, total)
	b.bounds = b.bounds.Union(bounds)
	b.dense.Union(d)
	return nil
}
