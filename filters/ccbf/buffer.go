package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
)

// Buffers start small, for there may be a million of them, and grow with what
// they hold up to a size that sorts in the second-level cache.
const (
	minBuffer  = 16
	sortBuffer = 1 << 12
	maxBuffer  = cells.MaxKeys
	// sortAtOnce is from how many keys on the buffer of a builder that is merged is sorted
	// by itself: there, a thread has its own, and time of its own.
	sortAtOnce = leastWords
)

// push puts a key into the buffer of its section.
func (b *Builder) push(pb *sectionBuilder, key, n uint64) error {
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

// pushAll is push for keys with an occurrence each, or weights[i] of them.
func (b *Builder) pushAll(pb *sectionBuilder, keys, weights []uint64) error {
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

// full makes room in a full buffer: a larger one while it is small, else by
// sorting it into a run or counting it into the dense form.
func (b *Builder) full(pb *sectionBuilder) error {
	size := cap(pb.buf)
	if longest := b.longest(pb); size >= min(longest, sortBuffer) {
		if err := b.flush(pb); err != nil {
			return err
		}
		if b.spilled {
			longest = sortBuffer
		} else if size > longest {
			return b.resize(pb, longest)
		}
		if size >= longest || !b.spilled && pb.cells()+pb.words.Len() <= 2*size {
			return nil
		}
		return b.resize(pb, min(4*size, longest)) // 16 bytes for each of those cells at most
	}
	return b.resize(pb, max(minBuffer, 2*size))
}

// reserve makes room for n more keys at once where no buffer is too large for
// them: sorted together they are one run.
func (b *Builder) reserve(pb *sectionBuilder, n int) error {
	size := max(minBuffer, cap(pb.buf))
	for longest := b.longest(pb); size < len(pb.buf)+n && size < longest; {
		size *= 2
	}
	if size <= cap(pb.buf) || n == 0 {
		return nil
	}
	return b.resize(pb, size)
}

// resize gives a section a larger buffer.
func (b *Builder) resize(pb *sectionBuilder, size int) error {
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
func (b *Builder) flush(pb *sectionBuilder) error {
	if len(pb.buf) == 0 {
		return nil
	}
	if !b.Exact {
		if err := b.spill(); err != nil {
			return err
		}
	}
	if b.spilled {
		if err := b.count(pb); err != nil {
			return err
		}
	} else if ok, err := b.addBuffer(pb); err != nil {
		return err
	} else if !ok {
		r := pb.sorted()
		if err := b.grow(r.Bytes()); err != nil {
			return err
		}
		if err := b.addShared(pb, r); err != nil { // words that did not fit may have ended the runs
			return err
		}
	}
	pb.buf = pb.buf[:0]
	if pb.weights != nil {
		pb.weights = pb.weights[:0]
	}
	return nil
}

// addBuffer counts the keys of a buffer in words; false where they do not fit.
func (b *Builder) addBuffer(pb *sectionBuilder) (bool, error) {
	if pb.weights != nil || len(pb.buf) < leastWords && pb.words.Len() == 0 {
		return false, nil
	}
	return b.addWords(pb, pb.buf)
}

// flushAll empties a buffer, and makes a run of what is in words, as the sketch is made:
// with the pile, where there are words already.
func (b *Builder) flushAll(pb *sectionBuilder) error {
	if err := b.flush(pb); err != nil {
		return err
	}
	if err := b.endRecents(pb); err != nil {
		return err
	}
	if pb.words.Len() > 0 && pb.pile.Len() > 0 {
		if err := b.flushPile(pb, true); err != nil {
			return err
		}
	}
	return b.endWords(pb)
}

// sorted makes a run of the buffer, which it may sort.
func (pb *sectionBuilder) sorted() cells.Run { return cells.RunOf(pb.buf, pb.weights) }

// insert counts sections' cells in the dense form.
func (b *Builder) insert(sections ...cells.Section) {
	b.bounds = cells.Hull(b.bounds, insertCells(b.dense, &b.Config, sections))
	b.counted = b.counted || len(sections) > 0
}

// insertRun counts cells of a section in the dense form.
func (b *Builder) insertRun(pb *sectionBuilder, r cells.Run) {
	b.insert(cells.Section{Label: pb.Label, Run: r})
}
