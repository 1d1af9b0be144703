package main

import (
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// worse is a comparison's note: that ours is worse and why, where it is.
func worse(is bool, why string) string {
	if !is {
		return "-"
	}
	return "worse: " + why
}

// worseError is the note of the mean errors of some runs and of the largest one,
// each beside the published, and why the mean is worse where it is.
func worseError(means []float64, most, publishedMean, publishedMost float64, why string) string {
	mean, chance := report.Mean(means), 2*report.Deviation(means)
	switch {
	case mean <= publishedMean:
		return worse(most > publishedMost, "the largest, which is that of a single key")
	case mean-chance <= publishedMean:
		why = "by less than two standard deviations of a run"
	}
	return worse(true, why)
}

// bytesOf is a comparison's cell of sizes: what our defaults take, and the
// paper's parameters.
func bytesOf(defaults, paper int) string {
	return sketch.Number(uint64(defaults)) + " of " + sketch.Number(uint64(paper))
}
