package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
)

// The cells of many small exact sketches are piled up as they come and sorted once:
// merged two by two, each would be moved as often as the number of sketches can be
// halved.

const (
	// pileMost is how many cells a pile has at most, and widePileMost one that is wide.
	pileMost     = 1 << 20
	widePileMost = cells.MaxKeys
	// pileLarge is from how many cells on a list is a run of its own.
	pileLarge = 1 << 15
)

// mostPiled is how many cells the pile of a section may have.
func (b *Builder) mostPiled(pb *sectionBuilder) int {
	if pb.pile.Wide() {
		return widePileMost
	}
	return max(pileMost/16, min(pileMost, b.wordsFor()))
}

// pileRoom is room for more cells on a section's pile.
func (b *Builder) pileRoom(pb *sectionBuilder, w *cells.Wanted) (cells.Room, error) {
	if err := b.endPile(pb, w.Cells); err != nil {
		return cells.Room{}, err
	}
	if !pb.pile.Fits(w.Base) || w.Wide && !pb.pile.Wide() {
		if err := b.flushPile(pb, true); err != nil {
			return cells.Room{}, err
		}
		pb.pile = cells.WidePile()
	}
	return b.growPile(pb, w.Cells)
}

// growPile is room for n more cells on a pile.
func (b *Builder) growPile(pb *sectionBuilder, n int) (cells.Room, error) {
	r, ok := pb.pile.Room(n)
	if ok {
		return r, nil
	}
	err := b.growing(pb.pile.GrowBytes(n), &pb.pile, func() {
		pb.pile.Grow(n)
		r, _ = pb.pile.Room(n)
	})
	return r, err
}

// endPile flushes a pile that n more cells would be too many for.
func (b *Builder) endPile(pb *sectionBuilder, n int) error {
	if pb.pile.Len() == 0 || pb.pile.Len()+n <= b.mostPiled(pb) {
		return nil
	}
	if err := b.flushPile(pb, true); err != nil {
		return err
	}
	return b.shortenRuns(pb)
}

// piled notes that the last pileRoom was filled.
func (b *Builder) piled(pb *sectionBuilder, w *cells.Wanted) error {
	pb.pile.Add(w.Cells, w.Base)
	b.inPiles += w.Cells
	return b.settle()
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
		if err := b.flushPile(pb, false); err != nil {
			return err
		}
		pb.pile = cells.WidePile()
	}
	if b.spilled || b.scarce() || !pb.pile.Joins(pile) {
		r, err := b.pileRun(pile)
		if err != nil {
			return err
		}
		return b.addShared(pb, r)
	}
	err := b.growing(pb.pile.JoinBytes(pile), &pb.pile, func() {
		pb.pile.Join(pile)
		b.inPiles += n
	})
	if err != nil {
		return err
	}
	return b.settle()
}

// pileRun is the cells of a pile as a run.
func (b *Builder) pileRun(pile *cells.Pile) (cells.Run, error) {
	size := pile.RunBytes()
	if err := b.grow(size); err != nil {
		return cells.Run{}, err
	}
	r := pile.Run()
	return r, b.grow(r.Bytes() - size)
}

// flushPile counts the cells of a pile in words, where that is asked for and they fit, or
// makes a run of them, which it neither merges nor settles, and gives back the memory.
func (b *Builder) flushPile(pb *sectionBuilder, toWords bool) error {
	// Making room may flush the pile of each section: it must not find this one's.
	pile := pb.pile
	pb.pile = cells.Pile{}
	if pile.Len() > 0 {
		b.inPiles -= pile.Len()
		if err := b.sortPile(pb, &pile, toWords); err != nil {
			return err
		}
	}
	return b.grow(-pile.Bytes())
}

// sortPile is flushPile of a pile that is not the section's any more.
func (b *Builder) sortPile(pb *sectionBuilder, pile *cells.Pile, toWords bool) error {
	if toWords && pb.words.Takes(pile) {
		in, err := b.inWords(pb)
		if err == nil && in {
			in, err = b.wordRoom(pb, pile.Len())
		}
		if err != nil {
			return err
		}
		if in {
			return b.growing(pb.words.More(pile.Len())+pile.SumBytes(), &pb.words, func() { pb.words.Take(pile, b.Spare) })
		}
	}
	r, err := b.pileRun(pile)
	if err != nil {
		return err
	}
	if b.spilled { // while room was made
		b.insertRun(pb, r)
		return b.grow(-r.Bytes())
	}
	pb.runs = append(pb.runs, r)
	b.cells += uint64(len(r.Keys))
	return nil
}

// sortPiles makes runs of all piles, whose memory it gives back: how many different cells
// they have is not known before.
func (b *Builder) sortPiles() error {
	if b.inPiles == 0 {
		return nil
	}
	for _, pb := range b.sections {
		if err := b.flushPile(pb, false); err != nil {
			return err
		}
		if err := b.shortenRuns(pb); err != nil {
			return err
		}
	}
	return nil
}
