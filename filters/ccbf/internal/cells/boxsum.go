package cells

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// flatBlocks is up to how many blocks a section's index is read from end to end for one
// box, and not searched.
const flatBlocks = 4096

// spread is a rectangle within a region, each coordinate in the bits that x has in a key:
// so far apart, numbers compare as they do together.
type spread struct{ minX, minY, maxX, maxY uint64 }

// spreadOf is the part of a rectangle that lies in a region; false where there is none.
// Edges that no cell is beyond are moved to the end of the region.
func spreadOf(r, bounds grid.Rect, x, y int32) (s spread, ok bool) {
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
	return spread{low & xBits, low >> 1 & xBits, high & xBits, high >> 1 & xBits}, true
}

// low and high are the least and the greatest key in the rectangle.
func (s *spread) low() uint64  { return s.minX | s.minY<<1 }
func (s *spread) high() uint64 { return s.maxX | s.maxY<<1 }

// relation is where the smallest square that holds two keys lies. (To halve the stretch
// between them, and each half again, finds no more blocks inside or outside.)
func (s *spread) relation(low, high uint64) grid.Relation {
	mask := squareMask(low, high)
	low, high = low&^mask, high|mask
	minX, minY, maxX, maxY := low&xBits, low>>1&xBits, high&xBits, high>>1&xBits
	switch {
	case maxX < s.minX || minX > s.maxX || maxY < s.minY || minY > s.maxY:
		return grid.Outside
	case minX >= s.minX && maxX <= s.maxX && minY >= s.minY && maxY <= s.maxY:
		return grid.Inside
	}
	return grid.Partly
}

// outside is all ones for a key outside of the rectangle and 0 for one inside, without a
// branch.
func (s *spread) outside(key uint64) uint64 {
	x, y := key&xBits, key>>1&xBits
	return uint64(int64((x-s.minX)|(s.maxX-x)|(y-s.minY)|(s.maxY-y)) >> 63)
}

// sum is the sum over the cells of a run, of a block at most, inside of the rectangle.
func (s *spread) sum(r Run) uint64 {
	if n := len(r.Keys) &^ 3; n > 0 && haveLanes {
		if sum, all := insideLanes(&r.Keys[0], &r.Counts[0], n, s); all < 1<<56 { // so that it is no more than 2^63
			return saturate.Add(sum, s.sumEach(r.from(n)))
		}
	}
	return s.sumEach(r)
}

// sumEach is sum, of one cell after the other.
func (s *spread) sumEach(r Run) uint64 {
	var sum, carries uint64
	counts := r.Counts[:len(r.Keys)]
	for i, k := range r.Keys {
		var carry uint64
		sum, carry = bits.Add64(sum, counts[i]&^s.outside(k), 0)
		carries |= carry
	}
	return sum | -carries
}

// boxSum is the sum over the cells of a section in a rectangle: the blocks are looked at one after the other in
// the index, and those at the edge are decoded, and of the others those inside, or where they are
// fewer those outside, as what all cells count is known.
func (s *sectionView) boxSum(r, bounds grid.Rect) (sum uint64) {
	box, ok := spreadOf(r, bounds, s.x, s.y)
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
	q := lentBatch()
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
				sum = saturate.Add(sum, cells.total()-box.sum(cells))
			default:
				sum = saturate.Add(sum, box.sum(cells))
			}
		}
	}
	if rest {
		return s.total - min(sum, s.total)
	}
	return sum
}

// within is the blocks, from from to to-1, outside of which no cell lies in a rectangle.
func (b *blocks) within(box *spread) (from, to int) {
	all := blockCount(b.cells)
	return max(b.above(box.low(), 0, all)-1, 0), b.above(box.high(), 0, all)
}

// relation is where block i lies, by the index alone.
func (b *blocks) relation(box *spread, i int) grid.Relation {
	high := ^uint64(0)
	if i+1 < blockCount(b.cells) {
		high = b.first(i+1) - 1
	}
	return box.relation(b.first(i), high)
}
