//go:build !amd64

package simd

const have = false

func finishKernel(*uint64, *uint64, int) {}

func keysKernel(*uint64, *float64, *float64, int, float64, float64, float64) int { return 0 }

func foursKernel(*uint64, *uint8, *uint32, *uint32, int, *byte, *byte, uint64, uint64, float32) {}

func runsKernel(*Runs, *byte, int, int) int { return 0 }
