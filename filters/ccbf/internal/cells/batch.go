package cells

import (
	"math/bits"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// together is how many blocks of a section are read at once, in the time that two take alone.
const together = 4

// batch is the cells of blocks that are read at once.
type batch struct {
	runs bitio.Runs
	n    [together]int // how many cells; 0 of a block that is damaged
	pendingBlocks
}

// pendingBlocks describes blocks that are found and not yet read.
type pendingBlocks struct {
	size    int  // how many
	open    uint // a bit for each that is not damaged
	short   uint // a bit for each whose section has too few bytes to be read at once
	more    bool // in one of them most cells count more than one
	readers [together]bitio.Reader
	orders  [together][2]uint
	highs   [together]uint64
}

// batches lends memory that takes longer to clear than a short list to read.
var batches = sync.Pool{New: func() any { return new(batch) }}

// lentBatch is one of batches, in which no block waits: in the one of who panicked some may.
func lentBatch() *batch {
	q := batches.Get().(*batch)
	q.clear()
	return q
}

// room is where the cells of a block are read to.
func (q *batch) room(i int) (keys, counts *[bitio.MaxRun]uint64) {
	return &q.runs.Keys[i&3], &q.runs.Counts[i&3]
}

// cells are those of a block that was read, by its number among them; none where it is
// damaged.
func (q *batch) cells(i int) Run {
	keys, counts := q.room(i)
	return Run{keys[:q.n[i]], counts[:q.n[i]]}
}

// most is the largest count in a block that was read; 0 where it is damaged.
func (q *batch) most(i int) uint64 {
	most := uint64(0)
	for _, n := range q.cells(i).Counts {
		most = max(most, n)
	}
	return most
}

// stride is after how many cells of a block it is seen whether more are wanted.
const stride = 16

const (
	// fewTogether is from how many blocks on, most of whose cells count one, they are read at
	// once: fewer take less time one by one.
	fewTogether = 4
	// fewCellsLeft is below how many cells left of a block these are read alone.
	fewCellsLeft = 8
	// fewBytes is below how many bytes of data the blocks of a section are read alone.
	fewBytes = 8
)

// readFrom reads the blocks from from to to-1, no more than together.
func (q *batch) readFrom(b *blocks, from, to int) {
	for i := from; i < to; i++ {
		q.put(b, i, ^uint64(0))
	}
	q.read()
}

// put has a block wait for read, of which no cell with a key above high is wanted: where it is read
// alone, what is behind a cell above is left out. No more than together wait, all of one
// section. Its bytes are asked for meanwhile.
func (q *batch) put(b *blocks, block int, high uint64) {
	i := q.size
	q.size++
	q.n[i] = 0
	r, n, ok := b.reader(block)
	if !ok {
		return
	}
	r.Fetch()
	keys, _ := q.room(i)
	keys[0] = b.first(block)
	q.readers[i], q.highs[i], q.n[i] = r, high, n
	q.open |= 1 << i
	if len(b.data) < fewBytes {
		q.short |= 1 << i
	}
}

// begin reads the orders of a block and the count of its first cell.
func (q *batch) begin(i int) {
	gapOrder, countOrder, ok := readOrders(&q.readers[i])
	if ok {
		_, counts := q.room(i)
		counts[0] = q.readers[i].ReadClass(countOrder) + 1
		ok = counts[0] > 0
	}
	if !ok {
		q.n[i] = 0
		q.open &^= 1 << i
		return
	}
	q.orders[i] = [2]uint{gapOrder, countOrder}
	q.more = q.more || countOrder > 0
}

// read reads the blocks that wait: at once as far as all go, and what is left of them alone.
func (q *batch) read() {
	var alone [together]int // from which cell on
	for i := range q.size {
		if q.open>>i&1 != 0 {
			q.begin(i)
		}
	}
	for from := 1; q.open != 0; {
		left := bits.OnesCount(q.open)
		few, one, to := left == 1 || left < fewTogether && !q.more, 0, bitio.MaxRun
		for i, n := range q.n[:q.size] {
			switch {
			case q.open>>i&1 == 0:
			case few || n-from < fewCellsLeft || q.short>>i&1 != 0:
				alone[i] = from
				q.open &^= 1 << i
			default:
				one, to = i, min(to, n)
			}
		}
		if bits.OnesCount(q.open) == left { // else there may be too few now
			from = q.readAtOnce(one, from, to)
		}
	}
	for i, from := range alone[:q.size] {
		if from > 0 {
			q.readAlone(i, from)
		}
	}
	clear(q.readers[:]) // the memory is others'
	q.clear()
}

// clear has no block wait.
func (q *batch) clear() { q.size, q.open, q.short, q.more = 0, 0, 0, false }

// readAtOnce reads the cells from from to to-1 of all blocks that are open, one of which is one, or
// as far as codes are not long and one more, and returns how far it came.
func (q *batch) readAtOnce(one, from, to int) int {
	// In the place of a block that is not open, another is read once more: what lies behind its end
	// is nobody's.
	readers, orders := q.readers, q.orders
	for i := range together {
		if q.open>>i&1 == 0 {
			readers[i], orders[i] = readers[one], orders[one]
		}
	}
	came := bitio.ReadRuns(&readers, &orders, &q.runs, from, to)
	for i := range q.size {
		if q.open>>i&1 == 0 {
			continue
		}
		q.readers[i] = readers[i]
		if keys, _ := q.room(i); keys[came-1] < keys[0] {
			q.n[i] = 0
		} else if came < to {
			q.step(i, came, came+1)
		}
		if q.n[i] == 0 {
			q.open &^= 1 << i
		}
	}
	return min(came+1, to)
}

// readAlone reads the cells of a block from one on, up to its end or to one above those wanted.
func (q *batch) readAlone(i, from int) {
	keys, _ := q.room(i)
	to, high := q.n[i], q.highs[i]
	for ; from < to && q.n[i] > 0 && keys[from-1] <= high; from += stride {
		q.step(i, from, min(from+stride, to))
	}
	q.n[i] = min(q.n[i], from)
	if n := q.n[i]; n > 0 && keys[n-1] <= high && !q.readers[i].Done() {
		q.n[i] = 0
	}
}

// step reads the cells from from to to-1 of a block alone.
func (q *batch) step(i, from, to int) {
	k, c := q.room(i)
	keys, counts := k[:to], c[:to]
	q.readers[i].ReadPairs(keys[from:], counts[from:], q.orders[i][0], q.orders[i][1])
	for j := from; j < to; j++ {
		keys[j] += keys[j-1] + 1
		if counts[j]++; keys[j] <= keys[j-1] || counts[j] == 0 {
			q.n[i] = 0
			return
		}
	}
}
