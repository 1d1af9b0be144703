package tree

import (
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// A sheet is written as subtrees, here called trees. A square of the root level that holds leaves is a tree, and a larger leaf
// is one by itself. Trees stand in Z-order, each with the gap to the tree before, except for the first of
// a stretch. A tree is written from the root down. A split square has one symbol for the kinds of its four
// quarters, and the quarters follow in order. So if leaves are close together, a place takes less than a
// bit for each level. If they are far apart, it takes as much as a gap.

// Kinds of a quarter, two bits each of the symbol of a split square.
const (
	absent = iota // no points
	one           // a leaf with one point
	more          // a leaf with more
	split
)

// maxRoot is the highest root level. All lists have it but some of cells.
const maxRoot = 4

// maxTree is the most leaves of a tree.
const maxTree = 1 << (2 * maxRoot)

// The tables of a code. One is for the kinds of roots, three are for split squares of level 1, 2 and
// above. Six are for the counts of leaves of levels 0 to 4 and above.
const (
	rootTable   = 0
	splitTable  = 1
	splitTables = 3
	countTable  = splitTable + splitTables
	countTables = 6
	tables      = countTable + countTables
)

// symbols is the most symbols of a table.
const symbols = 256

// rootSymbol returns the symbol with which a tree begins: for a split square of level root, or for a leaf
// of level. what is its kind.
func rootSymbol(level, root uint8, what int) int {
	if what == split {
		return 0
	}
	return 2*int(level-root) + what
}

// rootLevel returns the level of the square with which a tree with this symbol begins.
func rootLevel(symbol uint, root uint8) uint8 {
	if symbol == 0 {
		return root
	}
	return root + uint8((symbol-1)/2&63)
}

// splitTableOf returns the table for split squares of a level, and countTableOf the table for counts of
// leaves of a level.
func splitTableOf(level uint8) int { return splitTable + int(min(level, splitTables)) - 1 }
func countTableOf(level uint8) int { return countTable + int(min(level, countTables-1)) }

// A count n of 2 or more is written by n - 2. Below direct that is its symbol. Otherwise the symbol is its
// length in bits, and all bits but the first follow.
const direct = 8

// extraBits returns how many bits follow the symbol of a count that is at least direct.
func extraBits(symbol int) uint { return uint(symbol - direct + 3) }

// A packet ends with the tree that gives it packetLeaves leaves or more, and a stretch of it with the tree
// that gives it stretchLeaves. A lookup decodes one packet.
const (
	packetLeaves  = 256
	stretchLeaves = 128
)

// maxPacket is more than the leaves of a packet.
const maxPacket = packetLeaves + maxTree

// Code is the prefix code in which all sheets of a tree are written.
type Code struct {
	// root is the level of the squares with which trees of symbols begin.
	root    uint8
	steps   uint8 // order of the class code of steps between stretches
	orders  [cells.MaxLevel + 1]uint8
	same    [tables]bool     // by table: whether the table before serves its symbols too.
	used    [tables][]uint16 // by table: its symbols, ascending.
	lengths [tables][symbols]uint8
	// size is the most bytes of all sheets and of the code itself. The true size is a few bytes per packet less.
	size uint64
}

// tablesSize returns the most bytes of the code itself.
func (c *Code) tablesSize() uint64 {
	n := uint(headBits + orderBits*(cells.MaxLevel+1))
	for t := range tables {
		n++
		if !c.same[t] {
			n += tableBits(c.used[t])
		}
	}
	return uint64(n / 8)
}

// tableBits returns how many bits a table with these symbols takes.
func tableBits(used []uint16) uint {
	n, next := bitio.ClassBits(uint(bits.Len(uint(len(used)))), usedOrder), uint16(0)
	for _, s := range used {
		n += lengthBits + bitio.ClassBits(uint(bits.Len16(s-next)), nextOrder)
		next = s + 1
	}
	return n
}

// hasRoots reports whether some tree begins with a square of this level. roots are the symbols of roots.
func hasRoots(roots []uint16, root, level uint8) bool {
	return slices.ContainsFunc(roots, func(s uint16) bool { return rootLevel(uint(s), root) == level })
}

// The widths of the fields of a code, and of the heads of packets.
const (
	rootBits      = 3 // bits of the root level
	orderBits     = 6
	lengthBits    = 4
	usedOrder     = 3 // order of the class code of the number of symbols
	nextOrder     = 0 // order of the class code of the gaps between symbols.
	headBits      = rootBits + orderBits + 8 + 16
	stretchesBits = 1  // bits of the number of stretches, less one.
	restBits      = 3  // bits of the number of unused bits of the last byte
	stretchOrder  = 10 // order of the class code of the length of the first of two stretches
)

// mayBeSame reports whether table t may be the table before: both are for split squares, or both for counts.
func mayBeSame(t int) bool { return t > splitTable && t != countTable }

// tableCost returns how many bits all symbols of a table and the table itself take, and which symbols occur. It sets
// lengths to the lengths of the code words.
func tableCost(freq *[symbols]uint32, lengths *[symbols]uint8) (cost uint, used []uint16) {
	used = make([]uint16, 0, symbols)
	for s, n := range freq {
		if n > 0 {
			used = append(used, uint16(s))
		}
	}
	lengthsOf(lengths, freq, used)
	cost = 1 + tableBits(used)
	for _, s := range used {
		cost += uint(freq[s]) * uint(lengths[s])
	}
	return cost, used
}

// maxLength is the most bits of a code word: a table of all words fits the first-level cache.
const maxLength = 11

// lengthsOf sets dst to the lengths of a Huffman code for used symbols of these frequencies (Huffman 1952), at
// most maxLength. The length is 0 for other symbols, and for a single one.
func lengthsOf(dst *[symbols]uint8, freq *[symbols]uint32, used []uint16) {
	*dst = [symbols]uint8{}
	n := len(used)
	if n < 2 {
		return
	}
	// Sort the symbols by frequency, and equal frequencies by symbol. A frequency takes 32 bits, a symbol
	// 8.
	var sorted [symbols]uint64
	for i, s := range used {
		sorted[i] = uint64(freq[s])<<8 | uint64(s)
	}
	slices.Sort(sorted[:n])
	// The weights of the symbols come first, then those of the pairs made of them. Both ascend.
	var weights [2 * symbols]uint64
	var parents [2 * symbols]uint16
	var depths [2 * symbols]uint8
	// Each round makes the weights more equal, until no length exceeds maxLength.
	for shift := uint(0); ; shift++ {
		for k, s := range sorted[:n] {
			weights[k] = s>>8>>shift + 1
		}
		i, j, end := 0, n, n
		least := func() int {
			if i < n && (j == end || weights[i] <= weights[j]) {
				i++
				return i - 1
			}
			j++
			return j - 1
		}
		for end < 2*n-1 {
			a := least()
			b := least()
			weights[end] = weights[a] + weights[b]
			parents[a], parents[b] = uint16(end), uint16(end)
			end++
		}
		longest := uint8(0)
		depths[end-1] = 0
		for k := end - 2; k >= 0; k-- {
			depths[k] = depths[parents[k]] + 1
			longest = max(longest, depths[k])
		}
		if longest <= maxLength {
			for k, s := range sorted[:n] {
				dst[s&(symbols-1)] = depths[k]
			}
			return
		}
	}
}

// wordsOf sets dst to the words of the canonical code with these lengths, least significant bit first.
func wordsOf(dst []uint16, lengths []uint8) {
	var count, next [maxLength + 2]uint16
	for _, n := range lengths {
		count[n]++
	}
	count[0] = 0
	for n := 1; n <= maxLength; n++ {
		next[n+1] = (next[n] + count[n]) << 1
	}
	for s, n := range lengths {
		if n > 0 {
			dst[s] = bits.Reverse16(next[n]) >> (16 - n)
			next[n]++
		}
	}
}

// table finds the next symbol from the next bits of the input.
type table struct {
	mask  uint64
	words []uint16 // symbol << 4 | length, indexed by the next bits
}

// noSymbol is the symbol that a table without symbols reads. No code has it.
const noSymbol = 1<<12 - 1

// newTable makes the table of a canonical code; false if the lengths are not those of a complete code. A
// single symbol takes no bits.
func newTable(lengths []uint8, used []uint16) (table, bool) {
	switch len(used) {
	case 0:
		return table{words: []uint16{noSymbol << 4}}, true
	case 1:
		return table{words: []uint16{used[0] << 4}}, true
	}
	longest, room := uint8(0), uint(1)<<maxLength
	for _, s := range used {
		n := lengths[s]
		if n == 0 || n > maxLength || room < 1<<(maxLength-n) {
			return table{}, false
		}
		room -= 1 << (maxLength - n)
		longest = max(longest, n)
	}
	if room != 0 {
		return table{}, false
	}
	var words [symbols]uint16
	wordsOf(words[:len(lengths)], lengths)
	d := table{mask: 1<<longest - 1, words: make([]uint16, 1<<longest)}
	for _, s := range used {
		n := lengths[s]
		for w := words[s]; w < 1<<longest; w += 1 << n {
			d.words[w] = s<<4 | uint16(n)
		}
	}
	return d, true
}

// Tables is a Code with tables for reading.
type Tables struct {
	root   uint8
	steps  uint8
	lookup [tables]table
	orders [cells.MaxLevel + 1]uint8
}

// ReadCode reads a code that AppendCode wrote. Errors wrap sketch.ErrInvalid.
func ReadCode(r *sketch.Reader) (t Tables, err error) {
	b := r.Bytes(r.Uvarint())
	if err := r.Err(); err != nil {
		return t, err
	}
	in := bitio.NewReader(b)
	t.root, t.steps = uint8(in.Read(rootBits)), uint8(in.Read(orderBits))
	if t.root != lowRoot && t.root != maxRoot || t.steps > bitio.MaxOrder {
		return t, sketch.Invalidf("a tree of root level %d, steps of order %d", t.root, t.steps)
	}
	var roots []uint16
	for i := range tables {
		if mayBeSame(i) && in.Read(1) == 1 {
			t.lookup[i] = t.lookup[i-1]
			continue
		}
		used, err := t.readTable(&in, i)
		if err != nil {
			return t, err
		}
		if i == rootTable {
			roots = used
		}
	}
	for level := t.root; level <= cells.MaxLevel; level++ {
		if hasRoots(roots, t.root, level) {
			t.orders[level] = uint8(in.Read(orderBits))
			if t.orders[level] > bitio.MaxOrder {
				return t, sketch.Invalidf("gaps of order %d", t.orders[level])
			}
		}
	}
	if in.Overrun() {
		return t, sketch.Invalidf("a code of %d bytes that needs more", len(b))
	}
	return t, nil
}

// readTable reads table i, and returns its symbols.
func (t *Tables) readTable(in *bitio.Reader, i int) ([]uint16, error) {
	n := in.ReadClass(usedOrder)
	if n > symbols {
		return nil, sketch.Invalidf("a table of %d symbols", n)
	}
	used := make([]uint16, 0, n)
	var lengths [symbols]uint8
	next := uint64(0)
	for range n {
		s := in.ReadClass(nextOrder)
		if s >= symbols || next+s >= symbols {
			return nil, sketch.Invalidf("a table with a symbol beyond the last")
		}
		s += next
		used = append(used, uint16(s))
		next = s + 1
		if n > 1 {
			lengths[s] = uint8(in.Read(lengthBits))
		}
	}
	var ok bool
	if t.lookup[i], ok = newTable(lengths[:], used); !ok {
		return nil, sketch.Invalidf("a table whose words do not add up")
	}
	return used, nil
}
