package main

import (
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/connector"
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
	for i, w := range []struct {
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
			w.of(v).record(&s.Data, report.At{"by": w.axis, "title": w.title, "value": v}, seeds, methods)
		}
		if i < 3 { // the paper's three
			figure = append(figure, methodPanels(s.Where("by", w.axis), w.title, w.axis, methods, []report.Place{report.BottomLeft, 0, 0}[i]))
		}
	}
	byK := s.Where("by", "k")
	for _, m := range []method{methodRM, methodGathered} {
		s.Set(m.name+" from", leastFrom(byK, m.name, "additive")+"; "+leastFrom(byK, m.name, "wrong"), "never", leastFrom(byK, methodRM.name, "wrong") == "none")
	}
	rm, printed := methodRM.name, methodPrinted.name
	s.Set("pairs", [][2]string{{"mi", "ms"}, {"mi", rm}, {rm, "ms"}, {methodGathered.name, "ms"}, {printed, "ms"}, {rm, printed}, {methodTRM.name, rm}})
	methodTimes(c, s, settingOf(keys, draws, 0.5, spectralGamma, spectralK))
	s.Plot("errors", figure...)
}

// nearestGamma is the value that is nearest to the default.
func nearestGamma(gammas []float64) (nearest float64) {
	for _, v := range gammas {
		if math.Abs(v-spectralGamma) < math.Abs(nearest-spectralGamma) {
			nearest = v
		}
	}
	return nearest
}

// leastFrom is the least value from which on a method's error is below that of ms.
func leastFrom(d *report.Data, method, figure string) string {
	from := "none"
	for _, at := range d.By("value") {
		if at.Mean(figure, "method", method) >= at.Mean(figure, "method", "ms") {
			from = "none"
		} else if from == "none" {
			from = report.Num(at.At["value"].(float64))
		}
	}
	return from
}

// methodTimes compares the time that an occurrence takes to come. Section 3.4.
func methodTimes(c report.Config, s *report.Section, set setting) {
	h := numbers(0, 0, len(set.counts))
	var stream hashes
	for _, key := range shuffled(set.counts, random(0, 29)) {
		stream.h1, stream.h2 = append(stream.h1, h.h1[key]), append(stream.h2, h.h2[key])
	}
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

// elevations are the values of the Forest Cover file in their order, as
// numbers from 0.
func elevations(folder string) (stream []int, distinct int) {
	db := report.Must(connector.Open("?threads=1"))
	defer db.Close()
	rows := report.Must(db.Query("SELECT elevation::INTEGER FROM " + sqlFile(folder, "covtype_elevation.parquet")))
	defer rows.Close()
	ids := map[int]int{}
	for rows.Next() {
		var v int
		report.Check(rows.Scan(&v))
		id, there := ids[v]
		if !there {
			id = len(ids)
			ids[v] = id
		}
		stream = append(stream, id)
	}
	report.Check(rows.Err())
	return stream, len(ids)
}

// forest is figure 7: the methods on the elevations of the Forest Cover data.
func forest(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 2, 10)
	gammas := report.Pick(c, []float64{0.7, 2}, []float64{0.25, 0.7, 2}, []float64{0.12, 0.25, 0.5, 0.7, 0.83, 1, 1.5, 2})
	methods := []method{methodMS, methodMI, methodRM, methodTRM, methodGathered}
	stream, distinct := elevations(c.Data)
	if c.Scale == report.Tiny {
		stream = stream[:5000]
	}
	data := make([]uint64, distinct)
	for _, v := range stream {
		data[v]++
	}
	s.Set("records", len(stream), "distinct", distinct, "seeds", seeds, "gammas", len(gammas), "middle", nearestGamma(gammas))
	var panels [][]report.Panel
	for i, order := range []string{"order of the file", "random order"} {
		for _, gamma := range gammas {
			set := setting{data, int(math.Ceil(float64(distinct*spectralK) / gamma)), spectralK}
			recordMethods(&s.Data, report.At{"order": order, "value": gamma}, methods, report.Parallel(seeds, func(seed int) []report.Figures {
				if i == 0 {
					return set.stream(seedOf(seed), stream, methods)
				}
				return set.run(seedOf(seed), methods)
			}))
		}
		panels = append(panels, methodPanels(s.Where("order", order), order, "gamma", methods, []report.Place{report.BottomRight, 0}[i]))
	}
	s.Plot("errors", panels...)
}
