package tree

import (
	"encoding/binary"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// AppendCode appends the code itself:
//
//	3 bits   root level
//	tables: but for the first of each kind a bit, whether it is the one before;
//	  if not: the number of symbols, the gaps between them, and where there are
//	  several their lengths in 4 bits
//	6 bits   order of the gaps, for each level that trees have
func (c *Code) AppendCode(dst []byte) []byte {
	var w bitio.Writer
	w.Reset(2*tables*symbols + MaxLevel)
	w.Write(uint64(c.root), rootBits)
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
	for level := c.root; level <= MaxLevel; level++ {
		if c.hasRoots(level) {
			w.Write(uint64(c.orders[level]), orderBits)
		}
	}
	b := w.Bytes()
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// Encoder writes sheets.
type Encoder struct {
	code  *Code
	words [tables][symbols]uint16
	w     bitio.Writer
	data  []byte
	index []entry
}

// NewEncoder is an encoder in a code.
func NewEncoder(c *Code) *Encoder {
	e := &Encoder{code: c}
	for t := range tables {
		wordsOf(e.words[t][:], c.lengths[t][:])
	}
	return e
}

func (e *Encoder) gap(level uint8, gap uint64) { e.w.WriteClass(gap, uint(e.code.orders[level])) }

func (e *Encoder) symbol(table int, symbol int) {
	e.w.Write(uint64(e.words[table][symbol]), uint(e.code.lengths[table][symbol]))
}

func (e *Encoder) extra(v uint64, n uint) {
	if n > 32 {
		e.w.Write(v&(1<<32-1), 32)
		v, n = v>>32, n-32
	}
	e.w.Write(v, n)
}

func (e *Encoder) leaf(n uint64) {
	last := &e.index[len(e.index)-1]
	last.total = saturate.Add(last.total, n)
}

func (e *Encoder) tree() { e.index[len(e.index)-1].trees++ }

func (e *Encoder) block(first uint64) {
	e.endBlock()
	// A tree takes a symbol and a gap, a leaf a symbol of its parent and a count.
	e.w.Reset(4 * maxBlock)
	e.index = append(e.index, entry{first: first})
}

func (e *Encoder) endBlock() {
	if n := len(e.index); n > 0 {
		e.data = append(e.data, e.w.Bytes()...)
		e.index[n-1].end = len(e.data)
	}
}

// AppendSheet appends a sheet:
//
//	uvarint  leaves
//	uvarint  blocks
//	per block: uvarint first key, in squares of the root level, less that of the
//	           block before; uvarint points; uvarint trees; uvarint bytes
//	per block: its trees
func (e *Encoder) AppendSheet(dst []byte, s *Squares) []byte {
	e.data, e.index = e.data[:0], e.index[:0]
	write(s, e.code.root, e)
	e.endBlock()
	dst = binary.AppendUvarint(dst, uint64(s.Len()))
	dst = binary.AppendUvarint(dst, uint64(len(e.index)))
	from := entry{}
	for _, b := range e.index {
		dst = binary.AppendUvarint(dst, (b.first-from.first)>>(2*e.code.root))
		dst = binary.AppendUvarint(dst, b.total)
		dst = binary.AppendUvarint(dst, b.trees)
		dst = binary.AppendUvarint(dst, uint64(b.end-from.end))
		from = b
	}
	return append(dst, e.data...)
}
