package main

import (
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// spectralMethods is figures 6 and 8 (without deletions): additive error and
// wrong answers over skew, gamma and k.
func spectralMethods(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 3, 20)
	keys, draws := spectralSize(c)
	gammas := report.Pick(c, []float64{0.12, 2}, []float64{0.12, 0.5, 0.7, 1, 2}, []float64{0.12, 0.25, 0.4, 0.5, 0.6, 0.7, 0.83, 1, 1.25, 1.6, 2})
	methods := []method{methodMS, methodMI, methodRM, methodTRM, methodGathered, methodPrinted}
	s.Set("keys", keys, "draws", draws, "seeds", seeds, "middle", nearestGamma(gammas))
	var figure [][]report.Panel
	for _, w := range []struct {
		axis, title string
		values      []float64
		of          func(v float64) setting
	}{
		{"skew", "gamma 0.7, k 5", report.Pick(c, []float64{0, 2}, []float64{0, 0.5, 1, 1.5, 2}, []float64{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2}),
			func(v float64) setting { return settingOf(keys, draws, v, spectralGamma, spectralK) }},
		{"gamma", "skew 0.5, k 5", gammas, func(v float64) setting { return settingOf(keys, draws, 0.5, v, spectralK) }},
		{"k", "skew 0.5, gamma 0.7", []float64{1, 2, 3, 4, 5}, func(v float64) setting { return settingOf(keys, draws, 0.5, spectralGamma, int(v)) }},
		{"occurrences", "skew 0.5, gamma 0.7, k 5", report.Pick(c, []float64{1000}, []float64{10_000}, []float64{10_000, 300_000}),
			func(v float64) setting { return settingOf(keys, int(v), 0.5, spectralGamma, spectralK) }},
	} {
		for _, v := range w.values {
			of := w.of(v)
			recordMethods(s, report.At{"by": w.axis, "title": w.title, "value": v}, methods, seeds, func(seed uint64) []report.Figures { return of.run(seed, methods) })
		}
		figure = append(figure, methodPanels(s.Where("by", w.axis), w.title, w.axis, methods))
	}
	byK := s.Where("by", "k")
	for _, m := range []method{methodRM, methodGathered} {
		s.Set(m.name+" from", leastFrom(byK, m.name, "additive")+"; "+leastFrom(byK, m.name, "wrong"))
	}
	rm, printed := methodRM.name, methodPrinted.name
	s.Set("never", leastFrom(byK, rm, "wrong") == "none",
		"pairs", [][2]string{{"mi", "ms"}, {"mi", rm}, {rm, "ms"}, {methodGathered.name, "ms"}, {printed, "ms"}, {rm, printed}, {methodTRM.name, rm}})
	methodTimes(c, s, settingOf(keys, draws, 0.5, spectralGamma, spectralK))
	figure[0][0].Legend = report.BottomLeft
	s.Plot("errors", figure[:3]...) // the paper's three
}

// nearestGamma is the value that is nearest to the default.
func nearestGamma(gammas []float64) float64 {
	return leastOf(gammas, func(v float64) float64 { return math.Abs(v - spectralGamma) })
}

// leastFrom is the least value from which on a method's error is below that of ms.
func leastFrom(d *report.Data, method, figure string) string {
	from := fromOn(d.By("value"), func(at *report.Data) bool { return at.Mean(figure, "method", method) < at.Mean(figure, "method", "ms") })
	if from == nil {
		return "none"
	}
	return report.Num(from.Number("value"))
}

// methodTimes compares the time that an occurrence takes to come. Section 3.4.
func methodTimes(c report.Config, s *report.Section, set setting) {
	stream := pick(numbers(0, 0, len(set.counts)), shuffled(set.counts, random(0, 29)))
	var adds []func(hashes)
	methods := []method{methodMS, methodMI, methodRM, methodTRM}
	for _, m := range methods {
		sk := m.sketch(set.m, set.k, 0)
		s.Set("size of "+m.name, float64(sk.Bytes()))
		adds = append(adds, func(h hashes) { sk.AddHashes(h.h1, h.h2, nil) })
	}
	took := race(stream, report.Pick(c, 2, 5, 9), adds...)
	for i, m := range methods {
		s.Set("time of "+m.name, took[i]/took[0])
	}
	s.Set("slow", took[2] > 1.2*(1+timeNoise)*took[0])
}

// forest is figure 7: the methods on the elevations of the Forest Cover data.
func forest(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 2, 10)
	gammas := report.Pick(c, []float64{0.7, 2}, []float64{0.25, 0.7, 2}, []float64{0.12, 0.25, 0.5, 0.7, 0.83, 1, 1.5, 2})
	methods := []method{methodMS, methodMI, methodRM, methodTRM, methodGathered}
	// The elevations in their order, as numbers from 0 in that of their first.
	p := newPile("", "", 1)
	for _, at := range readPlaces("SELECT elevation::BIGINT, 0, NULL, 1 FROM " + sqlFile(c.Data, "covtype_elevation.parquet")) {
		p.add(at.Cell, 1)
	}
	stream := report.Column(p.order, func(i int32) int { return int(i) })
	if c.Scale == report.Tiny {
		stream = stream[:5000]
	}
	data := make([]uint64, len(p.places))
	for _, v := range stream {
		data[v]++
	}
	s.Set("records", len(stream), "distinct", len(data), "seeds", seeds, "gammas", len(gammas), "middle", nearestGamma(gammas))
	var panels [][]report.Panel
	for i, order := range []string{"order of the file", "random order"} {
		for _, gamma := range gammas {
			set := setting{data, int(math.Ceil(float64(len(data)*spectralK) / gamma)), spectralK}
			recordMethods(s, report.At{"order": order, "value": gamma}, methods, seeds, func(seed uint64) []report.Figures {
				if i == 0 {
					return set.stream(seed, stream, methods)
				}
				return set.run(seed, methods)
			})
		}
		panels = append(panels, methodPanels(s.Where("order", order), order, "gamma", methods))
	}
	panels[0][0].Legend = report.BottomRight
	s.Plot("errors", panels...)
}
