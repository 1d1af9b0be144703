// Package top keeps the most frequent keys of a stream with bounds for their counts. It implements the
// summary of Misra and Gries in the mergeable form of Agarwal et al. 2012.
//
// A sketch has k counters. Every key with more than 1/(k+1) of all occurrences is among its keys. For
// each key low <= true count <= high always holds. The difference is the same for all keys, MaxError,
// at most total/(k+1), also after any number of unions.
//
// Any number of goroutines may read a Sketch, but none while another changes it.
package top

import (
	"cmp"
	"iter"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Sketch is a summary in memory. It keeps up to 2k keys and reduces them to k when there are more, so
// that a new key costs O(log k) amortised. A BLOB has at most k.
type Sketch struct {
	keyed.Base
	k        uint64
	maxError uint64
	counters []counter
	at       map[string]int // places in counters
	text     int            // bytes of all keys
}

// counter is a key and the lower bound of its count.
type counter struct {
	key string
	low uint64
}

// New makes an empty sketch. Errors wrap sketch.ErrOption and name the value and its range.
func New(p Params) (*Sketch, error) {
	if err := options.Check(p); err != nil {
		return nil, err
	}
	defaults(&p)
	return &Sketch{Base: keyed.New(0, 0), k: p.K, at: map[string]int{}}, nil
}

// K returns the number of counters.
func (s *Sketch) K() uint64 { return s.k }

// MaxError returns by how much a count can be too low. It is also the largest count of a key without a
// counter.
func (s *Sketch) MaxError() uint64 { return s.maxError }

// ByValue reports that the sketch keeps the keys themselves and not their hashes.
func (s *Sketch) ByValue() bool { return s.k > 0 }

// counterBytes is the memory of a counter beside its key: its entry, and its place in the map. The
// tables of a map are between half full and full.
const counterBytes = 24 + 2*(16+8+1)

// Bytes returns about the memory of the counters.
func (s *Sketch) Bytes() int { return len(s.counters)*counterBytes + s.text }

// Reset removes all keys of a sketch to which keys were added and nothing else was done.
func (s *Sketch) Reset() {
	s.Base = s.Base.Emptied()
	s.maxError, s.text = 0, 0
	s.counters = s.counters[:0]
	clear(s.at)
}

// Clone returns the sketch that a BLOB of s makes, with at most k counters.
func (s *Sketch) Clone() *Sketch {
	s.MustBeMade()
	c := *s
	c.counters, c.at = slices.Clone(s.counters), make(map[string]int, len(s.counters))
	c.prune()
	slices.SortFunc(c.counters, func(a, b counter) int {
		return cmp.Or(cmp.Compare(b.low, a.low), cmp.Compare(a.key, b.key))
	})
	for i := range c.counters {
		c.at[c.counters[i].key] = i
	}
	return &c
}

// AddKey counts n occurrences of a key's bytes (package key). Amortised O(log k).
func (s *Sketch) AddKey(b []byte, n uint64) error {
	keyed.Grow(&s.Base, n)
	s.count(b, n)
	if uint64(len(s.counters)) > 2*s.k {
		s.prune()
	}
	return nil
}

// count adds n occurrences of key b to its counter, which it makes if there is none.
func (s *Sketch) count(b []byte, n uint64) {
	if n == 0 {
		return
	}
	if i, ok := s.at[string(b)]; ok {
		s.counters[i].low = saturate.Add(s.counters[i].low, n)
		return
	}
	k := string(b)
	s.at[k] = len(s.counters)
	s.counters = append(s.counters, counter{k, n})
	s.text += len(k)
}

// prune keeps at most k counters: it subtracts the largest count but k from all. At least k+1 counters
// lose that many each, so that (k+1) * maxError and all counts together never exceed the total.
// Agarwal et al. 2012, section 2.
func (s *Sketch) prune() {
	if uint64(len(s.counters)) <= s.k {
		return
	}
	lows := make([]uint64, len(s.counters))
	for i := range s.counters {
		lows[i] = s.counters[i].low
	}
	slices.Sort(lows)
	cut := lows[len(lows)-1-int(s.k)]
	s.maxError = saturate.Add(s.maxError, cut)
	clear(s.at)
	kept := s.counters[:0]
	for _, c := range s.counters {
		if c.low <= cut {
			s.text -= len(c.key)
			continue
		}
		c.low -= cut
		s.at[c.key] = len(kept)
		kept = append(kept, c)
	}
	clear(s.counters[len(kept):]) // so that Go can free the keys
	s.counters = kept
}

// Union adds the occurrences of other, which is unchanged. Other parameters are an error that wraps
// sketch.ErrDiffer and changes nothing.
func (s *Sketch) Union(other *Sketch) error {
	if err := cmp.Or(keyed.Agree(s.Base, other.Base), sketch.Same("k", s.k, other.k)); err != nil {
		return err
	}
	keyed.Unite(&s.Base, other.Base)
	s.maxError = saturate.Add(s.maxError, other.maxError) // the errors of both add up
	for b, low := range other.each {
		s.count(b, low)
	}
	if uint64(len(s.counters)) > 2*s.k {
		s.prune()
	}
	return nil
}

// each yields the keys in any order.
func (s *Sketch) each(yield func(key []byte, low uint64) bool) {
	for _, c := range s.counters {
		if !yield([]byte(c.key), c.low) {
			return
		}
	}
}

// Frequent is a key by its bytes (package key) and the bounds of its count.
type Frequent struct {
	Key       []byte
	Low, High uint64
}

// Keys returns the keys with a counter, the most frequent first, at most k. The true count of each is
// between Low and High. A bound of 2^64-1 means at least that.
func (s *Sketch) Keys() []Frequent {
	p := s.Clone()
	keys := make([]Frequent, len(p.counters))
	for i, c := range p.counters {
		keys[i] = Frequent{[]byte(c.key), c.low, saturate.Add(c.low, p.maxError)}
	}
	return keys
}

// CountKey returns the largest possible count of a key, given by its bytes.
func (s *Sketch) CountKey(b []byte) uint64 {
	s.MustBeMade()
	low := uint64(0)
	if i, is := s.at[string(b)]; is {
		low = s.counters[i].low
	}
	return saturate.Add(low, s.maxError)
}

// CountHashes writes the largest possible count of each key, given by its hash with the seed of the
// sketch, to dst. O(counters + keys).
func (s *Sketch) CountHashes(dst, h1s, h2s []uint64) {
	s.MustBeMade()
	most(s.Base, s.maxError, s.each, dst, h1s, h2s)
}

// most computes CountHashes. If two keys had the same hash, both get the larger count.
func most(base keyed.Base, maxError uint64, counters iter.Seq2[[]byte, uint64], dst, h1s, h2s []uint64) {
	lows := make(map[[2]uint64]uint64, len(h1s))
	for i, h1 := range h1s {
		lows[[2]uint64{h1, h2s[i]}] = 0
	}
	for b, low := range counters {
		h1, h2 := key.Hash(base.Seed(), b)
		if have, is := lows[[2]uint64{h1, h2}]; is {
			lows[[2]uint64{h1, h2}] = max(have, low)
		}
	}
	for i, h1 := range h1s {
		dst[i] = saturate.Add(lows[[2]uint64{h1, h2s[i]}], maxError)
	}
}
