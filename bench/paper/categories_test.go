package main

import (
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// TestEvents: the made-up events are as many as the paper's, but for less than a
// point in each cell, and in as many cells.
func TestEvents(t *testing.T) {
	places := events()
	most := uint64(0)
	cells := map[grid.Cell]bool{}
	for i := range places {
		most = max(most, places[i].points)
		cells[places[i].Cell] = true
	}
	if n := total(places); n > eventPoints || n < eventPoints-eventCells {
		t.Errorf("%d points", n)
	}
	if most != eventMost || len(places) != eventCells || len(cells) != eventCells {
		t.Errorf("%d at most, %d places, %d cells", most, len(places), len(cells))
	}
	for i, of := range byCategory(places) {
		upTo := eventShares[i]
		if i > 0 {
			upTo -= eventShares[i-1]
		}
		if len(of) != eventCells/100*upTo {
			t.Errorf("%d cells of category %q", len(of), of[0].category)
		}
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
		if p.points != 0 {
			t.Errorf("%v has %d points", p.Cell, p.points)
		}
		got = append(got, string(p.category)+map[grid.Cell]string{a: "a", b: "b", c: "c"}[p.Cell])
	}
	if want := []string{"ub", "va", "vc"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
