package cells

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/beside"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// The body of an exact sketch (docs/FORMAT.md), which has no bytes where there are
// no cells. Where there is one section, without a category:
//
//	uvarint  number of cells, at least 1
//	         its cells
//
// Otherwise, with categories or with cells in several regions:
//
//	uvarint  number of sections
//	per section, ordered by category, then region:
//	  uvarint  length of the category, and the category, with categories
//	  varint   x and y of the region (zigzag)
//	  uvarint  number of cells, at least 1
//	  uvarint  number of occurrences
//	  uvarint  bytes of its cells, but of the last section
//	per section: its cells
//
// The cells of a section are a block, behind the key of the first cell, less the
// lowest that the bounds allow; or an index and blocks.

// AppendBody appends the body of a list, around whose cells bounds are; false once it
// is longer than limit bytes.
func (l List) AppendBody(dst []byte, bounds grid.Rect, limit uint64) ([]byte, bool) {
	return l.AppendBodyBeside(dst, bounds, limit, nil)
}

// AppendBodyBeside is AppendBody, which may use a second goroutine where spare says so.
func (l List) AppendBodyBeside(dst []byte, bounds grid.Rect, limit uint64, spare func() bool) ([]byte, bool) {
	if uint64(l.Cells()) > limit*8/MinCellBits {
		return dst, false
	}
	if len(l) == 0 {
		return dst, true
	}
	body, last := len(dst), len(l)-1
	if last == 0 && l[0].None {
		dst = binary.AppendUvarint(dst, uint64(len(l[0].Keys)))
	} else {
		dst = binary.AppendUvarint(dst, uint64(len(l)))
		var data []byte
		for i := range l {
			dst = appendSectionHead(dst, &l[i])
			if i == last {
				break
			}
			before, ok := len(data), false
			if data, ok = appendCells(data, &l[i], bounds, limit, spare); !ok {
				return dst, false
			}
			dst = binary.AppendUvarint(dst, uint64(len(data)-before))
		}
		dst = append(dst, data...)
	}
	dst, ok := appendCells(dst, &l[last], bounds, limit, spare)
	return dst, ok && uint64(len(dst)-body) <= limit
}

// appendSectionHead appends what stands before a section's length.
func appendSectionHead(dst []byte, s *Section) []byte {
	if !s.None {
		dst = binary.AppendUvarint(dst, uint64(len(s.Category)))
		dst = append(dst, s.Category...)
	}
	dst = binary.AppendVarint(dst, int64(s.X))
	dst = binary.AppendVarint(dst, int64(s.Y))
	dst = binary.AppendUvarint(dst, uint64(len(s.Keys)))
	return binary.AppendUvarint(dst, s.total())
}

// lowest is the lowest key that a cell inside bounds can have in a region.
func lowest(bounds grid.Rect, x, y int32) uint64 {
	low := func(least int64, region int32) uint32 {
		if least += Bias; int32(least>>32) == region {
			return uint32(least)
		}
		return 0
	}
	return grid.Interleave(low(bounds.MinX, x), low(bounds.MinY, y))
}

// appendCells appends the cells of a section; false once they take more than limit
// bytes.
func appendCells(dst []byte, s *Section, bounds grid.Rect, limit uint64, spare func() bool) ([]byte, bool) {
	w := writers.Get().(*bitio.Writer)
	defer writers.Put(w)
	if len(s.Keys) <= blockCells {
		dst = binary.AppendUvarint(dst, s.Keys[0]-lowest(bounds, s.X, s.Y))
		return appendBlock(dst, w, s.Keys, s.Counts), true
	}
	return appendBlocks(dst, w, &runSource{s.Run}, limit, spare)
}

// manyBlocks is from how many blocks on two halves of them are made at once: whoever
// waits for the BLOB of one large group waits for nothing else.
const manyBlocks = 1 << 9

// source is cells as they are coded, block by block.
type source interface {
	cells() int              // that are left
	next(n int) Run          // n of them, until the next call
	cut(n int) (a, b source) // the first n, and the others
}

// runSource is what is left of a run.
type runSource struct{ Run }

func (s *runSource) cells() int { return len(s.Keys) }

func (s *runSource) next(n int) Run {
	r := s.upTo(n)
	s.Run = s.from(n)
	return r
}

func (s *runSource) cut(n int) (a, b source) { return &runSource{s.upTo(n)}, &runSource{s.from(n)} }

// appendBlocks appends the index and the blocks of cells; false once they are
// longer than limit bytes.
func appendBlocks(dst []byte, w *bitio.Writer, s source, limit uint64, spare func() bool) ([]byte, bool) {
	index := len(dst)
	cells := s.cells()
	n := blockCount(cells)
	var taken atomic.Int64 // by both, so that neither goes on where they do not fit
	if n < manyBlocks || spare == nil {
		dst = appendSome(dst, w, s, limit, &taken)
		return dst, uint64(len(dst)-index) <= limit
	}
	one, other := s.cut(n / 2 * blockCells)
	var second []byte
	beside.Do(spare, func() {
		dst = appendSome(slices.Grow(dst, n*indexEntry+cells*5/4), w, one, limit, &taken)
	}, func() {
		w := writers.Get().(*bitio.Writer)
		defer writers.Put(w)
		second = appendSome(nil, w, other, limit, &taken)
	})
	if uint64(len(dst)-index)+uint64(len(second)) > limit {
		return dst, false
	}
	// The second index goes between the first and its blocks, behind which its own are.
	first, all := n/2*indexEntry, n*indexEntry
	before := uint32(len(dst) - index - first)
	dst = slices.Insert(dst, index+first, second[:all-first]...)
	for i := first; i < all; i += indexEntry {
		end := dst[index+i+8:]
		binary.LittleEndian.PutUint32(end, before+binary.LittleEndian.Uint32(end))
	}
	return append(dst, second[all-first:]...), true
}

// appendSome appends the index and the blocks of cells, and ends early where these and others,
// of which so many bytes are taken, are longer than limit bytes.
func appendSome(dst []byte, w *bitio.Writer, s source, limit uint64, taken *atomic.Int64) []byte {
	index := len(dst)
	n := blockCount(s.cells())
	dst = slices.Grow(dst, n*indexEntry+s.cells()*5/4)
	dst = dst[:index+n*indexEntry]
	data, before := len(dst), index
	for i := 0; i < n && uint64(taken.Add(int64(len(dst)-before))) <= limit; i++ {
		before = len(dst)
		r := s.next(min(blockCells, s.cells()))
		dst = appendBlock(dst, w, r.Keys, r.Counts)
		entry := dst[index+i*indexEntry:]
		binary.LittleEndian.PutUint64(entry, r.Keys[0])
		binary.LittleEndian.PutUint32(entry[8:], uint32(len(dst)-data))
	}
	return dst
}

// writers lends the memory of one block.
var writers = sync.Pool{New: func() any { return new(bitio.Writer) }}

// MinCellBits is the least that a cell takes: a bit for its gap and one for
// its count. It bounds what a body of a given length can claim to hold.
const MinCellBits = 2
