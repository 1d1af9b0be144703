package ccbf

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/exact"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// The end of a Builder: a list of cells, a tree (nested squares with counts), or counters (a
// layered counting Bloom filter).

// Sketch returns a sketch of everything that was added. It may share memory with the builder: read
// or encode it before adding anything else.
func (b *Builder) Sketch() (out *Sketch, err error) {
	if err := b.finish(); err != nil {
		return nil, err
	}
	err = b.use(func(s *Sketch) { out = s })
	return out, err
}

// use calls f with the sketch of everything that was added. It reserves the memory to make it and to write it.
func (b *Builder) use(f func(s *Sketch)) error {
	defer b.turn()()
	list, err := b.gather()
	if err != nil {
		return err
	}
	defer b.release(list)
	// Reserve the memory to make and write counters, or a tree and then counters if no tree fits.
	n := list.Number() + b.squares()
	work := 2*int64(b.Bytes) + b.denseScratch(n)
	if b.Overflow == ToTree && b.dense == nil {
		work += tree.FitBytes(n)
	}
	if err := b.grow(work); err != nil {
		return err
	}
	defer b.free(work)
	s, err := b.sketch(list)
	if err == nil && b.AtLeast > 0 {
		s.AtLeast = 0
		err = s.Suppress(b.AtLeast)
	}
	if err == nil {
		f(s)
	}
	return err
}

// sketch returns a sketch of the cells in list, which come from the stores, and of everything else that
// was added.
func (b *Builder) sketch(list cells.List) (*Sketch, error) {
	if b.pruned {
		return b.sketchTree(list)
	}
	s := b.empty()
	if b.dense == nil {
		s.squares.Sections = list
		return s, nil
	}
	s.squares, s.dense, s.parts = nil, b.dense, b.origin(b.single || len(list) > 0)
	if len(list) > 0 {
		// The list has cells that were added beside the counters. They go into the counters last, sorted
		// by cell. So the result does not depend on the order of additions.
		s.dense = s.dense.Clone()
		s.bounds = s.bounds.Union(list.Bounds())
		counters.Insert(s.dense, s.counters(), list)
	}
	return s, nil
}

// appendBlob appends the BLOB of Sketch. It writes an exact one straight from the stores.
func (b *Builder) appendBlob(dst []byte) ([]byte, error) {
	if err := b.finish(); err != nil {
		return dst, err
	}
	isExact := b.form() == Exact && b.AtLeast == 0
	if isExact {
		if blob, fits, err := b.appendExact(dst); fits || err != nil {
			return blob, err
		}
	}
	err := b.use(func(s *Sketch) {
		if isExact {
			s = s.overflowed()
		}
		dst = s.appendBlob(dst)
	})
	return dst, err
}

// appendExact appends the exact BLOB. If that takes more than Bytes, it returns false and appends
// nothing.
func (b *Builder) appendExact(dst []byte) ([]byte, bool, error) {
	sections, err := b.sources()
	if err != nil {
		return dst, false, err
	}
	bounds := grid.EmptyRect()
	for _, s := range sections {
		for block := range s.Blocks {
			bounds = bounds.Union(cells.CornersOf(block.Keys...).Rect(s.X, s.Y))
		}
	}
	// Reserve twice the size: the body may be copied once as it grows.
	work := 1<<10 + 2*min(int64(b.Bytes), exactBytes(bounds, b.least, b.total))
	if err := b.grow(work); err != nil {
		return dst, false, err
	}
	defer b.free(work)
	start := len(dst)
	body, fits := exact.AppendBody(b.empty().appendHead(dst, bounds), sections, bounds, b.Bytes)
	if !fits {
		return dst, false, nil
	}
	sketch.Seal(body[start:])
	return body, true, nil
}

// exactBytes returns about the most bytes of an exact body of n cells that count total. On average,
// a gap or a count takes at most the bits of the mean and 3 more, as the logarithm is concave. A
// block of 128 cells has an index entry of 12 bytes.
func exactBytes(bounds grid.Rect, n int, total uint64) int64 {
	if n == 0 {
		return 0
	}
	side := uint64(max(bounds.MaxX-bounds.MinX, bounds.MaxY-bounds.MinY))
	size := bits.Len64(uint64(n)) - 1
	gap := max(2*bits.Len64(side)-size, 0) + 3
	count := bits.Len64(total/uint64(n)) + 3
	return int64(n)*int64(gap+count+1)/8 + 64
}

// finish counts all pending points in counters. A sketch that is never exact gets counters even without points.
func (b *Builder) finish() error {
	b.mustBeMade()
	for _, s := range b.all {
		if err := b.flush(s); err != nil {
			return err
		}
		b.endRecents(s)
	}
	if !b.Exact {
		return b.goToCounters()
	}
	return nil
}

// empty returns the sketch so far without its cells, squares and counters.
func (b *Builder) empty() *Sketch {
	return &Sketch{
		Config: b.Config, Class: b.class, Total: b.total, TotalKnown: !b.unknown, bounds: b.bounds, squares: new(tree.List),
	}
}
