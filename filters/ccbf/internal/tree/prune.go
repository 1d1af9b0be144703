package tree

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// edge is a level above all squares: keys of a region have at most level MaxLevel + 1 in common.
const edge = cells.MaxLevel + 2

// node is the smallest square that holds two or more given squares of a tree and no others. Larger
// squares inside the next node hold the same points.
type node struct {
	total  uint64 // points
	lo, hi int32  // indexes of the squares in the node: from lo to hi-1.
	first  int32  // index of the first node inside this one; nodes inside stand before it.
	tau    Tau    // the least threshold at which the node is a leaf.
	level  uint8
}

// nodes has a list of squares, and all nodes that become leaves at some threshold of a window.
type nodes struct {
	// Squares has the squares of the list. But squares that are one leaf at the threshold below the
	// window are one square here. The key of this square is the key of its first part.
	cells.Squares
	all []node // all nodes; each comes after the nodes inside it.
}

// build sets n to the nodes of the squares s, for thresholds above low and up to high. memory has room
// for all of s. change[t] gets how many leaves more there are at threshold t than at t-1. O(n) for n
// squares.
func (n *nodes) build(memory, s *cells.Squares, low, high uint64, change *[Taus + 1]int) {
	// Few lists have more nodes.
	n.all = make([]node, 0, s.Len()/2)
	top := uint8(1) // from this level on, any square that holds two squares is split
	for top < edge && weight(top, 2) <= high {
		top++
	}
	// By level: the square that holds both the square before and the next one. Bit level of open says
	// whether there is one, because a branch would be mispredicted.
	var holders [64]struct {
		total     uint64
		lo, first int32
		below     int32 // how many squares and nodes lie directly inside, less one
	}
	open, some := uint64(0), uint64(1)<<top-1
	at := int32(0) // the index where the next square is written
	keys, levels, counts, all := memory.Keys[:s.Len()], memory.Levels[:s.Len()], memory.Counts[:s.Len()], n.all
	for i, key := range s.Keys {
		level := s.Level(i)
		total, lo, first := s.Counts[i], at, int32(len(all))
		keys[at], levels[at], counts[at] = key, level, total
		at++
		to, closed := uint8(edge), open
		if i+1 < s.Len() {
			to = max(cells.CommonLevel(key, s.Keys[i+1]), level)
			closed &= 1<<to - 1
		}
		open &^= closed
		for ; closed != 0; closed &= closed - 1 {
			level := uint8(bits.TrailingZeros64(closed))
			o := &holders[level&63]
			total, lo, first = saturate.Add(o.total, total), o.lo, o.first
			switch v := weight(level, total); {
			// Squares above MaxLevel are always split.
			case level > cells.MaxLevel:
			case v <= low:
				at = lo + 1
				levels[lo], counts[lo] = level, total
			case v <= high:
				tau := tauOf(v)
				// From threshold tau on, the squares inside are one leaf.
				change[tau] -= int(o.below)
				all = append(all, node{total, lo, at, first, tau, level})
			}
		}
		o := &holders[to&63]
		was := -int32(open >> to & 1) // all bits set if a square of level to is open
		o.total = saturate.Add(total, o.total&uint64(int64(was)))
		o.lo, o.first, o.below = lo^(lo^o.lo)&was, first^(first^o.first)&was, o.below&was+1
		open |= 1 << to & some
	}
	n.all = all
	n.Squares = cells.Squares{Keys: keys[:at], Levels: levels[:at], Counts: counts[:at]}
	change[0] += int(at)
}

// prune sets dst to the leaves at threshold tau, which lies in the window. For squares whose first key is
// above upTo, it uses the next lower threshold. dst has room for n.Len() squares. Each leaf is the largest
// square with its points that the threshold allows.
func (n *nodes) prune(dst *cells.Squares, tau Tau, upTo uint64) {
	at, to := n.Len(), n.Len() // squares from at on are leaves in dst from to on
	fromKeys, fromLevels, fromCounts := n.Keys[:at], n.Levels[:at], n.Counts[:at]
	keys, levels, counts := dst.Keys[:at], dst.Levels[:at], dst.Counts[:at]
	for i := len(n.all) - 1; at > 0; {
		var leaf node // the last one before at, or an empty one before all
		for ; i >= 0; i-- {
			if v := &n.all[i]; v.tau < tau || v.tau == tau && fromKeys[v.lo] <= upTo {
				leaf = *v
				break
			}
		}
		for at > int(leaf.hi) { // mostly few: a call of copy takes longer
			at, to = at-1, to-1
			keys[to], levels[to], counts[to] = fromKeys[at], fromLevels[at], fromCounts[at]
		}
		if at > 0 {
			to--
			keys[to], levels[to], counts[to] = fromKeys[leaf.lo], leaf.level, leaf.total
			at, i = int(leaf.lo), int(leaf.first)-1
		}
	}
	*dst = dst.Part(to, n.Len())
	enlarge(dst, tau, upTo)
}

// enlarge replaces each square by the largest one that the threshold allows and that holds no other
// square. Before, the key of a square is the key of its first cell with points.
func enlarge(s *cells.Squares, tau Tau, upTo uint64) {
	limit, beyond := tau.Value(), (max(tau, 1) - 1).Value()
	levels, counts := s.Levels[:len(s.Keys)], s.Counts[:len(s.Keys)]
	meet := uint8(edge) // level of the smallest square that holds both this square and the one before
	for i, key := range s.Keys {
		level, next, n := levels[i], uint8(edge), counts[i]
		if i+1 < len(s.Keys) {
			next = max(cells.CommonLevel(key, s.Keys[i+1]), level)
		}
		if key > upTo {
			limit = beyond
		}
		// This follows from the definition of weight: 2^level - 1 is at most limit / n.
		level = max(level, min(meet-1, next-1, cells.MaxLevel, uint8(bits.Len64(limit/n+1)-1)))
		s.Keys[i], levels[i] = key&^cells.LowBits(level), level
		meet = next
	}
}

// excess returns the sum of the numbers by which leaves count too much in these cells. cells has their
// keys and counts.
func excess(cells []uint64, leaves *cells.Squares) (sum uint64) {
	at := 0
	for i, n := range leaves.Counts {
		last, first := leaves.Last(i), at
		for ; at < len(cells) && cells[at] <= last; at++ {
		}
		sum = saturate.Add(sum, saturate.Mul(n, uint64(at-first-1)))
	}
	return sum
}

// Tau is a threshold of the rule for splitting. It is an index of a scale of numbers with five
// significant bits: neighbours differ by at most 1/16.
type Tau uint16

// Taus is the number of thresholds. The last one splits nothing that can be a leaf.
const Taus = 60*16 + 16

// Value returns the threshold itself.
func (t Tau) Value() uint64 {
	if t < 16 {
		return uint64(t)
	}
	return uint64(16+t%16) << (t/16 - 1)
}

// limit returns the largest weight that a node may have to be a leaf.
func (t Tau) limit() uint64 {
	if t == Taus-1 {
		// Weights that overflow belong to the last threshold.
		return ^uint64(0)
	}
	return t.Value()
}

// tauOf returns the least threshold that is at least v.
func tauOf(v uint64) Tau {
	if v < 16 {
		return Tau(v)
	}
	shift := uint(bits.Len64(v)) - 5
	top := v >> shift
	if top<<shift < v {
		// If top becomes 32, the result is the same as 16 with the next shift.
		top++
	}
	return min(Tau((uint64(shift)+1)*16+top-16), Taus-1)
}

// weight returns (side - 1) * points of a square. It is the rule of the tree: a square is split while its
// weight is above the threshold. enlarge has its inverse. Building relies on a weight that grows with
// level and points.
func weight(level uint8, points uint64) uint64 {
	return saturate.Mul(1<<level-1, points)
}

// MinLeast and MaxLeast bound the number of points that each leaf can be promised to have.
const (
	MinLeast = 2
	MaxLeast = 1 << 32
)

// Suppression promises that no leaf has fewer than Least points. Dropped is the number of points that
// were removed for this, or Least if they were fewer. The zero value promises nothing.
type Suppression struct{ Least, Dropped uint64 }

// Suppress moves points to squares that have at least k points each. If a square of MaxLevel has fewer
// than k points in all, Suppress drops them. It returns the number of dropped points.
//
// A square with fewer than k points gives them to the smallest square around it that gets k points this
// way. This larger square becomes a leaf, which may hold other leaves. In the end fewer than k points may
// be left. They join the nearest leaf, in the smallest square that holds both. Among equally near leaves,
// they join the one with the fewest points.
func Suppress(s cells.Squares, k uint64) (kept cells.Squares, dropped uint64) {
	p := pooler{s: s, k: k}
	for from := 0; from < s.Len(); {
		top := s.Keys[from] | cells.LowBits(cells.MaxLevel)
		to, first := from+cells.SearchAbove(s.Keys[from:], top), len(p.leaves)
		rest := p.square(from, to)
		if near := p.leaves[first:]; len(near) > 0 && rest.Count > 0 {
			join(near, rest)
		} else {
			dropped = saturate.Add(dropped, rest.Count)
		}
		from = to
	}
	for _, l := range p.leaves {
		kept.Push(l.Key, l.Level, l.Count)
	}
	return cells.Sorted(kept), dropped
}

// pooler merges leaves with too few points, within a square of MaxLevel.
type pooler struct {
	s      cells.Squares
	k      uint64
	leaves []cells.Leaf
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

// join adds the points of rest to the nearest of some leaves.
func join(near []cells.Leaf, rest cells.Leaf) {
	nearest := slices.MinFunc(near, func(a, b cells.Leaf) int {
		return cmp.Or(cmp.Compare(around(rest, a).Level, around(rest, b).Level), cmp.Compare(a.Count, b.Count), cmp.Compare(a.Key, b.Key))
	})
	near[slices.Index(near, nearest)] = pool(rest, nearest)
}
