package form

import (
	"slices"
	"sort"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// lookupScratch is scratch memory of Counts.
type lookupScratch struct {
	keys, at []uint64 // keys in Z-order, and the index of the cell that each belongs to
	counts   []uint64
	radix    radix.Scratch
}

var lookupScratches = sync.Pool{New: func() any { return new(lookupScratch) }}

// Count implements Reader.
func (r *Squares) Count(c grid.Cell, category []byte) uint64 {
	var n [1]uint64
	r.Counts(n[:], []grid.Cell{c}, cells.Of(category))
	return n[0]
}

// Counts implements Reader. It looks the cells up in the order of their keys, so it reads no packet
// twice.
func (r *Squares) Counts(dst []uint64, at []grid.Cell, of cells.Categories) {
	clear(dst[:len(at)])
	if len(at) == 0 {
		return
	}
	b := lookupScratches.Get().(*lookupScratch)
	defer lookupScratches.Put(b)
	x, y, _ := cells.Key(at[0])
	b.keys, b.at = b.keys[:0], b.at[:0]
	for i, c := range at {
		cx, cy, z := cells.Key(c)
		switch {
		case !r.Head.Bounds.Contains(c):
		case cx == x && cy == y:
			b.keys, b.at = append(b.keys, z), append(b.at, uint64(i))
		default:
			// The cell is in another region than the first one. This is rare: a region holds the whole
			// Earth, except for very fine grids.
			r.Counts(dst[i:i+1], at[i:i+1], of)
		}
	}
	b.radix.SortPairs(b.keys, b.at)
	b.counts = slices.Grow(b.counts[:0], len(b.keys))[:len(b.keys)]
	clear(b.counts)
	for sections := range r.byCategory(of) {
		for _, s := range sections {
			if s.X != x || s.Y != y {
				continue
			}
			for _, sheet := range s.Sheets {
				r.lookups += AddCounts(sheet, b.keys, b.counts)
			}
		}
	}
	for j, n := range b.counts {
		dst[b.at[j]] = n
	}
}

// Lookups returns how many packets Count and Counts have read since Reset.
func (r *Squares) Lookups() int { return r.lookups }

// AddCounts looks up many cells, whose keys ascend, and adds to each count the points of the square that holds
// the cell. It reads a packet once for all cells in it, and returns how many it read.
func AddCounts(s Sheet, keys, counts []uint64) (packets int) {
	var squares cells.Squares // the squares of packet next-1
	at, next, all := 0, 0, s.Packets()
	for j, key := range keys {
		if next < all && s.First(next) <= key {
			next += sort.Search(all-next, func(i int) bool { return s.First(next+i) > key })
			squares, at = s.Packet(next-1), 0
			packets++
		}
		at += cells.SearchAbove(squares.Keys[at:], key)
		if at > 0 && key <= squares.Last(at-1) {
			counts[j] = saturate.Add(counts[j], squares.Counts[at-1])
		}
	}
	return packets
}
