package form

import "fmt"

// ErrTooManyCells is the error for an area with more cells than one query may look up in counters.
type ErrTooManyCells struct {
	// Cells is the number of cells of the area. With levels, at least so many steps are needed. Left is how
	// many are still allowed after earlier areas.
	Cells, Left uint64
	Limit       uint64 // number of cells that one query to this sketch may look up.
	Res         float64
	Levels      uint8 // levels of the sketch
	Bytes       int   // length of the sketch
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

// AreaLimit is the largest number of cells that one query may look up in counters. With levels, it
// limits steps. No query can be interrupted. The limit is lower for small sketches.
const AreaLimit = 100_000_000

// These are the costs of a query. It may cost leastWork, and workPerByte more for each byte of the
// sketch. A lookup costs lookupWork, and one for each counter that it can read. A crossing of a row
// and an edge costs rowWork.
//
// A BLOB may come from anyone and claim any bounds, k and layers, but it must have its bytes. With
// the default layers, the limit is AreaLimit from 435 KiB on. It is 1.2 million cells for 4 KiB.
const (
	leastWork   = 1 << 23
	workPerByte = 7 << 10
	lookupWork  = 16
	rowWork     = 4
)

// Limit bounds the work of queries. After Together it bounds the queries to several sketches together, so
// it outlives a sketch.
type Limit struct {
	Size     int     // bytes of the BLOB
	Res      float64 // resolution
	Levels   uint8   // levels of squares
	Counters int     // counters that a lookup can read: k times the layers

	Shared  bool   // whether AreaLimit bounds all queries since Together, not each one.
	Covered uint64 // cells looked up since Together
}

// Together bounds all later queries together by AreaLimit, whatever sketches they read.
func (l *Limit) Together() { l.Shared, l.Covered = true, 0 }

// Work returns the largest cost of one query.
func (l *Limit) Work() uint64 { return leastWork + workPerByte*uint64(l.Size) }

// Cells returns the largest number of cells that one query may look up in this sketch.
func (l *Limit) Cells() uint64 { return min(AreaLimit, l.Work()/uint64(lookupWork+l.Counters)) }

// Left returns the number of cells that the next query may look up.
func (l *Limit) Left() uint64 { return min(l.Cells(), AreaLimit-l.Covered) }

// Allow returns an *ErrTooManyCells if a query may not look up n cells.
func (l *Limit) Allow(n uint64) error { return l.take(n, l.Cells()) }

// AllowRows returns an *ErrTooManyCells if counting cells may not cross rows and edges n times.
func (l *Limit) AllowRows(n uint64) error { return l.take(n, min(AreaLimit, l.Work()/rowWork)) }

// take is Allow with the limit most.
func (l *Limit) take(n, most uint64) error {
	if left := min(most, AreaLimit-l.Covered); n > left {
		return &ErrTooManyCells{Cells: n, Left: left, Limit: most, Res: l.Res, Levels: l.Levels, Bytes: l.Size}
	}
	if l.Shared {
		l.Covered += n
	}
	return nil
}

// Within calls f with a limit of most cells, regardless of earlier queries, and does not count
// them.
func (l *Limit) Within(most uint64, f func() error) error {
	before := *l
	l.Shared, l.Covered = true, AreaLimit-most
	err := f()
	*l = before
	return err
}
