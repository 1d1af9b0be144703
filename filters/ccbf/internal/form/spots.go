package form

import (
	"container/heap"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Spot is a cell and its count; in a tree, a leaf: a square of 2^Level x 2^Level
// cells, each with that count, whose south-western one is Cell.
type Spot struct {
	Cell  grid.Cell
	Count uint64
	Level uint8
}

// MaxSpots is the most cells that one question lists.
const MaxSpots = 1_000_000

// Candidate is a cell that may be among the largest, by the least that is known
// of its count.
type Candidate struct {
	Spot
	Least uint64
}

// before reports whether c comes into a list of the largest rather than d.
func (c *Candidate) before(d *Candidate) bool {
	if c.Least != d.Least {
		return c.Least > d.Least
	}
	if c.Level != d.Level {
		return c.Level < d.Level
	}
	a, b := c.Cell, d.Cell
	return a.Y < b.Y || a.Y == b.Y && a.X < b.X
}

// Top is a heap of the k best candidates so far, the last of them on top.
type Top struct {
	K, Most int // cells wanted, and the most that there may be
	Cells   []Candidate
	Full    bool // more were wanted than there may be
}

func (t *Top) Len() int           { return len(t.Cells) }
func (t *Top) Less(i, j int) bool { return t.Cells[j].before(&t.Cells[i]) }
func (t *Top) Swap(i, j int)      { t.Cells[i], t.Cells[j] = t.Cells[j], t.Cells[i] }
func (t *Top) Push(any)           {}             // never: it would take an allocation for each
func (t *Top) Pop() any           { return nil } // never: the last is replaced

// Wants reports whether c would be among the best.
func (t *Top) Wants(c Candidate) bool {
	return len(t.Cells) < t.K || c.before(&t.Cells[0])
}

// Add takes a Candidate into account; false once there are too many.
func (t *Top) Add(c Candidate) bool {
	switch {
	case len(t.Cells) < min(t.K, t.Most):
		if len(t.Cells) == cap(t.Cells) {
			t.Cells = slices.Grow(t.Cells, min(max(64, len(t.Cells)), t.Most-len(t.Cells)))
		}
		t.Cells = append(t.Cells, c)
		heap.Fix(t, len(t.Cells)-1)
	case len(t.Cells) < t.K:
		t.Full = true
	case c.before(&t.Cells[0]):
		t.Cells[0] = c
		heap.Fix(t, 0)
	}
	return !t.Full
}
