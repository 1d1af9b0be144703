package cms

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Subtract takes away the occurrences of other, which is left unchanged and must
// agree as for Union (sketch.ErrDiffer): all of them were added here before. What
// remains is the sketch of the others, to the byte, unless a counter is saturated:
// it stays so. Only for sketches that are not conservative (sketch.ErrNotAdditive).
// A counter of other that is above its like here, or a total that is, shows that
// other is not part (sketch.ErrTooMany); what counters do not show can make
// estimates fall below the truth, as Remove of what was never added. An error
// changes nothing. O(width*depth). Sums are linear: Cormode and Muthukrishnan 2005,
// section 3.
func (s *Sketch) Subtract(other *Sketch) error {
	if err := agree(&s.counts, &other.counts); err != nil {
		return err
	}
	return s.subtract(&other.counts)
}

// SubtractBlob is Subtract of the sketch of a BLOB, as UnionBlob is Union.
func (s *Sketch) SubtractBlob(blob []byte) error { return Family.SubtractBlob(s, blob) }

// subtract takes away counters that agree, which may be those of s.
func (s *Sketch) subtract(other *counts) error {
	if s.Conservative() {
		return fmt.Errorf("subtract from a conservative sketch: %w", sketch.ErrNotAdditive)
	}
	if err := keyed.Part(s.Base, other.Base); err != nil {
		return err
	}
	// All are compared before any is changed.
	part, from := true, other.c.Table
	var room [words.BlockLen]uint64
	s.c.Each(func(at int, block []uint64) {
		less := room[:len(block)]
		from.Unpack(at, less)
		for i, v := range block {
			part = part && less[i] <= v
		}
	})
	if !part {
		return keyed.ErrNoPart
	}
	s.c.Merge(from, func(a, b uint64) uint64 {
		if a == saturated {
			return a
		}
		return a - b
	})
	total, _ := other.Total()
	keyed.Shrink(&s.Base, total)
	return nil
}
