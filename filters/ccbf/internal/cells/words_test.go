package cells

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/beside"
)

// Words count what a map counts: keys in few cells and in many, a cell that counts more
// than a word can, keys taken together and apart, sorted by one goroutine or by two.
func TestWordsAgreeWithMap(t *testing.T) {
	yes := func() bool { return true }
	for name, of := range map[string]struct {
		base, cells uint64
		apart       uint // bits between two cells
		crowd       int  // of a hundred points are in one cell
		points      int
	}{
		"few cells":     {1 << 62, 100, 0, 0, 5000},
		"one cell":      {5 << 50, 1, 0, 0, full + 17},
		"crowd":         {0, 3000, 3, 95, full + full/2},
		"many cells":    {5 << 59, 60_000, 1, 10, 200_000},
		"all different": {0, 1 << wordKeys, 0, 0, manyCells + 1000},
	} {
		r := rand.New(rand.NewPCG(41, of.cells))
		keys := make([]uint64, of.points)
		want := map[uint64]uint64{}
		for i := range keys {
			keys[i] = of.base
			if k := r.Uint64N(of.cells); r.IntN(100) >= of.crowd {
				keys[i] |= k << of.apart
			}
			want[keys[i]]++
		}
		add := func(keys []uint64, most int) *Words {
			var w Words
			for len(keys) > 0 {
				n := min(len(keys), 1+r.IntN(most))
				if !w.Fits(keys[:n]) {
					t.Fatalf("%s: keys do not fit", name)
				}
				if more := w.More(n); more < 0 {
					t.Fatalf("%s: %d bytes more", name, more)
				}
				before := slices.Clone(keys[:n])
				w.Add(keys[:n])
				if !slices.Equal(keys[:n], before) {
					t.Fatalf("%s: keys were changed", name)
				}
				keys = keys[n:]
			}
			return &w
		}
		sameRun(t, name, add(keys, MaxKeys).Run(nil), want)
		sameRun(t, name+", in small parts", add(keys, max(1, len(keys)/20)).Run(nil), want)
		a, b := add(keys[:of.points/3], max(1, len(keys)/9)), add(keys[of.points/3:], MaxKeys)
		before := b.Len()
		for _, spare := range []func() bool{nil, yes} {
			var both Words
			for _, w := range []*Words{a, b} {
				if !both.Joins(w) {
					t.Fatalf("%s: a part does not join", name)
				}
				both.Join(w, spare)
			}
			sameRun(t, name+", joined", both.Run(spare), want)
			if b.Len() != before {
				t.Errorf("%s: what joined has %d cells, had %d", name, b.Len(), before)
			}
			both.Reset()
			both.Add([]uint64{7, 8, 7})
			sameRun(t, name+", again", both.Run(nil), map[uint64]uint64{7: 2, 8: 1})
		}
	}
}

// Keys that differ in more bits than a word has for them do not fit, nor do those that differ
// so from the ones before.
func TestWordsOfKeysFarApart(t *testing.T) {
	var w Words
	if w.Fits([]uint64{1, 1 << wordKeys}) || !w.Fits([]uint64{1 << 63, 1<<63 | 1<<wordKeys - 1}) {
		t.Error("keys fit by other bits")
	}
	w.Add([]uint64{1 << 62})
	if w.Fits([]uint64{1}) || !w.Fits([]uint64{1<<62 | 9}) {
		t.Error("later keys fit by other bits")
	}
	var o Words
	o.Add([]uint64{5})
	if w.Joins(&o) || !w.Joins(new(Words)) {
		t.Error("words join by other bits")
	}
}

// Words become a run in halves as they do at once, also where the words of a cell are in both,
// and where there is nothing else.
func TestRunInHalves(t *testing.T) {
	for name, before := range map[string]int{"cut between cells": manyCells / 2, "cut within a cell": manyCells/2 - 3*wordBlock/2, "one cell": 0} {
		want := map[uint64]uint64{}
		l := wordList{n: manyCells}
		for i := range manyCells {
			if i%wordBlock == 0 {
				l.pieces = append(l.pieces, nil)
			}
			key := min(i, before) + max(i-before-3*wordBlock, 0) // the one behind so many has 3 blocks of words
			if before == 0 {
				key = 0
			}
			n := uint64(1 + i%5)
			last := &l.pieces[len(l.pieces)-1]
			*last = append(*last, uint64(key)<<countBits|n)
			want[1<<62|uint64(key)] += n
		}
		started := beside.Started()
		sameRun(t, name, unpackBeside(l, 1<<62, func() bool { return true }), want)
		if n := beside.Started() - started; (n == 2) != (before > 0) {
			t.Errorf("%s: %d goroutines", name, n)
		}
	}
}
