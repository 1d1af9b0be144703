package ccbf

// zeroAtOnce is how many values zero sets at once: 128 KB of them.
const zeroAtOnce = 1 << 14

// zero is clear, which cannot be interrupted, in parts. The garbage collector has to stop
// each goroutine for a moment, and sends signals until that has happened: where millions of
// values lie in new pages, for tens of milliseconds, in which it takes two processors.
func zero[T uint64 | float64](values []T) {
	for len(values) > zeroAtOnce {
		clear(values[:zeroAtOnce])
		values = values[zeroAtOnce:]
	}
	clear(values)
}
