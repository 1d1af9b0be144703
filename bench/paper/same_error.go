package main

import (
	"fmt"
	"math"
	"sort"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// sized is points that the paper's structure counts in the paper's bytes, and
// what is needed to count them as closely.
type sized struct {
	name   string
	paper  attempt
	places []place

	published       judged  // of the paper's structure
	defaults, dense judged  // with the least bytes that are no further off
	low             float64 // error of the defaults with a little less
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
func (z *sized) least(of structure, points []int32, step float64, seed uint64) (found judged, before float64) {
	bytes := func(i int) uint64 { return uint64(leastBytes * math.Pow(step, float64(i))) }
	tried := map[int]judged{}
	try := func(i int) judged {
		j, known := tried[i]
		if !known {
			j = of.judge(z.places, points, bytes(i), seed)
			tried[i] = j
		}
		return j
	}
	most := sort.Search(1<<20, func(i int) bool { return bytes(i) > 2*z.published.bytes })
	at := sort.Search(most, func(i int) bool { return try(i).mean <= z.published.mean })
	report.Require(at < most, "%s, %s: further off than the paper's structure in twice its bytes", z.name, of.name)
	return try(at), try(max(at-1, 0)).mean
}

// measure finds the sizes.
func (z *sized) measure(step float64) {
	seed := seedOf(0)
	points := arrivals(random(seed, 83), z.places)
	z.published = z.paper.judge(z.places, points, z.paper.bytes, seed)
	z.defaults, z.low = z.least(ourDefaults, points, step, seed)
	z.dense, _ = z.least(denseDefaults, points, step, seed)
}

// share is what part of the paper's bytes is needed.
func (z *sized) share(j judged) float64 { return float64(j.bytes) / float64(z.published.bytes) }

// sameError asks how many bytes our defaults need to be as close as the paper's
// structures.
func sameError(c report.Config, s *report.Section) {
	step := report.Pick(c, 1.5, 1.2, 1.02)
	cases := sizedCases(c)
	report.Parallel(len(cases), func(i int) struct{} {
		cases[i].measure(step)
		return struct{}{}
	})
	s.Text("For the points of the sections above: the mean error of a cell of the paper's structure in the paper's bytes, and the least `bytes` with which our defaults are no further off, found by bisection in steps of %.0f%%, "+
		"with one seed. Defaults keep an exact list as long as it fits; `exact: false` counts in the dense form from the first point on, as where more cells come than fit.", 100*(step-1))
	t := s.Table("points", "cells with points", "the paper's structure: bytes", "mean error", "our defaults: bytes", "of the paper's", "mean error", "with a step less", "`exact: false`: bytes", "of the paper's", "mean error")
	var lines [3]report.Series
	lines[0].Label, lines[1].Label, lines[2].Label = "the paper's", "defaults", "exact: false"
	worst := 0.0
	for _, z := range cases {
		t.Row(z.name, len(z.places), z.published.bytes, report.Percent2(z.published.mean), z.defaults.bytes, report.Percent(z.share(z.defaults)), report.Percent2(z.defaults.mean), report.Percent2(z.low),
			z.dense.bytes, report.Percent(z.share(z.dense)), report.Percent2(z.dense.mean))
		for i, j := range []judged{z.published, z.defaults, z.dense} {
			lines[i].X, lines[i].Y = append(lines[i].X, float64(len(z.places))), append(lines[i].Y, float64(j.bytes)/float64(len(z.places)))
			lines[i].Style, lines[i].Only = i, report.Marks
		}
		worst = max(worst, z.share(z.defaults))
		s.Compare(fmt.Sprintf("%s: bytes for the error of the paper's structure", z.name), "-").
			Paper(fmt.Sprintf("%s in %s bytes", report.Percent2(z.published.mean), sketch.Number(z.published.bytes))).Defaults(report.Percent2(z.defaults.mean)).
			Bytes(fmt.Sprintf("%s, %s", bytesOf(int(z.defaults.bytes), int(z.published.bytes)), report.Percent(z.share(z.defaults)))).
			Worse(z.share(z.defaults) > 0.1, fmt.Sprintf("more than a tenth: the paper's structure has %s bytes a cell here, for which it advises %d", report.Num(float64(z.published.bytes)/float64(len(z.places))), 2*paperCounters))
	}
	s.Short("our defaults are as close as the paper's structures in at most %s of the bytes, and exact.", report.Percent(worst))
	s.Figure("bytes", "Bytes for each cell with points at the error of the paper's structure.", []report.Panel{{
		X: "cells with points", Y: "bytes a cell", LogX: true, LogY: true, Legend: report.TopRight, Series: lines[:],
	}})
}
