package tree

import (
	"cmp"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// MinLeast and MaxLeast bound the number of points that each leaf can be promised to have.
const (
	MinLeast = 2
	MaxLeast = 1 << 32
)

// Suppression promises that no leaf has fewer than Least points. Dropped is the number of points that
// were removed for this. The zero value promises nothing.
type Suppression struct{ Least, Dropped uint64 }

// check returns an error if a leaf has fewer than Least points.
func (h Suppression) check(t *List) error {
	for i := range t.Sections {
		for j, n := range t.Sections[i].Counts {
			if n < h.Least {
				return sketch.Invalidf("leaf %d of section %d has %d points, but at least %d were promised", j+1, i+1, n, h.Least)
			}
		}
	}
	return nil
}

// Read reads the suppression from the parameters of a tree.
func (h *Suppression) Read(r *sketch.Reader) error {
	h.Least, h.Dropped = r.Uvarint(), r.Uvarint()
	if r.Err() == nil && (h.Least < MinLeast || h.Least > MaxLeast) {
		return sketch.Invalidf("leaves of at least %d points", h.Least)
	}
	return nil
}

// Suppress moves points to squares that have at least k points each. If a square of MaxLevel has fewer
// than k points in all, Suppress drops them. It returns the number of dropped points.
//
// A square with fewer than k points gives them to the smallest square around it that gets k points this
// way. This larger square becomes a leaf, which may hold other leaves. In the end fewer than k points may
// be left. They join the nearest leaf, in the smallest square that holds both. Among equally near leaves,
// they join the one with the fewest points.
func Suppress(s cells.Squares, k uint64) (kept cells.Squares, dropped uint64) {
	var all []cells.Leaf
	for from := 0; from < s.Len(); {
		top := s.Keys[from] | cells.LowBits(cells.MaxLevel)
		to := from + cells.SearchAbove(s.Keys[from:], top)
		p := pooler{s: s, k: k, from: len(all), leaves: all}
		if rest := p.square(from, to); rest.Count > 0 && !p.join(rest) {
			dropped = saturate.Add(dropped, rest.Count)
		}
		all, from = p.leaves, to
	}
	slices.SortFunc(all, func(a, b cells.Leaf) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(b.Level, a.Level)) })
	for _, l := range all {
		if n := kept.Len() - 1; n >= 0 && kept.Keys[n] == l.Key && kept.Levels[n] == l.Level {
			kept.Counts[n] = saturate.Add(kept.Counts[n], l.Count)
			continue
		}
		kept.Push(l.Key, l.Level, l.Count)
	}
	return kept, dropped
}

// pooler merges leaves with too few points, within a square of MaxLevel.
type pooler struct {
	s      cells.Squares
	k      uint64
	leaves []cells.Leaf
	from   int // index of the first leaf of the current square.
}

// square makes leaves of the squares [from, to). If fewer than k points are left
// over, it returns them as rest, in the smallest square around them.
func (p *pooler) square(from, to int) (rest cells.Leaf) {
	if from == to {
		return rest
	}
	s := &p.s
	at := cells.Leaf{Key: s.Keys[from], Level: s.Level(from)}
	if to-from > 1 {
		at = around(at, cells.Leaf{Key: s.Keys[to-1], Level: s.Level(to - 1)})
	}
	if s.Level(from) == at.Level {
		rest = cells.Leaf{Key: at.Key, Count: s.Counts[from], Level: at.Level}
		from++
	}
	for q := uint64(0); q < 4 && from < to; q++ {
		last := at.Key + (q+1)<<(2*(at.Level-1)) - 1
		end := from + cells.SearchAbove(s.Keys[from:to], last)
		rest = pool(rest, p.square(from, end))
		from = end
	}
	if rest.Count < p.k {
		return rest
	}
	p.leaves = append(p.leaves, rest)
	return cells.Leaf{}
}

// pool returns one leaf with the points of a and b, either of which may have none.
func pool(a, b cells.Leaf) cells.Leaf {
	switch {
	case a.Count == 0:
		return b
	case b.Count == 0:
		return a
	}
	c := around(a, b)
	c.Count = saturate.Add(a.Count, b.Count)
	return c
}

// around returns the smallest square around two leaves, without points.
func around(a, b cells.Leaf) cells.Leaf {
	level := max(a.Level, b.Level, cells.CommonLevel(a.Key, b.Key))
	return cells.Leaf{Key: a.Key &^ cells.LowBits(level), Level: level}
}

// join adds the points of rest to the nearest leaf. It returns false if there is no leaf.
func (p *pooler) join(rest cells.Leaf) bool {
	best := -1
	for i := p.from; i < len(p.leaves); i++ {
		if best < 0 || cmp.Or(
			cmp.Compare(around(rest, p.leaves[i]).Level, around(rest, p.leaves[best]).Level),
			cmp.Compare(p.leaves[i].Count, p.leaves[best].Count),
			cmp.Compare(p.leaves[i].Key, p.leaves[best].Key)) < 0 {
			best = i
		}
	}
	if best >= 0 {
		p.leaves[best] = pool(rest, p.leaves[best])
	}
	return best >= 0
}
