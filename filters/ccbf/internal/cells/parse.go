package cells

import (
	"bytes"
	"cmp"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// sectionView is one section of a body, in place.
type sectionView struct {
	category []byte // nil without one
	x, y     int32
	total    uint64
	blocks
}

// parseBody reads the sections of a body into dst[:0]. It reads their
// lengths, not their cells.
func parseBody(dst []sectionView, body []byte) ([]sectionView, error) {
	r := sketch.NewReader("the sections", body)
	n := r.Uvarint()
	if n > uint64(len(body)) {
		return nil, sketch.Invalidf("%d sections in %d bytes", n, len(body))
	}
	dst = dst[:0]
	var sizes uint64
	for range n {
		var s sectionView
		if length := r.Uvarint(); length > 0 {
			s.category = r.Bytes(length - 1)
		}
		s.x, s.y = region(r), region(r)
		cells := r.Uvarint()
		s.total = r.Uvarint()
		size := r.Uvarint()
		if err := r.Err(); err != nil {
			return nil, err
		}
		if size > uint64(len(body)) || cells == 0 || cells > size*8/MinCellBits || s.total < cells ||
			s.x == math.MaxInt32 || s.y == math.MaxInt32 {
			return nil, sketch.Invalidf("section %d of %d is damaged", len(dst)+1, n)
		}
		s.cells = int(cells)
		sizes += size
		s.index = body[:size:size] // its length only, for now
		dst = append(dst, s)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	rest := r.Bytes(uint64(r.Len()))
	if sizes != uint64(len(rest)) {
		return nil, sketch.Invalidf("sections of %d bytes, but %d follow", sizes, len(rest))
	}
	for i := range dst {
		s := &dst[i]
		size, index := len(s.index), blockCount(s.cells)*indexEntry
		if index > size {
			return nil, sketch.Invalidf("section %d of %d is damaged", i+1, n)
		}
		s.index, s.data = rest[:index:index], rest[index:size:size]
		rest = rest[size:]
		if i > 0 && dst[i-1].compare(s) >= 0 {
			return nil, sketch.Invalidf("sections %d and %d are not in order", i, i+1)
		}
	}
	return dst, nil
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

func (s *sectionView) label() Label {
	return Label{Category: string(s.category), None: s.category == nil, X: s.x, Y: s.y}
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
