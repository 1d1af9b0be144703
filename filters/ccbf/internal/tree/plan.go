package tree

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// plan counts how often what would be written with a root level.
type plan struct {
	root  uint8
	freq  [tables][symbols]uint32
	gaps  [MaxLevel + 1][65]uint32 // bit lengths of the gaps of each level
	bits  uint                     // that are written as they are
	bytes uint                     // of the heads of sheets and the index, at most
	index entry
}

// entry is what the index has of a block.
type entry struct {
	first uint64 // key of its first tree
	total uint64 // points
	trees uint64
	end   int // of the block, in the data
}

// maxLengthBytes is what the length of a block takes: blocks are shorter than
// 2^14 bytes, as a leaf takes 27 with all that leads to it.
const maxLengthBytes = 2

func (p *plan) gap(level uint8, gap uint64)  { p.gaps[level][bits.Len64(gap)]++ }
func (p *plan) symbol(table int, symbol int) { p.freq[table][symbol]++ }
func (p *plan) extra(_ uint64, n uint)       { p.bits += n }
func (p *plan) leaf(n uint64)                { p.index.total = saturate.Add(p.index.total, n) }
func (p *plan) tree()                        { p.index.trees++ }

func (p *plan) block(first uint64) {
	p.endBlock()
	p.bytes += uvarintBytes((first-p.index.first)>>(2*p.root)) + maxLengthBytes + 1 // and the last byte's rest
	p.index = entry{first: first}
}

func (p *plan) endBlock() {
	if p.index.trees > 0 {
		p.bytes += uvarintBytes(p.index.total) + uvarintBytes(p.index.trees)
	}
	p.index.trees, p.index.total = 0, 0
}

// sheet counts a sheet.
func (p *plan) sheet(s *Squares) {
	write(s, p.root, p)
	p.endBlock()
	p.index.first = 0
	p.bytes += 2 * uvarintBytes(uint64(s.Len())) // leaves and blocks
}

// uvarintBytes is how many bytes a number takes.
func uvarintBytes(v uint64) uint { return uint(bits.Len64(v|1)+6) / 7 }

// Code is how the sheets of one tree are written.
type Code struct {
	root    uint8
	same    [tables]bool // as the table before
	used    [tables][]uint16
	lengths [tables][symbols]uint8
	orders  [MaxLevel + 1]uint8
	size    uint // bytes of all sheets and of the code itself, at most
}

// Size is how many bytes the code and the sheets take, at most: a byte or two a
// block less.
func (c *Code) Size() uint64 { return uint64(c.size) }

// codeFor is the code that is best for a plan.
func (p *plan) codeFor() *Code {
	c := &Code{root: p.root}
	cost := p.bits + headBits
	last := 0
	for t := range tables {
		alone := tableCost(&p.freq[t], c.lengths[t][:])
		if t > splitTable && t != countTable { // tables of one kind, for which one may do
			both := p.freq[last]
			for s, n := range p.freq[t] {
				both[s] += n
			}
			var lengths [symbols]uint8
			if together := tableCost(&both, lengths[:]); together <= alone+tableCost(&p.freq[last], c.lengths[last][:]) {
				cost -= tableCost(&p.freq[last], c.lengths[last][:])
				cost += together
				p.freq[last], c.lengths[last], c.same[t] = both, lengths, true
				continue
			}
		}
		cost += alone
		last = t
	}
	for t := range tables {
		if c.same[t] {
			c.used[t], c.lengths[t] = c.used[t-1], c.lengths[t-1]
			continue
		}
		for s, n := range p.freq[t] {
			if n > 0 {
				c.used[t] = append(c.used[t], uint16(s))
			}
		}
	}
	for level := range p.gaps {
		order := bitio.BestOrder(&p.gaps[level])
		c.orders[level] = uint8(order)
		for length, n := range p.gaps[level] {
			cost += uint(n) * bitio.ClassBits(uint(length), order)
		}
	}
	for level := c.root; level <= MaxLevel; level++ {
		if c.hasRoots(level) {
			cost += orderBits
		}
	}
	c.size = p.bytes + (cost+7)/8
	return c
}

// hasRoots reports whether there are trees of a level.
func (c *Code) hasRoots(level uint8) bool {
	for _, s := range c.used[rootTable] {
		if s == 0 && level == c.root || s > 0 && uint8(s-1)/2+c.root == level {
			return true
		}
	}
	return false
}

// The widths of the fields of a code.
const (
	rootBits   = 3
	orderBits  = 6
	lengthBits = 4
	usedOrder  = 3 // of the class code of the number of symbols
	nextOrder  = 0 // of the class code of the gaps between symbols
	headBits   = rootBits + 8 + 16
)

// tableCost is the bits of all symbols of a table and of the table itself, whose
// lengths it sets.
func tableCost(freq *[symbols]uint32, lengths []uint8) (cost uint) {
	lengthsOf(lengths, freq[:])
	used, next := uint(0), 0
	for s, n := range freq {
		if n == 0 {
			continue
		}
		cost += uint(n)*uint(lengths[s]) + lengthBits + bitio.ClassBits(uint(bits.Len(uint(s-next))), nextOrder)
		next = s + 1
		used++
	}
	return 1 + cost + bitio.ClassBits(uint(bits.Len(used)), usedOrder)
}

// codeWith is the best code with a root level.
func codeWith(parts [][]Squares, root uint8) *Code {
	p := &plan{root: root}
	for _, sheets := range parts {
		for i := range sheets {
			p.sheet(&sheets[i])
		}
	}
	return p.codeFor()
}

// CodeFor is the best code for the sheets of all parts.
func CodeFor(parts [][]Squares) *Code {
	best := codeWith(parts, 0)
	for root := uint8(1); root <= maxRoot; root++ {
		if c := codeWith(parts, root); c.size < best.size {
			best = c
		}
	}
	return best
}
