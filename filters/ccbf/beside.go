package ccbf

import (
	"iter"

	"github.com/ccbfsql/ccbfsql/filters/internal/beside"
)

// Beside runs first here and second in another goroutine if spare says that a processor is
// idle, and one after the other if it does not or is nil. It returns when both have ended;
// a panic of either is the caller's. In the process there is one such goroutine at a time,
// those of Builder.Spare and View.Spare included.
func Beside(spare func() bool, first, second func()) { beside.Do(spare, first, second) }

// Ends has the numbers below n gone through from both ends until they meet: by first here from 0
// up and by second, as Beside runs it, from n-1 down. Where one breaks off, the other goes on up to the
// number at which it did.
func Ends(spare func() bool, n int, first, second func(numbers iter.Seq[int])) {
	beside.Ends(spare, n, first, second)
}
