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

// section returns the section of a category in region (x, y), or nil. A nil category means no category.
func (v *View) section(category []byte, x, y int32) *sectionView {
	i, ok := slices.BinarySearchFunc(v.sections, category, func(s sectionView, category []byte) int {
		return cmp.Or(bytes.Compare(s.Category, category), cmp.Compare(s.Y, y), cmp.Compare(s.X, x))
	})
	if !ok {
		return nil
	}
	return &v.sections[i]
}

// together reports whether a query adds up sections of several categories.
func (v *View) together(of Categories) bool {
	return of.some && len(of.keys) > 1 || of.All() && len(v.sections) > 0 && v.sections[0].Category != nil
}

// Decoded returns how many blocks Count and Counts have decoded since Reset.
func (v *View) Decoded() int { return v.decoded }

// Blocks returns the number of blocks.
func (v *View) Blocks() int {
	n := 0
	for i := range v.sections {
		n += blockCount(v.sections[i].cells)
	}
	return n
}

// fewLookups is the number of cells up to which Counts looks each up by itself.
const fewLookups = 4

// lookupScratch is scratch memory of Counts.
type lookupScratch struct {
	keys, order []uint64
	radix       radix.Scratch
}

var lookupScratches = sync.Pool{New: func() any { return new(lookupScratch) }}

// Counts writes the count of each cell at[i] to dst[i]. It looks the cells up in the order of their
// keys, so it decodes no block twice.
func (v *View) Counts(dst []uint64, at []grid.Cell, of Categories) {
	if len(at) <= fewLookups && !of.some || len(v.sections) == 0 {
		for i, c := range at {
			dst[i] = v.Count(c, of.one)
		}
		return
	}
	a := lookupScratches.Get().(*lookupScratch)
	defer lookupScratches.Put(a)
	x, y, _ := Key(at[0])
	a.keys, a.order = a.keys[:0], a.order[:0]
	for i, c := range at {
		cx, cy, z := Key(c)
		// The cell is in another region than the first cell. This is rare: a region holds the whole
		// Earth, except for very fine grids.
		if cx != x || cy != y {
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

// sumOf returns the count of a cell over several categories.
func (v *View) sumOf(c grid.Cell, of Categories) (n uint64) {
	_ = of.Each(func(category []byte) error {
		n = saturate.Add(n, v.Count(c, category))
		return nil
	})
	return n
}

// count returns the count of the cell with this key, or 0 if there is none. It also returns how many
// blocks it decoded. A damaged block gives a wrong count.
func (b *blocks) count(key uint64) (n uint64, decoded int) {
	var dst, order [1]uint64
	keys := [1]uint64{key}
	decoded = b.addCounts(dst[:], keys[:], order[:])
	return dst[0], decoded
}

// addCounts adds the count of each cell keys[i] to dst[order[i]], for ascending keys. It returns
// how many blocks it decoded.
func (b *blocks) addCounts(dst, keys, order []uint64) (decoded int) {
	all := blockCount(b.cells)
	below, _ := slices.BinarySearch(keys, b.first(0))
	keys, order = keys[below:], order[below:]
	for from := 0; len(keys) > 0; {
		i := b.above(keys[0], from, all) - 1
		if i < 0 {
			// This happens only in a damaged index: no block begins at or before the key.
			return decoded
		}
		here := len(keys) // how many of the keys lie before the next block
		if i+1 < all {
			next := b.first(i + 1)
			here = sort.Search(len(keys), func(j int) bool { return keys[j] >= next })
		}
		if here > 0 {
			decoded++
			b.addBlock(i, dst, keys[:here], order)
		}
		// The next key is not below the first key of block i+1. So b.above finds that block or a later
		// one, even in a damaged index, and the loop ends.
		keys, order, from = keys[here:], order[here:], i+1
	}
	return decoded
}

// addBlock adds the counts of the cells with keys, all of which belong to block i.
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
