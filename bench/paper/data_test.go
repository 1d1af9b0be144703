package main

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// TestZipf: frequencies follow the law within 4 standard errors.
func TestZipf(t *testing.T) {
	const n, draws = 50, 200_000
	for _, skew := range []float64{0, 0.5, 1, 2} {
		norm := 0.0
		for i := range n {
			norm += math.Pow(float64(i+1), -skew)
		}
		seen := make([]int, n)
		for _, i := range newZipf(n, skew).stream(random(1, 2), draws) {
			seen[i]++
		}
		for i, got := range seen {
			p := math.Pow(float64(i+1), -skew) / norm
			z := (float64(got) - draws*p) / math.Sqrt(draws*p*(1-p))
			require.LessOrEqual(t, math.Abs(z), 4.0, "skew %v: rank %d came %d times", skew, i+1, got)
		}
	}
}

// TestBloomRate: a filter with half of its bits set finds an absent key with a probability of 2^-k.
func TestBloomRate(t *testing.T) {
	require.InDelta(t, 1.0/1024, bloomRate(1000, 100*math.Ln2, 10), 1e-15)
}

// TestEvents checks that the synthetic events have the paper's number of cells. Their number
// differs from the paper's by less than one point per cell.
func TestEvents(t *testing.T) {
	p := events()
	places := p.places
	most := uint64(0)
	cells := map[grid.Cell]bool{}
	for i := range places {
		most = max(most, places[i].points)
		cells[places[i].Cell] = true
	}
	require.InDelta(t, eventPoints-eventCells/2, p.total(), eventCells/2)
	require.Equal(t, []int{eventMost, eventCells, eventCells}, []int{int(most), len(places), len(cells)}, "the most, places and cells")
	for i, of := range byCategory(places) {
		upTo := eventShares[i]
		if i > 0 {
			upTo -= eventShares[i-1]
		}
		require.Len(t, of, eventCells/100*upTo, "cells of category %q", of[0].category)
	}
}

func TestStrangers(t *testing.T) {
	a, b, c := grid.Cell{X: 5, Y: 1}, grid.Cell{X: -5, Y: 2}, grid.Cell{X: 7, Y: 2}
	var got []string
	for _, p := range strangers([]place{
		{Cell: a, category: []byte("u"), points: 1}, {Cell: c, category: []byte("u"), points: 1},
		{Cell: b, category: []byte("v"), points: 1},
		{Cell: a, category: []byte("w"), points: 1}, {Cell: b, category: []byte("w"), points: 1}, {Cell: c, category: []byte("w"), points: 1},
	}) {
		require.Zero(t, p.points, "of %v", p.Cell)
		got = append(got, string(p.category)+map[grid.Cell]string{a: "a", b: "b", c: "c"}[p.Cell])
	}
	require.ElementsMatch(t, []string{"ub", "va", "vc"}, got)
}

// TestNearest compares nearest with a search of all pairs of points.
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
	// The median; of an even number the upper one.
	slices.Sort(distances)
	require.Equal(t, distances[len(distances)/2], nearest(places))
}

// TestDraw: points drawn from a single place have its mean and bandwidth. The mean of n draws has a
// deviation of bandwidth/sqrt(n), the variance a relative one of sqrt(2/n). Rounding to cells adds
// 1/12. Both are within four deviations.
func TestDraw(t *testing.T) {
	const n, bandwidth = 40_000, 20.0
	at := place{Cell: grid.Cell{X: 1000 * fine, Y: -500 * fine}, points: 3}
	var sum, square [2]float64
	points := 0.0
	for _, p := range draw(random(1, 85), []place{at}, bandwidth*fine, n).places {
		for axis, d := range []float64{float64(p.X) + 0.5 - 1000, float64(p.Y) + 0.5 + 500} {
			sum[axis] += float64(p.points) * d
			square[axis] += float64(p.points) * d * d
		}
		points += float64(p.points)
	}
	require.EqualValues(t, n, points)
	for axis := range sum {
		mean, variance := sum[axis]/n, square[axis]/n
		require.InDelta(t, 0, mean, 4*bandwidth/math.Sqrt(n), "axis %d", axis)
		require.InEpsilon(t, bandwidth*bandwidth+1.0/12, variance, 4*math.Sqrt(2.0/n), "axis %d", axis)
	}
}
