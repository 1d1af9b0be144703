package ccbf

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// areas is what a View keeps between questions for areas.
type areas struct {
	asked    int // questions so far
	category []byte
	any      bool // rows are those of all categories
	rows     []rows
}

// rows is a section's cells row by row, from south to north and west to east,
// with the occurrences before each: a stretch of a row is a subtraction.
type rows struct {
	sx, sy int32
	cells  []uint64 // y<<32 | x, places within the square
	before []uint64 // one longer than cells; modulo 2^64
	huge   bool     // the sum of all passes 2^64
	ys     []uint32 // occupied rows
	starts []int32  // where they begin in cells; one longer than ys
}

// index makes the rows of one section, of the cells inside clip only.
func (s *sectionView) rowIndex(clip grid.Rect) rows {
	r := rows{sx: s.x, sy: s.y}
	counts := []uint64{}
	var keys, ns [blockCells]uint64
	for i := range len(s.index) / indexEntry {
		if s.around(i).Intersect(clip).Empty() {
			continue
		}
		n, ok := s.decode(i, &keys, &ns)
		if !ok {
			continue // damaged: Verify tells, a lookup does not
		}
		for j, k := range keys[:n] {
			if clip.Contains(cellOf(s.x, s.y, k)) {
				x, y := grid.Deinterleave(k)
				r.cells = append(r.cells, uint64(y)<<32|uint64(x))
				counts = append(counts, ns[j])
			}
		}
	}
	so := sorters.Get().(*sorter)
	so.radix.SortPairs(r.cells, counts)
	sorters.Put(so)
	r.before = make([]uint64, len(counts)+1)
	for i, n := range counts {
		r.before[i+1] = r.before[i] + n
		r.huge = r.huge || r.before[i+1] < n
	}
	for i, c := range r.cells {
		if y := uint32(c >> 32); len(r.ys) == 0 || r.ys[len(r.ys)-1] != y {
			r.ys = append(r.ys, y)
			r.starts = append(r.starts, int32(i))
		}
	}
	r.starts = append(r.starts, int32(len(r.cells)))
	return r
}

// around is a rectangle around the cells of block i, read off the index alone:
// the quad of the Z-order curve that its first key and the next block's share.
func (s *sectionView) around(i int) grid.Rect {
	low, high := s.first(i), ^uint64(0)
	if (i+1)*indexEntry < len(s.index) {
		high = s.first(i+1) - 1
	}
	inside := uint64(1)<<(uint(bits.Len64(low^high)+1)&^1) - 1
	from, to := cellOf(s.x, s.y, low&^inside), cellOf(s.x, s.y, low|inside)
	return grid.Rect{MinX: from.X, MinY: from.Y, MaxX: to.X, MaxY: to.Y}
}

// rowsFor returns the rows to answer a question for the cells inside clip. The
// first question of a View reads what it needs; further ones share an index of
// all cells.
func (v *View) rowsFor(clip grid.Rect, category []byte) []rows {
	a := &v.areas
	if a.rows != nil && a.any == (category == nil) && string(a.category) == string(category) {
		return a.rows
	}
	a.asked++
	if a.asked > 1 {
		clip = grid.Rect{MinX: -1 << 62, MinY: -1 << 62, MaxX: 1 << 62, MaxY: 1 << 62}
	}
	var out []rows
	for i := range v.sections {
		if s := &v.sections[i]; s.matches(category) {
			out = append(out, s.rowIndex(clip))
		}
	}
	if a.asked > 1 {
		a.rows, a.any = out, category == nil
		a.category = append(a.category[:0], category...)
	}
	return out
}

// rowRange is the occupied rows from cell row minY to maxY, as indexes.
func (r *rows) rowRange(minY, maxY int64) (from, to int) {
	oy := int64(r.sy)<<32 - bias
	lo, hi := minY-oy, maxY-oy
	if hi < 0 || lo > 1<<32-1 {
		return 0, 0
	}
	from, _ = slices.BinarySearch(r.ys, uint32(max(lo, 0)))
	if hi >= 1<<32-1 {
		return from, len(r.ys)
	}
	to, _ = slices.BinarySearch(r.ys, uint32(hi)+1)
	return from, max(from, to)
}

// stretch is the sum of cells x0 to x1 of the occupied row with index i.
func (r *rows) stretch(i int, x0, x1 int64) uint64 {
	ox := int64(r.sx)<<32 - bias
	lo, hi := max(x0-ox, 0), min(x1-ox, 1<<32-1)
	if lo > hi {
		return 0
	}
	at := int(r.starts[i])
	row := r.cells[at:r.starts[i+1]]
	y := uint64(r.ys[i]) << 32
	from, _ := slices.BinarySearch(row, y|uint64(lo))
	to := from
	for to < len(row) && to < from+8 && row[to] <= y|uint64(hi) {
		to++
	}
	if to == from+8 {
		n, found := slices.BinarySearch(row[to:], y|uint64(hi))
		if to += n; found {
			to++
		}
	}
	if !r.huge {
		return r.before[at+to] - r.before[at+from]
	}
	sum := uint64(0)
	for j := at + from; j < at+to; j++ {
		sum = saturatingAdd(sum, r.before[j+1]-r.before[j])
	}
	return sum
}

// exactBoxSum is BoxSum of an exact sketch, for a box inside Bounds.
func (v *View) exactBoxSum(box grid.Rect, category []byte) uint64 {
	sum := uint64(0)
	for _, r := range v.rowsFor(box, category) {
		from, to := r.rowRange(box.MinY, box.MaxY)
		for i := from; i < to; i++ {
			sum = saturatingAdd(sum, r.stretch(i, box.MinX, box.MaxX))
		}
	}
	return sum
}

// exactPolygonSum is PolygonSum of an exact sketch.
func (v *View) exactPolygonSum(scan *grid.Scanner, category []byte) uint64 {
	sum, area := uint64(0), scan.Bounds()
	var in []grid.Interval
	last := int64(math.MinInt64)
	sections := v.rowsFor(area, category)
	for _, o := range rowOrder(sections, area) {
		if o.y != last {
			in, last = scan.Row(o.y), o.y
		}
		for _, in := range in {
			sum = saturatingAdd(sum, sections[o.section].stretch(o.row, in.X0, in.X1))
		}
	}
	return sum
}

// rowOf is an occupied row of a section.
type rowOf struct {
	y            int64
	section, row int
}

// rowOrder is the rows of all sections that have a cell inside area, from south
// to north as a polygon is walked: once for all sections, of which there may be
// one for each category.
func rowOrder(sections []rows, area grid.Rect) []rowOf {
	var order []rowOf
	for i := range sections {
		r := &sections[i]
		oy := int64(r.sy)<<32 - bias
		from, to := r.rowRange(area.MinY, area.MaxY)
		for j := from; j < to; j++ {
			if r.stretch(j, area.MinX, area.MaxX) != 0 {
				order = append(order, rowOf{oy + int64(r.ys[j]), i, j})
			}
		}
	}
	if len(sections) > 1 {
		slices.SortFunc(order, func(a, b rowOf) int { return cmp.Compare(a.y, b.y) })
	}
	return order
}
