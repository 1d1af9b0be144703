package noise

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/kit"
)

// loaded makes counters of a layout that hold the counts of so many keys.
func loaded(t *testing.T, r *rand.Rand, s cascade.Shape, sums bool, keys int) *cascade.Counters {
	t.Helper()
	d := cascade.New(s)
	var h1, h2, n []uint64
	for range keys {
		h1, h2, n = append(h1, r.Uint64()), append(h2, r.Uint64()|1), append(n, 1+r.Uint64()>>r.UintN(64)%5000)
	}
	d.Insert(sums, h1, h2, n)
	return d
}

// carrier is the least count that carries out of the first class layers: 0 for
// none, and where it does not fit.
func carrier(s *cascade.Shape, class int) uint64 {
	if class == 0 || s.ShiftOf(class+1) >= 63 {
		return 0
	}
	return 1 << s.ShiftOf(class)
}

// addMet predicts the value of a counter after a key was counted. In mode standard it is higher by the
// key's own count, and in mode mi it is the larger of both.
func TestMetIsWhatIsFound(t *testing.T) {
	for _, l := range kit.Layouts {
		r := rand.New(rand.NewPCG(210, 0))
		s := kit.Must(cascade.NewShape(1, l.Widths))
		kit.NoError(t, s.SetCounters(l.Sizes))
		for round := range 6 {
			keys := 1 << round * int(s.Size[0]) / 16
			for _, sums := range []bool{true, false} {
				d := loaded(t, r, s, sums, keys)
				if d.Saturated {
					continue
				}
				for class := range s.Layers {
					f := carrier(&s, class)
					if class > 0 && f == 0 {
						continue
					}
					var met, got, want Histogram
					addMet(d, class, sums, &met)
					for bin, n := range met.counts {
						for range n {
							if v := uint64(met.value(bin)); sums {
								got.Add(v)
							} else {
								got.Add(max(v, f))
							}
						}
					}
					for j := range s.Size[0] {
						after := d.Clone()
						if sums {
							after.Add(0, j, f)
							want.Add(after.Value(j) - f)
						} else {
							after.Raise(0, j, f)
							want.Add(after.Value(j))
						}
					}
					if got.counts != want.counts {
						t.Fatalf("layout %v, sums %v, %d keys, class %d: not what is found", l.Widths, sums, keys, class)
					}
				}
			}
		}
	}
}
