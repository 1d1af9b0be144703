package main

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// The paper's table 1.
var table1 = []struct {
	gamma, eb, recurring, errors, gammaSecond, ebSecond, erm, gain float64
}{
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
func recurringRows(s *report.Section, gamma float64, keys, draws, seeds int) []recurringPair {
	return report.Parallel(s, seeds, func(seed int) recurringPair {
		return recurringPair{recurringRow(gamma, keys, draws, seedOf(seed), false), recurringRow(gamma, keys, draws, seedOf(seed), true)}
	})
}

// spectralTable reproduces table 1.
func spectralTable(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 3, 50, 1000)
	runs := report.Pick(c, 2, 5, 30)
	keys, draws := report.Pick(c, 200, spectralKeys, spectralKeys), report.Pick(c, 5000, spectralDraws, spectralDraws)
	s.Text("Recurring minimum: a key whose least counter comes twice is taken at its word; the others (1 - P(Rx) of them) go to a second "+
		"filter of half the size. %d values, %d occurrences, skew 0.5, k = 5. E_b = (1 - e^-gamma)^k is the error of the plain filter, "+
		"E_RM = P(Rx) P(Ex|Rx) + (1 - P(Rx)) E_b^s the expected one with the second, computed as in the table. With the paper's parameters means also its "+
		"own hash functions (the fraction of alpha times the value, section 6.1); our defaults have our positions, which are uniformly random. %d seeds each. "+
		"The published figures are one draw or few; the brackets are the range that 95%% of our seeds span, and a figure in it is not called worse.", keys, draws, seeds)
	gain := [2][]float64{}
	inside, figuresIn := 0, 0
	var gammas []float64
	for _, row := range table1 {
		gammas = append(gammas, row.gamma)
		all := recurringRows(s, row.gamma, keys, draws, seeds)
		half := spectralK / row.gamma / 2
		eb := bloomRate(1, row.gamma/spectralK, spectralK)
		for i, f := range []struct {
			name      string
			published float64
			up        bool // more is better
			of        func(o recurringOutcome) float64
		}{
			{"P(Rx)", row.recurring, true, func(o recurringOutcome) float64 { return o.recurring }},
			{"P(Ex given Rx)", row.errors, false, func(o recurringOutcome) float64 { return o.errors }},
			{"E_b, measured", row.eb, false, func(o recurringOutcome) float64 { return o.wrong }},
			{"gamma_s", row.gammaSecond, false, func(o recurringOutcome) float64 { g, _ := o.second(half); return g }},
			{"E_b^s", row.ebSecond, false, func(o recurringOutcome) float64 { _, e := o.second(half); return e }},
			{"E_RM", row.erm, false, func(o recurringOutcome) float64 { return o.erm(half) }},
			{"gain E_b / E_RM", row.gain, true, func(o recurringOutcome) float64 { return eb / o.erm(half) }},
		} {
			ours := report.Column(all, func(p recurringPair) float64 { return f.of(p.random) })
			theirs := report.Column(all, func(p recurringPair) float64 { return f.of(p.multiply) })
			lo, hi := report.Quantile(theirs, 0.025), report.Quantile(theirs, 0.975)
			figuresIn++
			if f.published >= lo && f.published <= hi {
				inside++
			}
			middle, name := report.Mean, f.name
			if i == 6 {
				middle, name = report.Median, f.name+", median" // a quotient by what can be next to nothing
			}
			beyond := func(all []float64) bool { // better than all but 2.5% of ours
				return f.up && f.published > report.Quantile(all, 0.975) || !f.up && f.published < report.Quantile(all, 0.025)
			}
			note := worse(beyond(theirs), "the published is one draw, better than 97.5% of ours")
			if !beyond(theirs) {
				note = worse(beyond(ours), "with our positions only: the paper's hash functions spread consecutive values more evenly than chance")
			}
			s.Compare(fmt.Sprintf("table 1, gamma %g: %s", row.gamma, name), report.Num(f.published)).
				Paper(fmt.Sprintf("%s in [%s, %s]", report.Num(middle(theirs)), report.Num(lo), report.Num(hi))).Defaults(report.Num(middle(ours))).Note(note)
		}
		gain[0] = append(gain[0], eb/report.Mean(report.Column(all, func(p recurringPair) float64 { return p.random.erm(half) })))
		gain[1] = append(gain[1], eb/report.Mean(report.Column(all, func(p recurringPair) float64 { return p.multiply.erm(half) })))
	}

	s.Text("The gain E_b / E_RM of the mean E_RM, and what our sketches really do: `ms` with m counters, `rm` with m and half as many more as in the "+
		"table (and its marker bits), share of wrong answers over %d seeds. E_RM leaves out the keys that are recognised late, after their "+
		"counters were stepped on (the paper's section 3.3.1), which is why a streamed rm gains so little in wrong answers; \"built at once\" is how `sbf_agg` builds a sketch, from exact counts, moving the keys whose least counter is wrong.", runs)
	t := s.Table("gamma", "gain, published", "gain, random positions", "gain, the paper's hash functions", "ms, wrong", "rm, streamed, wrong", "rm, built at once, wrong", "gain, streamed", "gain, built at once")
	var streamedGain, gatheredGain, published []float64
	for i, row := range table1 {
		m := int(math.Ceil(float64(keys*spectralK) / row.gamma))
		results := report.Parallel(s, runs, func(seed int) []quality {
			ms := setting{zipfCounts(keys, draws, 0.5), m, spectralK}.run(seedOf(seed), []method{methodMS})
			rm := setting{zipfCounts(keys, draws, 0.5), m + (m+1)/2, spectralK}.run(seedOf(seed), []method{methodRM, methodGathered})
			return append(ms, rm...)
		})
		q := transposed(results)
		ms, rm, gathered := report.Column(q[0], wrong), report.Column(q[1], wrong), report.Column(q[2], wrong)
		t.Row(fmt.Sprintf("%g", row.gamma), report.Num(row.gain), gain[0][i], gain[1][i], report.SpreadPercent(ms), report.SpreadPercent(rm), report.SpreadPercent(gathered),
			ratioText(report.Mean(ms), report.Mean(rm)), ratioText(report.Mean(ms), report.Mean(gathered)))
		bytes := func(i int) int {
			return int(report.Mean(report.Column(q[i], func(q quality) float64 { return q.bytes })))
		}
		s.Compare(fmt.Sprintf("gain in wrong answers of a sketch over ms, gamma %g: rm streamed; rm as sbf_agg builds it", row.gamma), report.Num(row.gain)).
			Paper(ratioText(report.Mean(ms), report.Mean(rm))).Defaults(ratioText(report.Mean(ms), report.Mean(gathered))).Bytes(bytesOf(bytes(2), bytes(1))).
			Worse(ratioOr(report.Mean(ms), report.Mean(rm)) < row.gain, "streamed only: E_RM leaves out the keys that are recognised late")
		streamedGain, gatheredGain = append(streamedGain, ratioOr(report.Mean(ms), report.Mean(rm))), append(gatheredGain, ratioOr(report.Mean(ms), report.Mean(gathered)))
		published = append(published, row.gain)
	}
	s.Short("%d of the table's %d figures are in the range that 95%% of seeds span with the paper's hash functions; the published gain of 11 million at gamma 0.5 is not one of them: the mean over seeds gives %s.",
		inside, figuresIn, report.Num2(gain[1][len(gain[1])-1]))
	s.Text("At gamma 0.5 the published gain of 11 million rests on P(Ex|Rx) = 0 and P(Rx) = 0.969 in one draw; the mean over seeds has no such " +
		"row, with either kind of hash functions. The published P(Rx) also goes up and down over gamma, as single draws do.")
	spectralMemory(c, s)
	s.Figure("gain", "Gain of recurring minimum over gamma: as the table computes it, and of our sketches as they are.", []report.Panel{{
		X: "gamma = n k / m", Y: "gain, E_b / E_RM", LogY: true, Legend: report.TopRight,
		Series: []report.Series{
			{Label: "published", X: gammas[:4], Y: published[:4], Style: 3},
			{Label: "expected, random positions", X: gammas, Y: gain[0], Style: 0},
			{Label: "expected, the paper's hashes", X: gammas, Y: gain[1], Style: 1},
			{Label: "rm, streamed", X: gammas, Y: streamedGain, Style: 2},
			{Label: "rm, built at once", X: gammas, Y: gatheredGain, Style: 4},
		},
	}})
}

// ratioOr is a quotient, or nothing that can be drawn where there is none.
func ratioOr(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}

// ratioText is a quotient in words.
func ratioText(a, b float64) string {
	if b == 0 {
		return "no error"
	}
	return report.Num(a / b)
}
