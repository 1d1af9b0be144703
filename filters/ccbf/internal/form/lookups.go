package form

import (
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// lookupScratch is scratch memory of Counts.
type lookupScratch struct {
	keys, at []uint64 // keys in Z-order, and the index of the cell that each belongs to
	found    []cells.Leaf
	radix    radix.Scratch
}

var lookupScratches = sync.Pool{New: func() any { return new(lookupScratch) }}

// Count implements Reader. It counts as a query, so later calls find packets that are kept.
func (r *Squares) Count(c grid.Cell, category []byte) uint64 {
	r.begin()
	var n [1]uint64
	r.Counts(n[:], []grid.Cell{c}, cells.Of(category))
	return n[0]
}

// Counts implements Reader. It looks the cells up in the order of their keys. So it reads no packet
// twice, and does not count as a query.
func (r *Squares) Counts(dst []uint64, at []grid.Cell, of cells.Categories) {
	clear(dst[:len(at)])
	b := lookupScratches.Get().(*lookupScratch)
	defer lookupScratches.Put(b)
	r.regions(of, func(regionX, regionY int32, sheets []Sheet) {
		b.keys, b.at = b.keys[:0], b.at[:0]
		for i, c := range at {
			if !r.Head.Bounds.Contains(c) {
				continue
			}
			if x, y, z := cells.Key(c); x == regionX && y == regionY {
				b.keys, b.at = append(b.keys, z), append(b.at, uint64(i))
			}
		}
		b.radix.SortPairs(b.keys, b.at)
		if cap(b.found) < len(b.keys) {
			b.found = make([]cells.Leaf, len(at))
		}
		found := b.found[:len(b.keys)]
		for _, s := range sheets {
			r.lookups += FindAll(s, b.keys, found)
			for j, l := range found {
				dst[b.at[j]] = saturate.Add(dst[b.at[j]], l.Count)
			}
		}
	})
}

// Lookups returns how many packets Count and Counts have read since Reset.
func (r *Squares) Lookups() int { return r.lookups }

// FindAll finds the squares of many cells, whose keys ascend: out[i] is the square that holds keys[i], or has
// no points if there is none. It reads a packet once for all cells in it, and returns how many it read.
func FindAll(s Sheet, keys []uint64, out []cells.Leaf) (packets int) {
	var squares cells.Squares // the squares of packet next-1
	at, next, all := 0, 0, s.Packets()
	for j, key := range keys {
		if next < all && s.First(next) <= key {
			next = Above(s, key, next, all)
			squares, at = s.Packet(next-1), 0
			packets++
		}
		at += cells.SearchAbove(squares.Keys[at:], key)
		out[j] = cells.Leaf{}
		if at > 0 && key <= squares.Last(at-1) {
			out[j] = squares.Leaf(at - 1)
		}
	}
	return packets
}
