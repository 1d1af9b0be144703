package ccbf

import (
	"fmt"
	"iter"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Cells returns the cells of a rectangle that have points, each once with its count,
// those of a region in Z-order. category nil is for points of any category;
// CheckCategory must have allowed the question.
//
// For a tree, it returns the leaves that meet the rectangle, with the points that are in
// them and in no smaller leaf: the counts of all of them add up to the total. In united
// trees leaves lie within one another; a cell's Count is then the sum over all leaves
// that hold it, not only the smallest one.
//
// The error of a dense sketch wraps ErrNotListed: any of its cells may read anything.
// While it runs the View must not be asked anything else. O(blocks that meet the
// rectangle); View.Listed says how much memory it takes.
func (v *View) Cells(box grid.Rect, category []byte) (iter.Seq[Spot], error) {
	l, ok := v.in().(lists)
	if !ok {
		return nil, fmt.Errorf("%w of their cells: any cell can have a count (list the largest cells of a box with ccbf_top_k or ccbf_hotspots, or build with more bytes, or with overflow: 'tree')", ErrNotListed)
	}
	return func(yield func(Spot) bool) {
		stop := false
		l.eachCell(box, category, &stop, func(s Spot) { stop = stop || !yield(s) })
	}, nil
}

// Listed is the most cells that Cells returns, for any rectangle, and the memory that
// this takes in addition to the View; 0 for counters.
func (v *View) Listed(category []byte) (cells int, bytes int64) {
	if l, ok := v.in().(lists); ok {
		return l.listed(category)
	}
	return 0, 0
}

func (v exactView) eachCell(box grid.Rect, category []byte, stop *bool, f func(Spot)) {
	v.cells.EachUntil(box, category, 1, stop, func(c grid.Cell, n uint64) { f(Spot{Cell: c, Count: n}) })
}

func (v exactView) listed(category []byte) (int, int64) { return v.cells.Most(category) }

func (v treeView) eachCell(r grid.Rect, category []byte, stop *bool, f func(Spot)) {
	if r = r.Intersect(v.Bounds); r.Empty() {
		return
	}
	for _, g := range v.tree.about(category) {
		a := &treeArea{box{cells.Box(r)}, v.Bounds, g.x, g.y, false}
		tree.Each(g.sheets, a, v.tree.packet, stop, func(l tree.Leaf) { f(v.spot(&g, l)) })
	}
}

func (v treeView) listed(category []byte) (leaves int, bytes int64) {
	for _, g := range v.tree.about(category) {
		n := 0
		for i := range g.sheets {
			n += int(g.sheets[i].Leaves())
		}
		if leaves += n; len(g.sheets) > 1 {
			bytes = max(bytes, 4*squareBytes(n)) // lists that grow, and their sum
		}
	}
	return leaves, bytes
}
