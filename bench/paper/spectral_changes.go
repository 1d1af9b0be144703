package main

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// change is n occurrences of a key that come or, where n is negative, go.
type change struct{ key, n int }

// deletions is figure 8's history: ten parts of the stream, each followed by
// the removal of all that is there of 5% of the values.
func deletions(stream []int, keys int, r *rand.Rand) (history []change, truth []uint64) {
	truth = make([]uint64, keys)
	const phases = 10
	for phase := range phases {
		for _, key := range stream[len(stream)*phase/phases : len(stream)*(phase+1)/phases] {
			history = append(history, change{key, 1})
			truth[key]++
		}
		for _, key := range r.Perm(keys)[:keys/20] {
			if truth[key] > 0 {
				history = append(history, change{key, -int(truth[key])})
				truth[key] = 0
			}
		}
	}
	return history, truth
}

// window is figure 9's history: only the last fifth of the stream stays.
func window(stream []int, keys int, _ *rand.Rand) (history []change, truth []uint64) {
	truth = make([]uint64, keys)
	size := len(stream) / 5
	for i, key := range stream {
		history = append(history, change{key, 1})
		truth[key]++
		if i >= size {
			history = append(history, change{stream[i-size], -1})
			truth[stream[i-size]]--
		}
	}
	return history, truth
}

// insertions has the same occurrences, all of which stay.
func insertions(stream []int, keys int, _ *rand.Rand) (history []change, truth []uint64) {
	truth = make([]uint64, keys)
	for _, key := range stream {
		history = append(history, change{key, 1})
		truth[key]++
	}
	return history, truth
}

// live applies a history to a sketch of a method, and judges it.
func live(m method, counters, k int, seed uint64, history []change, truth []uint64) report.Figures {
	sk := m.sketch(counters, k, seed)
	h := numbers(seed, 0, len(truth))
	for _, c := range history {
		if c.n > 0 {
			sk.Add(h.h1[c.key], h.h2[c.key], uint64(c.n))
		} else {
			report.Check(sk.Remove(h.h1[c.key], h.h2[c.key], uint64(-c.n)))
		}
	}
	q := judge(counts(sk, h), truth)
	q["bytes"] = float64(len(sk.Blob()))
	return q
}

// rawMI applies a history to a model of minimal increase that takes
// occurrences from all counters of a key: the paper's demonstration of what
// must not be done.
func rawMI(counters, k int, seed uint64, history []change, keys int) []uint64 {
	f := newModel(counters, k, keys, seed, false)
	for _, c := range history {
		for range c.n {
			f.raise(c.key)
		}
		if c.n < 0 {
			for _, p := range f.positions(c.key) {
				f.counters[p] = max(0, f.counters[p]+c.n)
			}
		}
	}
	out := make([]uint64, keys)
	for key := range out {
		out[key] = uint64(f.least(key))
	}
	return out
}

// spectralChanges is figures 8 and 9: deletions and a sliding window.
func spectralChanges(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 3, 20)
	keys, draws := spectralSize(c)
	skews := report.Pick(c, []float64{0, 1}, []float64{0, 1, 2}, []float64{0, 0.5, 1, 1.5, 2})
	mi := methodMI.sketch(1000, spectralK, 0)
	mi.Add(1, 3, 1)
	refusal := mi.Remove(1, 3, 1)
	report.Require(errors.Is(refusal, sketch.ErrNotAdditive), "mi takes removals: %w", refusal)
	s.Set("keys", keys, "draws", draws, "seeds", seeds, "refusal", refusal, "skews", len(skews), "middle", skews[len(skews)/2])
	methods := []method{methodMS, methodRM, methodRMPlain, methodTRM}
	shown := append(slices.Clone(methods), method{name: "mi, simulated", style: methodMI.style})
	var figure [][]report.Panel
	var mistakes []float64 // the share of mi's errors that are below the truth
	for h, history := range []struct {
		name string
		make func(stream []int, keys int, r *rand.Rand) ([]change, []uint64)
	}{{"none", insertions}, {"deletions", deletions}, {"window", window}} {
		for _, skew := range skews {
			set := settingOf(keys, draws, skew, spectralGamma, spectralK)
			at := report.At{"removals": history.name, "after": h > 0, "value": skew}
			recordMethods(&s.Data, at, shown, report.Parallel(seeds, func(i int) []report.Figures {
				seed := seedOf(i)
				r := random(seed, 23)
				changes, truth := history.make(shuffled(set.counts, r), keys, r)
				all := report.Column(methods, func(m method) report.Figures { return live(m, set.m, set.k, seed, changes, truth) })
				return append(all, judge(rawMI(set.m, set.k, seed, changes, keys), truth))
			}))
			if raw := s.Where("removals", "deletions", "value", skew, "method", "mi, simulated"); h == 1 {
				mistakes = append(mistakes, raw.Mean("below")/raw.Mean("wrong"))
			}
		}
		figure = append(figure, methodPanels(s.Where("removals", history.name), "removals: "+history.name, "skew", shown, []report.Place{report.BottomLeft, 0, 0}[h]))
	}
	s.Set("mistakes", mistakes)
	s.Plot("errors", figure...)
}
