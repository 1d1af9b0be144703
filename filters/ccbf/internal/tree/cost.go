package tree

import (
	"math/bits"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// Code is how the sheets of one tree are written.
type Code struct {
	root    uint8
	same    [tables]bool // as the table before
	used    [tables][]uint16
	lengths [tables][symbols]uint8
	orders  [MaxLevel + 1]uint8
	steps   uint8 // order of the steps between stretches
	size    uint  // bytes of all sheets and of the code itself, at most
}

// Size is how many bytes the code and the sheets take, at most: a few bytes a packet
// less.
func (c *Code) Size() uint64 { return uint64(c.size) }

// tablesSize is the bytes of the code itself, at most.
func (c *Code) tablesSize() uint64 {
	n := uint(headBits + orderBits*(MaxLevel+1))
	for t := range tables {
		n++
		if c.same[t] {
			continue
		}
		n += bitio.ClassBits(uint(bits.Len(uint(len(c.used[t])))), usedOrder)
		next := uint16(0)
		for _, s := range c.used[t] {
			n += lengthBits + bitio.ClassBits(uint(bits.Len16(s-next)), nextOrder)
			next = s + 1
		}
	}
	return uint64(n / 8)
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

// The widths of the fields of a code, and of the heads of packets.
const (
	rootBits      = 3 // of the root level
	orderBits     = 6
	lengthBits    = 4
	usedOrder     = 3 // of the class code of the number of symbols
	nextOrder     = 0 // of the class code of the gaps between symbols
	headBits      = rootBits + orderBits + 8 + 16
	stretchesBits = 1  // of the number of stretches, less one
	restBits      = 3  // of how many bits of the last byte are not used
	stretchOrder  = 10 // of the class code of the length of the first of two
)

// costs is a code on its way: the tables so far and what they take.
type costs struct {
	Code
	freq [tables][symbols]uint32
	cost [tables]uint
	last int // the table that one that is the same would be like
}

// table adds a table for symbols of these frequencies, which may be that before it
// where follows; it returns the bits that the symbols, and tables with them, take
// more.
func (k *costs) table(t int, freq *[symbols]uint32, follows bool) uint {
	alone := tableCost(freq, &k.lengths[t])
	k.same[t] = false
	if follows {
		both, lengths := k.freq[k.last], [symbols]uint8{}
		for s, n := range freq {
			both[s] += n
		}
		before := k.cost[k.last]
		if together := tableCost(&both, &lengths); together <= alone+before {
			k.freq[k.last], k.lengths[k.last], k.cost[k.last] = both, lengths, together
			k.same[t] = true
			return together - before // below 0 it wraps, and back in the sum
		}
	}
	k.freq[t], k.cost[t], k.last = *freq, alone, t
	return alone
}

// code is the code of all tables.
func (k *costs) code() *Code {
	c := k.Code
	for t := range tables {
		if c.same[t] {
			c.used[t], c.lengths[t] = c.used[t-1], c.lengths[t-1]
			continue
		}
		c.used[t] = nil
		for s, n := range k.freq[t] {
			if n > 0 {
				c.used[t] = append(c.used[t], uint16(s))
			}
		}
	}
	return &c
}

// tableCost is the bits of all symbols of a table and of the table itself, whose
// lengths it sets.
func tableCost(freq *[symbols]uint32, lengths *[symbols]uint8) (cost uint) {
	lengthsOf(lengths, freq)
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

// planner is the memory that a code is found in, lent to one tree after the other.
type planner struct {
	plan  plan
	costs costs
	prune pruner
}

var planners = sync.Pool{New: func() any { return new(planner) }}

// lentPlanner has begun a plan.
func lentPlanner() *planner {
	m := planners.Get().(*planner)
	m.plan = plan{high: rootPlan{root: maxRoot}, low: rootPlan{root: lowRoot}, onlyCells: true}
	return m
}

// giveBack lets go of what was pruned.
func (m *planner) giveBack() {
	m.prune.items, m.prune.all = nil, nil
	planners.Put(m)
}

// CodeFor is the best code for the sheets of all parts. It follows from the squares.
func CodeFor(parts [][]Squares) *Code {
	m := lentPlanner()
	defer m.giveBack()
	for _, sheets := range parts {
		for i := range sheets {
			m.plan.sheet(&sheets[i])
		}
	}
	return m.plan.codeFor(&m.costs)
}
