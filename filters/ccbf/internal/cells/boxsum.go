package cells

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Rect is the rectangle: of areas that have this method, cells are counted without a walk.
func (b Box) Rect() grid.Rect { return grid.Rect(b) }

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

// flat is what boxSum works in.
type flat struct {
	octet
	partly, inside, outside []int32 // blocks
	decoded                 int     // of them, since the beginning
}

// BoxBlocks is how many blocks were decoded for boxes since v was made.
func (v *View) BoxBlocks() int {
	if v.flat == nil {
		return 0
	}
	return v.flat.decoded
}

// boxSum is the sum over the cells of a section in a rectangle: the blocks are looked at
// one after the other in the index, and those at the edge are decoded, and of the others
// those inside, or where they are fewer those outside, as what all cells count is known.
func (s *sectionView) boxSum(r, bounds grid.Rect, f *flat) uint64 {
	box, ok := spreadOf(r, bounds, s.x, s.y)
	if !ok {
		return 0
	}
	all := blockCount(s.cells)
	from, to := s.within(&box)
	f.partly, f.inside, f.outside = f.partly[:0], f.inside[:0], f.outside[:0]
	for i := from; i < to; i++ {
		switch s.relation(&box, i) {
		case grid.Outside:
			f.outside = append(f.outside, int32(i))
		case grid.Inside:
			f.inside = append(f.inside, int32(i))
		default:
			f.partly = append(f.partly, int32(i))
		}
	}
	sum := uint64(0)
	if len(f.inside) <= all-len(f.inside)-len(f.partly) || s.total == ^uint64(0) {
		s.decodeList(f.partly, box.high(), f, func(cells Run) { sum = saturate.Add(sum, box.sum(cells)) })
		s.decodeList(f.inside, ^uint64(0), f, func(cells Run) { sum = saturate.Add(sum, cells.total()) })
		return sum
	}
	for i := range from {
		f.outside = append(f.outside, int32(i))
	}
	for i := to; i < all; i++ {
		f.outside = append(f.outside, int32(i))
	}
	s.decodeList(f.partly, ^uint64(0), f, func(cells Run) { sum = saturate.Add(sum, cells.total()-box.sum(cells)) })
	s.decodeList(f.outside, ^uint64(0), f, func(cells Run) { sum = saturate.Add(sum, cells.total()) })
	return s.total - min(sum, s.total)
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

// decodeList calls add with the cells of blocks, at least with those whose keys are not above high.
func (b *blocks) decodeList(list []int32, high uint64, f *flat, add func(cells Run)) {
	for len(list) > 0 {
		n := min(together, len(list))
		f.decoded += n
		f.octet.readUpTo(b, high, list[:n]...)
		for i := range n {
			add(f.cells(i))
		}
		list = list[n:]
	}
}
