//go:build !amd64

package key

var lanes, eight = false, false

func finishLanes(*uint64, *uint64, int) {}

func rowLanes(*uint64, *uint64, *uint64, int, uint64) {}

func finishEight(*uint64, *uint64, int) {}

func rowEight(*uint64, *uint64, *uint64, int, uint64) {}

func squaresEight(h1s, h2s *uint64, n int, seed, first, second uint64) {}

func wordsEight(h1s, h2s, vs *uint64, n int, start uint64) {}
