package exact

import (
	"encoding/binary"
	"iter"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// The body of an exact sketch (docs/FORMAT.md) is empty if there are no cells. With a single
// section without a category it is:
//
// 	uvarint  number of cells, at least 1
// 	         its cells
//
// With categories, or with cells in several regions, it is:
//
// 	uvarint  number of sections
// 	per section, ordered by category, then region:
// 	  uvarint  length of the category, and the category, with categories
// 	  varint   x and y of the region (zigzag)
// 	  uvarint  number of cells, at least 1
// 	  uvarint  number of occurrences
// 	  uvarint  bytes of its cells, except for the last section
// 	per section: its cells
//
// The cells of a section are an index and blocks. A single block has the key of its first cell in
// front instead, less the lowest key that the bounds allow.

// SectionSource is a section that is to be written. It has at least one cell.
type SectionSource struct {
	cells.Label
	Cells  int                     // number of cells
	Blocks iter.Seq[cells.Squares] // the cells in order: BlockCells at a time, and the rest at the end.
}

// AppendList appends the body of a list whose cells lie within bounds. It returns false if the body
// is longer than limit bytes.
func AppendList(dst []byte, l cells.List, bounds grid.Rect, limit uint64) ([]byte, bool) {
	sections := make([]SectionSource, len(l))
	for i := range l {
		sections[i] = SectionSource{l[i].Label, l[i].Len(), l[i].Blocks()}
	}
	return AppendBody(dst, sections, bounds, limit)
}

// AppendBody appends the body of sections, ordered by their labels, whose cells lie within bounds.
// It returns false if the body is longer than limit bytes.
func AppendBody(dst []byte, sections []SectionSource, bounds grid.Rect, limit uint64) ([]byte, bool) {
	number, body := 0, len(dst)
	for i := range sections {
		number += sections[i].Cells
	}
	switch {
	case uint64(number) > limit*8/MinCellBits:
		return dst, false
	case len(sections) == 0:
		return dst, true
	case len(sections) == 1 && sections[0].Category == nil:
		dst = binary.AppendUvarint(dst, uint64(number))
		dst, _, fits := appendCells(dst, &sections[0], bounds, limit)
		return dst, fits && uint64(len(dst)-body) <= limit
	}
	dst = binary.AppendUvarint(dst, uint64(len(sections)))
	var data []byte
	for i := range sections {
		s, before := &sections[i], len(data)
		var total uint64
		var fits bool
		if data, total, fits = appendCells(data, s, bounds, limit); !fits {
			return dst, false
		}
		dst = cells.AppendLabel(dst, s.Label)
		dst = binary.AppendUvarint(dst, uint64(s.Cells))
		dst = binary.AppendUvarint(dst, total)
		if i < len(sections)-1 {
			dst = binary.AppendUvarint(dst, uint64(len(data)-before))
		}
	}
	dst = append(dst, data...)
	return dst, uint64(len(dst)-body) <= limit
}

// lowest returns the lowest key that a cell within bounds can have in a region.
func lowest(bounds grid.Rect, x, y int32) uint64 {
	in := cells.CellOf(x, y, 0).Square(cells.MaxLevel + 1).Intersect(bounds)
	_, _, key := cells.Key(grid.Cell{X: in.MinX, Y: in.MinY})
	return key
}

// appendCells appends the cells of a section, and returns the sum of their counts. It returns false if they
// take more than limit bytes.
func appendCells(dst []byte, s *SectionSource, bounds grid.Rect, limit uint64) (_ []byte, total uint64, fits bool) {
	if s.Cells > cells.BlockCells {
		return appendBlocks(dst, s.Cells, s.Blocks, limit)
	}
	for block := range s.Blocks {
		dst, total = appendOnly(dst, block, lowest(bounds, s.X, s.Y)), block.Total()
	}
	return dst, total, true
}

// appendOnly appends the only block of a section, in front of it its first key less the lowest one.
func appendOnly(dst []byte, block cells.Squares, lowest uint64) []byte {
	dst = binary.AppendUvarint(dst, block.Keys[0]-lowest)
	return appendBlock(dst, block)
}

// AppendSmall appends the body of cells with these bounds, as AppendList does. There is at least one cell, and
// all are in region (0, 0), without a category. Counts of up to BlockCells cells may be nil if all are 1.
func AppendSmall(dst []byte, s cells.Squares, bounds grid.Rect, limit uint64) ([]byte, bool) {
	body, fits := len(dst), true
	dst = binary.AppendUvarint(dst, uint64(s.Len()))
	if s.Len() <= cells.BlockCells {
		dst = appendOnly(dst, s, lowest(bounds, 0, 0))
	} else {
		dst, _, fits = appendBlocks(dst, s.Len(), s.Blocks(), limit)
	}
	return dst, fits && uint64(len(dst)-body) <= limit
}

// appendBlocks appends the index and the blocks of n cells, and returns the sum of their counts. It returns
// false if they are longer than limit bytes.
func appendBlocks(dst []byte, n int, blocks iter.Seq[cells.Squares], limit uint64) (_ []byte, total uint64, fits bool) {
	index := len(dst)
	data := index + blockCount(n)*indexEntry
	dst = slices.Grow(dst, data-index+int(min(uint64(n*5/4), limit)))[:data]
	entry := index
	for block := range blocks {
		if uint64(len(dst)-index) > limit {
			break
		}
		dst = appendBlock(dst, block)
		binary.LittleEndian.PutUint64(dst[entry:], block.Keys[0])
		binary.LittleEndian.PutUint32(dst[entry+8:], uint32(len(dst)-data))
		entry += indexEntry
		total = saturate.Add(total, block.Total())
	}
	return dst, total, uint64(len(dst)-index) <= limit
}

// MinCellBits is the least number of bits of a cell: one for its gap and one for its count. It
// bounds how many cells a body of a given length can claim to hold.
const MinCellBits = 2

// section is one section of a body, read in place.
type section struct {
	cells.Label
	total uint64
	size  int // length of its cells in bytes, used while the sections are parsed.
	blocks
	decoder *decoder
	decodes int             // how many blocks queries have decoded.
	kept    []cells.Squares // by block, its cells; none if they are not kept.
}

// parseBody parses the sections of a body into dst[:0]. It reads their lengths, not their cells. No
// cell may lie outside bounds, and total is the sum of the counts. Errors wrap sketch.ErrInvalid.
func parseBody(dst []section, body []byte, bounds grid.Rect, categories bool, total uint64) ([]section, error) {
	dst = dst[:0]
	if bounds.Empty() {
		if len(body) != 0 || total != 0 {
			return nil, sketch.Invalidf("a body of %d bytes, and a total of %d, without bounds", len(body), total)
		}
		return dst, nil
	}
	r := sketch.NewReader("the sections", body)
	sx, sy, _ := cells.Key(grid.Cell{X: bounds.MinX, Y: bounds.MinY})
	ex, ey, _ := cells.Key(grid.Cell{X: bounds.MaxX, Y: bounds.MaxY})
	if !categories && sx == ex && sy == ey {
		dst = append(dst, section{Label: cells.Label{X: sx, Y: sy}, total: total})
		s := &dst[0]
		n := r.Uvarint()
		if err := r.Err(); err != nil {
			return nil, err
		}
		if !s.holds(n, uint64(r.Len())) || !s.open(r.Bytes(uint64(r.Len())), bounds) {
			return nil, sketch.Invalidf("%d cells that count %d in a body of %d bytes: bytes are missing, or were changed", n, total, len(body))
		}
		return dst, nil
	}
	return parseSections(dst, r, bounds, categories, total)
}

// parseSections is parseBody for a body with a number of sections.
func parseSections(dst []section, r *sketch.Reader, bounds grid.Rect, categories bool, total uint64) ([]section, error) {
	n := r.Uvarint()
	if n == 0 || n > uint64(r.Len()) {
		return nil, sketch.Invalidf("%d sections in %d bytes", n, r.Len())
	}
	var sizes, sum uint64
	for i := range n {
		label, err := cells.ReadLabel(r, categories)
		if err != nil {
			return nil, err
		}
		count := r.Uvarint()
		s := section{Label: label, total: r.Uvarint()}
		left := uint64(r.Len())
		size := left - min(sizes, left) // of the last section: what the others leave
		if i < n-1 {
			size = r.Uvarint()
		}
		if err := r.Err(); err != nil {
			return nil, err
		}
		if size > left || !s.holds(count, size) {
			return nil, sketch.Invalidf("section %d of %d is damaged", i+1, n)
		}
		s.size = int(size)
		sizes += size
		sum = saturate.Add(sum, s.total)
		dst = append(dst, s)
	}
	if sum != total {
		return nil, sketch.Invalidf("a total of %d, but sections count %d", total, sum)
	}
	for i := range dst {
		if s := &dst[i]; !s.open(r.Bytes(uint64(s.size)), bounds) {
			return nil, sketch.Invalidf("section %d of %d is damaged", i+1, n)
		}
	}
	return dst, nil
}

// holds sets the number of cells. It returns false if a section of size bytes cannot hold so many cells,
// or if there are more cells than points.
func (s *section) holds(cells, size uint64) bool {
	s.cells = int(cells)
	return cells > 0 && cells <= s.total && cells <= size*8/MinCellBits && size <= math.MaxInt32
}

// open splits bytes b of a section into the index and the data of its cells. It returns false if the
// first key is not encoded in its only valid form, or if the index does not match the data.
func (s *section) open(b []byte, bounds grid.Rect) bool {
	if s.cells > cells.BlockCells {
		index := blockCount(s.cells) * indexEntry
		if index > len(b) {
			return false
		}
		s.index, s.data = b[:index:index], b[index:]
		return s.end(blockCount(s.cells)-1) == len(s.data)
	}
	r := sketch.NewReader("the first cell", b)
	low := lowest(bounds, s.X, s.Y)
	s.only = low + r.Uvarint()
	s.data = r.Bytes(uint64(r.Len()))
	return r.Err() == nil && s.only >= low
}
