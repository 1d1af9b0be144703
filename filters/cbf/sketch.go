package cbf

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Sketch is a counting Bloom filter in memory.
type Sketch struct {
	filter
}

// New makes an empty filter. Errors wrap sketch.ErrOption and name the value
// and its range.
func New(p Params) (*Sketch, error) {
	s, err := p.shape()
	if err != nil {
		return nil, err
	}
	return &Sketch{filter{Base: keyed.New(p.Seed, sketch.Additive), kernel: s.withHalves(s.variable), body: make([]byte, 8*s.words)}}, nil
}

// Reset removes all keys of a sketch to which keys were added and nothing else was done.
func (s *Sketch) Reset() {
	s.Base, s.kernel = s.Base.Emptied(), s.withHalves(s.variable)
	clear(s.body)
}

// Bytes returns the memory of the counters.
func (s *Sketch) Bytes() int { return len(s.body) }

// Clone returns a copy.
func (s *Sketch) Clone() *Sketch {
	c := *s
	c.body = slices.Clone(s.body)
	return &c
}

// room prepares for n more occurrences. It drops the upper halves of all counters if the total would
// exceed their limit, or is not known.
func (s *Sketch) room(n uint64) {
	if !s.halves {
		return
	}
	total, known := s.Total()
	if most := s.threshold(); !known || n > most || total > most-n {
		s.drop()
	}
}

// drop drops the upper halves of all counters, so that the lower ones get the whole width. O(Counters).
func (s *Sketch) drop() {
	stuck := uint64(0)
	half := s.kernel
	s.kernel = s.withHalves(false)
	for i := range s.words {
		w := s.at(i)
		if w == 0 {
			continue
		}
		w, is := half.widen(w)
		s.set(i, w)
		stuck |= is
	}
	keyed.SetSaturated(&s.Base, stuck != 0) // not by upper halves, which are gone
}

// Add adds n occurrences of a key by its hash. O(K); O(Counters) once, when Alpha*Capacity is passed.
// No allocation.
func (s *Sketch) Add(h1, h2, n uint64) {
	if n == 0 {
		return
	}
	s.room(n)
	keyed.Grow(&s.Base, n)
	g, stuck := &s.kernel, uint64(0)
	for i := range g.k {
		word, rest := bits.Mul64(hash(h1, h2, i), g.words)
		low, high := g.marks(rest)
		w := s.at(word)
		w, is := g.add(w, &low, n)
		stuck |= is
		if g.halves {
			w, is = g.add(w, &high, n)
			stuck |= is
		}
		s.set(word, w)
	}
	keyed.Saturate(&s.Base, stuck != 0)
}

// AddHashes adds many keys: ns[k] occurrences of the key (h1s[k], h2s[k]), or one of each if ns is nil.
// The result is the same as by Add for each key in order. The slices must be as long as h1s.
func (s *Sketch) AddHashes(h1s, h2s, ns []uint64) {
	s.MustBeMade()
	times := uint64(1)
	for i, h1 := range h1s {
		if ns != nil {
			times = ns[i]
		}
		s.Add(h1, h2s[i], times)
	}
}

// AddKey is Add of a key's bytes (package key). Call SetKeyClass before, or SQL cannot check the types of keys.
func (s *Sketch) AddKey(b []byte, n uint64) {
	h1, h2 := key.Hash(s.Seed(), b)
	s.Add(h1, h2, n)
}

// Remove subtracts n occurrences of a key that were added before. Removing others can make keys that
// are there seem absent. More than can be there is an error (sketch.ErrTooMany), and so is a key that
// Contains does not find. An error changes nothing. O(K).
func (s *Sketch) Remove(h1, h2, n uint64) error {
	if n == 0 {
		return nil
	}
	if total, _ := s.Total(); !keyed.Shrink(&s.Base, n) {
		return fmt.Errorf("remove %d of %d in total: %w", n, total, sketch.ErrTooMany)
	}
	if s.take(h1, h2, n) {
		return nil
	}
	keyed.Grow(&s.Base, n)
	if !s.Contains(h1, h2) {
		return fmt.Errorf("remove %d of a key that is not there: %w", n, sketch.ErrTooMany)
	}
	return fmt.Errorf("remove %d of a key that is there fewer times: %w", n, sketch.ErrTooMany)
}

// take is Remove without the total. It reports false, and changes nothing, if the occurrences cannot
// all be there.
func (s *Sketch) take(h1, h2, n uint64) bool {
	g := &s.kernel
	var words, before [MaxK]uint64
	for i := range g.k {
		word, rest := bits.Mul64(hash(h1, h2, i), g.words)
		low, high := g.marks(rest)
		words[i], before[i] = word, s.at(word)
		w, ok := g.remove(before[i], &low, n)
		if ok && g.halves {
			w, ok = g.remove(w, &high, n)
		}
		if !ok {
			// Undo in reverse order: two hash functions of the key may choose the same word.
			for ; i > 0; i-- {
				s.set(words[i-1], before[i-1])
			}
			return false
		}
		s.set(word, w)
	}
	return true
}

// RemoveKey is Remove of a key's bytes (package key).
func (s *Sketch) RemoveKey(b []byte, n uint64) error {
	h1, h2 := key.Hash(s.Seed(), b)
	return s.Remove(h1, h2, n)
}
