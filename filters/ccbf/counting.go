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

// counterState is the counters of a Builder.
type counterState struct {
	dense   *cascade.Counters // nil while there are none
	spilled bool              // cells go into the counters at once, and no longer into stores
	united  cascade.Origin    // of the dense sketches that were added
	added   uint64            // their total
	single  bool              // points went into the counters one by one
}

// counting is the points of a section on their way into the counters.
type counting struct {
	keys   []uint64
	counts []uint64 // beside keys; nil while all are 1
}

const (
	// countAtOnce is from how many keys on those of a cell go into the counters at once: counting
	// in the dense form takes many times as long as finding them.
	countAtOnce = 1 << 12
	// mostAtOnce is how many keys wait at most, where there is one section and they take little
	// beside the counters.
	mostAtOnce = 1 << 15
)

// bytes is the memory of c.
func (c *counting) bytes() int64 { return int64(cap(c.keys)+cap(c.counts)) * 8 }

// atOnce is how many keys of a section wait to be counted together.
func (b *Builder) atOnce() int {
	if len(b.all) > 1 || b.scarcity != nil && b.scarcity.Scarce() > 0 {
		return countAtOnce
	}
	return int(min(max(b.shape.Bytes()/16, countAtOnce), mostAtOnce))
}

// count counts points of a section in the counters, a batch at a time.
func (b *Builder) count(s *section, keys, counts []uint64) error {
	c, most := &s.counting, b.atOnce()
	for len(keys) > 0 {
		if len(c.keys) >= most {
			if err := b.flush(s); err != nil {
				return err
			}
		}
		n := min(len(keys), most-len(c.keys))
		some := cells.Run{Keys: keys[:n]}
		keys = keys[n:]
		if counts != nil {
			some.Counts, counts = counts[:n], counts[n:]
		}
		if err := b.change(s, c.need(some), func() { c.add(some) }); err != nil {
			return err
		}
	}
	return nil
}

// need is how much more memory than bytes adding keys takes, at most.
func (c *counting) need(some cells.Run) int64 {
	if n := len(c.keys) + len(some.Keys); n > cap(c.keys) || cap(c.counts) == 0 && some.Counts != nil {
		return 32 * int64(max(n, leastAtOnce))
	}
	return 0
}

// leastAtOnce is for how many keys there is room at first.
const leastAtOnce = 16

// add appends keys, for which a batch has room.
func (c *counting) add(some cells.Run) {
	had := len(c.keys)
	if size := had + len(some.Keys); size > cap(c.keys) {
		c.keys = append(make([]uint64, 0, max(leastAtOnce, size, 2*had)), c.keys...)
	}
	c.keys = append(c.keys, some.Keys...)
	if some.Counts == nil && c.counts == nil {
		return
	}
	if cap(c.counts) < cap(c.keys) {
		c.counts = append(make([]uint64, 0, cap(c.keys)), c.counts...)
	}
	for len(c.counts) < had {
		c.counts = append(c.counts, 1)
	}
	if c.counts = append(c.counts, some.Counts...); some.Counts == nil {
		c.counts = append(c.counts, slices.Repeat([]uint64{1}, len(some.Keys))...)
	}
}

// flush counts the keys of a section's batch in the counters, many of a cell at once: mode mi
// does no worse by it. Few keys are counted in their order.
func (b *Builder) flush(s *section) error {
	c := &s.counting
	if len(c.keys) == 0 {
		return nil
	}
	if err := b.goToCounters(); err != nil {
		return err
	}
	weights := c.counts
	if len(weights) == 0 {
		weights = nil
	}
	batch := cells.Run{Keys: c.keys, Counts: weights}
	switch {
	case b.Levels > 0: // so that the cells of a square stand together, mostly
		batch = cells.RunOf(c.keys, weights)
	case weights == nil && !b.OneByOne && len(c.keys) >= countAtOnce:
		batch = cells.CountRecent(c.keys)
	}
	b.insertRun(s, batch)
	c.keys, c.counts = c.keys[:0], c.counts[:0]
	return nil
}

// insert counts the cells of sections in the counters.
func (b *Builder) insert(sections ...cells.Section) {
	b.bounds = cells.Hull(b.bounds, counters.Insert(b.dense, b.counters(), sections))
	b.single = b.single || len(sections) > 0
}

// insertRun counts cells of a section in the counters.
func (b *Builder) insertRun(s *section, r cells.Run) { b.insert(cells.Section{Label: s.Label, Run: r}) }

// insertStore counts the cells of a section's store in the counters, and forgets them.
func (b *Builder) insertStore(s *section) error {
	if err := b.change(s, s.cells.SumNeed(), s.cells.Sum); err != nil {
		return err
	}
	for r := store.NewReader(&s.cells); r.Cells() > 0; {
		b.insertRun(s, r.Next(min(r.Cells(), cells.BlockCells)))
	}
	s.cells = store.Cells{}
	return b.account(s, 0)
}

// needDense gives the builder an empty dense form.
func (b *Builder) needDense() error {
	if b.dense != nil {
		return nil
	}
	if err := b.grow(int64(b.shape.Bytes())); err != nil {
		return err
	}
	b.dense = cascade.New(b.shape)
	return nil
}

// goToCounters counts the cells of all stores in the counters, and from now on all others.
func (b *Builder) goToCounters() error {
	if b.spilled {
		return nil
	}
	list, err := b.gather()
	if err != nil {
		return err
	}
	defer b.release(list)
	if len(list) > 0 && b.dense == nil && b.Mode == MinimalIncrement {
		scratch := b.denseScratch(list.Cells())
		if err := b.grow(int64(b.shape.Bytes()) + scratch); err != nil {
			return err
		}
		b.bounds = cells.Hull(b.bounds, list.Bounds())
		b.dense = counters.Maxima(b.counters(), list)
		if err := b.grow(-scratch); err != nil {
			return err
		}
	} else {
		if err := b.needDense(); err != nil {
			return err
		}
		b.insert(list...)
	}
	b.spilled = true
	return b.dropStores()
}

// origin is how the counters came about: of the dense sketches that were added, and of
// all other points; counted says that some of these were counted one by one.
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
