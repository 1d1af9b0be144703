package tree

import (
	"encoding/binary"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// List is the body of a sketch that is a tree. For each label it has squares with their points. A List is
// never changed once made.
type List struct {
	Sections []Section // ordered by their labels, none of them empty
	// Tau is the largest threshold with which any part was pruned.
	Tau Tau
	Fit Accuracy
	// layout is the code and the sheets in which the list is written. It is nil as long as they are not
	// known.
	layout *Layout
}

// Section is a label (a region and a category) with its squares.
type Section struct {
	cells.Label
	Squares
}

// Accuracy is the error of a tree, measured when its cells were pruned.
type Accuracy struct {
	Known   bool   // whether Cells and Excess are known. Changes of the tree make it false.
	Sampled bool   // whether Cells and Excess are estimates, because the tree was pruned while it was built.
	Cells   uint64 // number of cells with points; a cell counts once for each of its categories.
	Excess  uint64 // the sum of the numbers by which the counts of these cells are too high.
	Suppression
}

// ListOf returns cells as squares.
func ListOf(l cells.List) *List {
	t := &List{Sections: make([]Section, len(l))}
	for i, s := range l {
		t.Sections[i] = Section{s.Label, Squares{Keys: s.Keys, Counts: s.Counts}}
	}
	return t
}

// Cells returns the list as cells. It returns false if some square is larger than a cell.
func (t *List) Cells() (cells.List, bool) {
	l := make(cells.List, len(t.Sections))
	for i := range t.Sections {
		s := &t.Sections[i]
		for _, level := range s.Levels {
			if level > 0 {
				return nil, false
			}
		}
		l[i] = cells.Section{Label: s.Label, Run: cells.Run{Keys: s.Keys, Counts: s.Counts}}
	}
	return l, true
}

// At returns the index of the section with label p, and whether there is one. If not, the index is where
// it would be inserted.
func (t *List) At(p cells.Label) (int, bool) {
	return slices.BinarySearchFunc(t.Sections, p, func(s Section, p cells.Label) int { return s.Compare(p) })
}

// Squares returns the squares of a label.
func (t *List) Squares(p cells.Label) Squares {
	if i, ok := t.At(p); ok {
		return t.Sections[i].Squares
	}
	return Squares{}
}

// With returns a copy of t in which label p has the squares s. If s is empty, the copy has no such
// section.
func (t *List) With(p cells.Label, s Squares) *List {
	out := &List{Sections: slices.Clone(t.Sections), Tau: t.Tau}
	switch i, ok := t.At(p); {
	case s.Len() == 0 && ok:
		out.Sections = slices.Delete(out.Sections, i, i+1)
	case s.Len() == 0:
	case ok:
		out.Sections[i].Squares = s
	default:
		out.Sections = slices.Insert(out.Sections, i, Section{p, s})
	}
	return out
}

// Total returns the number of points.
func (t *List) Total() uint64 {
	n := uint64(0)
	for i := range t.Sections {
		n = saturate.Add(n, t.Sections[i].Total())
	}
	return n
}

// Most returns the largest number by which the count of a cell can be too high. categories says whether
// points have categories: then it is for the count over all of them.
func (t *List) Most(categories bool) uint64 {
	most := uint64(0)
	if !categories {
		for i := range t.Sections {
			most = max(most, t.Sections[i].Most())
		}
		return most
	}
	// A count over all categories adds up leaves of all of them. So the lists of a region are merged
	// first.
	all := map[[2]int32]*Merger{}
	for i := range t.Sections {
		s := &t.Sections[i]
		m := all[[2]int32{s.X, s.Y}]
		if m == nil {
			m = new(Merger)
			all[[2]int32{s.X, s.Y}] = m
		}
		m.Add(s.Squares)
	}
	for _, m := range all {
		s := m.Sum()
		most = max(most, s.Most())
	}
	return most
}

// Number returns the number of squares.
func (t *List) Number() (n uint64) {
	for i := range t.Sections {
		n += uint64(t.Sections[i].Len())
	}
	return n
}

// Memory returns about the bytes that the list takes.
func (t *List) Memory() int64 {
	n := int64(0)
	for i := range t.Sections {
		n += cells.SectionBytes + SquareBytes(t.Sections[i].Len())
	}
	return n
}

// SquareBytes returns the memory of n squares: key, level and count.
func SquareBytes(n int) int64 { return int64(n) * 17 }

// FitBytes returns the most memory that pruning n squares takes: the squares of a window of thresholds, a
// sample, two trials and their sheets.
func FitBytes(n int) int64 { return 6 * SquareBytes(n) }

// The body of a tree (docs/FORMAT.md):
//
//	uvarint  tau, by its place on the scale
//	uvarint  1 + cells that were pruned; 0 if not known, 1 if estimated
//	uvarint  an estimate of the cells, if estimated
//	uvarint  the sum by which their counts are too high, if known or estimated
//	uvarint  sections
//	per section: label; uvarint sheets
//	the code
//	per section: its sheets

// Layout is a list, together with the code and the sheets in which it is written.
type Layout struct {
	*List
	sheets [][]Squares
	code   *Code
}

// laidOut lays out the list without pruning it.
func (t *List) laidOut() *Layout {
	p := &Layout{List: t}
	for i := range t.Sections {
		p.sheets = append(p.sheets, t.Sections[i].Sheets())
	}
	p.code = CodeFor(p.sheets)
	return p
}

// maxHead is the most bytes of the numbers of a body.
const maxHead = 4 * binary.MaxVarintLen64

// headBytes returns the most bytes of the body before its code.
func (t *List) headBytes() uint64 {
	n := maxHead
	for i := range t.Sections {
		n += 4*binary.MaxVarintLen32 + len(t.Sections[i].Category)
	}
	return uint64(n)
}

// Size returns the most bytes that the body takes.
func (p *Layout) Size() uint64 { return p.headBytes() + p.code.Size() }

// Within lays out the list. If the list takes more than limit bytes, it is pruned. Within returns false
// if even a tree of the largest squares takes more.
func (t *List) Within(limit uint64) (*Layout, bool) {
	// Lists that consist of cells only are not tried without pruning: the caller prunes them because they
	// take too much.
	if t.layout != nil && t.layout.Size() <= limit {
		return t.layout, true
	}
	if len(t.Sections) == 0 || slices.ContainsFunc(t.Sections, func(s Section) bool { return s.Levels != nil }) {
		if p := t.laidOut(); p.Size() <= limit {
			return p, true
		}
	}
	head := t.headBytes()
	parts := make([]Squares, len(t.Sections))
	for i := range t.Sections {
		parts[i] = t.Sections[i].Squares
	}
	pruned, ok := Fit(parts, limit-min(head, limit))
	out := &List{Sections: make([]Section, len(parts)), Tau: max(t.Tau, pruned.Tau)}
	for i := range parts {
		out.Sections[i] = Section{t.Sections[i].Label, pruned.Parts[i]}
	}
	if pruned.Cells > 0 {
		out.Fit = Accuracy{Known: true, Cells: pruned.Cells, Excess: pruned.Excess}
	}
	out.layout = &Layout{out, pruned.Sheets, pruned.Code}
	return out.layout, ok && head <= limit
}

// AppendTo appends the body.
func (p *Layout) AppendTo(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(p.Tau))
	switch {
	case p.Fit.Sampled:
		dst = binary.AppendUvarint(dst, 1)
		dst = binary.AppendUvarint(dst, p.Fit.Cells)
		dst = binary.AppendUvarint(dst, p.Fit.Excess)
	case p.Fit.Known:
		dst = binary.AppendUvarint(dst, 1+p.Fit.Cells)
		dst = binary.AppendUvarint(dst, p.Fit.Excess)
	default:
		dst = binary.AppendUvarint(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(len(p.Sections)))
	for i := range p.Sections {
		dst = cells.AppendLabel(dst, p.Sections[i].Label)
		dst = binary.AppendUvarint(dst, uint64(len(p.sheets[i])))
	}
	dst = p.code.AppendCode(dst)
	e := NewEncoder(p.code)
	for _, sheets := range p.sheets {
		for i := range sheets {
			dst = e.AppendSheet(dst, &sheets[i])
		}
	}
	return dst
}

// TooLong returns the error for a tree whose sections take too many bytes.
func (t *List) TooLong(limit uint64) error {
	return sketch.OptionError("bytes", "is %d, which is too little for the tree of %s (give more bytes, or build with overflow: 'counters')",
		limit, sketch.Count(uint64(len(t.Sections)), "section"))
}
