package form

import "fmt"

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
// interrupted. It is less for small sketches.
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

// Limit is how much work questions to a sketch may make. It outlives the sketch: Together adds
// up what questions to several of them make.
type Limit struct {
	Size     int     // bytes of the BLOB
	Res      float64 // resolution
	Levels   uint8   // of squares
	Counters int     // that a lookup can read: k times the layers

	Shared  bool   // AreaLimit is for all questions since Together
	Covered uint64 // cells that those covered
}

// Together limits all later questions together to lookups of AreaLimit cells, whatever
// sketches they are about.
func (l *Limit) Together() { l.Shared, l.Covered = true, 0 }

// Work is how much one question may make.
func (l *Limit) Work() uint64 { return leastWork + workPerByte*uint64(l.Size) }

// Cells is the most cells that one question may look up in this sketch.
func (l *Limit) Cells() uint64 { return min(AreaLimit, l.Work()/uint64(lookupWork+l.Counters)) }

// Left is how many cells a question may look up now.
func (l *Limit) Left() uint64 { return min(l.Cells(), AreaLimit-l.Covered) }

// Allow returns an *ErrTooManyCells where counters may not be asked for n cells.
func (l *Limit) Allow(n uint64) error { return l.take(n, l.Cells()) }

// AllowRows is Allow for the crossings of rows and edges where cells are only
// counted, which takes 5 to 10 ns each.
func (l *Limit) AllowRows(n uint64) error { return l.take(n, min(AreaLimit, l.Work()/rowWork)) }

// take is Allow with the most that may be asked for.
func (l *Limit) take(n, most uint64) error {
	if left := min(most, AreaLimit-l.Covered); n > left {
		return &ErrTooManyCells{Cells: n, Left: left, Limit: most, Res: l.Res, Levels: l.Levels, Bytes: l.Size}
	}
	if l.Shared {
		l.Covered += n
	}
	return nil
}

// Within calls f with at most most cells to look up, whatever was asked before, and
// does not count them.
func (l *Limit) Within(most uint64, f func() error) error {
	before := *l
	l.Shared, l.Covered = true, AreaLimit-most
	err := f()
	*l = before
	return err
}
