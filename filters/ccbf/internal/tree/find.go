package tree

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"sort"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Leaf is a square and how many points are known to be in it.
type Leaf struct {
	Key, Count uint64
	Level      uint8
}

// Find is the leaf that holds a cell; false where there is none, or its packet is
// damaged. b is memory for one packet.
func (s *Sheet) Find(key uint64, b *Packet) (Leaf, bool) {
	i := s.above(key) - 1
	if i < 0 {
		return Leaf{}, false
	}
	if kept := s.keep(i, 1, b); kept != nil {
		return kept.find(searchAbove(kept.Keys, key), key)
	}
	return s.descend(i, key, &b.head)
}

// find is the leaf that holds a cell, of those up to the one before i the last.
func (k *keptPacket) find(i int, key uint64) (Leaf, bool) {
	if i == 0 || key > k.last(i-1) {
		return Leaf{}, false
	}
	return Leaf{k.Keys[i-1], k.Counts[i-1], k.Levels[i-1]}, true
}

// descend reads packet i no further than the leaf that holds a cell.
func (s *Sheet) descend(i int, key uint64, h *stretches) (Leaf, bool) {
	if !s.stretches(i, h) {
		return Leaf{}, false
	}
	part := &h.part[0]
	if h.n > 1 && h.part[1].first <= key {
		part = &h.part[1]
	}
	d := trees{t: s.t}
	d.begin(h.buf, part)
	for d.next() && d.key <= key {
		if key <= d.last() {
			return d.down(key)
		}
		d.pass()
	}
	return Leaf{}, false
}

// last is the last key of the tree whose root was read.
func (d *trees) last() uint64 { return d.key | side2(d.level) }

// down is the leaf that holds a cell in the tree whose root was read.
func (d *trees) down(key uint64) (Leaf, bool) {
	level, what := d.level, d.what
	for what == split {
		symbol := d.quarters(level)
		level--
		for q := key >> (2 * level) & 3; q > 0; q-- {
			d.passQuarter(level, uint8(symbol&3))
			symbol >>= 2
		}
		what = uint8(symbol & 3)
	}
	l := Leaf{key &^ side2(level), 1, level}
	if what == more {
		l.Count = d.count(level)
	}
	if what == absent || d.bad || d.in.Position() > d.end {
		return Leaf{}, false
	}
	return l, true
}

// sweep is FindAll for cells in one stretch: each tree is gone down once for each of
// its cells, and passed over once.
func (d *trees) sweep(keys []uint64, out []Leaf) {
	clear(out)
	for j := 0; d.next(); {
		inside := d.in
		for ; j < len(keys) && keys[j] <= d.last(); j++ {
			if d.in = inside; keys[j] >= d.key {
				out[j], _ = d.down(keys[j])
			}
		}
		if j == len(keys) {
			return
		}
		d.in = inside
		d.pass()
	}
}

// FindAll is Find for many cells in Z-order: out[i] is the leaf that holds keys[i],
// of no points where there is none. A packet that holds several of them is read once.
func (s *Sheet) FindAll(keys []uint64, out []Leaf, b *Packet) {
	out = out[:len(keys)]
	i := -1
	for len(keys) > 0 {
		i = s.gallop(keys[0], i+1) - 1
		n := len(keys)
		if i+1 < len(s.index) {
			n = below(keys, s.index[i+1].first)
		}
		s.findIn(i, keys[:n], out[:n], b)
		keys, out = keys[n:], out[n:]
	}
}

// findIn is FindAll for cells that only packet i can hold.
func (s *Sheet) findIn(i int, keys []uint64, out []Leaf, b *Packet) {
	if i < 0 {
		clear(out)
		return
	}
	k := s.keep(i, len(keys), b)
	if k == nil && len(keys) < manyCells {
		h := &b.head
		if !s.stretches(i, h) {
			clear(out)
			return
		}
		d, n := trees{t: s.t}, len(keys)
		if h.n > 1 {
			n = below(keys, h.part[1].first)
		}
		if n > 0 {
			d.begin(h.buf, &h.part[0])
			d.sweep(keys[:n], out[:n])
		}
		if n < len(keys) {
			d.begin(h.buf, &h.part[1])
			d.sweep(keys[n:], out[n:])
		}
		return
	}
	if k == nil {
		if !s.decode(i, b) {
			clear(out)
			return
		}
		k = &keptPacket{Squares: b.squares()}
	}
	at := 0
	for j, key := range keys {
		at += below(k.Keys[at:], key+1)
		if key == ^uint64(0) {
			at = len(k.Keys)
		}
		out[j], _ = k.find(at, key)
	}
}

// gallop is above for a packet that is probably near from, where those before from
// begin at the key or before it.
func (s *Sheet) gallop(key uint64, from int) int {
	step := 1
	for from+step <= len(s.index) && s.index[from+step-1].first <= key {
		from += step
		step *= 2
	}
	n, _ := slices.BinarySearchFunc(s.index[from:min(from+step, len(s.index))], key, func(e entry, key uint64) int {
		if e.first <= key {
			return -1
		}
		return 1
	})
	return from + n
}

// below is how many of the keys, in order, are below one, which is probably near.
func below(keys []uint64, key uint64) int {
	low, step := 0, 1
	for low+step <= len(keys) && keys[low+step-1] < key {
		low += step
		step *= 2
	}
	n, _ := slices.BinarySearch(keys[low:min(low+step, len(keys))], key)
	return low + n
}

// manyCells is from how many cells in a packet on it is read as a whole.
const manyCells = 32

// squares are the leaves that were read, in the memory of the packet.
func (b *Packet) squares() Squares { return Squares{b.Keys[:b.N], b.Levels[:b.N], b.Counts[:b.N]} }

// keptPacket is what is known of a packet.
type keptPacket struct {
	Squares     // empty where it was not read
	asked   int // questions to it
}

// keepAfter is after how many questions to a packet it is kept: to read it whole
// takes about as long as so many.
const keepAfter = 4

// Keep makes s keep the leaves of packets that are asked for again and again, while
// *room lasts, which counts bytes: some 17 a leaf. Sheets can share it. A sheet that
// keeps packets answers one question at a time.
func (s *Sheet) Keep(room *int64) {
	const each = 96
	if need := int64(len(s.index)) * each; need <= *room {
		*room -= need
		s.room, s.kept = room, make([]keptPacket, len(s.index))
	}
}

// keep is packet i after n more questions to it; nil where it is not kept.
func (s *Sheet) keep(i, n int, b *Packet) *keptPacket {
	if s.kept == nil {
		return nil
	}
	k := &s.kept[i]
	if k.Keys != nil {
		return k
	}
	if k.asked += n; k.asked < keepAfter || *s.room < maxPacket*leafBytes || !s.decode(i, b) {
		return nil
	}
	*s.room -= int64(b.N) * leafBytes
	k.Squares = Squares{slices.Clone(b.Keys[:b.N]), slices.Clone(b.Levels[:b.N]), slices.Clone(b.Counts[:b.N])}
	return k
}

// leafBytes is the memory of a leaf that is kept.
const leafBytes = 17

// Area is what a sum is over. It is asked about squares, each inside the one
// entered before it.
type Area interface {
	// Enter says how the square of a level at a key lies. Where that is
	// grid.Partly it is entered, until Leave.
	Enter(key uint64, level uint8) grid.Relation
	Leave()
	// Share is the part of the cells of the square entered last that is in the
	// area.
	Share(key uint64, level uint8) float64
}

// Sum is what a tree knows of the points in an area: at least Low, at most High,
// and Estimate where the points of a leaf are spread evenly over its cells.
type Sum struct {
	Low, High uint64
	Estimate  float64
}

func (s *Sum) inside(n uint64) {
	s.Low, s.High = saturate.Add(s.Low, n), saturate.Add(s.High, n)
	s.Estimate += float64(n)
}

// Sum is that of the leaves of a sheet. Packets with damaged bytes count nothing.
// O(leaves that the outline crosses, and packets).
func (s *Sheet) Sum(a Area, b *Packet) Sum {
	w := walk{s: s, area: a, b: b, packet: -1}
	w.run()
	return w.sum
}

// Visit calls f for the leaves of a sheet that meet an area, in order, and says
// whether they lie in it; where not, the leaf is the square that the area entered
// last. Leaves of packets with fewer than *least points are left out, which f may
// raise: they count less than that. Packets with damaged bytes have no leaves.
func (s *Sheet) Visit(a Area, b *Packet, least *uint64, f func(l Leaf, inside bool)) {
	w := walk{s: s, area: a, b: b, packet: -1, least: least, visit: f}
	w.run()
}

// walk goes down into the squares that an area's outline crosses: first by the
// index, then within packets.
type walk struct {
	s      *Sheet
	area   Area
	b      *Packet
	packet int     // the one read last
	now    Squares // and its leaves, of keys from low to high
	low    uint64
	high   uint64
	sum    Sum
	least  *uint64
	visit  func(l Leaf, inside bool) // nil for a sum
}

func (w *walk) run() {
	if len(w.s.index) > 0 {
		w.packets(0, MaxLevel+1, 0, len(w.s.index))
	}
}

// within adds leaves of the packet read last that lie in the area.
func (w *walk) within(from, to int) {
	if w.visit == nil {
		for _, n := range w.now.Counts[from:to] {
			w.sum.inside(n)
		}
		return
	}
	for i := from; i < to; i++ {
		w.visit(Leaf{w.now.Keys[i], w.now.Counts[i], w.now.Levels[i]}, true)
	}
}

// across adds a leaf that the outline crosses, the square entered last.
func (w *walk) across(i int) {
	l := Leaf{w.now.Keys[i], w.now.Counts[i], w.now.Levels[i]}
	if w.visit != nil {
		w.visit(l, false)
		return
	}
	w.sum.High = saturate.Add(w.sum.High, l.Count)
	w.sum.Estimate += float64(l.Count) * w.area.Share(l.Key, l.Level)
}

// packets adds the leaves in a square, all of which lie in the packets from from to
// to-1.
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
		// The packet before the first that begins in this quarter reaches into it,
		// unless that one begins where the quarter does.
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

// inside adds all leaves in a square.
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

// cut reads a packet and returns which of its leaves begin in a square.
func (w *walk) cut(i int, key uint64, level uint8) (from, to int) {
	if w.visit != nil && w.s.index[i].total < *w.least {
		return 0, 0
	}
	last := key | side2(level)
	if w.packet != i || key < w.low || last > w.high {
		w.packet, w.low, w.high, w.now = i, 0, ^uint64(0), Squares{}
		if k := w.s.keep(i, 1, w.b); k != nil {
			w.now = k.Squares
		} else if w.s.decodeIn(i, key, last, w.b) {
			w.now, w.low, w.high = w.b.squares(), w.b.low, w.b.high
		}
	}
	keys := w.now.Keys
	from = sort.Search(len(keys), func(i int) bool { return keys[i] >= key })
	to = from + sort.Search(len(keys)-from, func(i int) bool { return keys[from+i] > last })
	return from, to
}

// fewLeaves is up to how many leaves of a square are looked at one by one.
const fewLeaves = 8

// leaves adds the leaves from from to to-1 of the packet read last, which lie in the
// square entered last.
func (w *walk) leaves(level uint8, from, to int) {
	if to-from == 1 && w.now.Levels[from] >= level {
		w.across(from)
		return
	}
	for i := from; i < to; {
		j, at, below := i+1, w.now.Keys[i], w.now.Levels[i]
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
		sum.Add(sheets[i].Sum(a, b))
	}
	return sum
}

// Add adds another sum.
func (s *Sum) Add(o Sum) {
	s.Low, s.High = saturate.Add(s.Low, o.Low), saturate.Add(s.High, o.High)
	s.Estimate += o.Estimate
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

// Picture is pixels over a rectangle of the plane of keys, whose unit is a cell: the
// cell at (x, y) reaches from there to (x+1, y+1).
type Picture struct {
	Left, Bottom float64 // of the first pixel of the last row
	DX, DY       float64 // sides of a pixel in cells, above 0
	Width        int
	Height       int
	Pixels       []float64 // rows from the top, Width*Height
}

// Add spreads the points of a sheet's leaves evenly over their squares: each pixel
// gets of a leaf the share of its square that it covers, be pixels larger or
// smaller. Leaves of a sheet are disjoint, so that it takes O(leaves in the picture
// and pixels).
func (p *Picture) Add(s *Sheet, b *Packet) {
	none := uint64(0)
	s.Visit(&frame{p: p}, b, &none, func(l Leaf, _ bool) { p.leaf(l) })
}

// leaf adds a leaf.
func (p *Picture) leaf(l Leaf) {
	x, y := grid.Deinterleave(l.Key)
	side := float64(uint64(1) << l.Level)
	i0, i1, west, east := span((float64(x)-p.Left)/p.DX, side/p.DX, p.Width)
	j0, j1, south, north := span((float64(y)-p.Bottom)/p.DY, side/p.DY, p.Height)
	if i0 > i1 || j0 > j1 {
		return
	}
	// What a pixel gets that lies in the square; others get a part of it.
	each := float64(l.Count) * (p.DX / side) * (p.DY / side)
	for j := j0; j <= j1; j++ {
		n := each
		switch j {
		case j0:
			n *= south
		case j1:
			n *= north
		}
		row := p.Pixels[(p.Height-1-j)*p.Width:][i0 : i1+1]
		row[0] += n * west
		if len(row) > 1 {
			for i := range row[1 : len(row)-1] {
				row[i+1] += n
			}
			row[len(row)-1] += n * east
		}
	}
}

// span is the first and the last of n units that a stretch from at on covers, of
// some length, and how much of the two; of a single one the first share is it.
func span(at, length float64, n int) (first, last int, low, high float64) {
	from, to := max(at, 0), min(at+length, float64(n))
	if !(from < to) {
		return 1, 0, 0, 0
	}
	first = min(int(from), n-1)
	last = min(int(math.Ceil(to))-1, n-1)
	if last <= first {
		return first, first, to - from, 0
	}
	return first, last, float64(first+1) - from, to - float64(last)
}

// frame is the rectangle of a picture as an Area: squares that meet it.
type frame struct{ p *Picture }

func (f *frame) Enter(key uint64, level uint8) grid.Relation {
	x, y := grid.Deinterleave(key)
	side := float64(uint64(1) << level)
	left, bottom := (float64(x)-f.p.Left)/f.p.DX, (float64(y)-f.p.Bottom)/f.p.DY
	right, top := left+side/f.p.DX, bottom+side/f.p.DY
	width, height := float64(f.p.Width), float64(f.p.Height)
	switch {
	case !(left < width && right > 0 && bottom < height && top > 0):
		return grid.Outside
	case left >= 0 && right <= width && bottom >= 0 && top <= height:
		return grid.Inside
	}
	return grid.Partly
}

func (f *frame) Leave()                      {}
func (f *frame) Share(uint64, uint8) float64 { return 0 } // nobody asks
