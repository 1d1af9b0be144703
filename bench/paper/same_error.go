package main

import (
	"math"
	"sort"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// sized is points that the paper's structure counts in the paper's bytes, and
// what is needed to count them as closely.
type sized struct {
	name   string
	paper  attempt
	places []place
}

// sizedCases are the spatial points of the other sections.
func sizedCases(c report.Config) []*sized {
	crowds, _ := crowds(c, report.Pick(c, []float64{1}, []float64{1}, []float64{1, 2}))
	bytes := urbanBytes(c)
	cases := report.Column(crowds, func(w *crowd) *sized {
		return &sized{name: w.name, paper: attempt{urbanCascade.structure, bytes}, places: w.places}
	})
	piled, _ := covidPile(c.Data)
	cases = append(cases, &sized{name: "COVID-19", paper: attempt{urbanCascade.structure, bytes}, places: piled.occupied()})
	for _, of := range globePoints[:report.Pick(c, 1, 1, 2)] {
		places, _ := of.read(c.Data, of.res)
		cases = append(cases, &sized{name: of.name, paper: attempt{paperCascade, uint64(bytesPerCell * float64(len(places)))}, places: places})
	}
	cases = append(cases, &sized{name: "like the paper's events", paper: attempt{paperCascade, categoryBytes}, places: events()})
	if c.Scale == report.Tiny {
		for _, z := range cases {
			lighten(z.places)
		}
	}
	return cases
}

// leastBytes is the smallest size that is tried: any layers fit.
const leastBytes = 512

// least is a structure's error in the least bytes in which it is not larger than
// the published one, as far as it falls with the bytes; and its error in the size
// before. Sizes grow by a factor of step.
func (z *sized) least(of structure, published report.Figures, points []int32, step float64, seed uint64) (found, before report.Figures) {
	bytes := func(i int) uint64 { return uint64(leastBytes * math.Pow(step, float64(i))) }
	tried := map[int]report.Figures{}
	try := func(i int) report.Figures {
		if tried[i] == nil {
			tried[i] = of.judge(z.places, points, bytes(i), seed)
		}
		return tried[i]
	}
	most := sort.Search(1<<20, func(i int) bool { return float64(bytes(i)) > 2*published["bytes"] })
	at := sort.Search(most, func(i int) bool { return try(i)["mean"] <= published["mean"] })
	report.Require(at < most, "%s, %s: further off than the paper's structure in twice its bytes", z.name, of.name)
	return try(at), try(max(at-1, 0))
}

// measure finds the sizes: of the paper's structure, of our defaults and with a step
// less, and in the dense form.
func (z *sized) measure(step float64) []report.Figures {
	seed := seedOf(0)
	points := arrivals(random(seed, 83), z.places)
	published := z.paper.judge(z.places, points, z.paper.bytes, seed)
	ours, low := z.least(ourDefaults, published, points, step, seed)
	dense, _ := z.least(denseDefaults, published, points, step, seed)
	for _, f := range []report.Figures{published, ours, low, dense} {
		f["of paper's"], f["a cell"] = f["bytes"]/published["bytes"], f["bytes"]/float64(len(z.places))
	}
	return []report.Figures{published, ours, low, dense}
}

// sameError asks how many bytes our defaults need to be as close as the paper's
// structures.
func sameError(c report.Config, s *report.Section) {
	step := report.Pick(c, 1.5, 1.2, 1.02)
	cases := sizedCases(c)
	s.Set("step", 100*(step-1), "advised", 2*paperCounters)
	for i, of := range report.Parallel(len(cases), func(i int) []report.Figures { return cases[i].measure(step) }) {
		at := report.At{"points": cases[i].name, "cells": len(cases[i].places)}
		s.RecordEach(at, "structure", []string{"the paper's", "defaults", "a step less", "exact: false"}, [][]report.Figures{of})
	}
	var lines []report.Series
	for i, name := range []string{"the paper's", "defaults", "exact: false"} {
		of := s.Where("structure", name)
		lines = append(lines, report.Series{Label: name, Style: i, Only: report.Marks, X: report.Column(cases, func(z *sized) float64 { return float64(len(z.places)) }), Y: of.All("a cell")})
	}
	s.Plot("bytes", []report.Panel{{X: "cells with points", Y: "bytes a cell", LogX: true, LogY: true, Legend: report.TopRight, Series: lines}})
}
