package cells

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/beside"
)

// wordBlock is how many words are in one piece of memory, which is used again as soon as
// the words in it were merged.
const wordBlock = 1 << 10

// wordList is a sorted list of words in pieces, none of them empty.
type wordList struct {
	pieces [][]uint64
	n      int // words
}

// cut returns the pieces before a key and those from it on. One in which the key is
// becomes two, which are no blocks any more.
func (l wordList) cut(key uint64) (before, from [][]uint64) {
	at, _ := slices.BinarySearchFunc(l.pieces, key, func(p []uint64, key uint64) int {
		if p[len(p)-1] < key {
			return -1
		}
		return 1
	})
	if at == len(l.pieces) {
		return l.pieces, nil
	}
	p := l.pieces[at]
	i, _ := slices.BinarySearch(p, key)
	if i == 0 {
		return l.pieces[:at], l.pieces[at:]
	}
	before = append(slices.Clone(l.pieces[:at]), p[:i:i])
	from = append([][]uint64{p[i:]}, l.pieces[at+1:]...)
	return before, from
}

// wordReader is what is left of a list.
type wordReader struct {
	words  []uint64 // of the piece that is read
	piece  []uint64 // all of it
	pieces [][]uint64
	own    bool // blocks are free once they are read
}

// wordMerger merges two sorted lists of words, without a branch on the data but for counts
// that fill a word.
type wordMerger struct {
	a, b wordReader
	out  wordList
	to   []uint64   // the block that is written
	free [][]uint64 // blocks
	left int        // of to, by writeBefore
}

// more makes the next piece of a list the one that is read; false at its end.
func (m *wordMerger) more(r *wordReader) bool {
	if len(r.words) > 0 {
		return true
	}
	if r.own && cap(r.piece) == wordBlock {
		m.free = append(m.free, r.piece)
	}
	if r.piece = nil; len(r.pieces) == 0 {
		return false
	}
	r.piece, r.pieces = r.pieces[0], r.pieces[1:]
	r.words = r.piece
	return true
}

// room sees to it that a word can be written.
func (m *wordMerger) room() {
	if len(m.to) < cap(m.to) {
		return
	}
	m.flush()
	if n := len(m.free); n > 0 {
		m.to, m.free = m.free[n-1][:0], m.free[:n-1]
		return
	}
	m.to = make([]uint64, 0, wordBlock)
}

// flush adds what was written to the list.
func (m *wordMerger) flush() {
	if len(m.to) > 0 {
		m.out.pieces = append(m.out.pieces, m.to)
		m.out.n += len(m.to)
	} else if cap(m.to) == wordBlock {
		m.free = append(m.free, m.to)
	}
	m.to = nil
}

// ready reports whether both lists have words left, and makes room for one.
func (m *wordMerger) ready() bool {
	if !m.more(&m.a) || !m.more(&m.b) {
		return false
	}
	m.room()
	return true
}

// steps is how many words can be written before a piece ends.
func (m *wordMerger) steps() int { return min(len(m.a.words), len(m.b.words), cap(m.to)-len(m.to)) }

// heads are 1 for the words that are next: the one of the lesser key, or both.
func heads(x, y uint64) (left, right uint64) {
	if x <= y|full {
		left = 1
	}
	if y <= x|full {
		right = 1
	}
	return left, right
}

// overflows is 1 where both words are next and count too much for one.
func overflows(x, y, both uint64) uint64 { return both & ((x&full + y&full) >> countBits) }

// joined is the word that is next, or the sum of both.
func joined(x, y, both uint64) uint64 { return min(x, y) + max(x, y)&full&-both }

// beside merges what p and q have until a list of either ends: what is next in one is not
// known before it is known what was last, but the other does not wait for that.
func (m *wordMerger) beside(q *wordMerger) {
	for m.ready() && q.ready() {
		steps := min(m.steps(), q.steps())
		pa, pb, qa, qb := m.a.words, m.b.words, q.a.words, q.b.words
		pd, qd := m.to[len(m.to):cap(m.to)], q.to[len(q.to):cap(q.to)]
		pi, pj, pn, qi, qj := 0, 0, 0, 0, 0
		for pn < steps {
			x, y := pa[pi], pb[pj]
			u, v := qa[qi], qb[qj]
			left, right := heads(x, y)
			up, down := heads(u, v)
			if overflows(x, y, left&right)|overflows(u, v, up&down) != 0 {
				break
			}
			pd[pn], qd[pn] = joined(x, y, left&right), joined(u, v, up&down)
			pi, pj = pi+int(left), pj+int(right)
			qi, qj, pn = qi+int(up), qj+int(down), pn+1
		}
		m.a.words, m.b.words, m.to = pa[pi:], pb[pj:], m.to[:len(m.to)+pn]
		q.a.words, q.b.words, q.to = qa[qi:], qb[qj:], q.to[:len(q.to)+pn]
		if pn < steps { // where a count fills its word
			m.step()
			q.step()
		}
	}
}

// step writes the least of the words that are next, of which there are two.
func (m *wordMerger) step() {
	from := &m.a
	if m.b.words[0] < m.a.words[0] {
		from = &m.b
	}
	m.to = append(m.to, from.words[0])
	from.words = from.words[1:]
}

// rest merges all that is left.
func (m *wordMerger) rest() {
	for m.ready() {
		a, b, to := m.a.words, m.b.words, m.to[len(m.to):cap(m.to)]
		i, j, n, steps := 0, 0, 0, m.steps()
		for ; n < steps; n++ {
			x, y := a[i], b[j]
			left, right := heads(x, y)
			if overflows(x, y, left&right) != 0 {
				break
			}
			to[n] = joined(x, y, left&right)
			i, j = i+int(left), j+int(right)
		}
		m.a.words, m.b.words, m.to = a[i:], b[j:], m.to[:len(m.to)+n]
		if n < steps { // where a count fills its word
			m.step()
		}
	}
	m.drain(&m.a)
	m.drain(&m.b)
	m.flush()
}

// drain writes what is left of the one list that is left: whole blocks as they are.
func (m *wordMerger) drain(r *wordReader) {
	for m.more(r) {
		if r.own && cap(r.words) == wordBlock {
			m.flush()
			m.to = r.words
			m.flush()
			r.piece, r.words = nil, nil
			continue
		}
		m.write(r.words)
		r.words = nil
	}
}

// write writes words that follow.
func (m *wordMerger) write(words []uint64) {
	for len(words) > 0 {
		m.room()
		n := min(len(words), cap(m.to)-len(m.to))
		m.to, words = append(m.to, words[:n]...), words[n:]
	}
}

// writeBefore writes words that come before all written by it, into blocks from their ends on.
func (m *wordMerger) writeBefore(words []uint64) {
	for len(words) > 0 {
		if m.left == 0 {
			m.room()
			m.to, m.left = m.to[:wordBlock], wordBlock
		}
		n := min(len(words), m.left)
		m.left -= n
		copy(m.to[m.left:], words[len(words)-n:])
		words = words[:len(words)-n]
	}
}

// turn makes a list of what writeBefore wrote.
func (m *wordMerger) turn() {
	m.to = m.to[:copy(m.to, m.to[m.left:])]
	m.flush()
	slices.Reverse(m.out.pieces)
}

// merge is the sum of two lists. Those of which it is said that they are s's own are no more. It
// may use a second goroutine where spare says so.
func (s *Words) merge(a, b wordList, ownA, ownB bool, spare func() bool) wordList {
	half := len(s.free) / 2
	first := wordMerger{a: wordReader{pieces: a.pieces, own: ownA}, b: wordReader{pieces: b.pieces, own: ownB}, free: s.free[:half:half]}
	second := wordMerger{free: s.free[half:]}
	if a.n > 0 && b.n > 0 {
		long, short, ownLong, ownShort := a, b, ownA, ownB
		if a.n < b.n {
			long, short, ownLong, ownShort = b, a, ownB, ownA
		}
		key := long.pieces[len(long.pieces)/2][0] &^ full
		x, y := long.cut(key)
		u, v := short.cut(key)
		first.a, second.a = wordReader{pieces: x, own: ownLong}, wordReader{pieces: y, own: ownLong}
		first.b, second.b = wordReader{pieces: u, own: ownShort}, wordReader{pieces: v, own: ownShort}
	}
	if a.n+b.n < manyCells || spare == nil {
		first.beside(&second)
		first.rest()
		second.rest()
	} else {
		beside.Do(spare, first.rest, second.rest)
	}
	l := wordList{append(first.out.pieces, second.out.pieces...), first.out.n + second.out.n}
	s.free = append(first.free, second.free...)
	if most := len(l.pieces)/4 + 2; len(s.free) > most {
		clear(s.free[most:])
		s.free = s.free[:most]
	}
	return l
}
