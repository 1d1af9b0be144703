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
			grow(t, to, len(list))
			fill(to, list)
			for k, n := range list {
				want[k] += n
			}
		}
		before := cellsOf(&half)
		if half.Len() > 0 {
			if !p.Joins(&half) {
				t.Fatalf("%s: a pile does not join", name)
			}
			had, more, freed := p.Bytes(), p.JoinBytes(&half), p.list.Bytes()
			if p.Join(&half); p.Bytes() > had+more || p.Bytes() < had+more-freed {
				t.Fatalf("%s: %d bytes became %d; %d were asked for", name, had, p.Bytes(), more)
			}
		}
		if n := of.lists * of.cells; p.Len() != n {
			t.Fatalf("%s: %d cells, %d were added", name, p.Len(), n)
		}
		if !of.wide {
			var alone, beside Words
			alone.Take(&p, nil)
			beside.Take(&p, func() bool { return true })
			sameRun(t, name, alone.Run(nil), want)
			sameRun(t, name+", by two", beside.Run(nil), want)
			if !slices.EqualFunc(alone.lists[0].pieces, beside.lists[0].pieces, slices.Equal) && alone.n != beside.n {
				t.Errorf("%s: two goroutines make other words", name)
			}
		}
		sameRun(t, name, p.Run(), want)
		if half.Len() > 0 {
			// What is added to one pile is not in the other that has its words.
			for _, to := range []*Pile{&half, &p} {
				grow(t, to, 1)
				fill(to, map[uint64]uint64{of.base: 1})
				want[of.base]++
			}
			want[of.base]-- // in half
			sameRun(t, name+", one more", p.Run(), want)
			if after := cellsOf(&half); !slices.Equal(after[:len(before)], before) || len(after) == len(before) {
				t.Errorf("%s: a pile changed as it joined", name)
			}
		}
	}
}

// However many ranges are added up from either end, the words are the same, and no more memory than
// two blocks is not full of them.
func TestRangesFromBothEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 0))
	for name, spread := range map[string]uint64{"few squares": 1 << 18, "many squares": 1 << 24, "sorted": 1 << 44} {
		want := map[uint64]uint64{}
		var lists [][]uint64
		for range 40 {
			list := make([]uint64, 0, 2000)
			for range 2000 {
				k := r.Uint64N(spread)
				list = append(list, k<<countBits|1)
				want[k]++
			}
			slices.Sort(list)
			lists = append(lists, oneEach(list))
		}
		borders := bordersOf(lists)
		n := len(borders) - 1
		for cut := range n + 1 {
			var first, second ranges
			first.sum(lists, borders, func(yield func(int) bool) {
				for i := 0; i < cut && yield(i); i++ {
				}
			}, false)
			second.sum(lists, borders, func(yield func(int) bool) {
				for i := n - 1; i >= cut && yield(i); i-- {
				}
			}, true)
			first.to.flush()
			second.to.turn()
			pieces := append(first.to.out.pieces, second.to.out.pieces...)
			blocks := len(want)/wordBlock + 2
			if all := slices.Concat(pieces...); len(all) != len(want) || len(all) != first.to.out.n+second.to.out.n || len(pieces) > blocks {
				t.Fatalf("%s, %d of %d: %d words in %d blocks, want %d in %d", name, cut, n, len(all), len(pieces), len(want), blocks)
			}
			sameRun(t, name, unpack(pieces, 0), want)
		}
	}
}

// cellsOf is what is on a pile.
func cellsOf(p *Pile) []uint64 {
	all := slices.Concat(p.pieces...)
	for i, k := range p.list.Keys {
		all = append(all, k, p.list.Counts[i])
	}
	return all
}

// grow makes room for n more cells, which takes what was asked for.
func grow(t *testing.T, p *Pile, n int) {
	t.Helper()
	if _, ok := p.Room(n); ok {
		return
	}
	before, more, freed := p.Bytes(), p.GrowBytes(n), p.list.Bytes()
	if p.Grow(n); p.Bytes() != before+more-freed {
		t.Fatalf("%d bytes, of which %d were freed, became %d; %d were asked for", before, freed, p.Bytes(), more)
	}
}

// fill adds a list for which there is room.
func fill(p *Pile, list map[uint64]uint64) {
	room, _ := p.Room(len(list))
	base := uint64(0)
	for j, k := range slices.Sorted(maps.Keys(list)) {
		base = k &^ (1<<wordKeys - 1)
		if room.Words != nil {
			room.Words[j] = k<<countBits | list[k]
		} else {
			room.Keys[j], room.Counts[j] = k, list[k]
		}
	}
	p.Add(len(list), base)
}

// Keys of other bits are no cells of a pile, and an empty one takes any.
func TestPileOfOtherBits(t *testing.T) {
	var p Pile
	grow(t, &p, 1)
	if !p.Fits(1 << 63) {
		t.Error("an empty pile has bits")
	}
	fill(&p, map[uint64]uint64{1<<63 | 5: full})
	grow(t, &p, 1)
	fill(&p, map[uint64]uint64{1<<63 | 5: 1})
	o, wide := Pile{n: 1, base: 1 << wordKeys}, WidePile()
	if p.Fits(0) || !p.Fits(1<<63) || p.Joins(&o) || p.Joins(&wide) {
		t.Error("piles join by other bits")
	}
	var words Words
	if words.Takes(&wide) || !words.Takes(&p) {
		t.Error("words take what does not fit")
	}
	words.Take(&p, nil)
	if words.Takes(&o) {
		t.Error("words take other bits")
	}
	sameRun(t, "what fits", p.Run(), map[uint64]uint64{1<<63 | 5: full + 1})
}
