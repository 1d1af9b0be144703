package cells

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// Area is the set of cells that a query is about. A query starts with large rectangles and enters smaller
// ones inside, as with grid.Descent.
type Area interface {
	Bounds() grid.Rect
	// Enter reports how rectangle r lies. r must lie in the rectangle entered last. If the result is
	// Partly, r is entered until Leave is called.
	Enter(r grid.Rect) grid.Relation
	Leave()
	Contains(c grid.Cell) bool // reports whether a cell of the rectangle entered last is in the area
	Work() int                 // returns how many comparisons Contains makes
}

// Box is a rectangle of cells as an Area.
type Box grid.Rect

// Bounds returns the rectangle.
func (b Box) Bounds() grid.Rect { return grid.Rect(b) }

// Rect returns the rectangle. Queries about an area with this method need no walk.
func (b Box) Rect() grid.Rect { return grid.Rect(b) }

// Enter implements Area.
func (b Box) Enter(r grid.Rect) grid.Relation {
	switch in := r.Intersect(grid.Rect(b)); {
	case in.Empty():
		return grid.Outside
	case in == r:
		return grid.Inside
	}
	return grid.Partly
}

// Leave implements Area.
func (b Box) Leave() {}

// Contains implements Area.
func (b Box) Contains(c grid.Cell) bool { return grid.Rect(b).Contains(c) }

// Work implements Area.
func (b Box) Work() int { return 1 }

// AreaSum returns the sum of the counts of the cells in an area, at most 2^64-1.
func (v *View) AreaSum(a Area, of Categories) (sum uint64) {
	v.eachSum(a, of, func(_ *sectionView, n uint64) { sum = saturate.Add(sum, n) })
	return sum
}

// EachCategorySum calls f with the sum over an area for each category whose sum is above 0, in the
// order of the categories' bytes.
func (v *View) EachCategorySum(a Area, of Categories, f func(category []byte, n uint64)) {
	var last *sectionView
	sum := uint64(0)
	v.eachSum(a, of, func(s *sectionView, n uint64) {
		if last != nil && !bytes.Equal(last.Category, s.Category) {
			if sum > 0 {
				f(last.Category, sum)
			}
			sum = 0
		}
		last, sum = s, saturate.Add(sum, n)
	})
	if sum > 0 {
		f(last.Category, sum)
	}
}

// eachSum calls add with the sum over an area for each section of the categories, in their order.
// The first box of a view scans the index. Any other area, and a later box, walks down the squares
// and finds the blocks in the cache.
func (v *View) eachSum(a Area, of Categories, add func(s *sectionView, n uint64)) {
	v.kept.begin(len(v.sections))
	relation := a.Enter(v.bounds)
	if relation == grid.Outside {
		return
	}
	if relation == grid.Partly {
		defer a.Leave()
	}
	box, isBox := a.(interface{ Rect() grid.Rect })
	w := areaSummer{area: a, bounds: v.bounds, room: &v.kept.room}
	for i := range v.sections {
		switch s := &v.sections[i]; {
		case !of.Has(s.Category):
		case relation == grid.Inside:
			add(s, s.total)
		case isBox && v.kept.sections == nil && s.cells <= flatBlocks*BlockCells:
			add(s, s.boxSum(box.Rect(), v.bounds))
		default:
			if w.decoded == nil {
				w.decoded = borrowBatch()
				defer batches.Put(w.decoded)
			}
			w.kept, w.sum = v.kept.section(i, s), 0
			w.section(s)
			add(s, w.sum)
		}
	}
}

// readCache keeps decoded blocks of a view from one polygon to the next. It starts with the second
// polygon, because many views get only one.
type readCache struct {
	queries  int
	sections []sectionCache
	room     int64 // bytes that the cache may still take
}

// sectionCache holds the decoded blocks of a section by their index. A block that is not decoded is
// empty.
type sectionCache []Run

// cacheBytes is the size of a view's cache: enough for all cells of a sketch of default size.
const cacheBytes = 16 << 20

// cachedBlockBytes is the memory of a block in a sectionCache without its cells.
const cachedBlockBytes = 6 * 8

// begin notes that a query reads a sketch with n sections.
func (a *readCache) begin(n int) {
	if a.queries++; a.queries == 2 {
		a.sections, a.room = make([]sectionCache, n), cacheBytes
	}
}

// section returns the cache of section i. It returns nil if caching has not begun, or if there is no room
// for the section.
func (a *readCache) section(i int, s *sectionView) *sectionCache {
	if a.sections == nil {
		return nil
	}
	k := &a.sections[i]
	if *k == nil {
		n := blockCount(s.cells)
		if int64(n) > a.room/cachedBlockBytes {
			return nil
		}
		a.room -= int64(n) * cachedBlockBytes
		*k = make(sectionCache, n)
	}
	return k
}

// flatBlocks is the number of blocks up to which boxSum scans the index of a section.
const flatBlocks = 4096

// regionRect is a rectangle of cells within one region. Its coordinates are spread to the bits that they
// have in Z-order keys.
type regionRect struct{ simd.Box }

// regionRectOf returns the part of rectangle r that lies in region (x, y). It returns false if there is
// none. If r reaches a side of bounds, the part is extended to the end of the region on that side.
func regionRectOf(r, bounds grid.Rect, x, y int32) (s regionRect, ok bool) {
	region := rectBetween(x, y, 0, ^uint64(0))
	if r.MinX <= bounds.MinX {
		r.MinX = region.MinX
	}
	if r.MinY <= bounds.MinY {
		r.MinY = region.MinY
	}
	if r.MaxX >= bounds.MaxX {
		r.MaxX = region.MaxX
	}
	if r.MaxY >= bounds.MaxY {
		r.MaxY = region.MaxY
	}
	if r = r.Intersect(region); r.Empty() {
		return s, false
	}
	_, _, low := Key(grid.Cell{X: r.MinX, Y: r.MinY})
	_, _, high := Key(grid.Cell{X: r.MaxX, Y: r.MaxY})
	return regionRect{simd.Box{MinX: low & xBits, MinY: low >> 1 & xBits, MaxX: high & xBits, MaxY: high >> 1 & xBits}}, true
}

// low and high return the lowest and the highest key in the rectangle.
func (s *regionRect) low() uint64  { return s.MinX | s.MinY<<1 }
func (s *regionRect) high() uint64 { return s.MaxX | s.MaxY<<1 }

// relation returns where the smallest square with two keys lies in relation to s. A finer test of the
// keys between them would find no more blocks inside or outside.
func (s *regionRect) relation(low, high uint64) grid.Relation {
	mask := squareMask(low, high)
	low, high = low&^mask, high|mask
	minX, minY, maxX, maxY := low&xBits, low>>1&xBits, high&xBits, high>>1&xBits
	switch {
	case maxX < s.MinX || minX > s.MaxX || maxY < s.MinY || minY > s.MaxY:
		return grid.Outside
	case minX >= s.MinX && maxX <= s.MaxX && minY >= s.MinY && maxY <= s.MaxY:
		return grid.Inside
	}
	return grid.Partly
}

// boxSum returns the sum of the counts of a section's cells in rectangle r. It scans the index and
// decodes the blocks at the edge. Then it decodes the blocks inside r, or those outside if they are
// fewer: the sum of all cells is known.
func (s *sectionView) boxSum(r, bounds grid.Rect) (sum uint64) {
	box, ok := regionRectOf(r, bounds, s.X, s.Y)
	if !ok {
		return 0
	}
	all := blockCount(s.cells)
	from, to := s.within(&box)
	relation := func(i int) grid.Relation {
		if i < from || i >= to {
			return grid.Outside
		}
		return s.relation(&box, i)
	}
	inside, outside := 0, all-max(to-from, 0)
	for i := from; i < to; i++ {
		switch s.relation(&box, i) {
		case grid.Inside:
			inside++
		case grid.Outside:
			outside++
		}
	}
	first, last, whole, high := from, to, grid.Inside, box.high()
	rest := inside > outside && s.total != ^uint64(0)
	if rest {
		first, last, whole, high = 0, all, grid.Outside, ^uint64(0)
	}
	q := borrowBatch()
	defer batches.Put(q)
	var edge [together]bool
	for i := first; i < last || q.size > 0; i++ {
		if i < last {
			of := relation(i)
			if of != grid.Partly && of != whole {
				continue
			}
			edge[q.size] = of == grid.Partly
			if edge[q.size] {
				q.put(&s.blocks, i, high)
			} else {
				q.put(&s.blocks, i, ^uint64(0))
			}
			if q.size < together {
				continue
			}
		}
		n := q.size
		q.read()
		for j := range n {
			switch cells := q.cells(j); {
			case !edge[j]:
				sum = saturate.Add(sum, cells.total())
			case rest:
				sum = saturate.Add(sum, cells.total()-box.SumInside(cells.Keys, cells.Counts))
			default:
				sum = saturate.Add(sum, box.SumInside(cells.Keys, cells.Counts))
			}
		}
	}
	if rest {
		return s.total - min(sum, s.total)
	}
	return sum
}

// within returns the range [from, to) of the blocks that may have cells in a rectangle.
func (b *blocks) within(box *regionRect) (from, to int) {
	all := blockCount(b.cells)
	return max(b.above(box.low(), 0, all)-1, 0), b.above(box.high(), 0, all)
}

// relation returns where block i lies, by the index alone.
func (b *blocks) relation(box *regionRect, i int) grid.Relation {
	high := ^uint64(0)
	if i+1 < blockCount(b.cells) {
		high = b.first(i+1) - 1
	}
	return box.relation(b.first(i), high)
}

// areaSummer sums the counts of a section's cells in an area. The cells are in Z-order, so the cells of a
// square lie side by side. The walk takes squares inside the area as a whole, skips those outside, and
// descends into squares that the outline crosses. It first uses the index of the blocks, and then the
// cells in a block.
type areaSummer struct {
	area   Area
	bounds grid.Rect // no cell lies outside
	sum    uint64
	each   func(Run) // if not nil, called with the cells instead of summing them

	s        *sectionView
	kept     *sectionCache // blocks that earlier queries decoded; nil without a cache.
	room     *int64        // bytes that the cache may still take
	high     uint64        // no key of s is higher
	from, to int           // decoded has the blocks [from, to).
	decoded  *batch        // the decoded cells.
}

// section adds the cells of section s that are in the area.
func (w *areaSummer) section(s *sectionView) {
	w.s, w.from, w.to, w.high = s, 0, 0, ^uint64(0)
	if x, y, z := Key(grid.Cell{X: w.bounds.MaxX, Y: w.bounds.MaxY}); x == s.X && y == s.Y {
		// The north-eastern corner has the highest key of a rectangle.
		w.high = z
	}
	w.blocks(s.first(0), w.high, 0, blockCount(s.cells))
}

// add adds cells, all of which are in the area.
func (w *areaSummer) add(r Run) {
	if w.each != nil {
		w.each(r)
		return
	}
	w.sum = saturate.Add(w.sum, r.total())
}

// squareMask returns the lower bits of a key in which the cells of the smallest square around two
// keys differ.
func squareMask(low, high uint64) uint64 {
	return 1<<(uint(bits.Len64(low^high)+1)&^1) - 1
}

// square returns the smallest square that holds two keys.
func (s *sectionView) square(low, high uint64) grid.Rect {
	mask := squareMask(low, high)
	return rectBetween(s.X, s.Y, low&^mask, low|mask)
}

// enter enters the smallest square that holds the keys low and high.
func (w *areaSummer) enter(low, high uint64) grid.Relation {
	r := w.s.square(low, high).Intersect(w.bounds)
	// This happens only in a damaged list.
	if r.Empty() {
		return grid.Outside
	}
	return w.area.Enter(r)
}

// blocks adds the cells of the area with keys from low to high. They lie in the blocks with indexes
// [from, to).
func (w *areaSummer) blocks(low, high uint64, from, to int) {
	// This happens only in a damaged index, whose keys do not ascend.
	if low > high {
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
	// Visit the four quarters of the smallest square with low and high. last is the last key of a
	// quarter.
	for last := low&^mask | mask>>2; ; last += mask>>2 + 1 {
		next := w.s.above(min(last, high), from, to)
		if next > from {
			w.blocks(max(low, w.s.first(from)), min(last, high), from, next)
		}
		if last >= high {
			return
		}
		// Block next-1 may reach into the following quarter, unless a block begins exactly with that
		// quarter.
		low = last + 1
		if next > from && (next == to || w.s.first(next) > low) {
			next--
		}
		from = next
	}
}

// inside adds all cells with keys from low to high, which lie in the blocks [from, to).
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
			w.sum = saturate.Add(w.sum, w.keep(i).total())
		}
	}
}

// cut returns the cells of block i with keys from low to high.
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

// keep returns the cells of a block and caches them, because the next polygon may need the block
// too.
func (w *areaSummer) keep(i int) Run {
	if w.kept == nil {
		return w.decode(i)
	}
	if r := (*w.kept)[i]; len(r.Keys) > 0 {
		return r
	}
	r := w.decode(i)
	if n := RunBytes(len(r.Keys)); *w.room >= n {
		*w.room -= n
		(*w.kept)[i] = Run{slices.Clone(r.Keys), slices.Clone(r.Counts)}
	}
	return r
}

// decode returns the cells of block i, valid until the next call. A damaged block has no cells: only
// View.List reports damage. It also decodes the next blocks, because most areas with cells of one block
// have cells of the next.
func (w *areaSummer) decode(i int) Run {
	if i < w.from || i >= w.to {
		w.from, w.to = i, min(i+together, blockCount(w.s.cells))
		w.decoded.readFrom(&w.s.blocks, w.from, w.to)
	}
	return w.decoded.cells(i - w.from)
}

// fewCells is the number of cells up to which each is tested by itself.
const fewCells = 32

// cells adds the cells of a run that are in the area. The run is in Z-order and lies in the
// rectangle entered last.
func (w *areaSummer) cells(r Run) {
	if len(r.Keys) <= fewCells {
		for i, k := range r.Keys {
			if w.area.Contains(CellOf(w.s.X, w.s.Y, k)) {
				w.add(Run{r.Keys[i : i+1], r.Counts[i : i+1]})
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
			w.add(part)
		case grid.Partly:
			w.cells(part)
			w.area.Leave()
		}
		r = Run{r.Keys[n:], r.Counts[n:]}
	}
}
