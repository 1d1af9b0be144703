package cells

import (
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Rect is the rectangle: of areas that have this method, cells are counted without a walk.
func (b Box) Rect() grid.Rect { return grid.Rect(b) }

// BoxSums is sums over rectangles, for which blocks of any sections and sketches are decoded
// together. Its zero value is ready.
type BoxSums struct {
	batch    *batch               // nil where no section is open
	of       [together]boxedBlock // the blocks that wait
	sections []boxedSection       // that are open: each has a block that waits, or is being added
	blocks   int                  // decoded since the beginning

	partly, inside, outside []int32 // blocks of the last section
	alone                   uint64  // the sum of a View that is asked by itself
}

// boxedSection is a section and the rectangle in which its cells are summed.
type boxedSection struct {
	box   spread
	rest  bool    // what the cells in it leave of the total is summed
	total uint64  // of all cells
	sum   uint64  // of the blocks decoded so far
	to    *uint64 // what the cells in the rectangle are added to
}

// boxedBlock is a block of an open section, which lies across the edge of the rectangle or is wanted
// as a whole.
type boxedBlock struct {
	section int
	edge    bool
}

// Blocks is how many blocks were decoded.
func (q *BoxSums) Blocks() int { return q.blocks }

// Add adds to sum what the cells of a view count that are in a rectangle and in the categories that of
// reports, until Finish: until then the view's body must stay, which the view itself need not.
func (q *BoxSums) Add(v *View, r grid.Rect, of func(category []byte) bool, sum *uint64) {
	v.kept.begin(len(v.sections))
	relation := Box(r).Enter(v.bounds)
	if relation == grid.Outside {
		return
	}
	walks := false
	for i := range v.sections {
		switch s := &v.sections[i]; {
		case !of(s.category):
		case relation == grid.Inside:
			*sum = saturate.Add(*sum, s.total)
		case v.flatly(s):
			q.add(s, r, v.bounds, sum)
		default:
			walks = true
		}
	}
	if walks {
		*sum = saturate.Add(*sum, v.walk(Box(r), of, true))
	}
}

// add adds the cells of a section in a rectangle: the blocks are looked at one after the other in
// the index, and those at the edge are decoded, and of the others those inside, or where they are
// fewer those outside, as what all cells count is known.
func (q *BoxSums) add(s *sectionView, r, bounds grid.Rect, sum *uint64) {
	box, ok := spreadOf(r, bounds, s.x, s.y)
	if !ok {
		return
	}
	all := blockCount(s.cells)
	from, to := s.within(&box)
	q.partly, q.inside, q.outside = q.partly[:0], q.inside[:0], q.outside[:0]
	for i := from; i < to; i++ {
		switch s.relation(&box, i) {
		case grid.Outside:
			q.outside = append(q.outside, int32(i))
		case grid.Inside:
			q.inside = append(q.inside, int32(i))
		default:
			q.partly = append(q.partly, int32(i))
		}
	}
	high, others := box.high(), q.inside
	rest := len(q.inside) > all-len(q.inside)-len(q.partly) && s.total != ^uint64(0)
	if rest {
		for i := range from {
			q.outside = append(q.outside, int32(i))
		}
		for i := to; i < all; i++ {
			q.outside = append(q.outside, int32(i))
		}
		high, others = ^uint64(0), q.outside
	}
	if len(q.partly)+len(others) == 0 {
		if rest {
			*sum = saturate.Add(*sum, s.total)
		}
		return
	}
	if q.batch == nil {
		q.batch = lentBatch()
	}
	q.sections = append(q.sections, boxedSection{box: box, rest: rest, total: s.total, to: sum})
	for _, i := range q.partly {
		q.wait(s, i, high, true)
	}
	for _, i := range others {
		q.wait(s, i, ^uint64(0), false)
	}
	q.read(len(q.sections))
}

// wait has a block of the last section wait, or decodes it with all others.
func (q *BoxSums) wait(s *sectionView, block int32, high uint64, edge bool) {
	q.of[q.batch.size] = boxedBlock{len(q.sections) - 1, edge}
	q.batch.put(&s.blocks, int(block), high)
	if q.blocks++; q.batch.size == together {
		q.read(len(q.sections) - 1)
	}
}

// read decodes the blocks that wait, after which so many sections are complete.
func (q *BoxSums) read(complete int) {
	n := q.batch.size
	q.batch.read()
	for i, b := range q.of[:n] {
		s, cells := &q.sections[b.section], q.batch.cells(i)
		switch {
		case !b.edge:
			s.sum = saturate.Add(s.sum, cells.total())
		case s.rest:
			s.sum = saturate.Add(s.sum, cells.total()-s.box.sum(cells))
		default:
			s.sum = saturate.Add(s.sum, s.box.sum(cells))
		}
	}
	for _, s := range q.sections[:complete] {
		if s.rest {
			s.sum = s.total - min(s.sum, s.total)
		}
		*s.to = saturate.Add(*s.to, s.sum)
	}
	q.sections = append(q.sections[:0], q.sections[complete:]...)
}

// Finish completes all sums.
func (q *BoxSums) Finish() {
	if q.batch != nil {
		q.read(len(q.sections))
		batches.Put(q.batch)
		q.batch = nil
	}
}
