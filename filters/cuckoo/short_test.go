package cuckoo

import (
	"math/rand/v2"
	"testing"
)

// Where there is a shortcut to both buckets, they are those of the format, and so is
// the fingerprint. Other filters have none.
func TestShortBuckets(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 1))
	seen := 0
	for f := uint64(MinFingerprintBits); f <= 12; f++ {
		for slots := uint64(1); slots <= MaxSlots; slots++ {
			for _, variant := range []Variant{Plain, Tagged} {
				for _, variable := range []bool{false, true} {
					for _, buckets := range []uint64{2, 64, 1 << 20} {
						p := Params{FingerprintBits: f, Slots: slots, Variant: variant, VariableLength: variable}
						table := newTable(p, buckets, nil)
						size := f * slots
						want := variant == Plain && !variable && f <= 8 && (size == 8 || size == 16 || size == 32 || size == 64)
						if (table.short != nil) != want {
							t.Fatalf("%+v: a shortcut: %v, want %v", p, table.short != nil, want)
						}
						if !want {
							continue
						}
						seen++
						for range 1000 {
							h1, h2 := r.Uint64()|-r.Uint64N(2), r.Uint64()|-r.Uint64N(2)|1 // some the largest
							i, fp := table.first(h1), table.fingerprintOf(h2)
							j := table.other(i, fp)
							if at, to, less := table.short.both(h1, h2); at != i*size/8 || to != j*size/8 || less+1 != fp {
								t.Fatalf("%+v, %d buckets: bytes %d and %d of fingerprint %d, want those of buckets %d and %d of %d", p, buckets, at, to, less+1, i, j, fp)
							}
						}
					}
				}
			}
		}
	}
	if seen != 7*3 {
		t.Errorf("%d filters with a shortcut, want 21", seen)
	}
}
