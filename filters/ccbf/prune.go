package ccbf

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// A builder of a sketch that overflows to a tree keeps cells in stores as others do, and
// squares, where some came or were pruned, in lists beside them.

// addTree adds the squares of a list.
func (b *Builder) addTree(t *leafList, bounds grid.Rect) error {
	if b.dense != nil {
		return ErrForms
	}
	for i := range t.sections {
		s := &t.sections[i]
		to, err := b.at(s.KeyCategory(), s.X, s.Y, 0)
		if err != nil {
			return err
		}
		if err := b.addSquares(to, s.Squares); err != nil {
			return err
		}
	}
	b.sample.lost = true
	return b.addPruned(1, t.tau, t.fit, bounds)
}

// addPruned notes where squares that were added come from.
func (b *Builder) addPruned(trees int, tau tree.Tau, fit accuracy, bounds grid.Rect) error {
	b.bounds, b.tau = cells.Hull(b.bounds, bounds), max(b.tau, tau)
	if b.trees == 0 {
		b.fit = fit
	}
	b.trees += trees
	return nil
}

// needSample reserves the memory of the sample.
func (b *Builder) needSample() error {
	if b.sample.most > 0 {
		return nil
	}
	b.sample.most = sampleSize(b.Bytes)
	return b.grow(int64(b.sample.most) * sampledBytes)
}

// addSquares adds squares to a section. Those of all parts of a region are in one.
func (b *Builder) addSquares(s *section, squares tree.Squares) error {
	return b.change(s, 2*squareBytes(squares.Len()), func() { s.squares.Add(squares) }) // they may be merged
}

// list is all that the builder has as squares, and the bounds of the cells among
// them.
func (b *Builder) list(of cells.List) (*leafList, grid.Rect) {
	t := &leafList{tau: b.tau}
	if b.trees == 1 && len(of) == 0 {
		t.fit = b.fit
	}
	for _, from := range b.sections {
		if s := from.squares.Sum(); s.Len() > 0 {
			t.sections = append(t.sections, leafSection{from.Label, s})
		}
	}
	slices.SortFunc(t.sections, func(a, b leafSection) int { return a.Compare(b.Label) })
	for i := range of {
		own := tree.Squares{Keys: of[i].Keys, Counts: of[i].Counts}
		if at, ok := t.at(of[i].Label); ok {
			t.sections[at].Squares = tree.Merge(t.sections[at].Squares, own)
		} else {
			t.sections = slices.Insert(t.sections, at, leafSection{of[i].Label, own})
		}
	}
	return t, of.Bounds()
}

// overflow prunes, or goes over to counters, where there are too many cells.
func (b *Builder) overflow() error {
	// Once pruned there is no way to counters. Sections that take much of the bytes
	// now may take more than all of them in the end.
	if b.trees == 0 {
		heads := uint64(0)
		for _, s := range b.sections {
			heads += leastSection + uint64(len(s.Category))
		}
		if heads > b.Bytes/2 {
			return b.spill()
		}
	}
	if int64(b.least) <= b.mostCells()/2 {
		return nil // sections take it, which stay
	}
	return b.prune()
}

// prune makes few squares of all that the builder has. Where they do not fit, it goes
// over to counters, as long as it can.
func (b *Builder) prune() error {
	list, err := b.gather()
	if err != nil {
		return err
	}
	defer b.release(list)
	n := list.Cells()
	for _, s := range b.sections {
		n += s.squares.Len()
	}
	if err := b.grow(fitBytes(n)); err != nil {
		return err
	}
	t, bounds := b.list(list)
	p, ok := t.within(b.Bytes * keepTree)
	if err := b.grow(-fitBytes(n)); err != nil {
		return err
	}
	switch {
	case !ok && b.trees == 0:
		return b.spill()
	case !ok:
		return t.tooLong(b.Bytes)
	}
	b.bounds, b.tau, b.trees = cells.Hull(b.bounds, bounds), p.tau, 2
	if err := b.needSample(); err != nil {
		return err
	}
	b.sample.add(&b.Config, list)
	for _, s := range b.sections {
		s.squares = tree.Merger{}
	}
	if err := b.dropStores(); err != nil {
		return err
	}
	for i := range p.sections {
		s, err := b.at(p.sections[i].KeyCategory(), p.sections[i].X, p.sections[i].Y, 0)
		if err != nil {
			return err
		}
		if err := b.addSquares(s, p.sections[i].Squares); err != nil {
			return err
		}
	}
	return nil
}

// sketchTree makes the sketch of a builder that has squares.
func (b *Builder) sketchTree(of cells.List) (*Sketch, error) {
	t, bounds := b.list(of)
	p, ok := t.within(b.Bytes)
	if !ok {
		return nil, t.tooLong(b.Bytes)
	}
	if !b.sample.lost {
		sample := b.sample.clone()
		sample.add(&b.Config, of)
		p.leafList.fit = sample.accuracy(p.leafList, p.number(), b.total)
	}
	s := &Sketch{
		Config: b.Config, Class: b.class, Total: b.total, TotalKnown: !b.unknown && !b.notSums,
		bounds: cells.Hull(b.bounds, bounds), tree: p.leafList, sums: !b.notSums,
	}
	if !s.TotalKnown {
		s.lostTotal()
	}
	return s, nil
}
