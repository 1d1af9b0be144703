package tree

import "github.com/ccbfsql/ccbfsql/filters/internal/saturate"

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
	part   int // whose squares they are, or some of them
	window window
	items  items
	all    []node
	// nested says that some squares hold others: so do leaves, then.
	nested bool
	// The leaves of the last trial are those from one to another of all, where they are
	// one sheet or a part of it.
	from, to int
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

// reset makes room for n items.
func (t *items) reset(n int) {
	if len(t.meets) <= n {
		t.Squares = Squares{make([]uint64, n), make([]uint8, n), make([]uint64, n)}
		t.first, t.meets = make([]int32, n+1), make([]uint8, n+1)
	}
}

// build makes n the nodes of squares for a window, in its memory, and adds to change,
// by threshold, how many more leaves the pruned tree has from that threshold on, so
// that sums are right in the window. O(n) for n squares.
func (n *Nodes) build(s Squares, w window, change *[Taus + 1]int) {
	n.buildHalf(s, w, edge, edge, change)
}

// edge is above the level of all squares.
const edge = MaxLevel + 2

// buildHalf is build for squares that others are before or after, or both: those that hold
// some of either are split by all thresholds of the window. The smallest of these have the
// levels before and after, which are edge where there are no others.
func (n *Nodes) buildHalf(s Squares, w window, before, after uint8, change *[Taus + 1]int) {
	*n = Nodes{s: s, part: n.part, window: w, items: n.items, all: n.all[:0]}
	n.items.reset(s.Len())
	t := &n.items
	low, high, some := w.weights()
	// Nodes that reach to the square before i, from large to small, each inside the
	// one before: 33 levels at most, behind one that is never closed.
	type open struct {
		total     uint64
		lo, first int32
		below     int32 // items and nodes directly below
		level     uint8
	}
	var stack [MaxLevel + 4]open
	stack[0].level = 255
	depth := 0
	at := int32(0) // the next item
	meet := before
	size := s.Len()
	for i, key := range s.Keys {
		level := s.Level(i)
		total, lo, first := s.Counts[i], at, int32(len(n.all))
		t.Keys[at], t.Levels[at], t.Counts[at] = key, level, total
		t.first[at], t.meets[at] = int32(i), meet
		at++
		to := after
		if i+1 < size {
			to = max(common(key, s.Keys[i+1]), level)
			n.nested = n.nested || level > 0 && s.Keys[i+1] <= key|side2(level)
		}
		meet = to
		for {
			o := &stack[depth]
			if o.level > to {
				break
			}
			o.total = saturate.Add(o.total, total)
			o.below++
			if o.level == to && i+1 < size {
				break
			}
			total, lo, first = o.total, o.lo, o.first
			depth--
			if o.level > MaxLevel || o.level >= before && lo == 0 || o.level >= after && i+1 == size {
				continue // always split
			}
			switch v := weight(o.level, total); {
			case some && v <= low:
				at = lo + 1
				t.Levels[lo], t.Counts[lo] = o.level, total
			case v <= high:
				tau := tauOf(v)
				change[tau] += 1 - int(o.below) // each of them is a leaf up to here
				n.all = append(n.all, node{total, lo, at, first, tau, o.level})
			}
		}
		if i+1 < size && stack[depth].level > to {
			depth++
			stack[depth] = open{total, lo, first, 1, to}
		}
	}
	t.first[at], t.meets[at] = int32(size), meet
	n.items.n = int(at)
	change[0] += int(at)
}
