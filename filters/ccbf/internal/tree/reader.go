package tree

import (
	"bytes"
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Memory implements form.Reader: the bytes of all leaves, and of the sheets that they are decoded from.
func (r *Reader) Memory() int64 {
	// A list that grows takes twice its size. The check of the list takes its size once more.
	lists := 3
	if len(r.sheets) > len(r.sections) {
		// This counts the sheets, their sum, and the sum divided into sheets again.
		lists = 6
	}
	return int64(lists)*SquareBytes(r.Leaves()) + int64(len(r.sections))*cells.SectionBytes
}

// ErrorBytes implements form.ErrorCoster.
func (r *Reader) ErrorBytes() int64 { return r.Memory() }

// Count implements form.Reader.
func (r *Reader) Count(c grid.Cell, category []byte) uint64 {
	var n [1]uint64
	r.Counts(n[:], []grid.Cell{c}, cells.Of(category))
	return n[0]
}

// sum returns bounds of the number of points in an area. If fractions is set, it also returns an
// estimate.
func (r *Reader) sum(a form.Area, of cells.Categories, fractions bool) Sum {
	var sum Sum
	for _, g := range r.sheetsOf(of) {
		sum.Add(AreaSum(g.sheets, &RegionArea{a, r.Head.Bounds, g.x, g.y, fractions}, r.packet))
	}
	return sum
}

// Sum implements form.Reader: it returns the upper bound.
func (r *Reader) Sum(a form.Area, of cells.Categories) (uint64, error) {
	return r.sum(a, of, false).High, nil
}

// Estimate implements form.Reader.
func (r *Reader) Estimate(a form.Area, of cells.Categories) (form.Estimate, error) {
	return r.estimateOf(r.sum(a, of, true)), nil
}

// estimateOf returns a sum as an estimate with its bounds.
func (r *Reader) estimateOf(s Sum) form.Estimate {
	if !r.Head.Sums {
		// After an intersection or a mask, a count is only an upper bound, and the truth may be 0.
		s.Low = 0
	}
	// The estimate is a sum of rounded fractions, so it may miss the bounds by the rounding error.
	value := min(max(s.Estimate, float64(s.Low)), float64(s.High))
	return form.Estimate{Value: value, Low: s.Low, High: s.High, Certain: s.High < ^uint64(0)}
}

// visit calls f with each leaf that meets rectangle clip, in no particular order. corner is the
// south-western cell of the leaf. The leaf may have cells outside of clip and of the bounds.
func (r *Reader) visit(clip grid.Rect, of cells.Categories, f func(corner grid.Cell, l Leaf)) {
	if clip.Empty() {
		return
	}
	none := uint64(0)
	for _, g := range r.sheetsOf(of) {
		a := &RegionArea{form.Box{Box: cells.Box(clip)}, cells.Hull(clip, r.Head.Bounds), g.x, g.y, false}
		for i := range g.sheets {
			g.sheets[i].Visit(a, r.packet, &none, func(l Leaf, _ bool) { f(cells.CellOf(g.x, g.y, l.Key), l) })
		}
	}
}

// Raster adds the count of a leaf to every pixel that has cells of the leaf, as sums over the pixels
// would.
func (r *Reader) Raster(p *form.Pixels, clip grid.Rect, of cells.Categories) error {
	clip = clip.Intersect(r.Head.Bounds)
	r.visit(clip, of, func(corner grid.Cell, l Leaf) {
		at := square(corner, l.Level).Intersect(clip)
		// This happens only in a damaged tree.
		if at.Empty() {
			return
		}
		for line := p.Lines.Part(at.MinY); line <= p.Lines.Part(at.MaxY); line++ {
			for column := p.Columns.Part(at.MinX); column <= p.Columns.Part(at.MaxX); column++ {
				if p.Lines.Holds(line) && p.Columns.Holds(column) {
					p.Add(column, line, l.Count)
				}
			}
		}
	})
	return nil
}

// Density spreads a leaf evenly over its square.
func (r *Reader) Density(p *form.Picture, of cells.Categories) error {
	res := r.Head.Grid.Res()
	r.visit(p.Squares(res), of, func(corner grid.Cell, l Leaf) { p.Spread(res, corner, l.Level, float64(l.Count)) })
	return nil
}

// eachLeaf calls f for the leaves that meet an area. Leaves of one region come in order. around is how
// many points the larger squares around the leaf have. For each region, *least begins with the value of
// least, as in visit.
func (r *Reader) eachLeaf(in form.Area, of cells.Categories, least uint64, f func(s form.Spot, around uint64, least *uint64)) {
	for _, g := range r.sheetsOf(of) {
		least := least
		visit(g.sheets, &RegionArea{in, r.Head.Bounds, g.x, g.y, false}, r.packet, &least, func(l Leaf, around uint64) {
			f(form.Spot{Cell: cells.CellOf(g.x, g.y, l.Key), Count: l.Count, Level: l.Level}, around, &least)
		})
	}
}

// skipRest is a least number of points that no packet has: it skips those that are left.
const skipRest = ^uint64(0)

// Hotspots implements form.Reader. A leaf counts what a cell counts that lies in no smaller square.
func (r *Reader) Hotspots(in form.Area, threshold uint64, of cells.Categories, add func(form.Spot) bool) error {
	r.eachLeaf(in, of, threshold, func(s form.Spot, around uint64, least *uint64) {
		s.Count = saturate.Add(s.Count, around)
		if s.Count >= threshold && *least == threshold && !add(s) {
			*least = skipRest
		}
	})
	return nil
}

// TopK implements form.Reader. Leaves count as in Hotspots.
func (r *Reader) TopK(in form.Area, of cells.Categories, t *form.Top) error {
	r.eachLeaf(in, of, 0, func(s form.Spot, around uint64, least *uint64) {
		s.Count = saturate.Add(s.Count, around)
		if t.Add(form.Candidate{Spot: s, Least: s.Count}) && len(t.Cells) == t.K {
			*least = t.Cells[0].Least
		}
	})
	return nil
}

// Error implements form.Reader, from what was measured when the cells were pruned.
func (r *Reader) Error() form.Error {
	var e form.Error
	list, err := r.list()
	// After an intersection or a mask the counted points may not be there, so the error is unknown.
	if err != nil || !r.Head.Sums {
		return e
	}
	if e.Certain, e.Most = true, list.Most(r.Head.Categories); !r.fit.Known {
		return e
	}
	f := r.fit
	if f.Cells > 0 {
		e.Occupied.Excess = float64(f.Excess) / float64(f.Cells)
	}
	// These are sums over all sections. all is the number of cells in bounds, and held is the number of
	// cells that lie in a leaf. excess is the sum by which their counts exceed the truth.
	all, held, excess := 0.0, 0.0, 0.0
	for i := range list.Sections {
		s := &list.Sections[i]
		a := RegionArea{Bounds: r.Head.Bounds, X: s.X, Y: s.Y}
		for j, key := range s.Keys {
			n := cellsOf(a.Rect(key, s.Level(j)))
			held += n
			excess += float64(s.Counts[j]) * (n - 1)
		}
		if i == 0 || s.Category != list.Sections[i-1].Category {
			all += cellsOf(r.Head.Bounds)
		}
	}
	if none := all - float64(f.Cells); none > 0 {
		e.Empty.Probability = max(0, held-float64(f.Cells)) / none
		e.Empty.Excess = max(0, excess-float64(f.Excess)) / none
	}
	e.Measured = true
	return e
}

// Unbiased implements form.Reader.
func (r *Reader) Unbiased() bool { return false }

// Describe implements form.Reader.
func (r *Reader) Describe(i *form.Info) {
	i.Tau, i.Leaves = r.tau.Value(), uint64(r.Leaves())
	if f := r.fit; f.Known && !f.Sampled {
		i.Cells, i.CellsKnown = f.Cells, true
	}
	i.AtLeast, i.Suppressed = r.Suppression.Least, r.Suppression.Dropped
	for j := range r.sections {
		if s := &r.sections[j]; s.Category != nil && (j == 0 || !bytes.Equal(r.sections[j-1].Category, s.Category)) {
			i.Categories++
		}
	}
}

// String implements form.Reader.
func (r *Reader) String() string {
	n := r.Leaves()
	noun := "leaves"
	if n == 1 {
		noun = "leaf"
	}
	return fmt.Sprintf("tree, %s %s", sketch.Number(uint64(n)), noun) +
		sketch.Added(r.Head.Total, r.Head.TotalKnown)
}

// EachCell implements form.Lister. Leaves have only their own points.
func (r *Reader) EachCell(in form.Area, of cells.Categories, stop *bool, f func(form.Spot)) {
	r.eachLeaf(in, of, 0, func(s form.Spot, _ uint64, least *uint64) {
		if *stop {
			*least = skipRest
			return
		}
		f(s)
	})
}

// Listed implements form.Lister.
func (r *Reader) Listed(_ bool, of cells.Categories) (leaves int, bytes int64) {
	for _, g := range r.sheetsOf(of) {
		n := 0
		for i := range g.sheets {
			n += int(g.sheets[i].Leaves())
		}
		if leaves += n; len(g.sheets) > 1 {
			// This counts lists that grow, and their sum.
			bytes = max(bytes, 4*SquareBytes(n))
		}
	}
	return leaves, bytes
}

// EachCategorySum implements form.Lister.
func (r *Reader) EachCategorySum(a form.Area, of cells.Categories, f func(category []byte, e form.Estimate)) {
	r.begin()
	r.eachCategory(func(category []byte, sections []section) {
		sum := Sum{}
		for i := range sections {
			if s := &sections[i]; of.Has(category) {
				sum.Add(AreaSum(r.sheets[s.from:s.to], &RegionArea{a, r.Head.Bounds, s.X, s.Y, true}, r.packet))
			}
		}
		if sum.High > 0 {
			f(category, r.estimateOf(sum))
		}
	})
}

// EachCategory implements form.Lister.
func (r *Reader) EachCategory(f func(category []byte, cells, total uint64)) {
	r.eachCategory(func(category []byte, sections []section) {
		total := uint64(0)
		for i := range r.sheets[sections[0].from:sections[len(sections)-1].to] {
			total = saturate.Add(total, r.sheets[sections[0].from+i].Total())
		}
		f(category, 0, total)
	})
}

// eachCategory calls f with the sections of each category.
func (r *Reader) eachCategory(f func(category []byte, sections []section)) {
	for from, to := 0, 0; from < len(r.sections); from = to {
		category := r.sections[from].Category
		for to = from; to < len(r.sections) && bytes.Equal(r.sections[to].Category, category); to++ {
		}
		f(category, r.sections[from:to])
	}
}

// Sections implements form.Lister.
func (r *Reader) Sections() int { return len(r.sections) }
