package form

import (
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

// KeptBytes is the number of bytes that the sheets of a reader may use to keep decoded packets. Most squares of
// a sketch of default size fit.
const KeptBytes = 16 << 20

// Add adds the sum over another area.
func (e *Estimate) Add(o Estimate) {
	e.Low, e.High = saturate.Add(e.Low, o.Low), saturate.Add(e.High, o.High)
	e.Value += o.Value
}

// inside adds n points that are inside the area.
func (e *Estimate) inside(n uint64) {
	e.Low, e.High = saturate.Add(e.Low, n), saturate.Add(e.High, n)
	e.Value += float64(n)
}

// SumOf returns the sum over the squares of a sheet in an area. The value assumes that the points of a square are
// spread evenly over its cells.
func SumOf(s Sheet, a *RegionArea) Estimate {
	return walkSheet(s, a, nil)
}

// Visit calls f with the squares of a sheet that meet an area, some at a time, in order. inside says whether
// they are inside the area. If not, there is only one, which lies across the outline.
func Visit(s Sheet, a *RegionArea, f func(s cells.Squares, inside bool)) {
	walkSheet(s, a, f)
}

// VisitSquares is Visit for a list of squares that do not overlap.
func VisitSquares(s cells.Squares, a *RegionArea, f func(s cells.Squares, inside bool)) {
	w := walk{area: a, visit: f}
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
// skips those in one that is outside. It first divides the packets by their first keys, and then quarters the
// square around a packet that the outline crosses.
type walk struct {
	area    *RegionArea
	sheet   Sheet
	high    uint64        // no cell in the bounds of the area has a higher key.
	corners cells.Corners // of the bounds of the area, as far as they lie in the region.
	sum     Estimate
	visit   func(s cells.Squares, inside bool) // nil for a sum.
}

// walkSheet visits or sums the squares of a sheet.
func walkSheet(s Sheet, a *RegionArea, visit func(s cells.Squares, inside bool)) Estimate {
	w := walk{area: a, sheet: s, high: ^uint64(0), visit: visit}
	// The north-eastern corner has the highest key of a rectangle.
	if x, y, z := cells.Key(grid.Cell{X: a.Bounds.MaxX, Y: a.Bounds.MaxY}); x == a.X && y == a.Y {
		w.high = z
	}
	var some bool
	if w.corners, some = a.cornersOf(a.Area.Bounds()); some && s.Packets() > 0 {
		w.packets(0, s.Packets())
	}
	return w.sum
}

// parts is the most parts into which packets are divided at once. Many sketches of days have no more packets.
const parts = 16

// packets adds the squares of the packets [from, to).
func (w *walk) packets(from, to int) {
	low, high := w.sheet.First(from), w.high
	if to < w.sheet.Packets() {
		high = w.sheet.First(to) - 1
	}
	// The square around the packets may meet the area where they have no keys. high is below low only in a
	// damaged index, whose keys do not ascend.
	if next, some := w.corners.Next(low); !some || next > high {
		return
	}
	switch w.area.enter(low, high) {
	case grid.Inside:
		w.inside(from, to)
	case grid.Partly:
		if to-from == 1 {
			w.squares(w.sheet.Packet(from))
		} else {
			step := (to - from + parts - 1) / parts
			for i := from; i < to; i += step {
				w.packets(i, min(i+step, to))
			}
		}
		w.area.Area.Leave()
	}
}

// inside adds the squares of the packets [from, to), which are inside the area.
func (w *walk) inside(from, to int) {
	if w.visit == nil && to-from == w.sheet.Packets() {
		w.sum.inside(w.sheet.Total())
		return
	}
	for i := from; i < to; i++ {
		if n, known := w.sheet.PacketTotal(i); known && w.visit == nil {
			w.sum.inside(n)
		} else {
			w.within(w.sheet.Packet(i))
		}
	}
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
	if _, isBox := w.area.Area.(Box); isBox && w.visit == nil && s.Levels == nil {
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
	quarter := cells.LowBits(cells.CommonLevel(s.Keys[0], s.Last(s.Len()-1))) >> 2
	for s.Len() > 0 {
		n := cells.SearchAbove(s.Keys, s.Keys[0]|quarter)
		part := s.Part(0, n)
		switch w.area.enter(part.Keys[0], part.Last(n-1)) {
		case grid.Inside:
			w.within(part)
		case grid.Partly:
			w.squares(part)
			w.area.Area.Leave()
		}
		s = s.Part(n, s.Len())
	}
}

// square adds square i of s if it meets the area. It lies in the square entered last.
func (w *walk) square(s *cells.Squares, i int) {
	key, level, n := s.Keys[i], s.Level(i), s.Counts[i]
	relation := w.area.enter(key, s.Last(i))
	switch {
	case relation == grid.Outside:
	case w.visit != nil:
		w.visit(s.Part(i, i+1), relation == grid.Inside)
	case relation == grid.Inside:
		w.sum.inside(n)
	default:
		w.sum.High = saturate.Add(w.sum.High, n)
		w.sum.Value += float64(n) * w.area.fraction(key, level)
	}
	if relation == grid.Partly {
		w.area.Area.Leave()
	}
}

// RegionArea is an area in region (X, Y), in which squares have keys. It cuts squares to Bounds, outside of
// which there are no points, and passes them to its field Area.
type RegionArea struct {
	Area   Area
	Bounds grid.Rect
	X, Y   int32
}

// rect returns the cells within bounds of the square with this key and level.
func (a *RegionArea) rect(key uint64, level uint8) grid.Rect {
	return cells.CellOf(a.X, a.Y, key).Square(level).Intersect(a.Bounds)
}

// cornersOf returns the part of a rectangle that lies in the region, and false if there is none.
func (a *RegionArea) cornersOf(r grid.Rect) (cells.Corners, bool) {
	region := cells.CellOf(a.X, a.Y, 0).Square(cells.MaxLevel + 1)
	if r = r.Intersect(region); r.Empty() {
		return cells.Corners{}, false
	}
	_, _, low := cells.Key(grid.Cell{X: r.MinX, Y: r.MinY})
	_, _, high := cells.Key(grid.Cell{X: r.MaxX, Y: r.MaxY})
	return cells.CornersOf(low, high), true
}

// enter enters the smallest square that holds the keys low and high.
func (a *RegionArea) enter(low, high uint64) grid.Relation {
	level := cells.CommonLevel(low, high)
	r := a.rect(low&^cells.LowBits(level), level)
	if r.Empty() {
		return grid.Outside
	}
	return a.Area.Enter(r)
}

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
	r := a.rect(key, level)
	if b, ok := a.Area.(Box); ok {
		return float64(r.Intersect(grid.Rect(b)).Count()) / float64(r.Count())
	}
	return a.inside(r, fractionSteps) / float64(r.Count())
}

// inside estimates how many cells of r, the rectangle entered last, lie in the area.
func (a *RegionArea) inside(r grid.Rect, steps int) (n float64) {
	mid := grid.Cell{X: r.MinX + (r.MaxX-r.MinX)/2, Y: r.MinY + (r.MaxY-r.MinY)/2}
	if cells := r.Count(); cells == 1 || cells > fewCells && steps == 0 {
		if a.Area.Enter(mid.Square(0)) == grid.Inside {
			n = float64(cells)
		}
		return n
	}
	for _, q := range [...]grid.Rect{
		{MinX: r.MinX, MinY: r.MinY, MaxX: mid.X, MaxY: mid.Y}, {MinX: mid.X + 1, MinY: r.MinY, MaxX: r.MaxX, MaxY: mid.Y},
		{MinX: r.MinX, MinY: mid.Y + 1, MaxX: mid.X, MaxY: r.MaxY}, {MinX: mid.X + 1, MinY: mid.Y + 1, MaxX: r.MaxX, MaxY: r.MaxY},
	} {
		if q.Empty() {
			continue
		}
		switch a.Area.Enter(q) {
		case grid.Inside:
			n += float64(q.Count())
		case grid.Partly:
			n += a.inside(q, steps-1)
			a.Area.Leave()
		}
	}
	return n
}
