package tree

import (
	"encoding/binary"
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
	bytes uint                           // bytes of the index.

	packets, stretches uint // numbers of packets and of stretches.

	after uint64 // the key behind the last tree of the sheet
}

// maxLengthBytes is the most bytes of the length of a packet. A leaf takes at most 27 bytes with the
// squares around it, so a packet takes less than 2^14.
const maxLengthBytes = 2

// hugeCount is a number of points. If all leaves of a packet had it, their sum would exceed a uint64.
const hugeCount = 1 << 55

// sheet counts the symbols of sheet s. It counts a split square after the last leaf inside. So it visits
// each leaf once for all root levels.
func (p *plan) sheet(s *cells.Squares) {
	p.high.after, p.low.after = 0, 0
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
		// A single point has no symbol, so n-2 wraps. CodeFor removes these counts.
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

// treeAt returns the key and the level of the tree that begins with a leaf.
func treeAt(s *cells.Squares, root uint8, leaf int) (key uint64, level uint8) {
	level = max(s.Level(leaf), root)
	return s.Keys[leaf] &^ cells.LowBits(level), level
}

// nextTree returns the index of the first leaf that begins a tree, searching from index leaf on.
func nextTree(s *cells.Squares, root uint8, leaf int) int {
	for ; leaf < s.Len() && (s.Keys[leaf]^s.Keys[leaf-1])&^cells.LowBits(root) == 0; leaf++ {
	}
	return min(leaf, s.Len())
}

// eachPacket calls f for each packet of a sheet, which has the leaves [from, to). Its second stretch begins at index
// second, which is to if there is none.
func eachPacket(s *cells.Squares, root uint8, f func(from, second, to int)) {
	for from, to := 0, 0; from < s.Len(); from = to {
		to = nextTree(s, root, from+packetLeaves)
		f(from, min(nextTree(s, root, from+stretchLeaves), to), to)
	}
}

// tree counts the gap and the symbol of a root, as if all trees were in one packet.
func (q *rootStats) tree(key uint64, level uint8, symbol int) {
	q.kinds[symbol]++
	q.gaps[level][gapLength(q.after, key, level)]++
	q.after = key + cells.LowBits(level) + 1
}

// gapLength returns the bit length of the gap before a tree.
func gapLength(after, key uint64, level uint8) int { return bits.Len64((key - after) >> (2 * level)) }

// index counts the bytes of a sheet before its trees. It takes back the gaps of the first trees of packets
// and stretches, which are not written.
func (q *rootStats) index(s *cells.Squares) {
	packets, before := uint(0), uint64(0)
	eachPacket(s, q.root, func(from, second, to int) {
		first := q.begins(s, from)
		packets++
		q.stretches++
		if second < to {
			q.stretches++
			q.steps[bits.Len64((q.begins(s, second)-first)>>(2*q.root)-1)]++
		}
		total := uint64(0) // modulo 2^64
		for _, n := range s.Counts[from:to] {
			total += n
		}
		q.bytes += uvarintBytes((first-before)>>(2*q.root)) + uvarintBytes(total) + maxLengthBytes
		before = first
	})
	q.packets += packets
	q.bytes += uvarintBytes(uint64(s.Len())) + uvarintBytes(uint64(packets))
}

// begins returns the key of the tree that begins with a leaf. Because this tree begins a packet or a
// stretch, its gap is not written, and is taken back.
func (q *rootStats) begins(s *cells.Squares, leaf int) uint64 {
	key, level := treeAt(s, q.root, leaf)
	after := uint64(0)
	if leaf > 0 {
		before, side := treeAt(s, q.root, leaf-1)
		after = before + cells.LowBits(side) + 1
	}
	q.gaps[level][gapLength(after, key, level)]--
	return key
}

// uvarintBytes returns the bytes of a number.
func uvarintBytes(v uint64) uint { return uint(bits.Len64(v|1)+6) / 7 }

// CodeFor returns the best code for the sheets of all sections. It depends on the squares only.
func CodeFor(sections cells.List) *Code {
	p := plan{high: rootStats{root: maxRoot}, low: rootStats{root: lowRoot}, onlyCells: true}
	for i := range sections {
		for _, sheet := range sections[i].Sheets() {
			p.sheet(&sheet)
		}
	}
	var c Code
	counts := p.bits
	for level := range p.counts {
		// Single points have no symbol.
		p.counts[level][symbols-1] = 0
		counts += c.table(countTable+level, &p.counts[level], level > 0)
	}
	best := c.with(&p, &p.high, counts)
	if p.onlyCells {
		if low := c.with(&p, &p.low, counts); low.size < best.size {
			best = low
		}
	}
	return best
}

// with returns the best code for the root level of q. c has the tables for the counts of leaves. With
// all counts, these take this many bits.
func (c Code) with(p *plan, q *rootStats, counts uint) *Code {
	c.root = q.root
	trees := counts + c.table(rootTable, &q.kinds, false)
	for level := uint8(1); level <= splitTables; level++ {
		var freq [symbols]uint32
		// The last split table is shared by all levels from splitTables up.
		for l := level; l <= q.root && (l == level || level == splitTables); l++ {
			for s, n := range p.splits[l] {
				freq[s] += n
			}
		}
		trees += c.table(splitTableOf(level), &freq, level > 1)
	}
	head := uint(headBits)
	c.steps = uint8(bitio.BestOrder(&q.steps))
	for length, n := range q.steps {
		head += uint(n) * bitio.ClassBits(uint(length), uint(c.steps))
	}
	roots := usedOf(&q.kinds)
	for level := q.root; level <= cells.MaxLevel; level++ {
		if hasRoots(roots, q.root, level) {
			head += orderBits
			order := bitio.BestOrder(&q.gaps[level])
			c.orders[level] = uint8(order)
			for length, n := range q.gaps[level] {
				trees += uint(n) * bitio.ClassBits(uint(length), order)
			}
		}
	}
	head += stretchBits(q.stretches-q.packets, trees) + (stretchesBits+restBits+7)*q.packets
	c.size = q.bytes + (trees+head+7)/8
	if p.huge {
		c.size += 10 * q.packets
	}
	return &c
}

// stretchBits returns an upper bound of the bits for the lengths of this many stretches, which add up to
// at most all bits. In the class code of order k, a number v takes at most k + 1 + 3v/2^(k+1) bits.
func stretchBits(stretches, all uint) uint {
	return stretches*(stretchOrder+1) + all>>(stretchOrder+1)*3 + 3
}

// AppendCode appends the code itself, its bytes as a uvarint and then:
//
//	3 bits   root level
//	6 bits   order of the steps between stretches
//	tables: but for the first of each kind a bit, whether it is the one before;
//	  if not: the number of symbols, the gaps between them, and where there are
//	  several their lengths in 4 bits
//	6 bits   order of the gaps, for each level that trees have
func (c *Code) AppendCode(dst []byte) []byte {
	var w bitio.Writer
	w.Reset(2*tables*symbols + cells.MaxLevel)
	w.Write(uint64(c.root), rootBits)
	w.Write(uint64(c.steps), orderBits)
	for t := range tables {
		if t > splitTable && t != countTable {
			if c.same[t] {
				w.Write(1, 1)
				continue
			}
			w.Write(0, 1)
		}
		used, next := usedOf(&c.freq[t]), uint16(0)
		w.WriteClass(uint64(len(used)), usedOrder)
		for _, s := range used {
			w.WriteClass(uint64(s-next), nextOrder)
			next = s + 1
			if len(used) > 1 {
				w.Write(uint64(c.lengths[t][s]), lengthBits)
			}
		}
	}
	roots := usedOf(&c.freq[rootTable])
	for level := c.root; level <= cells.MaxLevel; level++ {
		if hasRoots(roots, c.root, level) {
			w.Write(uint64(c.orders[level]), orderBits)
		}
	}
	b := w.Bytes()
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// Encoder writes sheets in a code.
type Encoder struct {
	code  *Code
	words [tables][symbols]word
	w     bitio.Writer // the trees of a packet
	head  bitio.Writer // a whole packet
	index []byte
	data  []byte // all packets of a sheet
}

// word is the code word of a symbol, with n bits.
type word struct {
	bits uint16
	n    uint8
}

// NewEncoder returns an encoder for a code.
func NewEncoder(c *Code) *Encoder {
	e := &Encoder{code: c}
	for t := range tables {
		if c.same[t] {
			e.words[t] = e.words[t-1]
			continue
		}
		var words [symbols]uint16
		wordsOf(words[:], c.lengths[t][:])
		for s, w := range words {
			e.words[t][s] = word{w, c.lengths[t][s]}
		}
	}
	return e
}

// stretch writes the trees of the leaves [from, to) of a sheet.
func (e *Encoder) stretch(s *cells.Squares, from, to int) {
	after := uint64(0)
	for i := from; i < to; {
		first := i
		i = nextTree(s, e.code.root, first+1)
		key, level := treeAt(s, e.code.root, first)
		what := split
		if s.Level(first) == level {
			what = kind(s.Counts[first])
		}
		e.write(rootTable, rootSymbol(level, e.code.root, what))
		if first > from {
			// The gap is counted in squares of this tree's level.
			e.w.WriteClass((key-after)>>(2*level), uint(e.code.orders[level]))
		}
		if what == split {
			e.split(s, first, i, level)
		} else {
			e.leaf(level, s.Counts[first])
		}
		after = key + cells.LowBits(level) + 1
	}
}

// write writes a symbol of a table.
func (e *Encoder) write(table, symbol int) {
	w := e.words[table][symbol]
	e.w.Write(uint64(w.bits), uint(w.n))
}

// split writes a split square of a level, which has the leaves [from, to).
func (e *Encoder) split(s *cells.Squares, from, to int, level uint8) {
	quarter, at := level-1, from
	var kinds, ends [4]int
	for q := range kinds {
		first := at
		for at < to && s.Keys[at]>>(2*quarter)&3 == uint64(q) {
			at++
		}
		ends[q] = at
		switch {
		case first == at:
		case s.Level(first) == quarter:
			kinds[q] = kind(s.Counts[first])
		default:
			kinds[q] = split
		}
	}
	e.write(splitTableOf(level), kinds[0]|kinds[1]<<2|kinds[2]<<4|kinds[3]<<6)
	for q, end := range ends {
		switch kinds[q] {
		case split:
			e.split(s, from, end, quarter)
		case one, more:
			e.leaf(quarter, s.Counts[from])
		}
		from = end
	}
}

// leaf writes the count of a leaf, whose kind is written.
func (e *Encoder) leaf(level uint8, n uint64) {
	if n == 1 {
		return
	}
	symbol, extra := countSymbol(n)
	e.write(countTableOf(level), symbol)
	e.w.WriteLong((n-2)&(1<<extra-1), extra)
}

// packet writes a packet, and returns its first key.
func (e *Encoder) packet(s *cells.Squares, from, second, to int) (first uint64) {
	// Reserve memory for a symbol and a gap per tree, and for a symbol and a count per leaf.
	e.w.Reset(4 * maxPacket)
	e.stretch(s, from, second)
	firstBits := e.w.Len()
	e.stretch(s, second, to)
	trees := e.w.Bytes()
	e.head.Reset(2 + len(trees))
	first, _ = treeAt(s, e.code.root, from)
	if second == to {
		e.head.Write(0, stretchesBits+restBits)
	} else {
		e.head.Write(1, stretchesBits+restBits)
		key, _ := treeAt(s, e.code.root, second)
		e.head.WriteClass((key-first)>>(2*e.code.root)-1, uint(e.code.steps))
		e.head.WriteClass(uint64(firstBits), stretchOrder)
	}
	in := bitio.NewReader(trees)
	for left := e.w.Len(); left > 0; {
		n := min(left, 32)
		e.head.Write(in.Read(n), n)
		left -= n
	}
	at := len(e.data)
	e.data = append(e.data, e.head.Bytes()...)
	// The rest follows the number of stretches.
	e.data[at] |= byte(-e.head.Len()&7) << stretchesBits
	return first
}

// AppendSheet appends a sheet:
//
//	uvarint  leaves
//	uvarint  packets
//	per packet: uvarint first key, in squares of the root level, less that of the
//	           packet before; uvarint points; uvarint bytes
//	per packet: 1 bit, whether it has two stretches; 3 bits, the number of unused bits of
//	           its last byte; if there are two stretches, the step from the first
//	           key to that of the second, in squares of the root level and less
//	           one, and the bits of the first; its trees
func (e *Encoder) AppendSheet(dst []byte, s *cells.Squares) []byte {
	e.index, e.data = e.index[:0], e.data[:0]
	packets, before := uint64(0), uint64(0)
	eachPacket(s, e.code.root, func(from, second, to int) {
		begin := len(e.data)
		first := e.packet(s, from, second, to)
		leaves := s.From(from)
		leaves = leaves.UpTo(to - from)
		e.index = binary.AppendUvarint(e.index, (first-before)>>(2*e.code.root))
		e.index = binary.AppendUvarint(e.index, leaves.Total())
		e.index = binary.AppendUvarint(e.index, uint64(len(e.data)-begin))
		packets, before = packets+1, first
	})
	dst = binary.AppendUvarint(dst, uint64(s.Len()))
	dst = binary.AppendUvarint(dst, packets)
	dst = append(dst, e.index...)
	return append(dst, e.data...)
}
