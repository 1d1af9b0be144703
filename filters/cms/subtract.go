package cms

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Subtract subtracts the occurrences of other, all of which were added here before. other is unchanged
// and must agree as for Union (sketch.ErrDiffer). The result is the sketch of the other occurrences, to
// the byte, unless a counter is saturated: it stays so. Without keys, the class of keys stays.
// Conservative sketches are an error (sketch.ErrNotAdditive). So is a counter or a total of other that
// is larger than here, which shows that other is not part (sketch.ErrTooMany). If other is not part and counters do not show it,
// estimates can fall below the truth. An error changes nothing. O(width*depth). Sums are linear:
// Cormode and Muthukrishnan 2005, section 3.
func (s *Sketch) Subtract(other *Sketch) error {
	if err := agree(s, other); err != nil {
		return err
	}
	if s.Conservative() {
		return fmt.Errorf("subtract from a conservative sketch: %w", sketch.ErrNotAdditive)
	}
	if err := keyed.Part(s.Base, other.Base); err != nil {
		return err
	}
	// All counters are compared before one is changed, so an error changes nothing.
	if !words.Covers(s.c.Table, other.c.Table) {
		return keyed.ErrNoPart
	}
	s.c.Merge(other.c.Table, saturate.Sub)
	total, _ := other.Total()
	keyed.Shrink(&s.Base, total)
	return nil
}

// SubtractBlob is Subtract of the sketch of a BLOB, as UnionBlob is Union.
func (s *Sketch) SubtractBlob(blob []byte) error { return Family.SubtractBlob(s, blob) }
