//go:build race

package duck

// Tests are shorter, and say nothing about resident memory, under the race
// detector.
const raceDetector = true
