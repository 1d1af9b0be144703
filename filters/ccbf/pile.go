package ccbf

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
)

// The cells of many small exact sketches are piled up as they come and sorted once:
// merged two by two, each would be moved as often as the number of sketches can be
// halved.

const (
	pileMost = cells.MaxKeys // cells of a pile
	// pileLarge is from how many cells on a list is a run of its own.
	pileLarge = pileMost / 8
)

// pileRoom is room for n more cells on a section's pile.
func (b *Builder) pileRoom(pb *sectionBuilder, n int) (cells.Run, error) {
	have := len(pb.pile.Keys)
	if have+n > pileMost {
		if err := b.flushPile(pb); err != nil {
			return cells.Run{}, err
		}
		if err := b.shortenRuns(pb); err != nil {
			return cells.Run{}, err
		}
		have = 0
	}
	if size := cap(pb.pile.Keys); have+n > size {
		larger := min(max(have+n, size+size/2), pileMost)
		if err := b.grow(cells.RunBytes(larger)); err != nil {
			return cells.Run{}, err
		}
		pile := cells.Run{Keys: append(make([]uint64, 0, larger), pb.pile.Keys...), Counts: append(make([]uint64, 0, larger), pb.pile.Counts...)}
		freed := pb.pile.Bytes()
		pb.pile = pile
		if err := b.grow(-freed); err != nil {
			return cells.Run{}, err
		}
	}
	return cells.Run{Keys: pb.pile.Keys[have : have+n], Counts: pb.pile.Counts[have : have+n]}, nil
}

// piled notes that the room for n cells was filled.
func (b *Builder) piled(pb *sectionBuilder, n int) error {
	have := len(pb.pile.Keys) + n
	pb.pile = cells.Run{Keys: pb.pile.Keys[:have], Counts: pb.pile.Counts[:have]}
	b.inPiles += n
	return b.settle()
}

// mergePile adds the pile of another builder, which is left unchanged.
func (b *Builder) mergePile(pb *sectionBuilder, pile cells.Run) error {
	n := len(pile.Keys)
	if n == 0 {
		return nil
	}
	if b.spilled || b.scarce() {
		if err := b.grow(cells.RunBytes(n)); err != nil {
			return err
		}
		r := cells.RunOf(slices.Clone(pile.Keys), slices.Clone(pile.Counts))
		if err := b.grow(r.Bytes() - cells.RunBytes(n)); err != nil {
			return err
		}
		return b.addShared(pb, r)
	}
	room, err := b.pileRoom(pb, n)
	if err != nil {
		return err
	}
	copy(room.Keys, pile.Keys)
	copy(room.Counts, pile.Counts)
	return b.piled(pb, n)
}

// flushPile makes a run of a pile, and neither merges it nor settles.
func (b *Builder) flushPile(pb *sectionBuilder) error {
	if len(pb.pile.Keys) == 0 {
		return nil
	}
	r := cells.RunOf(pb.pile.Keys, pb.pile.Counts)
	if err := b.grow(r.Bytes()); err != nil {
		return err
	}
	pb.runs = append(pb.runs, r)
	b.cells += uint64(len(r.Keys))
	b.inPiles -= len(pb.pile.Keys)
	pb.pile = cells.Run{Keys: pb.pile.Keys[:0], Counts: pb.pile.Counts[:0]}
	return nil
}

// dropPile makes a run of a pile, whose memory it gives back.
func (b *Builder) dropPile(pb *sectionBuilder) error {
	if err := b.flushPile(pb); err != nil {
		return err
	}
	freed := pb.pile.Bytes()
	pb.pile = cells.Run{}
	return b.grow(-freed)
}

// sortPiles makes runs of all piles, whose memory it gives back: how many different cells
// they have is not known before.
func (b *Builder) sortPiles() error {
	if b.inPiles == 0 {
		return nil
	}
	for _, pb := range b.sections {
		if err := b.dropPile(pb); err != nil {
			return err
		}
		if err := b.shortenRuns(pb); err != nil {
			return err
		}
	}
	return nil
}
