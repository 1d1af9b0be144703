package ccbf

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"slices"

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
// sketch, where any number of cells can read anything: View.MaxSpots.
const MaxSpots = 1_000_000

// MaxSpots is the most cells that one question to this sketch lists: MaxSpots, or
// 65,536 and 4 for each byte. No exact sketch has as many.
func (v *View) MaxSpots() int { return min(MaxSpots, 1<<16+4*len(v.blob)) }

// ErrSpots is a question for more cells than are listed, or for none.
var ErrSpots = errors.New("cells cannot be listed")

// Hotspots lists the cells of an area that count threshold or more, by
// descending count, equal ones by Y and then X. Count is that of View.Count, so
// none is missed and, while the sketch is exact, none is listed wrongly. A
// dense sketch with levels leaves out the cells of squares that read less than
// threshold. threshold is at least 1.
//
// Exact sketches answer for any area, dense ones for up to AreaLimit
// lookups inside Bounds. More than View.MaxSpots cells are an error that wraps
// ErrSpots. A cell's points of several categories are added up.
func (v *View) Hotspots(a Area, threshold uint64, of Categories) ([]Spot, error) {
	if threshold == 0 {
		return nil, fmt.Errorf("%w: threshold is 0, must be at least 1", ErrSpots)
	}
	var spots []Spot
	most, full := v.MaxSpots(), false
	add := func(s Spot) bool {
		if len(spots) == most {
			full = true
			return false
		}
		if len(spots) == cap(spots) { // twice as many: long lists are copied less
			spots = slices.Grow(spots, min(max(64, len(spots)), most-len(spots)))
		}
		spots = append(spots, s)
		return true
	}
	on, meets, err := a.on(&v.Head)
	if err != nil || !meets || of.None() {
		return nil, err
	}
	if err := v.in().hotspots(on, threshold, of, add); err != nil && !full {
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
	t := topCells{k: k, most: v.MaxSpots()}
	switch err := v.in().topK(on, of, &t); {
	case t.full:
		return nil, fmt.Errorf("%w: more than %d are among the %d with the highest counts (use a smaller k or a smaller area)", ErrSpots, t.most, k)
	case err != nil:
		return nil, err
	}
	spots := make([]Spot, len(t.cells))
	for i, c := range t.cells {
		spots[i] = c.Spot
	}
	sortSpots(spots)
	return spots, nil
}

// candidate is a cell that may be among the largest, by the least that is known
// of its count.
type candidate struct {
	Spot
	least uint64
}

// before reports whether c comes into a list of the largest rather than d.
func (c *candidate) before(d *candidate) bool {
	if c.least != d.least {
		return c.least > d.least
	}
	if c.Level != d.Level {
		return c.Level < d.Level
	}
	a, b := c.Cell, d.Cell
	return a.Y < b.Y || a.Y == b.Y && a.X < b.X
}

// topCells is a heap of the k best candidates so far, the last of them on top.
type topCells struct {
	k, most int // cells wanted, and the most that there may be
	cells   []candidate
	full    bool // more were wanted than there may be
}

func (t *topCells) Len() int           { return len(t.cells) }
func (t *topCells) Less(i, j int) bool { return t.cells[j].before(&t.cells[i]) }
func (t *topCells) Swap(i, j int)      { t.cells[i], t.cells[j] = t.cells[j], t.cells[i] }
func (t *topCells) Push(any)           {}             // never: it would take an allocation for each
func (t *topCells) Pop() any           { return nil } // never: the last is replaced

// wants reports whether c would be among the best.
func (t *topCells) wants(c candidate) bool {
	return len(t.cells) < t.k || c.before(&t.cells[0])
}

// add takes a candidate into account; false once there are too many.
func (t *topCells) add(c candidate) bool {
	switch {
	case len(t.cells) < min(t.k, t.most):
		if len(t.cells) == cap(t.cells) {
			t.cells = slices.Grow(t.cells, min(max(64, len(t.cells)), t.most-len(t.cells)))
		}
		t.cells = append(t.cells, c)
		heap.Fix(t, len(t.cells)-1)
	case len(t.cells) < t.k:
		t.full = true
	case c.before(&t.cells[0]):
		t.cells[0] = c
		heap.Fix(t, 0)
	}
	return !t.full
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
