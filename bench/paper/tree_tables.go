package main

import (
	"maps"
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/paulmach/orb"
)

// mapFloor is what counts as no error when errors are compared as ratios: a hundredth
// of the truth, or of a point.
const mapFloor = 0.01

// mapSources are the points of the data sets, at resolutions in degrees.
func mapSources(c report.Config) []*mapPoints {
	type source struct {
		res      float64
		read     func(folder string, res float64) points
		outlines bool // the countries are asked for
	}
	sources := report.Pick(c, []source{{0.1, uk.degrees, false}},
		[]source{{0.01, uk.degrees, false}, {0.001, taxis.degrees, false}},
		[]source{
			{0.001, uk.degrees, false}, {0.01, cities.degrees, false}, {0.001, taxis.degrees, false}, {0.01, uk.degrees, false},
			{0.1, cities.degrees, true}, {0.0001, taxis.degrees, false}, {1, covidDegrees, true},
		})
	polygons, _ := countries(c.Data)
	return report.Parallel(len(sources), func(i int) *mapPoints {
		of := sources[i]
		var outlines []orb.MultiPolygon
		if of.outlines {
			outlines = polygons
		}
		return newMapPoints(c, of.read(c.Data, of.res), outlines)
	})
}

// recordMaps measures every data set in parts of its exact bytes, where a sketch can be
// so small: a row for each structure and kind of question, with its mean error where it
// is not refused, and the ratio of that to the least of all structures; and a row for
// each structure, with its regret.
func recordMaps(c report.Config, s *report.Section, sources []*mapPoints) {
	type answered struct {
		size   float64
		errors map[string][]float64
	}
	kinds, weights := mapKinds(mapSides(c))
	for _, m := range sources {
		for _, share := range report.Pick(c, []uint64{2}, []uint64{2, 8}, []uint64{2, 4, 8, 16}) {
			bytes := m.bytes / share
			if bytes < leastBytes { // counters do not fit
				continue
			}
			all := report.Parallel(len(mapStructures), func(i int) answered {
				built, size := mapStructures[i].build(m.points, bytes)
				return answered{float64(size), m.ask(built, mapStructures[i].cells)}
			})
			least := map[string]float64{}
			for _, kind := range kinds {
				least[kind] = math.Inf(1)
				for _, of := range all {
					if e := of.errors[kind]; e != nil {
						least[kind] = min(least[kind], report.Mean(e))
					}
				}
			}
			for i, of := range all {
				at := report.At{"points": m.name, "share": share, "bytes": bytes, "structure": mapStructures[i].name}
				sum, weight := 0.0, 0.0
				for _, kind := range kinds {
					asked, f, e := maps.Clone(at), report.Figures{"size": of.size}, of.errors[kind]
					asked["question"] = kind
					if e == nil {
						f["refused"] = 1
					} else {
						f["error"], f["sigma"] = report.Mean(e), report.StandardError(e)
						f["ratio"] = (f["error"] + mapFloor) / (least[kind] + mapFloor)
						f["log"] = math.Log(f["ratio"])
						sum, weight = sum+weights[kind]*f["log"], weight+weights[kind]
					}
					s.Record(asked, f)
				}
				s.Record(at, report.Figures{"regret": math.Exp(sum / weight), "log regret": sum / weight})
			}
		}
	}
}

// treeMaps compares what a map can be in fewer bytes than its exact form.
func treeMaps(c report.Config, s *report.Section) {
	sources, sides := mapSources(c), mapSides(c)
	recordMaps(c, s, sources)
	first := sources[0]
	s.Set("near", len(first.near), "near cells", nearCells, "boxes", len(first.boxes[0]), "few", fewCells, "stars", mapStars(c),
		"least inside", leastInside, "least", leastBytes, "pixels", windowPixels, "pixel", pixelCells, "windows", len(first.windows),
		"floor", mapFloor, "first", first.name, "promises", mapPromises)
	var rows [][]report.Panel
	for _, kinds := range [][]string{{ofCells, ofNear, ofPicture}, {boundOf(sides[0]), boundOf(sides[1]), ofPolygon}} {
		var row []report.Panel
		for _, kind := range kinds {
			p := report.Panel{Title: kind, X: "bytes", Y: "parts of the truth", LogX: true, LogY: true,
				Series: s.Where("points", first.name, "question", kind).Points("structure", "size", "error", report.Both)}
			if kind == ofCells || kind == ofNear {
				p.Y = "points too many"
			}
			row = append(row, p)
		}
		rows = append(rows, row)
	}
	rows[0][0].Legend = report.TopRight
	s.Plot("error", rows...)
}

// promise is what a tree in half the exact bytes has to keep: the largest error of
// questions.
type promise struct {
	Points, What string
	Kinds        []string
	Limits       []float64
}

var (
	promisedBounds    = report.Column([]int64{4, 16, 64, 256}, boundOf)
	promisedEstimates = report.Column([]int64{4, 16, 64, 256}, estimateOf)
	mapPromises       = []promise{
		{"UK, 0.001 degrees", upperBounds, promisedBounds, []float64{1.2, 0.30, 0.08, 0.02}},
		{"UK, 0.001 degrees", "the same boxes, estimate off by", promisedEstimates, []float64{0.42, 0.11, 0.02, 0.003}},
		{"UK, 0.001 degrees", "points too many at cells with points, others near them, anywhere", []string{ofCells, ofNear, ofOthers}, []float64{3.0, 3.4, 0.15}},
		{"cities, 0.01 degrees", upperBounds, promisedBounds, []float64{0.7, 0.45, 0.14, 0.04}},
		{"New York, 0.001 degrees", upperBounds, promisedBounds, []float64{0.8, 0.17, 0.05, 0.025}},
	}
)

const upperBounds = "boxes of 4, 16, 64, 256, upper bound too high by parts of the truth"
