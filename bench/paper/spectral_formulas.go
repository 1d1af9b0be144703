package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// icebergError returns the expected fraction of keys below the threshold that an iceberg query
// reports. A key with count f is reported if other keys with counts of at least threshold-f use all
// its counters. Section 5.2.
func icebergError(counts []uint64, m, k int, threshold uint64) float64 {
	sum := 0.0
	for _, f := range counts {
		if f >= threshold {
			continue
		}
		heavy := 0
		for heavy < len(counts) && counts[heavy] >= threshold-f { // counts are descending, so the heavy keys come first
			heavy++
		}
		sum += bloomRate(float64(m), float64(heavy), float64(k))
	}
	return sum / float64(len(counts))
}

// iceberg measures figure 4: keys that a query for frequent keys reports wrongly.
func iceberg(c report.Scale, s *report.Section) {
	seeds := report.Pick(c, 2, 10, 100)
	keys, draws := spectralSize(c)
	s.Set("keys", keys, "draws", draws, "seeds", seeds)
	for _, skew := range report.Pick(c, []float64{0, 1}, []float64{0, 0.5, 1, 1.5, 2}, []float64{0, 0.2, 0.6, 1, 1.4, 1.8, 2}) {
		for _, gamma := range []float64{1, spectralGamma} {
			settingOf(keys, draws, skew, gamma, spectralK).iceberg(s, report.At{"skew": skew, "gamma": gamma, "skewed": skew > 0}, seeds)
		}
	}
}

// iceberg queries sketches at 40 thresholds per decade. It records a row for each threshold, and
// one for the threshold with the largest error. A missed key is a failure.
func (s setting) iceberg(to *report.Section, at report.At, seeds int) {
	var thresholds []uint64
	for i := 0.0; math.Pow(10, i/40) <= float64(s.counts[0]); i++ {
		thresholds = append(thresholds, uint64(math.Ceil(math.Pow(10, i/40))))
	}
	// Two thresholds are above the largest count: all keys that a query reports there are errors.
	thresholds = append(slices.Compact(thresholds), s.counts[0]+1, s.counts[0]*5/4+1)
	n, all, bytes := float64(len(s.counts)), 0.0, 0.0
	for _, f := range s.counts {
		all += float64(f)
	}
	measured := report.Parallel(seeds, func(i int) (errors []float64) {
		sk := report.Must(sbf.New(sbf.Params{Counters: uint64(s.m), K: uint64(s.k), Seed: seedOf(i)}))
		h := numbers(seedOf(i), 0, len(s.counts))
		sk.AddHashes(h.h1, h.h2, s.counts)
		if i == 0 {
			bytes = float64(len(sk.Blob()))
		}
		estimates := counts(sk, h)
		for _, t := range thresholds {
			reported := 0.0
			for key, f := range s.counts {
				report.Require(estimates[key] >= t || f < t, "a key of %d is missed at threshold %d", f, t)
				reported += yesNo(estimates[key] >= t && f < t)
			}
			errors = append(errors, reported/n)
		}
		return errors
	})
	worst, few := report.Figures{"error": -1}, 0.0
	for i, errors := range transposed(measured) {
		t := thresholds[i]
		of := report.Figures{"error": report.Mean(errors), "formula": icebergError(s.counts, s.m, s.k, t), "at": float64(t) * n / all, "bytes": bytes}
		if of["error"] > worst["error"] {
			worst = of
		}
		few += yesNo(of["error"] < 0.01)
		curve := maps.Clone(at)
		curve["over mean"] = of["at"]
		z := 0.0
		if e := report.StandardError(errors); e > 0 {
			z = math.Abs(of["error"]-of["formula"]) / e
		}
		to.Record(curve, report.Figures{"curve": of["error"], "z": z})
	}
	worst["few"], worst["points"] = few, float64(len(thresholds))
	to.Record(at, worst)
}

// spectralRange compares sums over ranges with exact sums. Section 5.5.
func spectralRange(c report.Scale, s *report.Section) {
	seeds, draws, queries := report.Pick(c, 1, 3, 20), report.Pick(c, 2000, 50_000, 200_000), report.Pick(c, 20, 200, 1000)
	const span = 1 << 16
	s.Set("largest", span-1, "draws", draws, "seeds", seeds, "queries", queries, "lookups", mostLookups(span, queries))
	for _, skew := range []float64{0, 1} {
		z := newZipf(span, skew)
		for _, m := range []method{methodMS, methodMI} {
			for _, part := range []int{1, 2, 4} {
				at := report.At{"skew": skew, "method": m.name, "part": part, "way": fmt.Sprintf("%s, capacity / %d", m.name, part)}
				for _, of := range report.Parallel(seeds, func(seed int) []report.Figures { return rangeSums(m, z, span, draws, part, queries, seedOf(seed)) }) {
					s.Record(at, of[0])
					s.RecordEach(at, "length", []string{"16", "256", "4096", "32768"}, [][]report.Figures{of[1:]})
				}
			}
		}
	}
}

var rangeLengths = []int{16, 256, 4096, 32768}

// rangeSums queries sums over random ranges for one seed. The first result is about all ranges, the
// others about one length each.
func rangeSums(m method, z zipf, span, draws, part, queries int, seed uint64) []report.Figures {
	r := random(seed, 24)
	order := r.Perm(span)
	truth := make([]uint64, span)
	stream := z.stream(r, draws)
	for _, rank := range stream {
		truth[order[rank]]++
	}
	distinct := report.Count(truth, func(n uint64) bool { return n > 0 })
	p := m.params
	p.Capacity, p.Range, p.Seed = uint64(max(1, distinct/part)), sbf.Range{Lo: 0, Hi: int64(span - 1)}, seed
	sk := report.Must(sbf.New(p))
	for _, rank := range stream {
		report.Check(sk.AddInt(int64(order[rank]), 1))
	}
	upTo := make([]uint64, span+1)
	for i, n := range truth {
		upTo[i+1] = upTo[i] + n
	}
	v := report.Must(sbf.NewView(sk.Blob()))
	of := report.Figures{"bytes": float64(v.Info().Bytes), "gamma": v.Info().Load, "below": 0, "exact": 0,
		"nodes": nodesOf(truth) / float64(distinct) / 16}
	all := []report.Figures{of}
	for _, length := range rangeLengths {
		sum := 0.0
		for range queries {
			lo := r.IntN(span - length + 1)
			got := report.Must(sk.RangeSum(int64(lo), int64(lo+length-1)))
			want := upTo[lo+length] - upTo[lo]
			of["below"] += yesNo(got < want)
			of["exact"] += yesNo(got == want) / float64(queries*len(rangeLengths))
			sum += (float64(got) - float64(want)) / float64(max(1, want)) / float64(queries)
		}
		all = append(all, report.Figures{"error": sum})
	}
	return all
}

// nodesOf returns the number of nodes of a binary tree over the keys that occur, with the leaves
// and without the root.
func nodesOf(truth []uint64) (nodes float64) {
	for level := truth; len(level) > 1; {
		above := make([]uint64, len(level)/2)
		for i, n := range level {
			if n > 0 {
				nodes++
				above[i/2] = 1
			}
		}
		level = above
	}
	return nodes
}

// mostLookups returns the largest number of lookups for a sum over log2 of its length, over random
// ranges. The lookups are the largest nodes that cover the range.
func mostLookups(span, queries int) (most float64) {
	r := random(0, 28)
	for range queries * 10 {
		length := 2 + r.IntN(span-2)
		lo := r.IntN(span - length + 1)
		lookups := 0
		for from, to := lo, lo+length; from < to; from, to = (from+1)/2, to/2 { // each round goes one level up the tree, where the nodes with indexes in [from, to) remain
			lookups += from&1 + to&1
		}
		most = math.Max(most, float64(lookups)/math.Log2(float64(length)))
	}
	return most
}

// tableFigures are the computed and measured columns of the paper's table 1.
var tableFigures = []string{"P(Rx)", "P(Ex given Rx)", "E_b, measured", "gamma_s", "E_b^s", "E_RM", gainOfTable}

const gainOfTable = "gain E_b / E_RM"

// table1 is the paper's table 1, with columns in the order of tableFigures.
var table1 = []struct {
	gamma     float64
	published [7]float64
}{
	{1, [7]float64{0.657, 0.0045, 0.101, 0.686, 0.03, 0.0132, 7.59}},
	{0.83, [7]float64{0.697, 0.0028, 0.057, 0.502, 0.0096, 0.0048, 11.7}},
	{0.7, [7]float64{0.812, 0.002, 0.032, 0.263, 0.0006, 0.0017, 18.48}},
	{0.625, [7]float64{0.799, 0.0012, 0.021, 0.251, 0.00054, 0.001, 20.3}},
	{0.5, [7]float64{0.969, 0, 0.009, 0.031, 2.65e-8, 8.21e-10, 11480352}},
}

// table2 is the paper's table 2: the gain of more memory as a second filter. The ratio is the error
// of a larger plain filter with more hash functions, divided by the error of recurring minimum.
var table2 = []struct {
	part, ratio float64
	k           int
}{
	{1, 0.641, 10}, {0.5, 3.341, 7}, {0.33, 4.546, 6}, {0.25, 3.628, 6}, {0.2, 2.496, 6}, {0.1, 0.562, 5},
}

// errorWith is the name of E_RM with a second filter of a part of the first one's counters.
func errorWith(part float64) string { return fmt.Sprintf("E_RM with %v m", part) }

// recurring measures how often the smallest counter of a key recurs, P(Rx), and how often it is then wrong,
// P(Ex|Rx). It returns the columns of table 1 that follow from these, and the errors of table 2. A second filter
// with m_s counters has the load gamma_s = n(1-P(Rx))k/m_s and the error E_b^s = (1-e^-gamma_s)^k. The expected
// error is E_RM = P(Rx)P(Ex|Rx) + (1-P(Rx)) E_b^s. Section 3.3.
func (s setting) recurring(seed uint64, gamma float64, multiply bool) report.Figures {
	keys := float64(len(s.counts))
	f := newModel(s.m, s.k, len(s.counts), seed, multiply)
	for key, n := range s.counts {
		f.add(key, int(n))
	}
	recurring, errors, all := 0.0, 0.0, 0.0
	for key, n := range s.counts {
		bad, recurs := f.least(key) != int(n), f.isRecurring(key)
		all += yesNo(bad)
		recurring += yesNo(recurs)
		errors += yesNo(bad && recurs)
	}
	of := report.Figures{"P(Rx)": recurring / keys, "P(Ex given Rx)": errors / max(1, recurring), "E_b, measured": all / keys}
	second := func(part float64) (gammaS, errorS, errorRM float64) {
		gammaS = (1 - of["P(Rx)"]) * gamma / part
		errorS = bloomRate(1, gammaS/spectralK, spectralK)
		return gammaS, errorS, of["P(Rx)"]*of["P(Ex given Rx)"] + (1-of["P(Rx)"])*errorS
	}
	of["gamma_s"], of["E_b^s"], of["E_RM"] = second(0.5)
	of[gainOfTable] = bloomRate(1, gamma/spectralK, spectralK) / of["E_RM"]
	for _, row := range table2 {
		_, _, of[errorWith(row.part)] = second(row.part)
	}
	return of
}

// spectralTable reproduces table 1, with our hashes, which are uniformly random, and with the paper's hash
// functions (multiply).
func spectralTable(c report.Scale, s *report.Section) {
	runs, seeds := report.Pick(c, 2, 5, 30), report.Pick(c, 3, 50, 1000)
	keys, draws := report.Pick(c, 200, spectralKeys, spectralKeys), report.Pick(c, 5000, spectralDraws, spectralDraws)
	s.Set("keys", keys, "draws", draws, "seeds", seeds, "runs", runs)
	inside := 0.0
	for n, row := range table1 {
		set := settingOf(keys, draws, 0.5, row.gamma, spectralK)
		for _, multiply := range []bool{false, true} {
			s.Record(report.At{"measured": row.gamma, "multiply": multiply}, report.Parallel(seeds, func(i int) report.Figures {
				return set.recurring(seedOf(i), row.gamma, multiply)
			})...)
		}
		ours, theirs := s.Where("measured", row.gamma, "multiply", false), s.Where("measured", row.gamma, "multiply", true)
		for i, name := range tableFigures {
			multiply, published := theirs.All(name), row.published[i]
			lo, hi := report.Quantile(multiply, 0.025), report.Quantile(multiply, 0.975)
			inside += yesNo(published >= lo && published <= hi)
			middle, printed := report.Mean, name
			if name == gainOfTable { // the gain is a quotient whose divisor can be close to 0: a mean says little
				middle, printed = report.Median, name+", median"
			}
			s.Record(report.At{"gamma": row.gamma, "figure": printed},
				report.Figures{"published": published, "random": middle(ours.All(name)), "multiply": middle(multiply), "lo": lo, "hi": hi})
		}
		eb, published := bloomRate(1, row.gamma/spectralK, spectralK), row.published[6]
		gain := []float64{eb / ours.Mean("E_RM"), eb / theirs.Mean("E_RM")}
		larger := set
		larger.m += (larger.m + 1) / 2
		at := report.At{"of": row.gamma, "gain": published, "random": gain[0], "multiply": gain[1]}
		recordMethods(s, at, []method{methodMS, methodRM, methodGathered}, runs, func(seed uint64) []report.Figures {
			return append(set.run(seed, []method{methodMS}), larger.run(seed, []method{methodRM, methodGathered})...)
		})
		made := s.Where("of", row.gamma)
		ms := made.Mean("wrong", "method", "ms")
		streamed, gathered := ratioOr(ms, made.Mean("wrong", "method", "rm")), ratioOr(ms, made.Mean("wrong", "method", methodGathered.name))
		drawn := report.Figures{"expected, random positions": gain[0], "expected, the paper's hashes": gain[1], "rm, streamed": streamed, "rm, built at once": gathered}
		if n < 4 { // the fifth gain, 11480352, does not fit on the scale of the plot
			drawn["published"] = published
		}
		s.Record(report.At{"gamma": row.gamma, "drawn": true}, drawn)
		s.Set("last", gain[1])
	}
	s.Set("inside", inside)
	spectralMemory(s, settingOf(keys, draws, 0.5, spectralGamma, spectralK), runs)
}

// ratioOr returns a quotient, or NaN if b is 0.
func ratioOr(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}

// spectralMemory reproduces table 2, from the rows of table 1 at gamma 0.7.
func spectralMemory(s *report.Section, set setting, runs int) {
	const perKey = spectralK / spectralGamma
	ours, theirs := s.Where("measured", spectralGamma, "multiply", false), s.Where("measured", spectralGamma, "multiply", true)
	for name, of := range map[string]*report.Data{"multiply": theirs, "random": ours} {
		single := 1 - of.Mean("P(Rx)")
		s.Set("single "+name, single, "marker "+name, bloomRate(perKey, single, spectralK))
	}
	for _, row := range table2 {
		plain := bloomRate(perKey*(1+row.part), 1, float64(row.k))
		at := report.At{"part": row.part, "k": row.k, "ratio": row.ratio,
			"multiply": plain / theirs.Mean(errorWith(row.part)), "random": plain / ours.Mean(errorWith(row.part))}
		s.Record(at, report.Parallel(runs, func(i int) report.Figures {
			seed := seedOf(i)
			of := insertionsOf(len(set.counts), shuffled(set.counts, random(seed, 21)))
			ms := setting{set.counts, int(float64(set.m) * (1 + row.part)), row.k}.apply(seed, of, []method{methodMS})
			rm := judge(newRecurringModel(set.m, int(float64(set.m)*row.part), spectralK, len(set.counts), seed, false).run(of), of.truth)
			return report.Figures{"plain": ms[0]["wrong"], "rm": rm["wrong"]}
		})...)
	}
}
