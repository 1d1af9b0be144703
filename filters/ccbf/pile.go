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
	if err := b.endPile(pb, n); err != nil {
		return cells.Run{}, err
	}
	if pb.pile.Room(n).Keys == nil {
		if err := b.grow(pb.pile.GrowBytes(n, pileMost)); err != nil {
			return cells.Run{}, err
		}
		freed := pb.pile.Bytes()
		pb.pile.Grow(n, pileMost)
		if err := b.grow(-freed); err != nil {
			return cells.Run{}, err
		}
	}
	return pb.pile.Room(n), nil
}

// endPile flushes a pile that n more cells would be too many for.
func (b *Builder) endPile(pb *sectionBuilder, n int) error {
	if pb.pile.Len()+n <= pileMost {
		return nil
	}
	if err := b.flushPile(pb, true); err != nil {
		return err
	}
	return b.shortenRuns(pb)
}

// piled notes that the room for n cells was filled.
func (b *Builder) piled(pb *sectionBuilder, n int) error {
	if !pb.pile.Add(n) {
		if err := b.widenPile(pb, n); err != nil {
			return err
		}
	}
	b.inPiles += n
	return b.settle()
}

// widenPile begins a wide pile with n cells that have filled the room of one that is not.
func (b *Builder) widenPile(pb *sectionBuilder, n int) error {
	room := pb.pile.Room(n)
	size := cells.RunBytes(n)
	if err := b.grow(size); err != nil {
		return err
	}
	list := cells.Run{Keys: slices.Clone(room.Keys), Counts: slices.Clone(room.Counts)}
	if err := b.dropPile(pb, true); err != nil {
		return err
	}
	pb.pile = cells.WidePile()
	room, err := b.pileRoom(pb, n)
	if err != nil {
		return err
	}
	copy(room.Keys, list.Keys)
	copy(room.Counts, list.Counts)
	pb.pile.Add(n)
	return b.grow(-size)
}

// mergePile adds the pile of another builder, which is left unchanged.
func (b *Builder) mergePile(pb *sectionBuilder, pile *cells.Pile) error {
	n := pile.Len()
	if n == 0 {
		return nil
	}
	if err := b.endPile(pb, n); err != nil {
		return err
	}
	if pb.pile.Len() == 0 && pile.Wide() {
		if err := b.dropPile(pb, false); err != nil {
			return err
		}
		pb.pile = cells.WidePile()
	}
	if b.spilled || b.scarce() || !pb.pile.Joins(pile) {
		size := 2 * cells.RunBytes(n) // for a copy, and for the run
		if err := b.grow(size); err != nil {
			return err
		}
		own := pile.Clone()
		r := own.Run()
		if err := b.grow(r.Bytes() - size); err != nil {
			return err
		}
		return b.addShared(pb, r)
	}
	if _, err := b.pileRoom(pb, n); err != nil {
		return err
	}
	pb.pile.Join(pile)
	b.inPiles += n
	return b.settle()
}

// flushPile counts the cells of a pile in words, where that is asked for and they fit, or
// makes a run of them, which it neither merges nor settles.
func (b *Builder) flushPile(pb *sectionBuilder, toWords bool) error {
	if pb.pile.Len() == 0 {
		return nil
	}
	// Making room may flush the pile of each section: it must not find this one's.
	pile := pb.pile
	pb.pile = cells.Pile{}
	b.inPiles -= pile.Len()
	if err := b.sortPile(pb, &pile, toWords); err != nil {
		return err
	}
	pb.pile = pile.Empty()
	return b.grow(pb.pile.Bytes() - pile.Bytes())
}

// sortPile is flushPile of a pile that is not the section's any more.
func (b *Builder) sortPile(pb *sectionBuilder, pile *cells.Pile, toWords bool) error {
	w, ok := pile.Words()
	if ok && toWords {
		in, err := b.inWords(pb)
		if err != nil {
			return err
		}
		if in && pb.words.Joins(&w) {
			if in, err = b.wordRoom(pb, w.Len()); err != nil {
				return err
			}
			if in {
				return b.joinWords(&pb.words, &w)
			}
		}
	}
	size := cells.RunBytes(pile.Len())
	if ok {
		size = cells.RunBytes(w.Len())
	}
	if err := b.grow(size); err != nil {
		return err
	}
	var r cells.Run
	if ok {
		r = w.Run(nil)
	} else {
		r = pile.Run()
	}
	if err := b.grow(r.Bytes() - size); err != nil {
		return err
	}
	if b.spilled { // while room was made
		b.insert(cells.Section{Label: pb.Label, Run: r})
		return b.grow(-r.Bytes())
	}
	pb.runs = append(pb.runs, r)
	b.cells += uint64(len(r.Keys))
	return nil
}

// dropPile is flushPile and gives back the memory of the pile.
func (b *Builder) dropPile(pb *sectionBuilder, toWords bool) error {
	if err := b.flushPile(pb, toWords); err != nil {
		return err
	}
	freed := pb.pile.Bytes()
	pb.pile = cells.Pile{}
	return b.grow(-freed)
}

// sortPiles makes runs of all piles, whose memory it gives back: how many different cells
// they have is not known before.
func (b *Builder) sortPiles() error {
	if b.inPiles == 0 {
		return nil
	}
	for _, pb := range b.sections {
		if err := b.dropPile(pb, false); err != nil {
			return err
		}
		if err := b.shortenRuns(pb); err != nil {
			return err
		}
	}
	return nil
}
