package sbf

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// ErrOutside is the error for a key that is not in the range of its sketch.
var ErrOutside = errors.New("outside the range")

// maxLevels is the largest number of levels of a range.
const maxLevels = 64

// ByValue reports whether the sketch has a Range, so that it needs the keys
// themselves and not only their hashes.
func (s *Sketch) ByValue() bool { return s.span != (Range{}) }

// isNumber reports whether keys of a class are 64-bit numbers, which can have a range.
func isNumber(c key.Class) bool {
	return c == key.Int || c == key.Date || c == key.Timestamp || c == key.TimestampTZ
}

// intOf returns the integer of a key of class Int.
func intOf(b []byte) (int64, error) {
	if len(b) != 8 {
		return 0, fmt.Errorf("a key beyond 64 bits is %w", ErrOutside)
	}
	return int64(binary.LittleEndian.Uint64(b)), nil
}

// node returns the hash of a node of the range tree. On level 0 that is the hash of the key. On higher
// levels it is a hash of the node's number and level. Section 5.5.
func node(seed uint64, span Range, level int, number uint64) (h1, h2 uint64) {
	if level == 0 {
		return key.HashUint64(seed, number+uint64(span.Lo))
	}
	var b [9]byte
	binary.LittleEndian.PutUint64(b[:], number)
	b[8] = byte(level)
	return key.Hash(seed, b[:])
}

// branch writes the hashes of the nodes that count key v, one for each level, and returns their number. Without
// a Range that is the key's hash alone.
func (s *Sketch) branch(v int64, h1s, h2s *[maxLevels]uint64) (int, error) {
	if s.ByValue() && (v < s.span.Lo || v > s.span.Hi) {
		return 0, fmt.Errorf("key %d is %w %v", v, ErrOutside, s.span)
	}
	number := uint64(v) - uint64(s.span.Lo)
	n := s.span.levels()
	for level := range n {
		h1s[level], h2s[level] = node(s.Seed(), s.span, level, number>>level)
	}
	return n, nil
}

// AddInt counts n occurrences of an integer key. In a sketch with a Range it counts them at every
// level. A key outside the range is an error that wraps ErrOutside. In a sketch without a Range, a class of keys that is
// no integer is an error that wraps key.ErrClass. O(k * log2(Hi-Lo)). Theorem 11.
func (s *Sketch) AddInt(v int64, n uint64) error {
	var h1s, h2s [maxLevels]uint64
	levels, err := s.branch(v, &h1s, &h2s)
	if err == nil && !s.ByValue() {
		err = s.SetKeyClass(key.Int)
	}
	if err != nil {
		return err
	}
	keyed.Grow(&s.Base, n)
	s.put(h1s[:levels], h2s[:levels], nil, n)
	return nil
}

// RemoveInt is Remove of an integer key, from every level of the Range.
func (s *Sketch) RemoveInt(v int64, n uint64) error {
	var h1s, h2s [maxLevels]uint64
	levels, err := s.branch(v, &h1s, &h2s)
	if err != nil {
		return err
	}
	return s.removeAll(h1s[:levels], h2s[:levels], n)
}

// RangeSum returns the estimate of the occurrences of all keys from lo to hi, both included. It is
// never below the truth if Count is not, and 2^64-1 if it is larger. Keys outside the sketch's Range
// cannot be there and count 0. It is an error that wraps sketch.ErrOption if the sketch has no Range,
// or if lo is above hi. A product is an error that wraps sketch.ErrNotAdditive: its inner nodes are
// products of sums, not sums of products. At most 2*log2(hi-lo) counts. Theorem 11.
func (f *filter) RangeSum(lo, hi int64) (uint64, error) {
	switch {
	case f.span == (Range{}):
		return 0, sketch.OptionError("range", "is not set, must be given when the sketch is built, for sums over a range")
	case f.product:
		return 0, fmt.Errorf("range sum of a product: %w: its nodes are products of sums", sketch.ErrNotAdditive)
	case lo > hi:
		return 0, sketch.ArgumentError("lo", "is %d, above \"hi\" %d", lo, hi)
	}
	lo, hi = max(lo, f.span.Lo), min(hi, f.span.Hi)
	if lo > hi {
		return 0, nil
	}
	sum := uint64(0)
	f.span.cover(lo, hi, func(level int, number uint64) {
		sum = saturate.Add(sum, f.Count(node(f.Seed(), f.span, level, number)))
	})
	if total, known := f.Total(); known {
		sum = min(sum, total)
	}
	return sum, nil
}

// cover calls add with the level and number of the nodes that together have the keys from lo to hi,
// which are in the range. It goes from the leaves to the level at which nothing is left between the
// two ends.
func (r Range) cover(lo, hi int64, add func(level int, number uint64)) {
	// from and to are the numbers of the first and the last node of the level that are not covered yet.
	from, to := uint64(lo)-uint64(r.Lo), uint64(hi)-uint64(r.Lo)
	for level, top := 0, r.levels()-1; ; level++ {
		if from == to {
			add(level, from)
			return
		}
		if from&1 == 1 || level == top {
			add(level, from)
			from++
		}
		if to&1 == 0 || level == top {
			add(level, to)
			to--
		}
		if from > to {
			return
		}
		from, to = from>>1, to>>1
	}
}
