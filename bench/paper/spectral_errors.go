package main

import (
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// spectralBelow measures how often and by how much recurring minimum falls
// below the truth, which the paper says it does not (section 6.2).
func spectralBelow(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 2, 5, 40)
	keys, draws := spectralSize(c)
	s.Set("keys", keys, "draws", draws, "seeds", seeds, "all", keys*seeds)
	methods := []method{methodMS, methodMI, methodPrinted, methodRMPlain, methodRM, methodTRM, methodGathered}
	for _, gamma := range []float64{0.5, 0.7, 0.83, 1} {
		for _, skew := range report.Pick(c, []float64{0, 1}, []float64{0, 0.5, 1, 1.5, 2}, []float64{0, 0.5, 1, 1.5, 2}) {
			set := settingOf(keys, draws, skew, gamma, spectralK)
			set.m += (set.m + 1) / 2
			for _, m := range methods {
				s.Record(report.At{"gamma": gamma, "skew": skew, "method": m.name}, report.Parallel(seeds, func(i int) report.Figures {
					q := set.run(seedOf(i), []method{m})[0]
					q["asked"], q["hits"] = float64(keys), math.Round(q["below"]*float64(keys))
					return q
				})...)
			}
		}
	}
}

// estimator is the minimum, or lemma 3's in so many groups. Section 3.1.
type estimator struct {
	name   string
	groups int
}

var estimators = []estimator{{"minimum (ms)", 0}, {"unbiased", 1}, {"boosted, 5 groups", 5}}

// spectralUnbiased measures the unbiased estimator and its boosted form.
// Section 3.1.
func spectralUnbiased(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 3, 20, 200)
	keys, draws := spectralSize(c)
	// A mean of k counters, each with a variance of N k/m.
	s.Set("keys", keys, "draws", draws, "seeds", seeds, "chance", math.Sqrt(float64(draws)/float64(keys)*spectralGamma/spectralK))
	for _, l := range []struct {
		gamma float64
		k     int
	}{{0.7, 5}, {2, 5}, {5, 5}, {0.7, 15}} {
		for _, skew := range []float64{0, 0.5, 1, 1.5} {
			set := settingOf(keys, draws, skew, l.gamma, l.k)
			for i, of := range transposed(report.Parallel(seeds, func(seed int) []report.Figures { return set.estimates(seedOf(seed)) })) {
				at := report.At{"gamma": l.gamma, "k": l.k, "skew": skew, "estimator": estimators[i].name}
				s.Record(at, of...)
				bias := report.Column(of, func(f report.Figures) float64 { return f["bias"] })
				z := 0.0
				if e := report.StandardError(bias); e > 0 {
					z = report.Mean(bias) / e
				}
				s.Record(at, report.Figures{"z": z, "far": math.Abs(z),
					"deviation": math.Sqrt(report.MeanOf(of, func(f report.Figures) float64 { return f["sum"] * f["sum"] }))})
			}
		}
	}
}

// estimates are the errors of the estimators for one seed: the mean error of a key, its
// root mean square, the error of the sum over a random half of the keys, and the share
// of the estimates below the truth.
func (s setting) estimates(seed uint64) []report.Figures {
	sk := methodMS.sketch(s.m, s.k, seed)
	keys := len(s.counts)
	h := numbers(seed, 0, keys)
	sk.AddHashes(h.h1, h.h2, s.counts)
	size := float64(len(sk.Blob()))
	chosen, half := random(seed, 26).Perm(keys), 0.0
	for i, n := range s.counts {
		half += yesNo(chosen[i] < keys/2) * float64(n)
	}
	return report.Column(estimators, func(by estimator) report.Figures {
		of := report.Figures{"below": 0, "bytes": size}
		for i, n := range s.counts {
			f, v := float64(n), float64(sk.Count(h.h1[i], h.h2[i]))
			if by.groups > 0 {
				v = report.Must(sk.Unbiased(h.h1[i], h.h2[i], by.groups))
			}
			of["bias"] += (v - f) / float64(keys)
			of["additive"] += (v - f) * (v - f) / float64(keys)
			of["sum"] += yesNo(chosen[i] < keys/2) * (v - f) / half
			of["below"] += yesNo(v < f-1e-6) / float64(keys)
		}
		of["additive"] = math.Sqrt(of["additive"])
		return of
	})
}

// relativeErrors are those of minimum selection over many sketches of one data
// set: for each rank, of the keys whose estimate is not the truth.
type relativeErrors struct {
	wrong []float64 // keys
	sum   []float64 // of their relative errors
	above []float64 // those whose relative error is above a half
	most  float64
	bytes int
}

// relative measures them over seeds, with k 5 and gamma 0.7.
func relative(data []uint64, seeds int) relativeErrors {
	n := len(data)
	o := relativeErrors{wrong: make([]float64, n), sum: make([]float64, n), above: make([]float64, n)}
	for i := range seeds {
		sk := report.Must(sbf.New(sbf.Params{Counters: uint64(math.Ceil(float64(n*spectralK) / spectralGamma)), Seed: seedOf(i)}))
		h := numbers(seedOf(i), 0, n)
		sk.AddHashes(h.h1, h.h2, data)
		if i == 49 { // one of them: they differ by a byte or two
			o.bytes = len(sk.Blob())
		}
		for rank, got := range counts(sk, h) {
			if got != data[rank] {
				e := (float64(got) - float64(data[rank])) / float64(data[rank])
				o.wrong[rank]++
				o.sum[rank] += e
				o.above[rank] += yesNo(e > 0.5)
				o.most = math.Max(o.most, e)
			}
		}
	}
	return o
}

// upTo are the mean error and the share above a half over the ranks from a
// first one to a last one, and of how many errors.
func (r relativeErrors) upTo(from, to int) (mean, above, wrong float64) {
	for i := from - 1; i < to; i++ {
		mean, above, wrong = mean+r.sum[i], above+r.above[i], wrong+r.wrong[i]
	}
	return mean / max(1, wrong), above / max(1, wrong), wrong
}

// relativeBound is E'(RE_i) of formula 1: the paper's bound of the mean relative
// error of the i-th most frequent of n keys, given an error. Section 2.3.
func relativeBound(n, i int, skew float64) float64 {
	sum := 0.0
	for j := 1; j <= n; j++ {
		sum += math.Pow(float64(j), spectralK-skew-1)
	}
	return math.Pow(float64(i), skew) * spectralK / math.Pow(float64(n-spectralK), spectralK) * sum
}

// spectralRelative is section 2.3 and figure 1: how large an error of minimum
// selection is, where there is one.
func spectralRelative(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 100, 400, 4000)
	n := report.Pick(c, 100, spectralKeys, spectralKeys)
	// So many that every key has a count in proportion.
	const draws = 1 << 40
	const bins = 5
	skews := []float64{0.2, 0.6, 1, 1.4, 1.8, 2}
	bySkew := report.Parallel(len(skews), func(i int) relativeErrors { return relative(zipfCounts(n, draws, skews[i]), seeds) })
	for i, skew := range skews {
		r := bySkew[i]
		for b := range bins {
			from, to := n*b/bins+1, n*(b+1)/bins
			mean, _, wrong := r.upTo(from, to)
			at, limit := report.At{"skew": skew, "to": to}, relativeBound(n, to, skew)
			s.Record(at, report.Figures{"mean": mean, "bound": limit})
			if wrong > 0 {
				s.Record(at, report.Figures{"held": yesNo(mean <= limit), "middle": float64(from+to) / 2, "measured": mean})
			}
		}
		if skew != 1 {
			continue
		}
		s.Set("size", float64(r.bytes), "largest", r.most)
		for _, rank := range []int{n / 10, n / 5, n * 3 / 10} {
			_, above, wrong := r.upTo(1, rank)
			limit := 0.0 // of lemma 2, over the ranks up to this one
			for i := 1; i <= rank; i++ {
				limit += spectralK * math.Pow(float64(i)/(float64(n-spectralK)*0.5), spectralK) / float64(rank)
			}
			deviation := math.Sqrt(limit * (1 - limit) / max(1, wrong))
			s.Record(report.At{"rank": rank}, report.Figures{"above": above, "limit": limit, "surely above": above - 4*deviation})
		}
	}
	s.Set("n", n, "seeds", seeds, "paper's largest", float64(n)/spectralK, "least", leastRelative(n, draws, seeds),
		"double", doubles(n, report.Pick(c, 5, 20, 200)),
		// Of the counters that have another key, those that have more than one.
		"more", 1-spectralGamma*math.Exp(-spectralGamma)/-math.Expm1(-spectralGamma))
}

// leastRelative is the skew at which the mean relative error of the keys with
// an error is least.
func leastRelative(n, draws, seeds int) float64 {
	skew := func(i int) float64 { return 0.5 + float64(i)/4 }
	means := report.Parallel(15, func(i int) float64 {
		r := relative(zipfCounts(n, draws, skew(i)), seeds)
		mean, _, _ := r.upTo(1, n)
		return mean
	})
	return skew(slices.Index(means, slices.Min(means)))
}

// doubles is the share of keys with an error whose least counter has two other
// keys at least: counters of how many keys they have, beside those of counts.
func doubles(n, seeds int) float64 {
	data := zipfCounts(n, spectralDraws, 1)
	double := 0.0
	for i := range seeds {
		m := int(math.Ceil(float64(n*spectralK) / spectralGamma))
		sum, keys := newModel(m, spectralK, n, seedOf(i), false), newModel(m, spectralK, n, seedOf(i), false)
		for key, count := range data {
			sum.add(key, int(count))
			keys.add(key, 1)
		}
		for key, count := range data {
			least := sum.least(key)
			for _, p := range sum.positions[key] {
				if least > int(count) && sum.counters[p] == least && keys.counters[p] > 2 {
					double += 1 / float64(n*seeds)
					break
				}
			}
		}
	}
	return double
}
