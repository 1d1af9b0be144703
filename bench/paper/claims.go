package main

import (
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
)

// What the CascadeCBF paper says of counters outside its tables and figures.

// overcount is equation 2 of section 3: the total overcount of t insertions of n
// keys into m counters is said to be about k t/n (1 - e^(-kn/m)).
func overcount(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 5, 20)
	data := zipfOf(c, 0)
	t := float64(data.draws)
	s.Set("seeds", seeds, "draws", data.draws, "k", paperK)
	for _, data.alpha = range []float64{1, 1.5, 2} {
		for _, counters := range []int{1 << 13, 1 << 15, 1 << 17} {
			for _, mode := range []ccbf.Mode{ccbf.Standard, ccbf.MinimalIncrement} {
				of := report.Parallel(seeds, func(i int) report.Figures { return data.overcount(mode, counters, seedOf(i)) })
				n := report.MeanOf(of, func(f report.Figures) float64 { return f["keys"] })
				equation := paperK * t / n * -math.Expm1(-paperK*n/float64(counters))
				for _, f := range of {
					f["equation 2"], f["of equation 2"], f["bound"] = equation, f["total"]/equation, n*paperK*t/float64(counters)
					f["one key"], f["one key of equation 2"] = f["total"]/n, f["total"]/n/equation
				}
				s.Record(report.At{"alpha": data.alpha, "counters": counters, "mode": mode}, of...)
			}
		}
	}
	p := report.Panel{X: "counters", Y: "total overcount", LogX: true, LogY: true, Legend: report.BottomLeft}
	s.Plot("total", s.Panels("alpha", "alpha %v", p, func(d *report.Data) []report.Series {
		equation := report.Drawn(d.Where("mode", "mi").Lines("alpha", "counters", "equation 2"), "equation 2%.0s", report.Both)
		return append(equation, report.Drawn(d.Lines("mode", "counters", "total"), "%s", report.Both, 1, 2)...)
	}))
}

// overcount are the keys that occur and the sum of (estimate - count) over them.
func (z zipfData) overcount(mode ccbf.Mode, counters int, seed uint64) report.Figures {
	p := z.draw(seed)
	a := cascadeOf("", paperK, mode, parts(1, 16)).count(p, uint64(2*counters), seed)
	of := report.Figures{}
	for _, at := range p.occupied().places {
		of["total"] += float64(a.count(&at) - at.points)
		of["keys"]++
	}
	return of
}

// raised are counters of any size, raised as those of a first layer without an end.
func raised(p points, m, k uint64, mode ccbf.Mode) []uint64 {
	counters := make([]uint64, m)
	for _, i := range p.order {
		h1, h2 := p.places[i].hash(seedOf(0))
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
	kinds := []points{events()}
	for _, alpha := range []float64{1, 1.5, 2} {
		kinds = append(kinds, zipfOf(c, alpha).draw(seedOf(0)).occupied())
	}
	crimes := crimeRaster(c).light(c)
	kinds = append(kinds, crimes, covidPile(c.Data).occupied())
	s.Set("counters", paperCounters, "k", k, "crimes", crimes.what, "covid", covidWhat)
	for row, p := range kinds {
		p = p.light(c).shuffled(seedOf(0), 96)
		hot := shareOf(p.places, func(p place) bool { return p.points >= 1<<15 })
		for _, mode := range []ccbf.Mode{ccbf.Standard, ccbf.MinimalIncrement} {
			counters := raised(p, uint64(paperCounters*len(p.places)), k, mode)
			for _, w := range []int{4, 8, 16} {
				over := shareOf(counters, func(v uint64) bool { return v>>(w-1) > 0 })
				s.Record(report.At{"points": p.name, "row": row + 1, "cells": len(p.places), "mode": mode, "bits": w},
					report.Figures{"over": over, "percent": 100 * over, "hot": hot})
			}
		}
	}
	layerBytes(s, crimes.shuffled(seedOf(0), 97), k)
	lines := report.Drawn(s.Where("mode", ccbf.MinimalIncrement).Lines("bits", "row", "percent"), "%s bits", report.Marks)
	s.Plot("overflow", []report.Panel{{X: "points", Y: "counters that overflow in percent", LogY: true, Legend: report.TopRight, Series: lines}})
}

// layerBytes are the bytes of layers.
func layerBytes(s *report.Section, p points, k int) {
	n := uint64(paperCounters * len(p.places))
	base := 0.0
	for _, of := range []struct {
		name     string
		widths   []int
		counters []uint64
	}{
		{"32 bits", []int{32}, []uint64{n}}, {"16 and 32 bits, an eighth", []int{16, 32}, []uint64{n / 8 * 8, n / 8}},
		{"16 and 32 bits, a 64th", []int{16, 32}, []uint64{n / 64 * 64, n / 64}}, {"our defaults", nil, nil},
	} {
		params := ccbf.Params{Dense: true, K: k, Widths: of.widths, Counters: of.counters, Overflow: ccbf.ToCounters, Seed: seedOf(0)}
		if of.widths == nil {
			params = ccbf.Params{Bytes: 4 * n, Overflow: ccbf.ToCounters, Seed: seedOf(0)}
		}
		f := structure{of.name, func(p points, _, _ uint64) answers { return cascaded(params, p) }}.judge(p, 0, 0)
		if base == 0 {
			base = f["bytes"]
		}
		f["a counter"], f["saved"] = f["bytes"]/float64(n), 1-f["bytes"]/base
		s.Record(report.At{"structure": of.name}, f)
	}
}
