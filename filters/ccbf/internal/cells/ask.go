package cells

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// section is the section of a category, nil for none, and a region; nil where there
// is none.
func (v *View) section(category []byte, x, y int32) *sectionView {
	i, ok := slices.BinarySearchFunc(v.sections, category, func(s sectionView, category []byte) int {
		return cmp.Or(bytes.Compare(s.Category, category), cmp.Compare(s.Y, y), cmp.Compare(s.X, x))
	})
	if !ok {
		return nil
	}
	return &v.sections[i]
}

// together reports whether a question is about the sections of several categories.
func (v *View) together(of Categories) bool {
	return of.some && len(of.keys) > 1 || of.All() && len(v.sections) > 0 && v.sections[0].Category != nil
}

// Decoded is how many blocks were decoded for Count and Counts since Reset: what
// they cost.
func (v *View) Decoded() int { return v.decoded }

// Blocks is how many blocks there are.
func (v *View) Blocks() int {
	n := 0
	for i := range v.sections {
		n += blockCount(v.sections[i].cells)
	}
	return n
}

// fewQuestions is up to how many questions are answered one by one.
const fewQuestions = 4

// asker is what Counts sorts in.
type asker struct {
	keys, order []uint64
	radix       radix.Scratch
}

var askers = sync.Pool{New: func() any { return new(asker) }}

// Counts counts many cells, dst[i] of at[i], in the order of their keys, so that no block is
// decoded twice.
func (v *View) Counts(dst []uint64, at []grid.Cell, of Categories) {
	if len(at) <= fewQuestions && !of.some || len(v.sections) == 0 {
		for i, c := range at {
			dst[i] = v.Count(c, of.one)
		}
		return
	}
	a := askers.Get().(*asker)
	defer askers.Put(a)
	x, y, _ := Key(at[0])
	a.keys, a.order = a.keys[:0], a.order[:0]
	for i, c := range at {
		cx, cy, z := Key(c)
		if cx != x || cy != y { // hardly ever: a region is all of the Earth but for very fine grids
			dst[i] = v.sumOf(c, of)
			continue
		}
		dst[i] = 0
		a.keys, a.order = append(a.keys, z), append(a.order, uint64(i))
	}
	a.radix.SortPairs(a.keys, a.order)
	_ = of.Each(func(category []byte) error {
		if !v.together(Of(category)) {
			if s := v.section(category, x, y); s != nil {
				v.decoded += s.addCounts(dst, a.keys, a.order)
			}
			return nil
		}
		for i := range v.sections {
			if s := &v.sections[i]; s.X == x && s.Y == y {
				v.decoded += s.addCounts(dst, a.keys, a.order)
			}
		}
		return nil
	})
}

// sumOf is Count of several categories.
func (v *View) sumOf(c grid.Cell, of Categories) (n uint64) {
	_ = of.Each(func(category []byte) error {
		n = saturate.Add(n, v.Count(c, category))
		return nil
	})
	return n
}

// count is the count of the cell with a key, 0 where there is none, and how many blocks were
// decoded for it. Bytes that are no valid block give a wrong answer, nothing worse.
func (b *blocks) count(key uint64) (n uint64, decoded int) {
	var dst, order [1]uint64
	keys := [1]uint64{key}
	decoded = b.addCounts(dst[:], keys[:], order[:])
	return dst[0], decoded
}

// addCounts adds the counts of the cells with keys, in ascending order, to dst at
// order, and returns how many blocks it decoded.
func (b *blocks) addCounts(dst, keys, order []uint64) (decoded int) {
	all := blockCount(b.cells)
	below, _ := slices.BinarySearch(keys, b.first(0))
	keys, order = keys[below:], order[below:]
	for from := 0; len(keys) > 0; {
		i := b.above(keys[0], from, all) - 1
		if i < 0 {
			return decoded // a damaged index
		}
		here := len(keys) // the questions of this block
		if i+1 < all {
			next := b.first(i + 1)
			here = sort.Search(len(keys), func(j int) bool { return keys[j] >= next })
		}
		if here > 0 {
			decoded++
			b.addBlock(i, dst, keys[:here], order)
		}
		// The first key left is not below that of the next block, so that above finds
		// that one or another behind it, in a damaged index too.
		keys, order, from = keys[here:], order[here:], i+1
	}
	return decoded
}

// addBlock adds the counts of the cells of block i.
func (b *blocks) addBlock(i int, dst, keys, order []uint64) {
	r, gapOrder, countOrder, n, ok := b.block(i)
	if !ok {
		return
	}
	for at, j := b.first(i), 0; ; {
		c := r.ReadClass(countOrder)
		for keys[0] < at {
			if keys, order = keys[1:], order[1:]; len(keys) == 0 {
				return
			}
		}
		for keys[0] == at {
			dst[order[0]] = saturate.Add(dst[order[0]], c+1)
			if keys, order = keys[1:], order[1:]; len(keys) == 0 {
				return
			}
		}
		if j++; j == n {
			return
		}
		at += r.ReadClass(gapOrder) + 1
	}
}
