package main

import (
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
	var cells []grid.Cell
	for i := range places {
		cells = append(cells, places[i].Cell)
	}
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
	return report.Mean(report.Column(l.results[structure], f))
}

func meanOf(r categoryResult) float64 { return r.mean }

// most is the largest error of a structure, in the mean over the seeds.
func (l *load) most(structure int) float64 {
	return report.Mean(report.Column(l.results[structure], func(r categoryResult) float64 { return r.most }))
}

// measure asks every structure with several seeds.
func (l *load) measure(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 1, 5)
	samples := report.Pick(c, 200, 10_000, 10_000)
	if c.Scale == report.Tiny {
		lighten(l.places)
	}
	strange := strangers(l.places)
	n := len(categoryStructures)
	results := report.Parallel(s, seeds*n, func(i int) categoryResult {
		of, seed := categoryStructures[i%n], seedOf(i/n)
		return askCategories(of, l.places, strange, arrivals(random(seed, 61), l.places), l.res, samples, seed)
	})
	for i, r := range results {
		if i < n {
			l.results = append(l.results, nil)
		}
		l.results[i%n] = append(l.results[i%n], r)
	}
}
