package conform

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"testing"
)

// sizes runs short histories in subjects of random sizes. In odd and tiny ones a key shares counters
// with itself, and counters fill up.
func sizes(t testing.TB, f Family) {
	if f.Drawn == nil {
		t.Fatal("the family draws no sizes: Family.Drawn")
	}
	rounds := 40
	if long() {
		rounds = 4000
	}
	for round := range rounds {
		src := newSource(0x517e5+uint64(round), 1+round%30)
		fresh := f.Drawn(src.Rand)
		f.testSingleKeys(t, src, fresh)
		f.history(t, src, fresh)
	}
}

// testSingleKeys adds a single key in several parts to a subject that fresh makes.
func (f Family) testSingleKeys(t testing.TB, src source, fresh func() Subject) {
	for range 8 {
		s, id, n := fresh(), spread(src.Uint64()), uint64(0)
		for range 1 + src.IntN(12) {
			k := src.Uint64N(1 << src.IntN(12))
			if err := s.Add(id, k); err != nil {
				f.full(t, err)
				return
			}
			n += k
			if c, ok := s.(Counter); ok && f.Laws.Alone && c.Count(id) != f.truth(n) {
				t.Fatalf("%T: key %d, alone and added %d times, counted %d", s, id, n, c.Count(id))
			}
			f.checkCount(t, "alone", s, id, n)
		}
		f.passes(t, s, map[uint64]uint64{id: n})
	}
}

// history runs a random history on a subject that fresh makes: additions, removals, unions, and encoding
// and decoding.
func (f Family) history(t testing.TB, src source, fresh func() Subject) {
	s, truth := fresh(), map[uint64]uint64{}
	for range 60 {
		id, k := src.id(), src.weight()<<(src.IntN(4)*src.IntN(8))
		switch {
		case src.IntN(10) == 0:
			other := fresh()
			if err := cmp.Or(other.Add(id, k), s.Union(other)); err != nil {
				f.full(t, err)
				return
			}
			truth[id] += k
		case src.IntN(4) == 0 && f.Laws.Deletable && truth[id] > 0:
			k = 1 + src.Uint64N(truth[id])
			must(t, s.Remove(id, k))
			truth[id] -= k
		case src.IntN(20) == 0:
			s = f.passes(t, s, truth)
		default:
			if err := s.Add(id, k); err != nil {
				f.full(t, err)
				return
			}
			truth[id] += k
		}
		for id, n := range truth {
			f.checkCount(t, "in a drawn size", s, id, n)
		}
	}
	f.passes(t, s, truth)
}

// full fails the test if the sketch can never be full. err is an error that says that there is no room.
func (f Family) full(t testing.TB, err error) {
	t.Helper()
	if !f.Laws.Fills {
		t.Fatalf("a sketch that always has room: %v", err)
	}
}

// passes encodes and decodes a subject, and returns the decoded one. The BLOB must be valid, and all
// counts must stay the same.
func (f Family) passes(t testing.TB, s Subject, truth map[uint64]uint64) Subject {
	t.Helper()
	blob := s.Blob()
	must(t, f.Check(blob))
	d, err := f.Decode(blob)
	must(t, err)
	if again := d.Blob(); !bytes.Equal(blob, again) {
		same(t, "decoded and encoded", blob, again)
	}
	for id, n := range truth {
		f.checkCount(t, "through a BLOB", d, id, n)
		if f.Look == nil {
			continue
		}
		want := d.(Counter).Count(id)
		if got, err := f.Look(blob, id); err != nil || got != want {
			t.Fatalf("key %d: %d and error %v on the BLOB, %d decoded", id, got, err, want)
		}
	}
	return d
}

// Size draws a size from 1 to most. Half of the draws are below 20, a third of the others odd.
func Size(r *rand.Rand, most uint64) uint64 {
	n := 1 + r.Uint64N(most)
	switch r.IntN(6) {
	case 0, 1, 2:
		n = 1 + r.Uint64N(min(most, 20))
	case 3:
		n |= 1
	}
	return min(n, most)
}
