package cms

import (
	"fmt"
	"math"
	"math/bits"
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
	c          table
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
	return &Sketch{counts{keyed.New(p.Seed, flags), table{words.Make(0, int(width*depth)), width, depth}}}, nil
}

// Width is the number of counters of a row.
func (c *counts) Width() uint64 { return c.c.width }

// Depth is the number of rows.
func (c *counts) Depth() uint64 { return c.c.depth }

// Conservative reports the update rule.
func (c *counts) Conservative() bool {
	c.MustBeMade()
	return !c.Additive()
}

// Bytes is the memory of the counters.
func (s *Sketch) Bytes() int { return len(s.c.B) }

// Reset implements keyed.Reusable.
func (s *Sketch) Reset() {
	s.Base = s.Base.Emptied()
	s.c.Table = words.Table{B: s.c.B[:s.c.width*s.c.depth]}
	clear(s.c.B)
}

// Clone is a copy.
func (s *Sketch) Clone() *Sketch {
	c := *s
	c.c.B = slices.Clone(s.c.B)
	return &c
}

// makeRoom prepares for a counter's value v to grow by n: it widens the table,
// or, where no table is wide enough, reports that the counter saturates.
func (s *Sketch) makeRoom(v, n uint64) (saturates bool) {
	sum, carry := bits.Add64(v, n, 0)
	if carry != 0 || sum == saturated {
		sum, saturates = saturated, true
	}
	if shift := words.Shift(sum); shift > s.c.Shift {
		s.c.Table = s.c.Resize(shift)
	}
	if saturates {
		keyed.SetSaturated(&s.Base)
	}
	return saturates
}

// Add counts n occurrences of a key by its hash. O(depth), no allocation but
// when counters widen, at most three times in a sketch's life. Cormode and
// Muthukrishnan 2005, section 3; conservative: Estan and Varghese 2002.
func (s *Sketch) Add(h1, h2, n uint64) {
	if s.Conservative() {
		keyed.Grow(&s.Base, n)
		for !s.c.raiseOne(h1, h2, n) {
			if s.makeRoom(s.c.count(h1, h2), n) {
				s.fill(h1, h2)
				return
			}
		}
		return
	}
	switch s.c.Shift {
	case 0:
		add[uint8](s, h1, h2, n)
	case 1:
		add[uint16](s, h1, h2, n)
	case 2:
		add[uint32](s, h1, h2, n)
	default:
		add[uint64](s, h1, h2, n)
	}
}

// add is Add to a sketch that is not conservative.
func add[W words.Word](s *Sketch, h1, h2, n uint64) {
	keyed.Grow(&s.Base, n)
	limit := words.Room[W]()
	if n > limit {
		s.widen(0, h1, h2, n)
		return
	}
	room := limit - n
	b, width := s.c.B, s.c.width
	x := h1 + h2
	for base, end := uint64(0), width*s.c.depth; base < end; base += width {
		p, _ := bits.Mul64(x, width)
		at := uint32(base + p) // at most 2^27 counters
		v := uint64(words.Get[W](b, at))
		if v > room {
			s.widen(base/width, h1, h2, n)
			return
		}
		words.Put(b, at, W(v+n))
		x += h2
	}
}

// widen adds to the rows from one on whose counter has no room.
func (s *Sketch) widen(row, h1, h2, n uint64) {
	for ; row < s.c.depth; row++ {
		at := int(row*s.c.width + position(h1, h2, row, s.c.width))
		v := s.c.At(at)
		if s.makeRoom(v, n) {
			s.c.Set(at, saturated)
		} else {
			s.c.Set(at, v+n)
		}
	}
}

// fill saturates all counters of a key.
func (s *Sketch) fill(h1, h2 uint64) {
	for row := range s.c.depth {
		s.c.Set(int(row*s.c.width+position(h1, h2, row, s.c.width)), saturated)
	}
}

// AddKey is Add of a key's bytes (package key).
func (s *Sketch) AddKey(b []byte, n uint64) {
	h1, h2 := key.Hash(s.Seed(), b)
	s.Add(h1, h2, n)
}

const (
	// batchLen is the number of keys taken at once: their hashes stay in the
	// fastest cache while the rows are gone through.
	batchLen = 256
	// outOfCache is the table size from which a conservative update first
	// reads what it will change, so that the misses of a batch overlap.
	outOfCache = 1 << 18
)

// AddHashes counts many keys: ns[k] occurrences of the key (h1s[k], h2s[k]),
// or one of each where ns is nil. The result is that of Add for each in turn.
// The slices must be as long as h1s.
func (s *Sketch) AddHashes(h1s, h2s, ns []uint64) {
	for len(h1s) > 0 {
		n := min(batchLen, len(h1s))
		var weights []uint64
		if ns == nil {
			keyed.Grow(&s.Base, uint64(n))
		} else {
			weights = ns[:n]
			var sum, over uint64
			for _, w := range weights {
				var carry uint64
				sum, carry = bits.Add64(sum, w, 0)
				over |= carry
			}
			if keyed.Grow(&s.Base, sum); over != 0 {
				keyed.Forget(&s.Base)
			}
			ns = ns[n:]
		}
		if s.Conservative() {
			s.raiseBatch(h1s[:n], h2s[:n], weights)
		} else {
			s.putBatch(h1s[:n], h2s[:n], weights)
		}
		h1s, h2s = h1s[n:], h2s[n:]
	}
}

// putBatch adds to all rows: two at once, which halves the reading of hashes.
func (s *Sketch) putBatch(h1s, h2s, ns []uint64) {
	row := uint64(0)
	for ; row+1 < s.c.depth; row += 2 {
		for at := 0; at < len(h1s); at++ {
			if at += s.c.putRows(row, h1s[at:], h2s[at:], from(ns, at)); at == len(h1s) {
				break
			}
			var one []uint64
			if ns != nil {
				one = ns[at : at+1]
			}
			s.putRow(row, h1s[at:at+1], h2s[at:at+1], one) // one of them has no room
			s.putRow(row+1, h1s[at:at+1], h2s[at:at+1], one)
		}
	}
	for ; row < s.c.depth; row++ {
		s.putRow(row, h1s, h2s, ns)
	}
}

// from is those from key k on of numbers that there may be.
func from(ns []uint64, k int) []uint64 {
	if ns == nil {
		return nil
	}
	return ns[k:]
}

func (s *Sketch) putRow(row uint64, h1s, h2s, ns []uint64) {
	for {
		done := s.c.putRow(row, h1s, h2s, ns, 1)
		if done == len(h1s) {
			return
		}
		n := uint64(1)
		if ns != nil {
			n = ns[done]
		}
		at := row*s.c.width + position(h1s[done], h2s[done], row, s.c.width)
		if s.makeRoom(s.c.At(int(at)), n) {
			s.c.Set(int(at), saturated)
			done++
		}
		h1s, h2s = h1s[done:], h2s[done:]
		if ns != nil {
			ns = ns[done:]
		}
	}
}

func (s *Sketch) raiseBatch(h1s, h2s, ns []uint64) {
	if s.Bytes() >= outOfCache {
		s.c.touch(h1s, h2s)
	}
	for {
		done := s.c.raise(h1s, h2s, ns, 1)
		if done == len(h1s) {
			return
		}
		n := uint64(1)
		if ns != nil {
			n = ns[done]
		}
		if s.makeRoom(s.c.count(h1s[done], h2s[done]), n) {
			s.fill(h1s[done], h2s[done])
			done++
		}
		h1s, h2s = h1s[done:], h2s[done:]
		if ns != nil {
			ns = ns[done:]
		}
	}
}

// Count is the estimate of a key's occurrences: never below the true count
// (unless what was removed was never added, or a counter saturated), and above
// it by more than epsilon times the total with probability delta at most.
// O(depth). Cormode and Muthukrishnan 2005, theorem 1.
func (c *counts) Count(h1, h2 uint64) uint64 {
	c.MustBeMade()
	return c.c.count(h1, h2)
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
	c.c.countHashes(dst, h1s, h2s)
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
	for row := range s.c.depth {
		at := row*s.c.width + position(h1, h2, row, s.c.width)
		if v := s.c.At(int(at)); v != saturated {
			s.c.Set(int(at), v-n)
		}
	}
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
	excess = math.E / float64(c.c.width) * float64(total)
	if !known {
		excess = math.Inf(1)
	}
	return excess, math.Exp(-float64(c.c.depth))
}
