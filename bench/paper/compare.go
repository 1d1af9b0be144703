package main

import "github.com/ccbfsql/ccbfsql/filters/sketch"

// worse is a comparison's note: that ours is worse and why, where it is.
func worse(is bool, why string) string {
	if !is {
		return "-"
	}
	return "worse: " + why
}

// bytesOf is a comparison's cell of sizes: what our defaults take, and the
// paper's parameters.
func bytesOf(defaults, paper int) string {
	return sketch.Number(uint64(defaults)) + " of " + sketch.Number(uint64(paper))
}
