package tree

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// node is the smallest square that holds some of the squares that a tree was made
// of, two or more: the squares between a node and the node above it have the same
// points.
type node struct {
	total  uint64 // points
	lo, hi int32  // the items below are those from lo to hi-1
	first  int32  // of the nodes below, which stand before it up to itself
	tau    Tau    // the least threshold at which it is a leaf
	level  uint8
}

// Nodes are the squares of which a threshold makes leaves, each after those below,
// for thresholds of a window: what all of them make leaves of is an item already, and
// what none of them does is no node.
type Nodes struct {
	s      Squares
	window window
	items  items
	all    []node
	// nested says that some squares hold others: so do leaves, then.
	nested bool
}

// items are squares of the list and those that all thresholds of a window make of
// several. Where the window is open below they are the squares of the list.
type items struct {
	Squares         // their memory; keys are those of the first square in each
	n       int     // items
	first   []int32 // the first square in each, and the number of squares
	// meets is the level of the smallest square that holds an item and the one
	// before, and of one that holds the last and what follows.
	meets []uint8
}

// window is thresholds above low and up to high.
type window struct{ low, high int }

// allTaus is the window of all thresholds.
var allTaus = window{-1, Taus - 1}

// weights are the largest weights that the thresholds up to a bound make leaves of;
// false where there are none up to low.
func (w window) weights() (low, high uint64, some bool) {
	high = ^uint64(0) // weights that overflow have the last threshold
	if w.high < Taus-1 {
		high = Tau(w.high).Value()
	}
	if w.low < 0 {
		return 0, high, false
	}
	return Tau(w.low).Value(), high, true
}

// cellsKnown says that it is known how many cells have points: the squares were
// cells.
func (n *Nodes) cellsKnown() bool { return n.s.Levels == nil }

// room makes room for n items, where there is less, and keeps those that there are.
func (t *items) room(n int) {
	if len(t.meets) > n {
		return
	}
	before := *t
	t.Squares = Squares{make([]uint64, n), make([]uint8, n), make([]uint64, n)}
	t.first, t.meets = make([]int32, n+1), make([]uint8, n+1)
	copy(t.Keys, before.Keys)
	copy(t.Levels, before.Levels)
	copy(t.Counts, before.Counts)
	copy(t.first, before.first)
	copy(t.meets, before.meets)
}

// moreRoom is for how many items there is room at least where there is too little.
const moreRoom = 8

// nodesEach is for how many squares there is room for a node, to begin with.
func nodesEach(w window) int {
	if w.low < 0 {
		return 3
	}
	return 8
}

// edge is above the level of all squares.
const edge = MaxLevel + 2

// of makes squares those of n, without nodes.
func (n *Nodes) of(s Squares) {
	*n = Nodes{s: s, items: n.items, all: n.all}
	n.items.n = 0
}

// build makes n the nodes of its squares for a window, in its memory, and adds to change,
// by threshold, how many more leaves the pruned tree has from that threshold on, so
// that sums are right in the window. There will be about so many items for each square.
// O(n) for n squares.
func (n *Nodes) build(w window, share float64, change *[Taus + 1]int) {
	s := n.s
	n.window, n.all = w, n.all[:0]
	n.items.room(min(int(float64(s.Len())*share), s.Len()))
	if n.all == nil {
		n.all = make([]node, 0, s.Len()/nodesEach(w))
	}
	t := &n.items
	low, high, some := w.weights()
	top := uint8(1) // all squares of it and above, which hold several of these, are split
	for top < edge && weight(top, 2) <= high {
		top++
	}
	// Squares that hold the square before i and the one behind it, by level: whether one is, is a bit
	// of open, as nobody foresees it. Some are split by all thresholds.
	var holders [64]struct {
		total     uint64
		lo, first int32
		below     int32 // items and nodes directly below
	}
	open := uint64(0)
	nodes := uint64(1)<<top - 1 // bits of levels that have some
	at := int32(0)              // the next item
	meet := uint8(edge)
	size := s.Len()
	all := n.all
	for i, key := range s.Keys {
		level := s.Level(i)
		total, lo, first := s.Counts[i], at, int32(len(all))
		if int(at) == len(t.Keys) {
			t.room(min(int(float64(at)/float64(i+1)*float64(size)*shareRoom)+moreRoom, size))
		}
		t.Keys[at], t.Levels[at], t.Counts[at] = key, level, total
		t.first[at], t.meets[at] = int32(i), meet
		at++
		last := i+1 == size
		to, closed := uint8(edge), open
		if !last {
			to = max(common(key, s.Keys[i+1]), level)
			closed &= 1<<to - 1
			n.nested = n.nested || level > 0 && s.Keys[i+1] <= key|side2(level)
		}
		meet = to
		open &^= closed
		for ; closed != 0; closed &= closed - 1 {
			level := uint8(bits.TrailingZeros64(closed))
			o := &holders[level&63]
			total, lo, first = saturate.Add(o.total, total), o.lo, o.first
			if level > MaxLevel {
				continue // always split
			}
			switch v := weight(level, total); {
			case some && v <= low:
				at = lo + 1
				t.Levels[lo], t.Counts[lo] = level, total
			case v <= high:
				tau := tauOf(v)
				change[tau] -= int(o.below) // each of them, and what is behind the last, is a leaf up to here
				all = append(all, node{total, lo, at, first, tau, level})
			}
		}
		o := &holders[to&63]
		was := -int32(open >> to & 1) // all bits where the square is open
		o.total = saturate.Add(total, o.total&uint64(int64(was)))
		o.lo, o.first, o.below = lo^(lo^o.lo)&was, first^(first^o.first)&was, o.below&was+1
		open |= 1 << to & nodes
	}
	n.all = all
	t.first[at], t.meets[at] = int32(size), meet
	n.items.n = int(at)
	change[0] += int(at)
}
