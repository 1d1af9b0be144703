package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// The cells of a section are in words first, in memory that is used again, and become a
// run when they are many: what few cells there are need not be moved from run to run.

const (
	// mostWords is up to how many cells are in words, and leastWords from how many on it pays.
	mostWords  = 1 << 22
	leastWords = 1 << 12
	// wordBuffer is how many keys become words at a time: they are sorted in the second-level
	// cache, and are few to be sorted when the sketch is made.
	wordBuffer = 1 << 15
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
	return !b.spilled && n <= 2*most, nil
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
	if err := b.growing(pb.words.More(len(keys)), &pb.words, func() { pb.words.Add(keys) }); err != nil {
		return false, err
	}
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
			if err := b.joinWords(&pb.words, w); err != nil {
				return err
			}
			return b.settle()
		}
	}
	var own cells.Words
	if err := b.joinWords(&own, w); err != nil {
		return err
	}
	if err := b.addWordRun(pb, &own); err != nil {
		return err
	}
	return b.grow(-own.Bytes())
}

// joinWords adds words of another builder.
func (b *Builder) joinWords(to, w *cells.Words) error {
	return b.growing(to.More(w.Len()), to, func() { to.Join(w, b.Spare) })
}

// addWordRun adds the cells of words as a run, and leaves those in one list.
func (b *Builder) addWordRun(pb *sectionBuilder, w *cells.Words) error {
	size := cells.RunBytes(w.Len()) + w.More(0)
	if err := b.grow(size); err != nil {
		return err
	}
	before := w.Bytes()
	r := w.Run(b.Spare)
	if err := b.grow(r.Bytes() + w.Bytes() - before - size); err != nil {
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
	before := w.Bytes()
	w.Reset()
	pb.words = w
	return b.grow(w.Bytes() - before)
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

// AppendBlob appends the BLOB of Sketch, and does what Release does. Of the cells of most
// large sketches there is no list between: they are coded from their words.
func (b *Builder) AppendBlob(dst []byte) ([]byte, error) {
	if err := b.Release(); err != nil {
		return dst, err
	}
	blob, ok, tooLong, err := b.appendWords(dst)
	if ok || err != nil {
		return blob, err
	}
	s, err := b.Sketch()
	if err != nil {
		return dst, err
	}
	if tooLong && s.IsExact() {
		return s.appendOverflowed(dst), b.Release()
	}
	return s.AppendBlob(dst), b.Release()
}

// appendWords is AppendBlob of a sketch all of whose cells are in words, or on a pile that goes
// into them, and fit; else nothing is appended, and tooLong where it is known that they do not.
func (b *Builder) appendWords(dst []byte) (blob []byte, ok, tooLong bool, err error) {
	if !b.onlyWords() {
		return dst, false, false, nil
	}
	b.ending = true
	defer func() { b.ending = false }()
	if err := b.flush(b.plain); err != nil {
		return dst, false, false, err
	}
	if err := b.flushPile(b.plain, true); err != nil || !b.onlyWords() {
		return dst, false, false, err
	}
	words := &b.plain.words
	work, before := words.More(0), words.Bytes()
	if err := b.grow(work); err != nil {
		return dst, false, false, err
	}
	words.One(b.Spare)
	if err := b.grow(words.Bytes() - before - work); err != nil || !words.Single() || words.Few() {
		return dst, false, false, err
	}
	start, bounds := len(dst), words.Bounds()
	body, fits := words.AppendBody(b.empty().appendHead(dst, bounds), bounds, b.Bytes, b.Spare)
	if !fits {
		return dst[:start], false, true, nil
	}
	sketch.Seal(body[start:])
	return body, true, false, nil
}

// onlyWords reports whether all cells are in words, on a pile or in the buffer of their section, which has no
// category.
func (b *Builder) onlyWords() bool {
	pb := b.plain
	return b.form() == Exact && !b.spilled && pb != nil && len(b.sections) == 1 && pb.X == 0 && pb.Y == 0 &&
		(pb.words.Len() > 0 || pb.pile.Len() >= leastWords && !pb.pile.Wide()) && len(pb.runs)+len(pb.packed)+pb.squares.Len() == 0 && pb.weights == nil
}
