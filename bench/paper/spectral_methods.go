package main

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// spectralMethods measures figures 6 and 8 (without deletions): additive errors and wrong results
// over skew, gamma and k.
func spectralMethods(c report.Scale, s *report.Section) {
	seeds := report.Pick(c, 1, 3, 20)
	keys, draws := spectralSize(c)
	gammas := report.Pick(c, []float64{0.12, 2}, []float64{0.12, 0.5, 0.7, 1, 2}, []float64{0.12, 0.25, 0.4, 0.5, 0.6, 0.7, 0.83, 1, 1.25, 1.6, 2})
	methods := []method{methodMS, methodMI, methodRM, methodTRM, methodGathered, methodPrinted}
	s.Set("keys", keys, "draws", draws, "seeds", seeds, "middle", nearestGamma(gammas))
	for _, w := range []struct {
		axis, title string
		values      []float64
		of          func(v float64) setting
	}{
		{"skew", "gamma 0.7, k 5", report.Pick(c, []float64{0, 2}, []float64{0, 0.5, 1, 1.5, 2}, []float64{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2}),
			func(v float64) setting { return settingOf(keys, draws, v, spectralGamma, spectralK) }},
		{"gamma", "skew 0.5, k 5", gammas, func(v float64) setting { return settingOf(keys, draws, 0.5, v, spectralK) }},
		{"k", "skew 0.5, gamma 0.7", []float64{1, 2, 3, 4, 5}, func(v float64) setting { return settingOf(keys, draws, 0.5, spectralGamma, int(v)) }},
		{"occurrences", "skew 0.5, gamma 0.7, five counters a key", report.Pick(c, []float64{1000}, []float64{10_000}, []float64{10_000, 300_000}),
			func(v float64) setting { return settingOf(keys, int(v), 0.5, spectralGamma, spectralK) }},
	} {
		for _, v := range w.values {
			of := w.of(v)
			at := report.At{"by": w.axis, "title": w.title, "value": v}
			recordMethods(s, at, methods, seeds, func(seed uint64) []report.Figures { return of.run(seed, methods) })
		}
	}
	byK := s.Where("by", "k")
	for _, m := range []method{methodRM, methodGathered} {
		s.Set(m.name+" from", leastFrom(byK, m.name, "additive")+"; "+leastFrom(byK, m.name, "wrong"))
	}
	methodTimes(c, s, settingOf(keys, draws, 0.5, spectralGamma, spectralK))
}

// nearestGamma returns the value that is nearest to the default.
func nearestGamma(gammas []float64) float64 {
	return leastOf(gammas, func(v float64) float64 { return math.Abs(v - spectralGamma) })
}

// leastFrom returns the smallest value from which on a method's error is below the error of ms.
func leastFrom(d *report.Data, method, figure string) string {
	from := fromOn(d.By("value"), func(at *report.Data) bool { return at.Mean(figure, "method", method) < at.Mean(figure, "method", "ms") })
	if from == nil {
		return "none"
	}
	return report.Num(from.Number("value"))
}

// methodTimes compares the times to add an occurrence. Section 3.4.
func methodTimes(c report.Scale, s *report.Section, set setting) {
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
}

// forest measures figure 7: the methods on the elevations of the Forest Cover data.
func forest(c report.Scale, s *report.Section) {
	seeds := report.Pick(c, 1, 2, 10)
	gammas := report.Pick(c, []float64{0.7, 2}, []float64{0.25, 0.7, 2}, []float64{0.12, 0.25, 0.5, 0.7, 0.83, 1, 1.5, 2})
	methods := []method{methodMS, methodMI, methodRM, methodTRM, methodGathered}
	// p has the elevations in the order of the file. Different elevations are numbered from 0 in the
	// order of their first occurrence.
	p := points{res: 1}
	for _, at := range readPlaces("SELECT elevation::BIGINT, 0, NULL, 1 FROM " + duck.File(elevations)) {
		p.add(at.Cell, 1)
	}
	stream := p.order
	if c == report.Tiny {
		stream = stream[:5000]
	}
	data := make([]uint64, len(p.places))
	for _, v := range stream {
		data[v]++
	}
	s.Set("records", len(stream), "distinct", len(data), "seeds", seeds, "gammas", len(gammas), "middle", nearestGamma(gammas))
	for i, order := range []string{"order of the file", "random order"} {
		for _, gamma := range gammas {
			set := setting{data, int(math.Ceil(float64(len(data)*spectralK) / gamma)), spectralK}
			recordMethods(s, report.At{"order": order, "value": gamma}, methods, seeds, func(seed uint64) []report.Figures {
				if i == 0 {
					return set.apply(seed, insertionsOf(len(data), stream), methods)
				}
				return set.run(seed, methods)
			})
		}
	}
}

// deletions is the history of figure 8: ten parts of the stream, each followed by the removal of
// all occurrences of 5% of the values.
func (h *history) deletions(stream []int, r *rand.Rand) {
	const phases = 10
	for phase := range phases {
		h.insertions(stream[len(stream)*phase/phases:len(stream)*(phase+1)/phases], r)
		for _, key := range r.Perm(len(h.truth))[:len(h.truth)/20] {
			if h.truth[key] > 0 {
				h.add(key, -int(h.truth[key]))
			}
		}
	}
}

// window is the history of figure 9: only the last fifth of the stream remains.
func (h *history) window(stream []int, _ *rand.Rand) {
	size := len(stream) / 5
	for i, key := range stream {
		h.add(key, 1)
		if i >= size {
			h.add(stream[i-size], -1)
		}
	}
}

// rawMI applies a history to a model of minimal increase that removes occurrences from all counters
// of a key. The paper demonstrates with it why that is wrong.
func rawMI(s setting, of history, seed uint64) []uint64 {
	f := newModel(s.m, s.k, len(of.truth), seed, false)
	for _, c := range of.changes {
		for range c.n {
			f.raise(c.key)
		}
		if c.n < 0 {
			for _, p := range f.positions[c.key] {
				f.counters[p] = max(0, f.counters[p]+c.n)
			}
		}
	}
	out := make([]uint64, len(of.truth))
	for key := range out {
		out[key] = uint64(f.least(key))
	}
	return out
}

// spectralChanges measures figures 8 and 9: deletions and a sliding window.
func spectralChanges(c report.Scale, s *report.Section) {
	seeds := report.Pick(c, 1, 3, 20)
	keys, draws := spectralSize(c)
	skews := report.Pick(c, []float64{0, 1}, []float64{0, 1, 2}, []float64{0, 0.5, 1, 1.5, 2})
	mi := methodMI.sketch(1000, spectralK, 0)
	mi.Add(1, 3, 1)
	refusal := mi.Remove(1, 3, 1)
	report.Require(errors.Is(refusal, sketch.ErrNotAdditive), "mi takes removals: %w", refusal)
	s.Set("keys", keys, "draws", draws, "seeds", seeds, "refusal", refusal, "skews", len(skews), "middle", skews[len(skews)/2])
	methods := []method{methodMS, methodRM, methodRMPlain, methodTRM, {name: "mi, simulated", simulate: rawMI}}
	for h, of := range []struct {
		name string
		make func(h *history, stream []int, r *rand.Rand)
	}{{"none", (*history).insertions}, {"deletions", (*history).deletions}, {"window", (*history).window}} {
		for _, skew := range skews {
			set := settingOf(keys, draws, skew, spectralGamma, spectralK)
			recordMethods(s, report.At{"removals": of.name, "after": h > 0, "value": skew}, methods, seeds, func(seed uint64) []report.Figures {
				r, h := random(seed, 23), history{truth: make([]uint64, keys)}
				of.make(&h, shuffled(set.counts, r), r)
				return set.apply(seed, h, methods)
			})
		}
	}
	// "mistakes" has for each data set the fraction of the errors of method mi that are too low.
	s.Set("mistakes", report.Column(s.Where("removals", "deletions", "method", "mi, simulated").By("value"), func(raw *report.Data) float64 {
		return raw.Mean("below") / raw.Mean("wrong")
	}))
}
