package main

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// The places of loads in the list: made-up events of the paper's shape, and the
// UK at the resolution at which it has as many keys as those.
const (
	likeEvents = iota
	likeLoad
)

// sameKeys is that resolution.
const sameKeys = 0.108

// categories is table 3: counts of cells and categories in one sketch.
func categories(c report.Config, s *report.Section) {
	resolutions := append([]float64{sameKeys}, report.Pick(c, nil, []float64{0.01}, []float64{0.05, 0.02, 0.01})...)
	loads := []*load{{what: "like the paper's events", res: 1, places: events()}}
	uk := ""
	for _, res := range resolutions {
		places, what := crimeCategories(c.Data, res)
		loads, uk = append(loads, &load{what: fmt.Sprintf("crimes, %v degrees", res), res: res, places: places}), what
	}
	for _, l := range loads {
		l.measure(c, s)
	}
	like, at := loads[likeEvents], loads[likeLoad]
	s.Text("Cells with their categories are keys of one structure of 512 KB, with k = %d. The paper has 1.9 million events in 20,000 cells, %d in the fullest, in four categories. They are not here: "+
		"\"like the paper's events\" is made up, %d points in %d keys, the quantiles of a lognormal distribution that has the same total and the same largest value. The crimes are %s, with %d categories: "+
		"at %v degrees as many keys, at 0.01 ten times as many. The cascade's layers share the bytes nine to one, spectral has %d counters, Count-Min 5 rows of %d "+
		"with conservative updates. Points arrive in random order. Errors are those of 10,000 points of each category, drawn with replacement, in parts of the truth, with %d seeds. "+
		"No answer is below the truth: the run would fail.",
		paperK, eventMost, total(like.places), len(like.places), uk, len(byCategory(at.places)),
		sameKeys, categoryBytes/4, categoryBytes/20, len(at.results[inCascade]))
	s.Text("One occurrence too many is a larger part of a small count. Of the crimes at %v degrees %s are in keys of less than 10 points, of the points like the paper's %s: "+
		"with as many keys in as many counters the crimes' errors are the larger ones.", sameKeys, report.Percent(inSmall(at.places)), report.Percent(inSmall(like.places)))
	t := s.Table("points", "keys", "structure", "bytes", "mean error", "largest error of a run")
	for _, l := range loads {
		for i, of := range categoryStructures {
			name := of.name
			if l.results[i][0].exact {
				name += " (exact)"
			}
			t.Row(l.what, len(l.places), name, l.results[i][0].bytes, report.SpreadPercent(report.Column(l.results[i], meanOf)), report.Percent2(l.most(i)))
		}
	}
	z := isolationTable(s, loads)
	compareCategories(s, loads)
	s.Short("with as many keys as the paper has, answers are too high by %s in the mean on points like the paper's and by %s on the UK's (published 0.02%%), and exact with our defaults in %s of the bytes; "+
		"a category is found in cells that have others only no more often than the formula allows (largest z %.1f), and never with our defaults.",
		report.Percent2(like.mean(inCascade, meanOf)), report.Percent2(at.mean(inCascade, meanOf)),
		report.Percent(float64(at.results[inDefaults][0].bytes)/categoryBytes), z)
	s.Figure("error", "Errors and false positives of counts by cell and category in 512 KB, crimes. 0 is not shown.", categoryPanels(loads[likeLoad:]))
}

// inSmall is the share of points in places of less than 10.
func inSmall(places []place) float64 {
	few := uint64(0)
	for i := range places {
		if places[i].points < 10 {
			few += places[i].points
		}
	}
	return float64(few) / float64(total(places))
}

// isolationTable says how often categories are found in cells that lack them,
// and returns the largest distance from the formula. More than four standard
// errors above it are a failure.
func isolationTable(s *report.Section, loads []*load) (z float64) {
	s.Text("Isolation: every cell is asked for each category that it lacks while it has another. An answer above 0 is a false positive: all k counters of the key are in use. " +
		"The formula is the share of counters in use to the power of k, with the share read off each sketch. The paper has isolation as perfect. Its public program hashes the first 16 bytes of a key, " +
		"which are the cell: every category gets the points of all.")
	t := s.Table("points", "structure", "asked", "formula", "answers above 0", "z", "mean of those")
	z = math.Inf(-1)
	for _, l := range loads {
		for _, i := range []int{inCascade, inStandard, inDense, inDefaults, inCellAlone} {
			name := categoryStructures[i].name
			var all tally
			for _, r := range l.results[i] {
				all.merge(r.strange)
			}
			formula, ofFormula := report.Percent2(all.formula()), "-"
			switch {
			case i == inCellAlone: // no false positives, but the points of others
				formula = "-"
			case all.variance > 0:
				ofFormula = fmt.Sprintf("%.1f", all.z())
				z = max(z, all.z())
				report.Require(all.z() <= 4, "%s, %s: %d of %d keys that are absent have a count, the formula allows %.0f", l.what, name, all.hits, all.asked, all.expected)
			default: // exact, or all counters in use
				report.Require(float64(all.hits) <= all.expected, "%s, %s: %d of %d keys that are absent have a count, the formula allows none", l.what, name, all.hits, all.asked)
			}
			lo, hi := report.Wilson(all.hits, all.asked)
			t.Row(l.what, name, all.asked, formula, fmt.Sprintf("%s [%s, %s]", report.Percent2(all.rate()), report.Percent2(lo), report.Percent2(hi)),
				ofFormula, l.mean(i, func(r categoryResult) float64 { return r.extra }))
		}
	}
	return z
}

// compareCategories puts table 3 beside what is measured.
func compareCategories(s *report.Section, loads []*load) {
	for _, l := range loads[:likeLoad+1] {
		exact := l.results[inDefaults][0]
		for _, of := range []struct {
			name       string
			in         int
			mean, most float64 // published
		}{
			{"CascadeCBF", inCascade, 0.0002, 1}, {"spectral", inSpectral, 0.0005, 3}, {"Count-Min", inCountMin, 0.0013, 21},
		} {
			mean, most := l.mean(of.in, meanOf), l.most(of.in)
			s.Compare(fmt.Sprintf("%s, %s: mean and largest error by category", of.name, l.what), report.Percent2(of.mean)+", "+report.Percent2(of.most)).
				Paper(report.Percent2(mean) + ", " + report.Percent2(most)).Defaults(report.Percent2(exact.mean)).Bytes(bytesOf(int(exact.bytes), int(l.results[of.in][0].bytes))).
				Note(worseError(report.Column(l.results[of.in], meanOf), most, of.mean, of.most, "more of the points are in keys of few points"))
		}
	}
	l := loads[likeLoad]
	rate := func(r categoryResult) float64 { return r.strange.rate() }
	s.Compare("a category in cells that have others only: answers above 0", "none").Paper(report.Percent2(l.mean(inCascade, rate))).
		Defaults(report.Percent2(l.mean(inDefaults, rate))).Bytes(bytesOf(int(l.results[inDefaults][0].bytes), int(l.results[inCascade][0].bytes))).
		Worse(l.mean(inCascade, rate) > 0, "counters in use make false positives, as many as the formula allows")
}

// categoryPanels are the errors and the false positives over the load.
func categoryPanels(loads []*load) []report.Panel {
	errors := report.Panel{X: "keys for each 16-bit counter", Y: "mean error in percent", LogX: true, LogY: true, Legend: report.TopLeft}
	absent := report.Panel{X: errors.X, Y: "false positives in percent", LogX: true, LogY: true, Legend: report.TopLeft}
	x := report.Column(loads, (*load).perCounter)
	over := func(structure int, f func(r categoryResult) float64) []float64 {
		return report.Column(loads, func(l *load) float64 { return 100 * l.mean(structure, f) })
	}
	for style, i := range []int{inCascade, inSpectral, inCountMin, inDense} {
		errors.Series = append(errors.Series, report.Series{Label: categoryStructures[i].name, X: x, Y: over(i, meanOf), Style: style})
	}
	for i, in := range []int{inCascade, inDense} {
		name := categoryStructures[in].name
		absent.Series = append(absent.Series,
			report.Series{Label: name, X: x, Y: over(in, func(r categoryResult) float64 { return r.strange.rate() }), Style: 3 * i, Only: report.Marks},
			report.Series{Label: "its formula", X: x, Y: over(in, func(r categoryResult) float64 { return r.strange.formula() }), Style: 3 * i, Only: report.Line})
	}
	return []report.Panel{errors, absent}
}
