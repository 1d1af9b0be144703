package cells

import (
	"bytes"
	"cmp"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// sectionView is one section of a body, in place.
type sectionView struct {
	category []byte // nil without one
	x, y     int32
	total    uint64
	size     int // bytes of its cells, while the sections are read
	blocks
}

// parseBody reads the sections of a body into dst[:0], of whose cells none is
// outside bounds and which count total. It reads their lengths, not their cells.
func parseBody(dst []sectionView, body []byte, bounds grid.Rect, categories bool, total uint64) ([]sectionView, error) {
	dst = dst[:0]
	if bounds == NoBounds {
		if len(body) != 0 || total != 0 {
			return nil, sketch.Invalidf("a body of %d bytes, and a total of %d, without bounds", len(body), total)
		}
		return dst, nil
	}
	r := sketch.NewReader("the sections", body)
	sx, sy, _ := Key(grid.Cell{X: bounds.MinX, Y: bounds.MinY})
	ex, ey, _ := Key(grid.Cell{X: bounds.MaxX, Y: bounds.MaxY})
	if !categories && sx == ex && sy == ey {
		dst = append(dst, sectionView{x: sx, y: sy, total: total})
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

// parseSections is parseBody where there may be several.
func parseSections(dst []sectionView, r *sketch.Reader, bounds grid.Rect, categories bool, total uint64) ([]sectionView, error) {
	n := r.Uvarint()
	if n == 0 || n > uint64(r.Len()) {
		return nil, sketch.Invalidf("%d sections in %d bytes", n, r.Len())
	}
	var sizes, sum uint64
	for i := range n {
		var s sectionView
		if categories {
			s.category = r.Bytes(r.Uvarint())
		}
		s.x, s.y = region(r), region(r)
		count := r.Uvarint()
		s.total = r.Uvarint()
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
		if size > left || !s.holds(count, size) || s.x == math.MaxInt32 || s.y == math.MaxInt32 {
			return nil, sketch.Invalidf("section %d of %d is damaged", i+1, n)
		}
		s.size = int(size)
		sizes += size
		sum = saturate.Add(sum, s.total)
		if i > 0 && dst[i-1].compare(&s) >= 0 {
			return nil, sketch.Invalidf("sections %d and %d are not in order", i, i+1)
		}
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

// holds sets the number of cells; false where so many bytes cannot hold them, or
// where they are more than they count.
func (s *sectionView) holds(cells, size uint64) bool {
	s.cells = int(cells)
	return cells > 0 && cells <= s.total && cells <= size*8/MinCellBits && size <= math.MaxInt32
}

// open takes the bytes of a section's cells apart; false where the first key is not
// in its only form, or the index does not fit them.
func (s *sectionView) open(b []byte, bounds grid.Rect) bool {
	if s.cells > BlockCells {
		index := blockCount(s.cells) * indexEntry
		if index > len(b) {
			return false
		}
		s.index, s.data = b[:index:index], b[index:]
		return s.end(blockCount(s.cells)-1) == len(s.data)
	}
	r := sketch.NewReader("the first cell", b)
	low := lowest(bounds, s.x, s.y)
	s.only = low + r.Uvarint()
	s.data = r.Bytes(uint64(r.Len()))
	return r.Err() == nil && s.only >= low
}

// compare is label.compare without a copy of the category.
func (s *sectionView) compare(t *sectionView) int {
	if (s.category == nil) != (t.category == nil) {
		if s.category == nil {
			return -1
		}
		return 1
	}
	return cmp.Or(bytes.Compare(s.category, t.category), cmp.Compare(s.y, t.y), cmp.Compare(s.x, t.x))
}

// region reads the index of a region, which is small: cells reach to 2^53.
func region(r *sketch.Reader) int32 {
	u := r.Uvarint()
	if u > 1<<23 {
		return math.MaxInt32
	}
	return int32(u>>1) ^ -int32(u&1)
}

// matches reports whether a question for a category (nil: any) is about s.
func (s *sectionView) matches(category []byte) bool {
	return category == nil || string(s.category) == string(category)
}
