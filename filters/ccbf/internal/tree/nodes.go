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

// pruner makes the leaves of a threshold, the first first.
type pruner struct {
	*items
	limits [2]growth // of items up to upTo, and beyond
	upTo   int
	all    []node
	nodes  []int32 // of these that are leaves, the last first
	at     int     // the item that is next
}

// growth is what the weights up to a value allow.
type growth struct {
	value  uint64
	levels [64]uint8 // of squares with so many points, and 1; 0 where it is not known
}

// level is the highest level at which so many points are a leaf: by the definition of
// weight 2^level - 1 is at most value / points.
func (g *growth) level(points uint64) uint8 {
	if points >= uint64(len(g.levels)) {
		return uint8(bits.Len64(g.value/points+1) - 1)
	}
	level := &g.levels[points]
	if *level == 0 {
		*level = uint8(bits.Len64(g.value/points + 1))
	}
	return *level - 1
}

// reset makes p a pruner by a threshold of the window. Squares whose first points are
// beyond the key upTo have the next lower threshold, which then is one of the window
// too, or the one below it. It returns how many leaves there are.
func (p *pruner) reset(n *Nodes, tau Tau, upTo uint64) (leaves int) {
	*p = pruner{items: &n.items, upTo: n.items.upTo(upTo), all: n.all, nodes: slices.Grow(p.nodes[:0], len(n.all))}
	p.limits[0].value = tau.Value()
	if tau > 0 {
		p.limits[1].value = (tau - 1).Value()
	}
	leaves = p.n
	for i := len(n.all) - 1; i >= 0; {
		v := &n.all[i]
		if v.tau > tau || v.tau == tau && int(v.lo) >= p.upTo {
			i--
			continue
		}
		p.nodes = append(p.nodes, int32(i))
		leaves -= int(v.hi - v.lo - 1)
		i = int(v.first) - 1 // nodes stand after those below them
	}
	return leaves
}

// upTo is how many items have no key above one.
func (t *items) upTo(key uint64) int { return searchAbove(t.Keys[:t.n], key) }

// batch is some leaves of a sheet, one after the other.
type batch struct {
	Squares
	// reaches are the levels of the smallest squares that hold a leaf and the next one,
	// up to maxRoot + 1.
	reaches []uint8
}

// room makes room for n leaves.
func (b *batch) room(n int) {
	if len(b.Keys) < n {
		*b = batch{Squares{make([]uint64, n), make([]uint8, n), make([]uint64, n)}, make([]uint8, n)}
	}
}

// slice is the leaves from one to another.
func (b *batch) slice(from, to int) batch {
	return batch{Squares{b.Keys[from:to], b.Levels[from:to], b.Counts[from:to]}, b.reaches[from:to]}
}

// next makes up to len(dst.Keys) leaves, each the largest square that the weights allow, and returns how many.
func (p *pruner) next(dst *batch) int {
	room := len(dst.Keys)
	dstKeys, dstLevels, dstCounts, dstReaches := dst.Keys, dst.Levels[:room], dst.Counts[:room], dst.reaches[:room]
	keys := p.Keys[:p.n]
	levels, counts, meets := p.Levels[:len(keys)], p.Counts[:len(keys)], p.meets[:len(keys)+1]
	n, at, meet := 0, p.at, meets[p.at]
	for n < room && at < len(keys) {
		var v *node // all items up to it are a leaf each
		end := len(keys)
		if i := len(p.nodes); i > 0 {
			v = &p.all[p.nodes[i-1]]
			end = int(v.lo)
		}
		g := &p.limits[1]
		if at < p.upTo {
			g, end = &p.limits[0], min(end, p.upTo)
		}
		for end = min(end, at+room-n); at < end; at, n = at+1, n+1 {
			above, total := meets[at+1], counts[at]
			level := max(levels[at], min(meet-1, above-1, MaxLevel, g.level(total)))
			dstKeys[n], dstLevels[n], dstCounts[n], dstReaches[n] = keys[at]&^side2(level), level, total, min(above, maxRoot+1)
			meet = above
		}
		if v != nil && int(v.lo) == at && n < room {
			above, g := meets[v.hi], &p.limits[bit(at >= p.upTo)]
			level := max(v.level, min(meet-1, above-1, MaxLevel, g.level(v.total)))
			dstKeys[n], dstLevels[n], dstCounts[n], dstReaches[n] = keys[at]&^side2(level), level, v.total, min(above, maxRoot+1)
			at, meet, p.nodes = int(v.hi), above, p.nodes[:len(p.nodes)-1]
			n++
		}
	}
	p.at = at
	return n
}

// At is the tree pruned by a threshold, as reset says.
func (n *Nodes) At(tau Tau, upTo uint64) Squares {
	var p pruner
	p.reset(n, tau, upTo)
	var b batch
	b.room(p.n)
	return b.slice(0, p.next(&b)).Squares
}

// excess is by how much the counts of all cells that have points are too high together
// in the tree, before any leaf was made. The squares of the list were cells.
func (p *pruner) excess() (sum uint64) {
	left := p.n
	for _, i := range p.nodes {
		v := &p.all[i]
		sum = saturate.Add(sum, p.excessOf(int(v.hi), left))
		high, low := bits.Mul64(v.total, uint64(p.first[v.hi]-p.first[v.lo]-1))
		if high != 0 {
			low = ^uint64(0)
		}
		sum = saturate.Add(sum, low)
		left = int(v.lo)
	}
	return saturate.Add(sum, p.excessOf(0, left))
}

// excessOf is the excess of items that are a leaf each.
func (p *pruner) excessOf(lo, hi int) (sum uint64) {
	first, highs := p.first[lo:hi+1], uint64(0)
	for i, n := range p.Counts[lo:hi] {
		high, low := bits.Mul64(n, uint64(first[i+1]-first[i]-1))
		var carry uint64
		sum, carry = bits.Add64(sum, low, 0)
		highs |= high | carry
	}
	if highs != 0 {
		return ^uint64(0)
	}
	return sum
}

// Tau is a threshold of the rule for splitting, by its place on a scale of five
// significant bits: neighbours differ by 1/16 at most.
type Tau uint16

// Taus is the number of thresholds. The last splits nothing that can be a leaf.
const Taus = 60*16 + 16

// Value is the threshold itself.
func (t Tau) Value() uint64 {
	if t < 16 {
		return uint64(t)
	}
	return uint64(16+t%16) << (t/16 - 1)
}

// tauOf is the least threshold that is not below v.
func tauOf(v uint64) Tau {
	if v < 16 {
		return Tau(v)
	}
	shift := uint(bits.Len64(v)) - 5
	top := v >> shift
	if top<<shift < v {
		top++ // 32 is 16 of the next shift
	}
	return min(Tau((uint64(shift)+1)*16+top-16), Taus-1)
}

// weight is (side - 1) * points of a square.
func weight(level uint8, points uint64) uint64 {
	hi, lo := bits.Mul64(1<<level-1, points)
	if hi != 0 {
		return ^uint64(0)
	}
	return lo
}
