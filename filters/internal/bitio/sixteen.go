package bitio

// RunsAtOnce is how many runs are read at once: 4 or, where the processor can, 16.
var RunsAtOnce = func() int {
	if eight {
		return 16
	}
	return 4
}()

// sixteenState is what sixteen readers read from, where the last window of each begins and where they are, in
// bits, with the last keys and the orders of gaps and of counts.
type sixteenState struct {
	bases                                   [16]*byte
	last, pos, keys, gapOrders, countOrders [16]uint64
}

// ReadSixteenRuns is ReadRuns of sixteen readers, where RunsAtOnce is 16. It may write
// anything to the runs behind where it came to.
func ReadSixteenRuns(r *[16]Reader, orders *[16][2]uint, out *[4]Runs, from, to int) int {
	if to > MaxRun || from > to-8 || from < 1 {
		return from
	}
	var s sixteenState
	for i := range r {
		wide := r[i].wide
		if len(wide) < 8 {
			return from
		}
		s.bases[i], s.last[i], s.pos[i] = &wide[0], uint64(len(wide)-8), uint64(r[i].pos)
		s.keys[i] = out[i/4].Keys[i%4][from-1]
		s.gapOrders[i], s.countOrders[i] = uint64(orders[i][0]), uint64(orders[i][1])
	}
	n := readSixteen(&s, &out[0].Keys[0][from], to-from)
	for i := range r {
		r[i].pos = uint(s.pos[i])
	}
	return from + n
}
