package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// What the experiments of figures 2 and 3 and of table 2 of the CascadeCBF paper
// share: structures of a size, judged by their relative error over the places
// with points.

// rival is a structure, and how its line is drawn.
type rival struct {
	structure
	style int
}

// parts are layers that are smaller than the first by divisors; bytes are the
// first one's.
func parts(divisors ...uint64) func(bytes uint64) []uint64 {
	return func(bytes uint64) []uint64 {
		return report.Column(divisors, func(d uint64) uint64 { return bytes / 2 / d })
	}
}

var (
	oneStandard   = rival{cascadeOf("one layer, standard", paperK, ccbf.Standard, parts(1)), 0}
	oneMI         = rival{cascadeOf("one layer, mi", paperK, ccbf.MinimalIncrement, parts(1)), 1}
	twoMI         = rival{cascadeOf("two layers, mi", paperK, ccbf.MinimalIncrement, parts(1, 4)), 2}
	spectralMI    = rival{spectralOf("spectral, mi", paperK, 16), 3}
	countMin5     = rival{countMinOf("Count-Min, 5 rows", 5, 16), 4}
	defaultsDense = rival{defaultsOf("defaults, dense", true), 5}
	defaults      = rival{defaultsOf("defaults", false), 6}
)

// data draws places and their points in the order in which they come.
type data func(seed uint64) (places []place, points []int32)

// judge lets a structure count the points: its errors over the places with points, in
// parts of the truth, the mean also in percent, and its size.
func (of structure) judge(places []place, points []int32, bytes, seed uint64) report.Figures {
	a := of.count(places, points, 1, bytes, seed)
	var errors []float64
	for i := range places {
		if places[i].points == 0 {
			continue
		}
		errors = append(errors, math.Abs(a.excess(&places[i])))
	}
	mean := report.Mean(errors)
	return report.Figures{"mean": mean, "percent": 100 * mean, "95th percentile": report.Quantile(errors, 0.95), "largest": slices.Max(errors), "bytes": float64(a.bytes)}
}

// attempt is a structure in so many bytes.
type attempt struct {
	structure
	bytes uint64
}

// judgeAll lets structures count the data of several seeds.
func judgeAll(seeds int, of data, attempts []attempt) (bySeed [][]report.Figures) {
	return report.Parallel(seeds, func(i int) []report.Figures {
		places, points := of(seedOf(i))
		return report.Column(attempts, func(a attempt) report.Figures { return a.judge(places, points, a.bytes, seedOf(i)) })
	})
}

// recordRivals lets structures count the data of several seeds in so many bytes.
func recordRivals(s *report.Section, at report.At, rivals []rival, seeds int, bytes uint64, of data) {
	attempts := report.Column(rivals, func(r rival) attempt { return attempt{r.structure, bytes} })
	s.RecordEach(at, "structure", report.Column(rivals, func(r rival) string { return r.name }), judgeAll(seeds, of, attempts))
}

// within adds the error in percent of rows that differ in their seeds to a line.
func within(line *report.Series, x float64, d *report.Data) {
	mean, lo, hi := d.Interval("percent")
	line.Within(x, mean, lo, hi)
}

// zipfData is the synthetic data of the CascadeCBF paper, section 5.1: draws
// from the cells (i, 2i), P(rank r) in proportion to r^-alpha.
type zipfData struct {
	keys, draws int
	alpha       float64
}

// zipfOf is that data at the scale of a run.
func zipfOf(c report.Config, alpha float64) zipfData {
	return zipfData{report.Pick(c, 500, 10_000, 10_000), report.Pick(c, 2000, 100_000, 100_000), alpha}
}

func (z zipfData) draw(seed uint64) (places []place, points []int32) {
	places, points = make([]place, z.keys), make([]int32, z.draws)
	for i := range places {
		places[i].Cell = grid.Cell{X: int64(i), Y: 2 * int64(i)}
	}
	for at, i := range newZipf(z.keys, z.alpha).stream(random(seed, 51), z.draws) {
		places[i].points++
		points[at] = int32(i)
	}
	return places, points
}

// zipfMemory is figure 3: error over memory for three skews.
func zipfMemory(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 5, 50)
	rivals := []rival{oneStandard, oneMI, twoMI, spectralMI, countMin5, defaultsDense, defaults}
	data := zipfOf(c, 0)
	s.Set("draws", data.draws, "keys", data.keys, "k", paperK, "seeds", seeds, "claimed", []string{oneMI.name, spectralMI.name, countMin5.name})
	var panels []report.Panel
	for _, data.alpha = range []float64{1, 1.5, 2} {
		for bits := 10; bits <= 17; bits++ {
			recordRivals(s, report.At{"alpha": data.alpha, "counters": 1 << bits, "size": 2 << bits}, rivals, seeds, 2<<bits, data.draw)
		}
		panels = append(panels, memoryPanel(s.Where("alpha", data.alpha), data.alpha, rivals))
	}
	panels[0].Legend = report.BottomLeft
	s.Plot("error", panels)
}

// memoryPanel plots the mean errors of one skew, by size.
func memoryPanel(d *report.Data, alpha float64, rivals []rival) report.Panel {
	p := report.Panel{Title: fmt.Sprintf("alpha %g", alpha), X: "kilobytes", Y: "mean error in percent", LogX: true, LogY: true}
	for _, r := range rivals {
		line := report.Series{Label: r.name, Style: r.style}
		for _, of := range d.Where("structure", r.name).By("counters") {
			within(&line, of.Mean("bytes")/1024, of)
		}
		p.Series = append(p.Series, line)
	}
	least := math.Inf(1)
	for _, e := range d.Means("percent") {
		if e > 0 {
			least = min(least, e)
		}
	}
	exact := d.Mean("bytes", "structure", defaults.name, "counters", 1<<17) // the largest size has room for it
	p.Series = append(p.Series, report.Series{Label: "exact, no error", X: []float64{exact / 1024}, Y: []float64{least}, Style: 7, Only: report.Marks})
	return p
}

// negligible is the error that the CascadeCBF paper calls so. Section 5.1.
const negligible = 0.0001

// kRival is a structure for any k.
type kRival struct {
	name      string
	style     int
	published int // the k from which on the error is negligible
	of        func(k int) structure
}

var kRivals = []kRival{
	{"CascadeCBF", 2, 4, func(k int) structure { return cascadeOf("", k, ccbf.MinimalIncrement, parts(1, 4)) }},
	{"spectral", 3, 4, func(k int) structure { return spectralOf("", uint64(k), 16) }},
	{"Count-Min", 4, 11, func(k int) structure { return countMinOf("", uint64(k), 16) }},
}

// kSensitivity is figure 2 (b): error over k.
func kSensitivity(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 5, 50)
	sizes := []uint64{1 << 14, 1 << 15, 1 << 16} // in counters
	ks := report.Pick(c, []int{1, 4, 11}, []int{1, 2, 3, 4, 6, 8, 11, 16}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
	data := zipfOf(c, 1.5)
	s.Set("seeds", seeds)
	recordRivals(s, report.At{}, []rival{defaults}, seeds, 2*sizes[0], data.draw)
	var panels []report.Panel
	for _, size := range sizes {
		p := report.Panel{Title: fmt.Sprintf("%d counters", size), X: "k", Y: "mean error in percent", LogY: true}
		for _, r := range kRivals {
			line := report.Series{Label: r.name, Style: r.style, Only: report.Marks}
			all := transposed(judgeAll(seeds, data.draw, report.Column(ks, func(k int) attempt { return attempt{r.of(k), 2 * size} })))
			for j, k := range ks {
				at := report.At{"k": k, "counters": size, "structure": r.name, "published": r.published}
				s.Record(at, all[j]...)
				within(&line, float64(k), s.Where("k", k, "counters", size, "structure", r.name))
			}
			p.Series = append(p.Series, line)
			s.Record(report.At{"rival": r.name, "published": r.published}, report.Figures{"from": float64(negligibleFrom(ks, all))})
		}
		panels = append(panels, p)
	}
	panels[0].Legend = report.BottomLeft
	s.Plot("error", panels)
}

// negligibleFrom is the least k from which on all errors are negligible; 0 for
// none.
func negligibleFrom(ks []int, byK [][]report.Figures) int {
	from := 0
	for i, k := range ks {
		if report.MeanOf(byK[i], func(f report.Figures) float64 { return f["mean"] }) >= negligible {
			from = 0
		} else if from == 0 {
			from = k
		}
	}
	return from
}
