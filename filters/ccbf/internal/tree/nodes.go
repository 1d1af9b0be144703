package tree

import (
	"math/bits"
	"sort"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// node is a square that is a leaf for some threshold: one of the squares that a
// tree was made of, or the smallest that holds several of them. The squares
// between a node and the node above it have the same points.
type node struct {
	key, total uint64
	own        uint64 // points known to be in this square and in no smaller one
	next       int32  // the node after all below this one
	cells      uint32 // cells below, itself included: how many have points
	level      uint8
	top        uint8 // the highest level of a leaf with these points
	tau        Tau   // the least at which it is a leaf
}

// Nodes are the squares of which a threshold makes leaves, above those below.
type Nodes struct {
	all []node
	// cellsKnown says that it is known how many cells have points: the squares
	// were cells.
	cellsKnown bool
}

// nodesOf makes the nodes of squares and adds to change, by threshold, how many
// more squares the pruned tree has from that threshold on.
func nodesOf(s Squares, change *[Taus + 1]int) Nodes {
	b := nodeBuilder{s: s, change: change, all: make([]node, 0, s.Len()+s.Len()/2)}
	if s.Len() > 0 {
		b.change[b.build(0, s.Len(), MaxLevel)]++
	}
	return Nodes{b.all, s.Levels == nil}
}

type nodeBuilder struct {
	s      Squares
	all    []node
	change *[Taus + 1]int
}

// build appends the node of the squares from lo to hi-1, and those below it, and
// returns its threshold.
func (b *nodeBuilder) build(lo, hi int, top uint8) Tau {
	at := len(b.all)
	key, level := b.s.Keys[lo], b.s.Level(lo)
	n := node{key: key, level: level, top: max(top, level), total: b.s.Counts[lo], own: b.s.Counts[lo], cells: 1}
	b.all = append(b.all, n)
	if hi-lo > 1 {
		first := lo
		if b.s.Keys[hi-1]&^side2(level) == key {
			first++ // the first square holds the others
		} else {
			level = uint8(bits.Len64(key^b.s.Keys[hi-1])+1) / 2
			n.level, n.top, n.total, n.own = level, max(top, level), 0, 0
			n.key &^= side2(level)
		}
		n.cells = 0
		for i := first; i < hi; {
			j := b.end(i, hi, b.s.Keys[i]|side2(level-1))
			child := len(b.all)
			b.change[b.build(i, j, level-1)]++
			n.total = saturate.Add(n.total, b.all[child].total)
			n.cells += b.all[child].cells
			i = j
		}
		if n.tau = tauOf(weight(level, n.total)); level > MaxLevel {
			n.tau = Taus // always split
		}
		for i := at + 1; i < len(b.all); i = int(b.all[i].next) {
			b.change[n.tau]-- // leaves below it are leaves up to here
		}
		if n.own > 0 {
			b.change[0]++
			b.change[n.tau]--
		}
	}
	n.next = int32(len(b.all))
	b.all[at] = n
	return n.tau
}

// end is the first of the squares from i to hi-1 that begins after a key.
func (b *nodeBuilder) end(i, hi int, last uint64) int {
	step := 1
	for i+step < hi && b.s.Keys[i+step] <= last {
		step *= 2
	}
	low, high := i+step/2, min(i+step, hi)
	return low + sort.Search(high-low, func(k int) bool { return b.s.Keys[low+k] > last })
}

// At is the tree pruned by a threshold, appended to dst[:0], and by how much the
// counts of all cells that have points are too high together, and how many those
// are.
func (n *Nodes) At(tau Tau, dst Squares) (s Squares, excess, cells uint64) {
	s = Squares{dst.Keys[:0], dst.Levels[:0], dst.Counts[:0]}
	value := tau.Value()
	for i := 0; i < len(n.all); {
		v := &n.all[i]
		if v.tau > tau {
			if v.own > 0 {
				s.push(v.key, v.level, v.own)
			}
			i++
			continue
		}
		level := v.level
		for level < v.top && weight(level+1, v.total) <= value {
			level++
		}
		s.push(v.key&^side2(level), level, v.total)
		hi, lo := bits.Mul64(v.total, uint64(v.cells-1))
		if hi != 0 {
			lo = ^uint64(0)
		}
		excess, cells = saturate.Add(excess, lo), cells+uint64(v.cells)
		i = int(v.next)
	}
	return s, excess, cells
}
