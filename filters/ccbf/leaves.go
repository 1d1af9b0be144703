package ccbf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// leafList is how many points are known to lie in squares of cells: what a sketch
// that is a tree has in place of a cells.List. It is never changed once made.
type leafList struct {
	sections []leafSection // ordered by their labels, none of them empty
	// tau is the largest threshold that any part of it was pruned by.
	tau tree.Tau
	fit accuracy
	// plan is how it is written; nil where that is not known yet.
	plan *planned
}

// leafSection is the squares of one label.
type leafSection struct {
	cells.Label
	tree.Squares
}

// accuracy is what was known of the cells when they were pruned.
type accuracy struct {
	known   bool   // the rest is; not after anything was added or taken away
	sampled bool   // it is an estimate from a sample of cells: the tree was pruned while it was built
	cells   uint64 // with points, those of several categories once for each
	excess  uint64 // by how much their counts are too high together
	suppression
}

// listOf is the cells of l as squares.
func listOf(l cells.List) *leafList {
	t := &leafList{sections: make([]leafSection, len(l))}
	for i, s := range l {
		t.sections[i] = leafSection{s.Label, tree.Squares{Keys: s.Keys, Counts: s.Counts}}
	}
	return t
}

// list is the squares as cells; false where some are none.
func (t *leafList) list() (cells.List, bool) {
	l := make(cells.List, len(t.sections))
	for i := range t.sections {
		s := &t.sections[i]
		for _, level := range s.Levels {
			if level > 0 {
				return nil, false
			}
		}
		l[i] = cells.Section{Label: s.Label, Run: cells.Run{Keys: s.Keys, Counts: s.Counts}}
	}
	return l, true
}

// at is where the section of a label is, or where it would be.
func (t *leafList) at(p cells.Label) (int, bool) {
	return slices.BinarySearchFunc(t.sections, p, func(s leafSection, p cells.Label) int { return s.Compare(p) })
}

// squares are those of a label.
func (t *leafList) squares(p cells.Label) tree.Squares {
	if i, ok := t.at(p); ok {
		return t.sections[i].Squares
	}
	return tree.Squares{}
}

// with is t with other squares for a label, which may be none.
func (t *leafList) with(p cells.Label, s tree.Squares) *leafList {
	out := &leafList{sections: slices.Clone(t.sections), tau: t.tau}
	switch i, ok := t.at(p); {
	case s.Len() == 0 && ok:
		out.sections = slices.Delete(out.sections, i, i+1)
	case s.Len() == 0:
	case ok:
		out.sections[i].Squares = s
	default:
		out.sections = slices.Insert(out.sections, i, leafSection{p, s})
	}
	return out
}

// total is the number of points.
func (t *leafList) total() uint64 {
	n := uint64(0)
	for i := range t.sections {
		n = saturate.Add(n, t.sections[i].Total())
	}
	return n
}

// most is by how much the count of a cell can be too high.
func (t *leafList) most(categories bool) uint64 {
	most := uint64(0)
	if !categories {
		for i := range t.sections {
			most = max(most, t.sections[i].Most())
		}
		return most
	}
	// For points of any category a cell counts the squares of all of them.
	all := map[[2]int32]*tree.Merger{}
	for i := range t.sections {
		s := &t.sections[i]
		m := all[[2]int32{s.X, s.Y}]
		if m == nil {
			m = new(tree.Merger)
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

// number is how many squares there are.
func (t *leafList) number() (n uint64) {
	for i := range t.sections {
		n += uint64(t.sections[i].Len())
	}
	return n
}

// memory is the bytes that the list takes, about.
func (t *leafList) memory() int64 {
	n := int64(0)
	for i := range t.sections {
		n += cells.SectionBytes + squareBytes(t.sections[i].Len())
	}
	return n
}

// squareBytes is the memory of n squares: key, level and count.
func squareBytes(n int) int64 { return int64(n) * 17 }

// fitBytes is the memory that pruning n squares takes at most: nodes, of which
// there are less than twice as many, and squares that are left, in lists and sheets.
func fitBytes(n int) int64 { return int64(n) * (2*48 + 3*17) }

// The body of a tree (docs/FORMAT.md):
//
//	uvarint  tau, by its place on the scale
//	uvarint  1 + cells that were pruned; 0 where that is not known, 1 where it is estimated
//	uvarint  an estimate of the cells; only where it is one
//	uvarint  by how much their counts are too high together; only where known or estimated
//	uvarint  sections
//	per section: label; uvarint sheets
//	the code
//	per section: its sheets

// planned is a list and how it is written.
type planned struct {
	*leafList
	sheets [][]tree.Squares
	code   *tree.Code
}

// planned says how t is written.
func (t *leafList) planned() *planned {
	p := &planned{leafList: t}
	for i := range t.sections {
		p.sheets = append(p.sheets, t.sections[i].Sheets())
	}
	p.code = tree.CodeFor(p.sheets)
	return p
}

// maxHead is the most bytes that the numbers of a body take.
const maxHead = 4 * binary.MaxVarintLen64

// headBytes is the most bytes that what stands before the code takes.
func (t *leafList) headBytes() uint64 {
	n := maxHead
	for i := range t.sections {
		n += 4*binary.MaxVarintLen32 + len(t.sections[i].Category)
	}
	return uint64(n)
}

// size is the most bytes that the body takes.
func (p *planned) size() uint64 { return p.headBytes() + p.code.Size() }

// within is t, pruned where it takes more than limit bytes; false where even a tree
// of the largest squares does.
func (t *leafList) within(limit uint64) (*planned, bool) {
	// Cells that were never in a tree are here because they take too much.
	if t.plan != nil && t.plan.size() <= limit {
		return t.plan, true
	}
	if len(t.sections) == 0 || slices.ContainsFunc(t.sections, func(s leafSection) bool { return s.Levels != nil }) {
		if p := t.planned(); p.size() <= limit {
			return p, true
		}
	}
	head := t.headBytes()
	parts := make([]tree.Squares, len(t.sections))
	for i := range t.sections {
		parts[i] = t.sections[i].Squares
	}
	pruned, ok := tree.Fit(parts, limit-min(head, limit))
	out := &leafList{sections: make([]leafSection, len(parts)), tau: max(t.tau, pruned.Tau)}
	for i := range parts {
		out.sections[i] = leafSection{t.sections[i].Label, pruned.Parts[i]}
	}
	if pruned.Cells > 0 {
		out.fit = accuracy{known: true, cells: pruned.Cells, excess: pruned.Excess}
	}
	out.plan = &planned{out, pruned.Sheets, pruned.Code}
	return out.plan, ok && head <= limit
}

// appendTo appends the body.
func (p *planned) appendTo(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(p.tau))
	switch {
	case p.fit.sampled:
		dst = binary.AppendUvarint(dst, 1)
		dst = binary.AppendUvarint(dst, p.fit.cells)
		dst = binary.AppendUvarint(dst, p.fit.excess)
	case p.fit.known:
		dst = binary.AppendUvarint(dst, 1+p.fit.cells)
		dst = binary.AppendUvarint(dst, p.fit.excess)
	default:
		dst = binary.AppendUvarint(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(len(p.sections)))
	for i := range p.sections {
		dst = cells.AppendLabel(dst, p.sections[i].Label)
		dst = binary.AppendUvarint(dst, uint64(len(p.sheets[i])))
	}
	dst = p.code.AppendCode(dst)
	e := tree.NewEncoder(p.code)
	for _, sheets := range p.sheets {
		for i := range sheets {
			dst = e.AppendSheet(dst, &sheets[i])
		}
	}
	return dst
}

// treeSketch is a tree in memory.
type treeSketch struct{ *Sketch }

func (s treeSketch) form() Form      { return Tree }
func (s treeSketch) additive() bool  { return s.sums }
func (s treeSketch) saturated() bool { return s.TotalKnown && s.Total == full }
func (s treeSketch) memory() int64   { return s.tree.memory() }

func (s treeSketch) limits() grid.Rect {
	if len(s.tree.sections) == 0 {
		return cells.NoBounds
	}
	return s.bounds
}

func (s treeSketch) count(c grid.Cell, category []byte) uint64 {
	if !s.bounds.Contains(c) {
		return 0
	}
	p, z := labelOf(c, category)
	squares := s.tree.squares(p)
	return squares.Count(z)
}

// labelOf is the label of a cell, and its key there.
func labelOf(c grid.Cell, category []byte) (cells.Label, uint64) {
	x, y, z := cells.Key(c)
	return cells.Label{Category: string(category), None: category == nil, X: x, Y: y}, z
}

func (s treeSketch) removable(c grid.Cell, category []byte) uint64 { return s.count(c, category) }

func (s treeSketch) all(grid.Cell, []byte) (uint64, error) { return 0, ErrNeedsWeight }

// add counts the points at the cell itself: what is known of them is kept.
func (s treeSketch) add(c grid.Cell, category []byte, n uint64) error {
	p, z := labelOf(c, category)
	before := s.tree.squares(p)
	after := s.tree.with(p, tree.Merge(before, tree.Squares{Keys: []uint64{z}, Counts: []uint64{n}}))
	if before.Len() == 0 {
		if _, ok := after.within(s.Bytes); !ok {
			return after.tooLong(s.Bytes)
		}
	}
	s.tree = after
	s.bounds = cells.Hull(s.bounds, grid.Rect{MinX: c.X, MinY: c.Y, MaxX: c.X, MaxY: c.Y})
	return nil
}

// tooLong is the error for a tree whose sections take too many bytes.
func (t *leafList) tooLong(limit uint64) error {
	return sketch.OptionError("bytes", "is %d, which is too little for the tree of %s (give more bytes, or build with overflow: 'counters')",
		limit, sketch.Count(uint64(len(t.sections)), "section"))
}

func (s treeSketch) remove(c grid.Cell, category []byte, n uint64) error {
	p, z := labelOf(c, category)
	after, err := tree.Remove(s.tree.squares(p), z, n)
	if err != nil {
		return s.tree.cannot(err)
	}
	s.tree = s.tree.with(p, after)
	s.Total = s.tree.total()
	return nil
}

// cannot is the error for points that cannot be taken out.
func (t *leafList) cannot(err error) error {
	if errors.Is(err, tree.ErrAbsent) {
		return errNoPart
	}
	return errCoarser
}

// notKnown is a sketch.ErrNotAdditive of trees, which have no counters to speak of.
type notKnown string

func (e notKnown) Error() string { return string(e) }
func (notKnown) Unwrap() error   { return sketch.ErrNotAdditive }

const errCoarser = notKnown("the right sketch is coarser than the left one: which squares of the left one would lose points is not known (subtract an exact part, or one that is as fine)")

// errAcross is a square that no square of the coarser grid's Z-order curve holds.
var errAcross = errors.New("a square of the tree lies across a border of the coarser cells' order, which is 700 million of them or more from the origin")

func (s treeSketch) coarsen(factor uint64) error {
	out := &leafList{tau: s.tree.tau}
	for from := 0; from < len(s.tree.sections); {
		p := s.tree.sections[from].Label
		into := map[tree.Region]*tree.Squares{}
		to := from
		for ; to < len(s.tree.sections); to++ {
			t := &s.tree.sections[to]
			if t.Category != p.Category || t.None != p.None {
				break
			}
			if i, ok := tree.Coarsen(t.Squares, tree.Region{X: t.X, Y: t.Y}, factor, cells.Bias, into); !ok {
				at := cells.CellOf(t.X, t.Y, t.Keys[i])
				return fmt.Errorf("%w: the square of %d x %d cells at (%d, %d) (coarsen sketches while they are exact, or use a smaller factor)",
					errAcross, uint64(1)<<t.Level(i), uint64(1)<<t.Level(i), at.X, at.Y)
			}
		}
		for at, squares := range into {
			p.X, p.Y = at.X, at.Y
			out.sections = append(out.sections, leafSection{p, tree.Sorted(*squares)})
		}
		from = to
	}
	slices.SortFunc(out.sections, func(a, b leafSection) int { return a.Compare(b.Label) })
	s.tree = out
	if s.bounds != cells.NoBounds {
		s.bounds = s.bounds.Coarser(int64(factor))
	}
	return nil
}

// fold prunes the tree.
func (s treeSketch) fold(f *folding) error {
	p, ok := s.tree.within(f.limit)
	if !ok {
		return sketch.ArgumentError("bytes", "is %d, this sketch folds to no less than %d", f.size, f.size-f.limit+p.size())
	}
	s.tree = p.leafList
	f.resize(s.Sketch)
	return nil
}

// appendBody prunes the tree to its bytes. What was checked whenever a section came
// keeps it from taking more, but for the digits of counts that grow.
func (s treeSketch) appendBody(dst []byte, _ grid.Rect, limit uint64) ([]byte, bool) {
	p, _ := s.tree.within(limit)
	return p.appendTo(dst), true
}

// asTree is the tree of the cells of an exact sketch that may become one, in its
// bytes; nil where there is none.
func (s *Sketch) asTree() *Sketch {
	if s.Overflow != ToTree || s.tree != nil || s.dense != nil {
		return nil
	}
	p, ok := listOf(s.cells).within(s.Bytes)
	if !ok {
		return nil
	}
	t := *s
	t.tree, t.cells, t.bounds, t.sums = p.leafList, nil, s.cells.Bounds(), true
	return &t
}

// overflowed is an exact sketch whose cells do not fit, in another form.
func (s *Sketch) overflowed() *Sketch {
	if t := s.asTree(); t != nil {
		return t
	}
	return s.asDense()
}

// ErrForms says that a tree and counters cannot be combined: the cells of the
// points in a square are not known.
var ErrForms = errors.New("one sketch is a tree, whose cells are not known, and the other has counters: they do not combine; build all of them with more bytes, or with overflow: 'counters'")
