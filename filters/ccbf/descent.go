package ccbf

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// descent sums the quads of an area in a dense sketch with levels, from the
// largest down. What a quad holds is never more than its own reading, so that
//
//   - a quad inside the area is one lookup,
//   - a quad that reads 0 ends the descent,
//   - the parts of a quad add up to no more than the quad reads.
//
// Each keeps the sum an upper bound, and the last two bring it closer.
type descent struct {
	v        *View
	cover    grid.Cover
	category []byte
	reads    uint64 // lookups so far
	most     uint64 // that are allowed
	// each is called with every reading that the sum is made of: those of quads
	// inside and of cells. Whether one is taken depends on quads above it only.
	each func(n uint64)
}

// readPartly is the lowest level at which a quad that is only partly inside is
// looked up: below, its few cells cost no more than it does.
const readPartly = 2

// smallArea is up to how many cells an area's are looked up one by one, which
// takes no longer then.
const smallArea = 255

// topLevel is the level to begin with in an area with these bounds: no quad of
// a higher one can lie inside it. 0 where cells are to be looked up one by one.
func (v *View) topLevel(area grid.Rect) int {
	if v.Levels == 0 || area.Count() <= smallArea {
		return 0
	}
	return min(int(v.Levels), bits.Len64(min(area.Width(), area.Height()))-1)
}

// level reads one quad of a level of a dense sketch; level 0 is the cells.
func (v *View) level(level int, c grid.Cell, category []byte) uint64 {
	h := &v.hasher
	h.level = v.Base + uint8(level)
	h1, h2 := h.hash(c, category)
	h.level = v.Base
	return v.dense.count(h1, h2)
}

// coverSum is the sum over an area, from the quads of level top down.
func (v *View) coverSum(cover grid.Cover, top int, category []byte) (uint64, error) {
	d := descent{v: v, cover: cover, category: category, most: AreaLimit - v.covered}
	return d.run(top)
}

// run descends from all quads of level top.
func (d *descent) run(top int) (uint64, error) {
	sum := uint64(0)
	for d.reads <= d.most && d.cover.Next() {
		y, quads := d.cover.Band()
		for _, in := range quads {
			for x := in.X0; x <= in.X1 && d.reads <= d.most; x++ {
				sum = saturatingAdd(sum, d.sum(top, x, y, ^uint64(0)))
			}
		}
	}
	return sum, d.v.allow(d.reads)
}

// sum is the sum of the part of a quad in the area, at most bound.
func (d *descent) sum(level int, x, y int64, bound uint64) uint64 {
	relation := d.cover.Relation(level, x, y)
	if relation == grid.Outside || d.reads > d.most {
		return 0
	}
	inside := relation == grid.Inside
	if inside || level >= readPartly {
		n := d.v.level(level, grid.Cell{X: x, Y: y}, d.category)
		d.reads++
		if inside && d.each != nil {
			d.each(n)
		}
		bound = min(bound, n)
		if inside || n == 0 {
			return bound
		}
	}
	sum := uint64(0)
	for i := range int64(4) {
		sum = saturatingAdd(sum, d.sum(level-1, 2*x+i&1, 2*y+i>>1, bound))
	}
	return min(sum, bound)
}
