package cells

import (
	"iter"
	"math/bits"
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/internal/beside"
	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
)

// Many sorted lists of words, one behind the other, are added up one range of keys after the
// other, of which each list has its words side by side. So a word is moved twice, from its
// list and to the sum, however many lists there are.

const (
	// rangeWords is about how many words are added up at once: they stay in the second-level
	// cache.
	rangeWords = 1 << 13
	// samples is how many words are looked at for each range to tell where it begins.
	samples = 8
	// shortList is from how many words on, on average, a list is merged as it is.
	shortList = 256
	// denseSquares is up to how many squares of 64 keys a range may have for a word of bits
	// each: these stay in the first-level cache.
	denseSquares = 1 << 13
	// maxSquares is up to how many it may have for a bit each.
	maxSquares = 64 * denseSquares
	// squareBits is how many bits of a word are within a square of 64 keys.
	squareBits = countBits + 6
)

// ranges adds up the words of one range after the other.
type ranges struct {
	radix        radix.Scratch
	words, other []uint64
	out          []uint64
	set          [denseSquares]uint64 // a bit for each square that there is
	before       [denseSquares]uint32 // how many of them are before, for each word of set
	squares      []uint32             // the numbers of those
	keys         []uint64             // for each square a bit for each key that there is
	first        []uint32             // where the sums of the square begin
	to           wordMerger           // of which only what is written is used
}

var rangers = sync.Pool{New: func() any { return new(ranges) }}

// sum adds to m.to one word for each cell of the parts of lists from borders[i] to borders[i+1]-1, for
// each i of numbers; several where it counts too much for one. The numbers go up from the first, or
// down from the last.
func (m *ranges) sum(lists [][]uint64, borders []uint64, numbers iter.Seq[int], down bool) {
	rest := slices.Clone(lists)
	for i := range numbers {
		from, last := borders[i], borders[i+1]-1
		total := m.take(rest, from, last, down)
		if squares := (last - from) >> squareBits; squares < maxSquares && total <= full {
			m.few(from, int(squares)+1)
		} else {
			m.sorted()
			for i := range m.out {
				m.out[i] += from
			}
		}
		if down {
			m.to.writeBefore(m.out)
		} else {
			m.to.write(m.out)
		}
	}
}

// take takes the words from from to last, of which lists begin, or end, with theirs, less
// from, and returns what they count together.
func (m *ranges) take(rest [][]uint64, from, last uint64, down bool) uint64 {
	words, total := m.words[:0], uint64(0)
	for i, l := range rest {
		words = slices.Grow(words, len(l))
		to := words[len(words) : len(words)+len(l)]
		n := 0
		if down {
			for n < len(l) && l[len(l)-1-n] >= from {
				to[n] = l[len(l)-1-n] - from
				total += to[n] & full
				n++
			}
			rest[i] = l[:len(l)-n]
		} else {
			for n < len(l) && l[n] <= last {
				to[n] = l[n] - from
				total += l[n] & full
				n++
			}
			rest[i] = l[n:]
		}
		words = words[:len(words)+n]
	}
	m.words = words
	return total
}

// few sums words of a range of so many squares, less from: of the keys that there are a bit is set, and the
// number of bits before it is where the cell is in the sum.
func (m *ranges) few(from uint64, squares int) {
	sparse := squares > denseSquares
	if sparse {
		squares = m.renumber(squares)
	}
	m.keys, m.first = slices.Grow(m.keys[:0], squares), slices.Grow(m.first[:0], squares)
	keys, first := m.keys[:squares], m.first[:squares]
	clear(keys)
	for _, w := range m.words {
		keys[w>>squareBits] |= 1 << (w >> countBits % 64)
	}
	m.out = slices.Grow(m.out[:0], len(m.words))
	out, n := m.out[:len(m.words)], 0
	for i, k := range keys {
		first[i] = uint32(n)
		square := uint64(i)
		if sparse {
			square = uint64(m.squares[i])
		}
		for at := from + square<<squareBits; k != 0; k &= k - 1 {
			out[n] = at + uint64(bits.TrailingZeros64(k))<<countBits
			n++
		}
	}
	for _, w := range m.words {
		i := w >> squareBits
		out[int(first[i])+bits.OnesCount64(keys[i]&(1<<(w>>countBits%64)-1))] += w & full
	}
	m.out = out[:n]
}

// renumber numbers the squares that there are, which are in their order then, and returns how many these are.
func (m *ranges) renumber(squares int) int {
	const index = denseSquares - 1
	set := m.set[:(squares+63)/64]
	clear(set)
	for _, w := range m.words {
		square := w >> squareBits
		m.set[square/64&index] |= 1 << (square % 64)
	}
	m.squares = m.squares[:0]
	for i, s := range set {
		m.before[i] = uint32(len(m.squares))
		for ; s != 0; s &= s - 1 {
			m.squares = append(m.squares, uint32(i*64+bits.TrailingZeros64(s)))
		}
	}
	for i, w := range m.words {
		square := w >> squareBits
		at := square / 64 & index
		n := uint64(m.before[at]) + uint64(bits.OnesCount64(m.set[at]&(1<<(square%64)-1)))
		m.words[i] = n<<squareBits | w&(1<<squareBits-1)
	}
	return len(m.squares)
}

// sorted sums m.words, in any order.
func (m *ranges) sorted() {
	words := m.words
	m.out = slices.Grow(m.out[:0], len(words))
	if len(words) == 0 {
		return
	}
	all, none := ^uint64(0), ^uint64(0) // the bits that all words have, and that none has
	for _, w := range words {
		all, none = all&w, none&^w
	}
	m.other = slices.Grow(m.other[:0], len(words))
	sorted, sums := m.radix.SortBitsIn(words, m.other[:len(words)], ^(all|none)&^full), m.other[:len(words)]
	if &sorted[0] == &sums[0] {
		sums = words
	}
	m.out = addUpWords(m.out, sorted, sums)
}

// bordersOf are the words at which ranges begin, and where the last one ends; no cell has words
// on both sides of one. There is one word at least.
func bordersOf(lists [][]uint64) []uint64 {
	var sample []uint64
	least, most, next := ^uint64(0), uint64(0), rangeWords/samples
	for _, l := range lists {
		least, most = min(least, l[0]), max(most, l[len(l)-1])
		for ; next < len(l); next += rangeWords / samples {
			sample = append(sample, l[next]&^full)
		}
		next -= len(l)
	}
	slices.Sort(sample)
	borders := []uint64{least &^ full}
	for i := samples; i+samples <= len(sample); i += samples {
		if w := sample[i]; w > borders[len(borders)-1] {
			borders = append(borders, w)
		}
	}
	return append(borders, most|full+1)
}

// sumLists is one list of what there is in others, none of which is empty, and may use a second
// goroutine where spare says so.
func (s *Words) sumLists(lists [][]uint64, spare func() bool) wordList {
	n := 0
	for _, l := range lists {
		n += len(l)
	}
	borders := bordersOf(lists)
	if n < manyCells {
		spare = nil
	}
	one, other := rangers.Get().(*ranges), rangers.Get().(*ranges)
	free := len(s.free) / 2
	one.to, other.to = wordMerger{free: s.free[:free:free]}, wordMerger{free: s.free[free:]}
	beside.Ends(spare, len(borders)-1, func(numbers iter.Seq[int]) { one.sum(lists, borders, numbers, false) },
		func(numbers iter.Seq[int]) { other.sum(lists, borders, numbers, true) })
	one.to.flush()
	other.to.turn()
	l := wordList{append(one.to.out.pieces, other.to.out.pieces...), one.to.out.n + other.to.out.n}
	s.free = append(one.to.free, other.to.free...)
	for _, m := range []*ranges{one, other} {
		m.to = wordMerger{}
		rangers.Put(m)
	}
	return l
}

// Take adds the cells of a pile, which is not wide, has some and stays as it is, and may use a second goroutine
// where spare says so.
func (s *Words) Take(p *Pile, spare func() bool) {
	s.base = p.base
	s.lists = append(s.lists, s.sumLists(p.sorted(), spare))
	s.count()
	s.shorten(spare)
}

// Takes reports whether Take can add the cells of a pile.
func (s *Words) Takes(p *Pile) bool { return !p.wide && (s.n == 0 || s.base == p.base) }

// sorted is the words of a pile as sorted lists.
func (p *Pile) sorted() [][]uint64 {
	if p.short() {
		return p.longer()
	}
	lists := make([][]uint64, 0, p.lists+len(p.pieces))
	for _, piece := range p.pieces {
		begin, last := 0, uint64(0)
		for i, w := range piece {
			if w < last {
				lists = append(lists, piece[begin:i])
				begin = i
			}
			last = w
		}
		if begin < len(piece) {
			lists = append(lists, piece[begin:])
		}
	}
	return lists
}

// longer is the words of a pile in new lists of a range's number each.
func (p *Pile) longer() (lists [][]uint64) {
	m := rangers.Get().(*ranges)
	defer rangers.Put(m)
	for _, piece := range p.pieces {
		for words := range slices.Chunk(piece, rangeWords) {
			m.words = append(m.words[:0], words...)
			m.sorted()
			lists = append(lists, append(make([]uint64, 0, len(m.out)), m.out...))
		}
	}
	return lists
}

// small is the run of few words.
func (p *Pile) small() Run {
	m := rangers.Get().(*ranges)
	defer rangers.Put(m)
	m.words = m.words[:0]
	for _, piece := range p.pieces {
		m.words = append(m.words, piece...)
	}
	m.sorted()
	return unpack([][]uint64{m.out}, p.base)
}

// addUpWords appends to dst, which has room, one word for each cell of sorted words, several
// where it counts too much for one. It may leave anything in words and in sums, which is as
// long; dst may be in the memory of words. What a cell counts is the difference of two sums
// over all words, so that no word waits for the one before.
func addUpWords(dst, words, sums []uint64) []uint64 {
	sums = sums[:len(words)]
	n, last, sum := 0, words[0]>>countBits, uint64(0)
	for _, w := range words {
		k := w >> countBits
		differ := k ^ last // a branch would be foreseen half of the time
		n += int((differ | -differ) >> 63)
		last = k
		sum += w & full
		words[n], sums[n] = k<<countBits, sum
	}
	sums = sums[:n+1]
	at := len(dst)
	dst = dst[:at+len(sums)]
	over, before := uint64(0), uint64(0)
	for i, sum := range sums {
		count := sum - before
		before = sum
		over |= count
		dst[at+i] = words[i] | count&full
	}
	if over <= full {
		return dst
	}
	// From the last to the first, each to where it comes to lie.
	count := func(i int) uint64 {
		if i == 0 {
			return sums[0]
		}
		return sums[i] - sums[i-1]
	}
	more := 0
	for i := range sums {
		more += int((count(i) - 1) / full)
	}
	dst = dst[:len(dst)+more]
	to := len(dst)
	for i := n; i >= 0; i-- {
		key := dst[at+i] &^ full
		for left := count(i); left > 0; left -= min(left, full) {
			to--
			dst[to] = key | min(left, full)
		}
	}
	return dst
}
