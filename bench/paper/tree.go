package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
	"gonum.org/v1/gonum/floats"
)

// mapSketch has counts of points on a map in cells that are factor by factor cells of the points.
type mapSketch struct {
	*ccbf.View
	blob   []byte
	factor int64
	points grid.Grid
}

// mapOf returns a BLOB of the points' own cells for queries.
func mapOf(blob []byte) mapSketch { return mapSketch{View: viewOf(blob), blob: blob, factor: 1} }

// box returns an upper bound and an estimate of the number of points in a box. The estimate counts
// each large cell by the fraction of it that is inside.
func (m mapSketch) box(r grid.Rect) (high, estimate float64, err error) {
	sum, err := m.Sum(ccbf.Box(r.Coarser(m.factor)), ccbf.Categories{})
	if err != nil {
		return 0, 0, err
	}
	if m.factor > 1 {
		whole := []float64{0}
		err = m.Density(whole, m.points.Bound(r), 1, 1, ccbf.Categories{})
		return float64(sum), whole[0], err
	}
	e, err := m.Estimate(ccbf.Box(r), ccbf.Categories{})
	return float64(sum), e.Value, err
}

// mapPoints has points and the queries of a structure that has counted them.
type mapPoints struct {
	points
	view  *ccbf.View // exact sketch of the points, which has the true answers
	bytes uint64     // bytes of the exact sketch
	// asking has the queries. Each asks the structure of, and calls note with the kind of the query and
	// the error of the answer. cells limits the number of queried cells: see mapStructure.
	asking []func(of mapSketch, cells float64, note func(kind string, off float64))
}

// Parameters of the queries.
const (
	windowPixels = 256 // Pixels along a picture's side.
	pixelCells   = 4   // Cells along a pixel's side.
	nearCells    = 4   // Largest distance, along an axis, of a queried empty cell from a cell with points.
	leastInside  = 10  // Least number of points in a polygon.
	starTries    = 10  // Attempts for each polygon to find one with leastInside points.
)

// mapSize has the sides of the queried boxes, and the numbers of queries: boxes per side, others
// (cells without points) and windows (pictures). stars is the number of polygons if there are no
// outlines.
type mapSize struct {
	sides                         []int64
	boxes, stars, others, windows int
}

func mapSizeOf(c report.Scale) mapSize {
	sides := []int64{4, 16, 64, 256, 1024}
	return report.Pick(c, mapSize{sides[:2], 20, 5, 100, 1}, mapSize{sides, 500, 50, 5000, 2}, mapSize{sides, 2000, 60, 20_000, 2})
}

// newMapPoints draws the queries and computes their exact results. Without outlines the polygons
// are stars.
func newMapPoints(c report.Scale, p points, outlines []orb.MultiPolygon) *mapPoints {
	v, size := p.exact()
	most := mapSizeOf(c)
	m := &mapPoints{points: p, view: v, bytes: uint64(size)}
	r := random(seedOf(0), 91)
	m.askCells(ofCells, p.places)
	for _, side := range most.sides {
		m.askBoxes(side, r, most.boxes)
	}
	m.askCells(ofNear, m.without(most.others, func() grid.Cell {
		at := p.places[r.IntN(len(p.places))]
		return grid.Cell{X: at.X + r.Int64N(2*nearCells+1) - nearCells, Y: at.Y + r.Int64N(2*nearCells+1) - nearCells}
	}))
	m.askCells(ofOthers, m.without(most.others, func() grid.Cell {
		return grid.Cell{X: v.Bounds.MinX + r.Int64N(int64(v.Bounds.Width())), Y: v.Bounds.MinY + r.Int64N(int64(v.Bounds.Height()))}
	}))
	if outlines == nil {
		outlines = m.stars(r, most.stars)
	}
	for _, p := range outlines {
		if truth := float64(report.Must(v.Sum(ccbf.NewPolygon(p).Area(), ccbf.Categories{}))); truth >= leastInside {
			m.asking = append(m.asking, func(of mapSketch, _ float64, note func(kind string, off float64)) {
				if got, err := of.Estimate(ccbf.NewPolygon(p).Area(), ccbf.Categories{}); err == nil {
					note(ofPolygon, math.Abs(got.Value-truth)/truth)
				}
			})
		}
	}
	for range most.windows {
		m.askWindow(v.Grid.Bound(p.squareAround(r, windowPixels*pixelCells)))
	}
	return m
}

// ask runs every query and returns the errors by kind of query. Boxes cover at most cells cells in all,
// but at least three boxes of each side run.
func (m *mapPoints) ask(of mapSketch, cells float64) map[string][]float64 {
	errors := map[string][]float64{}
	for _, ask := range m.asking {
		ask(of, cells, func(kind string, off float64) { errors[kind] = append(errors[kind], off) })
	}
	return errors
}

// askCells adds queries for the counts of cells.
func (m *mapPoints) askCells(kind string, places []place) {
	m.asking = append(m.asking, func(of mapSketch, _ float64, note func(kind string, off float64)) {
		for _, p := range places {
			n := of.Count(p.Cell.Coarser(of.factor), nil)
			report.Require(n >= p.points, "%s, cell %v: %d, the truth is %d", m.name, p.Cell, n, p.points)
			note(kind, float64(n-p.points))
		}
	})
}

// askBoxes adds queries for the upper bounds and the estimates of n boxes.
func (m *mapPoints) askBoxes(side int64, r *rand.Rand, n int) {
	boxes, truths := make([]grid.Rect, n), make([]float64, n)
	for i := range boxes {
		boxes[i] = m.squareAround(r, side)
		truths[i] = float64(report.Must(m.view.Sum(ccbf.Box(boxes[i]), ccbf.Categories{})))
	}
	m.asking = append(m.asking, func(of mapSketch, cells float64, note func(kind string, off float64)) {
		for i, b := range boxes[:int(min(float64(n), max(3, cells/float64(side*side))))] {
			if high, e, err := of.box(b); err == nil {
				report.Require(high >= truths[i], "%s, box %v: %v, the truth is %v", m.name, b, high, truths[i])
				note(boundOf(side), (high-truths[i])/truths[i])
				note(estimateOf(side), math.Abs(e-truths[i])/truths[i])
			}
		}
	})
}

// askWindow adds a query for the picture of a box.
func (m *mapPoints) askWindow(b orb.Bound) {
	picture := func(v *ccbf.View) ([]float64, error) {
		pixels := make([]float64, windowPixels*windowPixels)
		return pixels, v.Density(pixels, b, windowPixels, windowPixels, ccbf.Categories{})
	}
	truth := report.Must(picture(m.view))
	m.asking = append(m.asking, func(of mapSketch, _ float64, note func(kind string, off float64)) {
		if pixels, err := picture(of.View); err == nil {
			floats.Sub(pixels, truth)
			note(ofPicture, floats.Norm(pixels, 1)/floats.Sum(truth))
		}
	})
}

// without calls draw until it has returned n cells without points, and returns these.
func (m *mapPoints) without(n int, draw func() grid.Cell) []place {
	var all []place
	for len(all) < n {
		if c := draw(); m.view.Count(c, nil) == 0 {
			all = append(all, place{Cell: c})
		}
	}
	return all
}

// stars returns stars around cells with points, with radiuses of 10 to 200 cells.
func (m *mapPoints) stars(r *rand.Rand, n int) []orb.MultiPolygon {
	var all []orb.MultiPolygon
	for try := 0; try < starTries*n && len(all) < n; try++ {
		x, y := m.view.Grid.Center(m.places[r.IntN(len(m.places))].Cell)
		p := star(r, orb.Point{x, y}, m.res*10*math.Pow(20, r.Float64()))
		if report.Must(m.view.Sum(ccbf.NewPolygon(p).Area(), ccbf.Categories{})) >= leastInside {
			all = append(all, p)
		}
	}
	return all
}

// Kinds of queries, beside the upper bounds and estimates of boxes.
const (
	ofCells   = "cells with points"
	ofNear    = "others near them"
	ofOthers  = "others anywhere"
	ofPolygon = "polygons, estimate"
	ofPicture = "pictures"
)

func boundOf(side int64) string    { return fmt.Sprintf("boxes of %d, bound", side) }
func estimateOf(side int64) string { return fmt.Sprintf("boxes of %d, estimate", side) }

// mapStructures are the structures for a map that does not fit as exact counts. cells is the largest
// number of cells in all boxes of one side together: counters look up each cell, so they get fewer boxes.
var mapStructures = []struct {
	name  string
	cells float64
	build func(p points, bytes uint64) mapSketch
}{
	{"tree", math.Inf(1), sketchIn(ccbf.Params{Overflow: ccbf.ToTree})},
	{"counters", fewCells, sketchIn(ccbf.Params{Overflow: ccbf.ToCounters})},
	{"counters with 8 levels", fewCells, sketchIn(ccbf.Params{Levels: 8})},
	{"coarser cells", math.Inf(1), coarseIn},
}

// leastBytes is the smallest size of a sketch with counters. Any layers fit.
const leastBytes = 512

// fewCells is enough for a mean with counters: all 2,000 boxes of 16 cells a side, 15 of 256, or 3
// of 1,024.
const fewCells = 1e6

// sketchIn returns a function that builds a sketch in a number of bytes, which are not enough for the
// exact form.
func sketchIn(of ccbf.Params) func(p points, bytes uint64) mapSketch {
	return func(p points, bytes uint64) mapSketch {
		of := of
		of.Bytes, of.Seed = bytes, seedOf(0)
		m := mapOf(p.sketched(of))
		report.Require(!m.IsExact(), "%s: %d bytes are enough for the exact form", p.name, bytes)
		return m
	}
}

// coarseIn returns the exact sketch of larger cells that fits into bytes. It tries whole multiples
// of the cells: 2, 3 and so on, in steps of a quarter from 8 on.
func coarseIn(p points, bytes uint64) mapSketch {
	m := mapSketch{points: report.Must(grid.New(p.res))}
	for m.factor = 2; ; m.factor += max(1, m.factor/4) {
		larger := points{res: p.res * float64(m.factor), places: slices.Clone(p.places)}
		for i, at := range p.places {
			larger.places[i].Cell = at.Cell.Coarser(m.factor)
		}
		if blob := larger.sketched(ccbf.Params{Bytes: exactBytes}); uint64(len(blob)) <= bytes {
			m.View, m.blob = viewOf(blob), blob
			return m
		}
	}
}

// mapFloor is added to errors before they are compared as ratios, so that errors near 0 count as
// equal. It is a hundredth of the truth, or of a point.
const mapFloor = 0.01

// mapSources returns the points of the data sets, at resolutions in degrees.
func mapSources(c report.Scale) []*mapPoints {
	countries := outlines("SELECT unnest(features).geometry::VARCHAR FROM read_json(" + duck.File("ne_110m_countries.geojson") +
		", columns = {features: 'STRUCT(geometry JSON)[]'})")
	type source struct {
		res      float64
		read     func(res float64) points
		outlines []orb.MultiPolygon
	}
	sources := report.Pick(c, []source{{0.1, uk.degrees, nil}},
		[]source{{0.01, uk.degrees, nil}, {0.001, taxis.degrees, nil}},
		[]source{
			{0.001, uk.degrees, nil}, {0.01, cities.degrees, nil}, {0.001, taxis.degrees, nil}, {0.01, uk.degrees, nil},
			{0.1, cities.degrees, countries}, {0.0001, taxis.degrees, nil}, {1, covidDegrees, countries},
		})
	return report.Parallel(len(sources), func(i int) *mapPoints {
		of := sources[i]
		return newMapPoints(c, of.read(of.res), of.outlines)
	})
}

// recordMaps measures every data set in fractions of its exact bytes, if a sketch can be that
// small. It records a row per structure and kind of query, with no error if the query is refused. A further
// row per structure has its regret.
func recordMaps(c report.Scale, s *report.Section, sources []*mapPoints) {
	db := duck.Open(1)
	defer db.Close()
	duck.Run(db, text("maps", nil))
	kinds := []string{ofCells, ofNear, ofOthers, ofPolygon, ofPicture}
	sides := mapSizeOf(c).sides
	kinds = slices.Concat(kinds, report.Column(sides, boundOf), report.Column(sides, estimateOf))
	for _, m := range sources {
		for _, share := range report.Pick(c, []uint64{2}, []uint64{2, 8}, []uint64{2, 4, 8, 16}) {
			bytes := m.bytes / share
			if bytes < leastBytes {
				continue
			}
			for _, rows := range report.Parallel(len(mapStructures), func(i int) (rows [][]any) {
				of := mapStructures[i]
				built := of.build(m.points, bytes)
				errors := m.ask(built, of.cells)
				for _, kind := range kinds {
					var e any
					if errors[kind] != nil {
						e = report.Mean(errors[kind])
					}
					rows = append(rows, []any{m.name, share, bytes, of.name, len(built.blob), kind, e})
				}
				return rows
			}) {
				for _, row := range rows {
					duck.Insert(db, "maps", row...)
				}
			}
		}
	}
	for _, name := range []string{"map errors", "map regrets"} {
		duck.Rows(db, text(name, mapFloor), func(at report.At, of report.Figures) { s.Record(at, of) })
	}
}

// treeMaps compares structures for maps in fewer bytes than exact counts need.
func treeMaps(c report.Scale, s *report.Section) {
	sources := mapSources(c)
	recordMaps(c, s, sources)
	recordWays(s, sources)
	first, most := sources[0], mapSizeOf(c)
	s.Set("near", most.others, "near cells", nearCells, "boxes", most.boxes, "few", fewCells, "stars", most.stars,
		"least inside", leastInside, "least", leastBytes, "pixels", windowPixels, "pixel", pixelCells, "windows", most.windows,
		"floor", mapFloor, "first", first.name)
}
