package main

import (
	"fmt"
	"maps"
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// icebergError is the share of keys that an iceberg query reports though they
// are below the threshold: a key of f is, where all its counters are stepped on
// by keys of threshold-f and more. Section 5.2.
func icebergError(counts []uint64, m, k int, threshold uint64) float64 {
	sum := 0.0
	for _, f := range counts {
		if f >= threshold {
			continue
		}
		heavy := 0
		for heavy < len(counts) && counts[heavy] >= threshold-f { // counts fall
			heavy++
		}
		sum += bloomRate(float64(m), float64(heavy), float64(k))
	}
	return sum / float64(len(counts))
}

// iceberg is figure 4: keys that a query for frequent ones reports though they
// are not.
func iceberg(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 2, 10, 100)
	keys, draws := spectralSize(c)
	s.Set("keys", keys, "draws", draws, "seeds", seeds)
	for _, skew := range report.Pick(c, []float64{0, 1}, []float64{0, 0.5, 1, 1.5, 2}, []float64{0, 0.2, 0.6, 1, 1.4, 1.8, 2}) {
		for _, gamma := range []float64{1, spectralGamma} {
			settingOf(keys, draws, skew, gamma, spectralK).iceberg(s, report.At{"skew": skew, "gamma": gamma, "skewed": skew > 0}, seeds)
		}
	}
	s.Plot("error", []report.Panel{{X: "threshold / mean count", Y: "wrongly reported keys (share)", LogX: true, Legend: report.TopRight,
		Series: report.Drawn(s.Where("gamma", 1).Lines("skew", "over mean", "curve"), "skew %s", report.Both)}})
}

// iceberg asks sketches of a setting at 40 thresholds a decade: a row for each, and one
// for that of the largest error. A key that is missed is an error.
func (s setting) iceberg(to *report.Section, at report.At, seeds int) {
	var thresholds []uint64
	for i := 0; ; i++ {
		t := uint64(math.Ceil(math.Pow(10, float64(i)/40)))
		if t > s.counts[0] {
			break
		}
		if len(thresholds) == 0 || t > thresholds[len(thresholds)-1] {
			thresholds = append(thresholds, t)
		}
	}
	// Above the largest count, too, something is reported.
	thresholds = append(thresholds, s.counts[0]+1, s.counts[0]*5/4+1)
	n, total, bytes := float64(len(s.counts)), 0.0, 0.0
	for _, f := range s.counts {
		total += float64(f)
	}
	all := report.Parallel(seeds, func(i int) (errors []float64) {
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
	for i, errors := range transposed(all) {
		t := thresholds[i]
		of := report.Figures{"error": report.Mean(errors), "formula": icebergError(s.counts, s.m, s.k, t), "at": float64(t) * n / total, "bytes": bytes}
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

// spectralRange holds sums over ranges against exact ones. Section 5.5.
func spectralRange(c report.Config, s *report.Section) {
	seeds, draws, queries := report.Pick(c, 1, 3, 20), report.Pick(c, 2000, 50_000, 200_000), report.Pick(c, 20, 200, 1000)
	const span = 1 << 16
	s.Set("largest", span-1, "draws", draws, "seeds", seeds, "queries", queries, "lookups", mostLookups(span, queries))
	var panels []report.Panel
	for _, skew := range []float64{0, 1} {
		z := newZipf(span, skew)
		p := report.Panel{Title: fmt.Sprintf("skew %g", skew), X: "length of the range (keys)", Y: "mean error (share of the truth)", LogX: true, LogY: true}
		for i, m := range []method{methodMS, methodMI} {
			for _, part := range []int{1, 2, 4} {
				at := report.At{"skew": skew, "method": m.name, "part": part}
				s.Record(at, report.Parallel(seeds, func(seed int) report.Figures { return rangeSums(m, z, span, draws, part, queries, seedOf(seed)) })...)
				line := report.Series{Label: fmt.Sprintf("%s, capacity / %d", m.name, part), Style: i + 2*(part/2)}
				for _, length := range rangeLengths {
					line.At(float64(length), s.Mean(fmt.Sprint("error of ", length), "skew", skew, "method", m.name, "part", part))
				}
				p.Series = append(p.Series, line)
			}
		}
		panels = append(panels, p)
	}
	panels[0].Legend = report.BottomLeft
	s.Plot("errors", panels)
}

var rangeLengths = []int{16, 256, 4096, 32768}

// rangeSums asks a sketch with one seed for sums over random ranges.
func rangeSums(m method, z zipf, span, draws, part, queries int, seed uint64) report.Figures {
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
	of := report.Figures{"bytes": float64(v.Info().Bytes), "gamma": v.Info().Load, "nodes": nodesOf(truth) / float64(distinct) / 16, "below": 0, "exact": 0}
	for _, length := range rangeLengths {
		error := fmt.Sprint("error of ", length)
		for range queries {
			lo := r.IntN(span - length + 1)
			got := report.Must(sk.RangeSum(int64(lo), int64(lo+length-1)))
			want := upTo[lo+length] - upTo[lo]
			of["below"] += yesNo(got < want)
			of["exact"] += yesNo(got == want) / float64(queries*len(rangeLengths))
			of[error] += (float64(got) - float64(want)) / float64(max(1, want)) / float64(queries)
		}
	}
	return of
}

// nodesOf counts the nodes of a binary tree above the keys that occur, the
// leaves among them and the root not.
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

// mostLookups is the most lookups of a sum over log2 of its length, over random
// ranges: in a sketch of a single counter every lookup answers the same. The
// sketch is a product, whose total is unknown, so that no sum is cut to it.
func mostLookups(span, queries int) (most float64) {
	sk := report.Must(sbf.New(sbf.Params{Counters: 1, K: 1, Range: sbf.Range{Lo: 0, Hi: int64(span - 1)}}))
	report.Check(sk.AddInt(0, 1))
	sk = report.Must(sbf.Product(sk, sk.Clone()))
	each := float64(sk.CountInt(0))
	r := random(0, 28)
	for range queries * 10 {
		length := 2 + r.IntN(span-2)
		lo := r.IntN(span - length + 1)
		most = math.Max(most, float64(report.Must(sk.RangeSum(int64(lo), int64(lo+length-1))))/each/math.Log2(float64(length)))
	}
	return most
}
