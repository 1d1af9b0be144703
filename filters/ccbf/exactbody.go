package ccbf

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// The body of an exact sketch (docs/FORMAT.md):
//
//	uvarint  number of sections
//	per section, ordered by category, then square:
//	  uvarint  0 without a category, else 1 + length of the category
//	  bytes    the category
//	  varint   x and y of the square (zigzag)
//	  uvarint  number of cells, at least 1
//	  uvarint  number of occurrences
//	  uvarint  bytes of index and blocks
//	per section: index, blocks

// appendExactBody appends the body of sections, sorted by place, none empty;
// false once it is longer than limit bytes.
func appendExactBody(dst []byte, sections []section, limit uint64) ([]byte, bool) {
	cells := uint64(0)
	for i := range sections {
		cells += uint64(len(sections[i].keys))
	}
	if cells > limit*8/minCellBits {
		return dst, false
	}
	if len(sections) == 1 && len(sections[0].keys) <= blockCells {
		return appendSmallBody(dst, &sections[0], limit)
	}
	body := len(dst)
	dst = binary.AppendUvarint(dst, uint64(len(sections)))
	var data []byte
	for i := range sections {
		s := &sections[i]
		dst = appendSectionHead(dst, s)
		before, ok := len(data), false
		if data, ok = appendBlocks(data, s.run, limit); !ok {
			return dst, false
		}
		dst = binary.AppendUvarint(dst, uint64(len(data)-before))
	}
	dst = append(dst, data...)
	return dst, uint64(len(dst)-body) <= limit
}

// appendSectionHead appends what stands before a section's length.
func appendSectionHead(dst []byte, s *section) []byte {
	if s.none {
		dst = binary.AppendUvarint(dst, 0)
	} else {
		dst = binary.AppendUvarint(dst, 1+uint64(len(s.category)))
		dst = append(dst, s.category...)
	}
	dst = binary.AppendVarint(dst, int64(s.x))
	dst = binary.AppendVarint(dst, int64(s.y))
	dst = binary.AppendUvarint(dst, uint64(len(s.keys)))
	return binary.AppendUvarint(dst, s.total())
}

// appendSmallBody is appendExactBody for one section of one block, whose
// length fits a single byte or two: no second buffer.
func appendSmallBody(dst []byte, s *section, limit uint64) ([]byte, bool) {
	body := len(dst)
	dst = binary.AppendUvarint(dst, 1)
	dst = appendSectionHead(dst, s)
	// A varint of two bytes holds lengths to 16,383; a block of blockCells
	// cells takes at most 2 + 128 * 2 * 17 bytes.
	at := len(dst)
	dst, _ = appendBlocks(append(dst, 0, 0), s.run, limit)
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
func appendBlocks(dst []byte, r run, limit uint64) ([]byte, bool) {
	index := len(dst)
	n := blockCount(len(r.keys))
	dst = slices.Grow(dst, n*indexEntry+len(r.keys)*5/4)
	dst = dst[:index+n*indexEntry]
	data := len(dst)
	w := writers.Get().(*bitio.Writer)
	defer writers.Put(w)
	for i := range n {
		if uint64(len(dst)-index) > limit {
			return dst, false
		}
		from := i * blockCells
		to := min(from+blockCells, len(r.keys))
		dst = appendBlock(dst, w, r.keys[from:to], r.counts[from:to])
		entry := dst[index+i*indexEntry:]
		binary.LittleEndian.PutUint64(entry, r.keys[from])
		binary.LittleEndian.PutUint32(entry[8:], uint32(len(dst)-data))
	}
	return dst, true
}

// writers lends the memory of one block.
var writers = sync.Pool{New: func() any { return new(bitio.Writer) }}

// sectionView is one section of a body, in place.
type sectionView struct {
	category []byte // nil without one
	x, y     int32
	total    uint64
	blocks
}

// minCellBits is the least that a cell takes: a bit for its gap and one for
// its count. It bounds what a body of a given length can claim to hold.
const minCellBits = 2

// parseExactBody reads the sections of a body into dst[:0]. It reads their
// lengths, not their cells.
func parseExactBody(dst []sectionView, body []byte) ([]sectionView, error) {
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
		s.x, s.y = square(r), square(r)
		cells := r.Uvarint()
		s.total = r.Uvarint()
		size := r.Uvarint()
		if err := r.Err(); err != nil {
			return nil, err
		}
		if size > uint64(len(body)) || cells == 0 || cells > size*8/minCellBits || s.total < cells ||
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

// compare is place.compare without a copy of the category.
func (s *sectionView) compare(t *sectionView) int {
	if (s.category == nil) != (t.category == nil) {
		if s.category == nil {
			return -1
		}
		return 1
	}
	return cmp.Or(bytes.Compare(s.category, t.category), cmp.Compare(s.y, t.y), cmp.Compare(s.x, t.x))
}

func (s *sectionView) place() place {
	return place{category: string(s.category), none: s.category == nil, x: s.x, y: s.y}
}

// square reads the index of a square, which is small: cells reach to 2^53.
func square(r *sketch.Reader) int32 {
	u := r.Uvarint()
	if u > 1<<23 {
		return math.MaxInt32
	}
	return int32(u>>1) ^ -int32(u&1)
}

// eachSection reads the sections completely, one after the other, and holds
// their order, totals and bounds against what the BLOB says.
func (v *View) eachSection(f func(section) error) error {
	bounds := noBounds
	for i := range v.sections {
		sv := &v.sections[i]
		r, ok := sv.decodeAll()
		if !ok {
			return sketch.Invalidf("the cells of section %d of %d are damaged", i+1, len(v.sections))
		}
		if total := r.total(); total != sv.total {
			return sketch.Invalidf("section %d of %d counts %d occurrences, its cells %d", i+1, len(v.sections), sv.total, total)
		}
		s := section{sv.place(), r}
		bounds = hull(bounds, cellBounds([]section{s}))
		if err := f(s); err != nil {
			return err
		}
	}
	if bounds != v.Bounds {
		return sketch.Invalidf("bounds that are not those of the cells")
	}
	return nil
}
