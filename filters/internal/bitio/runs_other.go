//go:build !amd64

package bitio

const eight = false

func readEight(s *eightState, base *byte, last uint64, out *uint64, steps int) int { return 0 }
