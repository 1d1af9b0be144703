package ccbf

import "github.com/ccbfsql/ccbfsql/filters/internal/beside"

// Beside runs first here and second in another goroutine if spare says that a processor is
// idle, and one after the other if it does not or is nil. It returns when both have ended;
// a panic of either is the caller's. In the process there is one such goroutine at a time,
// those of Builder.Spare and View.Spare included.
func Beside(spare func() bool, first, second func()) { beside.Do(spare, first, second) }
