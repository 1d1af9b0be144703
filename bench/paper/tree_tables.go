package main

import (
	"fmt"
	"maps"
	"math"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/paulmach/orb"
)

// mapFloor is what counts as no error when errors are compared as ratios: a hundredth
// of the truth, or of a point.
const mapFloor = 0.01

// mapSources are the points of the data sets, at resolutions in degrees.
func mapSources(c report.Config) []*mapPoints {
	type source struct {
		name     string
		res      float64
		read     func(folder string, res float64) (places []place, what string)
		outlines bool // the countries are asked for
	}
	uk := func(folder string, res float64) ([]place, string) {
		return degrees(folder, "uk_crime_2018q4.parquet", res)
	}
	taxis := func(folder string, res float64) ([]place, string) {
		return degrees(folder, "nyc_taxi_pickups.parquet", res)
	}
	sources := report.Pick(c, []source{{"UK", 0.1, uk, false}},
		[]source{{"UK", 0.01, uk, false}, {"New York", 0.001, taxis, false}},
		[]source{
			{"UK", 0.001, uk, false}, {"cities", 0.01, cities, false}, {"New York", 0.001, taxis, false},
			{"UK", 0.01, uk, false}, {"cities", 0.1, cities, true}, {"New York", 0.0001, taxis, false}, {"COVID-19", 1, covidDegrees, true},
		})
	polygons, _ := countries(c.Data)
	return report.Parallel(len(sources), func(i int) *mapPoints {
		of := sources[i]
		places, _ := of.read(c.Data, of.res)
		d := counted{name: fmt.Sprintf("%s, %g degrees", of.name, of.res), res: of.res}
		for _, p := range places {
			d.cells, d.counts = append(d.cells, p.Cell), append(d.counts, p.points)
		}
		var outlines []orb.MultiPolygon
		if of.outlines {
			outlines = polygons
		}
		return newMapPoints(c, d, outlines)
	})
}

// degrees are the points of a file with lon and lat, without those at (0, 0), which
// are of no known place.
func degrees(folder, file string, res float64) ([]place, string) {
	return readPlaces(fmt.Sprintf("SELECT floor(lon / %v)::BIGINT AS x, floor(lat / %[1]v)::BIGINT AS y, NULL, count(*) FROM %s WHERE lon <> 0 OR lat <> 0 GROUP BY ALL ORDER BY y, x",
		res, sqlFile(folder, file))), file
}

// recordMaps measures every data set in parts of its exact bytes, where a sketch can be
// so small: a row for each structure and kind of question, with its mean error where it
// is not refused, and the ratio of that to the least of all structures; and a row for
// each structure, with its regret.
func recordMaps(c report.Config, s *report.Section, sources []*mapPoints, kinds []string) {
	type scenario struct {
		*mapPoints
		share uint64 // of the exact bytes, as in one half
	}
	var all []scenario
	for _, m := range sources {
		for _, share := range report.Pick(c, []uint64{2}, []uint64{2, 8}, []uint64{2, 4, 8, 16}) {
			if m.bytes/share >= leastBytes { // counters fit too
				all = append(all, scenario{m, share})
			}
		}
	}
	type answered struct {
		size   int
		errors []mapError
	}
	byScenario := report.Parallel(len(all), func(i int) []answered {
		return report.Column(mapStructures, func(of mapStructure) answered {
			built, size := of.build(all[i].mapPoints, all[i].bytes/all[i].share)
			return answered{size, all[i].ask(built, of.cells)}
		})
	})
	weights := mapWeights(len(mapSides(c)))
	for i, z := range all {
		least := make([]float64, len(kinds))
		for kind := range kinds {
			least[kind] = math.Inf(1)
			for _, of := range byScenario[i] {
				if e := of.errors[kind]; e.n > 0 {
					least[kind] = min(least[kind], e.mean)
				}
			}
		}
		for j, of := range byScenario[i] {
			at := report.At{"points": z.name, "share": z.share, "bytes": z.bytes / z.share, "structure": mapStructures[j].name}
			sum, weight := 0.0, 0.0
			for kind, e := range of.errors {
				asked := maps.Clone(at)
				asked["question"] = kinds[kind]
				if e.n == 0 {
					s.Record(asked, report.Figures{"refused": 1, "size": float64(of.size)})
					continue
				}
				ratio := (e.mean + mapFloor) / (least[kind] + mapFloor)
				sum, weight = sum+weights[kind]*math.Log(ratio), weight+weights[kind]
				s.Record(asked, report.Figures{"size": float64(of.size), "error": e.mean, "sigma": e.sigma, "ratio": ratio, "log": math.Log(ratio)})
			}
			s.Record(at, report.Figures{"regret": math.Exp(sum / weight), "log regret": sum / weight})
		}
	}
}

// treeMaps compares what a map can be in fewer bytes than its exact form.
func treeMaps(c report.Config, s *report.Section) {
	sources := mapSources(c)
	kinds := mapKinds(mapSides(c))
	recordMaps(c, s, sources, kinds)
	s.Set("near", len(sources[0].near), "near cells", nearCells, "boxes", len(sources[0].boxes[0]), "few", fewCells, "stars", mapStars(c), "least inside", leastInside, "least", leastBytes,
		"pixels", windowPixels, "pixel", pixelCells, "windows", len(sources[0].windows), "floor", mapFloor, "first", sources[0].name)
	promised(s, kinds)
	s.Plot("error", mapPanels(s.Where("points", sources[0].name), kinds)...)
}

// mapPanels are the errors of one data set over the bytes.
func mapPanels(d *report.Data, kinds []string) (rows [][]report.Panel) {
	for i, row := range [][]int{{kindWith, kindNear, kindPicture}, {kindBoxes, kindBoxes + 1, kindPolygon}} {
		var panels []report.Panel
		for j, kind := range row {
			p := report.Panel{Title: kinds[kind], X: "bytes", Y: "parts of the truth", LogX: true, LogY: true, Series: d.Where("question", kinds[kind]).Points("structure", "size", "error", 0)}
			if i == 0 && j < 2 {
				p.Y = "points too many"
			}
			if i == 0 && j == 0 {
				p.Legend = report.TopRight
			}
			panels = append(panels, p)
		}
		rows = append(rows, panels)
	}
	return rows
}

// mapPromises are what a tree in half the exact bytes has to keep: of boxes of 4, 16,
// 64 and 256 a side, and of cells.
var mapPromises = []struct {
	points, what string
	from         func(sides int) int // the first kind of question
	limits       []float64
}{
	{"UK, 0.001 degrees", upperBounds, boxBounds, []float64{1.2, 0.30, 0.08, 0.02}},
	{"UK, 0.001 degrees", "the same boxes, estimate off by", func(sides int) int { return kindBoxes + sides }, []float64{0.42, 0.11, 0.02, 0.003}},
	{"UK, 0.001 degrees", "points too many at cells with points, others near them, anywhere", func(int) int { return kindWith }, []float64{3.0, 3.4, 0.15}},
	{"cities, 0.01 degrees", upperBounds, boxBounds, []float64{0.7, 0.45, 0.14, 0.04}},
	{"New York, 0.001 degrees", upperBounds, boxBounds, []float64{0.8, 0.17, 0.05, 0.025}},
}

const upperBounds = "boxes of 4, 16, 64, 256, upper bound too high by parts of the truth"

func boxBounds(int) int { return kindBoxes }

// promised holds trees against the promises.
func promised(s *report.Section, kinds []string) {
	for _, p := range mapPromises {
		trees := s.Where("points", p.points, "share", 2, "structure", "tree")
		if !trees.Has("regret") {
			continue
		}
		var promise, got, broken []string
		for i, limit := range p.limits {
			of := trees.Where("question", kinds[p.from((len(kinds)-kindBoxes)/2)+i])
			e := of.First("error")
			promise, got = append(promise, report.Num(limit)), append(got, report.Num2(e))
			if e > limit {
				broken = append(broken, fmt.Sprintf("%s is above %s by %s standard errors", report.Num2(e), report.Num(limit), report.Num2((e-limit)/of.First("sigma"))))
			}
		}
		s.Record(report.At{"promise": fmt.Sprintf("%s, tree in half the exact bytes: %s", p.points, p.what), "limits": strings.Join(promise, ", "), "got": strings.Join(got, ", "),
			"broken": strings.Join(broken, "; ")}, report.Figures{})
	}
}
