package main

import (
	"fmt"
	"maps"
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"gonum.org/v1/gonum/stat/distuv"
)

// This file has figures 2 and 3 and tables 2 and 4 of the CascadeCBF paper. They compare the
// relative errors of structures of equal size at the places with points.

// zipfData is the synthetic data of the CascadeCBF paper, section 5.1: draws from the cells (i,
// 2i), with P(rank r) proportional to r^-alpha.
type zipfData struct {
	keys, draws int
	alpha       float64
}

// zipfOf returns the zipfData with an alpha, of a size for the scale of the run.
func zipfOf(c report.Scale, alpha float64) zipfData {
	return zipfData{report.Pick(c, 500, 10_000, 10_000), report.Pick(c, 2000, 100_000, 100_000), alpha}
}

// draw returns the points of z's draws for a seed.
func (z zipfData) draw(seed uint64) points {
	p := points{name: fmt.Sprintf("figure 3, alpha %g", z.alpha), res: 1, places: make([]place, z.keys)}
	for i := range p.places {
		p.places[i].Cell = grid.Cell{X: int64(i), Y: 2 * int64(i)}
	}
	p.order = newZipf(z.keys, z.alpha).stream(random(seed, 51), z.draws)
	for _, i := range p.order {
		p.places[i].points++
	}
	return p
}

// zipfMemory measures figure 3: error over memory for three skews.
func zipfMemory(c report.Scale, s *report.Section) {
	seeds := report.Pick(c, 1, 5, 50)
	data := zipfOf(c, 0)
	s.Set("draws", data.draws, "keys", data.keys, "k", paperK, "seeds", seeds)
	for _, data.alpha = range []float64{1, 1.5, 2} {
		for bits := 10; bits <= 17; bits++ {
			judgeAll(s, report.At{"alpha": data.alpha, "counters": 1 << bits, "size": 2 << bits}, seeds, data.draw, 2<<bits,
				oneStandard, oneMI, twoMI, spectralMI, countMin5, defaultsDense, defaults)
		}
	}
}

// negligible is the error that the CascadeCBF paper calls negligible. Section 5.1.
const negligible = 0.0001

// kSensitivity measures figure 2 (b): error over k.
func kSensitivity(c report.Scale, s *report.Section) {
	seeds := report.Pick(c, 1, 5, 50)
	ks := report.Pick(c, []int{1, 4, 11}, []int{1, 2, 3, 4, 6, 8, 11, 16}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
	data := zipfOf(c, 1.5)
	s.Set("seeds", seeds)
	judgeAll(s, report.At{}, seeds, data.draw, 2<<14, defaults)
	for bits := 14; bits <= 16; bits++ {
		for _, k := range ks {
			judgeAll(s, report.At{"k": k, "counters": 1 << bits}, seeds, data.draw, 2<<bits, cascadeOf("CascadeCBF", k, ccbf.MinimalIncrement, parts(1, 4)),
				spectralOf("spectral", uint64(k), 16), countMinOf("Count-Min", uint64(k), 16))
		}
		for _, of := range []struct {
			name      string
			published int // the paper's least k with a negligible error
		}{{"CascadeCBF", 4}, {"spectral", 4}, {"Count-Min", 11}} {
			from := 0.0
			byK := s.Where("counters", 1<<bits, "structure", of.name).By("k")
			if at := fromOn(byK, func(at *report.Data) bool { return at.Mean("mean") < negligible }); at != nil {
				from = at.Number("k")
			}
			s.Record(report.At{"rival": of.name, "published": of.published}, report.Figures{"from": from})
		}
	}
}

// fromOn returns the first element from which on a condition always holds, itself included. It returns nil
// if the last element does not meet the condition.
func fromOn(all []*report.Data, holds func(at *report.Data) bool) (from *report.Data) {
	for _, at := range all {
		if !holds(at) {
			from = nil
		} else if from == nil {
			from = at
		}
	}
	return from
}

// covidRivals are the structures of table 2, and ours.
var covidRivals = []structure{
	cascadeOf("CascadeCBF, 2^20", paperK, ccbf.MinimalIncrement, parts(1, 16)),
	spectralOf("spectral, 2^20", paperK, 16),
	countMinWith("Count-Min", 16, func(uint64) cms.Params { return cms.Params{Epsilon: 0.001, Delta: 0.01} }),
	defaults,
}

// covidSeries measures table 2: the error as points are added.
func covidSeries(c report.Scale, s *report.Section) {
	seeds := report.Pick(c, 1, 2, 10)
	s.Set("what", covidWhat, "side", covidSide, "k", paperK, "seeds", seeds)
	p := points{what: covidWhat, res: 1}
	full := [...]string{"0.00%", "0.00%", "0.00%", "0.00%", "0.23%", "0.51%"} // the paper's errors, per date, of counters that saturate
	for date, places := range covid() {
		for _, at := range places {
			p.add(at.Cell, at.points)
		}
		for i, r := range covidRivals {
			at := report.At{"date": covidDates[date], "points": len(p.order), "thousand": float64(len(p.order)) / 1000,
				"cells": len(p.occupied().places), "structure": r.name, "last": date > 3}
			switch i {
			case 0:
				at["published"], at["published last"] = "0.00%", "0.00% and 0.00%"
			case 1, 2:
				at["published"], at["published last"] = full[date], "0.23% and 0.51%"
			}
			judgeAll(s, at, seeds, func(uint64) points { return p }, 2<<20, r)
		}
	}
}

// urban measures table 4: counts on a city's raster.
func urban(c report.Scale, s *report.Section) {
	seeds, bytes := report.Pick(c, 1, 1, 5), report.Pick[uint64](c, 2<<14, 2<<20, 2<<20) // bytes of the first layer
	all, text := crowds(c, report.Pick(c, []float64{1, 2}, []float64{1, 2}, []float64{1, 0.5, 2, 4}))
	for _, p := range all {
		at := report.At{"points": p.name, "cells": len(p.places)}
		judgeAll(s, at, seeds, func(seed uint64) points { return p.shuffled(seed, 81) }, bytes, urbanCascade, spectralMI, countMin5, defaultsDense, defaults)
	}
	s.Set("draws", urbanDraws, "text", text, "k", paperK, "seeds", seeds, "shown", []string{all[0].name, "crimes"})
}

// This part tests what the CascadeCBF paper says about counters outside its tables and figures.

// overcount tests equation 2 of section 3: t insertions of n keys into m counters overcount by
// about k t/n (1 - e^(-kn/m)) in all.
func overcount(c report.Scale, s *report.Section) {
	seeds := report.Pick(c, 1, 5, 20)
	data := zipfOf(c, 0)
	s.Set("seeds", seeds, "draws", data.draws, "k", paperK)
	record := func(at report.At, t float64, counters int, draw func(seed uint64) points) {
		for _, at["mode"] = range []ccbf.Mode{ccbf.Standard, ccbf.MinimalIncrement} {
			of := report.Parallel(seeds, func(i int) report.Figures {
				return draw(seedOf(i)).overcount(at["mode"].(ccbf.Mode), counters, seedOf(i))
			})
			n := report.Mean(report.Column(of, func(f report.Figures) float64 { return f["keys"] }))
			equation := paperK * t / n * -math.Expm1(-paperK*n/float64(counters))
			for _, f := range of {
				f["equation 2"], f["of equation 2"], f["bound"] = equation, f["total"]/equation, n*paperK*t/float64(counters)
				f["one key"], f["one key of equation 2"] = f["total"]/n, f["total"]/n/equation
			}
			s.Record(maps.Clone(at), of...)
		}
	}
	for _, data.alpha = range []float64{1, 1.5, 2} {
		for _, counters := range []int{1 << 13, 1 << 15, 1 << 17} {
			record(report.At{"alpha": data.alpha, "counters": counters}, float64(data.draws), counters, data.draw)
		}
	}
	// Each key occurs once, and there are four counters per key. Equation 2 then gives the same error
	// for any number of keys. The other keys raise a counter of a key by a Poisson variable with a
	// mean of k/4.
	least, others := 0.0, distuv.Poisson{Lambda: paperK / 4.}
	for j := 0.; j < 100; j++ {
		least += math.Pow(others.Survival(j), paperK)
	}
	for n := 1000; n <= report.Pick(c, 1000, 100_000, 100_000); n *= 10 {
		p := points{res: 1}
		for i := range n {
			p.places, p.order = append(p.places, place{Cell: grid.Cell{X: int64(i), Y: 2 * int64(i)}, points: 1}), append(p.order, i)
		}
		record(report.At{"distinct": n, "expected": float64(n) * least}, float64(n), 4*n, func(uint64) points { return p })
	}
}

// overcount returns the number of keys that occur, and the sum of (estimate - count) over them.
func (p points) overcount(mode ccbf.Mode, counters int, seed uint64) report.Figures {
	a := cascadeOf("", paperK, mode, parts(1, 16)).count(p, uint64(2*counters), seed)
	of := report.Figures{}
	for _, at := range p.occupied().places {
		of["total"] += float64(a.count(&at) - at.points)
		of["keys"]++
	}
	return of
}
