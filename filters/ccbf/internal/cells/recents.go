package cells

import (
	"math/bits"
	"sync"
)

// Recents counts cells that come again soon: points come in crowds, and those of a cell that are
// counted here go on as one. Each cell has one slot, by its hash, and one that comes to the slot of another
// puts that one out. So cells go on in any order, and some more than once.
type Recents struct {
	slots []uint64 // words, 0 where there is none
	base  uint64   // the bits that all keys have
	since int      // keys counted since the last trim
}

const (
	// recentBatch is how many keys are counted before those that they put out go on.
	recentBatch = 1 << 12
	// recentBits is how many bits of a hash tell the slot where slots are lent, and in a sorter.
	recentBits = 12
)

// recentScratch is memory lent to one after the other: for what a batch puts out, and slots.
type recentScratch struct {
	words, counts [recentBatch + 1]uint64
	slots         [1 << recentBits]uint64
}

var recentScratches = sync.Pool{New: func() any { return new(recentScratch) }}

// CountRecent is Count of what has no memory of its own, and puts everything.
func CountRecent(keys []uint64, put func(Run)) (fresh int) {
	s := recentScratches.Get().(*recentScratch)
	defer recentScratches.Put(s)
	r := s.lent()
	fresh, _ = r.count(s, keys, put)
	r.each(s, 1, put)
	return fresh
}

// Fresh is how many keys CountRecent would not find there.
func Fresh(keys []uint64) (fresh int) {
	s := recentScratches.Get().(*recentScratch)
	defer recentScratches.Put(s)
	r := s.lent()
	fresh, _ = r.count(s, keys, func(Run) {})
	return fresh
}

// lent is without cells, in the scratch's own slots.
func (s *recentScratch) lent() Recents {
	clear(s.slots[:])
	return Recents{slots: s.slots[:]}
}

// Slots is how many cells r has room for.
func (r *Recents) Slots() int { return len(r.slots) }

// Bytes is the memory that r takes.
func (r *Recents) Bytes() int64 { return int64(len(r.slots)) * 8 }

// Fits reports whether keys, of which there is one at least, are like those of r, if there are any.
func (r *Recents) Fits(keys []uint64) bool {
	return width(keys) <= wordKeys && (r.since == 0 || (r.base^keys[0])>>wordKeys == 0)
}

// Grow makes room for more cells: a power of two.
func (r *Recents) Grow(slots int) {
	old := r.slots
	r.slots = make([]uint64, slots)
	for _, w := range old {
		if w != 0 {
			r.slots[recentSlot(w, r.shift())] = w // that of no other: two of them had one before
		}
	}
}

// Each lends all cells of r, some at a time, and leaves it as it is.
func (r *Recents) Each(put func(Run)) {
	if r.since == 0 {
		return
	}
	s := recentScratches.Get().(*recentScratch)
	defer recentScratches.Put(s)
	r.each(s, 1, put)
}

// Count counts keys, which fit and stay as they are, with an occurrence each, and lends the cells that they
// put out, some at a time: fresh is how many keys were not there, out how many cells they put out.
func (r *Recents) Count(keys []uint64, put func(Run)) (fresh, out int) {
	s := recentScratches.Get().(*recentScratch)
	defer recentScratches.Put(s)
	return r.count(s, keys, put)
}

func (r *Recents) count(s *recentScratch, keys []uint64, put func(Run)) (fresh, out int) {
	r.base = keys[0] &^ (1<<wordKeys - 1)
	for len(keys) > 0 {
		batch := keys[:min(len(keys), recentBatch)]
		keys = keys[len(batch):]
		if r.since += len(batch); r.since > MaxKeys {
			r.trim(s, put)
			r.since = len(batch)
		}
		n, m := countRecent(r.slots, r.shift(), batch, s.words[:])
		r.lend(s, n, put)
		fresh, out = fresh+m, out+n
	}
	return fresh, out
}

// countRecent counts keys, which differ in the bits that a word has of them, in slots. It returns how many cells
// they put out, which are in words, and how many keys were not there; key 0 is in every empty slot.
func countRecent(slots []uint64, shift uint, keys, words []uint64) (out, fresh int) {
	words = words[:len(keys)+1]
	for _, k := range keys {
		w := k << countBits
		slot := &slots[recentSlot(w, shift)]
		was := *slot
		// Without a branch, for whether a key repeats is anyone's guess: other
		// is all ones where the slot holds another key, which is then put out
		// unless the slot was empty.
		differ := (was ^ w) >> countBits
		other := uint64(int64(differ|-differ) >> 63)
		words[out] = was
		out += int(other & (was | -was) >> 63)
		fresh -= int(other)
		*slot = (was+1)&^other | (w|1)&other
	}
	return out, fresh
}

// recentSlot is the slot of a word's cell.
func recentSlot(word uint64, shift uint) uint64 { return word &^ full * 0x9e3779b97f4a7c15 >> shift }

// shift is the bits of a hash that do not tell the slot.
func (r *Recents) shift() uint { return uint(64 - bits.TrailingZeros(uint(len(r.slots)))) }

// trim puts out the cells whose count may take more than the bits of a word before the next trim.
func (r *Recents) trim(s *recentScratch, put func(Run)) {
	r.each(s, MaxKeys, put)
	for i, w := range r.slots {
		if w&full >= MaxKeys {
			r.slots[i] = 0
		}
	}
}

// each lends the cells that have at least so many points.
func (r *Recents) each(s *recentScratch, least uint64, put func(Run)) {
	n := 0
	for _, w := range r.slots {
		if w&full < least {
			continue
		}
		s.words[n] = w
		if n++; n == recentBatch {
			r.lend(s, n, put)
			n = 0
		}
	}
	r.lend(s, n, put)
}

// lend lends the cells of the first words.
func (r *Recents) lend(s *recentScratch, n int, put func(Run)) {
	if n == 0 {
		return
	}
	words, counts := s.words[:n], s.counts[:n]
	for i, w := range words {
		words[i], counts[i] = r.base|w>>countBits, w&full
	}
	put(Run{words, counts})
}
