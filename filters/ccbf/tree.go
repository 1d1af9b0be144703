package ccbf

import (
	"bytes"
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// treeView is a tree in a BLOB.
type treeView struct{ *View }

func (v treeView) reset(body []byte) error {
	if err := v.tree.reset(body, v.Categories); err != nil {
		return err
	}
	v.tree.fit.suppression = v.hidden
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
	if err := v.hidden.check(list); err != nil {
		return nil, err
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

func (v treeView) count(c grid.Cell, category []byte) uint64 { return v.sumAt(c, Of(category)) }

// sumAt is count for categories.
func (v treeView) sumAt(c grid.Cell, of Categories) uint64 {
	if !v.Bounds.Contains(c) {
		return 0
	}
	return v.tree.count(c, of)
}

func (v treeView) counts(dst []uint64, at []grid.Cell, of Categories) {
	if len(at) < fewQuestions {
		for i, c := range at {
			dst[i] = v.sumAt(c, of)
		}
		return
	}
	v.tree.counts(dst, at, v.Bounds, of)
}

// fewQuestions is up to how many cells are asked for one by one.
const fewQuestions = 8

// ask is what the tree knows of the points in an area.
func (v treeView) ask(a area, of Categories, shares bool) tree.Sum {
	var sum tree.Sum
	for _, g := range v.tree.about(of) {
		sum.Add(tree.AreaSum(g.sheets, &treeArea{a, v.Bounds, g.x, g.y, shares}, v.tree.packet))
	}
	return sum
}

func (v treeView) sum(a area, of Categories) (uint64, error) {
	return v.ask(a, of, false).High, nil
}

func (v treeView) estimate(a area, of Categories) (Estimate, error) {
	return v.estimateOf(v.ask(a, of, true)), nil
}

// estimateOf is the estimate of a sum.
func (v treeView) estimateOf(s tree.Sum) Estimate {
	if !v.additive() {
		s.Low = 0 // counts are the most that there can be
	}
	// Shares are rounded.
	value := min(max(s.Estimate, float64(s.Low)), float64(s.High))
	return Estimate{Value: value, Low: s.Low, High: s.High, Certain: s.High < full}
}

// visit calls f with the leaves of all sheets that meet a rectangle, in no particular order, and
// with the cells of each that are in bounds and in the rectangle, at least one.
func (v treeView) visit(clip grid.Rect, of Categories, f func(l tree.Leaf, at grid.Rect)) {
	if clip = clip.Intersect(v.Bounds); clip.Empty() {
		return
	}
	none := uint64(0)
	for _, g := range v.tree.about(of) {
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
func (v treeView) raster(p *pixels, clip grid.Rect, of Categories) error {
	v.visit(clip, of, func(l tree.Leaf, at grid.Rect) {
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
func (v treeView) density(p *picture, of Categories) error {
	res := v.Grid.Res()
	for _, g := range v.tree.about(of) {
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

func (v treeView) hotspots(in area, threshold uint64, of Categories, add func(Spot) bool) error {
	for _, g := range v.tree.about(of) {
		a := &treeArea{in, v.Bounds, g.x, g.y, false}
		found, _ := tree.Hotspots(g.sheets, a, threshold, v.MaxSpots()+1, v.tree.packet)
		for _, l := range found {
			if !add(v.spot(&g, l)) {
				return nil
			}
		}
	}
	return nil
}

func (v treeView) topK(in area, of Categories, t *topCells) error {
	for _, g := range v.tree.about(of) {
		a := &treeArea{in, v.Bounds, g.x, g.y, false}
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
	if e.Certain, e.Most = true, list.most(v.Categories); !v.tree.fit.known {
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
	i.AtLeast, i.Suppressed = v.hidden.least, v.hidden.dropped
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

// treeBody is the body of a tree, in place.
type treeBody struct {
	tau      tree.Tau
	fit      accuracy
	sections []treeSection
	tables   *tree.Tables
	sheets   []tree.Sheet // of all sections
	packet   *tree.Packet // for the leaves that a question reads
	groups   []treeGroup  // what the last question is about
	batch    batch
	asked    int   // questions
	room     int64 // for leaves that are kept
}

// keepLeaves is how much memory is taken to keep the leaves of a tree that is asked
// more than once, as many are asked only one question.
const keepLeaves = 16 << 20

// begin notes a question.
func (t *treeBody) begin() {
	if t.asked++; t.asked == 2 {
		t.room = keepLeaves
		for i := range t.sheets {
			t.sheets[i].Keep(&t.room)
		}
	}
}

// treeSection is one section of a body.
type treeSection struct {
	cells.LabelView
	from, to int // its sheets
}

// treeGroup is the sheets of one region.
type treeGroup struct {
	x, y   int32
	sheets []tree.Sheet
}

// reset makes t a view of a body. It reads lengths and the indexes of blocks, not the
// leaves.
func (t *treeBody) reset(body []byte, categories bool) error {
	r := sketch.NewReader("the tree", body)
	tau := r.Uvarint()
	t.fit = accuracy{}
	switch n := r.Uvarint(); n {
	case 0:
	case 1:
		t.fit = accuracy{known: true, sampled: true, cells: r.Uvarint(), excess: r.Uvarint()}
	default:
		t.fit = accuracy{known: true, cells: n - 1, excess: r.Uvarint()}
	}
	sections := r.Uvarint()
	if err := r.Err(); err != nil {
		return err
	}
	if tau >= tree.Taus {
		return sketch.Invalidf("threshold %d, the last is %d", tau, tree.Taus-1)
	}
	if sections > uint64(r.Len())/4 {
		return sketch.Invalidf("%d sections in %d bytes", sections, len(body))
	}
	t.tau, t.sections, t.asked = tree.Tau(tau), t.sections[:0], 0
	all := 0
	for i := range sections {
		label, err := cells.ReadLabel(r, categories)
		if err != nil {
			return err
		}
		n := r.Uvarint()
		if err := r.Err(); err != nil {
			return err
		}
		if n == 0 || n > tree.MaxLevel+1 {
			return sketch.Invalidf("section %d of %d with %d sheets, must be from 1 to %d", i+1, sections, n, tree.MaxLevel+1)
		}
		if i > 0 && t.sections[i-1].Compare(&label) >= 0 {
			return sketch.Invalidf("sections %d and %d are not in order", i, i+1)
		}
		t.sections = append(t.sections, treeSection{label, all, all + int(n)})
		all += int(n)
	}
	var err error
	if t.tables, err = tree.ReadCode(r); err != nil {
		return err
	}
	if all > cap(t.sheets) {
		t.sheets = make([]tree.Sheet, all)
	}
	t.sheets = t.sheets[:all]
	for i := range t.sheets {
		if err := t.sheets[i].Read(t.tables, r); err != nil {
			return err
		}
		if t.sheets[i].Leaves() == 0 {
			return sketch.Invalidf("an empty sheet")
		}
	}
	if t.packet == nil {
		t.packet = new(tree.Packet)
	}
	return r.Done()
}

// total is the sum of all counts.
func (t *treeBody) total() uint64 {
	n := uint64(0)
	for i := range t.sheets {
		n = saturate.Add(n, t.sheets[i].Total())
	}
	return n
}

// leaves is how many there are.
func (t *treeBody) leaves() int {
	n := uint64(0)
	for i := range t.sheets {
		n += t.sheets[i].Leaves()
	}
	return int(n)
}

// count is what a cell counts.
func (t *treeBody) count(c grid.Cell, of Categories) uint64 {
	t.begin()
	x, y, z := cells.Key(c)
	n := uint64(0)
	for i := range t.sections {
		if s := &t.sections[i]; s.X == x && s.Y == y && of.Has(s.Category) {
			n = saturate.Add(n, tree.Cell(t.sheets[s.from:s.to], z, t.packet).High)
		}
	}
	return n
}

// batch is the memory of questions for many cells.
type batch struct {
	keys, at []uint64 // in Z-order, and which question each is of
	found    []tree.Leaf
	sort     radix.Scratch
}

// counts is count for many cells: a block is read once for all that it holds of them.
func (t *treeBody) counts(dst []uint64, at []grid.Cell, bounds grid.Rect, of Categories) {
	clear(dst)
	b := &t.batch
	for _, g := range t.about(of) {
		b.keys, b.at = b.keys[:0], b.at[:0]
		for i, c := range at {
			if !bounds.Contains(c) {
				continue
			}
			if x, y, z := cells.Key(c); x == g.x && y == g.y {
				b.keys, b.at = append(b.keys, z), append(b.at, uint64(i))
			}
		}
		b.sort.SortPairs(b.keys, b.at)
		if cap(b.found) < len(b.keys) {
			b.found = make([]tree.Leaf, len(at))
		}
		found := b.found[:len(b.keys)]
		for i := range g.sheets {
			g.sheets[i].FindAll(b.keys, found, t.packet)
			for j, l := range found {
				dst[b.at[j]] = saturate.Add(dst[b.at[j]], l.Count)
			}
		}
	}
}

// about are the sheets that a question is about, by region.
func (t *treeBody) about(of Categories) []treeGroup {
	t.begin()
	t.groups = t.groups[:0]
	if of.All() && len(t.sections) > 0 && t.sections[0].Category == nil || len(t.sections) == 1 {
		for i := range t.sections { // ordered by region
			if s := &t.sections[i]; of.Has(s.Category) {
				t.groups = append(t.groups, treeGroup{s.X, s.Y, t.sheets[s.from:s.to]})
			}
		}
		return t.groups
	}
	regions := map[[2]int32]int{}
	for i := range t.sections {
		s := &t.sections[i]
		if !of.Has(s.Category) {
			continue
		}
		at, ok := regions[[2]int32{s.X, s.Y}]
		if !ok {
			at = len(t.groups)
			regions[[2]int32{s.X, s.Y}] = at
			t.groups = append(t.groups, treeGroup{x: s.X, y: s.Y})
		}
		t.groups[at].sheets = append(t.groups[at].sheets, t.sheets[s.from:s.to]...)
	}
	return t.groups
}

// open reads all leaves, and holds them against what the body says: it is the only
// one that they have.
func (t *treeBody) open() (*leafList, error) {
	parts := make([][]tree.Sheet, len(t.sections))
	for i, s := range t.sections {
		parts[i] = t.sheets[s.from:s.to]
	}
	squares, err := tree.Check(t.tables, parts, uint64(t.leaves()))
	if err != nil {
		return nil, err
	}
	list := &leafList{tau: t.tau, fit: t.fit, sections: make([]leafSection, len(t.sections))}
	for i := range t.sections {
		list.sections[i] = leafSection{t.sections[i].Label(), squares[i]}
	}
	return list, nil
}

// treeArea asks an area about squares of a region, as far as they are within bounds:
// no point is outside.
type treeArea struct {
	area   cells.Area
	bounds grid.Rect
	x, y   int32
	shares bool // Share is asked for
}

// rect is the cells of a square that can have points.
func (a *treeArea) rect(key uint64, level uint8) grid.Rect {
	from := cells.CellOf(a.x, a.y, key)
	side := int64(1) << level
	return grid.Rect{MinX: from.X, MinY: from.Y, MaxX: from.X + side - 1, MaxY: from.Y + side - 1}.Intersect(a.bounds)
}

// Enter is that of tree.Area.
func (a *treeArea) Enter(key uint64, level uint8) grid.Relation {
	r := a.rect(key, level)
	if r.Empty() {
		return grid.Outside
	}
	return a.area.Enter(r)
}

// Leave is that of tree.Area.
func (a *treeArea) Leave() { a.area.Leave() }

// fewShares is up to how many cells of a square are asked for one by one, and
// shareSteps how many times larger ones are quartered.
const (
	fewShares  = 64
	shareSteps = 2
)

// Share is that of tree.Area: of boxes and of small squares right, of others that of
// the centres of its parts.
func (a *treeArea) Share(key uint64, level uint8) float64 {
	r := a.rect(key, level)
	if !a.shares || r.Empty() {
		return 0
	}
	if b, ok := a.area.(box); ok {
		return cellsOf(r.Intersect(grid.Rect(b.Box))) / cellsOf(r)
	}
	return a.inside(r, shareSteps) / cellsOf(r)
}

// cellsOf is how many cells a rectangle has.
func cellsOf(r grid.Rect) float64 {
	if r.Empty() {
		return 0
	}
	return float64(r.Width()) * float64(r.Height())
}

// inside is about how many cells of the rectangle entered last are in the area.
func (a *treeArea) inside(r grid.Rect, steps int) float64 {
	if r.Width() <= fewShares && r.Height() <= fewShares && r.Count() <= fewShares {
		n := 0.0
		for y := r.MinY; y <= r.MaxY; y++ {
			for x := r.MinX; x <= r.MaxX; x++ {
				if a.area.Contains(grid.Cell{X: x, Y: y}) {
					n++
				}
			}
		}
		return n
	}
	midX, midY := r.MinX+(r.MaxX-r.MinX)/2, r.MinY+(r.MaxY-r.MinY)/2
	if steps == 0 {
		if a.area.Contains(grid.Cell{X: midX, Y: midY}) {
			return cellsOf(r)
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
		switch a.area.Enter(q) {
		case grid.Inside:
			n += cellsOf(q)
		case grid.Partly:
			n += a.inside(q, steps-1)
			a.area.Leave()
		}
	}
	return n
}
