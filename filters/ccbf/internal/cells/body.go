package cells

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// The body of an exact sketch (docs/FORMAT.md):
//
//	uvarint  number of sections
//	per section, ordered by category, then region:
//	  uvarint  0 without a category, else 1 + length of the category
//	  bytes    the category
//	  varint   x and y of the region (zigzag)
//	  uvarint  number of cells, at least 1
//	  uvarint  number of occurrences
//	  uvarint  bytes of index and blocks
//	per section: index, blocks

// AppendBody appends the body of a list; false once it is longer than limit bytes.
func (l List) AppendBody(dst []byte, limit uint64) ([]byte, bool) {
	if uint64(l.cells()) > limit*8/MinCellBits {
		return dst, false
	}
	if len(l) == 1 && len(l[0].Keys) <= blockCells {
		return appendSmallBody(dst, &l[0], limit)
	}
	body := len(dst)
	dst = binary.AppendUvarint(dst, uint64(len(l)))
	var data []byte
	for i := range l {
		s := &l[i]
		dst = appendSectionHead(dst, s)
		before, ok := len(data), false
		if data, ok = appendBlocks(data, s.Run, limit); !ok {
			return dst, false
		}
		dst = binary.AppendUvarint(dst, uint64(len(data)-before))
	}
	dst = append(dst, data...)
	return dst, uint64(len(dst)-body) <= limit
}

// appendSectionHead appends what stands before a section's length.
func appendSectionHead(dst []byte, s *Section) []byte {
	if s.None {
		dst = binary.AppendUvarint(dst, 0)
	} else {
		dst = binary.AppendUvarint(dst, 1+uint64(len(s.Category)))
		dst = append(dst, s.Category...)
	}
	dst = binary.AppendVarint(dst, int64(s.X))
	dst = binary.AppendVarint(dst, int64(s.Y))
	dst = binary.AppendUvarint(dst, uint64(len(s.Keys)))
	return binary.AppendUvarint(dst, s.total())
}

// appendSmallBody is appendBody for one section of one block, whose
// length fits a single byte or two: no second buffer.
func appendSmallBody(dst []byte, s *Section, limit uint64) ([]byte, bool) {
	body := len(dst)
	dst = binary.AppendUvarint(dst, 1)
	dst = appendSectionHead(dst, s)
	// A varint of two bytes holds lengths to 16,383; a block of blockCells
	// cells takes at most 2 + 128 * 2 * 17 bytes.
	at := len(dst)
	dst, _ = appendBlocks(append(dst, 0, 0), s.Run, limit)
	size := len(dst) - at - 2
	if size < 1<<7 {
		dst[at] = byte(size)
		copy(dst[at+1:], dst[at+2:])
		dst = dst[:len(dst)-1]
	} else {
		dst[at], dst[at+1] = byte(size)|1<<7, byte(size>>7)
	}
	return dst, uint64(len(dst)-body) <= limit
}

// appendBlocks appends the index and the blocks of a run; false once they are
// longer than limit bytes.
func appendBlocks(dst []byte, r Run, limit uint64) ([]byte, bool) {
	index := len(dst)
	n := blockCount(len(r.Keys))
	dst = slices.Grow(dst, n*indexEntry+len(r.Keys)*5/4)
	dst = dst[:index+n*indexEntry]
	data := len(dst)
	w := writers.Get().(*bitio.Writer)
	defer writers.Put(w)
	for i := range n {
		if uint64(len(dst)-index) > limit {
			return dst, false
		}
		from := i * blockCells
		to := min(from+blockCells, len(r.Keys))
		dst = appendBlock(dst, w, r.Keys[from:to], r.Counts[from:to])
		entry := dst[index+i*indexEntry:]
		binary.LittleEndian.PutUint64(entry, r.Keys[from])
		binary.LittleEndian.PutUint32(entry[8:], uint32(len(dst)-data))
	}
	return dst, true
}

// writers lends the memory of one block.
var writers = sync.Pool{New: func() any { return new(bitio.Writer) }}

// MinCellBits is the least that a cell takes: a bit for its gap and one for
// its count. It bounds what a body of a given length can claim to hold.
const MinCellBits = 2
