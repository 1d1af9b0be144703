package store

import (
	"iter"
	"math/bits"
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/exact"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// A word is a cell: the lower bits of its key above the bits of its count. All words of a store
// share the upper bits of their keys, the base.
//
// A store's counts have one of these numbers of bits. Most have cells.CountBits; keys that differ
// in more of their bits leave fewer bits for counts.
var countBits = [...]uint{cells.CountBits, 12, 64 - MaxWidth}

// MaxWidth is the number of low bits in which the keys of a store may differ.
const MaxWidth = 60

// countBitsFor returns how many bits of a word are left for counts, if keys differ in the bits of differ: at most
// MaxWidth.
func countBitsFor(differ uint64) uint {
	width := uint(bits.Len64(differ))
	return countBits[slices.IndexFunc(countBits[:], func(n uint) bool { return width <= 64-n })]
}

// fold adds up the sorted words of each cell, and writes one word per cell to to. It returns the number
// of these. to has room for all words, and may be the same memory. If a sum exceeds a word, fold leaves
// that word full, and calls carry for the rest.
func fold(to, words []uint64, shift uint, carry func(word uint64)) int {
	if len(words) == 0 {
		return 0
	}
	to = to[:len(words)]
	full := uint64(1)<<shift - 1
	n, last := 0, words[0]
	for _, w := range words[1:] {
		differ := (w ^ last) >> (shift & 63)
		other := uint64(int64(differ|-differ) >> 63) // all ones if w has the next cell
		to[n] = last
		n -= int(other)
		if last&full+w&full > full && other == 0 {
			carry(w)
			last -= full
		}
		// There is no branch, because it would be mispredicted.
		last = last&^other + w&(full|other)
	}
	to[n] = last
	return n + 1
}

// mergeWords writes the sum of the sorted lists a and b to to, until one of the three slices ends. It
// returns how many words it wrote to to, and read from a and from b.
func mergeWords(to, a, b []uint64, shift uint, carry func(word uint64)) (n, i, j int) {
	full := uint64(1)<<shift - 1
	for {
		steps := min(len(to)-n, len(a)-i, len(b)-j)
		if steps == 0 {
			return n, i, j
		}
		for end := n + steps; n < end; n++ {
			x, y := a[i], b[j]
			var left, right uint64 // 1 if x (left) or y (right) is the next word: both, if they have the same cell
			if x <= y|full {
				left = 1
			}
			if y <= x|full {
				right = 1
			}
			both := left & right
			w := min(x, y) + max(x, y)&full&-both
			if both&((x&full+y&full)>>(shift&63)) != 0 {
				carry(x)
				w -= full
			}
			to[n] = w
			i += int(left)
			j += int(right)
		}
	}
}

const (
	// chunkWords is the largest number of words in a chunk of a list. A merge reuses the chunks
	// that it has read, so no list is in memory twice.
	chunkWords = 1 << 10
	chunkBytes = chunkWords * 8
	chunkHead  = 56 // memory of a chunk without words
)

// list is a list of sorted words, each for another cell. Its words never change. A merge takes the chunks of lists
// that are not shared.
type list struct {
	chunks []chunk
	n      int   // number of words
	bytes  int64 // memory
	packed bool
	shared bool // whether others have its chunks too, which a merge must then not take.
}

// chunk is a part of a list with at least one word. It has either the words, or the code of n words.
type chunk struct {
	words []uint64
	code  []byte
	n     int
}

// listOf makes a list of sorted words. It keeps the slice.
func listOf(words []uint64) list {
	return list{chunks: []chunk{{words: words, n: len(words)}}, n: len(words), bytes: int64(cap(words))*8 + chunkHead}
}

// pools lend memory of a chunk or more to all stores: pool i has slices of 2^i words.
var pools [bits.UintSize]sync.Pool

// take returns memory for n words, and up to twice as many. It is not cleared.
func take(n int) []uint64 {
	class := bits.Len(uint(max(n, 1) - 1))
	if 1<<class >= chunkWords {
		if words, ok := pools[class].Get().(*[]uint64); ok {
			return (*words)[:n]
		}
	}
	return make([]uint64, n, 1<<class)
}

// give gives back memory that take returned.
func give(words []uint64) {
	if n := cap(words); n >= chunkWords {
		lent := words // so that the parameter stays off the heap
		pools[bits.Len(uint(n-1))].Put(&lent)
	}
}

// reader reads the words of a list. Unless the list is shared, it gives back its chunks.
type reader struct {
	words  []uint64 // the next words. The caller cuts off those that it has read.
	list   list
	at     int // index of the next chunk
	shift  uint
	opened []uint64 // memory to give back
}

// read returns a reader of a list that stays as it is.
func (c *Cells) read(l list) reader {
	l.shared = true
	return reader{list: l, shift: c.shift}
}

// more reports whether words are left. If so, r.words has some.
func (r *reader) more() bool {
	if len(r.words) > 0 {
		return true
	}
	if r.opened != nil {
		give(r.opened)
		r.opened = nil
	}
	if r.at == len(r.list.chunks) {
		return false
	}
	c := &r.list.chunks[r.at]
	r.at++
	r.words = c.words
	if r.list.packed {
		r.opened = take(chunkWords)
		r.words = exact.UnpackWords(r.opened[:c.n], c.code, r.shift)
	} else if !r.list.shared {
		r.opened = c.words
	}
	if !r.list.shared {
		*c = chunk{}
	}
	return true
}

// writer writes words into a new list.
type writer struct {
	list  list
	to    []uint64 // the current chunk
	n     int      // number of words in the current chunk.
	shift uint
}

// room returns the free part of the current chunk: at least one word.
func (w *writer) room() []uint64 {
	if w.n == len(w.to) {
		w.flush()
		w.to = take(chunkWords)
	}
	return w.to[w.n:]
}

// flush ends the current chunk.
func (w *writer) flush() {
	if w.n > 0 {
		c := chunk{words: w.to[:w.n], n: w.n}
		w.list.bytes += chunkHead
		if w.list.packed {
			c = chunk{code: exact.PackWords(c.words, w.shift), n: w.n}
			w.list.bytes += int64(cap(c.code))
			give(w.to)
		} else {
			w.list.bytes += chunkBytes
		}
		w.list.chunks = append(w.list.chunks, c)
		w.list.n += w.n
	}
	w.to, w.n = nil, 0
}

// merge returns the sum of two lists. It reuses the memory of lists that are not shared.
func (c *Cells) merge(a, b list) list {
	w := writer{shift: c.shift, list: list{packed: c.packs}}
	x, y := reader{list: a, shift: c.shift}, reader{list: b, shift: c.shift}
	for x.more() && y.more() {
		n, i, j := mergeWords(w.room(), x.words, y.words, c.shift, c.carry)
		w.n += n
		x.words, y.words = x.words[i:], y.words[j:]
	}
	for _, r := range [2]*reader{&x, &y} {
		for r.more() {
			n := copy(w.room(), r.words)
			w.n += n
			r.words = r.words[n:]
		}
	}
	w.flush()
	return w.list
}

// Blocks yields the cells of stores in the order of their keys: BlockCells at a time, and the rest at the end.
// All keys of a store must be below those of the next store. Call Sum of each store before, and do not change
// any meanwhile. The cells are valid until the next ones.
func Blocks(stores ...*Cells) iter.Seq[cells.Squares] {
	return func(yield func(cells.Squares) bool) {
		var keys, counts [cells.BlockCells]uint64
		n := 0
		for _, c := range stores {
			if len(c.lists) == 0 {
				continue
			}
			over, stop := c.carried()
			defer stop()
			base, shift, full := c.base, c.shift&63, c.full()
			for r := c.read(c.lists[0]); r.more(); {
				some := r.words[:min(len(r.words), cells.BlockCells-n)]
				r.words = r.words[len(some):]
				part := cells.Squares{Keys: keys[n : n+len(some)], Counts: counts[n : n+len(some)]}
				for i, w := range some {
					part.Keys[i], part.Counts[i] = base|w>>shift, w&full
				}
				over(part)
				if n += len(some); n == cells.BlockCells {
					if !yield(cells.Squares{Keys: keys[:], Counts: counts[:]}) {
						return
					}
					n = 0
				}
			}
		}
		if n > 0 {
			yield(cells.Squares{Keys: keys[:n], Counts: counts[:n]})
		}
	}
}

// carried returns a function that adds to some cells the points of c.over. Call it with all cells in order.
func (c *Cells) carried() (add func(cells.Squares), stop func()) {
	if c.over == nil {
		return func(cells.Squares) {}, func() {}
	}
	next, stop := iter.Pull(Blocks(c.over))
	over, _ := next()
	return func(s cells.Squares) {
		for i := 0; over.Len() > 0 && over.Keys[0] <= s.Keys[s.Len()-1]; i++ {
			if s.Keys[i] != over.Keys[0] {
				continue
			}
			s.Counts[i] = saturate.Add(s.Counts[i], saturate.Mul(over.Counts[0], c.full()))
			if over = over.Part(1, over.Len()); over.Len() == 0 {
				over, _ = next()
			}
		}
	}, stop
}
