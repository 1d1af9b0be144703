package cuckoo

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// A union that takes many fingerprints at once is that of one after the other, in
// filters with holes, with common keys, and full ones.
func TestUnionOfWords(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	full := 0
	for round := range 400 {
		p := Params{
			Capacity: 40 + r.Uint64N(3000), FingerprintBits: 6 + r.Uint64N(11), Slots: 1 + r.Uint64N(4),
			Variant: Variant(round % 2), Duplicates: round%4 < 2,
		}
		fill := func() *Sketch {
			s, err := New(p)
			if err != nil {
				t.Fatal(err)
			}
			if !s.narrow {
				t.Fatalf("%+v has buckets that are no words", p)
			}
			for range p.Capacity * r.Uint64N(90) / 100 {
				h1, h2 := key.HashUint64(0, r.Uint64N(p.Capacity*2))
				err := s.Add(h1, h2, 1)
				if err == nil && p.Duplicates && r.IntN(4) == 0 {
					err = s.Remove(h1, h2, 1)
				}
				if err != nil && !errors.Is(err, ErrFull) {
					t.Fatal(err)
				}
			}
			return s
		}
		a, b := fill(), fill()
		before, want := a.Blob(), a.Clone()
		keyed.Unite(&want.Base, b.Base)
		var wantErr error
		for i := range b.buckets {
			p := b.read(i)
			b.canonical(&p)
			for _, q := range p.slice() {
				if wantErr == nil {
					wantErr = want.accept(i, q)
				}
			}
		}
		err := a.Union(b)
		if wantErr != nil {
			full++
			if err == nil || err.Error() != wantErr.Error() || !bytes.Equal(a.Blob(), before) {
				t.Fatalf("%+v: error %v, want %v, and the filter as it was", p, err, wantErr)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if !bytes.Equal(a.Blob(), want.Blob()) || a.stored != want.stored {
			t.Fatalf("%+v: %d fingerprints, want %d, or in other places", p, a.stored, want.stored)
		}
	}
	if full < 10 || full > 390 {
		t.Errorf("%d of 400 unions found no room, want some and not nearly all", full)
	}
}
