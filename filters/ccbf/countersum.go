package ccbf

import (
	"fmt"
)

// ErrTooManyCells says that an area covers more cells than one question may
// look up in a dense sketch.
type ErrTooManyCells struct {
	Cells, Left uint64 // of the area (with levels: steps at least), and what may be asked for: less than Limit after earlier areas
	Limit       uint64 // of one question to this sketch
	Res         float64
	Levels      uint8 // of the sketch
	Bytes       int   // likewise
}

func (e *ErrTooManyCells) Error() string {
	limit, which := e.Limit, ""
	switch {
	case e.Left < e.Limit:
		limit, which = AreaLimit, " for all areas of 2,048 rows in total"
	case e.Limit < AreaLimit:
		which = fmt.Sprintf(" for a sketch of %d bytes", e.Bytes)
	}
	if e.Levels > 0 {
		return fmt.Sprintf("area takes at least %.2g steps at resolution %v with %d levels; the limit is %.2g%s (use a smaller area, or a sketch that is coarser or has more levels)", float64(e.Cells), e.Res, e.Levels, float64(limit), which)
	}
	return fmt.Sprintf("area covers %.2g cells at resolution %v; the limit is %.2g%s (use a smaller area, or a sketch that is coarser or has levels)", float64(e.Cells), e.Res, float64(limit), which)
}

// AreaLimit is the most cells that one question may look up in a dense sketch
// or, with levels, the most steps that it may take, because no question can be
// interrupted. View.AreaLimit is less for small sketches.
const AreaLimit = 100_000_000

// The work that one question may make: so much, and so much more for each byte of
// the sketch, of which a lookup takes lookupWork and one for each counter that it
// can read. Bounds, k and layers are what a sketch says of itself, whoever made it;
// bytes it must have. With k = 4 and four layers it is AreaLimit from 435 KiB on,
// and 1.2 million cells of 4 KiB: 0.15 s at most, with what is made of their counts.
const (
	leastWork   = 1 << 23
	workPerByte = 7 << 10
	lookupWork  = 16
	rowWork     = 4
)

// work is how much one question may make.
func (v *View) work() uint64 { return leastWork + workPerByte*uint64(len(v.blob)) }

// AreaLimit is the most cells that one question may look up in this sketch.
func (v *View) AreaLimit() uint64 {
	return min(AreaLimit, v.work()/uint64(lookupWork+v.shape.K*v.shape.Layers))
}

// left is how many cells a question may look up now.
func (v *View) left() uint64 { return min(v.AreaLimit(), AreaLimit-v.covered) }

// LimitAreas limits all later questions together, whatever sketches v is reset
// to, to lookups of AreaLimit cells of dense sketches: for a caller that cannot
// be interrupted between them.
func (v *View) LimitAreas() { v.together, v.covered = true, 0 }

// allow returns an *ErrTooManyCells where a dense sketch may not be asked for n
// cells.
func (v *View) allow(n uint64) error { return v.take(n, v.AreaLimit()) }

// allowRows is allow for the crossings of rows and edges where cells are only
// counted, which takes 5 to 10 ns each.
func (v *View) allowRows(n uint64) error { return v.take(n, min(AreaLimit, v.work()/rowWork)) }

// take is allow for a limit.
func (v *View) take(n, limit uint64) error {
	if left := min(limit, AreaLimit-v.covered); n > left {
		return &ErrTooManyCells{Cells: n, Left: left, Limit: limit, Res: v.Grid.Res(), Levels: v.Levels, Bytes: len(v.blob)}
	}
	if v.together {
		v.covered += n
	}
	return nil
}

// areaSum is the sum over an area. It calls each, where that is not nil, with every
// reading that the sum is made of.
func (v countersView) areaSum(a area, category []byte, each func(n uint64)) (uint64, error) {
	if v.byLevels(a.Bounds().Intersect(v.Bounds)) {
		return v.sumLevels(a, category, each)
	}
	scan, err := a.rows(v.Grid, v.Bounds)
	if err != nil {
		return 0, err
	}
	n := scan.Work()
	if n <= v.left() { // rows that may be walked to count their cells
		n = max(n, scan.Count())
	}
	if err := v.allow(n); err != nil {
		return 0, err
	}
	return v.sumRows(scan, category, each), nil
}

// sumRows is the sum over the cells of rows.
func (v countersView) sumRows(scan rows, category []byte, each func(n uint64)) (sum uint64) {
	bounds := scan.Bounds()
	s := sweep{v: v, category: category}
	for y := bounds.MinY; y <= bounds.MaxY; y++ {
		for _, in := range scan.Row(y) {
			for x := in.X0; x <= in.X1; x += hashBatch {
				n := int(min(in.X1-x+1, hashBatch))
				some := s.ask(x, y, n)
				if each != nil {
					for range n - some {
						each(0)
					}
				}
				if s.enough() {
					sum = s.sum(sum, each)
				}
			}
		}
	}
	return s.sum(sum, each)
}
