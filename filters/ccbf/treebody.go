package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// treeBody is the body of a tree, in place.
type treeBody struct {
	tau      tree.Tau
	fit      accuracy
	sections []treeSection
	tables   *tree.Tables
	sheets   []tree.Sheet // of all sections
	packet   *tree.Packet // for the leaves that a question reads
	groups   []treeGroup  // what the last question is about
	batch    batch
	asked    int   // questions
	room     int64 // for leaves that are kept
}

// keepLeaves is how much memory is taken to keep the leaves of a tree that is asked
// more than once, as many are asked only one question.
const keepLeaves = 16 << 20

// begin notes a question.
func (t *treeBody) begin() {
	if t.asked++; t.asked == 2 {
		t.room = keepLeaves
		for i := range t.sheets {
			t.sheets[i].Keep(&t.room)
		}
	}
}

// treeSection is one section of a body.
type treeSection struct {
	cells.LabelView
	from, to int // its sheets
}

// treeGroup is the sheets of one region.
type treeGroup struct {
	x, y   int32
	sheets []tree.Sheet
}

// reset makes t a view of a body. It reads lengths and the indexes of blocks, not the
// leaves.
func (t *treeBody) reset(body []byte, categories bool) error {
	r := sketch.NewReader("the tree", body)
	tau := r.Uvarint()
	t.fit = accuracy{}
	switch n := r.Uvarint(); n {
	case 0:
	case 1:
		t.fit = accuracy{known: true, sampled: true, cells: r.Uvarint(), excess: r.Uvarint()}
	default:
		t.fit = accuracy{known: true, cells: n - 1, excess: r.Uvarint()}
	}
	sections := r.Uvarint()
	if err := r.Err(); err != nil {
		return err
	}
	if tau >= tree.Taus {
		return sketch.Invalidf("threshold %d, the last is %d", tau, tree.Taus-1)
	}
	if sections > uint64(r.Len())/4 {
		return sketch.Invalidf("%d sections in %d bytes", sections, len(body))
	}
	t.tau, t.sections, t.asked = tree.Tau(tau), t.sections[:0], 0
	all := 0
	for i := range sections {
		label, err := cells.ReadLabel(r, categories)
		if err != nil {
			return err
		}
		n := r.Uvarint()
		if err := r.Err(); err != nil {
			return err
		}
		if n == 0 || n > tree.MaxLevel+1 {
			return sketch.Invalidf("section %d of %d with %d sheets, must be from 1 to %d", i+1, sections, n, tree.MaxLevel+1)
		}
		if i > 0 && t.sections[i-1].Compare(&label) >= 0 {
			return sketch.Invalidf("sections %d and %d are not in order", i, i+1)
		}
		t.sections = append(t.sections, treeSection{label, all, all + int(n)})
		all += int(n)
	}
	var err error
	if t.tables, err = tree.ReadCode(r); err != nil {
		return err
	}
	if all > cap(t.sheets) {
		t.sheets = make([]tree.Sheet, all)
	}
	t.sheets = t.sheets[:all]
	for i := range t.sheets {
		if err := t.sheets[i].Read(t.tables, r); err != nil {
			return err
		}
		if t.sheets[i].Leaves() == 0 {
			return sketch.Invalidf("an empty sheet")
		}
	}
	if t.packet == nil {
		t.packet = new(tree.Packet)
	}
	return r.Done()
}

// total is the sum of all counts.
func (t *treeBody) total() uint64 {
	n := uint64(0)
	for i := range t.sheets {
		n = saturate.Add(n, t.sheets[i].Total())
	}
	return n
}

// leaves is how many there are.
func (t *treeBody) leaves() int {
	n := uint64(0)
	for i := range t.sheets {
		n += t.sheets[i].Leaves()
	}
	return int(n)
}

// count is what a cell counts, in a category or, where that is nil, in all.
func (t *treeBody) count(c grid.Cell, category []byte) uint64 {
	t.begin()
	x, y, z := cells.Key(c)
	n := uint64(0)
	for i := range t.sections {
		if s := &t.sections[i]; s.X == x && s.Y == y && s.Matches(category) {
			n = saturate.Add(n, tree.Cell(t.sheets[s.from:s.to], z, t.packet).High)
		}
	}
	return n
}

// batch is the memory of questions for many cells.
type batch struct {
	keys, at []uint64 // in Z-order, and which question each is of
	found    []tree.Leaf
	sort     radix.Scratch
}

// counts is count for many cells: a block is read once for all that it holds of them.
func (t *treeBody) counts(dst []uint64, at []grid.Cell, bounds grid.Rect, category []byte) {
	clear(dst)
	b := &t.batch
	for _, g := range t.about(category) {
		b.keys, b.at = b.keys[:0], b.at[:0]
		for i, c := range at {
			if !bounds.Contains(c) {
				continue
			}
			if x, y, z := cells.Key(c); x == g.x && y == g.y {
				b.keys, b.at = append(b.keys, z), append(b.at, uint64(i))
			}
		}
		b.sort.SortPairs(b.keys, b.at)
		if cap(b.found) < len(b.keys) {
			b.found = make([]tree.Leaf, len(at))
		}
		found := b.found[:len(b.keys)]
		for i := range g.sheets {
			g.sheets[i].FindAll(b.keys, found, t.packet)
			for j, l := range found {
				dst[b.at[j]] = saturate.Add(dst[b.at[j]], l.Count)
			}
		}
	}
}

// about are the sheets that a question is about, by region: those of a category or,
// where that is nil, of all.
func (t *treeBody) about(category []byte) []treeGroup { return t.aboutAny(only(category)) }

// aboutAny is about for any categories.
func (t *treeBody) aboutAny(of which) []treeGroup {
	t.begin()
	t.groups = t.groups[:0]
	if of.all() && len(t.sections) > 0 && t.sections[0].Category == nil || len(t.sections) == 1 {
		for i := range t.sections { // ordered by region
			if s := &t.sections[i]; of.holds(s.Category) {
				t.groups = append(t.groups, treeGroup{s.X, s.Y, t.sheets[s.from:s.to]})
			}
		}
		return t.groups
	}
	regions := map[[2]int32]int{}
	for i := range t.sections {
		s := &t.sections[i]
		if !of.holds(s.Category) {
			continue
		}
		at, ok := regions[[2]int32{s.X, s.Y}]
		if !ok {
			at = len(t.groups)
			regions[[2]int32{s.X, s.Y}] = at
			t.groups = append(t.groups, treeGroup{x: s.X, y: s.Y})
		}
		t.groups[at].sheets = append(t.groups[at].sheets, t.sheets[s.from:s.to]...)
	}
	return t.groups
}

// open reads all leaves, and holds them against what the body says: it is the only
// one that they have.
func (t *treeBody) open() (*leafList, error) {
	parts := make([][]tree.Sheet, len(t.sections))
	for i, s := range t.sections {
		parts[i] = t.sheets[s.from:s.to]
	}
	squares, err := tree.Check(t.tables, parts, uint64(t.leaves()))
	if err != nil {
		return nil, err
	}
	list := &leafList{tau: t.tau, fit: t.fit, sections: make([]leafSection, len(t.sections))}
	for i := range t.sections {
		list.sections[i] = leafSection{t.sections[i].Label(), squares[i]}
	}
	return list, nil
}
