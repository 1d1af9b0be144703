package tree

import (
	"math/bits"
	"slices"

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
	huge   bool                         // the points of a packet may not fit a number
	// high and low are with maxRoot and with lowRoot, which only cells can have.
	high, low rootStats
	onlyCells bool
}

// rootStats is what is counted with one root level.
type rootStats struct {
	root  uint8
	kinds [symbols]uint32
	gaps  [MaxLevel + 1][65]uint32 // bit lengths of the gaps of each level
	steps [65]uint32               // and of those between stretches
	bytes uint                     // of the index, but for the points of packets
	// packets, and stretches in all of them
	packets, stretches uint
	totals             uint // bytes of the points of packets

	begun bool   // there was a tree of the sheet
	after uint64 // the key behind the last one
}

// maxLengthBytes is what the length of a packet takes: packets are shorter than
// 2^14 bytes, as a leaf takes 27 with all that leads to it.
const maxLengthBytes = 2

// hugeCount is a number of points of which not all leaves of a packet may have as
// many.
const hugeCount = 1 << 55

// sheet counts a sheet. A square that is split is counted when all is known
// that is in it, so that each leaf is looked at once for all root levels.
func (p *plan) sheet(s *Squares) {
	p.high.begun, p.low.begun = false, false
	levels, counts := s.Levels, s.Counts[:len(s.Keys)]
	if levels == nil {
		levels = make([]uint8, len(s.Keys))
	}
	p.onlyCells = p.onlyCells && !slices.ContainsFunc(levels, func(level uint8) bool { return level > 0 })
	levels = levels[:len(s.Keys)]
	var open [8]int // what is known of the quarters of the squares with the last leaf, by level
	for i, key := range s.Keys {
		level, n, differ := levels[i], counts[i], ^uint64(0) // bits of the next key
		if i+1 < len(s.Keys) {
			differ = key ^ s.Keys[i+1]
		}
		what := kind(n)
		symbol := uint8(n - 2) // a point alone counts where no symbol is
		if n >= direct+2 {
			long, extra := countSymbol(n)
			symbol = uint8(long)
			p.bits += extra
			p.huge = p.huge || n >= hugeCount
		}
		p.counts[min(level, countTables-1)][symbol]++
		if level >= maxRoot {
			p.high.tree(key, level, rootSymbol(level, maxRoot, what))
			continue
		}
		for level++; ; level++ {
			all := open[level&7] | what<<(2*(key>>(2*(level-1)&63)&3))
			if differ>>(2*level&63) == 0 { // the next one is in this square too
				open[level&7] = all
				break
			}
			open[level&7] = 0
			p.splits[level][all]++
			if level == lowRoot && p.onlyCells {
				p.low.tree(key&^side2(level), level, rootSymbol(level, lowRoot, split))
			}
			if level == maxRoot {
				p.high.tree(key&^side2(level), level, rootSymbol(level, maxRoot, split))
				break
			}
			what = split
		}
	}
	p.high.index(s)
	if p.onlyCells {
		p.low.index(s)
	}
}

// tree counts what is written of a tree before its root, as if one packet had all of them.
func (q *rootStats) tree(key uint64, level uint8, symbol int) {
	q.kinds[symbol]++
	if q.begun {
		q.gaps[level][gapLength(q.after, key, level)]++
	}
	q.begun = true
	q.after = key + side2(level) + 1
}

// gapLength is the bit length of the gap before a tree.
func gapLength(after, key uint64, level uint8) int { return bits.Len64((key - after) >> (2 * level)) }

// index counts what is written of a sheet before its trees, and takes off what is not, as the
// first of a packet or a stretch has no gap.
func (q *rootStats) index(s *Squares) {
	packets, before := uint(0), uint64(0)
	for from, to := 0, 0; from < s.Len(); from = to {
		first := q.begins(s, from)
		q.bytes += uvarintBytes((first-before)>>(2*q.root)) + maxLengthBytes
		before = first
		packets++
		q.stretches++
		to = nextTree(s, q.root, from+packetLeaves)
		if stretch := nextTree(s, q.root, from+stretchLeaves); stretch < to {
			q.stretches++
			q.steps[bits.Len64((q.begins(s, stretch)-first)>>(2*q.root)-1)]++
		}
		total := uint64(0) // which wraps
		for _, n := range s.Counts[from:to] {
			total += n
		}
		q.totals += uvarintBytes(total)
	}
	q.packets += packets
	q.bytes += uvarintBytes(uint64(s.Len())) + uvarintBytes(uint64(packets))
}

// begins is the key of the tree that a leaf is the first of. Its gap is not written.
func (q *rootStats) begins(s *Squares, leaf int) uint64 {
	level := max(s.Level(leaf), q.root)
	key := s.Keys[leaf] &^ side2(level)
	if leaf > 0 {
		last := max(s.Level(leaf-1), q.root)
		q.gaps[level][gapLength((s.Keys[leaf-1]|side2(last))+1, key, level)]--
	}
	return key
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
func (p *plan) with(k *costs, q *rootStats, counts uint) *Code {
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
	head += stretchBits(q.stretches-q.packets, trees) + (stretchesBits+restBits+7)*q.packets
	k.size = q.bytes + q.totals + (trees+head+7)/8
	if p.huge {
		k.size += 10 * q.packets
	}
	return k.code()
}

// stretchBits is the most that the lengths of stretches take that are no more than
// so many bits together: in the class code of order k a number v takes no more than
// k + 1 + 3v/2^(k+1) bits.
func stretchBits(stretches, all uint) uint {
	return stretches*(stretchOrder+1) + all>>(stretchOrder+1)*3 + 3
}
