package ccbf

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Spot is a cell with its Count. In a tree (nested squares with counts) a Spot is a leaf. This is a
// square of 2^Level x 2^Level cells, each of which has that Count. Cell is then the south-western cell of
// the square.
type Spot struct {
	Cell  grid.Cell
	Count uint64
	Level uint8
}

// Square returns the centre and the side of the cell or leaf, in coordinates.
func (s *Spot) Square(g grid.Grid) (x, y, side float64) { return g.Square(s.Cell, s.Level) }

// MaxSpots is the largest number of cells that one query lists. It is less for small counters, in
// which any number of cells can have any count: 65,536 and 4 for each byte.
const MaxSpots = form.MaxSpots

// ErrSpots is the error for listing more cells than allowed, or none.
var ErrSpots = errors.New("cells cannot be listed")

// Hotspots returns the cells of an area that count at least threshold, by descending count, equal
// ones by Y and then X. Count equals View.Count, so none is missing, and for an exact sketch
// none is wrong. For counters with levels, it leaves out the cells of squares that count less than
// threshold. threshold is at least 1. A cell's points of several categories are added up.
//
// Exact sketches answer for any area, counters for up to AreaLimit lookups inside Bounds. More than
// MaxSpots cells are an error that wraps ErrSpots.
func (v *View) Hotspots(a Area, threshold uint64, of Categories) ([]Spot, error) {
	if threshold == 0 {
		return nil, fmt.Errorf("%w: threshold is 0, must be at least 1", ErrSpots)
	}
	var spots []Spot
	most := v.head.MaxSpots()
	t := form.Top{Least: threshold, Each: func(s form.Spot) bool {
		if len(spots) == most {
			return false
		}
		// Double the capacity, so that long lists are copied less often.
		if len(spots) == cap(spots) {
			spots = slices.Grow(spots, min(max(64, len(spots)), most-len(spots)))
		}
		spots = append(spots, Spot(s))
		return true
	}}
	switch err := v.top(a, of, &t); {
	case t.Full:
		return nil, fmt.Errorf("%w: more than %d have a count of %d or more (raise the threshold or use a smaller area)", ErrSpots, most, threshold)
	case err != nil:
		return nil, err
	}
	sortSpots(spots)
	return spots, nil
}

// TopK returns the k cells of an area with the largest counts, or fewer if fewer have a count. The
// order is the one of Hotspots, which also decides between equal counts. For counters with levels, it
// chooses cells by the least count of the cell and the squares above it. k is from 1 to MaxSpots.
// Limits equal those of Hotspots.
func (v *View) TopK(a Area, k int, of Categories) ([]Spot, error) {
	if k < 1 || k > MaxSpots {
		return nil, fmt.Errorf("%w: k is %d, must be from 1 to %d", ErrSpots, k, MaxSpots)
	}
	t := form.Top{K: k, Most: v.head.MaxSpots()}
	switch err := v.top(a, of, &t); {
	case t.Full:
		return nil, fmt.Errorf("%w: more than %d are among the %d with the highest counts (use a smaller k or a smaller area)", ErrSpots, t.Most, k)
	case err != nil:
		return nil, err
	}
	spots := make([]Spot, len(t.Cells))
	for i, c := range t.Cells {
		spots[i] = Spot(c.Spot)
	}
	sortSpots(spots)
	return spots, nil
}

// top passes the cells of an area to t.
func (v *View) top(a Area, of Categories, t *form.Top) error {
	on, err := a.on(v, of)
	if on == nil {
		return err
	}
	return v.reader().Top(on, of, t)
}

// sortSpots sorts spots in the order of Hotspots and TopK.
func sortSpots(spots []Spot) {
	slices.SortFunc(spots, func(a, b Spot) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), form.Spot(a).Place(form.Spot(b)))
	})
}
