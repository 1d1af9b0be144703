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

// gapTable plus a level is the table for gaps before trees of this level. The symbol of a gap is its bit length.
const gapTable = tables

// tokens are the parts of a stretch in reverse order: the symbol of a split square follows from the kinds of its
// quarters.
type tokens struct {
	// symbols has symbols with their tables in the upper bits. A leaf has at most a count and a split square of each
	// level, and a tree has a gap and a root.
	symbols [(maxRoot + 3) * maxPacket]uint16
	n       int      // number of symbols
	values  []uint64 // gaps in squares of the level of the tree behind, and counts that are no symbol
}

// reset makes t the tokens of the leaves [from, to) of a sheet.
func (t *tokens) reset(s *cells.Squares, root uint8, from, to int) {
	keys, counts, symbols := s.Keys[:to], s.Counts[:to], &t.symbols
	values, at := t.values[:0], 0
	var open [8]int // by level: the kinds of the quarters of the square around the last leaf
	for i := to - 1; i >= from; i-- {
		key, level, n := keys[i], s.Level(i), counts[i]
		what := int(min(n, more)) // one point, or more
		// There is no branch for a single point, which has no symbol: the next one takes its place.
		symbol := int(uint8(n - 2))
		if n >= direct+2 {
			symbol = direct + bits.Len64(n-2) - 4
			values = append(values, n-2)
		}
		symbols[at] = uint16(countTableOf(level)<<8 | symbol)
		at += what - one
		// differ has the bits in which the key before differs. The first leaf has no key before it, so all bits are
		// set.
		differ := ^uint64(0)
		if i > from {
			differ = key ^ keys[i-1]
		}
		for level < root {
			quarter := key >> (2 * level & 63) & 3
			level++
			all := open[level&7] | what<<(2*quarter)
			// The leaf before is in this square too.
			if differ>>(2*level&63) == 0 {
				open[level&7], what = all, absent
				break
			}
			symbols[at] = uint16(splitTableOf(level)<<8 | all)
			at++
			open[level&7], what = 0, split
		}
		if what == absent {
			continue
		}
		if i > from {
			before, side := treeAt(s, root, i-1)
			gap := ((key &^ cells.LowBits(level)) - (before + cells.LowBits(side) + 1)) >> (2 * level)
			symbols[at] = uint16((gapTable+int(level))<<8 | bits.Len64(gap))
			at++
			values = append(values, gap)
		}
		symbols[at] = uint16(rootTable<<8 | rootSymbol(level, root, what))
		at++
	}
	t.n, t.values = at, values
}

// treeAt returns the key and the level of the tree of a leaf.
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

// plan counts the tokens and bytes of sheets before they are written.
type plan struct {
	root    uint8
	freq    [gapTable + cells.MaxLevel + 1][symbols]uint32 // numbers of symbols and gaps
	steps   [65]uint32                                     // number of steps between stretches by bit length.
	packets uint
	bytes   uint // bytes of the index
	huge    bool // whether the points of a packet may exceed a uint64.
	tokens  tokens

	last int  // the last table that is not the same as the one before it.
	cost uint // bits of all symbols of this table and of the table itself.
}

// maxLengthBytes is the most bytes of the length of a packet. A leaf takes at most 27 bytes with the
// squares around it, so a packet takes less than 2^14.
const maxLengthBytes = 2

// hugeCount is a number of points. If all leaves of a packet had it, their sum would exceed a uint64.
const hugeCount = 1 << 55

// sheet counts a sheet.
func (p *plan) sheet(s *cells.Squares) {
	packets, before := uint(0), uint64(0)
	eachPacket(s, p.root, func(from, second, to int) {
		p.stretch(s, from, second)
		first, _ := treeAt(s, p.root, from)
		if second < to {
			p.stretch(s, second, to)
			key, _ := treeAt(s, p.root, second)
			p.steps[bits.Len64((key-first)>>(2*p.root)-1)]++
		}
		total := uint64(0) // modulo 2^64
		for _, n := range s.Counts[from:to] {
			total += n
			p.huge = p.huge || n >= hugeCount
		}
		p.bytes += uvarintBytes((first-before)>>(2*p.root)) + uvarintBytes(total) + maxLengthBytes
		packets, before = packets+1, first
	})
	p.packets += packets
	p.bytes += uvarintBytes(uint64(s.Len())) + uvarintBytes(uint64(packets))
}

// stretch counts the tokens of a stretch, which has the leaves [from, to).
func (p *plan) stretch(s *cells.Squares, from, to int) {
	p.tokens.reset(s, p.root, from, to)
	for _, t := range p.tokens.symbols[:p.tokens.n] {
		p.freq[t>>8][t&255]++
	}
}

// uvarintBytes returns the bytes of a number.
func uvarintBytes(v uint64) uint { return uint(bits.Len64(v|1)+6) / 7 }

// CodeFor returns the best code for the sheets of all sections. It depends on the squares only.
func CodeFor(sections cells.List) *Code {
	best := codeFrom(sections, maxRoot)
	for i := range sections {
		if slices.ContainsFunc(sections[i].Levels, func(level uint8) bool { return level > 0 }) {
			return best
		}
	}
	if low := codeFrom(sections, lowRoot); low.size < best.size {
		best = low
	}
	return best
}

// codeFrom returns the best code whose trees begin at a root level.
func codeFrom(sections cells.List, root uint8) *Code {
	p := plan{root: root}
	for i := range sections {
		for _, sheet := range sections[i].Sheets() {
			p.sheet(&sheet)
		}
	}
	c := Code{root: root}
	trees := uint(0)
	for t := range tables {
		trees += p.table(&c, t)
		for s := direct; t >= countTable && s < symbols; s++ {
			trees += uint(p.freq[t][s]) * extraBits(s)
		}
	}
	for t, same := range c.same {
		if same {
			c.lengths[t] = c.lengths[t-1]
		}
	}
	head, seconds := uint(headBits), uint(0) // seconds is the number of second stretches
	c.steps = uint8(bitio.BestOrder(&p.steps))
	for length, n := range p.steps {
		head += uint(n) * bitio.ClassBits(uint(length), uint(c.steps))
		seconds += uint(n)
	}
	for level := root; level <= cells.MaxLevel; level++ {
		if hasRoots(c.used[rootTable], root, level) {
			head += orderBits
			gaps := (*[65]uint32)(p.freq[gapTable+int(level)][:])
			order := bitio.BestOrder(gaps)
			c.orders[level] = uint8(order)
			for length, n := range gaps {
				trees += uint(n) * bitio.ClassBits(uint(length), order)
			}
		}
	}
	head += stretchBits(seconds, trees) + (stretchesBits+restBits+7)*p.packets
	if p.huge {
		p.bytes += 10 * p.packets
	}
	c.size = uint64(p.bytes + (trees+head+7)/8)
	return &c
}

// table sets table t of a code. If it is the same as the table before, that table has the symbols of both. It returns
// how many bits the symbols and tables take more.
func (p *plan) table(c *Code, t int) uint {
	alone, used := tableCost(&p.freq[t], &c.lengths[t])
	if mayBeSame(t) {
		both, lengths := p.freq[p.last], [symbols]uint8{}
		for s, n := range p.freq[t] {
			both[s] += n
		}
		if together, used := tableCost(&both, &lengths); together <= alone+p.cost {
			// A negative difference wraps around, and the sum wraps back.
			more := together - p.cost
			p.freq[p.last], p.cost = both, together
			c.used[p.last], c.lengths[p.last], c.same[t] = used, lengths, true
			return more
		}
	}
	c.used[t], p.last, p.cost = used, t, alone
	return alone
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
		if mayBeSame(t) {
			if c.same[t] {
				w.Write(1, 1)
				continue
			}
			w.Write(0, 1)
		}
		used, next := c.used[t], uint16(0)
		w.WriteClass(uint64(len(used)), usedOrder)
		for _, s := range used {
			w.WriteClass(uint64(s-next), nextOrder)
			next = s + 1
			if len(used) > 1 {
				w.Write(uint64(c.lengths[t][s]), lengthBits)
			}
		}
	}
	for level := c.root; level <= cells.MaxLevel; level++ {
		if hasRoots(c.used[rootTable], c.root, level) {
			w.Write(uint64(c.orders[level]), orderBits)
		}
	}
	b := w.Bytes()
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// Encoder writes sheets in a code.
type Encoder struct {
	code   *Code
	words  [tables][symbols]uint16
	tokens tokens       // of a stretch
	w      bitio.Writer // the trees of a packet
	index  []byte
	data   []byte // all packets of a sheet
}

// NewEncoder returns an encoder for a code.
func NewEncoder(c *Code) *Encoder {
	e := &Encoder{code: c}
	for t := range tables {
		wordsOf(e.words[t][:], c.lengths[t][:])
	}
	return e
}

// stretch writes the trees of the leaves [from, to) of a sheet.
func (e *Encoder) stretch(s *cells.Squares, from, to int) {
	e.tokens.reset(s, e.code.root, from, to)
	values := e.tokens.values
	for _, t := range slices.Backward(e.tokens.symbols[:e.tokens.n]) {
		table, symbol, last := int(t>>8), int(t&255), len(values)-1
		if table >= gapTable {
			e.w.WriteClass(values[last], uint(e.code.orders[table-gapTable]))
			values = values[:last]
			continue
		}
		e.w.Write(uint64(e.words[table][symbol]), uint(e.code.lengths[table][symbol]))
		if table >= countTable && symbol >= direct {
			extra := extraBits(symbol)
			e.w.WriteLong(values[last]&(1<<extra-1), extra)
			values = values[:last]
		}
	}
}

// packet writes a packet, and returns its first key.
func (e *Encoder) packet(s *cells.Squares, from, second, to int) (first uint64) {
	// Reserve memory for a symbol and a gap per tree, and for a symbol and a count per leaf.
	e.w.Reset(4 * maxPacket)
	e.stretch(s, from, second)
	firstBits := e.w.Len()
	e.stretch(s, second, to)
	trees := e.w.Bytes()
	packet := bitio.WriterTo(e.data, 2+len(trees))
	first, _ = treeAt(s, e.code.root, from)
	if second == to {
		packet.Write(0, stretchesBits+restBits)
	} else {
		packet.Write(1, stretchesBits+restBits)
		key, _ := treeAt(s, e.code.root, second)
		packet.WriteClass((key-first)>>(2*e.code.root)-1, uint(e.code.steps))
		packet.WriteClass(uint64(firstBits), stretchOrder)
	}
	in := bitio.NewReader(trees)
	for left := e.w.Len(); left > 0; {
		n := min(left, 32)
		packet.Write(in.Read(n), n)
		left -= n
	}
	at := len(e.data)
	e.data = packet.Bytes()
	// The rest follows the number of stretches.
	e.data[at] |= byte(-packet.Len()&7) << stretchesBits
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
		leaves := s.Part(from, to)
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
