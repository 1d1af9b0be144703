package cells

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// areaSummer sums the cells of an area. As a section's cells are in Z-order, a
// square is a stretch of them: the walk goes down into the squares that the area's
// outline crosses, takes those inside as they are and leaves those outside
// alone, first by the index of the blocks, then within blocks.
type areaSummer struct {
	area   Area
	bounds grid.Rect // no cell is outside
	sum    uint64
	few    []*sectionView // of too few cells for a walk of their own

	s        *sectionView
	kept     *keptSection // nil where nothing is to be kept
	room     *int64       // bytes that may be kept yet
	high     uint64       // no key of s is above
	from, to int          // the blocks that were decoded last
	decoded  *batch       // these
}

// section adds the cells of a section.
func (w *areaSummer) section(s *sectionView) {
	w.s, w.from, w.to, w.high = s, 0, 0, ^uint64(0)
	if x, y, z := Key(grid.Cell{X: w.bounds.MaxX, Y: w.bounds.MaxY}); x == s.x && y == s.y {
		w.high = z // no cell is beyond the corner
	}
	w.blocks(s.first(0), w.high, 0, blockCount(s.cells))
}

// together adds the cells of all small sections in one walk for each region.
func (w *areaSummer) together() {
	slices.SortFunc(w.few, func(a, b *sectionView) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x)) })
	var cells Run
	for i, s := range w.few {
		if i == 0 || s.x != w.s.x || s.y != w.s.y {
			w.sorted(cells)
			cells = Run{cells.Keys[:0], cells.Counts[:0]}
		}
		w.s, w.kept, w.from, w.to = s, nil, 0, 0
		for j := range blockCount(s.cells) {
			b := w.decode(j)
			cells.Keys, cells.Counts = append(cells.Keys, b.Keys...), append(cells.Counts, b.Counts...)
		}
	}
	w.sorted(cells)
}

// sorted adds cells of the region of w.s, in any order.
func (w *areaSummer) sorted(cells Run) {
	if len(cells.Keys) > 0 {
		so := sorters.Get().(*sorter)
		so.radix.SortPairs(cells.Keys, cells.Counts)
		sorters.Put(so)
		w.cells(cells)
	}
}

// squareMask is the bits of a key below those of the smallest square that holds two
// keys.
func squareMask(low, high uint64) uint64 {
	return 1<<(uint(bits.Len64(low^high)+1)&^1) - 1
}

// square is the smallest square that holds two keys.
func (s *sectionView) square(low, high uint64) grid.Rect {
	mask := squareMask(low, high)
	return rectBetween(s.x, s.y, low&^mask, low|mask)
}

// enter enters the smallest square that holds two keys.
func (w *areaSummer) enter(low, high uint64) grid.Relation {
	r := w.s.square(low, high).Intersect(w.bounds)
	if r.Empty() { // in a damaged list
		return grid.Outside
	}
	return w.area.Enter(r)
}

// blocks adds the cells with keys from low to high, all of which lie in the
// blocks from from to to-1.
func (w *areaSummer) blocks(low, high uint64, from, to int) {
	if low > high { // in a damaged index
		return
	}
	switch w.enter(low, high) {
	case grid.Outside:
		return
	case grid.Inside:
		w.inside(low, high, from, to)
		return
	}
	defer w.area.Leave()
	if to-from == 1 {
		w.cells(w.cut(from, low, high))
		return
	}
	mask := squareMask(low, high)
	for last := low&^mask | mask>>2; ; last += mask>>2 + 1 { // of each of the four squares in this one
		next := w.s.above(min(last, high), from, to)
		if next > from {
			w.blocks(max(low, w.s.first(from)), min(last, high), from, next)
		}
		if last >= high {
			return
		}
		// The last block reaches into the next square, unless another begins there.
		low = last + 1
		if next > from && (next == to || w.s.first(next) > low) {
			next--
		}
		from = next
	}
}

// inside adds the cells with keys from low to high, in blocks as above.
func (w *areaSummer) inside(low, high uint64, from, to int) {
	if low == w.s.first(0) && high == w.high {
		w.sum = saturate.Add(w.sum, w.s.total)
		return
	}
	for i := from; i < to; i++ {
		last := w.high
		if i+1 < blockCount(w.s.cells) {
			last = w.s.first(i+1) - 1
		}
		if w.s.first(i) < low || last > high {
			w.sum = saturate.Add(w.sum, w.cut(i, low, high).total())
		} else {
			w.sum = saturate.Add(w.sum, w.total(i))
		}
	}
}

// total is the sum of a block.
func (w *areaSummer) total(i int) uint64 {
	if w.kept == nil {
		return w.decode(i).total()
	}
	if w.kept.totals[i] == 0 {
		w.kept.totals[i] = w.decode(i).total()
	}
	return w.kept.totals[i]
}

// cut is the cells of a block with keys from low to high.
func (w *areaSummer) cut(i int, low, high uint64) Run {
	r := w.keep(i)
	if len(r.Keys) > 0 && r.Keys[0] < low {
		n, _ := r.find(low)
		r = Run{r.Keys[n:], r.Counts[n:]}
	}
	if len(r.Keys) > 0 && r.Keys[len(r.Keys)-1] > high {
		n, _ := r.find(high + 1)
		r = Run{r.Keys[:n], r.Counts[:n]}
	}
	return r
}

// keep is decode for blocks that outlines cross: that of the next area may too.
func (w *areaSummer) keep(i int) Run {
	if w.kept == nil {
		return w.decode(i)
	}
	if r := w.kept.blocks[i]; len(r.Keys) > 0 {
		return r
	}
	r := w.decode(i)
	if n := RunBytes(len(r.Keys)); *w.room >= n {
		*w.room -= n
		w.kept.blocks[i] = Run{slices.Clone(r.Keys), slices.Clone(r.Counts)}
	}
	return r
}

// decode returns the cells of a block, valid until the next is decoded; none
// where it is damaged: Decode tells, a question does not. Those behind it are decoded with it, as
// most areas that have cells of one have some of the next.
func (w *areaSummer) decode(i int) Run {
	if i < w.from || i >= w.to {
		w.from, w.to = i, min(i+together, blockCount(w.s.cells))
		w.decoded.readFrom(&w.s.blocks, w.from, w.to)
	}
	return w.decoded.cells(i - w.from)
}

// fewCells is up to how many cells of a rectangle are looked at one by one.
const fewCells = 32

// cells adds those of the cells, in Z-order, of the rectangle entered last that
// are in the area.
func (w *areaSummer) cells(r Run) {
	if len(r.Keys) <= fewCells {
		for i, k := range r.Keys {
			if w.area.Contains(CellOf(w.s.x, w.s.y, k)) {
				w.sum = saturate.Add(w.sum, r.Counts[i])
			}
		}
		return
	}
	mask := squareMask(r.Keys[0], r.Keys[len(r.Keys)-1])
	for len(r.Keys) > 0 {
		n := len(r.Keys)
		if last := r.Keys[0] | mask>>2; r.Keys[n-1] > last {
			n, _ = r.find(last + 1)
		}
		part := Run{r.Keys[:n], r.Counts[:n]}
		switch w.enter(part.Keys[0], part.Keys[n-1]) {
		case grid.Inside:
			w.sum = saturate.Add(w.sum, part.total())
		case grid.Partly:
			w.cells(part)
			w.area.Leave()
		}
		r = Run{r.Keys[n:], r.Counts[n:]}
	}
}
