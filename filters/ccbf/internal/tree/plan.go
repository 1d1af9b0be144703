package tree

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// lowRoot is the root level that lists of cells can have: where cells are far apart
// the gaps between them take less than trees. Lists with larger squares have maxRoot.
const lowRoot = 1

// plan counts how often what would be written, with each root level.
type plan struct {
	counts [countTables][symbols]uint32
	splits [maxRoot + 1][symbols]uint32 // of squares of each level
	bits   uint                         // that are written as they are
	huge   bool                         // the points of a block may not fit a number
	high   rootPlan
	low    *rootPlan // nil where lowRoot cannot be
}

// rootPlan is what is counted with one root level.
type rootPlan struct {
	root  uint8
	kinds [symbols]uint32
	gaps  [MaxLevel + 1][65]uint32 // bit lengths of the gaps of each level
	steps [65]uint32               // and of those between stretches
	bytes uint                     // of the index, but for the points of blocks
	// blocks, and stretches in all of them
	blocks, stretches uint
	totals            uint // bytes of the points of blocks
	now               place
}

// place is where a plan is in a sheet.
type place struct {
	after                  uint64 // the tree before
	blockFirst, blockTotal uint64 // where the block begins, and points before it
	stretchFirst           uint64
	blockLeaf, stretchLeaf int // leaves before the block and the stretch
	blocks                 uint
}

// maxLengthBytes is what the length of a block takes: blocks are shorter than
// 2^14 bytes, as a leaf takes 27 with all that leads to it.
const maxLengthBytes = 2

// hugeCount is a number of points of which not all leaves of a block may have as
// many.
const hugeCount = 1 << 55

// sheet counts a sheet. A square that is split is counted when all is known that is
// in it, so that each leaf is looked at once for all root levels.
func (p *plan) sheet(s *Squares) {
	p.high.now = place{}
	if p.low != nil {
		p.low.now = place{}
	}
	var open [maxRoot + 2]struct { // squares with the last leaf in them, by level
		symbol, leaf int    // what is known of its quarters; its first leaf
		total        uint64 // points before it
	}
	total := uint64(0) // which wraps: a block's points are a difference
	for i, key := range s.Keys {
		level, n := s.Level(i), s.Counts[i]
		what := one
		if n > 1 {
			what = more
			symbol, extra := countSymbol(n)
			p.counts[min(level, countTables-1)][symbol]++
			p.bits += extra
			p.huge = p.huge || n >= hugeCount
		}
		if level >= maxRoot {
			p.high.tree(key, level, rootSymbol(level, maxRoot, what), i, total)
		} else {
			reach := uint8(maxRoot + 1)
			if i+1 < len(s.Keys) {
				reach = min(reach, common(key, s.Keys[i+1]))
			}
			o := &open[level+1]
			if o.symbol == 0 {
				o.leaf, o.total = i, total
			}
			o.symbol |= what << (2 * (key >> (2 * level) & 3))
			for l := level + 1; l < reach; l++ {
				o = &open[l]
				p.splits[l][o.symbol]++
				if l == lowRoot && p.low != nil {
					p.low.tree(key&^side2(l), l, rootSymbol(l, l, split), o.leaf, o.total)
				}
				if l == maxRoot {
					p.high.tree(key&^side2(l), l, rootSymbol(l, l, split), o.leaf, o.total)
				} else {
					u := &open[l+1]
					if u.symbol == 0 {
						u.leaf, u.total = o.leaf, o.total
					}
					u.symbol |= split << (2 * (key >> (2 * l) & 3))
				}
				o.symbol = 0
			}
		}
		total += n
	}
	p.high.endSheet(s.Len(), total)
	if p.low != nil {
		p.low.endSheet(s.Len(), total)
	}
}

// endSheet counts what is written before a sheet's trees.
func (q *rootPlan) endSheet(leaves int, total uint64) {
	if q.now.blocks > 0 {
		q.totals += uvarintBytes(total - q.now.blockTotal)
	}
	q.blocks += q.now.blocks
	q.bytes += uvarintBytes(uint64(leaves)) + uvarintBytes(uint64(q.now.blocks))
}

// tree counts what is written of a tree before its root: its first leaf is leaf, and
// so many points are before it.
func (q *rootPlan) tree(key uint64, level uint8, symbol, leaf int, total uint64) {
	q.kinds[symbol]++
	now := &q.now
	switch {
	case now.blocks == 0 || leaf-now.blockLeaf >= blockLeaves:
		if now.blocks > 0 {
			q.totals += uvarintBytes(total - now.blockTotal)
		}
		q.bytes += uvarintBytes((key-now.blockFirst)>>(2*q.root)) + maxLengthBytes
		now.blocks++
		now.blockFirst, now.blockLeaf, now.blockTotal = key, leaf, total
		q.stretches++
		now.stretchFirst, now.stretchLeaf = key, leaf
	case leaf-now.stretchLeaf >= stretchLeaves:
		q.stretches++
		q.steps[bits.Len64((key-now.stretchFirst)>>(2*q.root)-1)]++
		now.stretchFirst, now.stretchLeaf = key, leaf
	default:
		q.gaps[level][bits.Len64((key-now.after)>>(2*level))]++
	}
	now.after = key + side2(level) + 1
}

// uvarintBytes is how many bytes a number takes.
func uvarintBytes(v uint64) uint { return uint(bits.Len64(v|1)+6) / 7 }

// codeFor is the code that is best for a plan.
func (p *plan) codeFor(k *costs) *Code {
	counts := p.bits
	for level := range p.counts {
		counts += k.table(countTable+level, &p.counts[level], level > 0)
	}
	best := p.with(k, &p.high, counts)
	if p.low != nil {
		if c := p.with(k, p.low, counts); c.size < best.size {
			best = c
		}
	}
	return best
}

// with is the code with a root level, where the counts of leaves take so many bits.
func (p *plan) with(k *costs, q *rootPlan, counts uint) *Code {
	k.root = q.root
	trees := counts + k.table(rootTable, &q.kinds, false)
	for level := uint8(1); level <= splitTables; level++ {
		var freq [symbols]uint32
		for l := level; l <= q.root && (l == level || level == splitTables); l++ { // the last is for all above
			for s, n := range p.splits[l] {
				freq[s] += n
			}
		}
		trees += k.table(splitTableOf(level), &freq, level > 1)
	}
	head := uint(headBits)
	k.steps = uint8(bitio.BestOrder(&q.steps))
	for length, n := range q.steps {
		head += uint(n) * bitio.ClassBits(uint(length), uint(k.steps))
	}
	for level := q.root; level <= MaxLevel; level++ {
		k.orders[level] = 0
		if q.kinds[0] > 0 && level == q.root || q.kinds[rootSymbol(level, q.root, one)]+q.kinds[rootSymbol(level, q.root, more)] > 0 {
			head += orderBits
			order := bitio.BestOrder(&q.gaps[level])
			k.orders[level] = uint8(order)
			for length, n := range q.gaps[level] {
				trees += uint(n) * bitio.ClassBits(uint(length), order)
			}
		}
	}
	head += stretchBits(q.stretches-q.blocks, trees) + (stretchesBits+restBits+7)*q.blocks
	k.size = q.bytes + q.totals + (trees+head+7)/8
	if p.huge {
		k.size += 10 * q.blocks
	}
	return k.code()
}

// stretchBits is the most that the lengths of stretches take that are no more than
// so many bits together: in the class code of order k a number v takes no more than
// k + 1 + 3v/2^(k+1) bits.
func stretchBits(stretches, all uint) uint {
	return stretches*(stretchOrder+1) + all>>(stretchOrder+1)*3 + 3
}
