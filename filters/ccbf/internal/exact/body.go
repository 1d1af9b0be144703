package exact

import (
	"encoding/binary"
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

// SectionSource is a section that is to be written. It has at least one cell. Total is the sum of the
// counts of its cells.
type SectionSource struct {
	cells.Label
	cells.Source
	Total uint64
}

// AppendList appends the body of a list whose cells lie within bounds. It returns false if the body
// is longer than limit bytes.
func AppendList(dst []byte, l cells.List, bounds grid.Rect, limit uint64) ([]byte, bool) {
	sections := make([]SectionSource, len(l))
	for i := range l {
		sections[i] = SectionSource{l[i].Label, &source{l[i].Squares}, l[i].Total()}
	}
	return AppendBody(dst, sections, bounds, limit)
}

// AppendBody appends the body of sections, ordered by their labels, whose cells lie within bounds.
// It reads the sources. It returns false if the body is longer than limit bytes.
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

// appendSectionHead appends the fields of a section up to the number of its bytes.
func appendSectionHead(dst []byte, s *SectionSource) []byte {
	dst = cells.AppendLabel(dst, s.Label)
	dst = binary.AppendUvarint(dst, uint64(s.Cells()))
	return binary.AppendUvarint(dst, s.Total)
}

// lowest returns the lowest key that a cell within bounds can have in a region.
func lowest(bounds grid.Rect, x, y int32) uint64 {
	low := func(least int64, region int32) uint32 {
		if least += cells.Bias; int32(least>>32) == region {
			return uint32(least)
		}
		return 0
	}
	return grid.Interleave(low(bounds.MinX, x), low(bounds.MinY, y))
}

// appendCells appends the cells of a section. It returns false if they take more than limit bytes.
func appendCells(dst []byte, s *SectionSource, bounds grid.Rect, limit uint64) ([]byte, bool) {
	if n := s.Cells(); n <= cells.BlockCells {
		r := s.Next(n)
		dst = binary.AppendUvarint(dst, r.Keys[0]-lowest(bounds, s.X, s.Y))
		return appendBlock(dst, r.Keys, r.Counts), true
	}
	return appendBlocks(dst, s, limit)
}

// Small has the cells of a small sketch. There is at least one, all are in region (0, 0), and none has a
// category.
type Small struct {
	Keys, Counts []uint64 // Counts may be nil for up to BlockCells cells: then all counts are 1.
}

// Bounds returns the smallest rectangle around the cells.
func (s *Small) Bounds() grid.Rect { return cells.CornersOf(s.Keys[0]).Around(s.Keys).Rect(0, 0) }

// AppendBody appends the body of cells with these bounds, as AppendList does.
func (s *Small) AppendBody(dst []byte, bounds grid.Rect, limit uint64) ([]byte, bool) {
	body, fits := len(dst), true
	dst = binary.AppendUvarint(dst, uint64(len(s.Keys)))
	if len(s.Keys) <= cells.BlockCells {
		dst = binary.AppendUvarint(dst, s.Keys[0]-lowest(bounds, 0, 0))
		dst = appendBlock(dst, s.Keys, s.Counts)
	} else {
		dst, fits = appendBlocks(dst, &source{cells.Squares{Keys: s.Keys, Counts: s.Counts}}, limit)
	}
	return dst, fits && uint64(len(dst)-body) <= limit
}

// source is a cells.Source that reads a list from memory.
type source struct{ cells.Squares }

func (s *source) Cells() int { return s.Len() }

func (s *source) Next(n int) cells.Squares {
	next := s.UpTo(n)
	s.Squares = s.From(n)
	return next
}

// appendBlocks appends the index and the blocks of cells. It returns false if they are longer than
// limit bytes.
func appendBlocks(dst []byte, s cells.Source, limit uint64) ([]byte, bool) {
	index := len(dst)
	n := blockCount(s.Cells())
	dst = slices.Grow(dst, n*indexEntry+int(min(uint64(s.Cells()*5/4), limit)))
	dst = dst[:index+n*indexEntry]
	data := len(dst)
	for i := 0; i < n && uint64(len(dst)-index) <= limit; i++ {
		r := s.Next(min(cells.BlockCells, s.Cells()))
		dst = appendBlock(dst, r.Keys, r.Counts)
		entry := dst[index+i*indexEntry:]
		binary.LittleEndian.PutUint64(entry, r.Keys[0])
		binary.LittleEndian.PutUint32(entry[8:], uint32(len(dst)-data))
	}
	return dst, uint64(len(dst)-index) <= limit
}

// MinCellBits is the least number of bits of a cell: one for its gap and one for its count. It
// bounds how many cells a body of a given length can claim to hold.
const MinCellBits = 2

// section is one section of a body, read in place.
type section struct {
	cells.LabelView
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
	if bounds == cells.NoBounds {
		if len(body) != 0 || total != 0 {
			return nil, sketch.Invalidf("a body of %d bytes, and a total of %d, without bounds", len(body), total)
		}
		return dst, nil
	}
	r := sketch.NewReader("the sections", body)
	sx, sy, _ := cells.Key(grid.Cell{X: bounds.MinX, Y: bounds.MinY})
	ex, ey, _ := cells.Key(grid.Cell{X: bounds.MaxX, Y: bounds.MaxY})
	if !categories && sx == ex && sy == ey {
		dst = append(dst, section{LabelView: cells.LabelView{X: sx, Y: sy}, total: total})
		s := &dst[0]
		n := r.Uvarint()
		if err := r.Err(); err != nil {
			return nil, err
		}
		if !s.holds(n, uint64(r.Len())) || !s.open(r.Bytes(uint64(r.Len())), bounds) {
			return nil, sketch.Invalidf("%d cells that count %d in a body of %d bytes", n, total, len(body))
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
		s := section{LabelView: label, total: r.Uvarint()}
		var size uint64
		if i < n-1 {
			size = r.Uvarint()
		}
		left := uint64(r.Len())
		if i == n-1 {
			size = left - min(sizes, left)
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
	if left := uint64(r.Len()); sizes != left {
		return nil, sketch.Invalidf("sections of %d bytes, but %d follow", sizes, left)
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
