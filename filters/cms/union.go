package cms

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// agree returns nil for sketches that may be used together. Otherwise it returns an error that wraps
// sketch.ErrDiffer and names both values.
func agree(a, b *Sketch) error {
	rule := map[bool]string{true: "plain", false: "conservative"}
	return cmp.Or(
		sketch.Same("width", a.Width(), b.Width()),
		sketch.Same("depth", a.Depth(), b.Depth()),
		sketch.Same("update rule", rule[a.Additive()], rule[b.Additive()]),
		keyed.Agree(a.Base, b.Base),
	)
}

// Union adds the occurrences of other, which is unchanged and must agree in width, depth, seed, update
// rule and class of keys (sketch.ErrDiffer). The union of plain sketches of parts is the sketch of the
// whole, to the byte. Conservative sketches unite by addition too. Each counter is at least the sum of
// the counts that it bounds in both, so estimates are never below the truth. They may be larger than
// those of one sketch of the whole. O(width*depth). Cormode and Muthukrishnan 2005, section 3.
func (s *Sketch) Union(other *Sketch) error {
	if err := agree(s, other); err != nil {
		return err
	}
	keyed.Unite(&s.Base, other.Base)
	// If other is s, widening makes a new table for s and leaves the one that is read.
	keyed.Saturate(&s.Base, s.c.Merge(other.c.Table, saturate.Add))
	return nil
}

// JoinSize returns the estimate of the number of pairs with equal keys, as hi*2^64 + lo. This is the
// sum over all keys of the count in a times the count in b. It is never below the true size. It is
// above by more than e/width times the product of the totals with a probability of at most exp(-depth).
// It is 2^128-1 if it is larger or not known, because in every row a saturated counter meets one that
// is not 0. The sketches must agree (sketch.ErrDiffer) and be plain (sketch.ErrNotAdditive).
// Conservative counters are not sums, and their products can fall below the truth. O(width*depth).
// Cormode and Muthukrishnan 2005, section 4.2.
func JoinSize(a, b *Sketch) (hi, lo uint64, err error) {
	if err := agree(a, b); err != nil {
		return 0, 0, err
	}
	if !a.Additive() {
		return 0, 0, fmt.Errorf("join size of conservative sketches: %w", sketch.ErrNotAdditive)
	}
	hi, lo = words.Saturated, words.Saturated
	for row := range a.c.Factors { // the smallest dot product over the rows, a number of 128 bits
		h, l := dot(a.c.Row(row), b.c.Row(row))
		if h < hi || h == hi && l < lo {
			hi, lo = h, l
		}
	}
	return hi, lo, nil
}

// JoinSizeBlobs is JoinSize of two BLOBs, whose checksums it verifies, without
// a copy. A bad one is an error that wraps sketch.ErrInvalid.
func JoinSizeBlobs(a, b []byte) (hi, lo uint64, err error) {
	var views [2]View
	for i, blob := range [][]byte{a, b} {
		if views[i], err = Family.Verified(blob); err != nil {
			return 0, 0, err
		}
	}
	return JoinSize(views[0].sketch(), views[1].sketch())
}

// dot returns the dot product of two rows, 2^128-1 if it is or may be larger.
func dot(a, b words.Table) (hi, lo uint64) {
	var over uint64
	var room [words.BlockLen]uint64
	for at, block := range words.Blocks(a) {
		others := room[:len(block)]
		b.Unpack(at, others)
		for i, v := range block {
			w := others[i]
			h, l := bits.Mul64(v, w)
			var c uint64
			lo, c = bits.Add64(lo, l, 0)
			hi, c = bits.Add64(hi, h, c)
			over |= c
			if v == words.Saturated && w != 0 || w == words.Saturated && v != 0 {
				over = 1
			}
		}
	}
	if over != 0 {
		return words.Saturated, words.Saturated
	}
	return hi, lo
}
