package cuckoo

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// TestSubtract: in a multiset of a and b less that of b, no key of a has fewer occurrences than it
// should. With a fixed length every key, also an absent one, has the same count as in a filter of a
// alone. Filters are small and full, and fingerprints short, so that many are alike and many moved.
func TestSubtract(t *testing.T) {
	longer := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(17, seed))
		p := Params{
			Capacity: 20 + r.Uint64N(400), FingerprintBits: 4 + r.Uint64N(12), Slots: 2 + r.Uint64N(7),
			Variant: Variant(r.IntN(2)), VariableLength: r.IntN(3) > 0, Duplicates: true, Seed: seed,
		}
		newSketch := func() *Sketch {
			s, err := New(p)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		whole, a, b := newSketch(), newSketch(), newSketch()
		truth := map[uint64]uint64{}
		stored := uint64(0)
		for range p.Capacity * 9 / 10 {
			id := r.Uint64N(p.Capacity)
			h1, h2 := key.HashUint64(seed, id)
			if whole.Add(h1, h2, 1) != nil {
				continue // full for this key
			}
			part := b
			if r.IntN(2) == 0 {
				part = a
				truth[id]++
				stored++
			}
			if err := part.Add(h1, h2, 1); err != nil {
				t.Fatal(err)
			}
		}
		// Some of b come and go, so that it knows less of its fingerprints.
		for id := range p.Capacity / 10 {
			h1, h2 := key.HashUint64(seed, id+1<<40)
			if b.Add(h1, h2, 1) == nil {
				if err := b.Remove(h1, h2, 1); err != nil {
					t.Fatal(err)
				}
			}
		}
		other := b.Blob()
		if err := whole.SubtractBlob(other); err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if err := Check(whole.Blob()); err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if n, _ := whole.Total(); n != stored || whole.Stored() != stored {
			t.Fatalf("%+v: %d in total and %d stored, want %d", p, n, whole.Stored(), stored)
		}
		for id := range 2 * p.Capacity {
			h1, h2 := key.HashUint64(seed, id)
			got, of := whole.Count(h1, h2), a.Count(h1, h2)
			if got < truth[id] || !p.VariableLength && got != of {
				t.Fatalf("%+v: key %d counted %d, in a filter of the others %d, there are %d", p, id, got, of, truth[id])
			}
			if got > of {
				longer++
			}
		}
		before := whole.Blob()
		h1, h2 := key.HashUint64(seed, 1<<50)
		if err := a.Add(h1, h2, 1); err != nil {
			continue
		}
		if err := whole.Subtract(a); !errors.Is(err, sketch.ErrTooMany) {
			t.Fatalf("%+v: subtracting more than there is: %v", p, err)
		}
		if string(whole.Blob()) != string(before) {
			t.Fatalf("%+v: a refusal changed the filter", p)
		}
	}
	t.Logf("%d counts above those of a filter of the others", longer)
}

// TestSubtractShortened: two fingerprints have the one that is subtracted as a prefix, because only its
// prefix is known. Whichever of the two keys it was, the other one is still found.
func TestSubtractShortened(t *testing.T) {
	p := Params{Capacity: 4, FingerprintBits: 8, Slots: 4, VariableLength: true, Duplicates: true}
	const h1 = 0
	x, y := uint64(0x15a<<1|1), uint64(0x25a<<1|1) // fingerprints that are alike in 8 bits
	for _, gone := range []uint64{x, y} {
		s, _ := New(p)
		part, _ := New(p)
		for _, h2 := range []uint64{x, y} {
			if err := s.Add(h1, h2, 1); err != nil {
				t.Fatal(err)
			}
		}
		// A bucket that was full has nothing but 8 bits of each.
		h := part.fingerprintOf(gone)
		i := part.first(h1)
		var full fingerprints
		full.add(fingerprint{h & part.base, uint8(part.f)})
		part.write(i, &full)
		part.stored++
		if err := s.subtract(&part.table, part.Base); err != nil {
			t.Fatal(err)
		}
		if s.Stored() != 1 || s.Count(h1, x) != 1 || s.Count(h1, y) != 1 {
			t.Fatalf("%d stored, %d of the one and %d of the other key, want 1 of either", s.Stored(), s.Count(h1, x), s.Count(h1, y))
		}
	}
}
