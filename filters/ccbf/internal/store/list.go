package store

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// A word is a cell: the lower bits of its key above the bits of its count. All words
// of a store share the upper bits of their keys, the base.
//
// Most stores take cells.CountBits bits for counts. Where keys differ in more bits than are
// left, counts get fewer: the bits of a store's counts are one of countBits.
var countBits = [...]uint{cells.CountBits, 12, 64 - MaxWidth}

// MaxWidth is in how many of their lowest bits the keys of a store may differ.
const MaxWidth = 60

// countBitsFor is how many bits counts get where keys differ in these bits.
func countBitsFor(differ uint64) uint {
	width := uint(bits.Len64(differ))
	for _, n := range countBits {
		if width <= 64-n {
			return n
		}
	}
	panic("store: keys differ in more than 60 bits")
}

// fold writes sorted words to to, which has room for all and may be their memory, with those of one
// cell added up, and returns how many it wrote. What a sum has beyond a word, which is full then,
// goes to carry.
func fold(to, words []uint64, shift uint, carry func(word uint64)) int {
	if len(words) == 0 {
		return 0
	}
	to = to[:len(words)]
	full := uint64(1)<<shift - 1
	n, last := 0, words[0]
	for _, w := range words[1:] {
		differ := (w ^ last) >> (shift & 63)
		other := uint64(int64(differ|-differ) >> 63) // all ones where w has the next cell
		to[n] = last
		n -= int(other)
		if last&full+w&full > full && other == 0 {
			carry(w)
			last -= full
		}
		last = last&^other + w&(full|other) // without a branch, which would be mispredicted
	}
	to[n] = last
	return n + 1
}

// mergeWords writes the sum of two sorted lists of words to to, until one of the three
// ends. It returns how many words it wrote, and how many of each list it read.
func mergeWords(to, a, b []uint64, shift uint, carry func(word uint64)) (n, i, j int) {
	full := uint64(1)<<shift - 1
	for {
		steps := min(len(to)-n, len(a)-i, len(b)-j)
		if steps == 0 {
			return n, i, j
		}
		for end := n + steps; n < end; n++ {
			x, y := a[i], b[j]
			var left, right uint64 // 1 where that word is next: both, where they have one cell
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

// chunkWords is how many words a chunk of a list has at most. A merge gives back the chunks
// that it has read while it writes, so no list is in memory twice.
const (
	chunkWords = 1 << 10
	chunkBytes = chunkWords * 8
	chunkHead  = 56 // the size of a chunk itself
)

// list is sorted words, each of another cell. It never changes.
type list struct {
	chunks []chunk
	n      int   // words
	bytes  int64 // that it takes
	packed bool
	shared bool // with another store, so that its chunks are not reused
}

// chunk is a part of a list, never empty: words, or the code of n of them.
type chunk struct {
	words []uint64
	code  []byte
	n     int
}

// size is the binary order of magnitude of a list, in steps of eight.
func (l *list) size() int { return bits.Len(uint(l.n)) / 3 }

// listOf makes a list of sorted words, which it keeps.
func listOf(words []uint64) list {
	return list{chunks: []chunk{{words: words, n: len(words)}}, n: len(words), bytes: int64(cap(words))*8 + chunkHead}
}

// pool is memory of chunks to be reused.
type pool [][]uint64

// maxPool is how many chunks a store keeps between merges.
const maxPool = 4

func (p *pool) take() []uint64 {
	if n := len(*p); n > 0 {
		words := (*p)[n-1]
		*p = (*p)[:n-1]
		return words[:chunkWords]
	}
	return make([]uint64, chunkWords)
}

func (p *pool) give(words []uint64) {
	if cap(words) == chunkWords {
		*p = append(*p, words)
	}
}

// trim gives back all but a few chunks.
func (p *pool) trim() {
	if len(*p) > maxPool {
		clear((*p)[maxPool:])
		*p = (*p)[:maxPool]
	}
}

// stream is sorted words, read some at a time.
type stream interface {
	// more reports whether there are words left. If so, left has some.
	more() bool
	// left is the words to be read next. The caller cuts off those that it has read.
	left() *[]uint64
}

// reader is the stream of a list. It takes the chunks of a list that is not shared.
type reader struct {
	words  []uint64
	list   list
	at     int // the next chunk
	shift  uint
	pool   *pool
	opened []uint64 // to give back
}

func (r *reader) left() *[]uint64 { return &r.words }

func (r *reader) more() bool {
	if len(r.words) > 0 {
		return true
	}
	if r.opened != nil {
		r.pool.give(r.opened)
		r.opened = nil
	}
	if r.at == len(r.list.chunks) {
		return false
	}
	c := &r.list.chunks[r.at]
	r.at++
	r.words = c.words
	if r.list.packed {
		r.opened = r.pool.take()
		r.words = cells.UnpackWords(r.opened[:c.n], c.code, r.shift)
	} else if !r.list.shared {
		r.opened = c.words
	}
	if !r.list.shared {
		*c = chunk{}
	}
	return true
}

// sum is the stream of the sum of two.
type sum struct {
	words []uint64
	a, b  stream
	shift uint
	carry func(word uint64)
	room  []uint64
}

func (s *sum) left() *[]uint64 { return &s.words }

func (s *sum) more() bool {
	if len(s.words) > 0 {
		return true
	}
	if s.room == nil {
		s.room = make([]uint64, chunkWords/4)
	}
	n := sumInto(s.room, s.a, s.b, s.shift, s.carry)
	s.words = s.room[:n]
	return n > 0
}

// sumInto writes the next words of the sum of two streams; none where both have ended.
func sumInto(to []uint64, a, b stream, shift uint, carry func(word uint64)) int {
	for {
		switch x, y := a.more(), b.more(); {
		case x && y:
			n, i, j := mergeWords(to, *a.left(), *b.left(), shift, carry)
			*a.left(), *b.left() = (*a.left())[i:], (*b.left())[j:]
			if n > 0 {
				return n
			}
		case x:
			return take(to, a)
		case y:
			return take(to, b)
		default:
			return 0
		}
	}
}

// take copies the next words of a stream.
func take(to []uint64, s stream) int {
	left := s.left()
	n := copy(to, *left)
	*left = (*left)[n:]
	return n
}

// writer writes a list.
type writer struct {
	list  list
	to    []uint64 // a chunk
	n     int      // words in it
	shift uint
	pool  *pool
}

// room is where the next words go, at least one.
func (w *writer) room() []uint64 {
	if w.n == len(w.to) {
		w.flush()
		w.to = w.pool.take()
	}
	return w.to[w.n:]
}

// flush ends a chunk.
func (w *writer) flush() {
	if w.n > 0 {
		c := chunk{words: w.to[:w.n], n: w.n}
		w.list.bytes += chunkHead
		if w.list.packed {
			c = chunk{code: cells.PackWords(c.words, w.shift), n: w.n}
			w.list.bytes += int64(cap(c.code))
			w.pool.give(w.to)
		} else {
			w.list.bytes += chunkBytes
		}
		w.list.chunks = append(w.list.chunks, c)
		w.list.n += w.n
	} else if w.to != nil {
		w.pool.give(w.to)
	}
	w.to, w.n = nil, 0
}

// merge is the sum of lists. Those that are not shared are gone then.
func (c *Cells) merge(lists []list, packed bool) list {
	w := writer{pool: &c.pool, shift: c.shift, list: list{packed: packed}}
	streams := make([]stream, len(lists))
	for i, l := range lists {
		streams[i] = &reader{list: l, pool: &c.pool, shift: c.shift}
	}
	a, b := c.sumOf(streams[:len(streams)/2]), c.sumOf(streams[len(streams)/2:])
	for n := 1; n > 0; w.n += n {
		n = sumInto(w.room(), a, b, c.shift, c.carry)
	}
	w.flush()
	c.pool.trim()
	return w.list
}

// sumOf is the stream of the sum of streams.
func (c *Cells) sumOf(of []stream) stream {
	switch len(of) {
	case 0:
		return &reader{pool: &c.pool}
	case 1:
		return of[0]
	}
	return &sum{a: c.sumOf(of[:len(of)/2]), b: c.sumOf(of[len(of)/2:]), shift: c.shift, carry: c.carry}
}

// Reader reads the cells of stores in the order of their keys. It implements
// cells.Source.
type Reader struct {
	stores       []*Cells
	cells        int
	words        reader
	over         *Reader
	overKey      uint64 // of the next cell that has more than a word counts
	overWords    uint64
	pool         pool
	keys, counts [cells.BlockCells]uint64
}

// NewReader returns a Reader of stores, of which each has lower keys than the next. Call Sum of each
// before, and change none while it is read.
func NewReader(stores ...*Cells) *Reader {
	r := &Reader{stores: stores}
	for _, c := range stores {
		r.cells += c.words()
	}
	r.open()
	return r
}

// open begins with the next store that has cells.
func (r *Reader) open() {
	for len(r.stores) > 0 && len(r.stores[0].lists) == 0 {
		r.stores = r.stores[1:]
	}
	if len(r.stores) == 0 {
		return
	}
	c := r.stores[0]
	l := c.lists[0]
	l.shared = true
	r.words = reader{list: l, pool: &r.pool, shift: c.shift}
	if r.over = nil; c.over != nil {
		r.over = NewReader(c.over)
		r.nextOver()
	}
}

// nextOver reads the next cell that has more than a word counts.
func (r *Reader) nextOver() {
	if r.over.cells == 0 {
		r.over = nil
		return
	}
	one := r.over.Next(1)
	r.overKey, r.overWords = one.Keys[0], one.Counts[0]
}

// Cells is the number of cells left.
func (r *Reader) Cells() int { return r.cells }

// Next reads n cells, at most cells.BlockCells and no more than are left. They are valid
// until the next call.
func (r *Reader) Next(n int) cells.Run {
	for at := 0; at < n; {
		if !r.words.more() {
			r.stores = r.stores[1:]
			r.open()
			continue
		}
		at += r.read(r.keys[at:n], r.counts[at:n])
	}
	r.cells -= n
	return cells.Run{Keys: r.keys[:n], Counts: r.counts[:n]}
}

// read reads some cells of the chunk that is open.
func (r *Reader) read(keys, counts []uint64) int {
	c := r.stores[0]
	words := r.words.words[:min(len(r.words.words), len(keys))]
	full := c.full()
	for i, w := range words {
		keys[i], counts[i] = c.key(w), w&full
	}
	for i := 0; r.over != nil && r.overKey <= keys[len(words)-1]; i++ {
		if keys[i] == r.overKey {
			counts[i] = saturate.Add(counts[i], saturate.Mul(r.overWords, full))
			r.nextOver()
		}
	}
	r.words.words = r.words.words[len(words):]
	return len(words)
}

// Run is the cells of stores as a run. Call Sum of each before.
func Run(stores ...*Cells) cells.Run {
	r := NewReader(stores...)
	run := cells.NewRun(r.cells)
	for at := 0; r.cells > 0; {
		part := r.Next(min(r.cells, cells.BlockCells))
		copy(run.Counts[at:], part.Counts)
		at += copy(run.Keys[at:], part.Keys)
	}
	return run
}
