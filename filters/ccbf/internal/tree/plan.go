package tree

import (
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// lowRoot is the root level that only lists of cells can have. If cells are far apart, gaps take fewer
// bytes than trees. Lists with larger squares have maxRoot.
const lowRoot = 1

// plan counts the symbols and bits of sheets before they are written. It does so for each possible root
// level.
type plan struct {
	counts [countTables][symbols]uint32
	splits [maxRoot + 1][symbols]uint32 // symbols of split squares, by level
	bits   uint                         // number of bits that are written without a prefix code.
	huge   bool                         // whether the points of a packet may exceed a uint64.
	// high is for the root level maxRoot. low is for lowRoot, which is possible only if all squares are
	// cells.
	high, low rootStats
	onlyCells bool
}

// rootStats counts how many symbols and bytes the sheets take with one root level.
type rootStats struct {
	root  uint8
	kinds [symbols]uint32
	gaps  [cells.MaxLevel + 1][65]uint32 // number of gaps by level and bit length.
	steps [65]uint32                     // number of steps between stretches by bit length.
	bytes uint                           // bytes of the index, without those for the points of packets.

	packets, stretches uint // numbers of packets and of stretches.
	totals             uint // bytes of the index for the points of packets.

	begun bool   // whether a tree of the sheet was counted
	after uint64 // the key behind the last tree
}

// maxLengthBytes is the most bytes of the length of a packet. A leaf takes at most 27 bytes with the
// squares around it, so a packet takes less than 2^14.
const maxLengthBytes = 2

// hugeCount is a number of points. If all leaves of a packet had it, their sum would exceed a uint64.
const hugeCount = 1 << 55

// sheet counts the symbols of sheet s. It counts a split square after the last leaf inside. So it visits
// each leaf once for all root levels.
func (p *plan) sheet(s *cells.Squares) {
	p.high.begun, p.low.begun = false, false
	levels, counts := s.Levels, s.Counts[:len(s.Keys)]
	if levels == nil {
		levels = make([]uint8, len(s.Keys))
	}
	p.onlyCells = p.onlyCells && !slices.ContainsFunc(levels, func(level uint8) bool { return level > 0 })
	levels = levels[:len(s.Keys)]
	var open [8]int // by level: the kinds of the quarters of the square around the last leaf
	for i, key := range s.Keys {
		// differ has the bits in which the next key differs. The last leaf has no next key, so all bits
		// are set.
		level, n, differ := levels[i], counts[i], ^uint64(0)
		if i+1 < len(s.Keys) {
			differ = key ^ s.Keys[i+1]
		}
		what := kind(n)
		// A single point has no symbol, so n-2 wraps. codeFor removes these counts.
		symbol := uint8(n - 2)
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
			// The next leaf is in this square too.
			if differ>>(2*level&63) == 0 {
				open[level&7] = all
				break
			}
			open[level&7] = 0
			p.splits[level][all]++
			if level == lowRoot && p.onlyCells {
				p.low.tree(key&^cells.LowBits(level), level, rootSymbol(level, lowRoot, split))
			}
			if level == maxRoot {
				p.high.tree(key&^cells.LowBits(level), level, rootSymbol(level, maxRoot, split))
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

// tree counts the gap and the symbol of a root, as if all trees were in one packet.
func (q *rootStats) tree(key uint64, level uint8, symbol int) {
	q.kinds[symbol]++
	if q.begun {
		q.gaps[level][gapLength(q.after, key, level)]++
	}
	q.begun = true
	q.after = key + cells.LowBits(level) + 1
}

// gapLength returns the bit length of the gap before a tree.
func gapLength(after, key uint64, level uint8) int { return bits.Len64((key - after) >> (2 * level)) }

// index counts the bytes of a sheet before its trees. It takes back the gaps of the first trees of packets
// and stretches, which are not written.
func (q *rootStats) index(s *cells.Squares) {
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
		total := uint64(0) // modulo 2^64
		for _, n := range s.Counts[from:to] {
			total += n
		}
		q.totals += uvarintBytes(total)
	}
	q.packets += packets
	q.bytes += uvarintBytes(uint64(s.Len())) + uvarintBytes(uint64(packets))
}

// begins returns the key of the tree that begins with a leaf. Because this tree begins a packet or a
// stretch, its gap is not written, and is taken back.
func (q *rootStats) begins(s *cells.Squares, leaf int) uint64 {
	level := max(s.Level(leaf), q.root)
	key := s.Keys[leaf] &^ cells.LowBits(level)
	if leaf > 0 {
		last := max(s.Level(leaf-1), q.root)
		q.gaps[level][gapLength((s.Keys[leaf-1]|cells.LowBits(last))+1, key, level)]--
	}
	return key
}

// uvarintBytes returns the bytes of a number.
func uvarintBytes(v uint64) uint { return uint(bits.Len64(v|1)+6) / 7 }

// codeFor returns the best code for a plan.
func (p *plan) codeFor(k *costs) *Code {
	counts := p.bits
	for level := range p.counts {
		// Single points have no symbol.
		p.counts[level][symbols-1] = 0
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

// with returns the best code for the root level of q. counts is how many bits the counts of leaves take.
func (p *plan) with(k *costs, q *rootStats, counts uint) *Code {
	k.root = q.root
	trees := counts + k.table(rootTable, &q.kinds, false)
	for level := uint8(1); level <= splitTables; level++ {
		var freq [symbols]uint32
		// The last split table is shared by all levels from splitTables up.
		for l := level; l <= q.root && (l == level || level == splitTables); l++ {
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
	for level := q.root; level <= cells.MaxLevel; level++ {
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

// stretchBits returns an upper bound of the bits for the lengths of this many stretches, which add up to
// at most all bits. In the class code of order k, a number v takes at most k + 1 + 3v/2^(k+1) bits.
func stretchBits(stretches, all uint) uint {
	return stretches*(stretchOrder+1) + all>>(stretchOrder+1)*3 + 3
}
