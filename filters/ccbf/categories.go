package ccbf

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

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

// ByCategory lists the categories of a sketch in the order of key.Compare, or, for
// classes without one, of their bytes; it returns none if points have none. It reads the
// head of each section, not the cells. The error of a dense sketch wraps ErrNotListed.
// Keys are the BLOB's memory. O(sections), and sorting them.
func (v *View) ByCategory() ([]Category, error) {
	l, ok := v.in().(lists)
	if !ok {
		return nil, fmt.Errorf("%w of their categories: they can only look up one that is given (build with more bytes, or with overflow: 'tree')", ErrNotListed)
	}
	if !v.Categories {
		return nil, nil
	}
	var list []Category
	l.eachCategory(func(category []byte, cells, total uint64) {
		list = append(list, Category{category, total, cells})
	})
	if class := v.Class(); class != key.Text && class.Ordered() { // of text they come in order
		slices.SortStableFunc(list, func(a, b Category) int {
			order, _ := key.Compare(class, a.Key, b.Key)
			return order
		})
	}
	return list, nil
}

// Between lists the keys of a sketch's categories from one key to another, both
// included and both of the class of the sketch, in order. Errors as ByCategory, and
// for classes that have no order.
func (v *View) Between(from, to []byte) ([][]byte, error) {
	list, err := v.ByCategory()
	if err != nil {
		return nil, err
	}
	class := v.Class()
	if class != key.None && !class.Ordered() {
		return nil, fmt.Errorf("a range of %v categories, which have no order: give a list of them", class)
	}
	var keys [][]byte
	for _, c := range list {
		low, ok := key.Compare(class, from, c.Key)
		high, known := key.Compare(class, c.Key, to)
		if ok && known && low <= 0 && high <= 0 {
			keys = append(keys, c.Key)
		}
	}
	return keys, nil
}

func (v exactView) eachCategory(f func(category []byte, cells, total uint64)) {
	v.cells.EachCategory(f)
}

func (v treeView) eachCategory(f func(category []byte, cells, total uint64)) {
	t := &v.tree
	for i := 0; i < len(t.sections); {
		category, total := t.sections[i].Category, uint64(0)
		for ; i < len(t.sections) && bytes.Equal(t.sections[i].Category, category); i++ {
			for j := t.sections[i].from; j < t.sections[i].to; j++ {
				total = saturate.Add(total, t.sheets[j].Total())
			}
		}
		f(category, 0, total)
	}
}

// CategoryBytes is the bytes that ByCategory takes.
func (v *View) CategoryBytes() int64 {
	if v.Form() == Tree {
		return int64(len(v.tree.sections)) * categoryBytes
	}
	return int64(v.cells.Sections()) * categoryBytes
}

// categoryBytes is those of a Category, in a list that grows.
const categoryBytes = 2 * 40
