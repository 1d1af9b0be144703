package main

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// What the CascadeCBF paper says outside its tables and figures.

// overcount is equation 2 of section 3: the total overcount of t insertions of n
// keys into m counters is said to be about k t/n (1 - e^(-kn/m)).
func overcount(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 5, 20)
	own := zipfOf(c, 0)
	s.Set("seeds", seeds, "draws", own.draws, "k", paperK)
	var panels []report.Panel
	for _, own.alpha = range []float64{1, 1.5, 2} {
		for _, counters := range []int{1 << 13, 1 << 15, 1 << 17} {
			for i, of := range transposed(report.Parallel(seeds, func(i int) []report.Figures { return own.overcounts(counters, seedOf(i)) })) {
				keys := report.MeanOf(of, func(f report.Figures) float64 { return f["keys"] })
				equation := paperK * float64(own.draws) / keys * -math.Expm1(-paperK*keys/float64(counters))
				at := report.At{"alpha": own.alpha, "counters": counters, "mode": []string{"standard", "mi"}[i]}
				for _, f := range of {
					f["equation 2"], f["of equation 2"], f["one key"], f["one key of equation 2"] = equation, f["total"]/equation, f["total"]/keys, f["total"]/keys/equation
					f["bound"] = keys * paperK * float64(own.draws) / float64(counters)
				}
				s.Record(at, of...)
			}
		}
		d := s.Where("alpha", own.alpha)
		lines := append(d.Where("mode", "mi").Lines("alpha", "counters", "equation 2"), d.Lines("mode", "counters", "total")...)
		for i := range lines {
			lines[i].Style = i
		}
		lines[0].Label = "equation 2"
		panels = append(panels, report.Panel{Title: fmt.Sprintf("alpha %g", own.alpha), X: "counters", Y: "total overcount", LogX: true, LogY: true, Series: lines})
	}
	panels[0].Legend = report.BottomLeft
	s.Plot("total", panels)
}

// overcounts are the keys that occur and the sum of (estimate - count) over them, of
// modes standard and mi.
func (z zipfData) overcounts(counters int, seed uint64) (out []report.Figures) {
	places, points := z.draw(seed)
	for _, mode := range []ccbf.Mode{ccbf.Standard, ccbf.MinimalIncrement} {
		a := cascadeOf("", paperK, mode, parts(1, 16)).count(places, points, 1, uint64(2*counters), seed)
		of := report.Figures{}
		for k := range places {
			if n := places[k].points; n > 0 {
				of["total"] += float64(a.count(&places[k]) - n)
				of["keys"]++
			}
		}
		out = append(out, of)
	}
	return out
}

// raised are counters of any size, raised as those of a first layer without an end.
func raised(places []place, points []int32, m, k uint64, mode ccbf.Mode) []uint64 {
	counters := make([]uint64, m)
	for _, i := range points {
		h1, h2 := places[i].hash(seedOf(0))
		least := uint64(math.MaxUint64)
		for j := range k {
			least = min(least, counters[(h1+(j+1)*(h2|1))%m])
		}
		for j := range k {
			if c := &counters[(h1+(j+1)*(h2|1))%m]; mode == ccbf.Standard || *c == least {
				*c++
			}
		}
	}
	return counters
}

// layers is what sections 3 and 6 say of the layers: that 1 to 5% of the counters of
// the first one overflow, and that those of 16 and 32 bits take 2.5 bytes.
func layers(c report.Config, s *report.Section) {
	const k = 4 // section 6
	type kind struct {
		name   string
		places []place
	}
	kinds := []kind{{"like the paper's events", events()}}
	for _, alpha := range []float64{1, 1.5, 2} {
		places, _ := zipfOf(c, alpha).draw(seedOf(0))
		kinds = append(kinds, kind{fmt.Sprintf("figure 3, alpha %g", alpha), (&pile{places: places}).occupied()})
	}
	crimes, what := crimeRaster(c.Data)
	if c.Scale == report.Tiny {
		crimes = crimes[:5000]
	}
	cases, covidWhat := covidPile(c.Data)
	kinds = append(kinds, kind{"crimes", crimes}, kind{"COVID-19", cases.occupied()})
	s.Set("counters", paperCounters, "k", k, "crimes", what, "covid", covidWhat)
	for row, of := range kinds {
		if c.Scale == report.Tiny {
			lighten(of.places)
		}
		points := arrivals(random(seedOf(0), 96), of.places)
		hot := float64(report.Count(of.places, func(p place) bool { return p.points >= 1<<15 })) / float64(len(of.places))
		for _, mode := range []ccbf.Mode{ccbf.Standard, ccbf.MinimalIncrement} {
			counters := raised(of.places, points, uint64(paperCounters*len(of.places)), k, mode)
			for _, w := range []int{4, 8, 16} {
				over := float64(report.Count(counters, func(v uint64) bool { return v>>(w-1) > 0 })) / float64(len(counters))
				s.Record(report.At{"points": of.name, "row": row + 1, "cells": len(of.places), "mode": mode, "bits": w}, report.Figures{"over": over, "percent": 100 * over, "hot": hot})
			}
		}
	}
	layersOfCrimes(s, crimes, k)
	lines := s.Where("mode", ccbf.MinimalIncrement).Lines("bits", "row", "percent")
	for i := range lines {
		lines[i].Label += " bits"
		lines[i].Only = report.Marks
	}
	s.Plot("overflow", []report.Panel{{X: "points", Y: "counters that overflow in percent", LogY: true, Legend: report.TopRight, Series: lines}})
}

// layersOfCrimes are the bytes of layers.
func layersOfCrimes(s *report.Section, crimes []place, k int) {
	n := uint64(paperCounters * len(crimes))
	points := arrivals(random(seedOf(0), 97), crimes)
	base := 0.0
	for _, of := range []struct {
		name     string
		widths   []int
		counters []uint64
	}{
		{"32 bits", []int{32}, []uint64{n}}, {"16 and 32 bits, an eighth", []int{16, 32}, []uint64{n / 8 * 8, n / 8}},
		{"16 and 32 bits, a 64th", []int{16, 32}, []uint64{n / 64 * 64, n / 64}}, {"our defaults", nil, nil},
	} {
		p := ccbf.Params{Res: 1, Dense: of.widths != nil, Widths: of.widths, Counters: of.counters, Overflow: ccbf.ToCounters, Seed: seedOf(0)}
		if p.Dense {
			p.K = k
		} else {
			p.Bytes = 4 * n
		}
		f := structure{of.name, func([]place, []int32, float64, uint64, uint64) answers { return cascaded(p, crimes, points) }}.judge(crimes, points, 0, 0)
		if base == 0 {
			base = f["bytes"]
		}
		f["a counter"], f["saved"] = f["bytes"]/float64(n), 1-f["bytes"]/base
		s.Record(report.At{"structure": of.name}, f)
	}
}

// lookups is what section 5.2 says of queries: that their times are similar.
func lookups(c report.Config, s *report.Section) {
	rounds := report.Pick(c, 1, 7, 25)
	all, text := streams(c, report.Pick(c, 2000, 50_000, 1<<17))
	s.Set("piece", pieceLen, "text", text, "rounds", rounds)
	var rows []report.Row
	for _, x := range all {
		present, absent := x.lookups(rounds)
		for i, r := range racers {
			yes, no := present[i]/present[3], absent[i]/absent[3]
			s.Record(report.At{"points": x.name, "structure": r.name}, report.Figures{"there": yes, "not there": no})
			rows = append(rows, report.Row{Name: x.name + ": " + r.name, Kind: "there", At: yes, Lo: yes, Hi: yes}, report.Row{Name: x.name + ": " + r.name, Kind: "not there", At: no, Lo: no, Hi: no})
		}
	}
	s.PlotRows("ratio", "time / textbook's Count-Min", rows)
}

// cancel is what section 4 says of sums: that errors cancel in large areas.
func cancel(c report.Config, s *report.Section) {
	boxes := report.Pick(c, 20, 200, 1000)
	cells, counts, what := crimes(c.Data, 0.01)
	places := make([]place, len(cells))
	bounds := grid.EmptyRect()
	for i, cell := range cells {
		places[i] = place{Cell: cell, points: counts[i]}
		bounds = bounds.Extend(cell)
	}
	if c.Scale == report.Tiny {
		lighten(places)
		for i := range counts {
			counts[i] = places[i].points
		}
	}
	truth := newArea(cells, counts)
	s.Set("what", what, "k", paperK, "boxes", boxes)
	for _, perCell := range []uint64{4, 2} {
		a := paperCascade.count(places, arrivals(random(seedOf(0), 98), places), 0.01, 2*perCell*uint64(len(cells)), seedOf(0))
		s.Set("bytes", a.bytes)
		r := random(seedOf(0), 99)
		one := 0.0
		for _, side := range []int64{1, 4, 16, 64, 256} {
			var each []float64
			excess, points, low := 0.0, 0.0, 0.0
			for range boxes * int(max(1, 256/(side*side))) { // of small ones more
				x, y := bounds.MinX+r.Int64N(bounds.MaxX-bounds.MinX-side+2), bounds.MinY+r.Int64N(bounds.MaxY-bounds.MinY-side+2)
				box := grid.Rect{MinX: x, MinY: y, MaxX: x + side - 1, MaxY: y + side - 1}
				want, got := float64(truth.sum(box)), float64(report.Must(a.view.BoxSum(box, nil)))
				if got < want {
					low++
				}
				each = append(each, (got-want)/float64(side*side))
				excess, points = excess+got-want, points+want
			}
			mean := report.Mean(each)
			if side == 1 {
				one = mean
			}
			s.Record(report.At{"counters": perCell, "side": side}, report.Figures{"mean": mean, "of one": mean / one, "deviation": report.Deviation(each) / mean, "low": low, "asked": float64(len(each)), "excess": excess / points})
		}
	}
	lines := s.Lines("counters", "side", "deviation")
	for i := range lines {
		lines[i].Label += " counters a cell"
	}
	s.Plot("deviation", []report.Panel{{X: "side of the square in cells", Y: "deviation / mean", LogX: true, LogY: true, Legend: report.TopRight, Series: lines}})
}
