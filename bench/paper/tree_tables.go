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
	sources := mapSources(c)
	recordMaps(c, s, sources)
	first := sources[0]
	s.Set("near", len(first.near), "near cells", nearCells, "boxes", len(first.boxes[0]), "few", fewCells, "stars", mapStars(c),
		"least inside", leastInside, "least", leastBytes, "pixels", windowPixels, "pixel", pixelCells, "windows", len(first.windows),
		"floor", mapFloor, "first", first.name)
}
