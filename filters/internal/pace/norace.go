//go:build !race

package pace

const raceDetector = false
