package cms

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Sketch is a Count-Min Sketch in memory. It has width times depth counters of 1, 2, 4 or 8 bytes each,
// all as wide as the largest needs.
type Sketch struct{ counts }

// counts is the part of a Sketch and of a View that answers queries. The counters are in memory of
// their own or in the BLOB's.
type counts struct {
	keyed.Base // with the flag Additive unless Conservative is set
	c          words.Rows
}

// factors are multiplied by h2 to give a key's positions: row i has h1 + (i+1)*h2. They are part of the
// format and never change.
var factors = func() (f [MaxDepth]uint64) {
	for i := range f {
		f[i] = uint64(i) + 1
	}
	return f
}()

// rows returns a table as rows.
func rows(t words.Table, width, depth uint64) words.Rows {
	return words.Rows{Table: t, Width: width, Factors: factors[:depth]}
}

// New makes an empty sketch of width*depth counters, each of one byte until a count needs more. Errors wrap sketch.ErrOption
// and name the value and its range.
func New(p Params) (*Sketch, error) {
	width, depth, err := p.shape()
	if err != nil {
		return nil, err
	}
	flags := sketch.Additive
	if p.Conservative {
		flags = 0
	}
	return &Sketch{counts{keyed.New(p.Seed, flags), rows(words.Make(0, int(width*depth)), width, depth)}}, nil
}

// Width returns the number of counters of a row.
func (c *counts) Width() uint64 { return c.c.Width }

// Depth returns the number of rows.
func (c *counts) Depth() uint64 { return uint64(len(c.c.Factors)) }

// Conservative reports whether the sketch is conservative (Params.Conservative).
func (c *counts) Conservative() bool {
	c.MustBeMade()
	return !c.Additive()
}

// Bytes returns the memory of the counters.
func (s *Sketch) Bytes() int { return len(s.c.B) }

// Reset removes all keys of a sketch to which keys were added and nothing else was done.
func (s *Sketch) Reset() {
	s.Base = s.Base.Emptied()
	s.c.Table = s.c.Emptied()
}

// Clone returns a copy.
func (s *Sketch) Clone() *Sketch {
	c := *s
	c.c.Table = s.c.Table.Clone()
	return &c
}

// Add counts n occurrences of a key by its hash. O(depth). It allocates only when counters widen, at
// most three times in a sketch's life. Cormode and Muthukrishnan 2005, section 3; conservative: Estan
// and Varghese 2002.
func (s *Sketch) Add(h1, h2, n uint64) {
	keyed.Grow(&s.Base, n)
	if s.Additive() {
		keyed.Saturate(&s.Base, s.c.AddKey(h1, h2, n))
	} else {
		keyed.Saturate(&s.Base, s.c.AddLeast([]uint64{h1}, []uint64{h2}, nil, n))
	}
}

// AddKey is Add of a key's bytes (package key). Call SetKeyClass before, or SQL cannot check the types of keys.
func (s *Sketch) AddKey(b []byte, n uint64) {
	h1, h2 := key.Hash(s.Seed(), b)
	s.Add(h1, h2, n)
}

// AddHashes counts many keys: ns[k] occurrences of the key (h1s[k], h2s[k]), or one of each if ns is
// nil. The result is the same as by Add for each key in order. The slices must be as long as h1s.
func (s *Sketch) AddHashes(h1s, h2s, ns []uint64) {
	keyed.GrowAll(&s.Base, len(h1s), ns)
	if s.Additive() {
		keyed.Saturate(&s.Base, s.c.Add(h1s, h2s, ns, 1))
	} else {
		keyed.Saturate(&s.Base, s.c.AddLeast(h1s, h2s, ns, 1))
	}
}

// Count returns the estimate of a key's occurrences. It is never below the true count, unless keys were
// removed that were never added, or a counter saturated. It is above by more than epsilon times the
// total with a probability of at most delta. O(depth). Cormode and Muthukrishnan 2005, theorem 1.
func (c *counts) Count(h1, h2 uint64) uint64 {
	var n [1]uint64
	c.CountHashes(n[:], []uint64{h1}, []uint64{h2})
	return n[0]
}

// CountKey is Count of a key's bytes (package key).
func (c *counts) CountKey(b []byte) uint64 {
	return c.Count(key.Hash(c.Seed(), b))
}

// CountHashes writes the Count of every key to dst. h1s and h2s are as long as dst.
func (c *counts) CountHashes(dst, h1s, h2s []uint64) {
	c.MustBeMade()
	c.c.Least(dst, h1s, h2s)
}

// Remove subtracts n occurrences of a key that were added before. Removing others can make estimates
// fall below the truth. It is an error for conservative sketches (sketch.ErrNotAdditive), and for more
// than Count (sketch.ErrTooMany). An error changes nothing. O(depth).
func (s *Sketch) Remove(h1, h2, n uint64) error {
	if s.Conservative() {
		return fmt.Errorf("remove from a conservative sketch: %w", sketch.ErrNotAdditive)
	}
	if have := s.Count(h1, h2); n > have {
		return fmt.Errorf("remove %d of a key whose estimate is %d: %w", n, have, sketch.ErrTooMany)
	}
	if total, _ := s.Total(); !keyed.Shrink(&s.Base, n) { // only in a BLOB that no sketch wrote: the total is below n
		return fmt.Errorf("remove %d of %d in total: %w", n, total, sketch.ErrTooMany)
	}
	var room [MaxDepth]uint32
	s.c.Decrease(s.c.Places(room[:0], h1, h2), n)
	return nil
}

// RemoveKey is Remove of a key's bytes (package key).
func (s *Sketch) RemoveKey(b []byte, n uint64) error {
	h1, h2 := key.Hash(s.Seed(), b)
	return s.Remove(h1, h2, n)
}

// ErrorBound returns the excess of an estimate, in occurrences, that is exceeded with a probability of
// at most delta. The excess is e/width of the total, delta is exp(-depth). It is +Inf if the total is
// not known. Cormode and Muthukrishnan 2005, theorem 1.
func (c *counts) ErrorBound() (excess, delta float64) {
	c.MustBeMade()
	total, known := c.Total()
	excess = math.E / float64(c.Width()) * float64(total)
	if !known {
		excess = math.Inf(1)
	}
	return excess, math.Exp(-float64(c.Depth()))
}
