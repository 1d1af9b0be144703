package cells

import (
	"encoding/binary"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// One makes one list of all cells, and may use a second goroutine where spare says so.
func (s *Words) One(spare func() bool) {
	for len(s.lists) > 1 {
		s.mergeLast(spare)
	}
}

// Single reports whether s is one list of cells, each of which has one word.
func (s *Words) Single() bool {
	if len(s.lists) != 1 {
		return false
	}
	last := ^uint64(0)
	for _, words := range s.lists[0].pieces {
		for _, w := range words {
			if w>>countBits == last {
				return false
			}
			last = w >> countBits
		}
	}
	return true
}

// Bounds is the smallest rectangle around the cells of a Single.
func (s *Words) Bounds() grid.Rect {
	key := func(w uint64) uint64 { return s.base | w>>countBits }
	c := cornersOf(key(s.lists[0].pieces[0][0]))
	for _, words := range s.lists[0].pieces {
		for len(words) > 0 { // as cornersAround
			n := min(boundsStretch, len(words))
			if !c.holds(key(words[0]), key(words[n-1])) {
				for _, w := range words[:n] {
					c = c.with(key(w))
				}
			}
			words = words[n:]
		}
	}
	return c.rect(0, 0)
}

// Few reports whether the cells are a block, which has no index.
func (s *Words) Few() bool { return s.n <= blockCells }

// AppendBody appends the body of a Single that is not Few, whose keys are of the region (0, 0) without a
// category: what AppendBodyBeside appends of their run, which takes twice the memory.
func (s *Words) AppendBody(dst []byte, bounds grid.Rect, limit uint64, spare func() bool) ([]byte, bool) {
	if uint64(s.n) > limit*8/MinCellBits {
		return dst, false
	}
	w := writers.Get().(*bitio.Writer)
	defer writers.Put(w)
	body := len(dst)
	dst = binary.AppendUvarint(dst, uint64(s.n))
	dst, ok := appendBlocks(dst, w, &wordSource{pieces: s.lists[0].pieces, base: s.base, n: s.n}, limit, spare)
	return dst, ok && uint64(len(dst)-body) <= limit
}

// wordSource is what is left of the words of a Single.
type wordSource struct {
	pieces       [][]uint64
	begin        int // of the first piece, the first word that is left
	n            int
	base         uint64
	keys, counts [blockCells]uint64
}

func (s *wordSource) cells() int { return s.n }

func (s *wordSource) next(n int) Run {
	keys, counts := s.keys[:n], s.counts[:n]
	for len(keys) > 0 {
		words := s.pieces[0][s.begin:]
		words = words[:min(len(words), len(keys))]
		for i, w := range words {
			keys[i], counts[i] = s.base|w>>countBits, w&full
		}
		keys, counts = keys[len(words):], counts[len(words):]
		s.skip(len(words))
	}
	return Run{s.keys[:n], s.counts[:n]}
}

// skip leaves out n cells.
func (s *wordSource) skip(n int) {
	s.n -= n
	for s.begin += n; len(s.pieces) > 0 && s.begin >= len(s.pieces[0]); {
		s.begin -= len(s.pieces[0])
		s.pieces = s.pieces[1:]
	}
}

func (s *wordSource) cut(n int) (a, b source) {
	first, second := *s, *s
	first.n = n
	second.skip(n)
	return &first, &second
}
