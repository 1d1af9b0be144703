package main

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// TestInTurn: every round runs all, every other one backwards, what is fresh
// before each, and the first is not counted.
func TestInTurn(t *testing.T) {
	var order []string
	mark := func(name string) func() {
		return func() { order = append(order, name) }
	}
	b := &bench{Section: new(report.Section), rounds: 2}
	got := b.inTurn("", contender{name: "a", fresh: mark("-"), run: mark("a")}, contender{name: "b", run: mark("b")})
	if want := []string{"-", "a", "b", "b", "-", "a", "-", "a", "b"}; !slices.Equal(order, want) {
		t.Errorf("ran %v, want %v", order, want)
	}
	if len(got) != 2 || len(got[0]) != 2 || len(got[1]) != 2 {
		t.Errorf("samples are %v, want two of two rounds", got)
	}
	failed := errors.New("failed")
	if err := report.Try(func() { b.inTurn("", contender{name: "a", run: func() { report.Check(failed) }}) }); !errors.Is(err, failed) {
		t.Errorf("error is %v", err)
	}
}

// TestCompare: every contender but the first is recorded, with what the tables say of it.
func TestCompare(t *testing.T) {
	b := &bench{Section: new(report.Section), rounds: 3}
	nothing := func() {}
	r := b.compare("work", report.At{"cells": 7}, contender{name: "table", run: nothing}, contender{name: "a", run: nothing}, contender{name: "b", run: nothing})
	if len(r) != 2 || len(r[1].rounds) != 3 || len(r[1].took) != 3 {
		t.Errorf("compared are %v", r)
	}
	for i, way := range []string{"a", "b"} {
		if got := b.All("ratio", "what", "work", "way", way, "cells", 7); !slices.Equal(got, r[i].rounds) {
			t.Errorf("recorded of %s is %v, want %v", way, got, r[i].rounds)
		}
	}
}

// TestClaims: at most 1 of what was promised keeps a promise, whichever way
// it was given.
func TestClaims(t *testing.T) {
	r := rounds{1, 2, 4}
	took := compared{took: r} // in seconds
	for _, c := range []struct {
		name string
		got  claim
		want rounds
	}{
		{"at most", r.atMost("", 2), rounds{0.5, 1, 2}},
		{"at least", r.atLeast("", 2), rounds{2, 1, 0.5}},
		{"within", took.within("", 2*time.Second, ""), rounds{0.5, 1, 2}},
		{"rate", took.rate("", "", 100, 50, ""), rounds{0.5, 1, 2}}, // 100, 50 and 25 a second
	} {
		if !slices.Equal(c.got.part, c.want) {
			t.Errorf("%s: %v of the promise, want %v", c.name, c.got.part, c.want)
		}
	}
	if got := worst([]claim{r.atMost("a", 4), r.atMost("b", 1), r.atMost("c", 2)}); got.what != "b" {
		t.Errorf("worst is %q, want b", got.what)
	}
	if got, want := r.String(), "2 (1 to 4)"; got != want {
		t.Errorf("rounds are %q, want %q", got, want)
	}
}

// TestNumbers: keys differ within a stream and between two.
func TestNumbers(t *testing.T) {
	seen := map[uint64]bool{}
	for stream := range uint64(2) {
		for _, k := range numbers(10_000, stream) {
			if seen[k] {
				t.Fatalf("%d is there twice", k)
			}
			seen[k] = true
		}
	}
}
