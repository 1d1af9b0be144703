package main

import (
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/cms"
)

// countMin holds the estimates of Count-Min against its bound.
func countMin(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 2, 5, 20)
	draws := report.Pick(c, 2000, 200_000, 1_000_000)
	distinct := report.Pick(c, 500, 20_000, 100_000)
	skews := []float64{0, 0.5, 1, 1.5}
	s.Text("A Count-Min sketch promises that an estimate is never below the truth, and above it by more than epsilon "+
		"times the total with probability delta at most (Cormode and Muthukrishnan 2005, theorem 1). Here with the defaults, "+
		"epsilon 0.001 and delta 0.01 (5 rows of 2,719 counters): %d draws from %d keys, P(rank r) in proportion to "+
		"r^-skew, %d seeds. \"Beyond\" is the share of the keys that occurred whose estimate exceeds the bound; it must be "+
		"at most 0.01. Errors are parts of the total, in units of epsilon.", draws, distinct, seeds)
	t := s.Table("skew", "rule", "beyond the bound", "mean excess / (epsilon total)", "largest excess / (epsilon total)", "below the truth", "bytes")
	type result struct{ beyond, meanExcess, most, below float64 }
	excess := map[bool][]float64{}
	mostBeyond, mostExcess, belowAny, mostBytes := 0.0, 0.0, 0.0, 0
	for _, skew := range skews {
		z := newZipf(distinct, skew)
		for _, conservative := range []bool{false, true} {
			bytes := 0
			results := report.Parallel(s, seeds, func(seed int) result {
				sk := report.Must(cms.New(cms.Params{Conservative: conservative, Seed: seedOf(seed)}))
				truth := make([]uint64, distinct)
				keys := numbers(seedOf(seed), 0, distinct)
				for _, i := range z.stream(random(seedOf(seed), 8), draws) {
					sk.Add(keys.h1[i], keys.h2[i], 1)
					truth[i]++
				}
				if seed == 0 {
					bytes = len(sk.Blob())
				}
				var r result
				seen := 0.0
				bound := cms.DefaultEpsilon * float64(draws)
				for i, got := range counts(sk, keys) {
					if truth[i] == 0 {
						continue
					}
					seen++
					over := (float64(got) - float64(truth[i])) / bound
					if over > 1 {
						r.beyond++
					}
					if over < 0 {
						r.below++
					}
					r.meanExcess += over
					r.most = math.Max(r.most, over)
				}
				r.beyond /= seen
				r.below /= seen
				r.meanExcess /= seen
				return r
			})
			rule := "plain"
			if conservative {
				rule = "conservative"
			}
			over := report.Column(results, func(r result) float64 { return r.meanExcess })
			mostExcess, mostBytes = max(mostExcess, report.Mean(over)), max(mostBytes, bytes)
			mostBeyond = max(mostBeyond, report.Mean(report.Column(results, func(r result) float64 { return r.beyond })))
			belowAny += report.Mean(report.Column(results, func(r result) float64 { return r.below }))
			excess[conservative] = append(excess[conservative], report.Mean(over))
			t.Row(report.Num(skew), rule, report.Spread(report.Column(results, func(r result) float64 { return r.beyond })), report.Spread(over),
				report.Spread(report.Column(results, func(r result) float64 { return r.most })),
				report.Mean(report.Column(results, func(r result) float64 { return r.below })), bytes)
		}
	}
	size := bytesOf(mostBytes, mostBytes)
	s.Compare("keys beyond the truth + epsilon total, most over skews and rules (theorem 1)", "at most 1%").Paper(report.Percent2(mostBeyond)).Defaults(report.Percent2(mostBeyond)).
		Bytes(size).Worse(mostBeyond > cms.DefaultDelta, "the bound does not hold")
	s.Compare("mean excess over epsilon total, most over skews and rules (proof of theorem 1)", "at most 1/e").Paper(report.Num(mostExcess)).Defaults(report.Num(mostExcess)).
		Bytes(size).Worse(mostExcess > 1/math.E, "the mean of one row is 1/e, that of the least of five must be less")
	s.Compare("keys below the truth", "0").Paper(report.Percent2(belowAny)).Defaults(report.Percent2(belowAny)).Bytes(size).Worse(belowAny > 0, "a count is lost")
	s.Short("at the defaults at most a part %s of the keys is beyond the bound, where 0.01 is allowed; %s below the truth.", report.Num2(mostBeyond), none(belowAny))
	s.Figure("excess", "Mean excess of an estimate in units of epsilon times the total; the bound is 1.", []report.Panel{{
		X: "skew", Y: "excess / (epsilon total)", Legend: report.TopRight,
		Series: []report.Series{
			{Label: "plain", X: skews, Y: excess[false]},
			{Label: "conservative", X: skews, Y: excess[true], Style: 1},
		},
	}})
}
