package ccbf

import (
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// A builder of a sketch that overflows to a tree (nested squares with counts) keeps cells in
// stores, as others do. Squares that were added or pruned are in lists beside them.

// treeState has the squares of a Builder that were added as trees or pruned.
type treeState struct {
	pruned bool          // whether trees were added, or cells pruned.
	tau    tree.Tau      // the largest threshold of these trees.
	fit    tree.Accuracy // the accuracy of the only tree; nothing after the second one, and after pruning.
	sample cellSample    // a sample of the cells that were pruned.
}

const (
	// keepTree times Bytes is the size, in a BLOB, of the leaves that a builder keeps when it
	// prunes. It is less if these are too many for Hold.
	keepTree = 4
	// leastSection is about the least size of a section in a BLOB.
	leastSection = 16
)

// addTree adds the leaves that r reads, all of which lie in bounds.
func (b *Builder) addTree(r *tree.Reader, bounds grid.Rect) error {
	// Reserve the memory before the leaves are read.
	if err := b.grow(r.Memory()); err != nil {
		return err
	}
	t, err := r.All()
	if err != nil {
		return err
	}
	if err := b.addSections(t.Sections); err != nil {
		return err
	}
	b.sample.lost = true
	b.notePruned(t.Tau, t.Fit, bounds)
	b.free(r.Memory())
	return nil
}

// addSections adds squares to the sections of their labels.
func (b *Builder) addSections(l cells.List) error {
	for i := range l {
		s, err := b.at(l[i].Category, l[i].X, l[i].Y, 0)
		if err != nil {
			return err
		}
		if err := b.addSquares(s, l[i].Squares); err != nil {
			return err
		}
	}
	return nil
}

// notePruned notes where added squares come from: their threshold, their accuracy and their bounds.
func (b *Builder) notePruned(tau tree.Tau, fit tree.Accuracy, bounds grid.Rect) {
	b.bounds, b.tau = b.bounds.Union(bounds), max(b.tau, tau)
	if b.pruned {
		fit = tree.Accuracy{}
	}
	b.pruned, b.fit = true, fit
}

// needSample reserves the memory of the sample.
func (b *Builder) needSample() error {
	if b.sample.most > 0 {
		return nil
	}
	b.sample.most = sampleSize(b.Bytes)
	return b.grow(int64(b.sample.most) * sampledBytes)
}

// addSquares adds squares to a section. The squares of all parts of a region are in one section.
func (b *Builder) addSquares(s *section, squares cells.Squares) error {
	// The squares may be merged with all those of the section.
	need := cells.SquareBytes(s.squares.Len() + 2*squares.Len())
	return b.change(s, need, func() { s.squares.Add(squares) })
}

// list returns everything in the builder as squares. of has the cells of the stores.
func (b *Builder) list(of cells.List) *tree.List {
	t := &tree.List{Tau: b.tau}
	if len(of) == 0 {
		t.Fit = b.fit
	}
	all := slices.Clone(of)
	for _, from := range b.all {
		if s := from.squares.Sum(); s.Len() > 0 {
			all = append(all, cells.Section{Label: from.Label, Squares: s})
		}
	}
	t.Sections = all.Summed()
	return t
}

// pruneOrCount prunes the cells, or goes over to counters, if there are too many.
func (b *Builder) pruneOrCount() error {
	// A pruned builder cannot go over to counters later. If the heads of sections now take half of the
	// bytes, they may need more than all bytes in the end. So it goes over now.
	if !b.pruned {
		heads := uint64(0)
		for _, s := range b.all {
			heads += leastSection + uint64(len(s.Category))
		}
		if heads > b.Bytes/2 {
			return b.goToCounters()
		}
	}
	if int64(b.least) <= b.mostCells()/2 {
		// The sections take the memory, not their cells. Pruning would free little.
		return nil
	}
	return b.prune()
}

// prune replaces everything in the builder by few squares. If they do not fit, it goes over to
// counters, unless it was pruned before.
func (b *Builder) prune() error {
	defer b.turn()()
	list, err := b.gather()
	if err != nil {
		return err
	}
	defer b.release(list)
	n := list.Number() + b.squares()
	if err := b.grow(tree.FitBytes(n)); err != nil {
		return err
	}
	t := b.list(list)
	keep := b.Bytes * keepTree
	p, ok := t.Within(keep)
	// Leaves take half of the memory at most, so that two builders can be merged.
	for ok && keep > b.Bytes && int64(p.Sections.Number()) > b.treeHold()/cellBytes/2 {
		keep = max(keep/2, b.Bytes)
		p, ok = p.Within(keep)
	}
	if ok {
		if err := b.needSample(); err != nil {
			return err
		}
		b.sample.add(&b.Config, list)
	}
	b.free(tree.FitBytes(n))
	switch {
	case !ok && !b.pruned:
		return b.goToCounters()
	case !ok:
		return t.TooLong(b.Bytes)
	}
	b.notePruned(p.Tau, tree.Accuracy{}, list.Bounds())
	b.dropCells()
	return b.addSections(p.Sections)
}

// sketchTree makes the sketch of a builder that has squares. of has the cells of the stores.
func (b *Builder) sketchTree(of cells.List) (*Sketch, error) {
	t := b.list(of)
	p, ok := t.Within(b.Bytes)
	if !ok {
		return nil, t.TooLong(b.Bytes)
	}
	if !b.sample.lost {
		sample := b.sample
		sample.add(&b.Config, of)
		p.Fit = sample.accuracy(p, b.total)
	}
	s := b.empty()
	s.squares, s.pruned, s.bounds = p, true, b.bounds.Union(of.Bounds())
	if b.unknown {
		s.lostTotal()
	}
	return s, nil
}

// cellSample is a sample of cells with their true counts, for a tree that is pruned while it is built. In
// the end the error of the tree is measured from the sample. A cell is in the sample if the upper bits of
// its hash are 0. So the sample depends neither on the order of cells nor on the builders that counted
// them.
type cellSample struct {
	cells cells.List
	most  int // largest number of cells
	bits  int // how many upper bits of a hash must be 0.
	// lost is true if a tree was added: the cells in its squares are unknown, so no error can be
	// measured.
	lost bool
}

const (
	// leastSampled and mostSampled bound the size of a sample, for trees of few bytes and of many.
	// If the standard deviation of counts is about their mean, the mean of 4,096 is within 5% (3
	// sigma) of that of all cells. The mean of 256 is within 19%.
	leastSampled = 1 << 8
	mostSampled  = 1 << 12
	// sampledBytes is about the memory of a cell that is the only one of its category.
	sampledBytes = 128
)

// sampleSize returns the largest number of cells in the sample of a tree of bytes bytes.
func sampleSize(bytes uint64) int { return int(min(max(bytes/4, leastSampled), mostSampled)) }

// add adds the cells of a list that are in the sample. If the sample is too large then, it halves the sample.
func (s *cellSample) add(c *Config, list cells.List) {
	h := c.counters().Hasher(0)
	s.cells = s.trim(&h, append(slices.Clone(s.cells), list...)).Summed()
	for s.cells.Number() > s.most {
		s.bits++
		s.cells = s.trim(&h, s.cells)
	}
}

// trim returns the cells of a list that are in the sample.
func (s *cellSample) trim(h *counters.Hasher, list cells.List) cells.List {
	return list.Map(func(of *cells.Section) (some cells.Squares) {
		for i, key := range of.Keys {
			first, _ := h.Hash(cells.CellOf(of.X, of.Y, key), of.Category)
			if bits.LeadingZeros64(first) >= s.bits {
				some.Keys, some.Counts = append(some.Keys, key), append(some.Counts, of.Counts[i])
			}
		}
		return some
	})
}

// merge adds another sample, which it does not change.
func (s *cellSample) merge(c *Config, o *cellSample) {
	s.lost = s.lost || o.lost
	s.bits = max(s.bits, o.bits)
	s.add(c, o.cells)
}

// accuracy measures the error of tree t, which has total points.
func (s *cellSample) accuracy(t *tree.List, total uint64) tree.Accuracy {
	sampled := s.cells.Number()
	if sampled == 0 {
		return tree.Accuracy{}
	}
	excess := uint64(0)
	for i := range s.cells {
		of := &s.cells[i]
		squares := t.Sections.Squares(of.Label)
		for j, n := range squares.CountSorted(of.Keys) {
			excess = saturate.Add(excess, n-of.Counts[j])
		}
	}
	// There are at least as many cells as leaves, and at most as many as points.
	number := min(max(uint64(sampled)<<s.bits, uint64(t.Sections.Number())), total)
	mean := float64(excess) / float64(sampled)
	return tree.Accuracy{Sampled: true, Cells: number, Excess: uint64(min(mean*float64(number), 1<<62))}
}
