package ccbf

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Cells returns the cells of an area that have points, each once with its count, those of
// several categories added up, and those of a region in Z-order. CheckCategory must have
// allowed the question.
//
// For a tree, it returns the leaves that meet the area, with the points that are in
// them and in no smaller leaf: the counts of all of them add up to the total. In united
// trees leaves lie within one another; a cell's Count is then the sum over all leaves
// that hold it, not only the smallest one.
//
// The error of a dense sketch wraps ErrNotListed: any of its cells may read anything.
// While it runs the View must not be asked anything else. O(blocks that meet the
// area); View.Listed says how much memory it takes.
func (v *View) Cells(a Area, of Categories) (iter.Seq[Spot], error) {
	l, ok := v.reader().(form.Lister)
	if !ok {
		return nil, fmt.Errorf("%w of their cells: any cell can have a count (list the largest cells of a box with ccbf_top_k or ccbf_hotspots, or build with more bytes, or with overflow: 'tree')", ErrNotListed)
	}
	on, meets, err := a.on(&v.Head)
	if err != nil {
		return nil, err
	}
	return func(yield func(Spot) bool) {
		if stop := !meets || of.None(); !stop {
			l.EachCell(on, of, &stop, func(s form.Spot) { stop = stop || !yield(Spot(s)) })
		}
	}, nil
}

// Listed is the most cells that Cells returns for any area of one kind, and the memory that
// this takes in addition to the View; 0 for counters.
func (v *View) Listed(a Area, of Categories) (cells int, bytes int64) {
	if l, ok := v.reader().(form.Lister); ok {
		return l.Listed(a.polygon == nil, of)
	}
	return 0, 0
}

// Category describes one category of a sketch.
type Category struct {
	Key []byte // of the class that Head.Class names; key.AppendText writes it
	// Total is the number of points, of a tree that intersect or mask made the most
	// that there can be: where View.Total is not known.
	Total uint64
	Cells uint64 // 0 of a tree, which does not know
}

// ErrNotListed is a question for what counters cannot list: they know neither their
// categories nor their cells, and can only look up given ones.
var ErrNotListed = errors.New("counters have no list")

// ListCategories lists the categories of a sketch in the order of key.Compare, or, for
// classes without one, of their bytes; it returns none if points have none. It reads the
// head of each section, not the cells. The error of a dense sketch wraps ErrNotListed.
// Keys are the BLOB's memory. O(sections), and sorting them.
func (v *View) ListCategories() ([]Category, error) {
	l, err := v.categoryLists()
	if l == nil {
		return nil, err
	}
	var list []Category
	l.EachCategory(func(category []byte, cells, total uint64) {
		list = append(list, Category{category, total, cells})
	})
	inOrder(v.Class(), list, func(c *Category) []byte { return c.Key })
	return list, nil
}

// categoryLists is the lists of a sketch with categories, nil without.
func (v *View) categoryLists() (form.Lister, error) {
	l, ok := v.reader().(form.Lister)
	switch {
	case !ok:
		return nil, fmt.Errorf("%w of their categories: they can only look up one that is given (build with more bytes, or with overflow: 'tree')", ErrNotListed)
	case !v.Categories:
		return nil, nil
	}
	return l, nil
}

// inOrder sorts what has keys of a class, which come in the order of their bytes.
func inOrder[T any](class key.Class, list []T, keyOf func(*T) []byte) {
	if class == key.Text || !class.Ordered() {
		return
	}
	slices.SortStableFunc(list, func(a, b T) int {
		order, _ := key.Compare(class, keyOf(&a), keyOf(&b))
		return order
	})
}

// CategorySum is what an area has of a category.
type CategorySum struct {
	Key []byte // as Category.Key
	Estimate
}

// ByCategory returns the points in an area for each category that has some there, in the
// order of ListCategories, in one walk over the area. Value, Low and High of an exact
// sketch are the sum. Errors as ListCategories, and as Estimate.
func (v *View) ByCategory(a Area, of Categories) ([]CategorySum, error) {
	l, err := v.categoryLists()
	if l == nil {
		return nil, err
	}
	n, err := a.count(v)
	if err != nil {
		return nil, err
	}
	on, meets, err := a.on(&v.Head)
	if err != nil || !meets || of.None() {
		return nil, err
	}
	var list []CategorySum
	l.EachCategorySum(on, of, func(category []byte, sum form.Estimate) {
		e := estimateOf(sum)
		e.Cells = n
		list = append(list, CategorySum{category, e})
	})
	inOrder(v.Class(), list, func(c *CategorySum) []byte { return c.Key })
	return list, nil
}

// ErrText is a text that is longer than a string in SQL may be.
var ErrText = errors.New("the text is too long")

const (
	maxText    = math.MaxInt32
	maxFeature = 1 << 10 // bytes: text, ten coordinates, a count
	leastPlain = 1e-15   // coordinates of smaller cells, and of those as large, have exponents
)

// AppendGeoJSON appends the cells of an area, as Cells returns them, as a
// FeatureCollection of RFC 7946: for each cell that counts threshold or more, its square
// and the property count. Coordinates are the shortest decimals of the edges, in any unit;
// GeoJSON expects degrees.
//
// room, unless it is nil, is called with the bytes of each larger buffer before it is
// made, and its error ends the text. threshold is at least 1. Errors as Cells; one that
// wraps ErrText for more than 2 GiB.
func (v *View) AppendGeoJSON(dst []byte, a Area, threshold uint64, of Categories, room func(bytes int64) error) ([]byte, error) {
	if threshold == 0 {
		return dst, fmt.Errorf("%w: threshold is 0, must be at least 1", ErrSpots)
	}
	cells, err := v.Cells(a, of)
	if err != nil {
		return dst, err
	}
	grow := func() error {
		size := 2 * int64(cap(dst)+maxFeature)
		if int64(len(dst)) > maxText-2*maxFeature {
			return fmt.Errorf("%w: more than 2 GiB (ask for a smaller area or a higher threshold)", ErrText)
		}
		if room != nil {
			if err := room(size); err != nil {
				return err
			}
		}
		dst = append(make([]byte, 0, size), dst...)
		return nil
	}
	w := newFeatureWriter(v.Grid)
	start := len(dst)
	for s := range cells {
		if s.Count < threshold {
			continue
		}
		if cap(dst)-len(dst) < maxFeature {
			if err := grow(); err != nil {
				return dst[:start], err
			}
		}
		if len(dst) == start {
			dst = append(dst, `{"type":"FeatureCollection","features":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = w.append(dst, s)
	}
	if len(dst) == start {
		return append(dst, `{"type":"FeatureCollection","features":[]}`...), nil
	}
	return append(dst, "]}"...), nil
}

// featureWriter writes cells as features.
type featureWriter struct {
	grid   grid.Grid
	format byte      // of strconv
	edges  [4][]byte // west, south, east, north
}

func newFeatureWriter(g grid.Grid) featureWriter {
	w := featureWriter{grid: g, format: 'f'}
	if res := g.Res(); res < leastPlain || res > 1/leastPlain {
		w.format = 'g'
	}
	return w
}

func (w *featureWriter) append(dst []byte, s Spot) []byte {
	side := int64(1) << s.Level
	for i, cell := range [...]int64{s.Cell.X, s.Cell.Y, s.Cell.X + side, s.Cell.Y + side} {
		w.edges[i] = w.edge(w.edges[i][:0], cell)
	}
	dst = append(dst, `{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[`...)
	for i, corner := range [...][2]int{{0, 1}, {2, 1}, {2, 3}, {0, 3}, {0, 1}} { // counterclockwise
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, '['), w.edges[corner[0]]...)
		dst = append(append(dst, ','), w.edges[corner[1]]...)
		dst = append(dst, ']')
	}
	dst = append(dst, `]]},"properties":{"count":`...)
	dst = strconv.AppendUint(dst, s.Count, 10)
	return append(dst, "}}"...)
}

// edge writes the lower edge of a cell.
func (w *featureWriter) edge(dst []byte, cell int64) []byte {
	v := min(max(w.grid.Edge(cell), -math.MaxFloat64), math.MaxFloat64)
	return strconv.AppendFloat(dst, v, w.format, -1, 64)
}

// ErrNotExact is a question for counts cell by cell that only exact sketches know: a tree
// has squares of them, and counters have neither (ErrNotListed).
var ErrNotExact = errors.New("the sketch is not exact: its cells are not known")

// Difference has the cells in which the counts of two exact sketches differ.
type Difference struct{ a, b cells.List }

// Difference is s less o, cell by cell, for points of categories. Parameters that say what a sketch becomes when it is no longer exact may differ. The
// error wraps sketch.ErrDiffer, or ErrNotExact where one of them is not exact. Neither is
// changed, nor may they be while the Difference is used.
func (s *Sketch) Difference(o *Sketch, of Categories) (*Difference, error) {
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
	return &Difference{s.cells.Of(of), o.cells.Of(of)}, nil
}

// Len is the number of cells.
func (d *Difference) Len() int {
	n := 0
	cells.Differences(d.a, d.b, func(grid.Cell, uint64, uint64) { n++ })
	return n
}

// Each calls f for each cell, with how much more the left sketch counts there than the
// right one, in no particular order. It is an error where that is no int64.
func (d *Difference) Each(f func(c grid.Cell, n int64)) error {
	var err error
	cells.Differences(d.a, d.b, func(c grid.Cell, x, y uint64) {
		if max(x, y)-min(x, y) > math.MaxInt64 {
			err = fmt.Errorf("the counts of cell (%d, %d) are %d and %d: they differ by more than 2^63-1", c.X, c.Y, x, y)
			return
		}
		f(c, int64(x-y))
	})
	return err
}
