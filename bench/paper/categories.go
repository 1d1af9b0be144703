package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// categoryBytes is what all structures of table 3 share.
const categoryBytes = 512 << 10

// cellAlone is the paper's structure as its public program has it, which hashes
// the cell and leaves the category out.
var cellAlone = structure{"the same, the cell alone hashed", func(places []place, points []int32, res float64, bytes, seed uint64) answers {
	cells := slices.Clone(places)
	for i := range cells {
		cells[i].category = nil
	}
	a := paperCascade.count(cells, points, res, bytes, seed)
	return answers{func(p *place) uint64 { return a.count(&place{Cell: p.Cell}) }, a.view, a.bytes, a.most}
}}

// categoryStructures are those that are compared.
var categoryStructures = []structure{paperSpectral, paperCountMin, paperCascade, paperStandard, denseDefaults, ourDefaults, cellAlone}

// The places of some in that list.
const (
	inSpectral = iota
	inCountMin
	inCascade
	inStandard
	inDense
	inDefaults
	inCellAlone
)

// sample is n points of places drawn at random with replacement, each by the
// index of its place.
func sample(r *rand.Rand, places []place, n int) []int {
	upTo := make([]uint64, len(places))
	total := uint64(0)
	for i := range places {
		total += places[i].points
		upTo[i] = total
	}
	drawn := make([]int, n)
	for i := range drawn {
		at := r.Uint64N(total)
		drawn[i] = sort.Search(len(upTo), func(j int) bool { return upTo[j] > at })
	}
	return drawn
}

// byCategory are the places, which are in the order of categories, category by
// category.
func byCategory(places []place) [][]place {
	var all [][]place
	for from := 0; from < len(places); {
		to := from
		for to < len(places) && string(places[to].category) == string(places[from].category) {
			to++
		}
		all = append(all, places[from:to])
		from = to
	}
	return all
}

// strangers are, for every category, the cells that have points of other
// categories only.
func strangers(places []place) []place {
	cells := report.Column(places, func(p place) grid.Cell { return p.Cell })
	slices.SortFunc(cells, func(a, b grid.Cell) int {
		if a.Y != b.Y {
			return int(a.Y - b.Y)
		}
		return int(a.X - b.X)
	})
	cells = slices.Compact(cells)
	var out []place
	for _, of := range byCategory(places) {
		i := 0
		for _, c := range cells { // in the order of the places
			if i < len(of) && of[i].Cell == c {
				i++
				continue
			}
			out = append(out, place{Cell: c, category: of[0].category})
		}
	}
	return out
}

// categoryResult is what a structure answers for one seed of the hash.
type categoryResult struct {
	mean, most float64 // error over points that are sampled from every category
	bytes      uint64
	exact      bool
	strange    tally   // answers for categories that a cell does not have, and those above 0
	extra      float64 // the mean of those above 0
}

// askCategories counts places and asks for samples of their points, and for
// categories that cells do not have.
func askCategories(of structure, places, strange []place, points []int32, res float64, samples int, seed uint64) categoryResult {
	a := of.count(places, points, res, categoryBytes, seed)
	out := categoryResult{bytes: a.bytes, exact: a.exact()}
	r := random(seed, 62)
	all := byCategory(places)
	for _, places := range all {
		for _, i := range sample(r, places, samples) {
			x := a.excess(&places[i])
			out.mean += x / float64(samples*len(all))
			out.most = max(out.most, x)
		}
	}
	hits, sum := 0, 0.0
	for i := range strange {
		if n := a.count(&strange[i]); n > 0 {
			hits++
			sum += float64(n)
		}
	}
	if hits > 0 {
		out.extra = sum / float64(hits)
	}
	out.strange.add(hits, len(strange), a.absentRate())
	return out
}

// load is points with categories, and what all structures answered, seed by
// seed.
type load struct {
	what    string
	res     float64
	places  []place            // by category, row and column
	results [][]categoryResult // of categoryStructures
}

// perCounter is how many keys there are for each of the cascade's first counters.
func (l *load) perCounter() float64 { return float64(len(l.places)) / float64(categoryBytes/20*9) }

// mean of a figure of a structure over the seeds.
func (l *load) mean(structure int, f func(r categoryResult) float64) float64 {
	return report.MeanOf(l.results[structure], f)
}

func meanOf(r categoryResult) float64 { return r.mean }

// mostOf is the largest error of a run.
func mostOf(r categoryResult) float64 { return r.most }

// measure asks every structure with several seeds.
func (l *load) measure(c report.Config) {
	seeds := report.Pick(c, 1, 1, 5)
	samples := report.Pick(c, 200, 10_000, 10_000)
	if c.Scale == report.Tiny {
		lighten(l.places)
	}
	strange := strangers(l.places)
	l.results = transposed(report.Parallel(seeds, func(i int) (all []categoryResult) {
		for _, of := range categoryStructures {
			all = append(all, askCategories(of, l.places, strange, arrivals(random(seedOf(i), 61), l.places), l.res, samples, seedOf(i)))
		}
		return all
	}))
}

// crimeCategories are the cells of the UK file with their categories, by
// category, row and column. Some rows have something else where the category
// should be; every category has thousands of rows.
func crimeCategories(folder string, res float64) (places []place, what string) {
	table, what := crimePoints(folder)
	places = readPlaces(fmt.Sprintf(`SELECT floor(lon / %v)::BIGINT AS x, floor(lat / %[1]v)::BIGINT AS y, category, count(*) FROM %s
		WHERE category IN (SELECT category FROM %[2]s GROUP BY category HAVING count(*) > 1000) GROUP BY ALL ORDER BY category, y, x`, res, table))
	return places, what
}

// What the paper says of its events: how many there are in how many cells, how
// many in the fullest one, and of 100 how many are of the first category, of the
// first two, and so on. Sections 5.2 and 5.2.1.
const (
	eventPoints = 1_900_000
	eventCells  = 20_000
	eventMost   = 33_051
)

var eventShares = []int{46, 60, 91, 100}

// events are made-up places of the shape of the paper's, by category, row and
// column: a key for each cell, their points the quantiles of the lognormal
// distribution that has the paper's total and largest value.
func events() []place {
	below := make([]float64, eventCells) // the largest, in standard deviations
	for i := range below {
		below[i] = math.Sqrt2 * (math.Erfinv(2*(float64(i)+0.5)/eventCells-1) - math.Erfinv(1-1.0/eventCells))
	}
	points := func(sigma float64, i int) float64 { return math.Ceil(eventMost * math.Exp(sigma*below[i])) }
	// The larger sigma, the more of the points are in the fullest cells.
	sigma := float64(sort.Search(10_000, func(thousandths int) bool {
		total := 0.0
		for i := range below {
			total += points(float64(thousandths)/1000, i)
		}
		return total <= eventPoints
	})) / 1000
	rank := random(seedOf(0), 63).Perm(eventCells)
	var places []place
	from := 0
	for category, to := range eventShares {
		for i := range eventCells {
			if part := i % 100; from <= part && part < to {
				places = append(places, place{
					Cell:     grid.Cell{X: int64(i % 360), Y: int64(i / 360)},
					category: []byte{byte('a' + category)},
					points:   uint64(points(sigma, rank[i])),
				})
			}
		}
		from = to
	}
	return places
}

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
		l.measure(c)
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
			t.Row(l.what, len(l.places), name, l.results[i][0].bytes, report.SpreadPercent(report.Column(l.results[i], meanOf)), report.Percent2(l.mean(i, mostOf)))
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
			mean, most := l.mean(of.in, meanOf), l.mean(of.in, mostOf)
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
