package conform

import (
	"math/rand/v2"
	"testing"
)

// sizes runs short histories in subjects of random sizes. In odd and tiny ones a key shares counters
// with itself, and counters fill up.
func sizes(t testing.TB, f Family) {
	rounds := 40
	if long() {
		rounds = 4000
	}
	for round := range rounds {
		src := f.source(0x517e5+uint64(round), 1+round%30)
		fresh := f.Drawn(src.Rand)
		f.testSingleKeys(t, src, fresh)
		f.testShortHistory(t, src, fresh)
	}
}

// testSingleKeys adds a single key in several parts to a subject that fresh makes.
func (f Family) testSingleKeys(t testing.TB, src source, fresh func() Subject) {
	for range 8 {
		h, id := f.history(fresh), spread(src.Uint64())
		for range 1 + src.IntN(12) {
			n := src.Uint64N(1 << src.IntN(12))
			if f.Even {
				n = src.weight()
			}
			h.add(t, id, n)
			if got := h.s.Count(id); f.Laws.Alone && got != f.truth(h.truth[id]) {
				t.Fatalf("%T: key %d, alone and added %d times, counted %d", h.s, id, h.truth[id], got)
			}
			h.check(t, "alone")
		}
		h.passBlob(t)
	}
}

// testShortHistory runs a random history on a subject that fresh makes: additions, removals, unions, and
// encoding and decoding.
func (f Family) testShortHistory(t testing.TB, src source, fresh func() Subject) {
	h := f.history(fresh)
	for range 60 {
		id, n := src.id(), src.weight()
		if !f.Even {
			n <<= src.IntN(4) * src.IntN(8)
		}
		switch {
		case src.IntN(10) == 0:
			h.unite(t, []op{{id, n}})
		case src.IntN(4) == 0 && h.holds(id):
			h.remove(t, id, 1+src.Uint64N(h.truth[id]))
		case src.IntN(20) == 0:
			h.passBlob(t)
		default:
			h.add(t, id, n)
		}
		h.check(t, "in a drawn size")
	}
	h.passBlob(t)
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
