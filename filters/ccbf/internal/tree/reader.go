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

// Memory is that of form.Reader: for the leaves, and for the sheets that they come from.
func (r *Reader) Memory() int64 {
	lists := 3 // of one that grows, twice, and what is checked of it
	if len(r.sheets) > len(r.sections) {
		lists = 6 // those of the sheets, their sum, and that in sheets again
	}
	return int64(lists)*SquareBytes(r.Leaves()) + int64(len(r.sections))*cells.SectionBytes
}

// ErrorBytes is that of form.ErrorCoster.
func (r *Reader) ErrorBytes() int64 { return r.Memory() }

// Count is that of form.Reader.
func (r *Reader) Count(c grid.Cell, category []byte) uint64 {
	var n [1]uint64
	r.Counts(n[:], []grid.Cell{c}, cells.Of(category))
	return n[0]
}

// ask is what the tree knows of the points in an area.
func (r *Reader) ask(a form.Area, of cells.Categories, shares bool) Sum {
	var sum Sum
	for _, g := range r.about(of) {
		sum.Add(AreaSum(g.sheets, &RegionArea{a, r.Head.Bounds, g.x, g.y, shares}, r.packet))
	}
	return sum
}

// Sum is that of form.Reader.
func (r *Reader) Sum(a form.Area, of cells.Categories) (uint64, error) {
	return r.ask(a, of, false).High, nil
}

// Estimate is that of form.Reader.
func (r *Reader) Estimate(a form.Area, of cells.Categories) (form.Estimate, error) {
	return r.estimateOf(r.ask(a, of, true)), nil
}

// estimateOf is the estimate of a sum.
func (r *Reader) estimateOf(s Sum) form.Estimate {
	if !r.Head.Sums {
		s.Low = 0 // counts are the most that there can be
	}
	// Shares are rounded.
	value := min(max(s.Estimate, float64(s.Low)), float64(s.High))
	return form.Estimate{Value: value, Low: s.Low, High: s.High, Certain: s.High < ^uint64(0)}
}

// visit calls f with the leaves of all sheets that meet a rectangle, in no particular order, and
// with the cells of each that are in bounds and in the rectangle, at least one.
func (r *Reader) visit(clip grid.Rect, of cells.Categories, f func(l Leaf, at grid.Rect)) {
	if clip = clip.Intersect(r.Head.Bounds); clip.Empty() {
		return
	}
	none := uint64(0)
	for _, g := range r.about(of) {
		a := &RegionArea{form.Box{Box: cells.Box(clip)}, r.Head.Bounds, g.x, g.y, false}
		for i := range g.sheets {
			g.sheets[i].Visit(a, r.packet, &none, func(l Leaf, _ bool) {
				if at := a.Rect(l.Key, l.Level).Intersect(clip); !at.Empty() { // of a damaged tree it can be
					f(l, at)
				}
			})
		}
	}
}

// Raster counts a leaf in every pixel that it has cells in, as sums do.
func (r *Reader) Raster(p *form.Pixels, clip grid.Rect, of cells.Categories) error {
	r.visit(clip, of, func(l Leaf, at grid.Rect) {
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

func (r *Reader) spot(g *group, l Leaf) form.Spot {
	return form.Spot{Cell: cells.CellOf(g.x, g.y, l.Key), Count: l.Count, Level: l.Level}
}

// Hotspots is that of form.Reader.
func (r *Reader) Hotspots(in form.Area, threshold uint64, of cells.Categories, add func(form.Spot) bool) error {
	for _, g := range r.about(of) {
		least := threshold
		r.spots(&g, in, &least, func(s form.Spot) {
			if s.Count >= threshold && least == threshold && !add(s) {
				least = ^uint64(0) // of the packets that are left
			}
		})
	}
	return nil
}

// TopK is that of form.Reader.
func (r *Reader) TopK(in form.Area, of cells.Categories, t *form.Top) error {
	for _, g := range r.about(of) {
		least := uint64(0)
		r.spots(&g, in, &least, func(s form.Spot) {
			if t.Add(form.Candidate{Spot: s, Least: s.Count}) && len(t.Cells) == t.K {
				least = t.Cells[0].Least
			}
		})
	}
	return nil
}

// spots calls f for the leaves of a region that meet an area, as visit does. The count of each is that
// of its cells that are in no smaller one.
func (r *Reader) spots(g *group, in form.Area, least *uint64, f func(form.Spot)) {
	a := &RegionArea{in, r.Head.Bounds, g.x, g.y, false}
	visit(g.sheets, a, r.packet, least, func(l Leaf, around uint64) {
		l.Count = saturate.Add(l.Count, around)
		f(r.spot(g, l))
	})
}

// Error says what was measured when the cells were pruned.
func (r *Reader) Error() form.Error {
	var e form.Error
	list, err := r.list()
	if err != nil || !r.Head.Sums { // what intersect and mask left may not be there at all
		return e
	}
	if e.Certain, e.Most = true, list.Most(r.Head.Categories); !r.fit.Known {
		return e
	}
	f := r.fit
	if f.Cells > 0 {
		e.Occupied.Excess = float64(f.Excess) / float64(f.Cells)
	}
	// All cells in bounds, once for each section: those that a leaf holds, and by how
	// much all their counts are too high together.
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

// Unbiased is that of form.Reader.
func (r *Reader) Unbiased() bool { return false }

// Describe is that of form.Reader.
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

// String is that of form.Reader.
func (r *Reader) String() string {
	n := r.Leaves()
	noun := "leaves"
	if n == 1 {
		noun = "leaf"
	}
	return fmt.Sprintf("tree, %s %s", sketch.Number(uint64(n)), noun) +
		sketch.Added(r.Head.Total, r.Head.TotalKnown)
}

// EachCell is that of form.Lister.
func (r *Reader) EachCell(in form.Area, of cells.Categories, stop *bool, f func(form.Spot)) {
	for _, g := range r.about(of) {
		a, least := &RegionArea{in, r.Head.Bounds, g.x, g.y, false}, uint64(0)
		visit(g.sheets, a, r.packet, &least, func(l Leaf, _ uint64) {
			if *stop {
				least = ^uint64(0) // of the packets that are left
				return
			}
			f(r.spot(&g, l))
		})
	}
}

// Listed is that of form.Lister.
func (r *Reader) Listed(_ bool, of cells.Categories) (leaves int, bytes int64) {
	for _, g := range r.about(of) {
		n := 0
		for i := range g.sheets {
			n += int(g.sheets[i].Leaves())
		}
		if leaves += n; len(g.sheets) > 1 {
			bytes = max(bytes, 4*SquareBytes(n)) // lists that grow, and their sum
		}
	}
	return leaves, bytes
}

// EachCategorySum is that of form.Lister.
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

// EachCategory is that of form.Lister.
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

// Sections is that of form.Lister.
func (r *Reader) Sections() int { return len(r.sections) }
