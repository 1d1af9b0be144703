package cells

import (
	"math/bits"
	"slices"
	"sync"
)

// CountBits is the number of lower bits of a word that hold a cell's count. The upper bits hold the
// lower bits of the cell's key.
const CountBits = 19

const (
	wordKeys = 64 - CountBits // bits for the key
	full     = 1<<CountBits - 1
)

// RecentCache is a direct-mapped cache of cells and their counts. Points often repeat the cells of points
// shortly before. The cache adds these points up, so that they leave it as one count. A cell has one
// slot, by its hash, and evicts another cell that is there. So cells leave in any order, and a cell can
// leave more than once.
type RecentCache struct {
	slots []uint64 // a word per slot: a key above its count, 0 in an empty slot.
	base  uint64   // the upper bits that all keys share
	since int      // number of keys counted since the last trim
}

const (
	// recentBatch is the number of keys that are counted before the evicted cells go on. It is also the
	// number of slots of CountRecent.
	recentBatch = 1 << 12
	// maxSince is the number of keys after which cells with large counts are evicted. A count would
	// leave later anyway, when its bits of a word are full. The bytes of counters in mode mi follow from it.
	maxSince = 1 << (CountBits - 1)
)

// recentScratch is pooled memory for the cells that a batch evicts.
type recentScratch struct{ words, counts [recentBatch]uint64 }

var recentScratches = sync.Pool{New: func() any { return new(recentScratch) }}

// CountRecent counts keys in a cache of their own, and then evicts all cells. put gets the evicted cells.
// fresh is how many keys found no slot with their cell.
func CountRecent(keys []uint64, put func(Squares)) (fresh int) {
	var r RecentCache
	r.Grow(recentBatch)
	fresh, _ = r.Count(keys, put)
	r.Each(put)
	return fresh
}

// Slots returns the number of slots.
func (r *RecentCache) Slots() int { return len(r.slots) }

// Bytes returns the memory of r.
func (r *RecentCache) Bytes() int64 { return int64(len(r.slots)) * 8 }

// Fits reports whether a word can tell these keys, and those in r, apart. There is at least one key.
func (r *RecentCache) Fits(keys []uint64) bool {
	return Differ(keys)>>wordKeys == 0 && (r.since == 0 || (r.base^keys[0])>>wordKeys == 0)
}

// Grow gives r more slots: a power of two.
func (r *RecentCache) Grow(slots int) {
	old := r.slots
	r.slots = make([]uint64, slots)
	for _, w := range old {
		if w != 0 {
			// No two old cells get the same slot: they would have shared one of the old slots too.
			r.slots[w&^full*slotHash>>slotShift(r.slots)] = w
		}
	}
}

// Each calls put with all cells of r, some at a time. It does not change r.
func (r *RecentCache) Each(put func(Squares)) { r.each(1, put) }

// each is Each for the cells that have at least least points.
func (r *RecentCache) each(least uint64, put func(Squares)) {
	if r.since == 0 {
		return
	}
	s := recentScratches.Get().(*recentScratch)
	defer recentScratches.Put(s)
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

// Count counts one point for each key, and does not change keys. Fits must be true for them. put gets the
// evicted cells, some at a time. fresh is how many keys were not in r, and out is how many cells were
// evicted.
func (r *RecentCache) Count(keys []uint64, put func(Squares)) (fresh, out int) {
	s := recentScratches.Get().(*recentScratch)
	defer recentScratches.Put(s)
	r.base = keys[0] &^ (1<<wordKeys - 1)
	for batch := range slices.Chunk(keys, recentBatch) {
		if r.since += len(batch); r.since > maxSince {
			r.trim(put)
			r.since = len(batch)
		}
		n, m := AddToSlots(r.slots, CountBits, batch, s.words[:])
		r.lend(s, n, put)
		fresh, out = fresh+m, out+n
	}
	return fresh, out
}

// AddToSlots counts keys in the slots of a cache of recent cells. A slot has a word: a key above a count of
// countBits bits, or 0 if it is empty. Keys may differ only in the bits that a word has room for. If a slot has
// another cell, or a full count, its word goes to evicted, as long as keys. out is the number of these words, and
// fresh is how many keys found no slot with their cell.
func AddToSlots(slots []uint64, countBits uint, keys, evicted []uint64) (out, fresh int) {
	evicted = evicted[:len(keys)]
	shift, countBits := slotShift(slots), countBits&63
	full := uint64(1)<<countBits - 1
	for _, k := range keys {
		w := k << countBits
		slot := &slots[w*slotHash>>shift]
		was := *slot
		// There is no branch, because whether a cell is recent is not predictable.
		differ := (was^w)>>countBits | (was&full+1)>>countBits
		other := uint64(int64(differ|-differ) >> 63) // all ones if the cell is not recent, or its count is full
		evicted[out] = was
		out += int(other & (was | -was) >> 63)
		fresh -= int(other)
		*slot = (was+1)&^other | (w|1)&other
	}
	return out, fresh
}

// slotHash is the factor of the hash that selects a slot.
const slotHash = 0x9e3779b97f4a7c15

// slotShift returns the number of bits of a hash that do not select the slot.
func slotShift(slots []uint64) uint { return uint(64-bits.TrailingZeros(uint(len(slots)))) & 63 }

// trim evicts cells with large counts: those that might exceed the bits of a word before the next trim.
func (r *RecentCache) trim(put func(Squares)) {
	r.each(maxSince, put)
	for i, w := range r.slots {
		if w&full >= maxSince {
			r.slots[i] = 0
		}
	}
}

// lend calls put with the cells of the first n words of s.
func (r *RecentCache) lend(s *recentScratch, n int, put func(Squares)) {
	if n == 0 {
		return
	}
	words, counts := s.words[:n], s.counts[:n]
	for i, w := range words {
		words[i], counts[i] = r.base|w>>CountBits, w&full
	}
	put(Squares{Keys: words, Counts: counts})
}
