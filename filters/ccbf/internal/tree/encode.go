package tree

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
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
	q.gaps[level][gapLength(q.after, key, level)]++
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
	key, after := s.Keys[leaf]&^cells.LowBits(level), uint64(0)
	if leaf > 0 {
		after = (s.Keys[leaf-1] | cells.LowBits(max(s.Level(leaf-1), q.root))) + 1
	}
	q.gaps[level][gapLength(after, key, level)]--
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

// AppendCode appends the code itself, its bytes as a uvarint and then:
//
//	3 bits   root level
//	6 bits   order of the steps between stretches
//	tables: but for the first of each kind a bit, whether it is the one before;
//	  if not: the number of symbols, the gaps between them, and where there are
//	  several their lengths in 4 bits
//	6 bits   order of the gaps, for each level that trees have
func (c *Code) AppendCode(dst []byte) []byte {
	b := c.fields()
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

func (c *Code) fields() []byte {
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
		w.WriteClass(uint64(len(c.used[t])), usedOrder)
		next := uint16(0)
		for _, s := range c.used[t] {
			w.WriteClass(uint64(s-next), nextOrder)
			next = s + 1
			if len(c.used[t]) > 1 {
				w.Write(uint64(c.lengths[t][s]), lengthBits)
			}
		}
	}
	for level := c.root; level <= cells.MaxLevel; level++ {
		if c.hasRoots(level) {
			w.Write(uint64(c.orders[level]), orderBits)
		}
	}
	return w.Bytes()
}

// Encoder writes sheets in a code.
type Encoder struct {
	code  *Code
	words [tables][symbols]word
	w     bitio.Writer
	total uint64 // points of the current packet so far.
	head  bitio.Writer
	data  []byte
	index []entry
	// A packet has one stretch or two. second is the first key of the second one, or 0 if there is none.
	// firstBits is the number of bits of the first one.
	second    uint64
	firstBits uint
}

// NewEncoder returns an encoder for a code.
func NewEncoder(c *Code) *Encoder {
	e := &Encoder{code: c}
	for t := range tables {
		var words [symbols]uint16
		wordsOf(words[:], c.lengths[t][:])
		for s, w := range words {
			e.words[t][s] = word{w, c.lengths[t][s]}
		}
	}
	return e
}

// word is the code word of a symbol, with n bits.
type word struct {
	bits uint16
	n    uint8
}

// sheet writes the packets of sheet s.
func (e *Encoder) sheet(s *cells.Squares) {
	root, after := e.code.root, uint64(0)
	packet, stretch := -packetLeaves, 0 // the indexes of the first leaves of the current packet and stretch
	for i := 0; i < s.Len(); {
		key, level, from := s.Keys[i], s.Level(i), i
		what := split
		if level >= root {
			i++
			what = kind(s.Counts[from])
		} else {
			level = root
			key &^= cells.LowBits(root)
			for i++; i < s.Len() && s.Keys[i]&^cells.LowBits(root) == key; i++ {
			}
		}
		begins := true
		switch {
		case from-packet >= packetLeaves:
			packet, stretch = from, from
			e.packet(key)
		case from-stretch >= stretchLeaves:
			stretch = from
			e.second, e.firstBits = key, e.w.Len()
		default:
			begins = false
		}
		e.write(rootTable, rootSymbol(level, root, what))
		if !begins {
			// The gap is counted in squares of this tree's level.
			e.w.WriteClass((key-after)>>(2*level), uint(e.code.orders[level]))
		}
		if what == split {
			e.split(s, from, i, root)
		} else {
			e.leaf(level, s.Counts[from])
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
	e.total = saturate.Add(e.total, n)
	if n == 1 {
		return
	}
	symbol, extra := countSymbol(n)
	e.write(countTableOf(level), symbol)
	rest := (n - 2) & (1<<extra - 1)
	if extra > 32 {
		e.w.Write(rest&(1<<32-1), 32)
		rest, extra = rest>>32, extra-32
	}
	e.w.Write(rest, extra)
}

// packet begins a packet. Its first tree is at key first.
func (e *Encoder) packet(first uint64) {
	e.endPacket()
	// Reserve memory for a symbol and a gap per tree, and for a symbol and a count per leaf.
	e.w.Reset(4 * maxPacket)
	e.total, e.second = 0, 0
	e.index = append(e.index, entry{first: first})
}

// endPacket completes the current packet, if there is one.
func (e *Encoder) endPacket() {
	n := len(e.index)
	if n == 0 {
		return
	}
	packet := &e.index[n-1]
	packet.total = e.total
	trees := e.w.Bytes()
	e.head.Reset(2 + len(trees))
	e.head.Write(min(e.second, 1), stretchesBits)
	e.head.Write(0, restBits) // the rest, which is written below
	if e.second > 0 {
		step := (e.second-packet.first)>>(2*e.code.root) - 1
		e.head.WriteClass(step, uint(e.code.steps))
		e.head.WriteClass(uint64(e.firstBits), stretchOrder)
	}
	left := e.w.Len()
	for ; left >= 32; left -= 32 {
		e.head.Write(uint64(binary.LittleEndian.Uint32(trees)), 32)
		trees = trees[4:]
	}
	for _, v := range trees {
		n := min(left, 8)
		e.head.Write(uint64(v), n)
		left -= n
	}
	at := len(e.data)
	e.data = append(e.data, e.head.Bytes()...)
	e.data[at] |= byte(-e.head.Len()&7) << stretchesBits
	packet.end = len(e.data)
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
	e.sheet(s)
	e.endPacket()
	dst = binary.AppendUvarint(dst, uint64(s.Len()))
	dst = binary.AppendUvarint(dst, uint64(len(e.index)))
	first, end := uint64(0), 0
	for _, b := range e.index {
		dst = binary.AppendUvarint(dst, (b.first-first)>>(2*e.code.root))
		dst = binary.AppendUvarint(dst, b.total)
		dst = binary.AppendUvarint(dst, uint64(b.end-end))
		first, end = b.first, b.end
	}
	return append(dst, e.data...)
}
