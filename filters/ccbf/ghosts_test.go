package ccbf

import (
	"math/rand/v2"
	"testing"
)

// loaded makes counters of a layout that hold the counts of so many keys.
func loaded(t *testing.T, r *rand.Rand, s shape, mode Mode, keys int) *dense {
	t.Helper()
	d := newDense(s)
	var h1, h2, n []uint64
	for range keys {
		h1, h2, n = append(h1, r.Uint64()), append(h2, r.Uint64()|1), append(n, 1+r.Uint64()>>r.UintN(64)%5000)
	}
	d.insert(mode == Standard, h1, h2, n)
	return d
}

// carrier is the least count that carries out of the first class layers: 0 for
// none, and where it does not fit.
func carrier(s *shape, class int) uint64 {
	if class == 0 || s.shiftOf(class+1) >= 63 {
		return 0
	}
	return 1 << s.shiftOf(class)
}

// What a key meets in a counter is what is found there after it was counted: its
// own count more, in mode standard, and in mode mi the larger of both.
func TestMetIsWhatIsFound(t *testing.T) {
	for _, l := range layouts {
		r := rand.New(rand.NewPCG(210, 0))
		s := layoutShape(t, l.widths, l.sizes, 1)
		for round := range 6 {
			keys := 1 << round * int(s.size[0]) / 16
			for _, mode := range []Mode{Standard, MinimalIncrement} {
				d := loaded(t, r, s, mode, keys)
				if d.saturated {
					continue
				}
				for class := range s.layers {
					f := carrier(&s, class)
					if class > 0 && f == 0 {
						continue
					}
					var met, got, want histogram
					addMet(d, class, mode == Standard, &met)
					for bin, n := range met.counts {
						for range n {
							if v := uint64(met.value(bin)); mode == Standard {
								got.add(v)
							} else {
								got.add(max(v, f))
							}
						}
					}
					for j := range s.size[0] {
						after := d.clone()
						if mode == Standard {
							after.add(0, j, f)
							want.add(after.value(j) - f)
						} else {
							after.raise(0, j, f)
							want.add(after.value(j))
						}
					}
					if got.counts != want.counts {
						t.Fatalf("layout %v, mode %v, %d keys, class %d: not what is found", l.widths, mode, keys, class)
					}
				}
			}
		}
	}
}
