package ccbf

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// A builder of a sketch that overflows to a tree keeps cells in runs as others do, and
// squares, where some came or were pruned, in lists beside them.

const (
	// HoldTree times Bytes is how much memory a builder holds before it prunes what
	// it has, where Hold is not less: an exact list of Bytes, at 16 bytes for the 2
	// bits that a cell takes at least, and twice as much while runs are merged. A
	// sketch that can stay exact does.
	HoldTree = 256
	// HoldSketches is how much memory a builder that was given sketches holds in any
	// case before it prunes or counts in counters, where Hold is not less: their cells
	// may fit a sketch of more Bytes that is yet to come.
	HoldSketches = 16 << 20
	// keepTree times Bytes is what the leaves take in the BLOB that a builder keeps
	// when it prunes.
	keepTree = 4
)

// addTree adds the squares of a list.
func (b *Builder) addTree(t *leafList, bounds grid.Rect) error {
	if b.dense != nil {
		return ErrForms
	}
	for i := range t.sections {
		s := &t.sections[i]
		pb, err := b.at(s.KeyCategory(), s.X, s.Y)
		if err != nil {
			return err
		}
		if err := b.addSquares(pb, s.Squares); err != nil {
			return err
		}
	}
	return b.addPruned(1, t.tau, t.fit, bounds)
}

// addPruned notes where squares that were added come from.
func (b *Builder) addPruned(trees int, tau tree.Tau, fit accuracy, bounds grid.Rect) error {
	b.bounds, b.tau = cells.Hull(b.bounds, bounds), max(b.tau, tau)
	if b.trees == 0 {
		b.fit = fit
	}
	b.trees += trees
	return b.settle()
}

// addSquares adds squares to a section.
func (b *Builder) addSquares(pb *sectionBuilder, s tree.Squares) error {
	if err := b.grow(2 * squareBytes(s.Len())); err != nil { // they may be merged
		return err
	}
	before := pb.squares.Len()
	pb.squares.Add(s)
	return b.grow(squareBytes(pb.squares.Len()-before) - 2*squareBytes(s.Len()))
}

// holdMost is how many bytes are held before a builder of a tree prunes.
func (b *Builder) holdMost() int64 {
	return min(b.Hold, max(int64(b.Bytes)*HoldTree, b.leastHeld()))
}

// list is all that the builder has as squares, and the bounds of the cells among
// them.
func (b *Builder) list(of cells.List) (*leafList, grid.Rect) {
	t := &leafList{tau: b.tau}
	if b.trees == 1 && len(of) == 0 {
		t.fit = b.fit
	}
	for _, pb := range b.sections {
		s := pb.squares.Sum()
		if i, ok := slices.BinarySearchFunc(of, pb.Label, func(s cells.Section, p cells.Label) int { return s.Compare(p) }); ok {
			s = tree.Merge(s, tree.Squares{Keys: of[i].Keys, Counts: of[i].Counts})
		}
		if s.Len() > 0 {
			t.sections = append(t.sections, leafSection{pb.Label, s})
		}
	}
	slices.SortFunc(t.sections, func(a, b leafSection) int { return a.Compare(b.Label) })
	return t, of.Bounds()
}

// settleTree prunes, or goes over to counters, where more is held than shall be.
func (b *Builder) settleTree() error {
	most := b.holdMost()
	if b.unpacked() <= most {
		return nil
	}
	few := cells.RunBytes(int(b.cells)) < most/8
	if !few {
		if much, err := b.tooMuch(most); err != nil || !much {
			return err
		}
	}
	// Once pruned there is no way to counters. Sections that take much of the bytes
	// now may take more than all of them in the end.
	if b.trees == 0 {
		heads := uint64(0)
		for _, pb := range b.sections {
			heads += leastSection + uint64(len(pb.Category))
		}
		if heads > b.Bytes/2 {
			return b.spill()
		}
	}
	if few || cells.RunBytes(int(b.cells)) < most/8 {
		return nil // it would not be less: sections take it, or squares that are kept
	}
	return b.prune()
}

// leastSection is about what a section takes at least.
const leastSection = 16

// prune makes few squares of all that the builder has. Where they do not fit, it goes
// over to counters, as long as it can.
func (b *Builder) prune() error {
	list, err := b.gather()
	if err != nil {
		return err
	}
	n := 0
	for _, pb := range b.sections {
		n += pb.squares.Len() + pb.cells()
	}
	if err := b.grow(fitBytes(n)); err != nil {
		return err
	}
	t, bounds := b.list(list)
	p, ok := t.within(b.Bytes*keepTree, b.Spare)
	if err := b.grow(-fitBytes(n)); err != nil {
		return err
	}
	switch {
	case !ok && b.trees == 0:
		return b.spill()
	case !ok:
		return t.tooLong(b.Bytes)
	}
	freed := b.lent
	for _, pb := range b.sections {
		freed += b.dropRuns(pb) + squareBytes(pb.squares.Len())
		pb.squares = tree.Merger{}
		s := p.squares(pb.Label)
		freed -= squareBytes(s.Len())
		pb.squares.Add(s)
	}
	b.bounds, b.tau, b.trees, b.cells, b.lent = cells.Hull(b.bounds, bounds), p.tau, 2, 0, 0
	return b.grow(-freed)
}

// sketchTree makes the sketch of a builder that has squares.
func (b *Builder) sketchTree(of cells.List) (*Sketch, error) {
	t, bounds := b.list(of)
	p, ok := t.within(b.Bytes, b.Spare)
	if !ok {
		return nil, t.tooLong(b.Bytes)
	}
	s := &Sketch{
		Config: b.Config, Class: b.class, Total: b.total, TotalKnown: !b.unknown && !b.notSums,
		bounds: cells.Hull(b.bounds, bounds), tree: p.leafList, sums: !b.notSums, spare: b.Spare,
	}
	if !s.TotalKnown {
		s.lostTotal()
	}
	return s, nil
}
