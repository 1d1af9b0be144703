package tree

import (
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// node is the smallest square that holds some of the squares that a tree was made
// of, two or more: the squares between a node and the node above it have the same
// points.
type node struct {
	total  uint64 // points
	lo, hi int32  // the squares below are those from lo to hi-1
	first  int32  // of the nodes below, which stand before it up to itself
	tau    Tau    // the least threshold at which it is a leaf
	level  uint8
}

// Nodes are the squares of which a threshold makes leaves, each after those below.
type Nodes struct {
	s   Squares
	all []node
	// meets is the level of the smallest square that holds a square and the one
	// before, and of one that holds the last and what follows.
	meets []uint8
	// nested says that some squares hold others: so do leaves, then.
	nested bool
}

// cellsKnown says that it is known how many cells have points: the squares were
// cells.
func (n *Nodes) cellsKnown() bool { return n.s.Levels == nil }

// build makes n the nodes of squares, in its memory, and adds to change, by
// threshold, how many more leaves the pruned tree has from that threshold on. O(n)
// for n squares.
func (n *Nodes) build(s Squares, change *[Taus + 1]int) {
	change[0] += s.Len()
	*n = Nodes{s: s, all: n.all[:0], meets: slices.Grow(n.meets[:0], s.Len()+1)[:s.Len()+1]}
	n.meets[0], n.meets[s.Len()] = MaxLevel+2, MaxLevel+2 // above all levels
	if s.Len() < 2 {
		return
	}
	n.all = slices.Grow(n.all, s.Len()*5/8)
	// Nodes that reach to the square before i, from large to small, each inside the
	// one before: 33 levels at most.
	var open [MaxLevel + 2]struct {
		node
		below int // squares and nodes directly below
	}
	depth := 0
	for i := range s.Keys {
		now := node{total: s.Counts[i], lo: int32(i), hi: int32(i + 1), first: int32(len(n.all))}
		if i+1 < s.Len() && s.Levels != nil && s.Keys[i+1] <= s.last(i) {
			n.nested = true
		}
		to := uint8(MaxLevel + 2)
		if i+1 < s.Len() {
			to = common(s.Keys[i], s.Keys[i+1])
			if s.Levels != nil {
				to = max(to, s.Levels[i])
			}
			n.meets[i+1] = to
		}
		for depth > 0 && open[depth-1].level <= to {
			o := &open[depth-1]
			o.total = saturate.Add(o.total, now.total)
			o.hi = now.hi
			o.below++
			if o.level == to && i+1 < s.Len() {
				break
			}
			if o.tau = tauOf(weight(o.level, o.total)); o.level > MaxLevel {
				o.tau = Taus // always split
			}
			change[o.tau] += 1 - o.below // each of them is a leaf up to here
			n.all = append(n.all, o.node)
			now = o.node
			depth--
		}
		if i+1 < s.Len() && (depth == 0 || open[depth-1].level > to) {
			open[depth].node, open[depth].below = now, 1
			open[depth].level = to
			depth++
		}
	}
}

// room is memory for squares.
func room(n int) Squares { return Squares{make([]uint64, n), make([]uint8, n), make([]uint64, n)} }

// At is the tree pruned by a threshold, in the memory of dst where it is enough,
// and by how much the counts of all cells that have points are too high together,
// and how many those are. Squares whose first points are beyond the key upTo have the
// next lower threshold.
func (n *Nodes) At(tau Tau, upTo uint64, dst Squares) (s Squares, excess, cells uint64) {
	size := n.s.Len()
	if dst.Len() < size {
		dst = room(size)
	}
	p := pruner{n: n, value: tau.Value(), upTo: upTo, at: size, dst: dst}
	if tau > 0 {
		p.beyond = (tau - 1).Value()
	}
	// From the last leaf to the first, as nodes stand after those below them.
	left := size
	for i := len(n.all) - 1; i >= 0; {
		v := &n.all[i]
		if v.tau > tau || v.tau == tau && n.s.Keys[v.lo] > upTo {
			i--
			continue
		}
		p.singles(int(v.hi), left)
		p.leaf(int(v.lo), int(v.hi), v.level, v.total)
		below := uint64(v.hi - v.lo)
		hi, lo := bits.Mul64(v.total, below-1)
		if hi != 0 {
			lo = ^uint64(0)
		}
		excess = saturate.Add(excess, lo)
		left, i = int(v.lo), int(v.first)-1
	}
	p.singles(0, left)
	if !n.cellsKnown() {
		excess, size = 0, 0
	}
	return Squares{dst.Keys[p.at:n.s.Len()], dst.Levels[p.at:n.s.Len()], dst.Counts[p.at:n.s.Len()]}, excess, uint64(size)
}

// pruner writes leaves, the last first.
type pruner struct {
	n             *Nodes
	value, beyond uint64 // of the thresholds up to a key, and beyond
	upTo          uint64
	dst           Squares
	at            int
}

// singles writes squares that are a leaf each.
func (p *pruner) singles(lo, hi int) {
	for i := hi - 1; i >= lo; i-- {
		p.leaf(i, i+1, p.n.s.Level(i), p.n.s.Counts[i])
	}
}

// leaf writes the largest square that the threshold allows as a leaf for squares
// lo to hi-1, all that is in the square of a level.
func (p *pruner) leaf(lo, hi int, level uint8, total uint64) {
	top := min(p.n.meets[lo], p.n.meets[hi], MaxLevel+1) - 1
	value := p.value
	if p.n.s.Keys[lo] > p.upTo {
		value = p.beyond
	}
	for level < top && weight(level+1, total) <= value {
		level++
	}
	p.at--
	p.dst.Keys[p.at] = p.n.s.Keys[lo] &^ side2(level)
	p.dst.Levels[p.at] = level
	p.dst.Counts[p.at] = total
}
