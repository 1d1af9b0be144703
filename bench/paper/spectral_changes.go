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

// history is changes, and how often each key is there after them.
type history struct {
	changes []change
	truth   []uint64
}

func (h *history) add(key, n int) {
	h.changes = append(h.changes, change{key, n})
	h.truth[key] += uint64(n)
}

// deletions is figure 8's history: ten parts of the stream, each followed by
// the removal of all that is there of 5% of the values.
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

// window is figure 9's history: only the last fifth of the stream stays.
func (h *history) window(stream []int, _ *rand.Rand) {
	size := len(stream) / 5
	for i, key := range stream {
		h.add(key, 1)
		if i >= size {
			h.add(stream[i-size], -1)
		}
	}
}

// insertions all stay.
func (h *history) insertions(stream []int, _ *rand.Rand) {
	for _, key := range stream {
		h.add(key, 1)
	}
}

// live applies a history to a sketch of a method, and judges it.
func live(m method, counters, k int, seed uint64, of history) report.Figures {
	sk := m.sketch(counters, k, seed)
	h := numbers(seed, 0, len(of.truth))
	for _, c := range of.changes {
		if c.n > 0 {
			sk.Add(h.h1[c.key], h.h2[c.key], uint64(c.n))
		} else {
			report.Check(sk.Remove(h.h1[c.key], h.h2[c.key], uint64(-c.n)))
		}
	}
	q := judge(counts(sk, h), of.truth)
	q["bytes"] = float64(len(sk.Blob()))
	return q
}

// rawMI applies a history to a model of minimal increase that takes
// occurrences from all counters of a key: the paper's demonstration of what
// must not be done.
func rawMI(counters, k int, seed uint64, of history) report.Figures {
	f := newModel(counters, k, len(of.truth), seed, false)
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
	return judge(out, of.truth)
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
	for h, of := range []struct {
		name string
		make func(h *history, stream []int, r *rand.Rand)
	}{{"none", (*history).insertions}, {"deletions", (*history).deletions}, {"window", (*history).window}} {
		for _, skew := range skews {
			set := settingOf(keys, draws, skew, spectralGamma, spectralK)
			recordMethods(s, report.At{"removals": of.name, "after": h > 0, "value": skew}, shown, seeds, func(seed uint64) []report.Figures {
				r, h := random(seed, 23), history{truth: make([]uint64, keys)}
				of.make(&h, shuffled(set.counts, r), r)
				all := report.Column(methods, func(m method) report.Figures { return live(m, set.m, set.k, seed, h) })
				return append(all, rawMI(set.m, set.k, seed, h))
			})
		}
		figure = append(figure, methodPanels(s.Where("removals", of.name), "removals: "+of.name, "skew", shown))
	}
	// The share of mi's errors that are below the truth.
	s.Set("mistakes", report.Column(s.Where("removals", "deletions", "method", "mi, simulated").By("value"), func(raw *report.Data) float64 {
		return raw.Mean("below") / raw.Mean("wrong")
	}))
	figure[0][0].Legend = report.BottomLeft
	s.Plot("errors", figure...)
}
