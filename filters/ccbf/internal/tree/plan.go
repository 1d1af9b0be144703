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
	// high and low are with maxRoot and with lowRoot, which only cells can have.
	high, low rootPlan
	onlyCells bool

	at    int    // leaves of the sheet so far
	total uint64 // and their points, which wrap: a block's are a difference
	open  [8]int

	reaches, cells [leafBatch]uint8 // of leaves whose levels, and those of what holds them, are not given
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
	leaf                   int    // leaves before the next tree
	total                  uint64 // and points
}

// maxLengthBytes is what the length of a block takes: blocks are shorter than
// 2^14 bytes, as a leaf takes 27 with all that leads to it.
const maxLengthBytes = 2

// hugeCount is a number of points of which not all leaves of a block may have as
// many.
const hugeCount = 1 << 55

// leafBatch is how many leaves are made before they are looked at, so that they are in
// the first-level cache.
const leafBatch = 256

// sheet counts a sheet.
func (p *plan) sheet(s *Squares) {
	p.begin()
	for from := 0; from < s.Len(); from += leafBatch {
		to := min(from+leafBatch, s.Len())
		b := batch{Squares{s.Keys[from:to], p.cells[:to-from], s.Counts[from:to]}, p.reaches[:to-from]}
		if s.Levels != nil {
			b.Levels = s.Levels[from:to]
		}
		for i := range b.reaches {
			b.reaches[i] = maxRoot + 1
			if from+i+1 < s.Len() {
				b.reaches[i] = min(maxRoot+1, common(s.Keys[from+i], s.Keys[from+i+1]))
			}
		}
		p.leaves(&b)
	}
	p.end()
}

// pruned counts the sheet that a pruner makes, and returns it, in the memory of dst.
func (p *plan) pruned(from *pruner, dst *batch) Squares {
	p.begin()
	at := 0
	for {
		b := dst.slice(at, min(at+leafBatch, len(dst.Keys)))
		n := from.next(&b)
		if n == 0 {
			break
		}
		b = b.slice(0, n)
		p.leaves(&b)
		at += n
	}
	p.end()
	return dst.slice(0, at).Squares
}

// begin begins a sheet.
func (p *plan) begin() {
	p.at, p.total, p.open = 0, 0, [8]int{}
	p.high.now = place{}
	p.low.now = place{}
}

// end ends a sheet.
func (p *plan) end() {
	p.high.endSheet(p.at, p.total)
	p.low.endSheet(p.at, p.total)
}

// leaves counts leaves that follow. A square that is split is counted when all is known
// that is in it, so that each leaf is looked at once for all root levels.
func (p *plan) leaves(s *batch) {
	if p.onlyCells {
		for _, level := range s.Levels {
			p.onlyCells = p.onlyCells && level == 0
		}
	}
	open := p.open // what is known of the quarters of the squares with the last leaf, by level
	levels, counts, reaches := s.Levels[:len(s.Keys)], s.Counts[:len(s.Keys)], s.reaches[:len(s.Keys)]
	for i, key := range s.Keys {
		level, n, reach := levels[i], counts[i], reaches[i]
		what := kind(n)
		symbol := uint8(n - 2) // a point alone counts where no symbol is
		if n >= direct+2 {
			long, extra := countSymbol(n)
			symbol = uint8(long)
			p.bits += extra
			p.huge = p.huge || n >= hugeCount
		}
		p.counts[min(level, countTables-1)][symbol]++
		p.at++
		if level >= maxRoot {
			p.high.tree(key, level, rootSymbol(level, maxRoot, what), p.at, p.total+n)
			p.total += n
			continue
		}
		p.total += n
		for level++; ; level++ {
			all := open[level&7] | what<<(2*(key>>(2*(level-1)&63)&3))
			if level >= reach {
				open[level&7] = all
				break
			}
			open[level&7] = 0
			p.splits[level][all]++
			if level == lowRoot && p.onlyCells {
				p.low.tree(key&^side2(level), level, rootSymbol(level, lowRoot, split), p.at, p.total)
			}
			if level == maxRoot {
				p.high.tree(key&^side2(level), level, rootSymbol(level, maxRoot, split), p.at, p.total)
				break
			}
			what = split
		}
	}
	p.open = open
}

// endSheet counts what is written before a sheet's trees.
func (q *rootPlan) endSheet(leaves int, total uint64) {
	if q.now.blocks > 0 {
		q.totals += uvarintBytes(total - q.now.blockTotal)
	}
	q.blocks += q.now.blocks
	q.bytes += uvarintBytes(uint64(leaves)) + uvarintBytes(uint64(q.now.blocks))
}

// tree counts what is written of a tree before its root: so many leaves of the sheet,
// and points, are before the next one.
func (q *rootPlan) tree(key uint64, level uint8, symbol, leavesAfter int, totalAfter uint64) {
	q.kinds[symbol]++
	now := &q.now
	leaf, total := now.leaf, now.total
	now.leaf, now.total = leavesAfter, totalAfter
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
		p.counts[level][symbols-1] = 0 // points alone
		counts += k.table(countTable+level, &p.counts[level], level > 0)
	}
	best := p.with(k, &p.high, counts)
	if p.onlyCells {
		if c := p.with(k, &p.low, counts); c.size < best.size {
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
