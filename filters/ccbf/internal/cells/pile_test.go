package cells

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// A pile counts what a map counts: lists that are long enough to be merged and short ones,
// few cells that are in all of them, counts that add up to more than a word takes, keys at
// both ends, and a wide pile.
func TestPileAgreesWithMap(t *testing.T) {
	for name, of := range map[string]struct {
		lists, cells int
		base, keys   uint64 // keys are above base
		apart        uint
		count        uint64 // the most of a cell
		wide         bool
	}{
		"long lists":            {40, 3000, 5 << 59, 1 << 20, 0, 3, false},
		"short lists":           {400, 30, 0, 1 << 20, 0, 3, false},
		"the same cells":        {60, 2000, 1 << 62, 2500, 4, 2, false},
		"counts beyond a word":  {60, 2000, 0, 3000, 3, full, false},
		"short ones beyond it":  {300, 20, 0, 64, 9, full, false},
		"one list":              {1, 9000, 0, 1 << 30, 0, 1, false},
		"one cell":              {50, 1, ^uint64(0), 1, 0, full, false},
		"many lists of one key": {packKeys + 5, 1, 3, 1, 0, 1, false},
		"keys from end to end":  {40, 2000, 0, 1 << (wordKeys - 8), 8, 9, false},
		"wide":                  {40, 2000, 0, 1 << 50, 14, 1 << 40, true},
	} {
		r := rand.New(rand.NewPCG(43, uint64(of.lists)))
		want := map[uint64]uint64{}
		p, half := Pile{}, Pile{}
		if of.wide {
			p, half = WidePile(), WidePile()
		}
		for i := range of.lists {
			list := map[uint64]uint64{}
			for len(list) < of.cells {
				list[of.base+r.Uint64N(of.keys)<<of.apart] = 1 + r.Uint64N(of.count)
			}
			to := &p
			if i%2 == 1 {
				to = &half
			}
			if to.Room(len(list)).Keys == nil {
				before := to.GrowBytes(len(list), 1<<12)
				if to.Grow(len(list), 1<<12); to.Bytes() != before {
					t.Fatalf("%s: %d bytes, %d were asked for", name, to.Bytes(), before)
				}
			}
			room := to.Room(len(list))
			for j, k := range slices.Sorted(maps.Keys(list)) {
				room.Keys[j], room.Counts[j] = k, list[k]
				want[k] += list[k]
			}
			if !to.Add(len(list)) {
				t.Fatalf("%s: a list does not fit", name)
			}
		}
		clone := half.Clone()
		if half.Len() > 0 {
			if !p.Joins(&half) {
				t.Fatalf("%s: a pile does not join", name)
			}
			p.Grow(half.Len(), 0)
			p.Join(&half)
		}
		if n := of.lists * of.cells; p.Len() != n {
			t.Fatalf("%s: %d cells, %d were added", name, p.Len(), n)
		}
		sameRun(t, name, p.Run(), want)
		if clone.Len() != half.Len() || !slices.Equal(clone.words, half.words) || !slices.Equal(clone.counts, half.counts) {
			t.Errorf("%s: a pile changed as it joined", name)
		}
	}
}

// Lists that do not fit words are refused, and are still there.
func TestPileRefusesWhatDoesNotFit(t *testing.T) {
	var p Pile
	add := func(keys, counts []uint64) bool {
		p.Grow(len(keys), 0)
		room := p.Room(len(keys))
		copy(room.Keys, keys)
		copy(room.Counts, counts)
		ok := p.Add(len(keys))
		if !ok && !slices.Equal(p.Room(len(keys)).Keys, keys) {
			t.Error("the room has other keys")
		}
		return ok
	}
	if add([]uint64{1, 1 << wordKeys}, []uint64{1, 1}) || add([]uint64{1}, []uint64{full + 1}) {
		t.Error("keys far apart, or counts that are too large, fit")
	}
	if !add([]uint64{1<<63 | 5}, []uint64{full}) || add([]uint64{5}, []uint64{1}) || !add([]uint64{1<<63 | 5}, []uint64{1}) {
		t.Error("lists fit by other bits")
	}
	sameRun(t, "what fits", p.Run(), map[uint64]uint64{1<<63 | 5: full + 1})
	var o, wide = Pile{words: []uint64{1}, base: 1 << wordKeys}, WidePile()
	if p.Joins(&o) || p.Joins(&wide) || wide.Empty().wide {
		t.Error("piles join by other bits")
	}
}
