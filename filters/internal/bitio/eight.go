package bitio

// RunsAtOnce is how many runs are read at once: 4 or, where the processor can, 8.
var RunsAtOnce = func() int {
	if eight {
		return 8
	}
	return 4
}()

// eightState is where eight readers are, and the last keys, with the orders of gaps and of counts.
type eightState struct{ pos, keys, gapOrders, countOrders [8]uint64 }

// ReadEightRuns is ReadRuns of eight readers, where RunsAtOnce is 8. It may write
// anything to the runs behind where it came to.
func ReadEightRuns(r *[8]Reader, orders *[8][2]uint, out *[2]Runs, from, to int) int {
	buf := r[0].wide
	if len(buf) < 8 || to > MaxRun || from > to-8 || from < 1 {
		return from
	}
	var s eightState
	for i := range r {
		s.pos[i] = uint64(r[i].pos)
		s.keys[i] = out[i/4].Keys[i%4][from-1]
		s.gapOrders[i], s.countOrders[i] = uint64(orders[i][0]), uint64(orders[i][1])
	}
	n := readEight(&s, &buf[0], uint64(len(buf)-8), &out[0].Keys[0][from], to-from)
	for i := range r {
		r[i].pos = uint(s.pos[i])
	}
	return from + n
}
