package ccbf

import (
	"errors"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/store"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

var errSelf = errors.New("ccbf: a Builder cannot be merged into itself: add its Sketch twice")

// AddView adds a sketch, after checking it. It does not change it.
func (b *Builder) AddView(v *View) error {
	if err := v.check(); err != nil {
		return err
	}
	total, known := v.Total()
	if err := b.join(kind{&v.Config, v.Form(), v.Class()}, total, known); err != nil {
		return err
	}
	b.sketches = true
	switch r := v.reader().(type) {
	case *counters.Reader:
		return b.addDense(&r.Counters, v.Bounds, v.parts, total)
	case *tree.Reader:
		return b.addTree(r, v.Bounds)
	}
	return v.exact.EachBlock(b.addCells)
}

// Merge adds another builder's points and sketches. It does not change from, which may be merged
// into several builders at once. It is an error if from is b itself.
func (b *Builder) Merge(from *Builder) error {
	if from == b {
		return errSelf
	}
	if err := b.join(kind{&from.Config, from.form(), from.class}, from.total, !from.unknown); err != nil {
		return err
	}
	b.sketches = b.sketches || from.sketches
	for _, f := range from.all {
		s, err := b.at(f.Category, f.X, f.Y, f.part)
		if err != nil {
			return err
		}
		if err := b.mergeSection(s, f); err != nil {
			return err
		}
	}
	if from.pruned {
		if b.dense != nil {
			return ErrForms
		}
		if err := b.needSample(); err != nil {
			return err
		}
		b.sample.merge(&b.Config, &from.sample)
		b.notePruned(from.tau, from.fit, from.bounds)
	}
	if from.dense != nil {
		return b.addDense(from.dense, from.bounds, from.origin(from.single), from.total)
	}
	return nil
}

// mergeSection adds to s the points of from, a section of another builder.
func (b *Builder) mergeSection(s, from *section) error {
	if !from.cells.Empty() {
		if err := b.change(s, s.cells.MergeNeed(&from.cells), func() { s.cells.Merge(&from.cells) }); err != nil {
			return err
		}
		if b.spilled {
			if err := b.insertStore(s); err != nil {
				return err
			}
		} else if err := b.settle(s); err != nil {
			return err
		}
	}
	for _, squares := range from.squares.Lists() {
		if err := b.addSquares(s, squares); err != nil {
			return err
		}
	}
	return b.mergeCounting(s, &from.counting)
}

// join prepares b for the points of another sketch: of its kind, and with its total, if that is known. It returns
// an error if the other sketch cannot be added.
func (b *Builder) join(k kind, total uint64, known bool) error {
	b.mustBeMade()
	both, err := kind{&b.Config, b.form(), b.class}.join(k)
	if err != nil {
		return err
	}
	least := max(b.AtLeast, k.AtLeast) // a sketch with counters has none, but its points must be suppressed too
	b.Config, b.class = *both.Config, both.class
	b.AtLeast = least
	b.unknown = b.unknown || !known
	b.total = saturate.Add(b.total, total)
	return nil
}

// addCells adds cells of label p. They are in the order of their keys.
func (b *Builder) addCells(p *cells.Label, r cells.Squares) error {
	for len(r.Keys) > 0 {
		n := cells.SearchAbove(r.Keys, r.Keys[0]|(1<<store.MaxWidth-1))
		s, err := b.at(p.Category, p.X, p.Y, partOf(r.Keys[0]))
		if err != nil {
			return err
		}
		part := r.Part(0, n)
		r = r.Part(n, r.Len())
		if b.spilled {
			b.insertRun(s, part)
			continue
		}
		if err := b.store(s, part.Keys, part.Counts, cells.Differ(part.Keys)); err != nil {
			return err
		}
	}
	return nil
}
