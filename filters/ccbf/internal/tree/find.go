package tree

import (
	"sort"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Leaf is a square with the number of points that are known to lie in it.
type Leaf struct {
	Key, Count uint64
	Level      uint8
}

// Find returns the leaf that holds the cell with this key. It returns false if there is none, or if the
// packet is damaged. b is memory for one packet.
func (s *Sheet) Find(key uint64, b *Packet) (Leaf, bool) {
	i := s.above(key) - 1
	if i < 0 {
		return Leaf{}, false
	}
	leaves := s.packet(i, b)
	return leaves.find(searchAbove(leaves.Keys, key), key)
}

// find returns leaf i-1 if it holds the cell with this key, and false otherwise. i is the index of the
// first leaf that begins after key.
func (s *Squares) find(i int, key uint64) (Leaf, bool) {
	if i == 0 || key > s.last(i-1) {
		return Leaf{}, false
	}
	return s.Leaf(i - 1), true
}

// Leaf returns square i.
func (s *Squares) Leaf(i int) Leaf { return Leaf{s.Keys[i], s.Counts[i], s.Level(i)} }

// FindAll finds the leaves of many cells, whose keys ascend: out[i] is the leaf that holds keys[i], or has
// no points if there is none. It reads a packet once for all cells in it.
func (s *Sheet) FindAll(keys []uint64, out []Leaf, b *Packet) {
	var leaves Squares // the leaves of packet next-1
	at, next := 0, 0
	for j, key := range keys {
		if next < len(s.index) && s.index[next].first <= key {
			next = s.above(key)
			leaves, at = s.packet(next-1, b), 0
		}
		at += searchNear(leaves.Keys[at:], key)
		out[j], _ = leaves.find(at, key)
	}
}

// searchNear is searchAbove, but is faster if key is near the first of the keys.
func searchNear(keys []uint64, key uint64) int {
	low, step := 0, 1
	for low+step <= len(keys) && keys[low+step-1] <= key {
		low += step
		step *= 2
	}
	return low + searchAbove(keys[low:min(low+step, len(keys))], key)
}

// Area is the area of a sum or a visit. Squares are entered from large to small: each lies inside the
// square entered before.
type Area interface {
	// Enter reports how a square lies. If the result is grid.Partly, the square is entered until Leave is
	// called.
	Enter(key uint64, level uint8) grid.Relation
	Leave()
	// Fraction returns the fraction of the cells of the square entered last that lie in the area.
	Fraction(key uint64, level uint8) float64
}

// Sum is the number of points in an area: at least Low and at most High. Estimate assumes that the points
// of a leaf are spread evenly over its cells.
type Sum struct {
	Low, High uint64
	Estimate  float64
}

// inside adds the n points of a leaf that is inside the area.
func (s *Sum) inside(n uint64) {
	s.Low, s.High = saturate.Add(s.Low, n), saturate.Add(s.High, n)
	s.Estimate += float64(n)
}

// Sum returns the sum over the leaves of a sheet. Packets with damaged bytes count nothing. O(leaves that
// the outline crosses, and packets).
func (s *Sheet) Sum(a Area, b *Packet) Sum {
	w := walk{s: s, area: a, b: b}
	w.run()
	return w.sum
}

// Visit calls f for the leaves of a sheet that meet area a, in order. inside says whether all of the leaf
// is in the area. If not, the leaf is the square that a entered last. Visit skips packets with fewer than
// *least points, because their leaves have fewer too. f may raise *least. Visit also skips damaged
// packets.
func (s *Sheet) Visit(a Area, b *Packet, least *uint64, f func(l Leaf, inside bool)) {
	w := walk{s: s, area: a, b: b, least: least, visit: f}
	w.run()
}

// Visit calls f for the squares that meet an area, in order, as Sheet.Visit does for leaves.
func (s *Squares) Visit(a Area, f func(l Leaf, inside bool)) {
	const all = MaxLevel + 1 // the level of the square that holds all cells
	w := walk{area: a, now: *s, visit: f}
	switch a.Enter(0, all) {
	case grid.Inside:
		w.within(0, s.Len())
	case grid.Partly:
		w.leaves(all, 0, s.Len())
		a.Leave()
	}
}

// walk goes down into the squares that an area's outline crosses: first by the
// index, then within packets.
type walk struct {
	s     *Sheet
	area  Area
	b     *Packet
	now   Squares // the leaves of the packet read last, or all squares of a list
	sum   Sum
	least *uint64
	visit func(l Leaf, inside bool) // nil for a sum
}

func (w *walk) run() {
	if len(w.s.index) > 0 {
		w.packets(0, MaxLevel+1, 0, len(w.s.index))
	}
}

// within adds the leaves [from, to), all of which are inside the area.
func (w *walk) within(from, to int) {
	if w.visit == nil {
		for _, n := range w.now.Counts[from:to] {
			w.sum.inside(n)
		}
		return
	}
	for i := from; i < to; i++ {
		w.visit(w.now.Leaf(i), true)
	}
}

// across adds leaf i, which the outline crosses. It is the square that was entered last.
func (w *walk) across(i int) {
	l := w.now.Leaf(i)
	if w.visit != nil {
		w.visit(l, false)
		return
	}
	w.sum.High = saturate.Add(w.sum.High, l.Count)
	w.sum.Estimate += float64(l.Count) * w.area.Fraction(l.Key, l.Level)
}

// packets adds the leaves of the square with this key and level. They lie in the packets with indexes
// [from, to).
func (w *walk) packets(key uint64, level uint8, from, to int) {
	switch w.area.Enter(key, level) {
	case grid.Outside:
		return
	case grid.Inside:
		w.inside(key, level, from, to)
		return
	}
	defer w.area.Leave()
	if to-from == 1 {
		i, j := w.cut(from, key, level)
		w.leaves(level, i, j)
		return
	}
	for q := range uint64(4) {
		// Packet first is the first that begins in this quarter. The packet before may reach into the
		// quarter, unless packet first begins exactly where the quarter does.
		low := key + q<<(2*(level-1))
		next := from + sort.Search(to-from, func(i int) bool { return w.s.index[from+i].first > low|side2(level-1) })
		first := from + sort.Search(next-from, func(i int) bool { return w.s.index[from+i].first >= low })
		if first > from && (first == next || w.s.index[first].first > low) {
			first--
		}
		if first < next {
			w.packets(low, level-1, first, next)
		}
	}
}

// inside adds all leaves of a square inside the area. They lie in the packets [from, to).
func (w *walk) inside(key uint64, level uint8, from, to int) {
	for i := from; i < to; i++ {
		last := ^uint64(0)
		if i+1 < len(w.s.index) {
			last = w.s.index[i+1].first - 1
		}
		if w.visit == nil && w.s.index[i].first >= key && last <= key|side2(level) {
			w.sum.inside(w.s.index[i].total)
			continue
		}
		w.within(w.cut(i, key, level))
	}
}

// cut decodes packet i, and returns which of its leaves begin in the square with this key and level:
// those in [from, to).
func (w *walk) cut(i int, key uint64, level uint8) (from, to int) {
	if w.visit != nil && w.s.index[i].total < *w.least {
		return 0, 0
	}
	w.now = w.s.packet(i, w.b)
	keys, last := w.now.Keys, key|side2(level)
	from = sort.Search(len(keys), func(i int) bool { return keys[i] >= key })
	to = from + sort.Search(len(keys)-from, func(i int) bool { return keys[from+i] > last })
	return from, to
}

// fewLeaves is the most leaves of a square that are looked at one by one.
const fewLeaves = 8

// leaves adds the leaves [from, to), which lie in the square entered last. Leaves that equal this
// square come first, and then those in smaller squares.
func (w *walk) leaves(level uint8, from, to int) {
	for ; from < to && w.now.Level(from) >= level; from++ {
		w.across(from)
	}
	for i := from; i < to; {
		j, at, below := i+1, w.now.Keys[i], w.now.Level(i)
		if to-from > fewLeaves {
			below = level - 1
			at &^= side2(below)
			j = i + sort.Search(to-i, func(k int) bool { return w.now.Keys[i+k] > at|side2(below) })
		}
		switch w.area.Enter(at, below) {
		case grid.Inside:
			w.within(i, j)
		case grid.Partly:
			w.leaves(below, i, j)
			w.area.Leave()
		}
		i = j
	}
}

// AreaSum returns the sum of all sheets over an area. b is memory for one packet.
func AreaSum(sheets []Sheet, a Area, b *Packet) Sum {
	var sum Sum
	for i := range sheets {
		sum.Add(sheets[i].Sum(a, b))
	}
	return sum
}

// Add adds another sum.
func (s *Sum) Add(o Sum) {
	s.Low, s.High = saturate.Add(s.Low, o.Low), saturate.Add(s.High, o.High)
	s.Estimate += o.Estimate
}

// visit calls f for the leaves of all sheets that meet area a, in order. around is how many points the
// larger squares around a leaf have. If several sheets have the same square as a leaf, f gets one leaf.
// Damaged packets are skipped. If there is only one sheet, packets with fewer than *least points are
// skipped too.
func visit(sheets []Sheet, a Area, b *Packet, least *uint64, f func(l Leaf, around uint64)) {
	if len(sheets) == 1 {
		sheets[0].Visit(a, b, least, func(l Leaf, _ bool) { f(l, 0) })
		return
	}
	var all Merger
	none := uint64(0)
	for i := range sheets {
		var s Squares
		sheets[i].Visit(a, b, &none, func(l Leaf, _ bool) { s.push(l.Key, l.Level, l.Count) })
		all.Add(s)
	}
	s := all.Sum()
	type around struct{ last, count uint64 }
	open := []around{{last: ^uint64(0)}}
	for i, key := range s.Keys {
		for open[len(open)-1].last < key {
			open = open[:len(open)-1]
		}
		n := open[len(open)-1].count
		f(Leaf{key, s.Counts[i], s.Level(i)}, n)
		open = append(open, around{s.last(i), saturate.Add(n, s.Counts[i])})
	}
}
