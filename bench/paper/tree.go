package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// mapped is a structure that has counted the points of a map.
type mapped interface {
	// count is never below the points of a cell.
	count(c grid.Cell) uint64
	// box has an upper bound of the points in a box, and an estimate.
	box(r grid.Rect) (high, estimate float64, err error)
	// polygon estimates the points of the cells whose centres are inside.
	polygon(p orb.MultiPolygon) (float64, error)
	// picture is the density of a box.
	picture(dst []float64, b orb.Bound, width, height int) error
}

// sketchMap is a sketch, whatever its form.
type sketchMap struct{ *ccbf.View }

func (m sketchMap) count(c grid.Cell) uint64 { return m.Count(c, nil) }

func (m sketchMap) box(r grid.Rect) (float64, float64, error) {
	sum, err := m.BoxSum(r, nil)
	if err != nil {
		return 0, 0, err
	}
	e, err := m.BoxEstimate(r, nil)
	return float64(sum), e.Value, err
}

func (m sketchMap) polygon(p orb.MultiPolygon) (float64, error) {
	e, err := m.PolygonEstimate(p, nil)
	return e.Value, err
}

func (m sketchMap) picture(dst []float64, b orb.Bound, width, height int) error {
	return m.Density(dst, b, width, height, nil)
}

// coarseMap is exact counts of larger cells, so many as wide and as high.
type coarseMap struct {
	sketchMap
	factor int64
}

func (m coarseMap) up(c grid.Cell) grid.Cell {
	down := func(a int64) int64 { return (a - ((a%m.factor)+m.factor)%m.factor) / m.factor }
	return grid.Cell{X: down(c.X), Y: down(c.Y)}
}

func (m coarseMap) count(c grid.Cell) uint64 { return m.Count(m.up(c), nil) }

// part is a stretch of large cells, and what share of each lies inside.
type part struct {
	from, to int64
	share    float64
}

// parts are those of the cells from first to last: the large cells at both ends
// may be cut.
func (m coarseMap) parts(first, last int64) []part {
	from, to := m.up(grid.Cell{X: first}).X, m.up(grid.Cell{X: last}).X
	width := float64(m.factor)
	left, right := float64((from+1)*m.factor-first)/width, float64(last+1-to*m.factor)/width
	if from == to {
		return []part{{from, to, left + right - 1}}
	}
	all := []part{{from, from, left}, {to, to, right}}
	if from+1 < to {
		all = append(all, part{from + 1, to - 1, 1})
	}
	return all
}

func (m coarseMap) box(r grid.Rect) (high, estimate float64, err error) {
	for _, y := range m.parts(r.MinY, r.MaxY) {
		for _, x := range m.parts(r.MinX, r.MaxX) {
			sum, err := m.BoxSum(grid.Rect{MinX: x.from, MinY: y.from, MaxX: x.to, MaxY: y.to}, nil)
			if err != nil {
				return 0, 0, err
			}
			high += float64(sum)
			estimate += float64(sum) * x.share * y.share
		}
	}
	return high, estimate, nil
}

// mapPoints are cells with their counts, and what is asked of them.
type mapPoints struct {
	counted
	exact    sketchMap // the truth
	bytes    uint64    // of the exact form
	boxes    [][]boxAsked
	near     []grid.Cell // without points, up to 4 cells from some
	anywhere []grid.Cell // without points
	polygons []polygonAsked
	windows  []windowAsked
}

type boxAsked struct {
	grid.Rect
	truth float64
}

type polygonAsked struct {
	orb.MultiPolygon
	truth float64
}

type windowAsked struct {
	orb.Bound
	truth []float64
	sum   float64
}

// What is asked for.
const (
	windowPixels = 256 // of a picture, each way
	pixelCells   = 4   // of a pixel, each way
	nearCells    = 4
	leastInside  = 10 // points of a polygon
	starTries    = 10 // to find a polygon with as many, for each
)

// mapSides are those of the boxes.
func mapSides(c report.Config) []int64 {
	return report.Pick(c, []int64{4, 16}, []int64{4, 16, 64, 256, 1024}, []int64{4, 16, 64, 256, 1024})
}

// mapStars is how many polygons are drawn where no outlines are given.
func mapStars(c report.Config) int { return report.Pick(c, 5, 50, 60) }

// newMapPoints draws the questions, and answers them by the exact form. Without
// outlines the polygons are stars.
func newMapPoints(c report.Config, d counted, outlines []orb.MultiPolygon) *mapPoints {
	m := &mapPoints{counted: d}
	blob := sketched(report.Must(ccbf.Params{Res: d.res, Bytes: 64 << 20}.Config()), d.cells, d.counts)
	v := new(ccbf.View)
	report.Check(v.Reset(blob))
	report.Require(v.IsExact(), "%s: %d cells do not fit", d.name, len(d.cells))
	m.exact, m.bytes = sketchMap{v}, uint64(len(blob))
	r := random(seedOf(0), 91)
	for _, side := range mapSides(c) {
		var boxes []boxAsked
		for range report.Pick(c, 20, 500, 2000) {
			b := squareAround(r, d.cells, side)
			boxes = append(boxes, boxAsked{b, float64(report.Must(v.BoxSum(b, nil)))})
		}
		m.boxes = append(m.boxes, boxes)
	}
	n := report.Pick(c, 100, 5000, 20_000)
	m.near = m.without(n, func() grid.Cell {
		at := d.cells[r.IntN(len(d.cells))]
		return grid.Cell{X: at.X + r.Int64N(2*nearCells+1) - nearCells, Y: at.Y + r.Int64N(2*nearCells+1) - nearCells}
	})
	m.anywhere = m.without(n, func() grid.Cell {
		return grid.Cell{X: v.Bounds.MinX + r.Int64N(int64(v.Bounds.Width())), Y: v.Bounds.MinY + r.Int64N(int64(v.Bounds.Height()))}
	})
	if outlines == nil {
		outlines = m.stars(r, mapStars(c))
	}
	for _, p := range outlines {
		if truth := report.Must(v.PolygonSum(p, nil)); truth >= leastInside {
			m.polygons = append(m.polygons, polygonAsked{p, float64(truth)})
		}
	}
	for range report.Pick(c, 1, 2, 2) {
		w := windowAsked{Bound: v.Grid.Bound(squareAround(r, d.cells, windowPixels*pixelCells)), truth: make([]float64, windowPixels*windowPixels)}
		report.Check(v.Density(w.truth, w.Bound, windowPixels, windowPixels, nil))
		for _, n := range w.truth {
			w.sum += n
		}
		m.windows = append(m.windows, w)
	}
	return m
}

// without draws n cells that have no points.
func (m *mapPoints) without(n int, draw func() grid.Cell) []grid.Cell {
	var all []grid.Cell
	for len(all) < n {
		if c := draw(); m.exact.count(c) == 0 {
			all = append(all, c)
		}
	}
	return all
}

// stars are around cells with points, of 10 to 200 cells radius.
func (m *mapPoints) stars(r *rand.Rand, n int) []orb.MultiPolygon {
	var all []orb.MultiPolygon
	for range starTries * n {
		x, y := m.exact.Grid.Center(m.cells[r.IntN(len(m.cells))])
		p := star(r, orb.Point{x, y}, m.res*10*math.Pow(20, r.Float64()))
		if report.Must(m.exact.PolygonSum(p, nil)) >= leastInside {
			if all = append(all, p); len(all) == n {
				break
			}
		}
	}
	return all
}

// Kinds of questions, in the order of mapErrors: then the upper bounds of boxes of
// each side, then the estimates.
const (
	kindWith = iota
	kindNear
	kindAnywhere
	kindPolygon
	kindPicture
	kindBoxes
)

// mapKinds names them.
func mapKinds(sides []int64) []string {
	kinds := []string{"cells with points", "others near them", "others anywhere", "polygons, estimate", "pictures"}
	for _, what := range []string{"bound", "estimate"} {
		for _, side := range sides {
			kinds = append(kinds, fmt.Sprintf("boxes of %d, %s", side, what))
		}
	}
	return kinds
}

// mapWeights are the parts that the kinds have in the mix: a quarter for cells, for
// boxes, for polygons and for pictures, and in each the same for all.
func mapWeights(sides int) []float64 {
	w := []float64{1. / 12, 1. / 12, 1. / 12, 1. / 4, 1. / 4}
	return append(w, slices.Repeat([]float64{1. / 4 / float64(2*sides)}, 2*sides)...)
}

// mapError is a mean, its standard error, and how often it was asked; 0 times where
// the question is refused.
type mapError struct {
	mean, sigma float64
	n           int
}

func mapErrorOf(all []float64) mapError {
	if len(all) == 0 {
		return mapError{}
	}
	e := mapError{mean: report.Mean(all), n: len(all)}
	if len(all) > 1 {
		e.sigma = report.StandardError(all)
	}
	return e
}

// ask asks a structure everything; boxes of a side until they have so many cells
// together, for sums may take a lookup for each.
func (m *mapPoints) ask(of mapped, cells float64) []mapError {
	excess := func(cells []grid.Cell, truth []uint64) mapError {
		all := make([]float64, len(cells))
		for i, c := range cells {
			n, want := of.count(c), uint64(0)
			if truth != nil {
				want = truth[i]
			}
			report.Require(n >= want, "%s, cell %v: %d, the truth is %d", m.name, c, n, want)
			all[i] = float64(n - want)
		}
		return mapErrorOf(all)
	}
	errors := []mapError{kindWith: excess(m.cells, m.counts), kindNear: excess(m.near, nil), kindAnywhere: excess(m.anywhere, nil), kindPicture: {}}
	var polygons []float64
	for _, p := range m.polygons {
		if got, err := of.polygon(p.MultiPolygon); err == nil {
			polygons = append(polygons, math.Abs(got-p.truth)/p.truth)
		}
	}
	errors[kindPolygon] = mapErrorOf(polygons)
	var pictures []float64
	pixels := make([]float64, windowPixels*windowPixels)
	for _, w := range m.windows {
		if of.picture(pixels, w.Bound, windowPixels, windowPixels) != nil {
			continue
		}
		off := 0.0
		for i, n := range pixels {
			off += math.Abs(n - w.truth[i])
		}
		pictures = append(pictures, off/w.sum)
	}
	errors[kindPicture] = mapErrorOf(pictures)
	bounds, estimates := []mapError{}, []mapError{}
	for _, boxes := range m.boxes {
		most := int(min(float64(len(boxes)), max(3, cells/float64(boxes[0].Count()))))
		var high, near []float64
		for _, b := range boxes[:most] {
			h, e, err := of.box(b.Rect)
			if err != nil {
				continue
			}
			report.Require(h >= b.truth, "%s, box %v: %v, the truth is %v", m.name, b.Rect, h, b.truth)
			high, near = append(high, (h-b.truth)/b.truth), append(near, math.Abs(e-b.truth)/b.truth)
		}
		bounds, estimates = append(bounds, mapErrorOf(high)), append(estimates, mapErrorOf(near))
	}
	return slices.Concat(errors, bounds, estimates)
}

// mapStructure is what a map can be in too few bytes.
type mapStructure struct {
	name  string
	cells float64 // most that boxes of a side have together, as sums take a lookup for each
	build func(m *mapPoints, bytes uint64) (of mapped, size int)
}

var mapStructures = []mapStructure{
	{"tree", math.Inf(1), sketchIn(ccbf.Params{Overflow: ccbf.ToTree})},
	{"counters", fewCells, sketchIn(ccbf.Params{Overflow: ccbf.ToCounters})},
	{"counters with 8 levels", fewCells, sketchIn(ccbf.Params{Levels: 8})},
	{"coarser cells", math.Inf(1), coarseIn},
}

// fewCells are enough for a mean of counters: 2,000 boxes of 16 cells a side, 15 of 256,
// 3 of 1,024.
const fewCells = 1e6

// sketchIn builds a sketch in so many bytes.
func sketchIn(p ccbf.Params) func(m *mapPoints, bytes uint64) (mapped, int) {
	return func(m *mapPoints, bytes uint64) (mapped, int) {
		p := p
		p.Res, p.Bytes, p.Seed = m.res, bytes, seedOf(0)
		blob := sketched(report.Must(p.Config()), m.cells, m.counts)
		v := new(ccbf.View)
		report.Check(v.Reset(blob))
		report.Require(!v.IsExact(), "%s: %d bytes are enough for the exact form", m.name, bytes)
		return sketchMap{v}, len(blob)
	}
}

// coarseIn takes the smallest cells that fit: whole multiples of the cells, in steps
// of a quarter from 8 on.
func coarseIn(m *mapPoints, bytes uint64) (mapped, int) {
	for factor := int64(2); ; factor += max(1, factor/4) {
		c := coarseMap{factor: factor}
		config := report.Must(ccbf.Params{Res: m.res * float64(factor), Bytes: 64 << 20}.Config())
		up := make([]grid.Cell, len(m.cells))
		for i, of := range m.cells {
			up[i] = c.up(of)
		}
		if blob := sketched(config, up, m.counts); uint64(len(blob)) <= bytes {
			c.View = new(ccbf.View)
			report.Check(c.Reset(blob))
			return c, len(blob)
		}
	}
}
