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

// Points that are made of others, or of what is published of them.

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

// urbanDraws is how many pickups the paper has. Section 5.2.4.
const urbanDraws = 987_000

// fine is how many parts of a cell a pickup's place is known to: a tenth of an
// inch or so.
const fine = 1 << 12

// crowds are points of the pickups on a raster within the limits of New York, drawn with
// kernels of several bandwidths, in parts of the rule's, and those of the UK file.
func crowds(c report.Config, bandwidths []float64) (all []points, text string) {
	pickups, crimes := taxis.raster(c.Data, -74.26, 40.49, -73.70, 40.92, fine), crimeRaster(c)
	n := report.Pick(c, 10_000, urbanDraws, urbanDraws)
	rule := nearest(pickups.places)
	for _, x := range bandwidths {
		drawn := draw(random(seedOf(0), 82), pickups.places, x*rule, n)
		drawn.name = fmt.Sprintf("pickups, bandwidth x %v", x)
		all = append(all, drawn)
	}
	text = fmt.Sprintf("%d points drawn from %d %s: from their kernel density, with a normal kernel whose bandwidth is "+
		"the median distance of a pickup to the nearest other one, %.2f of a cell, and multiples of that, on %d x %[5]d cells over the limits "+
		"of the city; and as a second case %[6]s, on as many cells over all of them", n, pickups.total(), pickups.what, rule/fine, rasterSide, crimes.what)
	return append(all, crimes), text
}

// nearest is the median over all points of the distance to the nearest other
// one.
func nearest(places []place) float64 {
	byX := slices.Clone(places)
	slices.SortFunc(byX, func(a, b place) int { return int(a.X - b.X) })
	var distances []float64
	for i, p := range byX {
		least := math.Inf(1)
		if p.points > 1 {
			least = 0
		}
		look := func(j int) bool {
			dx, dy := float64(byX[j].X-p.X), float64(byX[j].Y-p.Y)
			least = min(least, math.Hypot(dx, dy))
			return math.Abs(dx) < least
		}
		for j := i + 1; j < len(byX) && look(j); j++ {
		}
		for j := i - 1; j >= 0 && look(j); j-- {
		}
		distances = append(distances, slices.Repeat([]float64{least}, int(p.points))...)
	}
	slices.Sort(distances)
	return distances[len(distances)/2]
}

// draw draws n points from the kernel density of places in parts of a cell, with a normal
// kernel of that bandwidth.
func draw(r *rand.Rand, places []place, bandwidth float64, n int) points {
	p := newPile("", "", 1)
	// A point is anywhere in its part of a cell.
	near := func(part int64) int64 {
		return int64(math.Floor((float64(part) + r.Float64() + bandwidth*r.NormFloat64()) / fine))
	}
	for _, i := range sample(r, places, n) {
		x := near(places[i].X)
		p.add(grid.Cell{X: x, Y: near(places[i].Y)}, 1)
	}
	return p.points
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
func events() points {
	below := make([]float64, eventCells) // the largest, in standard deviations
	for i := range below {
		below[i] = math.Sqrt2 * (math.Erfinv(2*(float64(i)+0.5)/eventCells-1) - math.Erfinv(1-1.0/eventCells))
	}
	pointsOf := func(sigma float64, i int) float64 { return math.Ceil(eventMost * math.Exp(sigma*below[i])) }
	// The larger sigma, the more of the points are in the fullest cells.
	sigma := float64(sort.Search(10_000, func(thousandths int) bool {
		total := 0.0
		for i := range below {
			total += pointsOf(float64(thousandths)/1000, i)
		}
		return total <= eventPoints
	})) / 1000
	rank := random(seedOf(0), 63).Perm(eventCells)
	p := points{name: "like the paper's events", res: 1}
	from := 0
	for category, to := range eventShares {
		for i := range eventCells {
			if part := i % 100; from <= part && part < to {
				at := place{grid.Cell{X: int64(i % 360), Y: int64(i / 360)}, []byte{byte('a' + category)}, uint64(pointsOf(sigma, rank[i]))}
				p.places = append(p.places, at)
			}
		}
		from = to
	}
	return p
}
