package ccbf

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// The body of an exact sketch (docs/FORMAT.md):
//
//	uvarint  number of sections
//	per section, ordered by category, then square:
//	  uvarint  0 without a category, else 1 + length of the category
//	  bytes    the category
//	  varint   x and y of the square
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
	for i := range n {
		if uint64(len(dst)-index) > limit {
			return dst, false
		}
		from := i * blockCells
		to := min(from+blockCells, len(r.keys))
		dst = appendBlock(dst, r.keys[from:to], r.counts[from:to])
		entry := dst[index+i*indexEntry:]
		binary.LittleEndian.PutUint64(entry, r.keys[from])
		binary.LittleEndian.PutUint32(entry[8:], uint32(len(dst)-data))
	}
	return dst, true
}

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
	r := varints{b: body}
	n := r.uvarint()
	if n > uint64(len(body)) {
		return nil, sketch.Invalidf("%d sections in %d bytes", n, len(body))
	}
	dst = dst[:0]
	var sizes uint64
	for range n {
		var s sectionView
		if length := r.uvarint(); length > 0 {
			s.category = r.bytes(length - 1)
		}
		s.x, s.y = r.square(), r.square()
		cells := r.uvarint()
		s.total = r.uvarint()
		size := r.uvarint()
		if r.bad || size > uint64(len(body)) || cells == 0 || cells > size*8/minCellBits || s.total < cells {
			return nil, sketch.Invalidf("section %d of %d is damaged", len(dst)+1, n)
		}
		s.cells = int(cells)
		sizes += size
		s.data = r.b[:0:0]
		s.index = body[:size:size] // its length only, for now
		dst = append(dst, s)
	}
	if sizes != uint64(len(r.b)) {
		return nil, sketch.Invalidf("sections of %d bytes, but %d follow", sizes, len(r.b))
	}
	for i := range dst {
		s := &dst[i]
		size, index := len(s.index), blockCount(s.cells)*indexEntry
		if index > size {
			return nil, sketch.Invalidf("section %d of %d is damaged", i+1, n)
		}
		s.index, s.data = r.b[:index:index], r.b[index:size:size]
		r.b = r.b[size:]
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

// varints reads numbers from untrusted bytes; bad stays set once they end or
// make no sense.
type varints struct {
	b   []byte
	bad bool
}

func (r *varints) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// square reads the index of a square, which is small: cells reach to 2^53.
func (r *varints) square() int32 {
	v, n := binary.Varint(r.b)
	if n <= 0 || v < -1<<21 || v > 1<<21 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return int32(v)
}

// bytes reads n bytes, not nil even where n is 0.
func (r *varints) bytes(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return []byte{}
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	if b == nil {
		b = []byte{}
	}
	return b
}

// decodeSections reads all sections completely; it checks the order of cells
// and the totals.
func decodeSections(views []sectionView) ([]section, error) {
	sections := make([]section, 0, len(views))
	for i := range views {
		v := &views[i]
		r, ok := v.decodeAll()
		if !ok {
			return nil, sketch.Invalidf("the cells of section %d of %d are damaged", i+1, len(views))
		}
		if total := r.total(); total != v.total {
			return nil, sketch.Invalidf("section %d of %d counts %d occurrences, its cells %d", i+1, len(views), v.total, total)
		}
		sections = append(sections, section{v.place(), r})
	}
	return sections, nil
}
