package ccbf

import (
	"bytes"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// CategorySet is the set of categories of a question. No category is counted twice,
// however often it was given. The zero value is the empty set.
type CategorySet struct{ keys [][]byte }

// NewCategorySet is the set of keys, which must not change while it is used.
func NewCategorySet(keys ...[]byte) CategorySet {
	keys = slices.Clone(keys)
	slices.SortFunc(keys, bytes.Compare)
	return CategorySet{slices.CompactFunc(keys, bytes.Equal)}
}

// Len is the number of categories.
func (s CategorySet) Len() int { return len(s.keys) }

// Same reports whether two are the same set in memory, or both empty.
func (s CategorySet) Same(o CategorySet) bool {
	return len(s.keys) == len(o.keys) && (len(s.keys) == 0 || &s.keys[0] == &o.keys[0])
}

func (s CategorySet) which() which { return which{several: true, set: s.keys} }

// CountCellsOf is CountCells for the points of several categories; dst is as long as
// cells.
func (v *View) CountCellsOf(dst []uint64, cells []grid.Cell, categories CategorySet) {
	v.mustBeMade()
	clear(dst)
	counts := make([]uint64, len(cells))
	for _, category := range categories.keys {
		v.in().counts(counts, cells, category)
		for i, n := range counts {
			dst[i] = saturate.Add(dst[i], n)
		}
	}
}

// which is the categories that a question is about: all, one or several.
type which struct {
	one     []byte // nil for all
	several bool   // of set, and not of one
	set     [][]byte
}

// only is one category, or all where that is nil.
func only(category []byte) which { return which{one: category} }

func (w *which) all() bool { return w.one == nil && !w.several }

// none reports whether there is nothing to ask for.
func (w *which) none() bool { return w.several && len(w.set) == 0 }

// holds reports whether points of a category, nil for none, are asked for.
func (w *which) holds(category []byte) bool {
	if !w.several {
		return w.one == nil || string(w.one) == string(category)
	}
	_, ok := slices.BinarySearchFunc(w.set, category, bytes.Compare)
	return ok
}
