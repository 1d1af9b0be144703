package bitio

import "github.com/ccbfsql/ccbfsql/filters/internal/simd"

// MaxRun is the most numbers of a run of Runs.
const MaxRun = simd.MaxRun

// Runs has four runs of cells. A run has ascending keys, each with a count of at least 1.
type Runs = simd.Runs

// ReadRuns reads the cells [from, to) of four runs. Each run has its own reader of the same buffer, and
// its orders for gaps and counts. Cells before from must be in out already. It returns the index at which
// it stopped: less than to if a code is long, or near the end of the buffer.
func ReadRuns(r *[4]Reader, orders *[4][2]uint, out *Runs, from, to int) int {
	for i := range r {
		out.At[i], out.GapOrder[i], out.CountOrder[i] = uint64(r[i].pos), uint64(orders[i][0]), uint64(orders[i][1])
	}
	from = out.Read(r[0].wide, from, to)
	for i := range r {
		r[i].pos = uint(out.At[i])
	}
	return from
}
