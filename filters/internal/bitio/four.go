package bitio

import "github.com/ccbfsql/ccbfsql/filters/internal/simd"

// MaxRun is the most numbers of a run of Runs.
const MaxRun = simd.MaxRun

// Runs has four runs of cells. A run has ascending keys, each with a count of at least 1.
type Runs = simd.Runs

// ReadRuns reads the cells [from, to) of four runs. Each run has its own reader of the same buffer. Its
// orders and its cells before from must be in runs already. ReadRuns returns the index at which it
// stopped: less than to if a code is long, or near the end of the buffer.
func ReadRuns(r *[4]Reader, runs *Runs, from, to int) int {
	for i := range r {
		runs.At[i] = uint64(r[i].pos)
	}
	from = runs.Read(r[0].wide, from, to)
	for i := range r {
		r[i].pos = uint(runs.At[i])
	}
	return from
}
