package cells

import (
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// mostTogether is how many blocks are read at once at most.
const mostTogether = 8

// together is how many are on this processor.
var together = bitio.RunsAtOnce

// octet is the cells of up to eight blocks, four of which are read in a third of the time that
// each takes alone.
type octet struct {
	runs [mostTogether / 4]bitio.Runs
	n    [mostTogether]int // how many cells; 0 of a block that is damaged
}

// octets lends memory that takes longer to clear than a short list to read.
var octets = sync.Pool{New: func() any { return new(octet) }}

// room is where the cells of a block are read to.
func (q *octet) room(i int) (keys, counts *[bitio.MaxRun]uint64) {
	r := &q.runs[uint(i)/4%uint(len(q.runs))]
	return &r.Keys[i&3], &r.Counts[i&3]
}

// cells are those of a block that was read, by its number in the list; none where it is
// damaged.
func (q *octet) cells(i int) Run {
	keys, counts := q.room(i)
	return Run{keys[:q.n[i]], counts[:q.n[i]]}
}

// most is the largest count in a block that was read; 0 where it is damaged.
func (q *octet) most(i int) uint64 {
	most := uint64(0)
	for _, n := range q.cells(i).Counts {
		most = max(most, n)
	}
	return most
}

// stride is after how many cells of a block it is seen whether more are wanted.
const stride = 16

// fewTogether is from how many blocks on, most of whose cells count one, they are read at once:
// fewer take less time one by one.
const fewTogether = 4

// lanes are what an octet reads from.
type lanes struct {
	readers [mostTogether]bitio.Reader
	orders  [mostTogether][2]uint
	once    bool // in each block most cells count one
}

// readFrom reads the blocks from from to to-1, no more than together.
func (q *octet) readFrom(b *blocks, from, to int) {
	var all [mostTogether]int32
	for i := range all {
		all[i] = int32(from + i)
	}
	q.read(b, all[:to-from]...)
}

// read reads blocks, no more than together.
func (q *octet) read(b *blocks, list ...int32) { q.readUpTo(b, ^uint64(0), list...) }

// readUpTo is read where no cell with a key above high is wanted: of blocks that are read
// alone it leaves out what is behind a cell above.
func (q *octet) readUpTo(b *blocks, high uint64, list ...int32) {
	l := lanes{once: true}
	q.n = [mostTogether]int{}
	for i, block := range list {
		r, gapOrder, countOrder, n, ok := b.block(int(block))
		if !ok {
			continue
		}
		keys, counts := q.room(i)
		keys[0], counts[0] = b.first(int(block)), r.ReadClass(countOrder)+1
		if counts[0] > 0 {
			l.readers[i], l.orders[i], q.n[i] = r, [2]uint{gapOrder, countOrder}, n
			l.once = l.once && countOrder == 0
		}
	}
	all := q.n[:len(list)]
	for from := 1; ; {
		// Up to where a block ends. In the place of one that ended before, another is
		// read once more: what lies behind its end is nobody's.
		left, one, to := 0, 0, bitio.MaxRun
		for i, n := range all {
			if n > from {
				left, one, to = left+1, i, min(to, n)
			}
		}
		if left == 0 {
			break
		}
		if left == 1 || left < fewTogether && l.once {
			for i, n := range all {
				if n > from {
					q.readAlone(&l, i, from, high)
				}
			}
			break
		}
		at := l
		for i, n := range q.n {
			if n <= from {
				at.readers[i], at.orders[i] = l.readers[one], l.orders[one]
			}
		}
		came := q.readAtOnce(&at, from, to)
		next := min(came+1, to)
		if to-came < mostTogether { // too few to be read at once
			next = to
		}
		for i, n := range all {
			if n <= from {
				continue
			}
			keys, _ := q.room(i)
			if l.readers[i] = at.readers[i]; keys[came-1] < keys[0] {
				q.n[i] = 0
			} else if came < next {
				q.step(&l, i, came, next)
			}
		}
		from = next
	}
	for i, n := range all {
		if keys, _ := q.room(i); n > 0 && keys[n-1] <= high && !l.readers[i].Done() {
			q.n[i] = 0
		}
	}
}

// readAlone reads the cells of a block from one on, up to its end or to one above high.
func (q *octet) readAlone(l *lanes, i, from int, high uint64) {
	keys, _ := q.room(i)
	to := q.n[i]
	for ; from < to && q.n[i] > 0 && keys[from-1] <= high; from += stride {
		q.step(l, i, from, min(from+stride, to))
	}
	q.n[i] = min(q.n[i], from)
}

// readAtOnce reads the cells from from to to-1 of as many blocks as there are together, and
// returns how far it came.
func (q *octet) readAtOnce(l *lanes, from, to int) int {
	if together == mostTogether {
		return bitio.ReadEightRuns(&l.readers, &l.orders, &q.runs, from, to)
	}
	return bitio.ReadRuns((*[4]bitio.Reader)(l.readers[:4]), (*[4][2]uint)(l.orders[:4]), &q.runs[0], from, to)
}

// step reads the cells from from to to-1 of a block alone.
func (q *octet) step(l *lanes, i, from, to int) {
	k, c := q.room(i)
	keys, counts := k[:to], c[:to]
	l.readers[i].ReadPairs(keys[from:], counts[from:], l.orders[i][0], l.orders[i][1])
	for j := from; j < to; j++ {
		keys[j] += keys[j-1] + 1
		if counts[j]++; keys[j] <= keys[j-1] || counts[j] == 0 {
			q.n[i] = 0
			return
		}
	}
}
