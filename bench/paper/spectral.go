package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// These are the defaults of the experiments with Spectral Bloom Filters. gamma is n k / m. Cohen
// and Matias 2003, section 6.1.
const (
	spectralKeys  = 1000
	spectralDraws = 100_000
	spectralK     = 5
	spectralGamma = 0.7
)

// zipfCounts returns the counts of n values with total occurrences, proportional to rank^-skew and
// at least 1. The first count absorbs the rounding.
func zipfCounts(n, total int, skew float64) []uint64 {
	norm := 0.0
	for i := range n {
		norm += math.Pow(float64(i+1), -skew)
	}
	counts, rest := make([]uint64, n), total
	for i := n - 1; i > 0; i-- {
		counts[i] = max(1, uint64(math.Round(float64(total)*math.Pow(float64(i+1), -skew)/norm)))
		rest -= int(counts[i])
	}
	counts[0] = uint64(max(1, rest))
	return counts
}

// shuffled returns a data set as a stream in random order.
func shuffled(counts []uint64, r *rand.Rand) (s []int) {
	for i, n := range counts {
		s = append(s, slices.Repeat([]int{i}, int(n))...)
	}
	r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	return s
}

// method is a method of a Spectral Bloom Filter.
type method struct {
	name     string
	params   sbf.Params
	gather   bool                                              // the filter is built from all values at once, as in SQL
	simulate func(s setting, of history, seed uint64) []uint64 // returns the estimates of a model; nil: those of a sketch
}

var (
	methodMS       = method{name: "ms", params: sbf.Params{Method: sbf.MS}}
	methodMI       = method{name: "mi", params: sbf.Params{Method: sbf.MI}}
	methodRM       = method{name: "rm", params: sbf.Params{Method: sbf.RM}}
	methodRMPlain  = method{name: "rm, no marker", params: sbf.Params{Method: sbf.RM, Marker: sbf.Unmarked}}
	methodTRM      = method{name: "trm", params: sbf.Params{Method: sbf.TRM}}
	methodGathered = method{name: "rm, built at once", params: sbf.Params{Method: sbf.RM}, gather: true}
	// methodPrinted is the algorithm of section 3.3 word for word, with the paper's own hash functions.
	methodPrinted = method{name: "rm as printed, simulated", simulate: func(s setting, of history, seed uint64) []uint64 {
		first := s.m - s.m/3 // the first filter has two thirds of the counters
		return newRecurringModel(first, first/2, s.k, len(of.truth), seed, true).run(of)
	}}
)

// sketch returns an empty sketch with a total number of counters. Methods rm and trm divide them
// between two filters.
func (m method) sketch(counters, k int, seed uint64) *sbf.Sketch {
	p := m.params
	p.Counters, p.K, p.Seed = uint64(counters), uint64(k), seed
	if p.Method == sbf.RM || p.Method == sbf.TRM {
		p.Counters -= p.Counters / 3 // two thirds for the first filter; the second filter has half as many
	}
	if m.gather {
		return report.Must(sbf.NewGathering(p))
	}
	return report.Must(sbf.New(p))
}

// judge compares estimates with the truth. "additive" is the root of the mean squared error.
// "wrong" is the fraction of keys with a wrong estimate, and "below" the fraction with an estimate
// below the truth. "deficit" is the mean of (truth - estimate) / truth over the latter.
func judge(estimates, truth []uint64) report.Figures {
	q, n, deficit := report.Figures{"below": 0, "wrong": 0}, float64(len(truth)), 0.0
	for i, f := range truth {
		d := float64(estimates[i]) - float64(f)
		q["additive"] += d * d / n
		q["wrong"] += yesNo(d != 0) / n
		if d < 0 {
			q["below"]++
			deficit -= d / float64(f)
		}
	}
	if q["below"] > 0 {
		q["deficit"] = deficit / q["below"]
	}
	q["additive"], q["below"] = math.Sqrt(q["additive"]), q["below"]/n
	return q
}

// spectralSize returns the numbers of values and occurrences of a run.
func spectralSize(c report.Scale) (keys, draws int) {
	return report.Pick(c, 100, spectralKeys, spectralKeys), report.Pick(c, 2000, spectralDraws, spectralDraws)
}

// setting is a data set, as the count of each key, and the size of a filter: m counters, k per key.
type setting struct {
	counts []uint64
	m, k   int
}

// settingOf returns a data set of zipfCounts with a filter whose size follows from gamma = n k / m.
func settingOf(keys, draws int, skew, gamma float64, k int) setting {
	return setting{zipfCounts(keys, draws, skew), int(math.Ceil(float64(keys*k) / gamma)), k}
}

// run adds the data set in random order to a sketch of each method, for one seed.
func (s setting) run(seed uint64, methods []method) []report.Figures {
	return s.apply(seed, insertionsOf(len(s.counts), shuffled(s.counts, random(seed, 21))), methods)
}

// apply applies a history to a sketch or a model of each method, and judges the estimates.
func (s setting) apply(seed uint64, of history, methods []method) []report.Figures {
	h := numbers(seed, 0, len(of.truth))
	return report.Column(methods, func(m method) report.Figures {
		if m.simulate != nil {
			return judge(m.simulate(s, of, seed), of.truth)
		}
		sk := m.sketch(s.m, s.k, seed)
		for _, c := range of.changes {
			if c.n > 0 {
				sk.Add(h.h1[c.key], h.h2[c.key], uint64(c.n))
			} else {
				report.Check(sk.Remove(h.h1[c.key], h.h2[c.key], uint64(-c.n)))
			}
		}
		blob := sk.Blob()
		v := report.Must(sbf.NewView(blob))
		q := judge(counts(&v, h), of.truth)
		q["bytes"] = float64(len(blob))
		return q
	})
}

// change adds n occurrences of a key or, if n is negative, removes -n.
type change struct{ key, n int }

// history has changes, and the count of each key after them.
type history struct {
	changes []change
	truth   []uint64
}

func (h *history) add(key, n int) {
	h.changes = append(h.changes, change{key, n})
	h.truth[key] += uint64(n)
}

// insertionsOf returns a history without removals.
func insertionsOf(keys int, stream []int) history {
	h := history{truth: make([]uint64, keys)}
	h.insertions(stream, nil)
	return h
}

// insertions adds a stream.
func (h *history) insertions(stream []int, _ *rand.Rand) {
	for _, key := range stream {
		h.add(key, 1)
	}
}

// recordMethods records the results of methods with several seeds, a row for each.
func recordMethods(to *report.Section, at report.At, methods []method, seeds int, of func(seed uint64) []report.Figures) {
	names := report.Column(methods, func(m method) string { return m.name })
	to.RecordEach(at, "method", names, report.Parallel(seeds, func(i int) []report.Figures { return of(seedOf(i)) }))
}

// model is a minimal Spectral Bloom Filter. It can do what the package refuses or does not need:
// other hash functions, and removals from counters of minimal increase.
type model struct {
	counters  []int
	positions [][]int // positions of each key
}

func (m *model) add(key, n int) {
	for _, p := range m.positions[key] {
		m.counters[p] += n
	}
}

// raise is minimal increase by one. Section 3.2.
func (m *model) raise(key int) {
	least := m.least(key)
	for _, p := range m.positions[key] {
		m.counters[p] = max(m.counters[p], least+1)
	}
}

func (m *model) least(key int) int {
	least := math.MaxInt
	for _, p := range m.positions[key] {
		least = min(least, m.counters[p])
	}
	return least
}

// isRecurring reports whether the smallest counter of a key occurs twice. Section 3.3.
func (m *model) isRecurring(key int) bool {
	least := m.least(key)
	return report.Count(m.positions[key], func(p int) bool { return m.counters[p] == least }) > 1
}

// newModel returns a model with random positions. With multiply, positions follow from the paper's
// hash functions: the fractional parts of key times alpha, for k random alphas (section 6.1).
func newModel(m, k, keys int, seed uint64, multiply bool) *model {
	out := &model{make([]int, m), make([][]int, keys)}
	r := random(seed, 22)
	alphas := make([]float64, k)
	for i := range alphas {
		alphas[i] = r.Float64()
	}
	for key := range keys {
		for i := range k {
			p := r.IntN(m)
			if multiply {
				_, frac := math.Modf(alphas[i] * float64(key+1))
				p = min(int(frac*float64(m)), m-1)
			}
			if !slices.Contains(out.positions[key], p) {
				out.positions[key] = append(out.positions[key], p)
			}
		}
	}
	return out
}

// recurringModel is recurring minimum as printed in section 3.3, without a marker. Our package
// differs from it to keep estimates from falling below the truth.
type recurringModel struct{ first, second *model }

// newRecurringModel returns a model with filters of the given sizes.
func newRecurringModel(first, second, k, keys int, seed uint64, multiply bool) recurringModel {
	return recurringModel{newModel(first, k, keys, seed, multiply), newModel(second, k, keys, seed^1<<32, multiply)}
}

// run applies a history without removals, and returns the estimates.
func (r recurringModel) run(of history) []uint64 {
	for _, c := range of.changes {
		r.first.add(c.key, 1)
		switch {
		case r.first.isRecurring(c.key):
		case r.second.least(c.key) > 0:
			r.second.add(c.key, 1)
		default:
			r.second.add(c.key, r.first.least(c.key))
		}
	}
	estimates := make([]uint64, len(of.truth))
	for key := range estimates {
		estimates[key] = uint64(r.first.least(key))
		if v := r.second.least(key); v > 0 && !r.first.isRecurring(key) {
			estimates[key] = uint64(v)
		}
	}
	return estimates
}
