package cells

import (
	"math/bits"
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
	// recentBatch is the number of keys that are counted before the evicted cells go on.
	recentBatch = 1 << 12
	// recentBits is the number of bits of a hash that select a slot in pooled memory.
	recentBits = 12
	// maxSince is the number of keys after which cells with large counts are evicted, so that no
	// count exceeds its bits of a word.
	maxSince = 1 << (CountBits - 1)
)

// recentScratch is pooled memory for the cells that a batch evicts, and for the slots of the cache.
type recentScratch struct {
	words, counts [recentBatch + 1]uint64
	slots         [1 << recentBits]uint64
}

var recentScratches = sync.Pool{New: func() any { return new(recentScratch) }}

// CountRecent counts keys in a cache from a pool, and then evicts all cells. put gets the evicted cells.
// fresh is how many keys found no slot with their cell.
func CountRecent(keys []uint64, put func(Squares)) (fresh int) {
	s := recentScratches.Get().(*recentScratch)
	defer recentScratches.Put(s)
	r := s.cache()
	fresh, _ = r.count(s, keys, put)
	r.each(s, 1, put)
	return fresh
}

// cache returns an empty cache that uses the slots of s.
func (s *recentScratch) cache() RecentCache {
	clear(s.slots[:])
	return RecentCache{slots: s.slots[:]}
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
			r.slots[recentSlot(w, r.shift())] = w
		}
	}
}

// Each calls put with all cells of r, some at a time. It does not change r.
func (r *RecentCache) Each(put func(Squares)) {
	if r.since == 0 {
		return
	}
	s := recentScratches.Get().(*recentScratch)
	defer recentScratches.Put(s)
	r.each(s, 1, put)
}

// Count counts one point for each key, and does not change keys. Fits must be true for them. put gets the
// evicted cells, some at a time. fresh is how many keys were not in r, and out is how many cells were
// evicted.
func (r *RecentCache) Count(keys []uint64, put func(Squares)) (fresh, out int) {
	s := recentScratches.Get().(*recentScratch)
	defer recentScratches.Put(s)
	return r.count(s, keys, put)
}

// count is Count with the scratch memory s.
func (r *RecentCache) count(s *recentScratch, keys []uint64, put func(Squares)) (fresh, out int) {
	r.base = keys[0] &^ (1<<wordKeys - 1)
	for len(keys) > 0 {
		batch := keys[:min(len(keys), recentBatch)]
		keys = keys[len(batch):]
		if r.since += len(batch); r.since > maxSince {
			r.trim(s, put)
			r.since = len(batch)
		}
		n, m := countRecent(r.slots, r.shift(), batch, s.words[:])
		r.lend(s, n, put)
		fresh, out = fresh+m, out+n
	}
	return fresh, out
}

// countRecent counts keys in slots. Keys may differ only in the bits that a word has room for. It writes
// the evicted cells to words, and returns their number out. fresh is how many keys found no slot with
// their cell.
func countRecent(slots []uint64, shift uint, keys, words []uint64) (out, fresh int) {
	words = words[:len(keys)+1]
	for _, k := range keys {
		w := k << CountBits
		slot := &slots[recentSlot(w, shift)]
		was := *slot
		// There is no branch, because whether a key repeats is not predictable. other is all ones if the
		// slot has another key, where an empty slot has key 0. Then the word in the slot is evicted,
		// unless it is empty.
		differ := (was ^ w) >> CountBits
		other := uint64(int64(differ|-differ) >> 63)
		words[out] = was
		out += int(other & (was | -was) >> 63)
		fresh -= int(other)
		*slot = (was+1)&^other | (w|1)&other
	}
	return out, fresh
}

// recentSlot returns the slot of a word's cell.
func recentSlot(word uint64, shift uint) uint64 { return word &^ full * 0x9e3779b97f4a7c15 >> shift }

// shift returns the number of bits of a hash that do not select the slot.
func (r *RecentCache) shift() uint { return uint(64 - bits.TrailingZeros(uint(len(r.slots)))) }

// trim evicts cells with large counts: those that might exceed the bits of a word before the next trim.
func (r *RecentCache) trim(s *recentScratch, put func(Squares)) {
	r.each(s, maxSince, put)
	for i, w := range r.slots {
		if w&full >= maxSince {
			r.slots[i] = 0
		}
	}
}

// each calls put with the cells that have at least least points.
func (r *RecentCache) each(s *recentScratch, least uint64, put func(Squares)) {
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
