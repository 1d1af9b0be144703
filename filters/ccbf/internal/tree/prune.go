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

// next makes up to len(dst.Keys) leaves and returns how many.
func (p *pruner) next(dst *batch) int {
	n := 0
	for n < len(dst.Keys) && p.at < p.n {
		end := p.n
		if i := len(p.nodes); i > 0 {
			v := &p.all[p.nodes[i-1]]
			if int(v.lo) == p.at {
				p.leaf(dst, n, p.at, int(v.hi), v.level, v.total, &p.limits[bit(p.at >= p.upTo)])
				p.nodes, p.at = p.nodes[:i-1], int(v.hi)
				n++
				continue
			}
			end = int(v.lo)
		}
		g := &p.limits[1]
		if p.at < p.upTo {
			g, end = &p.limits[0], min(end, p.upTo)
		}
		end = min(end, p.at+len(dst.Keys)-n)
		p.singles(dst, n, end, g)
		n, p.at = n+end-p.at, end
	}
	return n
}

// singles writes the items up to end-1 as a leaf each, as leaf does.
func (p *pruner) singles(dst *batch, n, end int, g *growth) {
	size := end - p.at
	keys, levels, counts := p.Keys[p.at:end], p.Levels[p.at:][:size], p.Counts[p.at:][:size]
	meets := p.meets[p.at:][:size+1]
	dstKeys, dstLevels, dstReaches := dst.Keys[n:][:size], dst.Levels[n:][:size], dst.reaches[n:][:size]
	copy(dst.Counts[n:], counts)
	meet := meets[0]
	for i, key := range keys {
		above := meets[i+1]
		dstReaches[i] = min(above, maxRoot+1)
		level := max(levels[i], min(meet-1, above-1, MaxLevel, g.level(counts[i])))
		dstKeys[i], dstLevels[i] = key&^side2(level), level
		meet = above
	}
}

// leaf writes the largest square that the weights allow as a leaf for items lo to hi-1,
// all that is in the square of a level.
func (p *pruner) leaf(dst *batch, i, lo, hi int, level uint8, total uint64, g *growth) {
	above := p.meets[hi]
	top := min(p.meets[lo], above, MaxLevel+1) - 1
	level = max(level, min(top, g.level(total)))
	dst.Keys[i] = p.Keys[lo] &^ side2(level)
	dst.Levels[i] = level
	dst.Counts[i] = total
	dst.reaches[i] = min(above, maxRoot+1)
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
