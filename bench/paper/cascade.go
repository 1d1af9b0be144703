package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
)

// What the experiments of figures 2 and 3 and of table 2 of the CascadeCBF paper
// share: structures of a size, judged by their relative error over the places
// with points.

// rival is a structure, and how its line is drawn.
type rival struct {
	structure
	style int
}

// parts are layers that are smaller than the first by divisors; bytes are the
// first one's.
func parts(divisors ...uint64) func(bytes uint64) []uint64 {
	return func(bytes uint64) []uint64 {
		counters := make([]uint64, len(divisors))
		for i, d := range divisors {
			counters[i] = bytes / 2 / d
		}
		return counters
	}
}

var (
	oneStandard   = rival{cascadeOf("one layer, standard", paperK, ccbf.Standard, parts(1)), 0}
	oneMI         = rival{cascadeOf("one layer, mi", paperK, ccbf.MinimalIncrement, parts(1)), 1}
	twoMI         = rival{cascadeOf("two layers, mi", paperK, ccbf.MinimalIncrement, parts(1, 4)), 2}
	spectralMI    = rival{spectralOf("spectral, mi", paperK, 16), 3}
	countMin5     = rival{countMinOf("Count-Min, 5 rows", 5, 16), 4}
	defaultsDense = rival{defaultsOf("defaults, dense", true), 5}
	defaults      = rival{defaultsOf("defaults", false), 6}
)

// data draws places and their points in the order in which they come.
type data func(seed uint64) (places []place, points []int32)

// judged is the error of a structure over the places with points, in parts of
// the truth, and its size.
type judged struct {
	mean, high, most float64 // high is the 95th percentile
	bytes            uint64
}

// judge lets a structure count the points.
func (of structure) judge(places []place, points []int32, bytes, seed uint64) judged {
	a := of.count(places, points, 1, bytes, seed)
	var errors []float64
	for i := range places {
		if places[i].points == 0 {
			continue
		}
		errors = append(errors, math.Abs(a.excess(&places[i])))
	}
	return judged{report.Mean(errors), report.Quantile(errors, 0.95), slices.Max(errors), a.bytes}
}

// seeded is what came of a structure, seed by seed.
type seeded []judged

func (s seeded) means() []float64 { return report.Column(s, func(j judged) float64 { return j.mean }) }

func (s seeded) mean() float64 { return report.Mean(s.means()) }

// high is the mean over the seeds of the 95th percentile.
func (s seeded) high() float64 {
	return report.Mean(report.Column(s, func(j judged) float64 { return j.high }))
}

// largest is the mean over the seeds of the largest error.
func (s seeded) largest() float64 {
	return report.Mean(report.Column(s, func(j judged) float64 { return j.most }))
}

// bytes is the mean over the seeds of the size.
func (s seeded) bytes() int {
	return int(report.Mean(report.Column(s, func(j judged) float64 { return float64(j.bytes) })))
}

// interval is the mean of the mean errors, with its 95% interval.
func (s seeded) interval() (mean, lo, hi float64) {
	x := s.means()
	mean, half := report.Mean(x), 1.96*report.StandardError(x)
	return mean, max(0, mean-half), mean + half
}

// String is the interval in percent.
func (s seeded) String() string {
	mean, lo, hi := s.interval()
	return fmt.Sprintf("%s [%s, %s]", report.Percent2(mean), report.Percent2(lo), report.Percent2(hi))
}

// point adds the error in percent and its interval to a line.
func (s seeded) point(line *report.Series, x float64) {
	mean, lo, hi := s.interval()
	line.X, line.Y = append(line.X, x), append(line.Y, 100*mean)
	line.Lo, line.Hi = append(line.Lo, 100*lo), append(line.Hi, 100*hi)
}

// attempt is a structure in so many bytes.
type attempt struct {
	structure
	bytes uint64
}

// judgeAll lets structures count the data of several seeds.
func judgeAll(s *report.Section, seeds int, of data, attempts []attempt) []seeded {
	bySeed := report.Parallel(s, seeds, func(i int) []judged {
		places, points := of(seedOf(i))
		all := make([]judged, len(attempts))
		for j, a := range attempts {
			all[j] = a.judge(places, points, a.bytes, seedOf(i))
		}
		return all
	})
	var out []seeded
	for _, column := range transposed(bySeed) {
		out = append(out, column)
	}
	return out
}

// attempts are all rivals in so many bytes.
func attempts(rivals []rival, bytes uint64) []attempt {
	var out []attempt
	for _, r := range rivals {
		out = append(out, attempt{r.structure, bytes})
	}
	return out
}
