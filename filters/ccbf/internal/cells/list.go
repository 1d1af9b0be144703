package cells

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Label identifies a section of an exact sketch: a category, and a region of 2^32 x 2^32 cells. Region
// (0, 0) reaches at least 1.4e9 cells in every direction, so only very fine grids use other regions.
type Label struct {
	Category []byte // nil if the points have no category, which differs from the empty one. It is never changed.
	X, Y     int32
}

// Compare orders labels by category, Y and X. All labels of a sketch have a category, or none has.
func (p *Label) Compare(q *Label) int {
	return cmp.Or(bytes.Compare(p.Category, q.Category), cmp.Compare(p.Y, q.Y), cmp.Compare(p.X, q.X))
}

// Copy returns the label with a copy of its category, because that of a reader refers to the bytes of a BLOB.
func (p *Label) Copy() Label { return Label{bytes.Clone(p.Category), p.X, p.Y} }

// AppendLabel appends a label as a section begins with it.
func AppendLabel(dst []byte, p Label) []byte {
	if p.Category != nil {
		dst = binary.AppendUvarint(dst, uint64(len(p.Category)))
		dst = append(dst, p.Category...)
	}
	dst = binary.AppendVarint(dst, int64(p.X))
	return binary.AppendVarint(dst, int64(p.Y))
}

// maxRegion is the largest index of a region, as cells reach to 2^53.
const maxRegion = 1 << 22

// ReadLabel reads the result of AppendLabel, with or without a category, which refers to the bytes of r. An
// error wraps sketch.ErrInvalid.
func ReadLabel(r *sketch.Reader, categories bool) (Label, error) {
	var p Label
	if categories {
		p.Category = r.Bytes(r.Uvarint())
	}
	x, y := r.Varint(), r.Varint()
	if max(x, y) > maxRegion || min(x, y) < -maxRegion {
		return p, sketch.Invalidf("a region beyond any cell")
	}
	p.X, p.Y = int32(x), int32(y)
	return p, r.Err()
}

// Section has the cells or squares of one label.
type Section struct {
	Label
	Squares
}

// Rect returns the cells of square i.
func (s *Section) Rect(i int) grid.Rect { return CellOf(s.X, s.Y, s.Keys[i]).Square(s.Level(i)) }

// List is sections ordered by their labels, none of them empty. Lists may share runs, which are
// never changed.
type List []Section

// At returns the index of the section with label p, and true. If there is none, it returns the index at
// which to insert it, and false.
func (l List) At(p Label) (int, bool) {
	return slices.BinarySearchFunc(l, p, func(s Section, p Label) int { return s.Compare(&p) })
}

// Squares returns the squares of a label.
func (l List) Squares(p Label) Squares {
	if i, ok := l.At(p); ok {
		return l[i].Squares
	}
	return Squares{}
}

// Subtract returns l without the points of o, as Subtract does for each section. It changes neither list.
func (l List) Subtract(o List) (List, error) {
	out := slices.Clone(l)
	for i := range o {
		left, err := Subtract(l.Squares(o[i].Label), o[i].Squares)
		if err != nil {
			return nil, err
		}
		at, _ := l.At(o[i].Label) // a section that l does not have is an error
		out[at].Squares = left
	}
	return slices.DeleteFunc(out, func(s Section) bool { return s.Len() == 0 }), nil
}

// Map returns a list of what f returns for each section, without the sections for which that is empty.
func (l List) Map(f func(s *Section) Squares) List {
	var out List
	for i := range l {
		if squares := f(&l[i]); squares.Len() > 0 {
			out = append(out, Section{l[i].Label, squares})
		}
	}
	return out
}

// LabelOf returns the label of a cell, and the cell's key in the region of the label.
func LabelOf(c grid.Cell, category []byte) (Label, uint64) {
	x, y, z := Key(c)
	return Label{category, x, y}, z
}

// Count returns the count of a cell.
func (l List) Count(c grid.Cell, category []byte) uint64 {
	p, z := LabelOf(c, category)
	s := l.Squares(p)
	return s.Count(z)
}

// Single returns a list of one cell that counts n, at least 1.
func Single(c grid.Cell, category []byte, n uint64) List {
	p, z := LabelOf(c, category)
	return List{{p.Copy(), Squares{Keys: []uint64{z}, Counts: []uint64{n}}}}
}

// Total returns the sum of all counts.
func (l List) Total() uint64 {
	total := uint64(0)
	for i := range l {
		total = saturate.Add(total, l[i].Total())
	}
	return total
}

// Number returns the number of squares. A cell with several categories counts once for each.
func (l List) Number() int {
	n := 0
	for i := range l {
		n += l[i].Len()
	}
	return n
}

// Memory returns about the number of bytes that the list takes.
func (l List) Memory() int64 {
	n := int64(0)
	for i := range l {
		n += SectionBytes + int64(cap(l[i].Keys)+cap(l[i].Counts))*8 + int64(cap(l[i].Levels))
	}
	return n
}

// SectionBytes is about the memory of a section without cells.
const SectionBytes = 256

// Plain returns the squares without categories: the counts of a square in all categories are added up.
func (l List) Plain() List {
	out := slices.Clone(l)
	for i := range out {
		out[i].Label = Label{X: l[i].X, Y: l[i].Y}
	}
	return out.Summed()
}

// Summed returns the sections in the order of their labels, and adds up those of one label. It does not
// change l, whose sections may be in any order.
func (l List) Summed() List {
	l = slices.Clone(l)
	slices.SortFunc(l, func(a, b Section) int { return a.Compare(&b.Label) })
	out := l[:0]
	var sum Merger
	for i, s := range l {
		if sum.Add(s.Squares); i+1 == len(l) || s.Compare(&l[i+1].Label) != 0 {
			out = append(out, Section{s.Label, sum.Sum()})
			sum = Merger{}
		}
	}
	clear(l[len(out):])
	return out
}

// ErrAcross is the error for a square that lies in no square of the coarser grid's Z-order curve.
var ErrAcross = errors.New("a square of the tree lies across a border of the coarser cells' order, which is 700 million of them or more from the origin")

// Coarser returns the squares on a grid whose cells are factor times as long. It does not change l. A list of
// cells has no error.
//
// If factor is no power of two, or does not divide Bias, a square may lie across squares of the new
// grid. It becomes the smallest square that holds it. Counts stay upper bounds and sums keep their bounds,
// but counts can be too high by more. A cell always lies in one new cell, so cells come out exact.
func (l List) Coarser(factor uint64) (List, error) {
	var out List
	levels := slices.ContainsFunc(l, func(s Section) bool { return s.Levels != nil })
	for i := range l {
		parts, err := l[i].coarser(int64(factor))
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			if !levels {
				part.Levels = nil
			}
			sorted := Sorted(part.Squares)
			out = append(out, Section{part.Label, sorted.Clone()}) // coarser made room for more
		}
	}
	return out.Summed(), nil
}

// coarser is Coarser for a section, whose squares may come to lie in several regions. Those of each are in no
// particular order.
//
// No square of a tree lies across regions or halves of one. The error is for the first square that does. This
// square is at least 2^29 cells of the coarser grid away from the origin.
func (s *Section) coarser(factor int64) (parts []Section, err error) {
	var part *Section
	for i, key := range s.Keys {
		x, y, low := Key(CellOf(s.X, s.Y, key).Coarser(factor))
		level := s.Level(i)
		if level > 0 {
			endX, endY, high := Key(CellOf(s.X, s.Y, s.Last(i)).Coarser(factor))
			if level = CommonLevel(low, high); endX != x || endY != y || level > MaxLevel {
				at := s.Rect(i)
				return nil, fmt.Errorf("%w: the square of %d x %d cells at (%d, %d) (coarsen sketches while they are exact, or use a smaller factor)",
					ErrAcross, at.Width(), at.Height(), at.MinX, at.MinY)
			}
		}
		if part == nil || part.X != x || part.Y != y {
			at := slices.IndexFunc(parts, func(p Section) bool { return p.X == x && p.Y == y })
			if at < 0 {
				at = len(parts)
				parts = append(parts, Section{Label: Label{s.Category, x, y}})
				if at == 0 { // there is rarely a second one
					parts[0].Squares = Room(s.Len())
				}
			}
			part = &parts[at]
		}
		part.add(low&^LowBits(level), level, s.Counts[i])
	}
	return parts, nil
}

// Of returns the cells of a set of categories, without the categories: the counts of a cell are added up.
// It does not change l.
func (l List) Of(of Categories) List {
	return slices.DeleteFunc(slices.Clone(l), func(s Section) bool { return !of.Has(s.Category) }).Plain()
}

// Differences calls f for each cell that counts differently in two lists, with both counts. It
// changes neither list. O(cells of a and b).
func Differences(a, b List, f func(c grid.Cell, x, y uint64)) {
	differences := func(p Label, a, b Squares) {
		pairs(a, b, func(key uint64, _ uint8, x, y uint64) {
			if x != y {
				f(CellOf(p.X, p.Y, key), x, y)
			}
		})
	}
	for i := range a {
		differences(a[i].Label, a[i].Squares, b.Squares(a[i].Label))
	}
	for i := range b {
		if _, both := a.At(b[i].Label); !both {
			differences(b[i].Label, Squares{}, b[i].Squares)
		}
	}
}
