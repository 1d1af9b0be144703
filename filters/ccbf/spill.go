package ccbf

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
)

// addRun adds a run, whose memory is accounted for, and merges runs so that
// each stays less than half as long as the one before.
func (b *Builder) addRun(pb *sectionBuilder, r cells.Run) error {
	pb.runs = append(pb.runs, r)
	b.cells += uint64(len(r.Keys))
	if err := b.shortenRuns(pb); err != nil {
		return err
	}
	return b.settle()
}

// shortenRuns packs the runs of a section where memory is scarce, and otherwise merges the
// last ones until each is less than half as long as the one before.
func (b *Builder) shortenRuns(pb *sectionBuilder) error {
	if b.scarce() && len(pb.runs) > 0 {
		if err := b.flushPile(pb, false); err != nil {
			return err
		}
		return b.pack(pb)
	}
	for n := len(pb.runs); n > 1 && len(pb.runs[n-2].Keys) < 2*len(pb.runs[n-1].Keys); n = len(pb.runs) {
		if err := b.mergeLast(pb, b.Spare); err != nil {
			return err
		}
	}
	return nil
}

// mergeLast makes one of the last two runs of a section.
func (b *Builder) mergeLast(pb *sectionBuilder, spare func() bool) error {
	n := len(pb.runs)
	x, y := pb.runs[n-2], pb.runs[n-1]
	before := cells.RunBytes(len(x.Keys) + len(y.Keys))
	if err := b.grow(before); err != nil {
		return err
	}
	r := cells.MergeBeside(x, y, spare)
	pb.runs = append(pb.runs[:n-2], r)
	b.cells -= uint64(len(x.Keys) + len(y.Keys) - len(r.Keys))
	return b.grow(r.Bytes() - before - x.Bytes() - y.Bytes())
}

// settle spills where holding cells no longer pays.
func (b *Builder) settle() error {
	if b.unpacked() > b.Hold || b.Overflow == ToTree && b.unpacked() > b.holdMost() {
		if err := b.sortPiles(); err != nil {
			return err
		}
	}
	// A cell in several runs is counted more than once, but as each run is
	// less than half as long as the one before, none of them more than twice.
	if b.Overflow == ToTree && !b.spilled && b.dense == nil {
		return b.settleTree()
	}
	atLeast := max((b.cells-uint64(b.packed))/2, uint64(b.leastPacked))
	certain := b.Mode == Standard && (b.dense != nil || atLeast > b.Bytes*8/cells.MinCellBits && b.unpacked() > b.leastHeld())
	if !certain {
		if much, err := b.tooMuch(b.Hold); err != nil || !much {
			return err
		}
	}
	return b.spill()
}

// leastHeld is how much is held in any case.
func (b *Builder) leastHeld() int64 {
	if !b.sketches {
		return 0
	}
	return HoldSketches
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

// spill counts the cells held in the dense form, and from now on all others.
func (b *Builder) spill() error {
	if b.spilled {
		return nil
	}
	list, err := b.gather()
	if err != nil {
		return err
	}
	if len(list) > 0 && b.dense == nil && b.Mode == MinimalIncrement {
		scratch := b.denseScratch(int(b.cells))
		if err := b.grow(int64(b.shape.Bytes()) + scratch); err != nil {
			return err
		}
		b.bounds = cells.Hull(b.bounds, list.Bounds())
		b.dense = maximumDense(&b.Config, list)
		if err := b.grow(-scratch); err != nil {
			return err
		}
	} else {
		if err := b.needDense(); err != nil {
			return err
		}
		b.insert(list...)
	}
	freed := b.lent
	for _, pb := range b.sections {
		freed += b.dropRuns(pb)
	}
	b.cells, b.lent, b.spilled = 0, 0, true
	return b.grow(-freed)
}

// gather merges the runs of every section into one. What it makes of packed ones is
// lent until Release.
func (b *Builder) gather() (cells.List, error) {
	if err := b.sortPiles(); err != nil {
		return nil, err
	}
	list := make(cells.List, 0, len(b.sections))
	for _, pb := range b.sections {
		if len(pb.packed) > 0 {
			r, err := b.addedUp(pb)
			if err != nil {
				return nil, err
			}
			list = append(list, cells.Section{Label: pb.Label, Run: r})
			continue
		}
		for len(pb.runs) > 1 {
			if err := b.mergeLast(pb, b.Spare); err != nil {
				return nil, err
			}
		}
		if len(pb.runs) == 1 {
			list = append(list, cells.Section{Label: pb.Label, Run: pb.runs[0]})
		}
	}
	slices.SortFunc(list, func(a, b cells.Section) int { return a.Compare(b.Label) })
	return list, nil
}
