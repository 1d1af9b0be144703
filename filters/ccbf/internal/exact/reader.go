// Package exact is the exact form of a sketch: a sorted list of cells with their counts, in blocks that are
// decoded as a whole. It writes the list, and reads it in place.
package exact

import (
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Reader implements form.Reader for an exact sketch, from the encoded body. Reset can be called any number
// of times.
type Reader struct {
	form.Squares
	sections []section
	blocks   *decoder
}

// Reset makes r a reader of a body. It reads lengths and the index. Errors wrap sketch.ErrInvalid.
func (r *Reader) Reset(body []byte) (err error) {
	r.Squares.Reset()
	if r.blocks == nil {
		r.blocks = new(decoder)
	}
	r.blocks.of, r.blocks.room = nil, form.KeptBytes
	for i := range r.sections {
		r.sections[i].kept = nil // the next body may have fewer sections
	}
	if r.sections, err = parseBody(r.sections, body, r.Head.Bounds, r.Head.Categories, r.Head.Total); err != nil {
		return err
	}
	for i := range r.sections {
		s := &r.sections[i]
		s.decoder = r.blocks
		if err := r.AddSection(s.Label); err != nil {
			return err
		}
		r.AddSheet(i, s)
	}
	return nil
}

// A section implements form.Sheet: its packets are blocks.

func (s *section) Packets() int                   { return blockCount(s.cells) }
func (s *section) PacketTotal(int) (uint64, bool) { return 0, false }
func (s *section) Total() uint64                  { return s.total }
func (s *section) Number() int                    { return s.cells }

// Packet implements form.Sheet. Once queries have decoded more blocks than there are, it keeps those that they
// decode. Boxes over many categories would else decode a block of each again and again.
func (s *section) Packet(i int) cells.Squares {
	if s.kept != nil && s.kept[i].Len() > 0 {
		return s.kept[i]
	}
	block := s.decoder.block(s, i)
	if s.decodes++; s.decodes > blockCount(s.cells) {
		s.keep(i, block)
	}
	return block
}

// keep keeps the cells of block i if there is room.
func (s *section) keep(i int, block cells.Squares) {
	need, room := cells.SquareBytes(block.Len()), &s.decoder.room
	if s.kept == nil {
		need += int64(blockCount(s.cells)) * int64(unsafe.Sizeof(block))
	}
	if need > *room {
		return
	}
	*room -= need
	if s.kept == nil {
		s.kept = make([]cells.Squares, blockCount(s.cells))
	}
	s.kept[i] = block.Clone()
}

// decoder decodes blocks for queries.
type decoder struct {
	batch    *batch
	of       *section // the section of the decoded blocks; nil if there are none
	from, to int      // the blocks of the section that the batch has.
	room     int64    // number of bytes that the sections may still use to keep blocks.
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

// Error implements form.Reader.
func (r *Reader) Error() form.Error { return form.Error{Exact: true, Certain: true, Known: true} }

// Describe implements form.Reader.
func (r *Reader) Describe(i *form.Info) {
	i.Unbiased, i.Cells, i.CellsKnown, i.Categories = true, uint64(r.Number()), true, r.Categories()
}

// String implements form.Reader.
func (r *Reader) String() string { return "exact, " + sketch.Count(uint64(r.Number()), "cell") }

// EachBlock calls f with all cells, some of a section at a time, in the order of their keys. They
// are valid until f returns, and the label as long as the body. It checks order, totals and bounds; the error of damaged cells wraps
// sketch.ErrInvalid.
func (r *Reader) EachBlock(f func(*cells.Label, cells.Squares) error) error {
	return r.eachBlock(func(s *section, _ int, block cells.Squares) error { return f(&s.Label, block) })
}

// errOrders says that a block has other orders than appendBlock chooses.
var errOrders = sketch.Invalidf("a block with other orders than the shortest")

// eachBlock is EachBlock. It calls f with the section of each block, and its index there.
func (r *Reader) eachBlock(f func(s *section, i int, block cells.Squares) error) error {
	bounds := grid.EmptyRect()
	for i := range r.sections {
		s := &r.sections[i]
		total := uint64(0)
		var err error
		whole := s.each(func(i int, block cells.Squares) bool {
			total = saturate.Add(total, block.Total())
			bounds = bounds.Union(cells.CornersOf(block.Keys...).Rect(s.X, s.Y))
			err = f(s, i, block)
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
	}
	if bounds != r.Head.Bounds {
		return sketch.Invalidf("bounds that are not those of the cells")
	}
	return nil
}

// List returns all cells. It checks them as EachBlock does, and that each block has the orders that appendBlock chooses.
func (r *Reader) List() (cells.List, error) {
	var l cells.List
	err := r.eachBlock(func(of *section, i int, block cells.Squares) error {
		if !of.chosen(i, block) {
			return errOrders
		}
		if i == 0 {
			l = append(l, cells.Section{Label: of.Copy(), Squares: cells.Squares{Keys: make([]uint64, 0, of.cells), Counts: make([]uint64, 0, of.cells)}})
		}
		s := &l[len(l)-1]
		s.Keys, s.Counts = append(s.Keys, block.Keys...), append(s.Counts, block.Counts...)
		return nil
	})
	return l, err
}
