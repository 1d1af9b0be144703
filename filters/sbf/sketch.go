package sbf

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Sketch is a Spectral Bloom Filter in memory.
type Sketch struct {
	filter
	traps      traps // used by TRM only
	overflowed bool  // more keys came than NewGathering keeps, so no key moves to the second filter
}

// New makes an empty sketch. Errors wrap sketch.ErrOption and name the value
// and its range.
func New(p Params) (*Sketch, error) {
	sh, err := p.shape()
	if err != nil {
		return nil, err
	}
	flags := sketch.Additive
	if p.Method == MI {
		flags = 0
	}
	s := &Sketch{filter: filter{Base: keyed.New(p.Seed, flags), shape: sh}}
	if s.ByValue() {
		class := p.RangeClass
		if class == key.None {
			class = key.Int
		}
		if !isNumber(class) {
			return nil, sketch.OptionError("range", "is of %v keys, must be of whole numbers, dates or timestamps", class)
		}
		if err := s.Base.SetKeyClass(class); err != nil {
			return nil, err
		}
	}
	s.first = newCells(sh.m)
	s.empty()
	return s, nil
}

// empty makes the parts of a sketch beside its first filter, without keys.
func (s *Sketch) empty() {
	s.second = newCells(s.secondM)
	s.marks = make([]byte, s.markBytes())
	if s.method == TRM {
		s.traps = traps{}
	}
}

// Reset removes all keys of a sketch to which keys were added and nothing else was done.
func (s *Sketch) Reset() {
	s.Base = s.Base.Emptied()
	s.first.words = s.first.words.Emptied()
	s.second.words = s.second.words.Emptied()
	clear(s.marks)
	if s.method == TRM {
		s.traps = traps{}
	}
	if s.exact != nil || s.overflowed {
		s.exact, s.overflowed = exactCounts{}, false
	}
}

// Clone returns a copy.
func (s *Sketch) Clone() *Sketch {
	s.MustBeMade()
	c := *s
	c.ownCounters()
	c.traps = maps.Clone(s.traps)
	c.exact = maps.Clone(s.exact)
	return &c
}

// ownCounters copies the counters and marks, which another sketch or a BLOB owns, to
// memory of their own.
func (s *Sketch) ownCounters() {
	s.first, s.second = s.first.clone(), s.second.clone()
	s.marks = slices.Clone(s.marks)
}

// Bytes returns the memory that the sketch takes now.
func (s *Sketch) Bytes() int {
	s.MustBeMade()
	return len(s.first.words.B) + len(s.second.words.B) + len(s.marks) + s.traps.bytes() + s.exact.bytes()
}

// Add counts n occurrences of a key by its hash. O(k). It allocates only when counters widen, at most
// three times in a sketch's life, or when traps are set. A sketch with a Range needs the key: it takes
// AddKey and AddInt only.
func (s *Sketch) Add(h1, h2, n uint64) {
	s.hashesOnly()
	keyed.Grow(&s.Base, n)
	s.put([]uint64{h1}, []uint64{h2}, nil, n)
}

// AddHashes counts many keys: ns[i] occurrences of the key (h1s[i], h2s[i]), or one of each if ns is
// nil. The result is the same as by Add for each key in order. The slices must be as long as h1s.
func (s *Sketch) AddHashes(h1s, h2s, ns []uint64) {
	s.hashesOnly()
	keyed.GrowAll(&s.Base, len(h1s), ns)
	s.put(h1s, h2s, ns, 1)
}

// hashesOnly panics if the sketch has a Range, because it then needs keys and not their hashes.
func (s *Sketch) hashesOnly() {
	if s.ByValue() {
		panic("sbf: a sketch with a range takes keys, not hashes")
	}
}

// put counts ns[i] occurrences of key i, or n of each key if ns is nil. It does not change the total.
func (s *Sketch) put(h1s, h2s, ns []uint64, n uint64) {
	if s.sums() && s.exact == nil && s.inRows() {
		rows := s.rows()
		keyed.Saturate(&s.Base, rows.Add(h1s, h2s, ns, n))
		s.first.words = rows.Table
		return
	}
	for i, h1 := range h1s {
		if ns != nil {
			n = ns[i]
		}
		s.putOne(h1, h2s[i], n)
	}
}

// putOne counts n occurrences of a key. It does not change the total.
func (s *Sketch) putOne(h1, h2, n uint64) {
	if s.exact != nil {
		s.addExact(h1, h2, n)
		return
	}
	var room [MaxK]uint32
	pos := s.firstPositions(&room, h1, h2)
	switch {
	case s.sums():
		keyed.Saturate(&s.Base, s.first.words.Increase(pos, n))
	case s.method == MI:
		keyed.Saturate(&s.Base, s.first.words.IncreaseLeast(pos, n))
	default:
		keyed.Saturate(&s.Base, s.recur(pos, h1, h2, n))
	}
}

// sums reports whether adding a key only adds to its counters in the first filter: no key is moved.
func (s *Sketch) sums() bool { return s.method == MS || s.overflowed }

// AddKey counts n occurrences of a key by its bytes (package key). Call SetKeyClass before, or SQL cannot check the
// types of keys. With a Range, a key that is not in it is an error that wraps ErrOutside.
func (s *Sketch) AddKey(b []byte, n uint64) error {
	if s.ByValue() {
		v, err := intOf(b)
		if err != nil {
			return err
		}
		return s.AddInt(v, n)
	}
	h1, h2 := key.Hash(s.Seed(), b)
	s.Add(h1, h2, n)
	return nil
}

// Remove subtracts n occurrences of a key that were added before. Removing others can make estimates
// fall below the truth. It is an error with MI and for products (sketch.ErrNotAdditive). So is more
// than Count or, with RM and TRM, more than the first filter has (sketch.ErrTooMany). An error changes
// nothing. A sketch with a Range takes RemoveKey and RemoveInt only. O(k).
func (s *Sketch) Remove(h1, h2, n uint64) error {
	s.hashesOnly()
	return s.removeAll([]uint64{h1}, []uint64{h2}, n)
}

// RemoveKey is Remove of a key's bytes (package key).
func (s *Sketch) RemoveKey(b []byte, n uint64) error {
	if s.ByValue() {
		v, err := intOf(b)
		if err != nil {
			return err
		}
		return s.RemoveInt(v, n)
	}
	h1, h2 := key.Hash(s.Seed(), b)
	return s.Remove(h1, h2, n)
}

// removeAll subtracts n occurrences from each of a key's hashes: one, and one more for each level of
// its range.
func (s *Sketch) removeAll(h1s, h2s []uint64, n uint64) error {
	if !s.Additive() {
		return fmt.Errorf("remove from a sketch of method %s: %w", s.what(), sketch.ErrNotAdditive)
	}
	total, known := s.Total()
	if known && n > total {
		return fmt.Errorf("remove %d of %d in total: %w", n, total, sketch.ErrTooMany)
	}
	if s.exact != nil {
		if err := s.exact.remove(h1s, h2s, n); err != nil {
			return err
		}
	} else if err := s.removeFirst(h1s, h2s, n); err != nil {
		return err
	}
	keyed.Shrink(&s.Base, n)
	if s.exact == nil && s.method.recurring() {
		for i := range h1s {
			s.removeSecond(h1s[i], h2s[i], n)
		}
	}
	return nil
}

// removeFirst subtracts n from the counters of each hash in the first filter. Two hashes of one key may
// share a counter, so only an attempt shows whether each counter is large enough. If one is not,
// removeFirst undoes its changes and returns an error.
func (s *Sketch) removeFirst(h1s, h2s []uint64, n uint64) error {
	var room [MaxK]uint32
	for i := range h1s {
		pos := s.firstPositions(&room, h1s[i], h2s[i])
		have := s.first.least(pos)
		if n <= have {
			s.first.words.Decrease(pos, n)
			continue
		}
		for i--; i >= 0; i-- {
			s.first.words.Increase(s.firstPositions(&room, h1s[i], h2s[i]), n)
		}
		return fmt.Errorf("remove %d of a key whose estimate is %d: %w", n, have, sketch.ErrTooMany)
	}
	return nil
}

// what returns the method, and whether the sketch is a product.
func (s *shape) what() string {
	if s.product {
		return s.method.String() + " that is a product"
	}
	return s.method.String()
}
