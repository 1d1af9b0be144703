//go:build !amd64

package cascade

var lanes = false

func startsLanes(at, step *uint32, h1, h2 *uint64, n int, size, rest uint64, of, inverse float64) {}

func foursLanes(dst *uint64, left *uint8, at, step *uint32, n int, first, second *byte, size, above uint64, inverse float32) {
}
