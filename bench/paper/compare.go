package main

import "github.com/ccbfsql/ccbfsql/filters/sketch"

// worse is a comparison's note: that ours is worse and why, where it is.
func worse(is bool, why string) string {
	if !is {
		return "-"
	}
	return "worse: " + why
}

// worseError is the note of a mean error and of the largest one, each beside the
// published, and why the mean is worse where it is. The largest error is that of
// one key with few points, and chance.
func worseError(mean, most, publishedMean, publishedMost float64, why string) string {
	if mean > publishedMean {
		return worse(true, why)
	}
	return worse(most > publishedMost, "the largest, which is of a single key")
}

// bytesOf is a comparison's cell of sizes: what our defaults take, and the
// paper's parameters.
func bytesOf(defaults, paper int) string {
	return sketch.Number(uint64(defaults)) + " of " + sketch.Number(uint64(paper))
}
