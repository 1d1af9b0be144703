package cuckoo

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// A full filter says how full it is, and is as it was before, to the byte.
func TestFull(t *testing.T) {
	for _, p := range everyForm() {
		p.Capacity = 300
		s := mustNew(t, p)
		var before []byte
		n := uint64(0)
		for ; ; n++ {
			before = s.Blob()
			h1, h2 := key.HashUint64(p.Seed, n)
			err := s.Add(h1, h2, 1)
			if err == nil {
				continue
			}
			if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), " slots are taken (") || !strings.Contains(err.Error(), "larger capacity than 300") {
				t.Errorf("%s: %v", p.name(), err)
			}
			break
		}
		if !bytes.Equal(before, s.Blob()) {
			t.Errorf("%s: a key that found no room changed the filter", p.name())
		}
		if n < 300 {
			t.Errorf("%s: full after %d keys", p.name(), n)
		}
		// Many at once: those before the one that finds no room are in it.
		h1s, h2s := conform.Hashes(p.Seed, 0, int(n)+5)
		batch := mustNew(t, p)
		if err := batch.AddHashes(h1s, h2s, nil); !errors.Is(err, ErrFull) || !bytes.Equal(batch.Blob(), before) {
			t.Errorf("%s: at once: %v", p.name(), err)
		}
		weights := make([]uint64, len(h1s))
		for i := range weights {
			weights[i] = 1
		}
		weighted := mustNew(t, p)
		if err := weighted.AddHashes(h1s, h2s, weights); !errors.Is(err, ErrFull) || !bytes.Equal(weighted.Blob(), before) {
			t.Errorf("%s: with weights: %v", p.name(), err)
		}
		// Several occurrences of one key, of which only some find room.
		if p.Duplicates {
			refused := 0
			for v := uint64(1 << 20); v < 1<<20+200; v++ {
				h1, h2 := key.HashUint64(p.Seed, v)
				before := s.Blob()
				if err := s.Add(h1, h2, min(4, 2*s.params.Slots)); err != nil {
					refused++
					if !bytes.Equal(before, s.Blob()) {
						t.Fatalf("%s: occurrences that found no room changed the filter", p.name())
					}
				}
			}
			if refused == 0 {
				t.Errorf("%s: everything found room", p.name())
			}
		}
		// A union that does not fit changes neither.
		a, b := mustNew(t, p), mustNew(t, p)
		for v := range uint64(200) {
			h1, h2 := key.HashUint64(p.Seed, v)
			g1, g2 := key.HashUint64(p.Seed, v+1<<30)
			if a.Add(h1, h2, 1) != nil || b.Add(g1, g2, 1) != nil {
				t.Fatal("no room for 200 of 300 keys")
			}
		}
		both := 1.5 // of the slots, more than one filter holds
		if p.Slots == 1 {
			both = 0.65
		}
		for v := uint64(300); float64(a.stored+b.stored) <= both*float64(uint64(a.b)*a.buckets); v++ {
			h1, h2 := key.HashUint64(p.Seed, v)
			g1, g2 := key.HashUint64(p.Seed, v+1<<31)
			if a.Add(h1, h2, 1) != nil || b.Add(g1, g2, 1) != nil {
				t.Fatalf("%s: no room", p.name())
			}
		}
		left, right := a.Blob(), b.Blob()
		if err := a.Union(b); !errors.Is(err, ErrFull) {
			t.Errorf("%s: union: %v", p.name(), err)
		}
		if err := a.UnionBlob(right); !errors.Is(err, ErrFull) {
			t.Errorf("%s: union of a BLOB: %v", p.name(), err)
		}
		if !bytes.Equal(left, a.Blob()) || !bytes.Equal(right, b.Blob()) {
			t.Errorf("%s: a union that does not fit changed a filter", p.name())
		}
	}
}

// Filters of all sizes hold their capacity, unless a few keys share too few buckets. The test allows
// the fractions below of filters of up to 600 keys. Four standard deviations of a binomial sample are
// allowed.
func TestAchievableLoad(t *testing.T) {
	for slots, part := range map[uint64]float64{1: 0.03, 2: 0.003, 3: 0.0005, 4: 0.0002, 5: 0.0002, 6: 0.0002, 7: 0.0002, 8: 0.0002} {
		failed, trials := 0.0, 0.0
		for _, f := range []uint64{4, 6, 8, 12, 16} {
			for _, capacity := range []uint64{1, 3, 10, 40, 150, 600, 30_000} {
				seeds := 200
				if capacity > 1000 {
					seeds = 2
				}
				for seed := range uint64(seeds) {
					p := Params{Capacity: capacity, Slots: slots, FingerprintBits: f, Seed: seed, Variant: Variant(seed % 2), Duplicates: true}
					h1s, h2s := conform.Hashes(seed, 0, int(capacity))
					trials++
					if mustNew(t, p).AddHashes(h1s, h2s, nil) != nil {
						failed++
					}
				}
			}
		}
		t.Logf("%d slots: %v of %v full before their capacity", slots, failed, trials)
		if most := part*trials + 4*math.Sqrt(part*trials); failed > most {
			t.Errorf("%d slots: %v of %v full before their capacity, at most %.1f", slots, failed, trials, most)
		}
	}
	// Buckets that are all there are, not those for a capacity.
	for slots, least := range map[uint64]float64{2: 0.87, 3: 0.94, 4: 0.965, 5: 0.98, 6: 0.985, 7: 0.99, 8: 0.99} {
		p := Params{Slots: slots, FingerprintBits: 12, Duplicates: true}.WithDefaults()
		s := mustNew(t, p)
		const buckets = 1 << 14
		s.table = newTable(p, buckets, make([]byte, bodySize(buckets, 12*slots)))
		h1s, h2s := conform.Hashes(0, 0, int(buckets*slots))
		_ = s.AddHashes(h1s, h2s, nil)
		load := float64(s.stored) / float64(buckets*slots)
		t.Logf("%d slots: full at %.4f", slots, load)
		if load < least {
			t.Errorf("%d slots: full at %.4f of the slots, expected at least %v", slots, load, least)
		}
	}
}

// Copies share two buckets, so that a multiset of them is full earlier, as Params.Duplicates says. The
// mean of many seeds is within four of its standard deviations.
func TestAchievableLoadOfCopies(t *testing.T) {
	for _, c := range []struct {
		slots, copies uint64
		load          float64
	}{{4, 2, 0.88}, {4, 3, 0.68}, {4, 4, 0.45}, {8, 2, 0.975}, {8, 4, 0.88}, {8, 8, 0.46}} {
		const seeds = 20
		sum, squares := 0.0, 0.0
		for seed := range uint64(seeds) {
			s := mustNew(t, Params{Slots: c.slots, Capacity: 30_000, Duplicates: true, Variant: Tagged, Seed: seed})
			h1s, h2s := conform.Hashes(seed, 0, 30_000)
			for k, h1 := range h1s {
				if s.Add(h1, h2s[k], c.copies) != nil {
					break
				}
			}
			load := float64(s.stored) / float64(s.buckets*c.slots)
			sum += load
			squares += load * load
		}
		mean := sum / seeds
		sigma := math.Sqrt((squares/seeds-mean*mean)/(seeds-1)) + 0.0025 // what is said is rounded
		t.Logf("%d slots, %d copies of each key: full at %.3f, sigma %.3f", c.slots, c.copies, mean, sigma)
		if math.Abs(mean-c.load) > 4*sigma {
			t.Errorf("%d slots, %d copies of each key: full at %.3f of the slots, said to be %v, sigma %.3f", c.slots, c.copies, mean, c.load, sigma)
		}
	}
}

func TestUnion(t *testing.T) {
	base := Params{Capacity: 1000, VariableLength: true, Duplicates: true, Seed: 1}
	conform.Differing(t, Family, base, map[string]func(p *Params){
		"fingerprint_bits 12 vs 13":     func(p *Params) { p.FingerprintBits = 13 },
		"slots 4 vs 5":                  func(p *Params) { p.Slots = 5 },
		"variant plain vs tagged":       func(p *Params) { p.Variant = Tagged },
		"variable_length true vs false": func(p *Params) { p.VariableLength = false },
		"duplicates true vs false":      func(p *Params) { p.Duplicates = false },
		"capacity 1000 vs 1001":         func(p *Params) { p.Capacity = 1001 },
		"seed 1 vs 2":                   func(p *Params) { p.Seed = 2 },
	})
	// Parts of different fullness, so that one knows less of a key than the
	// other, with keys in common.
	for _, p := range everyForm() {
		p.Capacity = 20_000
		few, many := mustNew(t, p), mustNew(t, p)
		h1s, h2s := conform.Hashes(p.Seed, 0, 12_000)
		if many.AddHashes(h1s, h2s, nil) != nil || few.AddHashes(h1s[:1000], h2s[:1000], nil) != nil {
			t.Fatal("no room")
		}
		f1s, f2s := conform.Hashes(p.Seed, 1<<40, 1000)
		if few.AddHashes(f1s, f2s, nil) != nil {
			t.Fatal("no room")
		}
		for _, order := range [][2]*Sketch{{few, many}, {many, few}} {
			u := order[0].Clone()
			if err := u.Union(order[1]); err != nil {
				t.Fatalf("%s: %v", p.name(), err)
			}
			if err := Check(u.Blob()); err != nil {
				t.Fatal(err)
			}
			both := append(h2s[:12_000:12_000], f2s...)
			for k, h1 := range append(h1s[:12_000:12_000], f1s...) {
				h2 := both[k]
				want := uint64(1)
				if p.Duplicates && k < 1000 {
					want = 2
				}
				if u.Count(h1, h2) < want {
					t.Fatalf("%s: key %d counts %d in the union, want %d", p.name(), k, u.Count(h1, h2), want)
				}
			}
			// A set takes what both have once.
			if most := few.stored + many.stored; !p.Duplicates && u.stored > most-990 || p.Duplicates && u.stored != most {
				t.Errorf("%s: %d and %d fingerprints make %d", p.name(), order[0].stored, order[1].stored, u.stored)
			}
		}
	}
}
