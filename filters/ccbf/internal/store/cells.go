// Package store counts the points of cells exactly while a sketch is built. It works like an LSM
// tree: a write buffer, sorted lists behind it, and merges.
//
// A point takes these steps:
//
//  1. Its key becomes a word: the key above a count of one.
//  2. The word goes to the buffer, which is unsorted. A small direct-mapped cache of recent cells
//     stands before the buffer, as long as it holds at least one key in four.
//  3. A full buffer is sorted, and the words of each cell are added up. If that halves the buffer, it
//     stays. Otherwise it grows, and becomes a list once it exceeds the second-level cache.
//  4. Each list is at most half as long as the one before. So a word moves about as often as the
//     number of words can be halved down to a buffer.
//  5. Once memory has been scarce, lists are packed in the block code of the BLOB, at one to two bytes a
//     cell.
//  6. At the end all lists are merged into one, from which the BLOB is written.
//
// If a count exceeds its bits of a word, the rest goes to another store, in units of full words.
//
// Two designs were rejected. A hash table of cells takes five to ten times as long. Sorted runs of
// keys and counts move twice the memory.
package store

import (
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

const (
	leastBuffer  = 8       // words of the first buffer: there may be a million stores.
	cachedBuffer = 1 << 17 // words that are sorted within the second-level cache.
	mostBuffer   = 1 << 20 // words of the longest buffer, for lists of more than four times as many.
	ratio        = 2       // least ratio of the lengths of a list and the next one.
	recentBits   = 14      // logarithm of the number of recent cells.
)

// Cells counts points by the keys of their cells. Only the lower MaxWidth bits of the keys may differ.
// The zero value is empty.
type Cells struct {
	base     uint64 // the upper bits that all keys share.
	shift    uint   // number of bits that a word has for a count; 0 without words.
	buffer   []uint64
	limit    int      // number of words that the buffer may have; 0 for no limit.
	unsorted int      // number of words that the buffer may have before it is sorted.
	recent   []uint64 // cache of recent cells: a word for each slot; nil without a cache.
	seen     int      // number of keys since the last flush.
	fresh    int      // number of those keys that were not in the cache.
	skips    int      // number of flushes that will still do without the cache.
	lists    []list
	packs    bool   // whether lists are packed.
	over     *Cells // the carries of counts that exceed a word, each in units of the largest count of a word.
}

// sorters lends memory to sort a buffer.
var sorters = sync.Pool{New: func() any { return new(radix.Scratch) }}

// full returns the largest count that a word can have.
func (c *Cells) full() uint64 { return 1<<c.shift - 1 }

// word returns the word of a key with a count.
func (c *Cells) word(key, count uint64) uint64 { return key<<(c.shift&63) | count }

// key returns the key of a word.
func (c *Cells) key(word uint64) uint64 { return c.base | word>>(c.shift&63) }

// Empty reports whether nothing was counted.
func (c *Cells) Empty() bool { return c.shift == 0 }

// Add counts counts[i] points for keys[i], or one point for each key if counts is nil. differ is cells.Differ of the
// keys.
func (c *Cells) Add(keys, counts []uint64, differ uint64) {
	if len(keys) == 0 {
		return
	}
	c.widen(keys[0], differ)
	for len(keys) > 0 {
		want := 1
		if counts != nil {
			want = min(len(keys), c.longest())
		}
		n := min(len(keys), c.room(want))
		switch {
		case counts != nil:
			for i, k := range keys[:n] {
				c.append(k, counts[i])
			}
			counts = counts[n:]
		case c.recent != nil:
			c.addRecent(keys[:n])
		default:
			c.seen += n
			for _, k := range keys[:n] {
				c.buffer = append(c.buffer, c.word(k, 1))
			}
		}
		keys = keys[n:]
	}
}

// add counts count points of a cell, whose key must fit in a word.
func (c *Cells) add(key, count uint64) {
	c.room(1)
	c.append(key, count)
}

// append is add for a buffer that has room for one more word.
func (c *Cells) append(key, count uint64) {
	if full := c.full(); count > full {
		low := (count-1)%full + 1
		c.addOver(key, (count-low)/full)
		count = low
	}
	if count > 0 {
		c.buffer = append(c.buffer, c.word(key, count))
	}
}

// addOver counts words full words for a cell: in the store c.over, whose unit is a full word.
func (c *Cells) addOver(key, words uint64) {
	if c.over == nil {
		c.over = new(Cells)
	}
	c.over.Add([]uint64{key}, []uint64{words}, 0)
}

// carry counts one full word for the cell of word, whose sum is too large for a word.
func (c *Cells) carry(word uint64) { c.addOver(c.key(word), 1) }

// holds reports whether words can hold key, and keys that differ from it in the bits differ.
func (c *Cells) holds(key, differ uint64) bool { return (differ|(key^c.base))>>(64-c.shift) == 0 }

// widen makes sure that words can hold key, and keys that differ from it in the bits differ. If
// necessary, it rewrites all words.
func (c *Cells) widen(key, differ uint64) {
	if !c.Empty() {
		if c.holds(key, differ) {
			return
		}
		differ |= key ^ c.base | (1<<(64-c.shift) - 1) // the words so far may differ in all bits of their keys below the base
	}
	old := *c
	shift := countBitsFor(differ)
	*c = Cells{shift: shift, base: key >> (64 - shift) << (64 - shift), limit: old.limit, packs: old.packs}
	old.each(c.add)
	old.Free()
}

// each calls f for all words, in any order, and several times for some cells.
func (c *Cells) each(f func(key, count uint64)) {
	full := c.full()
	some := func(words []uint64) {
		for _, w := range words {
			if w != 0 { // 0 is an empty slot of c.recent
				f(c.key(w), w&full)
			}
		}
	}
	some(c.buffer)
	some(c.recent)
	for _, l := range c.lists {
		for r := c.read(l); r.more(); r.words = nil {
			some(r.words)
		}
	}
	if c.over != nil {
		c.over.each(func(key, n uint64) { f(key, saturate.Mul(n, full)) })
	}
}

// addRecent counts keys in the cache of recent cells. If a cell comes to the slot of another, the other
// one goes to the buffer. A cell whose count is full goes there too. So the buffer must have room for all
// keys.
func (c *Cells) addRecent(keys []uint64) {
	n := len(c.buffer)
	out, _ := cells.AddToSlots(c.recent, c.shift, keys, c.buffer[n:n+len(keys)])
	c.buffer = c.buffer[:n+out]
	c.seen, c.fresh = c.seen+len(keys), c.fresh+out
}

// adapt drops the cache of recent cells if fewer than one key in four was in it. It tries a new cache
// from time to time.
func (c *Cells) adapt() {
	switch {
	case c.recent != nil && c.fresh > c.seen/4*3 || c.longest() < 1<<recentBits:
		c.dropRecent()
		c.skips = 15
	case c.recent != nil:
	case c.skips > 0:
		c.skips--
	case c.seen > 0:
		c.recent = make([]uint64, 1<<recentBits)
	}
	c.seen, c.fresh = 0, 0
}

// dropRecent moves the recent cells to the buffer.
func (c *Cells) dropRecent() {
	recent := c.recent
	c.recent = nil
	c.addWords(recent)
}

// addWords adds words to the buffer. A word of 0 is an empty slot of recent cells.
func (c *Cells) addWords(words []uint64) {
	for _, w := range words {
		if w != 0 {
			c.room(1)
			c.buffer = append(c.buffer, w)
		}
	}
}

// room makes room for at least n words in the buffer, and returns how many words it has room for.
func (c *Cells) room(n int) int {
	if free := cap(c.buffer) - len(c.buffer); free >= n {
		return free
	}
	size, sorts := cap(c.buffer), false
	if size >= c.unsorted || size >= c.longest() {
		sorts = true
		// Sorting saved less than a quarter of the buffer: few cells had several words.
		if c.unsorted = 2 * size; c.sort() > size/4*3 {
			c.unsorted = 8 * size
		}
	}
	switch {
	// Sorting merged the words of equal cells. The buffer stays as it is, and has room for n more.
	case len(c.buffer) <= size/2 && len(c.buffer)+n <= size:
	case size < c.longest():
		c.setBuffer(c.buffer, max(leastBuffer, 2*size, len(c.buffer)+n))
	default:
		c.flush()
	}
	if sorts && size >= 1<<recentBits {
		c.adapt()
		// c.adapt may have moved recent cells into the buffer.
		return c.room(n)
	}
	return cap(c.buffer) - len(c.buffer)
}

// setBuffer replaces the buffer by one of size words, which begins with the given words.
func (c *Cells) setBuffer(words []uint64, size int) {
	to := append(take(size)[:0], words...)
	give(c.buffer)
	c.buffer = to
}

// longest returns the length at which the buffer is flushed.
func (c *Cells) longest() int {
	if c.limit > 0 {
		return min(c.limit, cachedBuffer)
	}
	return cachedBuffer
}

// sort sorts the buffer, merges the words of each cell into one, and returns the number of words.
func (c *Cells) sort() int {
	s := sorters.Get().(*radix.Scratch)
	defer sorters.Put(s)
	words := s.Sort(c.buffer, c.shift)
	c.buffer = c.buffer[:fold(c.buffer, words, c.shift, c.carry)]
	return len(c.buffer)
}

// flush makes a list of the sorted buffer. If the lists are long, the next buffer is longer.
func (c *Cells) flush() {
	l := listOf(c.buffer)
	l.shared = true
	c.push(l)
	c.buffer = c.buffer[:0]
	size := cap(c.buffer)
	if size >= cachedBuffer && size < mostBuffer && (c.limit == 0 || size < c.limit) && c.words() > 4*size {
		c.setBuffer(nil, 2*size)
	}
}

// push adds list l. Lists that are too short compared to l are merged with it.
func (c *Cells) push(l list) {
	if l.n == 0 {
		return
	}
	all := l.n
	for n := len(c.lists); n > 0 && c.lists[n-1].n < ratio*all; n-- {
		// The merged list will be more than 1/ratio as long as this list. So it must merge with this list
		// too.
		all += c.lists[n-1].n
		l = c.merge(c.lists[n-1], l)
		c.lists = c.lists[:n-1]
	}
	if l.shared || c.packs && !l.packed {
		l = c.merge(l, list{})
	}
	c.lists = append(c.lists, l)
}

// Merge adds the cells of another store, which it does not change.
func (c *Cells) Merge(o *Cells) {
	if o.Empty() {
		return
	}
	c.packs = c.packs || o.packs
	first := c.Empty()
	if first {
		c.base, c.shift, c.unsorted, c.recent = o.base, o.shift, o.unsorted, slices.Clone(o.recent)
		c.setBuffer(o.buffer, cap(o.buffer))
	} else if c.widen(o.base, 1<<(64-o.shift)-1); c.shift != o.shift || c.base != o.base {
		o.each(c.add)
		return
	}
	for _, l := range o.lists {
		l.shared = true
		c.push(l)
	}
	if !first {
		c.addWords(o.buffer)
		c.addWords(o.recent)
	}
	if o.over != nil {
		if c.over == nil {
			c.over = new(Cells)
		}
		c.over.Merge(o.over)
	}
}

// Limit bounds the buffer to about words words; 0 is no bound.
func (c *Cells) Limit(words int) { c.limit = words }

// Pack packs all lists, and from then on each list that is made, to free memory.
func (c *Cells) Pack() {
	c.dropRecent()
	if cap(c.buffer) > c.longest() {
		c.sort()
		c.flush()
		give(c.buffer)
		c.buffer = nil
	}
	c.packs = true
	for i, l := range c.lists {
		if !l.packed {
			c.lists[i] = c.merge(l, list{})
		}
	}
	if c.over != nil {
		c.over.Pack()
	}
}

// Sum merges everything into one list, and frees all other memory.
func (c *Cells) Sum() {
	c.dropRecent()
	var last list
	if len(c.buffer) > 0 {
		c.sort()
		last = listOf(c.buffer)
	} else {
		give(c.buffer)
	}
	c.buffer, c.unsorted, c.seen, c.fresh = nil, 0, 0, 0
	c.push(last)
	for n := len(c.lists); n > 1; n-- {
		c.lists = append(c.lists[:n-2], c.merge(c.lists[n-2], c.lists[n-1]))
	}
	if c.over != nil {
		c.over.Sum()
	}
}

// Bytes returns about the memory of c.
func (c *Cells) Bytes() int64 {
	n := int64(cap(c.buffer)+cap(c.recent)) * 8
	for i := range c.lists {
		n += c.lists[i].bytes
	}
	if c.over != nil {
		n += c.over.Bytes()
	}
	return n
}

// Need returns the most memory, in addition to Bytes, that Add takes, and 0 if there is room.
func (c *Cells) Need(keys []uint64, differ uint64) int64 {
	if len(keys) == 0 {
		return 0
	}
	return c.bufferNeed(len(keys)) + c.widenNeed(keys[0], differ)
}

// widenNeed returns the most memory, in addition to Bytes, that widen takes: all words are rewritten, into a buffer
// and lists that grow.
func (c *Cells) widenNeed(key, differ uint64) int64 {
	if c.Empty() || c.holds(key, differ) {
		return 0
	}
	return 3 * c.Bytes()
}

// bufferNeed returns the most memory, in addition to Bytes, that adding n words takes. It is the memory for the list
// of the last buffer, to sort it, and for a longer buffer. Long buffers also need recent cells and the chunks
// of merges.
func (c *Cells) bufferNeed(n int) int64 {
	need := int64(0)
	if c.over != nil {
		need = c.over.bufferNeed(n)
	}
	size := cap(c.buffer)
	if len(c.buffer)+n <= size {
		return need
	}
	words := 6 * max(leastBuffer, size, n)
	if size+n >= cachedBuffer {
		words += 1<<recentBits + 16*chunkWords
	}
	return need + 8*int64(words)
}

// MergeNeed returns the most memory, in addition to Bytes, that Merge takes.
func (c *Cells) MergeNeed(o *Cells) int64 {
	return c.bufferNeed(len(o.buffer)+len(o.recent)) + 2*o.Bytes() + c.widenNeed(o.base, 1<<(64-o.shift)-1)
}

// SumNeed returns the most memory, in addition to Bytes, that Sum takes.
func (c *Cells) SumNeed() int64 {
	need := 8*int64(2*len(c.buffer)+2*len(c.recent)) + 8*chunkBytes
	if c.over != nil {
		need += c.over.SumNeed()
	}
	return need
}

// Free empties c, and gives its memory to other stores.
func (c *Cells) Free() {
	give(c.buffer)
	for _, l := range c.lists {
		for _, k := range l.chunks {
			give(k.words)
		}
	}
	if c.over != nil {
		c.over.Free()
	}
	*c = Cells{}
}

// words returns the number of words in lists.
func (c *Cells) words() (n int) {
	for i := range c.lists {
		n += c.lists[i].n
	}
	return n
}

// Distinct returns a lower and an upper bound of the number of distinct cells.
func (c *Cells) Distinct() (least, most int) {
	for i := range c.lists {
		least = max(least, c.lists[i].n)
	}
	return least, c.words() + len(c.buffer) + len(c.recent)
}

// Packs reports whether Pack would free memory.
func (c *Cells) Packs() bool {
	return cap(c.buffer) > c.longest() || len(c.recent) > 0 || !c.packs
}
