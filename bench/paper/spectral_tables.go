package main

import (
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// tableFigures are the columns of the paper's table 1 that are reckoned or measured, and
// whether more of it is better.
var tableFigures = []struct {
	name string
	up   bool
}{{"P(Rx)", true}, {"P(Ex given Rx)", false}, {"E_b, measured", false}, {"gamma_s", false}, {"E_b^s", false}, {"E_RM", false}, {gainOfTable, true}}

const gainOfTable = "gain E_b / E_RM"

// The paper's table 1, in the order of these.
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

// recurringOutcome is what table 1 rests on, for one seed.
type recurringOutcome struct {
	recurring float64 // P(Rx)
	errors    float64 // P(Ex|Rx)
	wrong     float64 // share of wrong estimates of minimum selection
}

// second is the load of a second filter of so many counters for each key of the
// first, gamma_s = n(1-P(Rx))k/m_s, and its error, (1-e^-gamma_s)^k. Section 3.3.
func (o recurringOutcome) second(counters float64) (gamma, err float64) {
	gamma = (1 - o.recurring) * spectralK / counters
	return gamma, bloomRate(1, gamma/spectralK, spectralK)
}

// erm is P(Rx)P(Ex|Rx) + (1-P(Rx)) E_b^s: the error that table 1 expects with
// such a second filter.
func (o recurringOutcome) erm(counters float64) float64 {
	_, second := o.second(counters)
	return o.recurring*o.errors + (1-o.recurring)*second
}

// recurrence is the setting of table 1 and 2, with positions of our hashes, which are
// uniformly random, and with those of the paper's.
type recurrence struct {
	setting
	random, multiply []recurringOutcome // of many seeds
}

func recurrenceOf(c report.Config, gamma float64) recurrence {
	keys, draws := report.Pick(c, 200, spectralKeys, spectralKeys), report.Pick(c, 5000, spectralDraws, spectralDraws)
	out := recurrence{setting: settingOf(keys, draws, 0.5, gamma, spectralK)}
	all := report.Parallel(report.Pick(c, 3, 50, 1000), func(i int) [2]recurringOutcome {
		return [2]recurringOutcome{out.recurring(seedOf(i), false), out.recurring(seedOf(i), true)}
	})
	for _, o := range all {
		out.random, out.multiply = append(out.random, o[0]), append(out.multiply, o[1])
	}
	return out
}

// recurring measures how often least counters recur and err.
func (s setting) recurring(seed uint64, multiply bool) recurringOutcome {
	keys := len(s.counts)
	f := newModel(s.m, s.k, keys, seed, multiply)
	for key, n := range s.counts {
		f.add(key, int(n))
	}
	recurring, errors, all := 0.0, 0.0, 0.0
	for key, n := range s.counts {
		bad, recurs := f.least(key) != int(n), f.recurs(key)
		all += yesNo(bad)
		recurring += yesNo(recurs)
		errors += yesNo(bad && recurs)
	}
	return recurringOutcome{recurring / float64(keys), errors / max(1, recurring), all / float64(keys)}
}

// expectedError is the error that is expected with such a second filter.
func expectedError(all []recurringOutcome, counters float64) float64 {
	return report.MeanOf(all, func(o recurringOutcome) float64 { return o.erm(counters) })
}

// figures are those of a row of table 1, reckoned of what was measured.
func (o recurringOutcome) figures(gamma float64) [7]float64 {
	half := spectralK / gamma / 2
	second, ofSecond := o.second(half)
	return [7]float64{o.recurring, o.errors, o.wrong, second, ofSecond, o.erm(half), bloomRate(1, gamma/spectralK, spectralK) / o.erm(half)}
}

// spectralTable reproduces table 1.
func spectralTable(c report.Config, s *report.Section) {
	runs := report.Pick(c, 2, 5, 30)
	inside := 0.0
	lines := report.Drawn(report.Lines("published", "expected, random positions", "expected, the paper's hashes", "rm, streamed", "rm, built at once"),
		"%s", report.Both, 3, 0, 1, 2, 4)
	for at, row := range table1 {
		all := recurrenceOf(c, row.gamma)
		s.Set("keys", len(all.counts), "draws", report.Pick(c, 5000, spectralDraws, spectralDraws), "seeds", len(all.random), "runs", runs)
		for i, f := range tableFigures {
			of := func(o recurringOutcome) float64 { return o.figures(row.gamma)[i] }
			random, multiply, published := report.Column(all.random, of), report.Column(all.multiply, of), row.published[i]
			lo, hi := report.Quantile(multiply, 0.025), report.Quantile(multiply, 0.975)
			inside += yesNo(published >= lo && published <= hi)
			middle, name := report.Mean, f.name
			if f.name == gainOfTable { // a quotient by what can be next to nothing
				middle, name = report.Median, f.name+", median"
			}
			beyond := func(all []float64) bool { // better than all but 2.5% of ours
				return f.up && published > report.Quantile(all, 0.975) || !f.up && published < report.Quantile(all, 0.025)
			}
			s.Record(report.At{"gamma": row.gamma, "figure": name, "beyond": beyond(multiply), "beyond random": beyond(random)},
				report.Figures{"published": published, "random": middle(random), "multiply": middle(multiply), "lo": lo, "hi": hi})
		}
		eb, half, published := bloomRate(1, row.gamma/spectralK, spectralK), spectralK/row.gamma/2, row.published[6]
		gain := []float64{eb / expectedError(all.random, half), eb / expectedError(all.multiply, half)}
		larger := all.setting
		larger.m += (larger.m + 1) / 2
		recordMethods(s, report.At{"of": row.gamma, "gain": published, "random": gain[0], "multiply": gain[1]}, []method{methodMS, methodRM, methodGathered}, runs,
			func(seed uint64) []report.Figures {
				return append(all.run(seed, []method{methodMS}), larger.run(seed, []method{methodRM, methodGathered})...)
			})
		made := s.Where("of", row.gamma)
		ms := made.Mean("wrong", "method", "ms")
		for i, v := range []float64{published, gain[0], gain[1], ratioOr(ms, made.Mean("wrong", "method", "rm")), ratioOr(ms, made.Mean("wrong", "method", methodGathered.name))} {
			if i > 0 || at < 4 {
				lines[i].At(row.gamma, v)
			}
		}
		s.Set("last", gain[1])
	}
	s.Set("inside", inside)
	spectralMemory(c, s, runs)
	s.Plot("gain", []report.Panel{{X: "gamma = n k / m", Y: "gain, E_b / E_RM", LogY: true, Legend: report.TopRight, Series: lines}})
}

// ratioOr is a quotient, or nothing that can be drawn where there is none.
func ratioOr(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}

// The paper's table 2: what more memory gains as a second filter, as the error
// of a larger plain filter with more hash functions over that of recurring
// minimum.
var table2 = []struct {
	part, ratio float64
	k           int
}{
	{1, 0.641, 10}, {0.5, 3.341, 7}, {0.33, 4.546, 6}, {0.25, 3.628, 6}, {0.2, 2.496, 6}, {0.1, 0.562, 5},
}

// spectralMemory reproduces table 2, from the rows of table 1 at gamma 0.7.
func spectralMemory(c report.Config, s *report.Section, runs int) {
	all := recurrenceOf(c, spectralGamma)
	const perKey = spectralK / spectralGamma
	for name, of := range map[string][]recurringOutcome{"multiply": all.multiply, "random": all.random} {
		single := 1 - report.MeanOf(of, func(o recurringOutcome) float64 { return o.recurring })
		s.Set("single "+name, single, "marker "+name, bloomRate(perKey, single, spectralK))
	}
	for _, row := range table2 {
		plain := bloomRate(perKey*(1+row.part), 1, float64(row.k))
		at := report.At{"part": row.part, "k": row.k, "ratio": row.ratio, "multiply": plain / expectedError(all.multiply, perKey*row.part),
			"random": plain / expectedError(all.random, perKey*row.part)}
		s.Record(at, report.Parallel(runs, func(i int) report.Figures {
			seed := seedOf(i)
			stream := shuffled(all.counts, random(seed, 21))
			ms := setting{all.counts, int(float64(all.m) * (1 + row.part)), row.k}.stream(seed, stream, []method{methodMS})
			rm := newRecurringModel(all.m, int(float64(all.m)*row.part), spectralK, len(all.counts), seed, false).run(stream, all.counts)
			return report.Figures{"plain": ms[0]["wrong"], "rm": rm["wrong"]}
		})...)
	}
}
