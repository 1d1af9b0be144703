package tree

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Reader is a form.Reader for the body of a tree (nested squares with counts). list.go describes its
// bytes.
type Reader struct {
	Head        *form.Head
	Suppression Suppression // the suppression that the parameters state.

	tau      Tau
	fit      Accuracy
	sections []section
	tables   *Tables
	sheets   []Sheet // the sheets of all sections.
	packet   *Packet // memory for the packet that a query decodes
	groups   []group // the sheets that the last query reads, by region.
	lookups  lookupScratch
	queries  int   // number of queries since Reset, at most 2.
	room     int64 // number of bytes that may still be used to keep leaves.
}

var (
	_ form.Reader      = (*Reader)(nil)
	_ form.Lister      = (*Reader)(nil)
	_ form.ErrorCoster = (*Reader)(nil)
)

// keepLeaves is the number of bytes for decoded leaves. They are kept from the second query on, as many
// readers serve only one.
const keepLeaves = 16 << 20

// begin counts a query. From the second query on, the sheets keep decoded leaves.
func (r *Reader) begin() {
	if r.queries++; r.queries == 2 {
		r.room = keepLeaves
		for i := range r.sheets {
			r.sheets[i].Keep(&r.room)
		}
	}
}

// section is one section of a body.
type section struct {
	cells.LabelView
	from, to int // its sheets are Reader.sheets[from:to]
}

// group has all sheets of one region.
type group struct {
	x, y   int32
	sheets []Sheet
}

// Reset makes r a reader of a body. It reads lengths and the indexes of packets, not the
// leaves.
func (r *Reader) Reset(body []byte) error {
	in := sketch.NewReader("the tree", body)
	tau := in.Uvarint()
	r.fit = Accuracy{}
	switch n := in.Uvarint(); n {
	case 0:
	case 1:
		r.fit = Accuracy{Known: true, Sampled: true, Cells: in.Uvarint(), Excess: in.Uvarint()}
	default:
		r.fit = Accuracy{Known: true, Cells: n - 1, Excess: in.Uvarint()}
	}
	r.fit.Suppression = r.Suppression
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
	r.tau, r.queries = Tau(tau), 0
	if r.packet == nil {
		r.packet = new(Packet)
	}
	r.packet.sheet = nil
	if err := r.readSections(in, sections); err != nil {
		return err
	}
	if err := in.Done(); err != nil {
		return err
	}
	return r.checkTotal()
}

// readSections reads the labels of n sections, the code, and the heads of all sheets.
func (r *Reader) readSections(in *sketch.Reader, n uint64) error {
	r.sections = r.sections[:0]
	all := 0
	for i := range n {
		label, err := cells.ReadLabel(in, r.Head.Categories)
		if err != nil {
			return err
		}
		sheets := in.Uvarint()
		if err := in.Err(); err != nil {
			return err
		}
		if sheets == 0 || sheets > MaxLevel+1 {
			return sketch.Invalidf("section %d of %d with %d sheets, must be from 1 to %d", i+1, n, sheets, MaxLevel+1)
		}
		if i > 0 && r.sections[i-1].Compare(&label) >= 0 {
			return sketch.Invalidf("sections %d and %d are not in order", i, i+1)
		}
		r.sections = append(r.sections, section{label, all, all + int(sheets)})
		all += int(sheets)
	}
	var err error
	if r.tables, err = ReadCode(in); err != nil {
		return err
	}
	if all > cap(r.sheets) {
		r.sheets = make([]Sheet, all)
	}
	r.sheets = r.sheets[:all]
	for i := range r.sheets {
		if err := r.sheets[i].Read(r.tables, in); err != nil {
			return err
		}
		if r.sheets[i].Leaves() == 0 {
			return sketch.Invalidf("an empty sheet")
		}
	}
	return nil
}

// checkTotal checks that all counts add up to the total in the head, if that is known.
func (r *Reader) checkTotal() error {
	total := uint64(0)
	for i := range r.sheets {
		total = saturate.Add(total, r.sheets[i].Total())
	}
	if r.Head.TotalKnown && total != r.Head.Total {
		return sketch.Invalidf("a total of %d, but leaves count %d", r.Head.Total, total)
	}
	if (total == 0) != (r.Head.Bounds == cells.NoBounds) && total > 0 {
		return sketch.Invalidf("leaves without bounds")
	}
	return nil
}

// Leaves returns the number of leaves.
func (r *Reader) Leaves() int {
	n := uint64(0)
	for i := range r.sheets {
		n += r.sheets[i].Leaves()
	}
	return int(n)
}

// lookupScratch is memory for a lookup of many cells.
type lookupScratch struct {
	keys, at []uint64 // keys in Z-order, and the index of the cell that each belongs to
	found    []Leaf
	sort     radix.Scratch
}

// Counts implements form.Reader. It reads a packet once for all cells that the packet holds.
func (r *Reader) Counts(dst []uint64, at []grid.Cell, of cells.Categories) {
	clear(dst)
	b := &r.lookups
	for _, g := range r.sheetsOf(of) {
		b.keys, b.at = b.keys[:0], b.at[:0]
		for i, c := range at {
			if !r.Head.Bounds.Contains(c) {
				continue
			}
			if x, y, z := cells.Key(c); x == g.x && y == g.y {
				b.keys, b.at = append(b.keys, z), append(b.at, uint64(i))
			}
		}
		b.sort.SortPairs(b.keys, b.at)
		if cap(b.found) < len(b.keys) {
			b.found = make([]Leaf, len(at))
		}
		found := b.found[:len(b.keys)]
		for i := range g.sheets {
			g.sheets[i].FindAll(b.keys, found, r.packet)
			for j, l := range found {
				dst[b.at[j]] = saturate.Add(dst[b.at[j]], l.Count)
			}
		}
	}
}

// sheetsOf returns the sheets of the categories of, grouped by region. It counts as a query.
func (r *Reader) sheetsOf(of cells.Categories) []group {
	r.begin()
	r.groups = r.groups[:0]
	if of.All() && len(r.sections) > 0 && r.sections[0].Category == nil || len(r.sections) == 1 {
		for i := range r.sections { // these are ordered by region
			if s := &r.sections[i]; of.Has(s.Category) {
				r.groups = append(r.groups, group{s.X, s.Y, r.sheets[s.from:s.to]})
			}
		}
		return r.groups
	}
	regions := map[[2]int32]int{}
	for i := range r.sections {
		s := &r.sections[i]
		if !of.Has(s.Category) {
			continue
		}
		at, ok := regions[[2]int32{s.X, s.Y}]
		if !ok {
			at = len(r.groups)
			regions[[2]int32{s.X, s.Y}] = at
			r.groups = append(r.groups, group{x: s.X, y: s.Y})
		}
		r.groups[at].sheets = append(r.groups[at].sheets, r.sheets[s.from:s.to]...)
	}
	return r.groups
}

// All returns all leaves. It checks that these leaves are written as this body, and that they agree with
// the head.
func (r *Reader) All() (*List, error) {
	list, err := r.list()
	if err != nil {
		return nil, err
	}
	if f := r.fit; f.Known && (f.Cells < uint64(r.Leaves()) || f.Cells > list.Total() || !f.Sampled && len(r.sheets) != len(r.sections)) {
		return nil, sketch.Invalidf("%d leaves in %d sheets of %d cells with %d points", r.Leaves(), len(r.sheets), f.Cells, list.Total())
	}
	if err := r.Suppression.check(list); err != nil {
		return nil, err
	}
	for i := range list.Sections {
		s := &list.Sections[i]
		a := RegionArea{Bounds: r.Head.Bounds, X: s.X, Y: s.Y}
		for j, key := range s.Keys {
			if a.Rect(key, s.Level(j)).Empty() {
				return nil, sketch.Invalidf("leaf %d of section %d is out of bounds", j+1, i+1)
			}
		}
	}
	return list, nil
}

// list returns all leaves. It checks that these leaves are written as this body.
func (r *Reader) list() (*List, error) {
	parts := make([][]Sheet, len(r.sections))
	for i, s := range r.sections {
		parts[i] = r.sheets[s.from:s.to]
	}
	squares, err := Check(r.tables, parts, uint64(r.Leaves()))
	if err != nil {
		return nil, err
	}
	list := &List{Tau: r.tau, Fit: r.fit, Sections: make([]Section, len(r.sections))}
	for i := range r.sections {
		list.Sections[i] = Section{r.sections[i].Label(), squares[i]}
	}
	return list, nil
}
