package tree

import (
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

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
