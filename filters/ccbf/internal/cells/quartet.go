package cells

import "github.com/ccbfsql/ccbfsql/filters/internal/bitio"

// together is how many blocks are read at once.
const together = 4

// quartet is the cells of up to four blocks, each of which is read in a third of the time
// that it takes alone.
type quartet struct {
	bitio.Runs
	n [together]int // how many cells; 0 of a block that is damaged
}

// cells are those of a block that was read, by its number in the list; none where it is
// damaged.
func (q *quartet) cells(i int) Run { return Run{q.Keys[i][:q.n[i]], q.Counts[i][:q.n[i]]} }

// most is the largest count in a block that was read; 0 where it is damaged.
func (q *quartet) most(i int) uint64 {
	most := uint64(0)
	for _, n := range q.Counts[i][:q.n[i]] {
		most = max(most, n)
	}
	return most
}

// stride is after how many cells of a block it is seen whether more are wanted.
const stride = 16

// lanes are what a quartet reads from.
type lanes struct {
	readers [together]bitio.Reader
	orders  [together][2]uint
}

// readFrom reads the blocks from from to to-1, up to four.
func (q *quartet) readFrom(b *blocks, from, to int) {
	all := [together]int32{int32(from), int32(from + 1), int32(from + 2), int32(from + 3)}
	q.read(b, all[:to-from]...)
}

// read reads blocks, up to four.
func (q *quartet) read(b *blocks, list ...int32) { q.readUpTo(b, ^uint64(0), list...) }

// readUpTo is read where no cell with a key above high is wanted: of one block that is left
// alone, and takes as long as four, it leaves out what is behind a cell above.
func (q *quartet) readUpTo(b *blocks, high uint64, list ...int32) {
	var l lanes
	q.n = [together]int{}
	for i, block := range list {
		r, gapOrder, countOrder, n, ok := b.block(int(block))
		if !ok {
			continue
		}
		q.Keys[i][0], q.Counts[i][0] = b.first(int(block)), r.ReadClass(countOrder)+1
		if q.Counts[i][0] > 0 {
			l.readers[i], l.orders[i], q.n[i] = r, [2]uint{gapOrder, countOrder}, n
		}
	}
	for from := 1; ; {
		// Up to where a block ends. In the place of one that ended before, another is
		// read once more: what lies behind its end is nobody's.
		left, one, to := 0, 0, bitio.MaxRun
		for i, n := range q.n {
			if n > from {
				left, one, to = left+1, i, min(to, n)
			}
		}
		if left == 0 {
			break
		}
		if left == 1 {
			for ; from < to && q.n[one] > from && q.Keys[one][from-1] <= high; from += stride {
				q.step(&l, one, from, min(from+stride, to))
			}
			q.n[one] = min(q.n[one], from)
			break
		}
		at := l
		for i, n := range q.n {
			if n <= from {
				at.readers[i], at.orders[i] = l.readers[one], l.orders[one]
			}
		}
		came := bitio.ReadRuns(&at.readers, &at.orders, &q.Runs, from, to)
		for i, n := range q.n {
			if n <= from {
				continue
			}
			if l.readers[i] = at.readers[i]; q.Keys[i][came-1] < q.Keys[i][0] {
				q.n[i] = 0
			} else if came < to {
				q.step(&l, i, came, came+1)
			}
		}
		from = min(came+1, to)
	}
	for i, n := range q.n {
		if n > 0 && q.Keys[i][n-1] <= high && !l.readers[i].Done() {
			q.n[i] = 0
		}
	}
}

// step reads the cells from from to to-1 of a block alone.
func (q *quartet) step(l *lanes, i, from, to int) {
	keys, counts := q.Keys[i][:to], q.Counts[i][:to]
	l.readers[i].ReadPairs(keys[from:], counts[from:], l.orders[i][0], l.orders[i][1])
	for j := from; j < to; j++ {
		keys[j] += keys[j-1] + 1
		if counts[j]++; keys[j] <= keys[j-1] || counts[j] == 0 {
			q.n[i] = 0
			return
		}
	}
}
