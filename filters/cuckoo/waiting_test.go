package cuckoo

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// laterFrom returns a sketch that keeps keys in parts of 2^shift buckets, however small it is.
func laterFrom(t *testing.T, p Params, shift uint) *Sketch {
	s := mustNew(t, p)
	s.pending = &pendingEntries{shift: shift, parts: make([][]entry, (s.buckets-1)>>shift+1)}
	return s
}

// meeting are a key's two buckets and its fingerprint: keys that share them are one.
type meeting struct{ i, j, fp uint64 }

func (s *Sketch) meeting(h1, h2 uint64) meeting {
	i, fp := s.first(h1), s.fingerprintOf(h2)
	j := s.other(i, fp)
	return meeting{min(i, j), max(i, j), fp}
}

// Keys that waited are in the filter, each once in a set, however sketches were copied,
// united and finished in between.
func TestWaiting(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for round := range 60 {
		p := Params{
			Capacity: 500 + r.Uint64N(20_000), FingerprintBits: 6 + r.Uint64N(9), Slots: 1 + r.Uint64N(4),
			Variant: Variant(round % 2), Duplicates: round%4 < 2,
		}
		shift := 4 + uint(r.IntN(5))
		n := int(p.Capacity * r.Uint64N(100) / 100)
		different := 1 + r.Uint64N(uint64(4*n+1))
		if p.Duplicates { // of which a key has room for few
			different = 1 << 40
		}
		parts := make([]*Sketch, 1+r.IntN(3))
		for q := range parts {
			parts[q] = laterFrom(t, p, shift)
		}
		truth := make(map[meeting]bool)
		var all []uint64
		total := uint64(0)
		for at := 0; at < n; {
			m := min(1+r.IntN(700), n-at)
			vs, h1s, h2s := make([]uint64, m), make([]uint64, m), make([]uint64, m)
			for k := range vs {
				vs[k] = r.Uint64N(different)
			}
			key.HashUint64s(0, vs, h1s, h2s)
			for k := range vs {
				truth[parts[0].meeting(h1s[k], h2s[k])] = true
			}
			var ns []uint64
			if !p.Duplicates && r.IntN(3) == 0 {
				ns = make([]uint64, m)
				for k := range ns {
					ns[k] = 1 + r.Uint64N(5)
					total += ns[k]
				}
			} else {
				total += uint64(m)
				if r.IntN(40) == 0 { // which end the waiting of a multiset
					ns = make([]uint64, m)
					for k := range ns {
						ns[k] = 1
					}
				}
			}
			s := &parts[r.IntN(len(parts))]
			if r.IntN(20) == 0 {
				old := *s
				*s = old.Clone() // which goes on, and so does the first
				if err := old.AddHashes(h1s, h2s, nil); err != nil {
					t.Fatal(err)
				}
			}
			if r.IntN(40) == 0 {
				if err := (*s).enterPending(); err != nil {
					t.Fatal(err)
				}
			}
			if err := (*s).AddHashes(h1s, h2s, ns); err != nil {
				t.Fatalf("%+v: %v", p, err)
			}
			all = append(all, vs...)
			at += m
		}
		s := parts[0].Clone()
		for _, other := range parts[1:] {
			if err := s.Union(other); err != nil {
				t.Fatalf("%+v: %v", p, err)
			}
		}
		blob, err := s.Finish()
		if err != nil {
			t.Fatalf("%+v, %d keys: %v", p, n, err)
		}
		if err := Check(blob); err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		stored := uint64(len(truth))
		if p.Duplicates {
			stored = uint64(n)
		}
		if have, _ := s.Total(); s.stored != stored || have != total {
			t.Fatalf("%+v: %d stored of %d, want %d of %d", p, s.stored, have, stored, total)
		}
		for _, v := range all {
			if h1, h2 := key.HashUint64(0, v); !s.Contains(h1, h2) {
				t.Fatalf("%+v: key %d is not there", p, v)
			}
		}
	}
}

// Filters of every number of slots that wait hold their capacity, and say that they are full beyond it.
// Small ones do not wait.
func TestWaitingTakesCapacity(t *testing.T) {
	for _, slots := range []uint64{1, 2, 4, 8} {
		f := min(12, 56/slots)
		capacity := uint64(1.1 * 8 * leastWaiting / float64(f)) // more than 1 MiB
		s := mustNew(t, Params{Capacity: capacity, FingerprintBits: f, Slots: slots, Variant: Tagged, Duplicates: true})
		if s.Later(); s.pending == nil {
			t.Fatalf("%d slots: does not wait", slots)
		}
		h1s, h2s := conform.Hashes(slots, 1, int(capacity))
		if err := s.AddHashes(h1s, h2s, nil); err != nil {
			t.Fatalf("%d slots: %v", slots, err)
		}
		if s.pending == nil || s.stored > 0 || s.Bytes() < int(4*capacity+s.buckets*uint64(s.bits)/8) {
			t.Fatalf("%d slots: %d stored, %d bytes", slots, s.stored, s.Bytes())
		}
		if _, err := s.Finish(); err != nil {
			t.Fatalf("%d slots: %v", slots, err)
		}
		if slots != 4 {
			continue
		}
		s = mustNew(t, s.params)
		s.Later()
		var err error
		for round := uint64(0); round < 3 && err == nil; round++ {
			h1s, h2s := conform.Hashes(slots, 1+round*capacity, int(capacity))
			err = s.AddHashes(h1s, h2s, nil)
		}
		if !errors.Is(err, ErrFull) {
			t.Errorf("three times the capacity: %v", err)
		}
	}
	s := mustNew(t, Params{})
	if s.Later(); s.pending != nil {
		t.Error("a small filter waits")
	}
	a, b := mustNew(t, Params{Capacity: 1_000_000}), mustNew(t, Params{Capacity: 1_000_000})
	a.Later()
	b.Later()
	h1s, h2s := conform.Hashes(1, 1, 600_000)
	err := a.AddHashes(h1s, h2s, nil)
	for i, h1 := range h1s {
		err = errors.Join(err, b.Add(h1, h2s[i], 1))
	}
	first, errFirst := a.Finish()
	second, errSecond := b.Finish()
	if err := errors.Join(err, errFirst, errSecond); err != nil || !bytes.Equal(first, second) {
		t.Errorf("keys that wait one by one: other bytes, or error %v", err)
	}
}
