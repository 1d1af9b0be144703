package main

import (
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// TestNearest compares with all pairs of points.
func TestNearest(t *testing.T) {
	r := random(1, 84)
	var places []place
	for range 300 {
		places = append(places, place{Cell: grid.Cell{X: r.Int64N(400), Y: r.Int64N(4000)}, points: 1 + uint64(r.IntN(8)/7)})
	}
	var distances []float64
	for i, p := range places {
		least := math.Inf(1)
		for j, q := range places {
			if i != j {
				least = min(least, math.Hypot(float64(p.X-q.X), float64(p.Y-q.Y)))
			}
		}
		distances = append(distances, least)
		if p.points == 2 {
			distances[len(distances)-1] = 0
			distances = append(distances, 0)
		}
	}
	// The middle one in order, of an even number the upper: as many are below as above.
	got, below, above := nearest(places), 0, 0
	for _, d := range distances {
		if d < got {
			below++
		}
		if d > got {
			above++
		}
	}
	if n := len(distances); below > n/2 || above > n/2 || below+above == n {
		t.Errorf("%v has %d of %d below and %d above", got, below, n, above)
	}
}

// TestDraw: the kernel of a single place has its mean and its bandwidth. The mean
// of n draws deviates by bandwidth/sqrt(n), their variance by a part of
// sqrt(2/n), to which rounding to cells adds 1/12. Both are within four of that.
func TestDraw(t *testing.T) {
	const n, bandwidth = 40_000, 20.0
	at := place{Cell: grid.Cell{X: 1000 * fine, Y: -500 * fine}, points: 3}
	var sum, square [2]float64
	points := 0.0
	for _, p := range draw(random(1, 85), []place{at}, bandwidth*fine, n) {
		for axis, d := range []float64{float64(p.X) + 0.5 - 1000, float64(p.Y) + 0.5 + 500} {
			sum[axis] += float64(p.points) * d
			square[axis] += float64(p.points) * d * d
		}
		points += float64(p.points)
	}
	if points != n {
		t.Fatalf("%v points", points)
	}
	for axis := range sum {
		mean, variance := sum[axis]/n, square[axis]/n
		if math.Abs(mean) > 4*bandwidth/math.Sqrt(n) {
			t.Errorf("axis %d: mean %v", axis, mean)
		}
		if want := bandwidth*bandwidth + 1.0/12; math.Abs(variance/want-1) > 4*math.Sqrt(2.0/n) {
			t.Errorf("axis %d: variance %v, want %v", axis, variance, want)
		}
	}
}
