package sbf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// exactCounts holds how often each key occurred, exactly.
type exactCounts map[hash]uint64

// bytes returns about the memory of the map. An entry has 24 bytes and, between two doublings, as much
// again is free.
func (g exactCounts) bytes() int { return 48 * len(g) }

// NewGathering is New for a sketch that is built once and then encoded, in any order and in parts. With
// RM and TRM it keeps the exact counts of all keys until Blob, and makes the filters from these. The
// second filter then has the keys that need it with their true counts. So no estimate is below the
// truth, few are above, and the bytes do not depend on order or parts. Memory grows with the keys. If
// there are more different keys than counters, no estimate would be useful: all keys go to the first
// filter and none is moved. With MS and MI it is New.
func NewGathering(p Params) (*Sketch, error) {
	s, err := New(p)
	if err != nil {
		return nil, err
	}
	if s.method.recurring() {
		s.exact = exactCounts{}
	}
	return s, nil
}

// addExact counts n occurrences of a key exactly. If there are too many keys, counters replace the exact
// counts.
func (s *Sketch) addExact(h1, h2, n uint64) {
	if n == 0 {
		return
	}
	h := hash{h1, h2}
	s.exact[h] = saturate.Add(s.exact[h], n)
	if uint64(len(s.exact)) > s.m+s.secondM {
		s.overflow()
	}
}

// overflow adds all keys to the first filter. Later keys go there too.
func (s *Sketch) overflow() {
	g := s.exact
	s.exact, s.overflowed = nil, true
	for h, n := range g {
		s.putOne(h.h1, h.h2, n)
	}
}

// remove subtracts n occurrences of each key. An error wraps sketch.ErrTooMany and changes nothing.
func (g exactCounts) remove(h1s, h2s []uint64, n uint64) error {
	for i := range h1s {
		if have := g[hash{h1s[i], h2s[i]}]; n > have {
			return fmt.Errorf("remove %d of a key that occurred %d times: %w", n, have, sketch.ErrTooMany)
		}
	}
	for i := range h1s {
		g.take(hash{h1s[i], h2s[i]}, n)
	}
	return nil
}

// take subtracts n from the count of a key, which is at least n.
func (g exactCounts) take(h hash, n uint64) {
	if g[h] -= n; g[h] == 0 {
		delete(g, h)
	}
}

// finishCounters makes the filters from the exact counts. The paper's filters meet keys in order. They move a
// key when an occurrence of it finds a single least counter, the sign of an error. Here errors need no
// sign. With a marker, only keys are moved whose least counter is wrong. So the second filter has few
// keys and next to no errors of its own. Without a marker a lookup goes by the sign, so all keys that
// have it are moved. They are moved with their own counts. Nothing depends on order: sums commute, and
// each pass decides which keys it moves before it moves them.
func (s *Sketch) finishCounters() {
	g := s.exact
	s.exact = nil
	var room [MaxK]uint32
	for h, n := range g {
		s.first.words.Increase(s.firstPositions(&room, h.h1, h.h2), n)
	}
	var moved []hash
	for h, n := range g {
		if least, single, _ := s.first.minimum(s.firstPositions(&room, h.h1, h.h2)); s.marker && least > n || !s.marker && single {
			moved = append(moved, h)
		}
	}
	// The marker is a Bloom filter, so a lookup may take a key for moved that is not. If the second
	// filter then has a lower count for that key than the true one, the key is moved too. Each pass
	// moves only such keys, so there are few passes.
	for len(moved) > 0 {
		for _, h := range moved {
			s.second.words.Increase(s.secondPositions(&room, h.h1, h.h2), g[h])
			if s.marker {
				s.mark(h.h1, h.h2)
			}
		}
		moved = moved[:0]
		for h, n := range g {
			if s.Count(h.h1, h.h2) < n {
				moved = append(moved, h)
			}
		}
	}
	s.flagSaturated()
}

// finished returns s, or a copy of it whose filters are made.
func (s *Sketch) finished() *Sketch {
	if s.exact == nil {
		return s
	}
	c := s.Clone()
	c.finishCounters()
	return c
}
