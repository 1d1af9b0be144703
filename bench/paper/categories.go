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

// askCategories counts places and asks for samples of their points, and for categories
// that cells do not have: the errors of points that are sampled from every category, the
// answers for absent categories above 0, beside the formula, and their mean.
func askCategories(of structure, places, strange []place, points []int32, res float64, samples int, seed uint64) report.Figures {
	a := of.count(places, points, res, categoryBytes, seed)
	r := random(seed, 62)
	all := byCategory(places)
	mean, most := 0.0, 0.0
	for _, places := range all {
		for _, i := range sample(r, places, samples) {
			x := a.excess(&places[i])
			mean += x / float64(samples*len(all))
			most = max(most, x)
		}
	}
	hits, sum := 0, 0.0
	for i := range strange {
		if n := a.count(&strange[i]); n > 0 {
			hits++
			sum += float64(n)
		}
	}
	var absent tally
	absent.add(hits, len(strange), a.absentRate())
	out := absent.figures()
	out["mean"], out["most"], out["bytes"], out["expected"], out["variance"], out["extra"], out["exact"] = mean, most, float64(a.bytes), absent.expected, absent.variance, 0, 0
	out["percent"], out["percent absent"], out["percent formula"] = 100*mean, 100*out["rate"], 100*out["formula"]
	if hits > 0 {
		out["extra"] = sum / float64(hits)
	}
	if a.exact() {
		out["exact"] = 1
	}
	return out
}

// load is points with categories.
type load struct {
	what   string
	res    float64
	places []place // by category, row and column
}

// perCounter is how many keys there are for each of the cascade's first counters.
func (l *load) perCounter() float64 { return float64(len(l.places)) / float64(categoryBytes/20*9) }

// measure asks every structure with several seeds.
func (l *load) measure(c report.Config, s *report.Section, crimes bool) {
	seeds := report.Pick(c, 1, 1, 5)
	samples := report.Pick(c, 200, 10_000, 10_000)
	if c.Scale == report.Tiny {
		lighten(l.places)
	}
	strange := strangers(l.places)
	all := transposed(report.Parallel(seeds, func(i int) []report.Figures {
		return report.Column(categoryStructures, func(of structure) report.Figures {
			return askCategories(of, l.places, strange, arrivals(random(seedOf(i), 61), l.places), l.res, samples, seedOf(i))
		})
	}))
	for i, of := range all {
		s.Record(report.At{"points": l.what, "keys": len(l.places), "load": l.perCounter(), "crimes": crimes, "structure": categoryStructures[i].name}, of...)
		l.isolation(s, categoryStructures[i].name, of)
	}
}

// isolation adds up how often categories are found in cells that lack them, over all
// seeds. More than four standard errors above the formula are a failure.
func (l *load) isolation(s *report.Section, structure string, of []report.Figures) {
	if structure == paperSpectral.name || structure == paperCountMin.name {
		return
	}
	sum := tally{}
	for _, f := range of {
		sum.merge(tally{int(f["hits"]), int(f["asked"]), f["expected"], f["variance"]})
	}
	all := sum.figures()
	switch {
	case structure == cellAlone.name: // no false positives, but the points of others
		delete(all, "formula")
		delete(all, "z")
	case sum.variance > 0:
		all["isolation z"] = sum.z()
		report.Require(sum.z() <= 4, "%s, %s: %d of %d keys that are absent have a count, the formula allows %.0f", l.what, structure, sum.hits, sum.asked, sum.expected)
	default: // exact, or all counters in use
		delete(all, "z")
		report.Require(float64(sum.hits) <= sum.expected, "%s, %s: %d of %d keys that are absent have a count, the formula allows none", l.what, structure, sum.hits, sum.asked)
	}
	all["extra"] = report.MeanOf(of, func(f report.Figures) float64 { return f["extra"] })
	all["lo"], all["hi"] = report.Wilson(sum.hits, sum.asked)
	s.Record(report.At{"isolated": l.what, "structure": structure}, all)
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

// sameKeys is the resolution at which the UK has as many keys as the made-up events.
const sameKeys = 0.108

// categories is table 3: counts of cells and categories in one sketch.
func categories(c report.Config, s *report.Section) {
	resolutions := append([]float64{sameKeys}, report.Pick(c, nil, []float64{0.01}, []float64{0.05, 0.02, 0.01})...)
	loads := []*load{{what: "like the paper's events", res: 1, places: events()}}
	for _, res := range resolutions {
		places, what := crimeCategories(c.Data, res)
		loads = append(loads, &load{what: fmt.Sprintf("crimes, %v degrees", res), res: res, places: places})
		s.Set("uk", what)
	}
	for i, l := range loads {
		l.measure(c, s, i > 0)
	}
	like, at := loads[0], loads[1]
	s.Set("k", paperK, "most", eventMost, "points", total(like.places), "keys", len(like.places), "categories", len(byCategory(at.places)), "same", sameKeys, "counters", categoryBytes/4,
		"row", categoryBytes/20, "seeds", len(s.All("mean", "points", at.what, "structure", paperCascade.name)), "small", inSmall(at.places), "small of events", inSmall(like.places),
		"like", like.what, "at", at.what, "all bytes", float64(categoryBytes))
	for _, l := range loads[:2] {
		for _, of := range []struct {
			name, structure string
			mean, most      float64 // published
		}{
			{"CascadeCBF", paperCascade.name, 0.0002, 1}, {"spectral", paperSpectral.name, 0.0005, 3}, {"Count-Min", paperCountMin.name, 0.0013, 21},
		} {
			d := s.Where("points", l.what, "structure", of.structure)
			s.Record(report.At{"claimed": of.name, "of": of.structure, "in": l.what, "note": worseError(d.All("mean"), d.Mean("most"), of.mean, of.most, "more of the points are in keys of few points")},
				report.Figures{"published mean": of.mean, "published most": of.most})
		}
	}
	s.Plot("error", categoryPanels(s.Where("crimes", true)))
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

// categoryPanels are the errors and the false positives over the load.
func categoryPanels(d *report.Data) []report.Panel {
	errors := report.Panel{X: "keys for each 16-bit counter", Y: "mean error in percent", LogX: true, LogY: true, Legend: report.TopLeft}
	absent := report.Panel{X: errors.X, Y: "false positives in percent", LogX: true, LogY: true, Legend: report.TopLeft}
	for style, of := range []structure{paperCascade, paperSpectral, paperCountMin, denseDefaults} {
		line := d.Where("structure", of.name).Lines("structure", "load", "percent")[0]
		line.Style = style
		errors.Series = append(errors.Series, line)
	}
	for i, of := range []structure{paperCascade, denseDefaults} {
		of := d.Where("structure", of.name)
		lines := append(of.Lines("structure", "load", "percent absent"), of.Lines("structure", "load", "percent formula")...)
		lines[0].Only, lines[0].Style, lines[1].Only, lines[1].Style, lines[1].Label = report.Marks, 3*i, report.Line, 3*i, "its formula"
		absent.Series = append(absent.Series, lines...)
	}
	return []report.Panel{errors, absent}
}
