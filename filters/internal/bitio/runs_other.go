//go:build !amd64

package bitio

var eight = false

func readSixteen(s *sixteenState, out *uint64, steps int) int { return 0 }

func codeEight(codes, lengths, keys, counts *uint64, n int, j, k uint64) (longest uint64) { return 0 }

func joinCodes(dst *byte, codes, lengths *uint64, n int, acc, used uint64) (bits, rest uint64) {
	return 0, 0
}

func orderEight(a, b *uint64, n int) (order uint64) { return 0 }
