package cuckoo

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
)

// family returns a form of the filter with room for the kit's 5,000 keys. A multiset holds few
// occurrences of a key.
func family(p Params) conform.Family {
	small := p
	p.Capacity, small.Capacity = 60_000, 90
	if p.Duplicates { // of which the kit's random operations add more than there is room for
		p.Capacity, small.Capacity = 20_000, 150
	}
	s, err := New(p)
	if err != nil {
		panic(err)
	}
	// The buckets have 2^f - 1 pairs of bucket and fingerprint each. At most 2 of these find one of the
	// 1,000 keys of the kit's test.
	f := conform.Keyed(Family, p.name(), p, small, func(r *rand.Rand) Params {
		p := p
		p.Capacity, p.Seed = conform.Size(r, 60), r.Uint64()
		return p
	}).Bound(1000, 2*1000/(float64(s.buckets)*float64(s.base)))
	if p.Duplicates {
		f.Even, f.Keys = true, 20_000
	}
	return f
}

// everyForm returns all combinations of the flags. Buckets of one word, of several and of two slots are
// among them.
func everyForm() []Params {
	var all []Params
	for _, variant := range []Variant{Plain, Tagged} {
		for _, variable := range []bool{false, true} {
			for _, duplicates := range []bool{false, true} {
				all = append(all, Params{Variant: variant, VariableLength: variable, Duplicates: duplicates, Seed: 9})
			}
		}
	}
	return append(all,
		Params{VariableLength: true, Duplicates: true, FingerprintBits: 20, Slots: 8},
		Params{Variant: Tagged, Duplicates: true, FingerprintBits: 21, Slots: 3},
		Params{Variant: Tagged, VariableLength: true, Duplicates: true, FingerprintBits: 17, Slots: 2},
		Params{VariableLength: true, FingerprintBits: 6, Slots: 5},
		Params{Slots: 1, FingerprintBits: 16, Variant: Tagged},
	)
}

func (p Params) name() string {
	p = p.WithDefaults()
	return fmt.Sprintf("%v/%dx%d/variable=%v/duplicates=%v", p.Variant, p.Slots, p.FingerprintBits, p.VariableLength, p.Duplicates)
}

func TestConformance(t *testing.T) {
	for i, p := range everyForm() {
		// Half of the combinations of the first eight, which differ in pairs, but
		// with CCBF_LONG=1 all of them.
		if i < 8 && bits.OnesCount(uint(i))%2 != 0 && os.Getenv("CCBF_LONG") != "1" {
			continue
		}
		t.Run(p.name(), func(t *testing.T) { conform.Run(t, family(p)) })
	}
}

func FuzzBlob(f *testing.F) { conform.Fuzz(f, family(Params{Duplicates: true})) }
func FuzzBlobVariable(f *testing.F) {
	conform.Fuzz(f, family(Params{VariableLength: true, Duplicates: true}))
}
func FuzzBlobWide(f *testing.F) {
	conform.Fuzz(f, family(Params{VariableLength: true, FingerprintBits: 20, Slots: 8}))
}
func FuzzOps(f *testing.F) {
	conform.FuzzOps(f, family(Params{VariableLength: true, Duplicates: true, Variant: Tagged}))
}
