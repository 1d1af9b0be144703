//go:build !race

package duck

const raceDetector = false
