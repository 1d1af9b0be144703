// Package exact is the exact form of a sketch: a sorted list of cells with their counts, in blocks that are
// decoded as a whole. It writes the list, and reads it in place.
package exact

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Reader implements form.Reader for an exact sketch, from the encoded body. Reset can be called any number
// of times.
type Reader struct {
	form.Squares
	sections []section
	blocks   *decoder
	decoded  int // how many blocks Count and Counts have decoded.
}

var (
	_ form.Reader = (*Reader)(nil)
	_ form.Lister = (*Reader)(nil)
)

// Reset makes r a reader of a body. It reads lengths and the index. Errors wrap sketch.ErrInvalid.
func (r *Reader) Reset(body []byte) (err error) {
	r.Squares.Reset()
	r.IsExact, r.decoded = true, 0
	if r.blocks == nil {
		r.blocks = new(decoder)
	}
	r.blocks.of = nil
	if r.sections, err = parseBody(r.sections, body, r.Head.Bounds, r.Head.Categories, r.Head.Total); err != nil {
		return err
	}
	for i := range r.sections {
		s := &r.sections[i]
		s.decoder = r.blocks
		if err := r.AddSection(s.LabelView); err != nil {
			return err
		}
		r.AddSheet(s)
	}
	return nil
}

// A section implements form.Sheet: its packets are blocks.

func (s *section) Packets() int                   { return blockCount(s.cells) }
func (s *section) PacketTotal(int) (uint64, bool) { return 0, false }
func (s *section) Total() uint64                  { return s.total }
func (s *section) Number() int                    { return s.cells }
func (s *section) Keep(room *int64)               { s.cache = form.NewCache(blockCount(s.cells), room) }

func (s *section) Packet(i int) cells.Squares {
	return s.cache.Packet(i, func(i int) cells.Squares { return s.decoder.block(s, i) })
}

// decoder decodes blocks for queries of areas.
type decoder struct {
	batch    *batch
	of       *section // the section of the decoded blocks; nil if there are none
	from, to int      // the blocks of the section that the batch has
}

// block returns the cells of block i of a section, valid until the next call. A damaged block has no cells:
// only Reader.List reports damage. It also decodes the next blocks, because most areas with cells of one
// block have cells of the next.
func (d *decoder) block(s *section, i int) cells.Squares {
	if d.batch == nil {
		d.batch = new(batch)
	}
	if d.of != s || i < d.from || i >= d.to {
		n := 1
		if d.of == s && i == d.to {
			n = together
		}
		d.of, d.from, d.to = s, i, min(i+n, blockCount(s.cells))
		d.batch.readFrom(&s.blocks, d.from, d.to)
	}
	return d.batch.cells(i - d.from)
}

// Memory implements form.Reader: the bytes of the list of all cells.
func (r *Reader) Memory() int64 {
	return int64(len(r.sections))*cells.SectionBytes + cells.Bytes(r.Number())
}

// Density implements form.Reader.
func (r *Reader) Density(p *form.Picture, of cells.Categories) error {
	return p.Paint(r.Head, 0, func(clip grid.Rect, to *form.Painting) error {
		r.EachSquare(clip, of, func(c grid.Cell, _ uint8, n uint64) { to.Add(c, n) })
		return nil
	})
}

// Error implements form.Reader.
func (r *Reader) Error() form.Error { return form.Error{Exact: true, Certain: true, Known: true} }

// Unbiased implements form.Reader.
func (r *Reader) Unbiased() bool { return true }

// Describe implements form.Reader.
func (r *Reader) Describe(i *form.Info) {
	i.Cells, i.CellsKnown, i.Categories = uint64(r.Number()), true, r.Categories()
}

// String implements form.Reader.
func (r *Reader) String() string { return "exact, " + sketch.Count(uint64(r.Number()), "cell") }

// EachBlock calls f with all cells, some of a section at a time, in the order of their keys. They
// are valid until f returns. It checks order, totals and bounds; the error of damaged cells wraps
// sketch.ErrInvalid.
func (r *Reader) EachBlock(f func(*cells.Label, cells.Squares) error) error {
	bounds := cells.NoBounds
	for i := range r.sections {
		s := &r.sections[i]
		label, total, around := s.Label(), uint64(0), cells.CornersOf(s.First(0))
		var err error
		whole := s.each(func(i int, block cells.Squares) bool {
			if !s.chosen(i, block) {
				return false
			}
			total = saturate.Add(total, block.Total())
			around = around.Around(block.Keys)
			err = f(&label, block)
			return err == nil
		})
		switch {
		case err != nil:
			return err
		case !whole:
			return sketch.Invalidf("the cells of section %d of %d are damaged", i+1, len(r.sections))
		case total != s.total:
			return sketch.Invalidf("section %d of %d counts %d occurrences, but its cells count %d", i+1, len(r.sections), s.total, total)
		}
		bounds = cells.Hull(bounds, around.Rect(s.X, s.Y))
	}
	if bounds != r.Head.Bounds {
		return sketch.Invalidf("bounds that are not those of the cells")
	}
	return nil
}

// List returns all cells. It checks them as EachBlock does.
func (r *Reader) List() (cells.List, error) {
	var l cells.List
	err := r.EachBlock(func(label *cells.Label, block cells.Squares) error {
		if len(l) == 0 || l[len(l)-1].Label != *label {
			n := r.sections[len(l)].cells
			l = append(l, cells.Section{Label: *label, Squares: cells.Squares{Keys: make([]uint64, 0, n), Counts: make([]uint64, 0, n)}})
		}
		s := &l[len(l)-1]
		s.Keys, s.Counts = append(s.Keys, block.Keys...), append(s.Counts, block.Counts...)
		return nil
	})
	return l, err
}

// sectionsOf calls f with the sections of categories in region (x, y).
func (r *Reader) sectionsOf(of cells.Categories, x, y int32, f func(s *section)) {
	if len(r.sections) == 0 {
		return
	}
	one, isOne := of.One()
	if !isOne || one == nil && r.sections[0].Category != nil {
		for i := range r.sections {
			if s := &r.sections[i]; s.X == x && s.Y == y && of.Has(s.Category) {
				f(s)
			}
		}
		return
	}
	i, ok := slices.BinarySearchFunc(r.sections, one, func(s section, category []byte) int {
		return cmp.Or(bytes.Compare(s.Category, category), cmp.Compare(s.Y, y), cmp.Compare(s.X, x))
	})
	if ok {
		f(&r.sections[i])
	}
}

// Decoded returns how many blocks Count and Counts have decoded since Reset.
func (r *Reader) Decoded() int { return r.decoded }

// Blocks returns the number of blocks.
func (r *Reader) Blocks() int {
	n := 0
	for i := range r.sections {
		n += blockCount(r.sections[i].cells)
	}
	return n
}

// fewLookups is the number of cells up to which Counts looks each up by itself.
const fewLookups = 4

// lookupScratch is scratch memory of Counts.
type lookupScratch struct {
	keys, order []uint64
	radix       radix.Scratch
}

var lookupScratches = sync.Pool{New: func() any { return new(lookupScratch) }}

// Count implements form.Reader.
func (r *Reader) Count(c grid.Cell, category []byte) uint64 { return r.count(c, cells.Of(category)) }

// count returns the count of a cell over categories.
func (r *Reader) count(c grid.Cell, of cells.Categories) uint64 {
	x, y, z := cells.Key(c)
	var n, order [1]uint64
	keys := [1]uint64{z}
	r.sectionsOf(of, x, y, func(s *section) { r.decoded += s.addCounts(n[:], keys[:], order[:]) })
	return n[0]
}

// Counts implements form.Reader. It looks the cells up in the order of their keys, so it decodes no block
// twice.
func (r *Reader) Counts(dst []uint64, at []grid.Cell, of cells.Categories) {
	if len(at) <= fewLookups {
		for i, c := range at {
			dst[i] = r.count(c, of)
		}
		return
	}
	a := lookupScratches.Get().(*lookupScratch)
	defer lookupScratches.Put(a)
	x, y, _ := cells.Key(at[0])
	a.keys, a.order = a.keys[:0], a.order[:0]
	for i, c := range at {
		cx, cy, z := cells.Key(c)
		// The cell is in another region than the first cell. This is rare: a region holds the whole
		// Earth, except for very fine grids.
		if cx != x || cy != y {
			dst[i] = r.count(c, of)
			continue
		}
		dst[i] = 0
		a.keys, a.order = append(a.keys, z), append(a.order, uint64(i))
	}
	a.radix.SortPairs(a.keys, a.order)
	r.sectionsOf(of, x, y, func(s *section) { r.decoded += s.addCounts(dst, a.keys, a.order) })
}

// addCounts adds the count of each cell keys[i] to dst[order[i]], for ascending keys. It returns
// how many blocks it decoded.
func (b *blocks) addCounts(dst, keys, order []uint64) (decoded int) {
	all := blockCount(b.cells)
	below, _ := slices.BinarySearch(keys, b.First(0))
	keys, order = keys[below:], order[below:]
	for from := 0; len(keys) > 0; {
		i := b.above(keys[0], from, all) - 1
		if i < 0 {
			// This happens only in a damaged index: no block begins at or before the key.
			return decoded
		}
		here := len(keys) // how many of the keys lie before the next block
		if i+1 < all {
			next := b.First(i + 1)
			here = sort.Search(len(keys), func(j int) bool { return keys[j] >= next })
		}
		if here > 0 {
			decoded++
			b.addBlock(i, dst, keys[:here], order)
		}
		// The next key is not below the first key of block i+1. So b.above finds that block or a later
		// one, even in a damaged index, and the loop ends.
		keys, order, from = keys[here:], order[here:], i+1
	}
	return decoded
}

// addBlock adds the counts of the cells with keys, all of which belong to block i.
func (b *blocks) addBlock(i int, dst, keys, order []uint64) {
	r, gapOrder, countOrder, n, ok := b.block(i)
	if !ok {
		return
	}
	for at, j := b.First(i), 0; ; {
		c := r.ReadClass(countOrder)
		for keys[0] < at {
			if keys, order = keys[1:], order[1:]; len(keys) == 0 {
				return
			}
		}
		for keys[0] == at {
			dst[order[0]] = saturate.Add(dst[order[0]], c+1)
			if keys, order = keys[1:], order[1:]; len(keys) == 0 {
				return
			}
		}
		if j++; j == n {
			return
		}
		at += r.ReadClass(gapOrder) + 1
	}
}
