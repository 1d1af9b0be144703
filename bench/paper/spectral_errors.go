package main

import (
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// spectralBelow measures how often and by how much estimates of recurring minimum are below the
// truth. The paper says that they are not (section 6.2).
func spectralBelow(c report.Scale, s *report.Section) {
	seeds := report.Pick(c, 2, 5, 40)
	keys, draws := spectralSize(c)
	s.Set("keys", keys, "draws", draws, "seeds", seeds, "all", keys*seeds)
	methods := []method{methodMS, methodMI, methodPrinted, methodRMPlain, methodRM, methodTRM, methodGathered}
	for _, gamma := range []float64{0.5, 0.7, 0.83, 1} {
		for _, skew := range report.Pick(c, []float64{0, 1}, []float64{0, 0.5, 1, 1.5, 2}, []float64{0, 0.5, 1, 1.5, 2}) {
			set := settingOf(keys, draws, skew, gamma, spectralK)
			set.m += (set.m + 1) / 2
			recordMethods(s, report.At{"gamma": gamma, "skew": skew}, methods, seeds, func(seed uint64) []report.Figures {
				all := set.run(seed, methods)
				for _, q := range all {
					q["asked"], q["hits"] = float64(keys), math.Round(q["below"]*float64(keys))
				}
				return all
			})
		}
	}
}

// estimator is a way to estimate a count. If groups is 0, it is the minimum of the counters. Otherwise
// it is the estimator of lemma 3 with that number of groups. Section 3.1.
type estimator struct {
	name   string
	groups int
}

var estimators = []estimator{{"minimum (ms)", 0}, {"unbiased", 1}, {"boosted, 5 groups", 5}}

// spectralUnbiased measures the unbiased estimator and its boosted form.
// Section 3.1.
func spectralUnbiased(c report.Scale, s *report.Section) {
	seeds := report.Pick(c, 3, 20, 200)
	keys, draws := spectralSize(c)
	// "chance" is the standard deviation of a mean of k counters, each with a variance of N k/m for N
	// draws and m counters.
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
					"deviation": math.Sqrt(report.Mean(report.Column(of, func(f report.Figures) float64 { return f["sum"] * f["sum"] })))})
			}
		}
	}
}

// estimates returns the errors of the estimators for one seed: the mean error of a key, and its
// root mean square. It also returns the error of the sum over a random half of the keys, and the
// fraction of estimates below the truth.
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
