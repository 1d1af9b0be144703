package ccbf

import (
	"bytes"
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// treeView is a tree in a BLOB.
type treeView struct{ *View }

func (v treeView) reset(body []byte) error {
	if err := v.tree.reset(body, v.Categories); err != nil {
		return err
	}
	total := v.tree.total()
	if known := v.header.Flags.Has(sketch.TotalKnown); known && total != v.header.Total {
		return sketch.Invalidf("a total of %d, but leaves count %d", v.header.Total, total)
	}
	if (total == 0) != (v.Bounds == cells.NoBounds) && total > 0 {
		return sketch.Invalidf("leaves without bounds")
	}
	return nil
}

// opened is all leaves, held against what the body and the head say.
func (v treeView) opened() (*leafList, error) {
	list, err := v.tree.open()
	if err != nil {
		return nil, err
	}
	if f := v.tree.fit; f.known && (f.cells < uint64(v.tree.leaves()) || f.cells > list.total() || !f.sampled && len(v.tree.sheets) != len(v.tree.sections)) {
		return nil, sketch.Invalidf("%d leaves in %d sheets of %d cells with %d points", v.tree.leaves(), len(v.tree.sheets), f.cells, list.total())
	}
	for i := range list.sections {
		s := &list.sections[i]
		a := treeArea{bounds: v.Bounds, x: s.X, y: s.Y}
		for j, key := range s.Keys {
			if a.rect(key, s.Level(j)).Empty() {
				return nil, sketch.Invalidf("leaf %d of section %d is out of bounds", j+1, i+1)
			}
		}
	}
	return list, nil
}

func (v treeView) open(s *Sketch) (err error) {
	s.tree, err = v.opened()
	return err
}

func (v treeView) addTo(b *Builder, _ uint64) error {
	if err := b.grow(v.memory()); err != nil { // before leaves are read
		return err
	}
	list, err := v.opened()
	if err != nil {
		return err
	}
	if err := b.addTree(list, v.Bounds); err != nil {
		return err
	}
	return b.grow(-v.memory())
}

// memory is for the leaves, and for the sheets that they come from.
func (v treeView) memory() int64 {
	lists := 3 // of one that grows, twice, and what is checked of it
	if len(v.tree.sheets) > len(v.tree.sections) {
		lists = 6 // those of the sheets, their sum, and that in sheets again
	}
	return int64(lists)*squareBytes(v.tree.leaves()) + int64(len(v.tree.sections))*cells.SectionBytes
}

func (v treeView) errorBytes() int64 { return v.memory() }

func (v treeView) count(c grid.Cell, category []byte) uint64 {
	if !v.Bounds.Contains(c) {
		return 0
	}
	return v.tree.count(c, category)
}

func (v treeView) counts(dst []uint64, at []grid.Cell, category []byte) {
	if len(at) < fewQuestions {
		for i, c := range at {
			dst[i] = v.count(c, category)
		}
		return
	}
	v.tree.counts(dst, at, v.Bounds, category)
}

// fewQuestions is up to how many cells are asked for one by one.
const fewQuestions = 8

// ask is what the tree knows of the points in an area.
func (v treeView) ask(a area, of which, shares bool) tree.Sum {
	var sum tree.Sum
	for _, g := range v.tree.aboutAny(of) {
		s := tree.AreaSum(g.sheets, &treeArea{a, v.Bounds, g.x, g.y, shares}, v.tree.packet)
		sum.Low, sum.High = saturate.Add(sum.Low, s.Low), saturate.Add(sum.High, s.High)
		sum.Estimate += s.Estimate
	}
	if !v.additive() {
		sum.Low = 0 // counts are the most that there can be
	}
	return sum
}

func (v treeView) sum(a area, of which) (uint64, error) {
	return v.ask(a, of, false).High, nil
}

func (v treeView) estimate(a area, of which) (Estimate, error) {
	s := v.ask(a, of, true)
	// Shares are rounded.
	value := min(max(s.Estimate, float64(s.Low)), float64(s.High))
	return Estimate{Value: value, Low: s.Low, High: s.High, Certain: s.High < full}, nil
}

// visit calls f with the leaves of all sheets that meet a rectangle, in no particular order, and
// with the cells of each that are in bounds and in the rectangle, at least one.
func (v treeView) visit(clip grid.Rect, category []byte, f func(l tree.Leaf, at grid.Rect)) {
	if clip = clip.Intersect(v.Bounds); clip.Empty() {
		return
	}
	none := uint64(0)
	for _, g := range v.tree.about(category) {
		a := &treeArea{box{cells.Box(clip)}, v.Bounds, g.x, g.y, false}
		for i := range g.sheets {
			g.sheets[i].Visit(a, v.tree.packet, &none, func(l tree.Leaf, _ bool) {
				if at := a.rect(l.Key, l.Level).Intersect(clip); !at.Empty() { // of a damaged tree it can be
					f(l, at)
				}
			})
		}
	}
}

// raster counts a leaf in every pixel that it has cells in, as sums do.
func (v treeView) raster(p *pixels, clip grid.Rect, category []byte) error {
	v.visit(clip, category, func(l tree.Leaf, at grid.Rect) {
		for line := p.lines.part(at.MinY); line <= p.lines.part(at.MaxY); line++ {
			for column := p.columns.part(at.MinX); column <= p.columns.part(at.MaxX); column++ {
				if p.lines.holds(line) && p.columns.holds(column) {
					p.add(column, line, l.Count)
				}
			}
		}
	})
	return nil
}

// density spreads a leaf over its square.
func (v treeView) density(p *picture, category []byte) error {
	res := v.Grid.Res()
	for _, g := range v.tree.about(category) {
		corner := cells.CellOf(g.x, g.y, 0) // the origin of keys
		to := tree.Picture{
			Left: p.box.Min[0]/res - float64(corner.X), Bottom: p.box.Min[1]/res - float64(corner.Y),
			DX: (p.box.Max[0] - p.box.Min[0]) / float64(p.width) / res, DY: (p.box.Max[1] - p.box.Min[1]) / float64(p.height) / res,
			Width: p.width, Height: p.height, Pixels: p.dst,
		}
		for i := range g.sheets {
			to.Add(&g.sheets[i], v.tree.packet)
		}
	}
	return nil
}

func (v treeView) spot(g *treeGroup, l tree.Leaf) Spot {
	return Spot{cells.CellOf(g.x, g.y, l.Key), l.Count, l.Level}
}

func (v treeView) hotspots(r grid.Rect, threshold uint64, category []byte, add func(Spot) bool) error {
	for _, g := range v.tree.about(category) {
		a := &treeArea{box{cells.Box(r)}, v.Bounds, g.x, g.y, false}
		found, _ := tree.Hotspots(g.sheets, a, threshold, v.MaxSpots()+1, v.tree.packet)
		for _, l := range found {
			if !add(v.spot(&g, l)) {
				return nil
			}
		}
	}
	return nil
}

func (v treeView) topK(r grid.Rect, category []byte, t *topCells) error {
	for _, g := range v.tree.about(category) {
		a := &treeArea{box{cells.Box(r)}, v.Bounds, g.x, g.y, false}
		for _, l := range tree.TopK(g.sheets, a, t.k, v.tree.packet) {
			if !t.add(candidate{v.spot(&g, l), l.Count}) {
				return nil
			}
		}
	}
	return nil
}

// error says what was measured when the cells were pruned.
func (v treeView) error() Error {
	var e Error
	list, err := v.tree.open()
	if err != nil || !v.additive() { // what intersect and mask left may not be there at all
		return e
	}
	if e.Certain, e.Most = true, list.most(v.Totals); !v.tree.fit.known {
		return e
	}
	f := v.tree.fit
	if f.cells > 0 {
		e.Occupied.Excess = float64(f.excess) / float64(f.cells)
	}
	// All cells in bounds, once for each section: those that a leaf holds, and by how
	// much all their counts are too high together.
	all, held, excess := 0.0, 0.0, 0.0
	for i := range list.sections {
		s := &list.sections[i]
		a := treeArea{bounds: v.Bounds, x: s.X, y: s.Y}
		for j, key := range s.Keys {
			n := cellsOf(a.rect(key, s.Level(j)))
			held += n
			excess += float64(s.Counts[j]) * (n - 1)
		}
		if i == 0 || s.Category != list.sections[i-1].Category {
			all += cellsOf(v.Bounds)
		}
	}
	if none := all - float64(f.cells); none > 0 {
		e.Empty.Probability = max(0, held-float64(f.cells)) / none
		e.Empty.Excess = max(0, excess-float64(f.excess)) / none
	}
	e.Measured = true
	return e
}

func (v treeView) unbiased() bool { return false }

func (v treeView) info(i *Info) {
	i.Tau, i.Leaves = v.tree.tau.Value(), uint64(v.tree.leaves())
	if f := v.tree.fit; f.known && !f.sampled {
		i.Cells, i.CellsKnown = f.cells, true
	}
	for j := range v.tree.sections {
		if s := &v.tree.sections[j]; s.Category != nil && (j == 0 || !bytes.Equal(v.tree.sections[j-1].Category, s.Category)) {
			i.Categories++
		}
	}
}

func (v treeView) describe() string {
	n := v.tree.leaves()
	noun := "leaves"
	if n == 1 {
		noun = "leaf"
	}
	return fmt.Sprintf("tree, %s %s", sketch.Number(uint64(n)), noun) +
		sketch.Added(v.header.Total, v.header.Flags.Has(sketch.TotalKnown))
}
