package tree

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// AppendCode appends the code itself, its bytes as a uvarint and then:
//
//	3 bits   root level
//	6 bits   order of the steps between stretches
//	tables: but for the first of each kind a bit, whether it is the one before;
//	  if not: the number of symbols, the gaps between them, and where there are
//	  several their lengths in 4 bits
//	6 bits   order of the gaps, for each level that trees have
func (c *Code) AppendCode(dst []byte) []byte {
	b := c.appendFields(nil)
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

func (c *Code) appendFields(dst []byte) []byte {
	var w bitio.Writer
	w.Reset(2*tables*symbols + cells.MaxLevel)
	w.Write(uint64(c.root), rootBits)
	w.Write(uint64(c.steps), orderBits)
	for t := range tables {
		if t > splitTable && t != countTable {
			w.Write(uint64(bit(c.same[t])), 1)
			if c.same[t] {
				continue
			}
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
	return append(dst, w.Bytes()...)
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// Encoder writes sheets in a code.
type Encoder struct {
	code  *Code
	words [tables][symbols]word
	w     bitio.Writer
	bits  uint   // bits of the current packet so far.
	total uint64 // points of the current packet so far.
	head  bitio.Writer
	data  []byte
	index []entry
	parts []part
	tail  []tailBits
}

// tailBits is a piece of at most 56 bits of a tree. A tree is put together from its end.
type tailBits struct {
	bits uint64
	n    uint
}

// part is a stretch of the current packet: trees that a reader can start at.
type part struct {
	first uint64 // key of its first tree
	bits  uint   // bits of the packet before this stretch.
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

// put writes the n lower bits of v, at most 56.
func (e *Encoder) put(v uint64, n uint) {
	e.w.Write(v, n)
	e.bits += n
}

// gap writes the gap before a tree that begins with a square of a level.
func (e *Encoder) gap(level uint8, gap uint64) {
	order := uint(e.code.orders[level])
	e.w.WriteClass(gap, order)
	e.bits += bitio.ClassBits(uint(bits.Len64(gap)), order)
}

// symbol writes a symbol in the code of a table.
func (e *Encoder) symbol(table int, symbol int) {
	w := e.words[table][symbol]
	e.put(uint64(w.bits), uint(w.n))
}

// count writes the count of a leaf with several points.
func (e *Encoder) count(level uint8, n uint64) {
	e.total = saturate.Add(e.total, n)
	if n == 1 {
		return
	}
	symbol, extra := countSymbol(n)
	e.symbol(countTableOf(level), symbol)
	for n = (n - 2) & (1<<extra - 1); extra > 32; extra -= 32 {
		e.put(n&(1<<32-1), 32)
		n >>= 32
	}
	e.put(n, extra)
}

// tree writes the leaves [from, to): all leaves in one split square. The symbol of a
// square comes before its first leaf, but is known only after its last leaf. So tree puts the bits
// together from the last one to the first.
func (e *Encoder) tree(s *cells.Squares, root uint8, from, to int) {
	var open [8]uint8 // by level: the symbol so far of the square around the next leaf
	all, n := uint64(0), uint(0)
	tail := e.tail[:0]
	for i := to - 1; i >= from; i-- {
		key, level, c := s.Keys[i], s.Level(i), s.Counts[i]
		top := root
		if i > from {
			top = cells.CommonLevel(s.Keys[i-1], key) - 1
		}
		e.total = saturate.Add(e.total, c)
		what := uint8(one)
		if c > 1 {
			what = more
			symbol := int(c - 2)
			if c >= direct+2 {
				tail = append(tail, tailBits{all, n})
				var extra uint
				symbol, extra = countSymbol(c)
				rest := (c - 2) & (1<<extra - 1)
				if extra > 32 {
					tail = append(tail, tailBits{rest >> 32, extra - 32})
					rest, extra = rest&(1<<32-1), 32
				}
				all, n = rest, extra
			}
			w := e.words[countTableOf(level)][symbol]
			all, n = all<<w.n|uint64(w.bits), n+uint(w.n)
		}
		// Go through the squares whose first leaf is this one, from the smallest up.
		for l := level + 1; ; l++ {
			symbol := open[l&7] | what<<(2*(key>>(2*(l-1)&63)&3))
			if l > top {
				open[l&7] = symbol
				break
			}
			open[l&7], what = 0, split
			if n > 56-maxLength {
				tail, all, n = append(tail, tailBits{all, n}), 0, 0
			}
			w := e.words[splitTableOf(l)][symbol]
			all, n = all<<w.n|uint64(w.bits), n+uint(w.n)
			if l == root {
				break
			}
		}
		if n > 56-maxLength {
			tail, all, n = append(tail, tailBits{all, n}), 0, 0
		}
	}
	e.put(all, n)
	for i := len(tail) - 1; i >= 0; i-- {
		e.put(tail[i].bits, tail[i].n)
	}
	e.tail = tail
}

// packet begins a packet. Its first tree is at key first.
func (e *Encoder) packet(first uint64) {
	e.endPacket()
	// Reserve memory for a symbol and a gap per tree, and for a symbol and a count per leaf.
	e.w.Reset(4 * maxPacket)
	e.bits, e.total, e.parts = 0, 0, e.parts[:0]
	e.index = append(e.index, entry{first: first})
	e.stretch(first)
}

// stretch begins a stretch of the packet. Its first tree is at key first.
func (e *Encoder) stretch(first uint64) { e.parts = append(e.parts, part{first, e.bits}) }

// endPacket completes the current packet, if there is one.
func (e *Encoder) endPacket() {
	n := len(e.index)
	if n == 0 {
		return
	}
	e.index[n-1].total = e.total
	trees := e.w.Bytes()
	e.head.Reset(2 + len(trees))
	e.head.Write(uint64(len(e.parts)-1), stretchesBits)
	e.head.Write(0, restBits) // the rest, which is written below
	all := e.bits + stretchesBits + restBits
	if len(e.parts) > 1 {
		step := (e.parts[1].first-e.parts[0].first)>>(2*e.code.root) - 1
		e.head.WriteClass(step, uint(e.code.steps))
		e.head.WriteClass(uint64(e.parts[1].bits), stretchOrder)
		all += bitio.ClassBits(uint(bits.Len64(step)), uint(e.code.steps)) + bitio.ClassBits(uint(bits.Len(e.parts[1].bits)), stretchOrder)
	}
	left := e.bits
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
	e.data[at] |= byte(-all&7) << stretchesBits
	e.index[n-1].end = len(e.data)
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
	write(s, e.code.root, e)
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
