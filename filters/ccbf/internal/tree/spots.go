package tree

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Cell is what sheets say of the points in a cell, a sum over an area of one cell.
func Cell(sheets []Sheet, key uint64, b *Packet) Sum {
	var sum Sum
	for i := range sheets {
		l, ok := sheets[i].Find(key, b)
		switch {
		case ok && l.Level == 0:
			sum.inside(l.Count)
		case ok:
			sum.High = saturate.Add(sum.High, l.Count)
			sum.Estimate += float64(l.Count) / float64(side2(l.Level)+1)
		}
	}
	return sum
}

// AreaSum is the sum over an area of all sheets.
func AreaSum(sheets []Sheet, a Area, b *Packet) Sum {
	var sum Sum
	for i := range sheets {
		s := sheets[i].Sum(a, b)
		sum.Low, sum.High = saturate.Add(sum.Low, s.Low), saturate.Add(sum.High, s.High)
		sum.Estimate += s.Estimate
	}
	return sum
}

// Hotspots are the squares of an area that have a cell in it which may count
// threshold points or more, in no particular order: no such cell is in none of them. The count of a square is that of its cells, but for those in smaller
// squares of the list; it includes the points of the squares around it. False where
// there are more than most.
func Hotspots(sheets []Sheet, a Area, threshold uint64, most int, b *Packet) ([]Leaf, bool) {
	var found []Leaf
	add := func(l Leaf) {
		if l.Count >= threshold && len(found) <= most {
			found = append(found, l)
		}
	}
	each(sheets, a, b, &threshold, add)
	return found[:min(len(found), most)], len(found) <= most
}

// TopK are the k squares of an area that Hotspots lists first; of equal counts those
// of fewer cells, then those that come first on the curve.
func TopK(sheets []Sheet, a Area, k int, b *Packet) []Leaf {
	if k <= 0 {
		return nil
	}
	var best leaves
	least := uint64(0)
	each(sheets, a, b, &least, func(l Leaf) {
		switch {
		case len(best) < k:
			heap.Push(&best, l)
		case order(l, best[0]) < 0:
			best[0] = l
			heap.Fix(&best, 0)
		}
		if len(best) == k {
			least = best[0].Count
		}
	})
	slices.SortFunc(best, order)
	return best
}

// order is by count from the largest down, then by level and key.
func order(a, b Leaf) int {
	switch {
	case a.Count != b.Count:
		return cmp.Compare(b.Count, a.Count)
	case a.Level != b.Level:
		return cmp.Compare(a.Level, b.Level)
	}
	return cmp.Compare(a.Key, b.Key)
}

// leaves is a heap, the last in order first.
type leaves []Leaf

func (h leaves) Len() int           { return len(h) }
func (h leaves) Less(i, j int) bool { return order(h[i], h[j]) > 0 }
func (h leaves) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *leaves) Push(l any)        { *h = append(*h, l.(Leaf)) }
func (h *leaves) Pop() any {
	n := len(*h) - 1
	l := (*h)[n]
	*h = (*h)[:n]
	return l
}

// each calls f for the squares of all sheets that meet an area, with what a cell
// counts that is in none below; where there is one sheet, squares of fewer than
// *least points may be left out.
func each(sheets []Sheet, a Area, b *Packet, least *uint64, f func(Leaf)) {
	if len(sheets) == 1 {
		sheets[0].Visit(a, b, least, func(l Leaf, _ bool) { f(l) })
		return
	}
	s := merged(sheets, a, b)
	type around struct{ last, count uint64 }
	open := []around{{last: ^uint64(0)}}
	for i, key := range s.Keys {
		for open[len(open)-1].last < key {
			open = open[:len(open)-1]
		}
		n := saturate.Add(open[len(open)-1].count, s.Counts[i])
		open = append(open, around{s.last(i), n})
		f(Leaf{key, n, s.Level(i)})
	}
}
