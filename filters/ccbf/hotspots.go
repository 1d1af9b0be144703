package ccbf

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Spot is a cell and its Count; in a tree, a leaf: a square of 2^Level x 2^Level
// cells, each with that Count, whose south-western one is Cell.
type Spot struct {
	Cell  grid.Cell
	Count uint64
	Level uint8
}

// Square is the centre of the cell, or of the leaf, and its side, in coordinates.
func (s *Spot) Square(g grid.Grid) (x, y, side float64) { return g.Square(s.Cell, s.Level) }

// MaxSpots is the most cells that one question lists; fewer for a small dense
// sketch, where any number of cells can read anything: 65,536 and 4 for each byte.
const MaxSpots = form.MaxSpots

// ErrSpots is a question for more cells than are listed, or for none.
var ErrSpots = errors.New("cells cannot be listed")

// Hotspots lists the cells of an area that count threshold or more, by
// descending count, equal ones by Y and then X. Count is that of View.Count, so
// none is missed and, while the sketch is exact, none is listed wrongly. A
// dense sketch with levels leaves out the cells of squares that read less than
// threshold. threshold is at least 1.
//
// Exact sketches answer for any area, dense ones for up to AreaLimit
// lookups inside Bounds. More than MaxSpots cells are an error that wraps
// ErrSpots. A cell's points of several categories are added up.
func (v *View) Hotspots(a Area, threshold uint64, of Categories) ([]Spot, error) {
	if threshold == 0 {
		return nil, fmt.Errorf("%w: threshold is 0, must be at least 1", ErrSpots)
	}
	var spots []Spot
	most, full := v.head.MaxSpots(), false
	add := func(s form.Spot) bool {
		if len(spots) == most {
			full = true
			return false
		}
		if len(spots) == cap(spots) { // twice as many: long lists are copied less
			spots = slices.Grow(spots, min(max(64, len(spots)), most-len(spots)))
		}
		spots = append(spots, Spot(s))
		return true
	}
	on, meets, err := a.on(&v.Head)
	if err != nil || !meets || of.None() {
		return nil, err
	}
	if err := v.reader().Hotspots(on, threshold, of, add); err != nil && !full {
		return nil, err
	}
	if full {
		return nil, fmt.Errorf("%w: more than %d have a count of %d or more (raise the threshold or use a smaller area)", ErrSpots, most, threshold)
	}
	sortSpots(spots)
	return spots, nil
}

// TopK lists the k cells of an area with the largest counts, fewer if fewer
// have a count, in the order of Hotspots, which also decides between equal
// counts. To choose cells, a dense sketch with levels takes as a cell's count the
// least that the cell and the squares above it read. k is from 1 to MaxSpots.
// Limits as Hotspots.
func (v *View) TopK(a Area, k int, of Categories) ([]Spot, error) {
	if k < 1 || k > MaxSpots {
		return nil, fmt.Errorf("%w: k is %d, must be from 1 to %d", ErrSpots, k, MaxSpots)
	}
	on, meets, err := a.on(&v.Head)
	if err != nil || !meets || of.None() {
		return nil, err
	}
	t := form.Top{K: k, Most: v.head.MaxSpots()}
	switch err := v.reader().TopK(on, of, &t); {
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

// spotOrder is the order in which Hotspots and TopK list.
func spotOrder(a, b *Spot) int {
	switch {
	case a.Count != b.Count:
		return cmp.Compare(b.Count, a.Count)
	case a.Level != b.Level:
		return cmp.Compare(a.Level, b.Level)
	case a.Cell.Y != b.Cell.Y:
		return cmp.Compare(a.Cell.Y, b.Cell.Y)
	}
	return cmp.Compare(a.Cell.X, b.Cell.X)
}

// sortSpots puts spots into spotOrder.
func sortSpots(spots []Spot) {
	slices.SortFunc(spots, func(a, b Spot) int { return spotOrder(&a, &b) })
}
