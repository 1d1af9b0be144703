package tree

import (
	"bytes"
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Reader is a form.Reader for the body of a tree (nested squares with counts). list.go describes its
// bytes.
type Reader struct {
	form.Squares
	Fit Accuracy // the parameters state its Suppression, the body the rest.

	tau     Tau
	sheets  []Sheet // the sheets of all sections.
	decoder *decoder
	body    []byte
}

// Reset makes r a reader of a body. It reads lengths and the indexes of packets, not the
// leaves.
func (r *Reader) Reset(body []byte) error {
	in := sketch.NewReader("the tree", body)
	tau := in.Uvarint()
	r.Fit = Accuracy{Suppression: r.Fit.Suppression}
	if n := in.Uvarint(); n > 0 {
		r.Fit.Sampled, r.Fit.Cells = n == 1, n-1
		if r.Fit.Sampled {
			r.Fit.Cells = in.Uvarint()
		}
		r.Fit.Excess = in.Uvarint()
	}
	sections := in.Uvarint()
	if err := in.Err(); err != nil {
		return err
	}
	if tau >= Taus {
		return sketch.Invalidf("threshold %d, the last is %d", tau, Taus-1)
	}
	if sections > uint64(in.Len())/4 {
		return sketch.Invalidf("%d sections in %d bytes", sections, len(body))
	}
	r.tau, r.body = Tau(tau), body
	r.Squares.Reset()
	if r.decoder == nil {
		r.decoder = new(decoder)
	}
	r.decoder.sheet, r.decoder.room = nil, form.KeptBytes
	for i := range r.sheets {
		clear(r.sheets[i].index) // forget its leaves: the next body may have fewer sheets
	}
	if err := r.readSections(in, sections); err != nil {
		return err
	}
	total := uint64(0)
	for i := range r.sheets {
		total = saturate.Add(total, r.sheets[i].Total())
	}
	switch err := in.Done(); {
	case err != nil:
		return err
	case r.Head.TotalKnown && total != r.Head.Total:
		return sketch.Invalidf("a total of %d, but leaves count %d", r.Head.Total, total)
	case total > 0 && r.Head.Bounds.Empty():
		return sketch.Invalidf("leaves without bounds")
	}
	return nil
}

// readSections reads the labels of n sections, the code, and the heads of all sheets.
func (r *Reader) readSections(in *sketch.Reader, n uint64) error {
	number, all := make([]int, 0, n), 0 // the number of sheets of each section, and of all
	for i := range n {
		label, err := cells.ReadLabel(in, r.Head.Categories)
		if err != nil {
			return err
		}
		sheets := in.Uvarint()
		if err := in.Err(); err != nil {
			return err
		}
		if sheets == 0 || sheets > cells.MaxLevel+1 {
			return sketch.Invalidf("section %d of %d with %d sheets, must be from 1 to %d", i+1, n, sheets, cells.MaxLevel+1)
		}
		if err := r.AddSection(label); err != nil {
			return err
		}
		number = append(number, int(sheets))
		all += int(sheets)
	}
	var err error
	if r.decoder.Tables, err = ReadCode(in); err != nil {
		return err
	}
	// A sheet has two numbers, and a packet with three and a byte of leaves.
	if uint64(all) > uint64(in.Len())/6 {
		return sketch.Invalidf("%d sheets in %d bytes", all, in.Len())
	}
	if all > cap(r.sheets) {
		r.sheets = make([]Sheet, all)
	}
	r.sheets = r.sheets[:all]
	at := 0
	for i, sheets := range number {
		for range sheets {
			s := &r.sheets[at]
			if err := s.Read(in, r.decoder); err != nil {
				return err
			}
			if s.leaves == 0 {
				return sketch.Invalidf("an empty sheet")
			}
			r.AddSheet(i, s)
			at++
		}
	}
	return nil
}

// Memory implements form.Reader: the bytes of all leaves, and of the sheets that they are decoded from.
func (r *Reader) Memory() int64 {
	// A list that grows takes twice its size. The check of the list takes its size once more.
	lists := 3
	if len(r.sheets) > len(r.Sections) {
		// This counts the sheets, their sum, and the sum divided into sheets again.
		lists = 6
	}
	return int64(lists)*cells.SquareBytes(r.Number()) + int64(len(r.Sections))*cells.SectionBytes
}

// Error implements form.Reader, from what was measured when the cells were pruned.
func (r *Reader) Error() form.Error {
	var e form.Error
	list, err := r.All()
	// After an intersection or a mask the counted points may not be there, so the error is unknown.
	if err != nil || !r.Head.Sums {
		return e
	}
	if e.Certain, e.Most = true, list.Most(); r.Fit.Cells == 0 {
		return e
	}
	f := r.Fit
	e.Occupied.Excess = float64(f.Excess) / float64(f.Cells)
	// These are sums over all sections. all is the number of cells in bounds, and held is the number of
	// cells that lie in a leaf. excess is the sum by which their counts exceed the truth.
	all, held, excess := 0.0, 0.0, 0.0
	for i := range list.Sections {
		s := &list.Sections[i]
		var around cells.Enclosing
		for j, key := range s.Keys {
			n := float64(s.Rect(j).Intersect(r.Head.Bounds).Count())
			if around.Add(key, s.Level(j), s.Counts[j]) == 0 { // united trees have leaves within leaves
				held += n
			}
			excess += float64(s.Counts[j]) * (n - 1)
		}
		if i == 0 || !bytes.Equal(s.Category, list.Sections[i-1].Category) {
			all += float64(r.Head.Bounds.Width()) * float64(r.Head.Bounds.Height())
		}
	}
	if none := all - float64(f.Cells); none > 0 {
		e.Empty.Probability = max(0, held-float64(f.Cells)) / none
		e.Empty.Excess = max(0, excess-float64(f.Excess)) / none
	}
	e.Measured = true
	return e
}

// Describe implements form.Reader.
func (r *Reader) Describe(i *form.Info) {
	i.Tau, i.Leaves = r.tau.Value(), uint64(r.Number())
	if i.CellsKnown = r.Fit.Cells > 0 && !r.Fit.Sampled; i.CellsKnown {
		i.Cells = r.Fit.Cells
	}
	i.AtLeast, i.Suppressed = r.Fit.Least, r.Fit.Dropped
	i.Categories = r.Categories()
}

// String implements form.Reader.
func (r *Reader) String() string {
	n := r.Number()
	noun := "leaves"
	if n == 1 {
		noun = "leaf"
	}
	return fmt.Sprintf("tree, %s %s", sketch.Number(uint64(n)), noun) +
		sketch.Added(r.Head.Total, r.Head.TotalKnown)
}

// All returns all leaves. It checks that these leaves are written as this body, and that they agree with
// the head.
func (r *Reader) All() (*List, error) {
	list := &List{Tau: r.tau, Fit: r.Fit}
	for i := range r.Sections {
		of := &r.Sections[i]
		var squares cells.Merger
		for j, sheet := range of.Sheets {
			s, ok := sheet.(*Sheet).All()
			if !ok {
				return nil, sketch.Invalidf("the leaves of sheet %d of %d are damaged", j+1, len(of.Sheets))
			}
			squares.Add(s)
		}
		list.Sections = append(list.Sections, cells.Section{Label: of.Copy(), Squares: squares.Sum()})
	}
	list.code = CodeFor(list.Sections)
	if !bytes.Equal(list.AppendTo(make([]byte, 0, len(r.body))), r.body) {
		return nil, sketch.Invalidf("a tree that is not written as its leaves are")
	}
	if f := r.Fit; (f.Sampled || f.Cells > 0) && (f.Cells < uint64(r.Number()) || f.Cells > list.Sections.Total() || !f.Sampled && len(r.sheets) != len(r.Sections)) {
		return nil, sketch.Invalidf("%d leaves in %d sheets of %d cells with %d points", r.Number(), len(r.sheets), f.Cells, list.Sections.Total())
	}
	for i := range list.Sections {
		s := &list.Sections[i]
		for j := range s.Keys {
			if n := s.Counts[j]; n < r.Fit.Least {
				return nil, sketch.Invalidf("leaf %d of section %d has %d points, but at least %d were promised", j+1, i+1, n, r.Fit.Least)
			}
			if s.Rect(j).Intersect(r.Head.Bounds).Empty() {
				return nil, sketch.Invalidf("leaf %d of section %d is out of bounds", j+1, i+1)
			}
		}
	}
	return list, nil
}
