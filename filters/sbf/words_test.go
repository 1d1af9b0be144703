package sbf

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// The option method says that sbf_agg returns the same counts with trm as with rm, in as many bytes.
// The test has loads from a half to five times the capacity, with and without a marker. It queries keys
// that were added and others.
func TestGatheredTrapsAnswerAsMinima(t *testing.T) {
	const keys = 2000
	for _, capacity := range []uint64{keys / 5, keys / 2, keys, 2 * keys} {
		for _, marker := range []Marker{Marked, Unmarked} {
			made := func(m Method) View {
				s, err := NewGathering(Params{Capacity: capacity, Method: m, Marker: marker})
				must(t, err)
				for i := range uint64(keys) {
					h1, h2 := key.HashUint64(0, i)
					s.Add(h1, h2, 1+keys/(i+1))
				}
				v, err := NewView(s.Blob())
				must(t, err)
				return v
			}
			rm, trm := made(RM), made(TRM)
			if a, b := len(rm.blob), len(trm.blob); a != b {
				t.Errorf("capacity %d, marker %v: %d bytes with rm, %d with trm", capacity, marker, a, b)
			}
			differ := 0
			for i := range uint64(2 * keys) {
				h1, h2 := key.HashUint64(0, i)
				if rm.Count(h1, h2) != trm.Count(h1, h2) {
					differ++
				}
			}
			if differ != 0 {
				t.Errorf("capacity %d, marker %v: %d of %d keys have another count with trm than with rm", capacity, marker, differ, 2*keys)
			}
		}
	}
}
