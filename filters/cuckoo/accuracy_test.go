package cuckoo

import (
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
)

// fourForms returns the four forms of the paper.
func fourForms(p Params) []Params {
	var all []Params
	for _, variant := range []Variant{Plain, Tagged} {
		for _, variable := range []bool{false, true} {
			p.Variant, p.VariableLength = variant, variable
			all = append(all, p)
		}
	}
	return all
}

// The measured rate is FPP. In filters that are not of variable length it is also the textbook's,
// 1-(1-1/(2^f-1))^(2b*fill), Fan et al. 2014, section 5.1. The two differ where one key matches two
// fingerprints.
func TestFalsePositiveRate(t *testing.T) {
	const asked = 500_000
	for _, size := range []Params{
		{FingerprintBits: 12, Capacity: 60_000, Seed: 1}, {FingerprintBits: 8, Capacity: 60_000, Seed: 2},
		{FingerprintBits: 8, Slots: 8, Capacity: 60_000, Seed: 3}, {FingerprintBits: 10, Slots: 2, Capacity: 50_000, Seed: 4},
		{FingerprintBits: 9, Capacity: 60_000, Seed: 5, Duplicates: true},
		{FingerprintBits: 10, Slots: 7, Capacity: 60_000, Seed: 6, Duplicates: true},
	} {
		var cases []conform.RateCase[Params, *Sketch]
		for _, p := range fourForms(size) {
			cases = append(cases, conform.RateCase[Params, *Sketch]{Name: p.name(), Params: p})
		}
		conform.Rates(t, Family, int(size.Capacity), asked, cases, func(t testing.TB, s *Sketch, n int) []conform.Rate {
			fpp := s.FPP()
			fill := float64(s.stored) / float64(s.buckets*uint64(s.b))
			book := 1 - math.Pow(1-1/float64(s.base), 2*float64(s.b)*fill)
			// The two differ by the pairs, book^2/2.
			if !s.variable && math.Abs(fpp-book) > book*book {
				t.Errorf("%d keys: FPP %.4g, textbook %.4g", n, fpp, book)
			}
			return []conform.Rate{{By: "FPP", Mean: fpp, Bias: 1. / asked}}
		})
	}
}

// Copies of a key are found by the same keys as one of it.
func TestFalsePositiveRateOfCopies(t *testing.T) {
	for _, p := range fourForms(Params{FingerprintBits: 9, Capacity: 20_000, Duplicates: true}) {
		s := mustNew(t, p)
		const keys, copies = 3000, 3
		h1s, h2s := conform.Hashes(0, 0, keys)
		for range copies {
			if err := s.AddHashes(h1s, h2s, nil); err != nil {
				t.Fatal(err)
			}
		}
		const asked = 1_000_000
		want := s.FPP()
		conform.Rate{By: "FPP", Mean: want}.Near(t, p.name(), conform.Positives(s, asked), asked)
		// One in 700 keys shares both buckets and the fingerprint with another.
		if once := 2 * keys / float64(s.buckets) / float64(s.base); !p.VariableLength && math.Abs(want-once) > once/200 {
			t.Errorf("%s: predicted %.4g, of %d keys once %.4g", p.name(), want, keys, once)
		}
	}
}

// After removals fingerprints know fewer bits than they have room for, but as many as they had. A
// filter that was full and is emptied to half is better than a plain one of as many keys.
func TestRateAfterRemovals(t *testing.T) {
	for _, p := range fourForms(Params{Capacity: 1<<15*95/100 - 20, Duplicates: true}) {
		if !p.VariableLength {
			continue
		}
		s := mustNew(t, p)
		h1s, h2s := conform.Hashes(0, 0, int(p.Capacity))
		if err := s.AddHashes(h1s, h2s, nil); err != nil {
			t.Fatal(err)
		}
		for k := range h1s[:p.Capacity/2] {
			if err := s.Remove(h1s[k], h2s[k], 1); err != nil {
				t.Fatal(err)
			}
		}
		const asked = 1_000_000
		want, plain := s.FPP(), 2*float64(s.stored)/float64(s.buckets)/float64(s.base)
		conform.Rate{By: "FPP", Mean: want}.Near(t, p.name(), conform.Positives(s, asked), asked)
		if want >= plain {
			t.Errorf("%s: FPP %.4g, of a plain filter %.4g", p.name(), want, plain)
		}
	}
}
