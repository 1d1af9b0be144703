package tree

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// lookupScratch is memory for a lookup of many cells.
type lookupScratch struct {
	keys, at []uint64 // keys in Z-order, and the index of the cell that each belongs to
	found    []cells.Leaf
	sort     radix.Scratch
}

// Count implements form.Reader.
func (r *Reader) Count(c grid.Cell, category []byte) uint64 {
	var n [1]uint64
	r.Counts(n[:], []grid.Cell{c}, cells.Of(category))
	return n[0]
}

// Counts implements form.Reader. It reads a packet once for all cells that the packet holds.
func (r *Reader) Counts(dst []uint64, at []grid.Cell, of cells.Categories) {
	clear(dst)
	b := &r.lookups
	r.EachRegion(of, func(regionX, regionY int32, sheets []form.Sheet) {
		b.keys, b.at = b.keys[:0], b.at[:0]
		for i, c := range at {
			if !r.Head.Bounds.Contains(c) {
				continue
			}
			if x, y, z := cells.Key(c); x == regionX && y == regionY {
				b.keys, b.at = append(b.keys, z), append(b.at, uint64(i))
			}
		}
		b.sort.SortPairs(b.keys, b.at)
		if cap(b.found) < len(b.keys) {
			b.found = make([]cells.Leaf, len(at))
		}
		found := b.found[:len(b.keys)]
		for _, s := range sheets {
			s.(*Sheet).FindAll(b.keys, found)
			for j, l := range found {
				dst[b.at[j]] = saturate.Add(dst[b.at[j]], l.Count)
			}
		}
	})
}

// FindAll finds the leaves of many cells, whose keys ascend: out[i] is the leaf that holds keys[i], or has
// no points if there is none. It reads a packet once for all cells in it.
func (s *Sheet) FindAll(keys []uint64, out []cells.Leaf) {
	var leaves cells.Squares // the leaves of packet next-1
	at, next := 0, 0
	for j, key := range keys {
		if next < len(s.index) && s.index[next].first <= key {
			next = form.Above(s, key, next, len(s.index))
			leaves, at = s.Packet(next-1), 0
		}
		at += searchNear(leaves.Keys[at:], key)
		out[j] = cells.Leaf{}
		if at > 0 && key <= leaves.Last(at-1) {
			out[j] = leaves.Leaf(at - 1)
		}
	}
}

// searchNear is searchAbove, but is faster if key is near the first of the keys.
func searchNear(keys []uint64, key uint64) int {
	low, step := 0, 1
	for low+step <= len(keys) && keys[low+step-1] <= key {
		low += step
		step *= 2
	}
	return low + cells.SearchAbove(keys[low:min(low+step, len(keys))], key)
}
