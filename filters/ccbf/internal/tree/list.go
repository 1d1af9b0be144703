// Package tree is the pruned quadtree: nested squares with counts, which a sketch keeps if not all of its
// cells fit.
//
// A square of level l is 2^l x 2^l cells of the Z-order curve. A leaf is a square with the number of
// points known to lie in it. In a tree made of cells in one step, one rule decides which squares are leaves.
// A square is split while (side - 1) * points is above a threshold, tau.
//
// The count of a cell is the count of the leaf that holds it. In other trees, it is the sum of all leaves
// that hold it. It is never below the truth, and too high by
// at most tau / (side - 1). The sum over an area is at least that of the leaves inside, and at most that
// of all leaves that meet it.
//
// The idea comes from q-digests (Shrivastava, Buragohain, Agrawal and Suri 2004, "Medians and Beyond") and
// from adaptive spatial partitioning (Hershberger, Shrivastava, Suri and Toth 2004). The rule here also
// weighs how far a point may be from its stated place.
//
// Fit prunes lists of squares to a number of bytes by one threshold, and chooses how they are written. An
// Encoder writes them. Reader.All reads bytes that anyone may have written. Package cells has the squares and adds,
// subtracts and intersects them.
//
// A Sheet is read in place, by package form: it finds cells, sums an area, or visits the leaves that meet an
// area. It decodes a packet of leaves as a whole. A Reader answers from all sheets of a body.
//
// Squares that were united may lie inside one another: points of a coarse square stay there, because their
// place within it is not known. These lists are written as sheets, each of disjoint squares, whose counts
// add up.
package tree

import (
	"encoding/binary"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// List is the body of a sketch that is a tree. For each label it has squares with their points. Whoever
// makes a List may set its Fit. After that, it does not change.
type List struct {
	Sections cells.List
	// Tau is the largest threshold with which any section was pruned.
	Tau Tau
	Fit Accuracy
	// code is the code in which the list is written. It is nil as long as it is not known.
	code *Code
}

// Accuracy is the error of a tree, measured when its cells were pruned.
type Accuracy struct {
	Sampled bool // whether Cells and Excess are estimates, because the tree was pruned while it was built.
	// Cells is the number of cells with points; a cell counts once for each of its categories. It is 0 if unknown:
	// changes of the tree make it so.
	Cells  uint64
	Excess uint64 // the sum of the numbers by which the counts of these cells are too high.
	Suppression
}

// Most returns the largest number by which the count of a cell can be too high. With categories, it is for the
// count over all of them, which adds up leaves of all.
func (t *List) Most() uint64 {
	sections, most := t.Sections.Plain(), uint64(0)
	for i := range sections {
		most = max(most, sections[i].Most())
	}
	return most
}

// FitBytes returns the most memory that pruning n squares takes: the squares of a window of thresholds, a
// sample, two trials and their sheets.
func FitBytes(n int) int64 { return 6 * cells.SquareBytes(n) }

// The body of a tree (docs/FORMAT.md):
//
//	uvarint  tau, by its place on the scale
//	uvarint  1 + cells that were pruned; 0 if not known, 1 if estimated
//	uvarint  an estimate of the cells, if estimated
//	uvarint  the sum by which their counts are too high, if known or estimated
//	uvarint  sections
//	per section: label; uvarint sheets
//	the code
//	per section: its sheets

// maxHead is the most bytes of the numbers of a body.
const maxHead = 4 * binary.MaxVarintLen64

// headBytes returns the most bytes of the body before its code.
func (t *List) headBytes() uint64 {
	n := maxHead
	for i := range t.Sections {
		n += 4*binary.MaxVarintLen32 + len(t.Sections[i].Category)
	}
	return uint64(n)
}

// Size returns the most bytes that the body takes. The code must be known.
func (t *List) Size() uint64 { return t.headBytes() + t.code.size }

// coded returns t with its code.
func (t *List) coded() *List {
	out := *t
	out.code = CodeFor(t.Sections)
	return &out
}

// onlyCells reports whether all squares are cells.
func onlyCells(sections cells.List) bool {
	return !slices.ContainsFunc(sections, func(s cells.Section) bool { return s.Levels != nil })
}

// Within returns the list with its code. If the list takes more than limit bytes, it is pruned. Within returns
// false if even a tree of the largest squares takes more.
func (t *List) Within(limit uint64) (*List, bool) {
	if t.code != nil && t.Size() <= limit {
		return t, true
	}
	// Lists that consist of cells only are not tried without pruning: the caller prunes them because they
	// take too much.
	if len(t.Sections) == 0 || !onlyCells(t.Sections) {
		if out := t.coded(); out.Size() <= limit {
			return out, true
		}
	}
	out, ok := Fit(t.Sections, limit-min(t.headBytes(), limit))
	out.Tau = max(t.Tau, out.Tau)
	return out, ok
}

// AppendTo appends the body. The code must be known.
func (t *List) AppendTo(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(t.Tau))
	switch {
	case t.Fit.Sampled:
		dst = binary.AppendUvarint(dst, 1)
		dst = binary.AppendUvarint(dst, t.Fit.Cells)
		dst = binary.AppendUvarint(dst, t.Fit.Excess)
	case t.Fit.Cells > 0:
		dst = binary.AppendUvarint(dst, 1+t.Fit.Cells)
		dst = binary.AppendUvarint(dst, t.Fit.Excess)
	default:
		dst = binary.AppendUvarint(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(len(t.Sections)))
	var all []cells.Squares
	for i := range t.Sections {
		sheets := t.Sections[i].Sheets()
		dst = cells.AppendLabel(dst, t.Sections[i].Label)
		dst = binary.AppendUvarint(dst, uint64(len(sheets)))
		all = append(all, sheets...)
	}
	dst = t.code.AppendCode(dst)
	e := NewEncoder(t.code)
	for i := range all {
		dst = e.AppendSheet(dst, &all[i])
	}
	return dst
}

// TooLong returns the error for a tree whose sections take too many bytes.
func (t *List) TooLong(limit uint64) error {
	return sketch.OptionError("bytes", "is %d, which is too little for the tree of %s (give more bytes, or build with fewer categories)",
		limit, sketch.Count(uint64(len(t.Sections)), "section"))
}
