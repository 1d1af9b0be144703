package cells

import (
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// AreaSum is the sum over the cells in an area, in a category or, where that is nil, in
// all.
func (v *View) AreaSum(a Area, category []byte) uint64 {
	return v.AreaSumOf(a, func(of []byte) bool { return category == nil || string(of) == string(category) })
}

// AreaSumOf is AreaSum for the categories that of reports.
func (v *View) AreaSumOf(a Area, of func(category []byte) bool) uint64 {
	if box, ok := a.(interface{ Rect() grid.Rect }); ok {
		return v.boxSum(box.Rect(), of)
	}
	v.kept.begin(len(v.sections))
	relation := a.Enter(v.bounds)
	if relation == grid.Outside {
		return 0
	}
	if relation == grid.Inside {
		sum := uint64(0)
		for i := range v.sections {
			if s := &v.sections[i]; of(s.category) {
				sum = saturate.Add(sum, s.total)
			}
		}
		return sum
	}
	defer a.Leave()
	return v.walk(a, of, false)
}

// boxSum is AreaSumOf of a rectangle.
func (v *View) boxSum(r grid.Rect, of func(category []byte) bool) (sum uint64) {
	v.kept.begin(len(v.sections))
	relation := Box(r).Enter(v.bounds)
	if relation == grid.Outside {
		return 0
	}
	walks := false
	for i := range v.sections {
		switch s := &v.sections[i]; {
		case !of(s.category):
		case relation == grid.Inside:
			sum = saturate.Add(sum, s.total)
		case v.flatly(s):
			sum = saturate.Add(sum, s.boxSum(r, v.bounds))
		default:
			walks = true
		}
	}
	if walks {
		sum = saturate.Add(sum, v.walk(Box(r), of, true))
	}
	return sum
}

// flatly reports whether a box is summed over a section without a walk.
func (v *View) flatly(s *sectionView) bool {
	return v.kept.sections == nil && s.cells <= flatBlocks*BlockCells
}

// walk is AreaSumOf in the sections that are walked, of an area that was entered.
func (v *View) walk(a Area, of func(category []byte) bool, isBox bool) uint64 {
	w := areaSummer{area: a, bounds: v.bounds, room: &v.kept.room, decoded: lentBatch()}
	defer batches.Put(w.decoded)
	for i := range v.sections {
		switch s := &v.sections[i]; {
		case !of(s.category) || isBox && v.flatly(s):
		case s.cells < a.Work()/workPerCell:
			w.few = append(w.few, s)
		default:
			w.kept = v.kept.section(i, s)
			w.section(s)
		}
	}
	w.together()
	return w.sum
}

// workPerCell is how much more work an outline must be than a section has cells
// for the section to be read as a whole: so many comparisons take longer.
const workPerCell = 8

// kept is what a view keeps from one question to the next: from the second on,
// as many a view is asked only one.
type kept struct {
	asked    int
	sections []keptSection
	room     int64 // bytes that may be kept yet
}

// keptSection is what is known of the blocks of a section.
type keptSection struct {
	blocks []Run    // empty where not known
	totals []uint64 // 0 where not known
}

// keepBytes is how much is kept of a sketch: the cells of one of default size.
const keepBytes = 16 << 20

// keptBlock is the bytes of a block in a keptSection, before its cells.
const keptBlock = 7 * 8

// begin notes a question to a sketch of n sections.
func (a *kept) begin(n int) {
	if a.asked++; a.asked == 2 {
		a.sections, a.room = make([]keptSection, n), keepBytes
	}
}

// section is where to keep section i; nil where nothing is to be kept.
func (a *kept) section(i int, s *sectionView) *keptSection {
	if a.sections == nil {
		return nil
	}
	k := &a.sections[i]
	if k.blocks == nil {
		n := blockCount(s.cells)
		if int64(n) > a.room/keptBlock {
			return nil
		}
		a.room -= int64(n) * keptBlock
		*k = keptSection{make([]Run, n), make([]uint64, n)}
	}
	return k
}
