package ccbf

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Cells returns the cells of an area that have points, each once with its count. Counts of several
// categories are added up. The cells of a region come in Z-order. Call CheckCategory first.
//
// For a tree (nested squares with counts), it returns the leaves that meet the area. Count is then
// the points in a leaf and in no smaller leaf, so all leaves add up to the total. In united trees
// leaves lie within one another. A cell's Count is then the sum over all leaves that hold it, not
// only the smallest.
//
// For counters the error wraps ErrNotListed: any of their cells may have a count. Do not query the
// View until the last cell. O(blocks that meet the area); bridge.Listed returns the memory that it
// takes.
func (v *View) Cells(a Area, of Categories) (iter.Seq[Spot], error) {
	l := v.reader().Listing()
	if l == nil {
		return nil, fmt.Errorf("%w of their cells: any cell can have a count (list the largest cells of a box with ccbf_top_k or ccbf_hotspots, or build with more bytes, or with overflow: 'tree')", ErrNotListed)
	}
	on, err := a.on(v, of)
	if err != nil {
		return nil, err
	}
	return func(yield func(Spot) bool) {
		if on != nil {
			l.EachCell(on, of, func(s form.Spot) bool { return yield(Spot(s)) })
		}
	}, nil
}

// Category is a category of a sketch with its totals.
type Category struct {
	Key []byte // the bytes of the category; its class is Head.Class. key.AppendText writes it as text.
	// Total is the number of points. For a tree after Intersect or Mask, when View.Total is not
	// known, it is an upper bound.
	Total uint64
	Cells uint64 // number of cells; 0 for a tree, which does not know it.
}

// ErrNotListed is the error for listing counters: they know neither their categories nor their
// cells, and can only look up given ones.
var ErrNotListed = errors.New("counters have no list")

// ListCategories returns the categories of a sketch in the order of key.Compare. For classes
// without an order it uses the order of their bytes. It returns none if points have none. It reads
// the head of each section, not the cells. For counters the error wraps ErrNotListed. Keys are the
// BLOB's memory. O(sections), and sorting them.
func (v *View) ListCategories() ([]Category, error) {
	l, err := v.categoryLists()
	if l == nil {
		return nil, err
	}
	var list []Category
	l.EachCategory(func(category []byte, cells, total uint64) {
		if !v.IsExact() {
			cells = 0 // squares hold any number of cells
		}
		list = append(list, Category{category, total, cells})
	})
	inOrder(v.Class(), list, func(c *Category) []byte { return c.Key })
	return list, nil
}

// categoryLists returns the squares of a sketch with categories, nil without.
func (v *View) categoryLists() (*form.Squares, error) {
	l := v.reader().Listing()
	switch {
	case l == nil:
		return nil, fmt.Errorf("%w of their categories: they can only look up one that is given (build with more bytes, or with overflow: 'tree')", ErrNotListed)
	case !v.Categories:
		return nil, nil
	}
	return l, nil
}

// inOrder sorts a list by keys of a class. Before, the list must be in the order of the keys' bytes.
func inOrder[T any](class key.Class, list []T, keyOf func(*T) []byte) {
	if class == key.Text || !class.Ordered() {
		return
	}
	slices.SortStableFunc(list, func(a, b T) int {
		order, _ := key.Compare(class, keyOf(&a), keyOf(&b))
		return order
	})
}

// CategorySum is a category with the estimate of its points in an area.
type CategorySum struct {
	Key []byte // as Category.Key
	Estimate
}

// ByCategory returns the estimate of each category that has points in an area, in the order of
// ListCategories, in one walk over the area. Value, Low and High of an exact sketch are the sum.
// Errors come from ListCategories and Estimate.
func (v *View) ByCategory(a Area, of Categories) ([]CategorySum, error) {
	l, err := v.categoryLists()
	if l == nil {
		return nil, err
	}
	n, err := a.count(v)
	if err != nil {
		return nil, err
	}
	on, err := a.on(v, of)
	if on == nil {
		return nil, err
	}
	var list []CategorySum
	l.EachCategorySum(on, of, func(category []byte, sum form.Estimate) {
		sum.Cells = n
		list = append(list, CategorySum{category, Estimate(sum)})
	})
	inOrder(v.Class(), list, func(c *CategorySum) []byte { return c.Key })
	return list, nil
}

// ErrNotExact is the error for a query that needs the count of each cell, which only exact sketches
// know. A tree has squares of cells, and counters have neither (ErrNotListed).
var ErrNotExact = errors.New("the sketch is not exact: its cells are not known")

// CellDifference is a cell in which two sketches differ, and its count in each.
type CellDifference struct {
	Cell        grid.Cell
	Left, Right uint64
}

// Difference returns the cells in which the counts of s, the left sketch, and o differ, for points
// of categories, in no particular order. Parameters of other forms may differ. The error wraps
// sketch.ErrDiffer, or ErrNotExact if one of them is not exact. It changes neither, and neither may
// change until the last cell.
func (s *Sketch) Difference(o *Sketch, of Categories) (iter.Seq[CellDifference], error) {
	if err := s.sameCells(&o.Config); err != nil {
		return nil, err
	}
	if err := differClass(s.Class, o.Class); err != nil {
		return nil, err
	}
	for i, side := range []*Sketch{s, o} {
		if !side.IsExact() {
			return nil, fmt.Errorf("%w: the %s is %s (build it with more bytes, or compare sums over areas)",
				ErrNotExact, []string{"left one", "right one"}[i], map[Form]string{Tree: "a tree", Dense: "dense"}[side.Form()])
		}
	}
	left, right := s.squares.Sections.Of(of), o.squares.Sections.Of(of)
	return func(yield func(CellDifference) bool) {
		stop := false
		cells.Differences(left, right, func(c grid.Cell, x, y uint64) {
			stop = stop || !yield(CellDifference{c, x, y})
		})
	}, nil
}
