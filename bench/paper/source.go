package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/spatial/kdtree"
)

// random returns the random generator of an experiment. Equal arguments give the same sequence.
func random(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// seedOf returns the i-th seed of an experiment, a large number.
func seedOf(i int) uint64 { return uint64(i+1) * 0x9e3779b97f4a7c15 }

// hashes are the two halves of the hashes of several keys.
type hashes struct{ h1, h2 []uint64 }

// numbers returns the hashes of n consecutive whole numbers.
func numbers(seed, first uint64, n int) hashes {
	vs, h := make([]uint64, n), hashes{make([]uint64, n), make([]uint64, n)}
	for i := range vs {
		vs[i] = first + uint64(i)
	}
	key.HashUint64s(seed, vs, h.h1, h.h2)
	return h
}

// absent is the first of the numbers that no experiment inserts.
const absent = 1 << 40

func (h hashes) len() int { return len(h.h1) }

func (h hashes) slice(from, to int) hashes { return hashes{h.h1[from:to], h.h2[from:to]} }

// pick returns the hashes with these indexes.
func pick(h hashes, order []int) hashes {
	out := hashes{make([]uint64, len(order)), make([]uint64, len(order))}
	for at, i := range order {
		out.h1[at], out.h2[at] = h.h1[i], h.h2[i]
	}
	return out
}

// counter is a sketch that returns counts.
type counter interface {
	CountHashes(dst, h1s, h2s []uint64)
}

// counts returns the estimates of keys.
func counts(c counter, h hashes) []uint64 {
	dst := make([]uint64, h.len())
	c.CountHashes(dst, h.h1, h.h2)
	return dst
}

// zipf draws ranks 0 to n-1 with probabilities proportional to (rank+1)^-skew. With a skew of 0 all
// ranks are equally likely. Its values are, for each rank, the probability of this rank and all
// smaller ones.
type zipf []float64

func newZipf(n int, skew float64) zipf {
	z := make(zipf, n)
	sum := 0.0
	for i := range z {
		sum += math.Pow(float64(i+1), -skew)
		z[i] = sum
	}
	for i := range z {
		z[i] /= sum
	}
	return z
}

// stream returns n draws.
func (z zipf) stream(r *rand.Rand, n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = min(sort.SearchFloat64s(z, r.Float64()), len(z)-1)
	}
	return s
}

// bloomRate returns the false positive rate of m bits or counters with n keys and k independent
// hash functions. k can be fractional.
func bloomRate(m, n, k float64) float64 { return math.Pow(-math.Expm1(-n*k/m), k) }

// pieceLen is the number of keys per call in race.
const pieceLen = 4096

// laps are the times of a function for each piece of some keys. Each is the least of several rounds, so that
// other load of the machine does not count.
type laps []float64

// run times a function on the pieces.
func (l *laps) run(h hashes, f func(hashes)) {
	if *l == nil {
		*l = slices.Repeat([]float64{math.Inf(1)}, (h.len()+pieceLen-1)/pieceLen)
	}
	for i := range *l {
		part := h.slice(i*pieceLen, min((i+1)*pieceLen, h.len()))
		(*l)[i] = min((*l)[i], report.Timed(func() { f(part) }))
	}
}

// race times functions on the same keys, in seconds per key. They take turns, each on all keys.
func race(h hashes, rounds int, fs ...func(hashes)) []float64 {
	took := make([]laps, len(fs))
	for round := range rounds {
		for turn := range fs {
			i := (turn + round) % len(fs) // none runs twice in a row, with what it needs still in the caches
			took[i].run(h, fs[i])
		}
	}
	return report.Column(took, func(l laps) float64 { return floats.Sum(l) / float64(h.len()) })
}

// leastOf returns the first element with the smallest value.
func leastOf[T any](all []T, value func(T) float64) T {
	return slices.MinFunc(all, func(a, b T) int { return cmp.Compare(value(a), value(b)) })
}

// yesNo returns 1 for true and 0 for false.
func yesNo(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// transposed returns the columns of rows.
func transposed[T any](rows [][]T) [][]T {
	out := make([][]T, len(rows[0]))
	for _, row := range rows {
		for i, v := range row {
			out[i] = append(out[i], v)
		}
	}
	return out
}

// This part makes points from other points, or from published descriptions.

// sample draws n points of places at random with replacement, and returns the indexes of their
// places.
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

// urbanDraws is the paper's number of pickups. Section 5.2.4.
const urbanDraws = 987_000

// fine is the number of parts of a cell in each direction to which a pickup's place is known.
const fine = 1 << 12

// crowds returns points drawn from the kernel density of New York's pickups, with several
// bandwidths as multiples of a rule. It also returns the points of the UK file. Each data set is on
// its own raster.
func crowds(c report.Scale, bandwidths []float64) (all []points, text string) {
	pickups, crimes := taxis.raster(-74.26, 40.49, -73.70, 40.92, fine), uk.raster(-8.1, 49.9, 1.8, 57.6, 1)
	crimes.name, crimes.places = "crimes", crimes.places[:report.Pick(c, 5000, len(crimes.places), len(crimes.places))]
	n := report.Pick(c, 10_000, urbanDraws, urbanDraws)
	rule := nearest(pickups.places)
	for _, x := range bandwidths {
		drawn := draw(random(seedOf(0), 82), pickups.places, x*rule, n)
		drawn.name = fmt.Sprintf("pickups, bandwidth x %v", x)
		all = append(all, drawn)
	}
	text = fmt.Sprintf("%d points drawn from the kernel density of %d %s. The kernel is normal. Its bandwidth is "+
		"the median distance of a pickup to the nearest other one, %.2f of a cell, or a multiple. The raster has %d x %[5]d cells over the limits "+
		"of the city. A second case is %[6]s. They have as many cells over all of them", n, pickups.total(), pickups.what, rule/fine, rasterSide, crimes.what)
	return append(all, crimes), text
}

// nearest returns the median distance of a point to the nearest other point.
func nearest(places []place) float64 {
	tree := kdtree.New(kdtree.Points(report.Column(places, place.at)), false)
	var distances []float64
	for _, p := range places {
		two := kdtree.NewNKeeper(2) // the place itself, and the nearest other one
		tree.NearestSet(two, p.at())
		least := math.Sqrt(two.Heap[1].Dist)
		if p.points > 1 {
			least = 0
		}
		distances = append(distances, slices.Repeat([]float64{least}, int(p.points))...)
	}
	slices.Sort(distances)
	return distances[len(distances)/2]
}

func (p place) at() kdtree.Point { return kdtree.Point{float64(p.X), float64(p.Y)} }

// draw draws n points from the kernel density of places, which are in parts of a cell, with a
// normal kernel.
func draw(r *rand.Rand, places []place, bandwidth float64, n int) points {
	p := points{res: 1}
	// near returns a coordinate in cells near a part of a cell. The point is at a random place in the
	// part, moved by the kernel.
	near := func(part int64) int64 {
		return int64(math.Floor((float64(part) + r.Float64() + bandwidth*r.NormFloat64()) / fine))
	}
	for _, i := range sample(r, places, n) {
		x := near(places[i].X)
		p.add(grid.Cell{X: x, Y: near(places[i].Y)}, 1)
	}
	return p
}

// The paper's description of its events: their number, the number of cells, the points of the
// fullest cell, and cumulative percentages of the categories. Sections 5.2 and 5.2.1.
const (
	eventPoints = 1_900_000
	eventCells  = 20_000
	eventMost   = 33_051
)

var eventShares = []int{46, 60, 91, 100}

// events returns synthetic places like the paper's, by category, row and column, with one key per
// cell. Their points are the quantiles of the lognormal distribution that has the paper's total and
// largest value.
func events() points {
	below := make([]float64, eventCells) // logarithm of each cell's points minus that of the fullest cell, in standard deviations
	for i := range below {
		below[i] = math.Sqrt2 * (math.Erfinv(2*(float64(i)+0.5)/eventCells-1) - math.Erfinv(1-1.0/eventCells))
	}
	pointsOf := func(sigma float64, i int) float64 { return math.Ceil(eventMost * math.Exp(sigma*below[i])) }
	// The fullest cell always has eventMost points. A larger sigma leaves fewer points to the other
	// cells, so a binary search finds the sigma with a total of eventPoints.
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
