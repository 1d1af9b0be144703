package main

import (
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// The paper's table 1.
var table1 = []struct{ gamma, eb, recurring, errors, gammaSecond, ebSecond, erm, gain float64 }{
	{1, 0.101, 0.657, 0.0045, 0.686, 0.03, 0.0132, 7.59},
	{0.83, 0.057, 0.697, 0.0028, 0.502, 0.0096, 0.0048, 11.7},
	{0.7, 0.032, 0.812, 0.002, 0.263, 0.0006, 0.0017, 18.48},
	{0.625, 0.021, 0.799, 0.0012, 0.251, 0.00054, 0.001, 20.3},
	{0.5, 0.009, 0.969, 0, 0.031, 2.65e-8, 8.21e-10, 11480352},
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

// recurringRow measures how often least counters recur and err.
func recurringRow(gamma float64, keys, draws int, seed uint64, multiply bool) recurringOutcome {
	m := int(math.Ceil(float64(keys*spectralK) / gamma))
	counts := zipfCounts(keys, draws, 0.5)
	f := newModel(m, spectralK, keys, seed, multiply)
	for key, n := range counts {
		f.add(key, int(n))
	}
	recurring, errors, all := 0.0, 0.0, 0.0
	for key, n := range counts {
		bad := f.least(key) != int(n)
		if bad {
			all++
		}
		if f.recurs(key) {
			recurring++
			if bad {
				errors++
			}
		}
	}
	o := recurringOutcome{recurring: recurring / float64(keys), wrong: all / float64(keys)}
	if recurring > 0 {
		o.errors = errors / recurring
	}
	return o
}

// recurringPair is a row with the positions of our hashes, which are uniformly
// random, and with those of the paper's.
type recurringPair struct{ random, multiply recurringOutcome }

// recurringRows are the rows of many seeds.
func recurringRows(gamma float64, keys, draws, seeds int) []recurringPair {
	return report.Parallel(seeds, func(seed int) recurringPair {
		return recurringPair{recurringRow(gamma, keys, draws, seedOf(seed), false), recurringRow(gamma, keys, draws, seedOf(seed), true)}
	})
}

const gainOfTable = "gain E_b / E_RM"

// figures are those of a row of table 1, reckoned of what was measured.
func (o recurringOutcome) figures(gamma float64) report.Figures {
	half := spectralK / gamma / 2
	second, ofSecond := o.second(half)
	eb := bloomRate(1, gamma/spectralK, spectralK)
	return report.Figures{
		"P(Rx)": o.recurring, "P(Ex given Rx)": o.errors, "E_b, measured": o.wrong, "gamma_s": second, "E_b^s": ofSecond, "E_RM": o.erm(half), gainOfTable: eb / o.erm(half),
	}
}

// spectralTable reproduces table 1.
func spectralTable(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 3, 50, 1000)
	runs := report.Pick(c, 2, 5, 30)
	keys, draws := report.Pick(c, 200, spectralKeys, spectralKeys), report.Pick(c, 5000, spectralDraws, spectralDraws)
	s.Set("keys", keys, "draws", draws, "seeds", seeds, "runs", runs)
	inside := 0
	lines := report.Lines("published", "expected, random positions", "expected, the paper's hashes", "rm, streamed", "rm, built at once")
	for i, style := range []int{3, 0, 1, 2, 4} {
		lines[i].Style = style
	}
	for at, row := range table1 {
		all := recurringRows(row.gamma, keys, draws, seeds)
		ours, theirs := &report.Data{}, &report.Data{}
		for _, p := range all {
			ours.Record(nil, p.random.figures(row.gamma))
			theirs.Record(nil, p.multiply.figures(row.gamma))
		}
		for _, f := range []struct {
			name      string
			published float64
			up        bool // more is better
		}{
			{"P(Rx)", row.recurring, true},
			{"P(Ex given Rx)", row.errors, false},
			{"E_b, measured", row.eb, false},
			{"gamma_s", row.gammaSecond, false},
			{"E_b^s", row.ebSecond, false},
			{"E_RM", row.erm, false},
			{gainOfTable, row.gain, true},
		} {
			random, multiply := ours.All(f.name), theirs.All(f.name)
			lo, hi := report.Quantile(multiply, 0.025), report.Quantile(multiply, 0.975)
			if f.published >= lo && f.published <= hi {
				inside++
			}
			middle, name := report.Mean, f.name
			if f.name == gainOfTable { // a quotient by what can be next to nothing
				middle, name = report.Median, f.name+", median"
			}
			beyond := func(all []float64) bool { // better than all but 2.5% of ours
				return f.up && f.published > report.Quantile(all, 0.975) || !f.up && f.published < report.Quantile(all, 0.025)
			}
			s.Record(report.At{"gamma": row.gamma, "figure": name, "beyond": beyond(multiply), "beyond random": beyond(random)},
				report.Figures{"published": f.published, "random": middle(random), "multiply": middle(multiply), "lo": lo, "hi": hi})
		}
		half := spectralK / row.gamma / 2
		eb := bloomRate(1, row.gamma/spectralK, spectralK)
		gain := []float64{
			eb / report.MeanOf(all, func(p recurringPair) float64 { return p.random.erm(half) }), eb / report.MeanOf(all, func(p recurringPair) float64 { return p.multiply.erm(half) }),
		}
		m := int(math.Ceil(float64(keys*spectralK) / row.gamma))
		recordMethods(&s.Data, report.At{"of": row.gamma, "gain": row.gain, "random": gain[0], "multiply": gain[1]}, []method{methodMS, methodRM, methodGathered},
			report.Parallel(runs, func(seed int) []report.Figures {
				ms := setting{zipfCounts(keys, draws, 0.5), m, spectralK}.run(seedOf(seed), []method{methodMS})
				return append(ms, setting{zipfCounts(keys, draws, 0.5), m + (m+1)/2, spectralK}.run(seedOf(seed), []method{methodRM, methodGathered})...)
			}))
		made := s.Where("of", row.gamma)
		ms := made.Mean("wrong", "method", "ms")
		for i, v := range []float64{row.gain, gain[0], gain[1], ratioOr(ms, made.Mean("wrong", "method", "rm")), ratioOr(ms, made.Mean("wrong", "method", methodGathered.name))} {
			if i > 0 || at < 4 {
				lines[i].At(row.gamma, v)
			}
		}
		s.Set("last", gain[1])
	}
	s.Set("inside", inside)
	spectralMemory(c, s)
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
func spectralMemory(c report.Config, s *report.Section) {
	seeds, runs := report.Pick(c, 3, 50, 1000), report.Pick(c, 2, 5, 30)
	keys, draws := report.Pick(c, 200, spectralKeys, spectralKeys), report.Pick(c, 5000, spectralDraws, spectralDraws)
	all := recurringRows(spectralGamma, keys, draws, seeds)
	const perKey = spectralK / spectralGamma
	for name, of := range map[string]func(p recurringPair) recurringOutcome{
		"multiply": func(p recurringPair) recurringOutcome { return p.multiply }, "random": func(p recurringPair) recurringOutcome { return p.random },
	} {
		single := 1 - report.MeanOf(all, func(p recurringPair) float64 { return of(p).recurring })
		s.Set("single "+name, single, "marker "+name, bloomRate(perKey, single, spectralK))
	}
	m := int(math.Ceil(perKey * float64(keys)))
	data := zipfCounts(keys, draws, 0.5)
	for _, row := range table2 {
		plain := bloomRate(perKey*(1+row.part), 1, float64(row.k))
		at := report.At{"part": row.part, "k": row.k, "ratio": row.ratio,
			"multiply": plain / report.MeanOf(all, func(p recurringPair) float64 { return p.multiply.erm(perKey * row.part) }),
			"random":   plain / report.MeanOf(all, func(p recurringPair) float64 { return p.random.erm(perKey * row.part) })}
		s.Record(at, report.Parallel(runs, func(i int) report.Figures {
			seed := seedOf(i)
			stream := shuffled(data, random(seed, 21))
			ms := setting{data, int(float64(m) * (1 + row.part)), row.k}.stream(seed, stream, []method{methodMS})
			rm := recurringModelOf(m, int(float64(m)*row.part), spectralK, keys, seed, false).run(stream, data)
			return report.Figures{"plain": ms[0]["wrong"], "rm": rm["wrong"]}
		})...)
	}
}
