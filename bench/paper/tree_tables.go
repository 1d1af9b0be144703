package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
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

// leastMap is in how few bytes the default layers of counters fit.
const leastMap = 372

// mapScenario is one data set in a part of its exact bytes, and what the structures
// answer.
type mapScenario struct {
	*mapPoints
	share  uint64 // of the exact bytes, as in one half
	sizes  []int
	errors [][]mapError // of each structure, by kind
	regret []float64    // of each structure
}

// mapScenarios measures every data set at every size, where a sketch can be so small.
func mapScenarios(c report.Config, sources []*mapPoints) []*mapScenario {
	var all []*mapScenario
	for _, m := range sources {
		for _, share := range report.Pick(c, []uint64{2}, []uint64{2, 8}, []uint64{2, 4, 8, 16}) {
			if m.bytes/share >= leastMap {
				all = append(all, &mapScenario{mapPoints: m, share: share})
			}
		}
	}
	report.Parallel(len(all), func(i int) struct{} {
		z := all[i]
		for _, of := range mapStructures {
			built, size := of.build(z.mapPoints, z.bytes/z.share)
			z.sizes = append(z.sizes, size)
			z.errors = append(z.errors, z.ask(built, of.cells))
		}
		z.rank()
		return struct{}{}
	})
	return all
}

// ratio is a structure's error of a kind over the least of all structures.
func (z *mapScenario) ratio(structure, kind int) float64 {
	least := math.Inf(1)
	for _, e := range z.errors {
		if e[kind].n > 0 {
			least = min(least, e[kind].mean)
		}
	}
	return (z.errors[structure][kind].mean + mapFloor) / (least + mapFloor)
}

// rank computes the regrets: the weighted geometric means of the ratios, over the
// kinds that a structure does not refuse.
func (z *mapScenario) rank() {
	weights := mapWeights(len(z.boxes))
	for i, errors := range z.errors {
		sum, all := 0.0, 0.0
		for kind, e := range errors {
			if e.n > 0 {
				sum, all = sum+weights[kind]*math.Log(z.ratio(i, kind)), all+weights[kind]
			}
		}
		z.regret = append(z.regret, math.Exp(sum/all))
	}
}

// treeMaps compares what a map can be in fewer bytes than its exact form.
func treeMaps(c report.Config, s *report.Section) {
	sources := mapSources(c)
	sides := mapSides(c)
	kinds := mapKinds(sides)
	all := mapScenarios(c, sources)
	promised(s, all, sides)
	s.Text("Real points in a part of the bytes of their exact form: a tree, which is the default, counters that cells share (`overflow: 'counters'`), without levels and with 8, and the obvious rival, exact counts of larger cells: "+
		"the smallest whole multiple, in steps of a quarter from 8 on, that fits as an exact sketch; as a table it would take more. Its upper bound of a box is the sum of all large cells that the box touches, its estimate takes of each the share inside. "+
		"Errors of cells are points too many, in the mean over all cells with points, %s others up to %d cells from one, and as many anywhere in the bounds. Errors of areas are parts of the truth: up to %s boxes of a side, each around a cell with points "+
		"(of counters as many as have %s cells, but 3 at least); countries for cities at 0.1 degrees and COVID-19, elsewhere %d stars of 10 to 200 cells radius; those with %d points and more. A picture has %d x %d pixels of %d x %d cells around a cell with points; its error is the sum of the differences of all pixels, over the sum of all pixels: the mean of %d. One seed of the hash. Parts of fewer than %d bytes, in which counters do not fit, are left out: most of New York's at 0.001 degrees and of the COVID-19 cases'.",
		sketch.Number(uint64(len(sources[0].near))), nearCells, sketch.Number(uint64(len(sources[0].boxes[0]))), sketch.Number(uint64(fewCells)), mapStars(c), leastInside, windowPixels, windowPixels, pixelCells, pixelCells, len(sources[0].windows), leastMap)
	s.Text("**The mix.** A quarter each for cells (with points, near, anywhere: alike), boxes (upper bound and estimate of every side: alike), polygons and pictures. An error is taken as its ratio to the least of the four structures, after adding %g to both, "+
		"and the regret of a structure is the geometric mean of the ratios with these weights: 1 would be the closest everywhere. Questions that counters refuse, as areas have too many cells, do not count against them.", mapFloor)
	t := s.Table(append([]string{"points", "of the exact bytes", "bytes"}, mapNames()...)...)
	typical := make([]float64, len(mapStructures))
	won, over := 0, 0
	for _, z := range all {
		row := []any{z.name, fmt.Sprintf("1/%d", z.share), z.bytes / z.share}
		for i, r := range z.regret {
			row = append(row, r)
			typical[i] += math.Log(r) / float64(len(all))
		}
		t.Row(row...)
		if z.regret[0] < z.regret[1] {
			won++
		}
		if z.regret[0] < z.regret[3] {
			over++
		}
	}
	row := []any{"all, geometric mean", "-", "-"}
	for i := range typical {
		typical[i] = math.Exp(typical[i])
		row = append(row, typical[i])
	}
	t.Row(row...)
	byKind(s, all, kinds)
	everything(s, all, kinds)
	s.Short("over a mix of cells, boxes, polygons and pictures a tree has a regret of %s, coarser cells in the same bytes %s, counters %s, with levels %s; a tree loses less than counters in %d of %d settings, and less than coarser cells in %d.",
		report.Num2(typical[0]), report.Num2(typical[3]), report.Num2(typical[1]), report.Num2(typical[2]), won, len(all), over)
	s.Figure("error", fmt.Sprintf("Error over bytes, %s. An error of 0 is not shown.", sources[0].name), mapPanels(sources[0], all, kinds)...)
}

func mapNames() (names []string) {
	for _, of := range mapStructures {
		names = append(names, of.name)
	}
	return names
}

// byKind is a table of the mean ratios by kind of question.
func byKind(s *report.Section, all []*mapScenario, kinds []string) {
	s.Text("By kind of question: the ratio to the least error, the geometric mean over all settings where it is answered, and where the tree is further off than counters and than coarser cells.")
	t := s.Table(append(append([]string{"question"}, mapNames()...), "counters closer than the tree", "coarser cells closer than the tree")...)
	for kind, name := range kinds {
		row := []any{name}
		for i := range mapStructures {
			var logs []float64
			for _, z := range all {
				if z.errors[i][kind].n > 0 {
					logs = append(logs, math.Log(z.ratio(i, kind)))
				}
			}
			row = append(row, math.Exp(report.Mean(logs)))
		}
		for _, rival := range []int{1, 3} {
			worse, asked := 0, 0
			for _, z := range all {
				if z.errors[rival][kind].n > 0 {
					asked++
					if z.ratio(0, kind) > z.ratio(rival, kind) {
						worse++
					}
				}
			}
			row = append(row, fmt.Sprintf("%d of %d", worse, asked))
		}
		t.Row(row...)
	}
}

// everything is the table of all errors.
func everything(s *report.Section, all []*mapScenario, kinds []string) {
	t := s.Table(append([]string{"points", "of the exact bytes", "structure", "bytes"}, kinds...)...)
	for _, z := range all {
		for i, of := range mapStructures {
			row := []any{z.name, fmt.Sprintf("1/%d", z.share), of.name, z.sizes[i]}
			for kind := range kinds {
				if e := z.errors[i][kind]; e.n > 0 {
					row = append(row, e.mean)
				} else {
					row = append(row, "refused")
				}
			}
			t.Row(row...)
		}
	}
}

// mapPanels are the errors of one data set over the bytes.
func mapPanels(of *mapPoints, all []*mapScenario, kinds []string) [][]report.Panel {
	shown := [][]int{{kindWith, kindNear, kindPicture}, {kindBoxes, kindBoxes + 1, kindPolygon}}
	var rows [][]report.Panel
	for i, row := range shown {
		var panels []report.Panel
		for j, kind := range row {
			p := report.Panel{Title: kinds[kind], X: "bytes", Y: "parts of the truth", LogX: true, LogY: true, Series: report.Lines(mapNames()...)}
			if i == 0 && j < 2 {
				p.Y = "points too many"
			}
			if i == 0 && j == 0 {
				p.Legend = report.TopRight
			}
			for _, z := range all {
				for k := range mapStructures {
					if e := z.errors[k][kind]; z.mapPoints == of && e.n > 0 && e.mean > 0 {
						p.Series[k].At(float64(z.sizes[k]), e.mean)
					}
				}
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
	name                   string
	bounds, estimates      []float64
	with, beside, anywhere float64 // 0 for none
}{
	{"UK, 0.001 degrees", []float64{1.2, 0.30, 0.08, 0.02}, []float64{0.42, 0.11, 0.02, 0.003}, 3.0, 3.4, 0.15},
	{"cities, 0.01 degrees", []float64{0.7, 0.45, 0.14, 0.04}, nil, 0, 0, 0},
	{"New York, 0.001 degrees", []float64{0.8, 0.17, 0.05, 0.025}, nil, 0, 0, 0},
}

// promised holds trees against the promises.
func promised(s *report.Section, all []*mapScenario, sides []int64) {
	line := func(what string, limits []float64, errors []mapError) {
		var promise, got, broken []string
		for i, limit := range limits {
			e := errors[i]
			promise, got = append(promise, report.Num(limit)), append(got, report.Num2(e.mean))
			if e.mean > limit {
				broken = append(broken, fmt.Sprintf("%s is above %s by %s standard errors", report.Num2(e.mean), report.Num(limit), report.Num2((e.mean-limit)/e.sigma)))
			}
		}
		s.Compare(what, "at most "+strings.Join(promise, ", ")).Defaults(strings.Join(got, ", ")).Worse(len(broken) > 0, strings.Join(broken, "; "))
	}
	for _, p := range mapPromises {
		at := slices.IndexFunc(all, func(z *mapScenario) bool { return z.name == p.name && z.share == 2 })
		if at < 0 {
			continue
		}
		e, in := all[at].errors[0], fmt.Sprintf("%s, tree in half the exact bytes: ", p.name)
		line(in+"boxes of 4, 16, 64, 256, upper bound too high by parts of the truth", p.bounds, e[kindBoxes:])
		if p.estimates != nil {
			line(in+"the same boxes, estimate off by", p.estimates, e[kindBoxes+len(sides):])
			line(in+"points too many at cells with points, others near them, anywhere", []float64{p.with, p.beside, p.anywhere}, e)
		}
	}
}
