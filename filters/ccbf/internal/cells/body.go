package cells

import (
	"encoding/binary"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
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

// Source is cells in the order of their keys.
type Source interface {
	// Cells is how many are left.
	Cells() int
	// Next reads n of them, at most BlockCells. They are valid until the next call.
	Next(n int) Run
}

// SectionSource is a section as it is written: at least one cell, which count Total together.
type SectionSource struct {
	Label
	Source
	Total uint64
}

// AppendBody appends the body of a list, around whose cells bounds are; false once it
// is longer than limit bytes.
func (l List) AppendBody(dst []byte, bounds grid.Rect, limit uint64) ([]byte, bool) {
	sections := make([]SectionSource, len(l))
	for i := range l {
		sections[i] = SectionSource{l[i].Label, &runSource{l[i].Run}, l[i].total()}
	}
	return AppendBody(dst, sections, bounds, limit)
}

// AppendBody appends the body of sections in the order of their labels, around whose cells
// bounds are; false once it is longer than limit bytes. It reads the sources.
func AppendBody(dst []byte, sections []SectionSource, bounds grid.Rect, limit uint64) ([]byte, bool) {
	total := 0
	for i := range sections {
		total += sections[i].Cells()
	}
	if uint64(total) > limit*8/MinCellBits {
		return dst, false
	}
	if len(sections) == 0 {
		return dst, true
	}
	body, last := len(dst), len(sections)-1
	if last == 0 && sections[0].None {
		dst = binary.AppendUvarint(dst, uint64(total))
	} else {
		dst = binary.AppendUvarint(dst, uint64(len(sections)))
		var data []byte
		for i := range sections {
			dst = appendSectionHead(dst, &sections[i])
			if i == last {
				break
			}
			before, ok := len(data), false
			if data, ok = appendCells(data, &sections[i], bounds, limit); !ok {
				return dst, false
			}
			dst = binary.AppendUvarint(dst, uint64(len(data)-before))
		}
		dst = append(dst, data...)
	}
	dst, ok := appendCells(dst, &sections[last], bounds, limit)
	return dst, ok && uint64(len(dst)-body) <= limit
}

// appendSectionHead appends what stands before a section's length.
func appendSectionHead(dst []byte, s *SectionSource) []byte {
	if !s.None {
		dst = binary.AppendUvarint(dst, uint64(len(s.Category)))
		dst = append(dst, s.Category...)
	}
	dst = binary.AppendVarint(dst, int64(s.X))
	dst = binary.AppendVarint(dst, int64(s.Y))
	dst = binary.AppendUvarint(dst, uint64(s.Cells()))
	return binary.AppendUvarint(dst, s.Total)
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
func appendCells(dst []byte, s *SectionSource, bounds grid.Rect, limit uint64) ([]byte, bool) {
	if n := s.Cells(); n <= BlockCells {
		r := s.Next(n)
		dst = binary.AppendUvarint(dst, r.Keys[0]-lowest(bounds, s.X, s.Y))
		return appendBlock(dst, r.Keys, r.Counts), true
	}
	return appendBlocks(dst, s, limit)
}

// Small is up to BlockCells cells of the region (0, 0), one at least, without a category.
type Small struct {
	Keys, Counts []uint64 // no counts where all are one
	around       corners
}

// Bounds is the smallest rectangle around the cells. It comes before AppendBody.
func (s *Small) Bounds() grid.Rect {
	s.around = cornersAround(s.Keys)
	return s.around.rect(0, 0)
}

// AppendBody is List.AppendBody.
func (s *Small) AppendBody(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s.Keys)))
	dst = binary.AppendUvarint(dst, s.Keys[0]-s.around.low())
	return appendBlock(dst, s.Keys, s.Counts)
}

// runSource is what is left of a run.
type runSource struct{ Run }

func (s *runSource) Cells() int { return len(s.Keys) }

func (s *runSource) Next(n int) Run {
	r := s.upTo(n)
	s.Run = s.from(n)
	return r
}

// appendBlocks appends the index and the blocks of cells; false once they are
// longer than limit bytes.
func appendBlocks(dst []byte, s Source, limit uint64) ([]byte, bool) {
	index := len(dst)
	n := blockCount(s.Cells())
	dst = slices.Grow(dst, n*indexEntry+int(min(uint64(s.Cells()*5/4), limit)))
	dst = dst[:index+n*indexEntry]
	data := len(dst)
	for i := 0; i < n && uint64(len(dst)-index) <= limit; i++ {
		r := s.Next(min(BlockCells, s.Cells()))
		dst = appendBlock(dst, r.Keys, r.Counts)
		entry := dst[index+i*indexEntry:]
		binary.LittleEndian.PutUint64(entry, r.Keys[0])
		binary.LittleEndian.PutUint32(entry[8:], uint32(len(dst)-data))
	}
	return dst, uint64(len(dst)-index) <= limit
}

// MinCellBits is the least that a cell takes: a bit for its gap and one for
// its count. It bounds what a body of a given length can claim to hold.
const MinCellBits = 2
