package cms

import (
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// saturated is the value of a counter that reached the end of 64 bits: it
// stays there whatever is added or removed.
const saturated = words.Saturated

// Sketch is a Count-Min Sketch in memory: width times depth counters of 1, 2,
// 4 or 8 bytes each, all as wide as the largest needs.
type Sketch struct{ counts }

// counts is what a Sketch and a View share: the counters, in memory of their own or in the
// BLOB's.
type counts struct {
	keyed.Base // Additive unless conservative
	c          words.Rows
}

// factors are those of h2 in a key's positions: row i has h1 + (i+1)*h2. Part of the
// format: they never change.
var factors = func() (f [MaxDepth]uint64) {
	for i := range f {
		f[i] = uint64(i) + 1
	}
	return f
}()

// rows are counters, row after row.
func rows(t words.Table, width, depth uint64) words.Rows {
	return words.Rows{Table: t, Width: width, Factors: factors[:depth]}
}

// New makes an empty sketch of width*depth bytes. Errors wrap sketch.ErrOption
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

// Width is the number of counters of a row.
func (c *counts) Width() uint64 { return c.c.Width }

// Depth is the number of rows.
func (c *counts) Depth() uint64 { return uint64(len(c.c.Factors)) }

// Conservative reports the update rule.
func (c *counts) Conservative() bool {
	c.MustBeMade()
	return !c.Additive()
}

// Bytes is the memory of the counters.
func (s *Sketch) Bytes() int { return len(s.c.B) }

// Reset takes away all keys of a sketch to which keys were added and nothing else was done.
func (s *Sketch) Reset() {
	s.Base = s.Base.Emptied()
	s.c.Table = words.Table{B: s.c.B[:s.c.Len()]}
	clear(s.c.B)
}

// Clone is a copy.
func (s *Sketch) Clone() *Sketch {
	c := *s
	c.c.B = slices.Clone(s.c.B)
	return &c
}

// Add counts n occurrences of a key by its hash. O(depth), no allocation but
// when counters widen, at most three times in a sketch's life. Cormode and
// Muthukrishnan 2005, section 3; conservative: Estan and Varghese 2002.
func (s *Sketch) Add(h1, h2, n uint64) {
	keyed.Grow(&s.Base, n)
	saturated := false
	if s.Additive() {
		saturated = s.c.AddKey(h1, h2, n)
	} else {
		saturated = s.c.AddLeast([]uint64{h1}, []uint64{h2}, nil, n)
	}
	if saturated {
		keyed.SetSaturated(&s.Base)
	}
}

// AddKey is Add of a key's bytes (package key).
func (s *Sketch) AddKey(b []byte, n uint64) {
	h1, h2 := key.Hash(s.Seed(), b)
	s.Add(h1, h2, n)
}

// AddHashes counts many keys: ns[k] occurrences of the key (h1s[k], h2s[k]),
// or one of each where ns is nil. The result is that of Add for each in turn.
// The slices must be as long as h1s.
func (s *Sketch) AddHashes(h1s, h2s, ns []uint64) {
	if ns == nil {
		keyed.Grow(&s.Base, uint64(len(h1s)))
	}
	for _, n := range ns {
		keyed.Grow(&s.Base, n)
	}
	saturated := false
	if s.Additive() {
		saturated = s.c.Add(h1s, h2s, ns, 1)
	} else {
		saturated = s.c.AddLeast(h1s, h2s, ns, 1)
	}
	if saturated {
		keyed.SetSaturated(&s.Base)
	}
}

// Count is the estimate of a key's occurrences: never below the true count
// (unless what was removed was never added, or a counter saturated), and above
// it by more than epsilon times the total with probability delta at most.
// O(depth). Cormode and Muthukrishnan 2005, theorem 1.
func (c *counts) Count(h1, h2 uint64) uint64 {
	var n [1]uint64
	c.CountHashes(n[:], []uint64{h1}, []uint64{h2})
	return n[0]
}

// CountKey is Count of a key's bytes (package key).
func (c *counts) CountKey(b []byte) uint64 {
	h1, h2 := key.Hash(c.Seed(), b)
	return c.Count(h1, h2)
}

// CountHashes writes the Count of every key to dst, which is as long as h1s
// and h2s.
func (c *counts) CountHashes(dst, h1s, h2s []uint64) {
	c.MustBeMade()
	c.c.Least(dst, h1s, h2s)
}

// Remove takes away n occurrences of a key that were added before; removing
// others can make estimates fall below the truth. Only for sketches that are
// not conservative (sketch.ErrNotAdditive). More than Count is an error
// (sketch.ErrTooMany). An error changes nothing. O(depth).
func (s *Sketch) Remove(h1, h2, n uint64) error {
	if s.Conservative() {
		return fmt.Errorf("remove from a conservative sketch: %w", sketch.ErrNotAdditive)
	}
	if have := s.Count(h1, h2); n > have {
		return fmt.Errorf("remove %d of a key whose estimate is %d: %w", n, have, sketch.ErrTooMany)
	}
	if total, _ := s.Total(); !keyed.Shrink(&s.Base, n) { // only in a BLOB that no sketch wrote
		return fmt.Errorf("remove %d of %d in total: %w", n, total, sketch.ErrTooMany)
	}
	s.c.Take(h1, h2, n)
	return nil
}

// RemoveKey is Remove of a key's bytes (package key).
func (s *Sketch) RemoveKey(b []byte, n uint64) error {
	h1, h2 := key.Hash(s.Seed(), b)
	return s.Remove(h1, h2, n)
}

// ErrorBound is the excess of an estimate, in occurrences, that is exceeded
// with probability delta at most: e/width of the total, delta = exp(-depth).
// +Inf where the total is not known. Cormode and Muthukrishnan 2005, theorem 1.
func (c *counts) ErrorBound() (excess, delta float64) {
	c.MustBeMade()
	total, known := c.Total()
	excess = math.E / float64(c.Width()) * float64(total)
	if !known {
		excess = math.Inf(1)
	}
	return excess, math.Exp(-float64(c.Depth()))
}
