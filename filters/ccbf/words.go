package ccbf

import "github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"

// The cells of a section are in words first, in memory that is used again, and become a
// run when they are many: what few cells there are need not be moved from run to run.

const (
	// mostWords is up to how many cells are in words, and leastWords from how many on it pays.
	mostWords  = 1 << 18
	leastWords = 1 << 12
	// holdWords is what part of the cells held may be in words.
	holdWords = 8
)

// wordsFor is up to how many cells of a section may be in words: no more than what the
// sketch can be exact with, or than a part of what is held.
func (b *Builder) wordsFor() int {
	hold := b.Hold
	if b.Overflow == ToTree {
		hold = b.holdMost()
	}
	return int(min(mostWords, b.Bytes*8/cells.MinCellBits, uint64(hold/holdWords/8)))
}

// inWords reports whether keys of a section are to be counted in words. Where memory has become
// scarce none are any more.
func (b *Builder) inWords(pb *sectionBuilder) (bool, error) {
	if !b.Exact || b.spilled || b.dense != nil {
		return false, nil
	}
	if b.scarce() {
		return false, b.endWords(pb)
	}
	return b.wordsFor() >= leastWords, nil
}

// wordRoom makes room for n words more, in a run's stead where there are many; false where
// there is none for so many.
func (b *Builder) wordRoom(pb *sectionBuilder, n int) (bool, error) {
	most := b.wordsFor()
	if pb.words.Len() > 0 && pb.words.Len()+n > 2*most || pb.words.Len() > most {
		if err := b.flushWords(pb); err != nil {
			return false, err
		}
	}
	if b.spilled || n > 2*most {
		return false, nil
	}
	return true, b.grow(pb.words.More(n))
}

// addWords counts the keys of a section, a buffer's at most, in words; false where they do not fit.
func (b *Builder) addWords(pb *sectionBuilder, keys []uint64) (bool, error) {
	if ok, err := b.inWords(pb); err != nil || !ok {
		return false, err
	}
	if !pb.words.Fits(keys) {
		// Those that follow may fit again, without the ones before.
		return false, b.flushWords(pb)
	}
	if ok, err := b.wordRoom(pb, len(keys)); err != nil || !ok {
		return false, err
	}
	pb.words.Add(keys, b.Spare)
	return true, b.settle()
}

// mergeWords adds the words of another builder's section, which is left unchanged.
func (b *Builder) mergeWords(pb *sectionBuilder, w *cells.Words) error {
	if w.Len() == 0 {
		return nil
	}
	ok, err := b.inWords(pb)
	if err != nil {
		return err
	}
	if ok && pb.words.Joins(w) {
		if ok, err = b.wordRoom(pb, w.Len()); err != nil {
			return err
		}
		if ok {
			pb.words.Join(w)
			return b.settle()
		}
	}
	return b.addWordRun(pb, w)
}

// addWordRun adds the cells of words as a run.
func (b *Builder) addWordRun(pb *sectionBuilder, w *cells.Words) error {
	size := cells.RunBytes(w.Len())
	if err := b.grow(size); err != nil {
		return err
	}
	r := w.Run()
	if err := b.grow(r.Bytes() - size); err != nil {
		return err
	}
	return b.addShared(pb, r)
}

// flushWords makes a run of the words of a section.
func (b *Builder) flushWords(pb *sectionBuilder) error {
	if pb.words.Len() == 0 {
		return nil
	}
	w := pb.words
	pb.words = cells.Words{} // what becomes of the run must not find them here
	if err := b.addWordRun(pb, &w); err != nil {
		return err
	}
	w.Reset()
	pb.words = w
	return nil
}

// endWords is flushWords and gives back the memory.
func (b *Builder) endWords(pb *sectionBuilder) error {
	if err := b.flushWords(pb); err != nil {
		return err
	}
	freed := pb.words.Bytes()
	pb.words = cells.Words{}
	return b.grow(-freed)
}
