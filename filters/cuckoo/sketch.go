package cuckoo

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// ErrFull is the error for a filter that has no room for a key.
var ErrFull = errors.New("cuckoo filter is full")

// Sketch is a cuckoo filter in memory.
type Sketch struct {
	filter
	undos []savedBits // what buckets had before the moves of an insertion

	pending *pendingEntries // fingerprints that wait; nil unless Later was called
}

// New makes an empty filter. Errors wrap sketch.ErrOption and name the value
// and its range.
func New(p Params) (*Sketch, error) {
	p, buckets, err := p.sized()
	if err != nil {
		return nil, err
	}
	flags := sketch.Flags(0)
	if p.Duplicates {
		flags = sketch.Additive
	}
	s := &Sketch{filter: filter{
		Base:  keyed.New(p.Seed, flags),
		table: newTable(p, buckets, make([]byte, bodySize(buckets, p.FingerprintBits*p.Slots))),
	}}
	s.clear()
	return s, nil
}

// Reset removes all keys of a sketch to which keys were added and nothing else was done.
func (s *Sketch) Reset() {
	s.MustBeMade()
	clear(s.mem)
	s.clear()
	s.Base, s.stored, s.pending = s.Base.Emptied(), 0, nil
}

// Params returns the parameters of New, with their defaults.
func (s *Sketch) Params() Params { return s.params }

// Buckets returns the number of buckets.
func (s *Sketch) Buckets() uint64 { return s.buckets }

// Stored returns the number of fingerprints that are there.
func (s *Sketch) Stored() uint64 { return s.stored }

// Bytes returns the memory of the filter: its buckets, room to undo an insertion, and keys that wait.
func (s *Sketch) Bytes() int {
	s.MustBeMade()
	return len(s.mem) + cap(s.undos)*int(unsafe.Sizeof(savedBits{})) + s.pending.bytes()
}

// Add stores a key by its hash: in a set if it is not yet there, whatever n; in a multiset n times. It
// does nothing if n is 0. An error wraps ErrFull and changes nothing: the filter has no room, or the
// multiset no more slots for this key. O(1) on average; at most Params.MaxKicks moves. Fan et al. 2014,
// section 3.
func (s *Sketch) Add(h1, h2, n uint64) error {
	s.MustBeMade()
	if s.pending != nil {
		return s.AddHashes([]uint64{h1}, []uint64{h2}, []uint64{n})
	}
	i, fp := s.first(h1), s.fingerprintOf(h2)
	return s.addAt(i, s.other(i, fp), fp, n)
}

// addAt is Add by a key's buckets and its fingerprint.
func (s *Sketch) addAt(i, j, fp, n uint64) error {
	switch {
	case n == 0:
		return nil
	case s.params.Duplicates && n != 1:
		return s.addCopies(i, j, fp, n)
	}
	if _, err := s.addOnes([]uint64{i}, []uint64{j}, []uint64{fp}); err != nil {
		return err
	}
	keyed.Grow(&s.Base, n)
	return nil
}

// addOnes adds one occurrence of each key, without the total. It stops at the first key for which there
// is no room, and returns its index and the error.
func (s *Sketch) addOnes(is, js, fps []uint64) (done int, err error) {
	for ; done < len(fps); done++ {
		next, added := s.enter(is[done:], js[done:], fps[done:])
		s.stored += added
		if done += next; done == len(fps) {
			break
		}
		if i, j, fp := is[done], js[done], fps[done]; !s.force(i, j, fp) {
			return done, s.full(i, j, fp)
		}
		s.stored++
	}
	return done, nil
}

// force moves fingerprints until fp has room in bucket i or j, and stores it there. If that fails, it
// changes nothing and reports false.
func (s *Sketch) force(i, j, fp uint64) bool {
	ok := s.kick(i, j, fp)
	if ok {
		s.undos = s.undos[:0]
	} else {
		s.undo()
	}
	return ok
}

// addCopies stores n occurrences of a key, or none.
func (s *Sketch) addCopies(i, j, fp, n uint64) error {
	if have := uint64(s.copies(i, j, fp)); n > 2*uint64(s.b)-min(have, 2*uint64(s.b)) {
		return s.tooManyCopies(have, n)
	}
	for range n {
		s.note(i)
		s.note(j)
		if !s.place(i, j, fingerprint{fp, s.knownBits()}) && !s.kick(i, j, fp) {
			s.undo()
			return s.full(i, j, fp)
		}
	}
	s.undos = s.undos[:0]
	s.stored += n
	keyed.Grow(&s.Base, n)
	return nil
}

// full returns the error for the fingerprint fp if its buckets i and j have no room.
func (s *Sketch) full(i, j, fp uint64) error {
	if have := uint64(s.copies(i, j, fp&s.base)); s.params.Duplicates && have == 2*uint64(s.b) {
		return s.tooManyCopies(have, 1)
	}
	slots := s.buckets * uint64(s.b)
	load := float64(s.stored) / float64(slots)
	hint := fmt.Sprintf("build it with a larger capacity than %d", s.params.Capacity)
	switch {
	case s.params.Duplicates && load < 0.8: // other buckets have free slots
		hint = fmt.Sprintf("keys that occur often fill their two buckets of %d slots: %s", s.b, countElsewhere)
	case s.params.Duplicates:
		hint += " occurrences"
	}
	return fmt.Errorf("%w: %d of %d slots are taken (%.1f%%) and %d moves made no room; %s",
		ErrFull, s.stored, slots, 100*load, s.params.MaxKicks, hint)
}

// countElsewhere is the advice for keys with too many occurrences.
const countElsewhere = "add each key once (DISTINCT), or count in a Count-Min Sketch or a Spectral Bloom Filter"

func (s *Sketch) tooManyCopies(have, n uint64) error {
	return fmt.Errorf("%w for this key: it is there %d times and %d more cannot be added, because its two buckets of %d slots hold %d, whatever the capacity: %s",
		ErrFull, have, n, s.b, 2*s.b, countElsewhere)
}

// AddKey is Add of a key's bytes (package key). Call SetKeyClass before, or SQL cannot check the types of keys.
func (s *Sketch) AddKey(b []byte, n uint64) error {
	h1, h2 := key.Hash(s.Seed(), b)
	return s.Add(h1, h2, n)
}

// AddHashes adds many keys: ns[k] occurrences of the key (h1s[k], h2s[k]), or one of each if ns is nil.
// The result is the same as by Add for each key in order, up to the first error. The keys before that one are
// then in the filter; it and later ones are not. The slices must be as long as h1s.
func (s *Sketch) AddHashes(h1s, h2s, ns []uint64) error {
	s.MustBeMade()
	if s.pending != nil {
		if ns == nil || !s.params.Duplicates {
			return s.addLater(h1s, h2s, ns)
		}
		if err := s.enterPending(); err != nil {
			return err
		}
	}
	var b batch
	for len(h1s) > 0 {
		n := min(batchLen, len(h1s))
		s.locate(&b, h1s[:n], h2s[:n])
		s.prefetch(&b, n)
		if ns == nil {
			done, err := s.addOnes(b.i[:n], b.j[:n], b.fp[:n])
			if keyed.Grow(&s.Base, uint64(done)); err != nil {
				return err
			}
		} else {
			for k, times := range ns[:n] {
				if err := s.addAt(b.i[k], b.j[k], b.fp[k], times); err != nil {
					return err
				}
			}
			ns = ns[n:]
		}
		h1s, h2s = h1s[n:], h2s[n:]
	}
	return nil
}

// Clone returns a copy.
func (s *Sketch) Clone() *Sketch {
	c := *s
	c.mem, c.undos, c.pending = slices.Clone(s.mem), nil, s.pending.clone()
	return &c
}
