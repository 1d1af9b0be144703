package sbf

import (
	"cmp"
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// filter is the part of a Sketch and of a View that answers queries. The counters are in memory of
// their own or in the BLOB's.
type filter struct {
	keyed.Base // with the flag Additive, except for MI and for products
	shape
	first, second cells // second is used by RM and TRM only

	marks []byte      // one bit for each counter of first, if keys are marked
	exact exactCounts // exact counts from which Blob makes the counters; nil once they are made
}

// Method returns how keys are counted.
func (f *filter) Method() Method { return f.method }

// K returns the number of counters per key.
func (f *filter) K() int { return f.k }

// Counters returns the number of counters of the first filter and, with RM and TRM, of the second.
func (f *filter) Counters() (first, second uint64) { return f.m, f.secondM }

// Range returns the range of keys for RangeSum, the zero Range if there is none.
func (f *filter) Range() Range { return f.span }

// Count returns the estimate of a key's occurrences. With MS and MI it is never below the true count,
// unless keys were removed that were never added, or a counter saturated. With MS it is above the true
// count for a fraction (1 - exp(-n*k/m))^k of n different keys, with MI for fewer. With RM and TRM it
// can be below, see the package's documentation. O(k) if counters are plain or indexed, otherwise a
// scan of a few codes for each. No allocation. Claims 1 and 4.
func (f *filter) Count(h1, h2 uint64) uint64 {
	var n [1]uint64
	f.CountHashes(n[:], []uint64{h1}, []uint64{h2})
	return n[0]
}

// CountKey is Count of a key's bytes (package key).
func (f *filter) CountKey(b []byte) uint64 { return f.Count(key.Hash(f.Seed(), b)) }

// CountInt is Count of an integer key.
func (f *filter) CountInt(v int64) uint64 { return f.Count(key.HashUint64(f.Seed(), uint64(v))) }

// CountHashes writes the Count of every key to dst. h1s and h2s are as long as dst.
func (f *filter) CountHashes(dst, h1s, h2s []uint64) {
	f.MustBeMade()
	switch {
	case f.exact != nil:
		for i := range dst {
			dst[i] = f.exact[hash{h1s[i], h2s[i]}]
		}
		return
	case !f.method.recurring() && f.inRows():
		rows := f.rows()
		rows.Least(dst, h1s, h2s)
		return
	}
	var room [MaxK]uint32
	for i := range dst {
		pos := f.firstPositions(&room, h1s[i], h2s[i])
		if f.method.recurring() {
			dst[i] = f.recurringCount(pos, h1s[i], h2s[i])
		} else {
			dst[i] = f.first.least(pos)
		}
	}
}

// inRows reports whether the counters of the first filter are words in rows, which package words
// can add to and read many at once.
func (f *filter) inRows() bool { return f.first.coded == nil && !f.blocked }

// rows returns the counters of the first filter for package words.
func (f *filter) rows() words.Rows {
	return words.Rows{Table: f.first.words, Width: f.width(), Factors: factors[:f.k]}
}

// factors are multiplied by h2 to give a key's positions: key.Spread^i for row i.
var factors = func() (f [MaxK]uint64) {
	f[0] = 1
	for i := range MaxK - 1 {
		f[i+1] = f[i] * key.Spread
	}
	return f
}()

// Unbiased returns an estimate whose mean over all hash functions is the true count. For one key it
// is often further off than Count, in both directions, and it can be negative. Use it for sums over
// many keys. Lemma 3:
//
//	(v - k*N/m) / (1 - k/m)
//
// for the mean v of the key's counters and the total N. With groups above 1 the counters are
// divided into that many groups, of equal size or one more. The estimate is then the median of the
// groups' means, section 3.1.1. Counters must be sums and the total known (sketch.ErrNotAdditive).
// With RM and TRM it uses the first filter alone. O(k).
func (f *filter) Unbiased(h1, h2 uint64, groups int) (float64, error) {
	if f.exact != nil {
		return float64(f.exact[hash{h1, h2}]), nil
	}
	total, known := f.Total()
	switch {
	case !f.Additive() || !known:
		return 0, fmt.Errorf("unbiased estimate of method %s: %w", f.what(), sketch.ErrNotAdditive)
	case groups < 1 || groups > f.k:
		return 0, sketch.OptionError("groups", "is %d, must be from 1 to \"k\" %d", groups, f.k)
	case f.m == uint64(f.k):
		return 0, sketch.OptionError("counters", "is %d, must be more than \"k\" for an unbiased estimate", f.m)
	}
	var room [MaxK]uint32
	var means [MaxK]float64
	pos := f.firstPositions(&room, h1, h2)
	for g := range groups {
		part := pos[g*f.k/groups : (g+1)*f.k/groups]
		for _, p := range part {
			means[g] += float64(f.first.at(p)) / float64(len(part))
		}
	}
	k, m, n := float64(f.k), float64(f.m), float64(total)*float64(f.span.levels())
	return (median(means[:groups]) - k*n/m) / (1 - k/m), nil
}

// full reports whether a counter is saturated.
func (f *filter) full() bool { return f.first.full() || f.second.full() }

// agree returns nil if two filters may be used together. Otherwise it returns an error that wraps
// sketch.ErrDiffer and names both values. The encoding may differ.
func agree(a, b *filter) error {
	layouts := map[bool]string{true: "blocked", false: "not blocked"}
	markers := map[bool]string{true: "with marker", false: "without marker"}
	return cmp.Or(
		sketch.Same("method", a.method, b.method),
		sketch.Same("k", a.k, b.k),
		sketch.Same("counters", a.m, b.m),
		sketch.Same("layout", layouts[a.blocked], layouts[b.blocked]),
		sketch.Same("second filter", markers[a.marker], markers[b.marker]),
		sketch.Same("range", a.span, b.span),
		sketch.Same("method", a.what(), b.what()),
		keyed.Agree(a.Base, b.Base),
	)
}
