package tree

import (
	"cmp"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// MinLeast is the fewest points that a leaf may be promised to have; MaxLeast is the most.
const (
	MinLeast = 2
	MaxLeast = 1 << 32
)

// Suppression is that no leaf has fewer than least points, and how many points were dropped
// for that. The zero value is that leaves may have any number.
type Suppression struct{ Least, Dropped uint64 }

// check is that no leaf has fewer than least points.
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

// Read reads what a tree's parameters say of it.
func (h *Suppression) Read(r *sketch.Reader) error {
	h.Least, h.Dropped = r.Uvarint(), r.Uvarint()
	if r.Err() == nil && (h.Least < MinLeast || h.Least > MaxLeast) {
		return sketch.Invalidf("leaves of at least %d points", h.Least)
	}
	return nil
}

// Suppress is the points of squares in squares with at least k points each, and how many points
// are in none: those of a square of MaxLevel that has fewer in all.
//
// A square with fewer than k leaves its points to the smallest square around it that has k of
// such points, and is a leaf around others then. What is left in the end, fewer than k, goes
// with the nearest leaf, the one with the fewest points of several, to the smallest square around
// both.
func Suppress(s Squares, k uint64) (kept Squares, dropped uint64) {
	var all []Leaf
	for from := 0; from < s.Len(); {
		top := s.Keys[from] | side2(MaxLevel)
		to := from + searchAbove(s.Keys[from:], top)
		p := pooler{s: s, k: k, from: len(all), leaves: all}
		if rest := p.square(from, to); rest.Count > 0 && !p.join(rest) {
			dropped = saturate.Add(dropped, rest.Count)
		}
		all, from = p.leaves, to
	}
	slices.SortFunc(all, func(a, b Leaf) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(b.Level, a.Level)) })
	for _, l := range all {
		if n := kept.Len() - 1; n >= 0 && kept.Keys[n] == l.Key && kept.Levels[n] == l.Level {
			kept.Counts[n] = saturate.Add(kept.Counts[n], l.Count)
			continue
		}
		kept.push(l.Key, l.Level, l.Count)
	}
	return kept, dropped
}

// pooler makes the leaves of a square of MaxLevel.
type pooler struct {
	s      Squares
	k      uint64
	leaves []Leaf
	from   int // of leaves, the first of this square
}

// square makes the leaves of what is in squares from from to to-1, and returns what is left:
// fewer than k points, and the smallest square around them.
func (p *pooler) square(from, to int) (rest Leaf) {
	if from == to {
		return rest
	}
	s := &p.s
	at := Leaf{Key: s.Keys[from], Level: s.Level(from)}
	if to-from > 1 {
		at = around(at, Leaf{Key: s.Keys[to-1], Level: s.Level(to - 1)})
	}
	if s.Level(from) == at.Level {
		rest = Leaf{at.Key, s.Counts[from], at.Level}
		from++
	}
	for q := uint64(0); q < 4 && from < to; q++ {
		last := at.Key + (q+1)<<(2*(at.Level-1)) - 1
		end := from + searchAbove(s.Keys[from:to], last)
		rest = pool(rest, p.square(from, end))
		from = end
	}
	if rest.Count < p.k {
		return rest
	}
	p.leaves = append(p.leaves, rest)
	return Leaf{}
}

// pool is two leaves as one; either may have no points.
func pool(a, b Leaf) Leaf {
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

// around is the smallest square around two.
func around(a, b Leaf) Leaf {
	level := max(a.Level, b.Level, common(a.Key, b.Key))
	return Leaf{Key: a.Key &^ side2(level), Level: level}
}

// join puts what is left together with a leaf; false where there is none.
func (p *pooler) join(rest Leaf) bool {
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
