package exact

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// sectionsOf calls f with the sections of categories in region (x, y).
func (r *Reader) sectionsOf(of cells.Categories, x, y int32, f func(s *section)) {
	if len(r.sections) == 0 {
		return
	}
	one, isOne := of.One()
	if !isOne || one == nil && r.sections[0].Category != nil {
		for i := range r.sections {
			if s := &r.sections[i]; s.X == x && s.Y == y && of.Has(s.Category) {
				f(s)
			}
		}
		return
	}
	i, ok := slices.BinarySearchFunc(r.sections, one, func(s section, category []byte) int {
		return cmp.Or(bytes.Compare(s.Category, category), cmp.Compare(s.Y, y), cmp.Compare(s.X, x))
	})
	if ok {
		f(&r.sections[i])
	}
}

// Decoded returns how many blocks Count and Counts have decoded since Reset.
func (r *Reader) Decoded() int { return r.decoded }

// Blocks returns the number of blocks.
func (r *Reader) Blocks() int {
	n := 0
	for i := range r.sections {
		n += blockCount(r.sections[i].cells)
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

// Count implements form.Reader.
func (r *Reader) Count(c grid.Cell, category []byte) uint64 { return r.count(c, cells.Of(category)) }

// count returns the count of a cell over categories.
func (r *Reader) count(c grid.Cell, of cells.Categories) uint64 {
	x, y, z := cells.Key(c)
	var n, order [1]uint64
	keys := [1]uint64{z}
	r.sectionsOf(of, x, y, func(s *section) { r.decoded += s.addCounts(n[:], keys[:], order[:]) })
	return n[0]
}

// Counts implements form.Reader. It looks the cells up in the order of their keys, so it decodes no block
// twice.
func (r *Reader) Counts(dst []uint64, at []grid.Cell, of cells.Categories) {
	if len(at) <= fewLookups {
		for i, c := range at {
			dst[i] = r.count(c, of)
		}
		return
	}
	a := lookupScratches.Get().(*lookupScratch)
	defer lookupScratches.Put(a)
	x, y, _ := cells.Key(at[0])
	a.keys, a.order = a.keys[:0], a.order[:0]
	for i, c := range at {
		cx, cy, z := cells.Key(c)
		// The cell is in another region than the first cell. This is rare: a region holds the whole
		// Earth, except for very fine grids.
		if cx != x || cy != y {
			dst[i] = r.count(c, of)
			continue
		}
		dst[i] = 0
		a.keys, a.order = append(a.keys, z), append(a.order, uint64(i))
	}
	a.radix.SortPairs(a.keys, a.order)
	r.sectionsOf(of, x, y, func(s *section) { r.decoded += s.addCounts(dst, a.keys, a.order) })
}

// addCounts adds the count of each cell keys[i] to dst[order[i]], for ascending keys. It returns
// how many blocks it decoded.
func (b *blocks) addCounts(dst, keys, order []uint64) (decoded int) {
	all := blockCount(b.cells)
	below, _ := slices.BinarySearch(keys, b.First(0))
	keys, order = keys[below:], order[below:]
	for from := 0; len(keys) > 0; {
		i := b.above(keys[0], from, all) - 1
		if i < 0 {
			// This happens only in a damaged index: no block begins at or before the key.
			return decoded
		}
		here := len(keys) // how many of the keys lie before the next block
		if i+1 < all {
			next := b.First(i + 1)
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
	for at, j := b.First(i), 0; ; {
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
