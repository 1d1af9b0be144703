package nh

import "testing"

// Processors that make one product at a time have the same sums.
func TestNarrowSums(t *testing.T) {
	if !wide {
		t.Skip("TestSums is of those")
	}
	wide = false
	defer func() { wide = true }()
	TestSums(t)
}
