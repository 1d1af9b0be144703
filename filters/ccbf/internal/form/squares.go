package form

import (
	"bytes"
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Squares answers the queries that exact sketches and trees answer alike. Both have sections of squares with
// counts. In an exact sketch all squares are cells, and each section has one sheet. In a tree squares may
// overlap: then a section has several sheets, whose counts add up.
type Squares struct {
	Head *Head

	Sections []Section
	sheets   []Sheet // the sheets of all sections.
	lookups  int     // number of packets that Count and Counts have read since Reset.
	places   []Place // memory of Counts
}

// Section is one section of a body.
type Section struct {
	cells.Label
	Sheets []Sheet
}

// Reset removes all sections.
func (r *Squares) Reset() {
	r.Sections, r.sheets = r.Sections[:0], r.sheets[:0]
	r.lookups = 0
}

// AddSection adds a section without sheets. Its label must come after those of the other sections.
func (r *Squares) AddSection(l cells.Label) error {
	if n := len(r.Sections); n > 0 && r.Sections[n-1].Compare(&l) >= 0 {
		return sketch.Invalidf("sections %d and %d are not in order", n, n+1)
	}
	r.Sections = append(r.Sections, Section{l, nil})
	return nil
}

// AddSheet adds a sheet to a section. Those before have all their sheets.
func (r *Squares) AddSheet(section int, s Sheet) {
	r.sheets = append(r.sheets, s)
	to := &r.Sections[section]
	to.Sheets = r.sheets[len(r.sheets)-len(to.Sheets)-1:]
}

// Listing implements Reader.
func (r *Squares) Listing() *Squares { return r }

// Number returns the number of squares.
func (r *Squares) Number() int {
	n := 0
	for _, s := range r.sheets {
		n += s.Number()
	}
	return n
}

// byCategory yields the sections of each category in a set, in the order of the categories.
func (r *Squares) byCategory(of cells.Categories) iter.Seq[[]Section] {
	return func(yield func([]Section) bool) {
		from := 0
		one, isOne := of.One()
		if isOne {
			from, _ = slices.BinarySearchFunc(r.Sections, one, func(s Section, category []byte) int { return bytes.Compare(s.Category, category) })
		}
		for to := from; from < len(r.Sections); from = to {
			category := r.Sections[from].Category
			for to < len(r.Sections) && bytes.Equal(r.Sections[to].Category, category) {
				to++
			}
			if has := of.Has(category); !has && isOne || has && !yield(r.Sections[from:to]) {
				return
			}
		}
	}
}

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
	r.places = r.places[:0]
	for i, c := range at {
		if r.Head.Bounds.Contains(c) {
			x, y, key := cells.Key(c)
			r.places = append(r.places, Place{x, y, key, i})
		}
	}
	slices.SortFunc(r.places, func(a, b Place) int { return cmp.Compare(a.Key, b.Key) })
	for sections := range r.byCategory(of) {
		for _, s := range sections {
			for _, sheet := range s.Sheets {
				r.lookups += AddCounts(sheet, s.X, s.Y, r.places, dst)
			}
		}
	}
}

// Lookups returns how many packets Count and Counts have read since Reset.
func (r *Squares) Lookups() int { return r.lookups }

// Place is a cell to look up: its region, its key, and the index of its count.
type Place struct {
	X, Y  int32
	Key   uint64
	Index int
}

// AddCounts looks up the places in region (x, y), whose keys ascend, in a sheet of this region. It adds to the count
// of each the points of the square that holds the cell. It reads a packet once for all cells in it, and returns how
// many it read.
func AddCounts(s Sheet, x, y int32, places []Place, counts []uint64) (packets int) {
	var squares cells.Squares // the squares of packet next-1
	at, next, all := 0, 0, s.Packets()
	for _, p := range places {
		if p.X != x || p.Y != y {
			continue
		}
		if next < all && s.First(next) <= p.Key {
			next += sort.Search(all-next, func(i int) bool { return s.First(next+i) > p.Key })
			squares, at = s.Packet(next-1), 0
			packets++
		}
		at += cells.SearchAbove(squares.Keys[at:], p.Key)
		if at > 0 && p.Key <= squares.Last(at-1) {
			counts[p.Index] = saturate.Add(counts[p.Index], squares.Counts[at-1])
		}
	}
	return packets
}

// eachRegion calls f for each region that has sheets of categories, with these sheets.
func (r *Squares) eachRegion(of cells.Categories, f func(x, y int32, sheets []Sheet)) {
	var groups []Section
	regions := map[[2]int32]int{}
	for sections := range r.byCategory(of) {
		for _, s := range sections {
			at, ok := regions[[2]int32{s.X, s.Y}]
			if !ok {
				at = len(groups)
				regions[[2]int32{s.X, s.Y}] = at
				groups = append(groups, Section{Label: s.Label})
			}
			groups[at].Sheets = append(groups[at].Sheets, s.Sheets...)
		}
	}
	for _, g := range groups {
		f(g.X, g.Y, g.Sheets)
	}
}

// eachSum calls add with the sum over an area for each category of a set, in the order of the categories.
func (r *Squares) eachSum(a Area, of cells.Categories, add func(category []byte, n Estimate)) {
	relation := a.Enter(r.Head.Bounds)
	switch relation {
	case grid.Outside:
		return
	case grid.Partly:
		defer a.Leave()
	}
	in := RegionArea{Area: a, Bounds: r.Head.Bounds}
	for sections := range r.byCategory(of) {
		var sum Estimate
		for _, s := range sections {
			in.X, in.Y = s.X, s.Y
			for _, sheet := range s.Sheets {
				if relation == grid.Inside {
					sum.inside(sheet.Total())
				} else {
					sum.Add(SumOf(sheet, &in))
				}
			}
		}
		add(sections[0].Category, sum)
	}
}

// Sum implements Reader. It returns the upper bound.
func (r *Squares) Sum(a Area, of cells.Categories) (uint64, error) {
	e, err := r.Estimate(a, of)
	return e.High, err
}

// Estimate implements Reader.
func (r *Squares) Estimate(a Area, of cells.Categories) (Estimate, error) {
	var sum Estimate
	r.eachSum(a, of, func(_ []byte, e Estimate) { sum.Add(e) })
	return r.finished(sum), nil
}

// finished returns the estimate of a sum.
func (r *Squares) finished(e Estimate) Estimate {
	if !r.Head.Sums {
		// After an intersection or a mask, a count is only an upper bound, and the truth may be 0.
		e.Low = 0
	}
	// The value is a sum of rounded fractions, so it may miss the bounds by the rounding error.
	e.Value = min(max(e.Value, float64(e.Low)), float64(e.High))
	e.Certain = e.High < ^uint64(0)
	return e
}

// EachCategorySum calls f with each category that may have points in area a, and its estimate there. The
// categories come in the order of their bytes.
func (r *Squares) EachCategorySum(a Area, of cells.Categories, f func(category []byte, e Estimate)) {
	r.eachSum(a, of, func(category []byte, e Estimate) {
		if e.High > 0 {
			f(category, r.finished(e))
		}
	})
}

// EachSquare calls f for each square with cells in clip, in no particular order. corner is the
// south-western cell of the square, which may have cells outside of clip and of the bounds. Squares of
// different categories at the same place come one by one.
func (r *Squares) EachSquare(clip grid.Rect, of cells.Categories, f func(corner grid.Cell, level uint8, n uint64)) {
	if clip = clip.Intersect(r.Head.Bounds); clip.Empty() {
		return
	}
	r.eachRegion(of, func(x, y int32, sheets []Sheet) {
		a := &RegionArea{Area: Box(clip), Bounds: r.Head.Bounds, X: x, Y: y}
		for _, s := range sheets {
			Visit(s, a, func(s cells.Squares, _ bool) {
				for i, key := range s.Keys {
					corner, level := cells.CellOf(x, y, key), s.Level(i)
					// A damaged sketch can have squares outside of its bounds.
					if clip.Contains(corner) || level > 0 && !corner.Square(level).Intersect(clip).Empty() {
						f(corner, level, s.Counts[i])
					}
				}
			})
		}
	})
}

// eachSummed is EachSquare for pictures. Very many categories or sheets may have the same square, which covers very
// many pixels. So equal squares of more than side x side cells are added up, and come last, in the order of Spot.Place.
func (r *Squares) eachSummed(clip grid.Rect, of cells.Categories, side float64, f func(s Spot)) {
	large, level := map[Spot]uint64{}, math.Log2(side)
	r.EachSquare(clip, of, func(corner grid.Cell, l uint8, n uint64) {
		s := Spot{Cell: corner, Level: l}
		if len(r.sheets) > 1 && float64(l) > level {
			large[s] = saturate.Add(large[s], n)
			return
		}
		s.Count = n
		f(s)
	})
	for _, s := range slices.SortedFunc(maps.Keys(large), Spot.Place) {
		s.Count = large[s]
		f(s)
	}
}

// Raster implements Reader. It adds the count of a square to every pixel that has cells of the square, as
// sums over the pixels would.
func (r *Squares) Raster(p *Pixels, clip grid.Rect, of cells.Categories) error {
	side := max(float64(clip.Width())/float64(p.Width), float64(clip.Height())/float64(len(p.Dst)/p.Width)) // of a pixel
	clip = clip.Intersect(r.Head.Bounds)
	r.eachSummed(clip, of, side, func(s Spot) {
		if s.Level == 0 {
			p.Add(p.Columns.Part(s.Cell.X), p.Lines.Part(s.Cell.Y), s.Count)
			return
		}
		at := s.Cell.Square(s.Level).Intersect(clip)
		for line := p.Lines.Part(at.MinY); line <= p.Lines.Part(at.MaxY); line++ {
			for column := p.Columns.Part(at.MinX); column <= p.Columns.Part(at.MaxX); column++ {
				if p.Lines.Holds(line) && p.Columns.Holds(column) {
					p.Add(column, line, s.Count)
				}
			}
		}
	})
	return nil
}

// Density implements Reader. It spreads the points of a square evenly.
func (r *Squares) Density(p *Picture, of cells.Categories) error {
	spread := p.Spreader(r.Head)
	width, height := p.sides()
	r.eachSummed(p.Squares(r.Head.Grid.Res()), of, max(width, height)/r.Head.Grid.Res(), func(s Spot) {
		spread(s.Cell, int(s.Level), float64(s.Count))
	})
	return nil
}

// eachSpot calls f for the squares that meet an area, until f returns false. Squares of one region come in order,
// and equal ones come once. around is how many points the larger squares around a square have. If a region has
// only one sheet, squares with fewer than *least points are skipped. f may raise *least.
func (r *Squares) eachSpot(in Area, of cells.Categories, least *uint64, f func(s Spot, around uint64) bool) {
	ended := false
	r.eachRegion(of, func(x, y int32, sheets []Sheet) {
		if ended {
			return
		}
		a := &RegionArea{Area: in, Bounds: r.Head.Bounds, X: x, Y: y}
		spot := func(s *cells.Squares, i int, around uint64) {
			ended = ended || !f(Spot{Cell: cells.CellOf(x, y, s.Keys[i]), Count: s.Counts[i], Level: s.Level(i)}, around)
		}
		if len(sheets) == 1 {
			Visit(sheets[0], a, func(s cells.Squares, _ bool) {
				for i, n := range s.Counts {
					if n >= *least {
						spot(&s, i, 0)
					}
				}
			})
			return
		}
		var all cells.Squares
		for _, s := range sheets {
			Visit(s, a, func(s cells.Squares, _ bool) { all.Append(s) })
		}
		all = cells.Sorted(all)
		var around cells.Enclosing
		for i, key := range all.Keys {
			spot(&all, i, around.Add(key, all.Level(i), all.Counts[i]))
		}
	})
}

// Top implements Reader. A square counts what a cell counts that lies in no smaller square.
func (r *Squares) Top(in Area, of cells.Categories, t *Top) error {
	least := t.Least
	r.eachSpot(in, of, &least, func(s Spot, around uint64) bool {
		s.Count = saturate.Add(s.Count, around)
		fits := t.Add(Candidate{Spot: s, Least: s.Count})
		if t.Each == nil && len(t.Cells) == t.K {
			least = t.Cells[0].Least
		}
		return fits
	})
	return nil
}

// EachCell calls f with each cell of area a, or with each leaf of a tree, until f returns false. A square has
// only its own points.
func (r *Squares) EachCell(in Area, of cells.Categories, f func(Spot) bool) {
	r.eachSpot(in, of, new(uint64), func(s Spot, _ uint64) bool { return f(s) })
}

// Listed returns the largest possible number of calls of EachCell, and the memory that it takes.
func (r *Squares) Listed(of cells.Categories) (squares int, bytes int64) {
	r.eachRegion(of, func(_, _ int32, sheets []Sheet) {
		n := 0
		for _, s := range sheets {
			n += s.Number()
		}
		if squares += n; len(sheets) > 1 {
			// This counts the list, which grows, its keys and order with their scratch memory, and the
			// sorted list.
			bytes = max(bytes, 6*cells.SquareBytes(n))
		}
	})
	return squares, bytes
}

// EachCategory calls f with each category, its number of squares and its total, in the order of the bytes.
func (r *Squares) EachCategory(f func(category []byte, squares, total uint64)) {
	for sections := range r.byCategory(cells.Categories{}) {
		number, total := uint64(0), uint64(0)
		for i := range sections {
			for _, s := range sections[i].Sheets {
				number, total = number+uint64(s.Number()), saturate.Add(total, s.Total())
			}
		}
		f(sections[0].Category, number, total)
	}
}

// Categories returns the number of categories.
func (r *Squares) Categories() (n uint64) {
	r.EachCategory(func(category []byte, _, _ uint64) {
		if category != nil {
			n++
		}
	})
	return n
}
