package form

import (
	"sort"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Sheet is a list of squares that do not overlap, in packets that are decoded as a whole. The sheets of a
// damaged BLOB may have any keys and any number of squares, but a query of them ends.
type Sheet interface {
	Packets() int
	// First returns the lowest key that a square of packet i may have.
	First(i int) uint64
	// PacketTotal returns the number of points in packet i, and false if the sheet does not have it.
	PacketTotal(i int) (uint64, bool)
	// Packet returns the squares of packet i, valid until the next call. It returns none if the packet is
	// damaged.
	Packet(i int) cells.Squares
	Total() uint64
	Number() int // of squares
}

// Above returns the first packet of [from, to) that begins after a key. It returns to if there is none.
func Above(s Sheet, key uint64, from, to int) int {
	return from + sort.Search(to-from, func(i int) bool { return s.First(from+i) > key })
}

// Sum is the number of points in an area: at least Low and at most High. Estimate assumes that the points
// of a square are spread evenly over its cells.
type Sum struct {
	Low, High uint64
	Estimate  float64
}

// Add adds another sum.
func (s *Sum) Add(o Sum) {
	s.Low, s.High = saturate.Add(s.Low, o.Low), saturate.Add(s.High, o.High)
	s.Estimate += o.Estimate
}

// inside adds n points that are inside the area.
func (s *Sum) inside(n uint64) {
	s.Low, s.High = saturate.Add(s.Low, n), saturate.Add(s.High, n)
	s.Estimate += float64(n)
}

// SumOf returns the sum over the squares of a sheet in an area.
func SumOf(s Sheet, a *RegionArea) Sum {
	w := newWalk(s, a)
	if box, ok := a.Area.(Box); ok {
		w.corners, w.isBox = a.cornersOf(grid.Rect(box))
	}
	if !w.holdsMost() {
		w.run()
		return w.sum
	}
	// Few packets are outside, so sum what is there. The total is known.
	rest := *a
	rest.Area = complement{a.Area}
	w = newWalk(s, &rest)
	w.run()
	var sum Sum
	sum.inside(s.Total() - min(w.sum.High, s.Total()))
	return sum
}

// complement is the cells that are not in an area.
type complement struct{ Area }

// Enter implements Area.
func (c complement) Enter(r grid.Rect) grid.Relation {
	switch relation := c.Area.Enter(r); relation {
	case grid.Inside:
		return grid.Outside
	case grid.Outside:
		return grid.Inside
	default:
		return relation
	}
}

// Contains implements Area.
func (c complement) Contains(at grid.Cell) bool { return !c.Area.Contains(at) }

// Visit calls f with the squares of a sheet that meet an area, some at a time, in order. inside says whether
// they are inside the area. If not, there is only one, which lies across the outline. Unless least is nil,
// Visit skips packets that are known to have fewer than *least points, because their squares have fewer too.
// f may raise *least.
func Visit(s Sheet, a *RegionArea, least *uint64, f func(s cells.Squares, inside bool)) {
	w := newWalk(s, a)
	w.least, w.visit = least, f
	w.run()
}

// VisitSquares is Visit for a list of squares, which may overlap.
func VisitSquares(s cells.Squares, a *RegionArea, f func(s cells.Squares, inside bool)) {
	w := walk{area: a, visit: f, overlap: true}
	switch a.enter(0, ^uint64(0)) {
	case grid.Inside:
		w.within(s)
	case grid.Partly:
		w.squares(s)
		a.Area.Leave()
	}
}

// walk goes through the squares of a sheet that meet an area. The squares are in Z-order, so those in a
// larger square lie side by side. The walk takes all squares in a larger one that is inside the area, and
// skips those in one that is outside. It quarters a larger square that the outline crosses. It first uses
// the first keys of packets, and then the squares in a packet.
type walk struct {
	area    *RegionArea
	sheet   Sheet
	high    uint64        // no cell in the bounds of the area has a higher key.
	overlap bool          // whether squares may overlap.
	corners cells.Corners // of the box, if isBox.
	isBox   bool          // whether to sum cells in a box.
	sum     Sum
	least   *uint64
	visit   func(s cells.Squares, inside bool) // nil for a sum.
}

// newWalk returns a walk that sums the squares of a sheet in an area.
func newWalk(s Sheet, a *RegionArea) walk {
	w := walk{area: a, sheet: s, high: ^uint64(0)}
	// The north-eastern corner has the highest key of a rectangle.
	if x, y, z := cells.Key(grid.Cell{X: a.Bounds.MaxX, Y: a.Bounds.MaxY}); x == a.X && y == a.Y {
		w.high = z
	}
	return w
}

// last returns the highest key that a square of packet i may have.
func (w *walk) last(i int) uint64 {
	if i+1 < w.sheet.Packets() {
		return w.sheet.First(i+1) - 1
	}
	return w.high
}

// relation returns where packet i lies in relation to a box, which does not remember what is entered.
func (w *walk) relation(i int) grid.Relation { return w.area.enter(w.sheet.First(i), w.last(i)) }

// holdsMost reports whether a box holds more packets of a sheet than lie outside. It returns false if
// packets have totals, as those inside are not decoded then.
func (w *walk) holdsMost() bool {
	n, box := w.sheet.Packets(), w.area.Area.Bounds()
	if !w.isBox || n == 0 || w.sheet.Total() == ^uint64(0) || CellsOf(box.Intersect(w.area.Bounds)) < CellsOf(w.area.Bounds)/2 {
		return false
	}
	if _, known := w.sheet.PacketTotal(0); known {
		return false
	}
	inside, outside := 0, 0
	for i := range n {
		switch w.relation(i) {
		case grid.Inside:
			inside++
		case grid.Outside:
			outside++
		}
	}
	return inside > outside
}

func (w *walk) run() {
	switch n := w.sheet.Packets(); {
	case n == 0:
	case w.isBox:
		w.box()
	default:
		w.packets(w.sheet.First(0), w.high, 0, n)
	}
}

// box adds the squares in a box. It goes from packet to packet that has keys of the box.
func (w *walk) box() {
	at, some := w.corners.Low(), true
	for i, n := 0, w.sheet.Packets(); i < n && some; i++ {
		if at > w.last(i) {
			i = max(i, Above(w.sheet, at, i, n)-1)
		}
		first, last := w.sheet.First(i), w.last(i)
		if at, some = w.corners.Next(max(at, first)); !some || at > last {
			continue
		}
		switch w.relation(i) {
		case grid.Inside:
			w.inside(first, last, i, i+1)
		case grid.Partly:
			w.squares(w.sheet.Packet(i))
		}
		at, some = last+1, last < ^uint64(0)
	}
}

// packets adds the squares with keys from low to high. They lie in the packets [from, to).
func (w *walk) packets(low, high uint64, from, to int) {
	// This happens only in a damaged index, whose keys do not ascend.
	if low > high {
		return
	}
	switch w.area.enter(low, high) {
	case grid.Outside:
		return
	case grid.Inside:
		w.inside(low, high, from, to)
		return
	}
	defer w.area.Area.Leave()
	if to-from == 1 {
		w.squares(w.cut(from, low, high))
		return
	}
	mask := cells.LowBits(cells.CommonLevel(low, high))
	// Visit the four quarters of the smallest square with low and high. last is the last key of a
	// quarter.
	for last := low&^mask | mask>>2; ; last += mask>>2 + 1 {
		next := Above(w.sheet, min(last, high), from, to)
		if next > from {
			w.packets(max(low, w.sheet.First(from)), min(last, high), from, next)
		}
		if last >= high {
			return
		}
		// Packet next-1 may reach into the following quarter, unless a packet begins exactly with that
		// quarter.
		low = last + 1
		if next > from && (next == to || w.sheet.First(next) > low) {
			next--
		}
		from = next
	}
}

// inside adds all squares with keys from low to high, which lie in the packets [from, to).
func (w *walk) inside(low, high uint64, from, to int) {
	if w.visit == nil && low == w.sheet.First(0) && high == w.high {
		w.sum.inside(w.sheet.Total())
		return
	}
	for i := from; i < to; i++ {
		if n, known := w.sheet.PacketTotal(i); known && w.visit == nil && w.sheet.First(i) >= low && w.last(i) <= high {
			w.sum.inside(n)
			continue
		}
		w.within(w.cut(i, low, high))
	}
}

// cut returns the squares of packet i with keys from low to high.
func (w *walk) cut(i int, low, high uint64) cells.Squares {
	if w.least != nil {
		if n, known := w.sheet.PacketTotal(i); known && n < *w.least || *w.least == skipRest {
			return cells.Squares{}
		}
	}
	s := w.sheet.Packet(i)
	if s.Len() > 0 && s.Keys[0] < low {
		s = s.From(sort.Search(s.Len(), func(j int) bool { return s.Keys[j] >= low }))
	}
	if s.Len() > 0 && s.Keys[s.Len()-1] > high {
		s = s.UpTo(cells.SearchAbove(s.Keys, high))
	}
	return s
}

// within adds squares, all of which are inside the area.
func (w *walk) within(s cells.Squares) {
	switch {
	case w.visit == nil:
		w.sum.inside(s.Total())
	case s.Len() > 0:
		w.visit(s, true)
	}
}

// fewSquares is the number of squares up to which each is tested by itself.
const fewSquares = 32

// squares adds the squares of s that meet the area. All lie in the square entered last.
func (w *walk) squares(s cells.Squares) {
	if w.isBox && s.Levels == nil {
		// Coordinates compare as they stand in the keys, so testing all cells beats descending.
		n := uint64(0)
		for i, key := range s.Keys {
			if w.corners.Has(key) {
				n = saturate.Add(n, s.Counts[i])
			}
		}
		w.sum.inside(n)
		return
	}
	if s.Len() <= fewSquares {
		for i := range s.Keys {
			w.square(&s, i)
		}
		return
	}
	quarter := cells.LowBits(cells.CommonLevel(s.Keys[0], w.end(&s))) >> 2
	for s.Len() > 0 {
		// Only squares that overlap can be larger than the quarters of the square around all.
		if w.overlap && cells.LowBits(s.Level(0)) > quarter {
			w.square(&s, 0)
			s = s.From(1)
			continue
		}
		n := cells.SearchAbove(s.Keys, s.Keys[0]|quarter)
		part := s.UpTo(n)
		switch w.area.enter(part.Keys[0], w.end(&part)) {
		case grid.Inside:
			w.within(part)
		case grid.Partly:
			w.squares(part)
			w.area.Area.Leave()
		}
		s = s.From(n)
	}
}

// end returns the highest key in the squares of s.
func (w *walk) end(s *cells.Squares) uint64 {
	last := s.Last(s.Len() - 1)
	if w.overlap {
		for i := range s.Keys {
			last = max(last, s.Last(i))
		}
	}
	return last
}

// square adds square i of s if it meets the area. It lies in the square entered last.
func (w *walk) square(s *cells.Squares, i int) {
	key, level := s.Keys[i], s.Level(i)
	relation := grid.Outside
	switch {
	case level > 0:
		relation = w.area.enter(key, s.Last(i))
	case w.area.contains(key):
		relation = grid.Inside
	}
	if relation == grid.Outside {
		return
	}
	switch n := s.Counts[i]; {
	case w.visit != nil:
		one := s.From(i)
		w.visit(one.UpTo(1), relation == grid.Inside)
	case relation == grid.Inside:
		w.sum.inside(n)
	default:
		w.sum.High = saturate.Add(w.sum.High, n)
		w.sum.Estimate += float64(n) * w.area.fraction(key, level)
	}
	if relation == grid.Partly {
		w.area.Area.Leave()
	}
}

// RegionArea is an area in region (X, Y), in which squares have keys. It cuts squares to Bounds, outside of
// which there are no points, and passes them to its field Area.
type RegionArea struct {
	Area      Area
	Bounds    grid.Rect
	X, Y      int32
	Fractions bool // whether the caller uses fraction.
}

// Rect returns the cells within bounds of the square with this key and level.
func (a *RegionArea) Rect(key uint64, level uint8) grid.Rect {
	return square(cells.CellOf(a.X, a.Y, key), level).Intersect(a.Bounds)
}

// square returns the cells of a square of a level, of which corner is the south-western one.
func square(corner grid.Cell, level uint8) grid.Rect {
	last := int64(1)<<level - 1
	return grid.Rect{MinX: corner.X, MinY: corner.Y, MaxX: corner.X + last, MaxY: corner.Y + last}
}

// cornersOf returns the part of a rectangle that lies in the region, and false if there is none.
func (a *RegionArea) cornersOf(r grid.Rect) (cells.Corners, bool) {
	from, to := cells.CellOf(a.X, a.Y, 0), cells.CellOf(a.X, a.Y, ^uint64(0))
	if r = r.Intersect(grid.Rect{MinX: from.X, MinY: from.Y, MaxX: to.X, MaxY: to.Y}); r.Empty() {
		return cells.Corners{}, false
	}
	_, _, low := cells.Key(grid.Cell{X: r.MinX, Y: r.MinY})
	_, _, high := cells.Key(grid.Cell{X: r.MaxX, Y: r.MaxY})
	return cells.CornersOf(low).Around([]uint64{high}), true
}

// enter enters the smallest square that holds the keys low and high.
func (a *RegionArea) enter(low, high uint64) grid.Relation {
	level := cells.CommonLevel(low, high)
	r := a.Rect(low&^cells.LowBits(level), level)
	if r.Empty() {
		return grid.Outside
	}
	return a.Area.Enter(r)
}

// contains reports whether a cell of the square entered last is in the area.
func (a *RegionArea) contains(key uint64) bool { return a.Area.Contains(cells.CellOf(a.X, a.Y, key)) }

// fewCells is the most cells of a square that are looked at one by one. Larger squares are quartered up to
// fractionSteps times.
const (
	fewCells      = 64
	fractionSteps = 2
)

// fraction returns the fraction of the cells of the square entered last that lie in the area. It is exact for
// boxes and for small squares. Otherwise, parts of the square that lie across the outline count by their
// centre.
func (a *RegionArea) fraction(key uint64, level uint8) float64 {
	r := a.Rect(key, level)
	if !a.Fractions || r.Empty() {
		return 0
	}
	if b, ok := a.Area.(Box); ok {
		return CellsOf(r.Intersect(grid.Rect(b))) / CellsOf(r)
	}
	return a.inside(r, fractionSteps) / CellsOf(r)
}

// CellsOf returns the number of cells of a rectangle.
func CellsOf(r grid.Rect) float64 {
	if r.Empty() {
		return 0
	}
	return float64(r.Width()) * float64(r.Height())
}

// inside estimates how many cells of r, the rectangle entered last, lie in the area.
func (a *RegionArea) inside(r grid.Rect, steps int) float64 {
	if r.Width() <= fewCells && r.Height() <= fewCells && r.Count() <= fewCells {
		n := 0.0
		for y := r.MinY; y <= r.MaxY; y++ {
			for x := r.MinX; x <= r.MaxX; x++ {
				if a.Area.Contains(grid.Cell{X: x, Y: y}) {
					n++
				}
			}
		}
		return n
	}
	midX, midY := r.MinX+(r.MaxX-r.MinX)/2, r.MinY+(r.MaxY-r.MinY)/2
	if steps == 0 {
		if a.Area.Contains(grid.Cell{X: midX, Y: midY}) {
			return CellsOf(r)
		}
		return 0
	}
	n := 0.0
	for _, q := range [...]grid.Rect{
		{MinX: r.MinX, MinY: r.MinY, MaxX: midX, MaxY: midY}, {MinX: midX + 1, MinY: r.MinY, MaxX: r.MaxX, MaxY: midY},
		{MinX: r.MinX, MinY: midY + 1, MaxX: midX, MaxY: r.MaxY}, {MinX: midX + 1, MinY: midY + 1, MaxX: r.MaxX, MaxY: r.MaxY},
	} {
		if q.Empty() {
			continue
		}
		switch a.Area.Enter(q) {
		case grid.Inside:
			n += CellsOf(q)
		case grid.Partly:
			n += a.inside(q, steps-1)
			a.Area.Leave()
		}
	}
	return n
}
