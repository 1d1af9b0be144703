package ccbf

import "github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"

// Points that go into the dense form one by one are counted together before, as far as those of a cell
// come near each other: counting in the dense form takes many times as long.

const (
	// leastRecents and mostRecents are how many cells are kept to be counted together: what fits the first-level
	// cache, and half of a second-level one.
	leastRecents = 1 << 12
	mostRecents  = 1 << 15
	// aloneBuffers is for how many buffers keys go on by themselves after one whose keys do not repeat.
	aloneBuffers = 15
)

// count counts the keys of a buffer in the dense form, several of a cell at once where that
// pays: mode mi does no worse by it.
func (b *Builder) count(pb *sectionBuilder) error {
	keys := pb.buf
	switch {
	case b.Levels > 0:
		b.insertRun(pb, pb.sorted()) // so that the cells of a square stand together, mostly
		return nil
	case pb.alone > 0:
		pb.alone--
	case pb.weights == nil && !b.OneByOne && (len(keys) >= leastRecents || pb.recents.Slots() > 0):
		switch {
		case !pb.recents.Fits(keys):
			if err := b.endRecents(pb); err != nil {
				return err
			}
		case pb.recurs || cells.Fresh(keys) <= mostFresh(keys):
			return b.countRecents(pb)
		}
		pb.recurs, pb.alone = false, aloneBuffers // in their order, as there is nothing to be gained
	}
	b.insertRun(pb, cells.Run{Keys: keys, Counts: pb.weights})
	return nil
}

// mostFresh is up to how many keys of other than recent cells it pays to look for those.
func mostFresh(keys []uint64) int { return len(keys) / 8 * 7 }

// countRecents counts the keys of a buffer together with those of the same cells before.
func (b *Builder) countRecents(pb *sectionBuilder) error {
	insert := func(r cells.Run) { b.insertRun(pb, r) }
	most := b.recentsFor(pb)
	b.counted = true // though nothing may have been put out so far
	if pb.recents.Slots() > most {
		if err := b.endRecents(pb); err != nil {
			return err
		}
	}
	fresh, out := 0, 0
	if most == 0 {
		fresh = cells.CountRecent(pb.buf, insert)
	} else {
		if pb.recents.Slots() == 0 {
			if err := b.growRecents(pb, leastRecents); err != nil {
				return err
			}
		}
		fresh, out = pb.recents.Count(pb.buf, insert)
	}
	if pb.recurs = fresh <= mostFresh(pb.buf); !pb.recurs {
		pb.alone = aloneBuffers
		return nil
	}
	if slots := 2 * pb.recents.Slots(); out > len(pb.buf)/16 && slots <= most {
		return b.growRecents(pb, slots)
	}
	return nil
}

// recentsFor is how many cells a section may keep to be counted together: none where memory is scarce or nothing is
// known of it, or of several sections, and no more than take half of what the counters do.
func (b *Builder) recentsFor(pb *sectionBuilder) int {
	if b.ending {
		return pb.recents.Slots() // which are about to be given back: no memory is asked for any more
	}
	if len(b.sections) > 1 || b.scarce() || b.scarcity == nil && b.budget != nil || b.shape.Bytes() < 16*leastRecents {
		return 0
	}
	return min(mostRecents, int(b.shape.Bytes()/16))
}

// growRecents makes room for so many cells.
func (b *Builder) growRecents(pb *sectionBuilder, slots int) error {
	return b.growing(int64(slots)*8, &pb.recents, func() { pb.recents.Grow(slots) })
}

// endRecents counts the recent cells of a section in the dense form and gives back the memory.
func (b *Builder) endRecents(pb *sectionBuilder) error {
	pb.recents.Each(func(r cells.Run) { b.insertRun(pb, r) })
	freed := pb.recents.Bytes()
	pb.recents = cells.Recents{}
	return b.grow(-freed)
}

// mergeRecents adds the recent cells of another builder's section, which are left unchanged.
func (b *Builder) mergeRecents(pb *sectionBuilder, recents *cells.Recents) (err error) {
	recents.Each(func(r cells.Run) {
		switch {
		case err != nil:
		case b.spilled:
			b.insertRun(pb, r)
		default:
			err = b.pushAll(pb, r.Keys, r.Counts)
		}
	})
	return err
}
