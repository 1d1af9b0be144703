package ccbf

import (
	"iter"

	"github.com/ccbfsql/ccbfsql/filters/internal/beside"
)

// Ends has the numbers below n gone through, each once, from both ends until they meet: by first here from 0
// up and, if spare says that a processor is idle, by second in another goroutine from n-1 down. It returns
// when both have ended; a panic of either is the caller's. Where one breaks off, the other goes on up to the
// number at which it did. In the process there is one such goroutine at a time, those of Builder.Spare and
// View.Spare included.
func Ends(spare func() bool, n int, first, second func(numbers iter.Seq[int])) {
	beside.Ends(spare, n, first, second)
}
