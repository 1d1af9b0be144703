package exact

import (
	"math/bits"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// together is the number of blocks that are decoded at once. Interleaving four hides the latency of
// each.
const together = 4

// batch decodes several blocks of a section at once.
type batch struct {
	runs bitio.Runs
	n    [together]int // the number of cells; 0 for a damaged block
	pendingBlocks
}

// pendingBlocks describes the blocks that were put into a batch and are not yet decoded.
type pendingBlocks struct {
	size    int  // the number of blocks.
	open    uint // a bit for each block that still has cells to decode.
	short   uint // a bit for each block whose section has too few bytes for ReadRuns.
	more    bool // whether in some block most cells count more than one.
	readers [together]bitio.Reader
	orders  [together][2]uint
}

// batches lends batches, because clearing one takes longer than reading a short list.
var batches = sync.Pool{New: func() any { return new(batch) }}

// borrowBatch returns a batch without pending blocks. A panic may have left some in it.
func borrowBatch() *batch {
	q := batches.Get().(*batch)
	q.clear()
	return q
}

// room returns the arrays that block i is decoded into.
func (q *batch) room(i int) (keys, counts *[bitio.MaxRun]uint64) {
	return &q.runs.Keys[i&3], &q.runs.Counts[i&3]
}

// cells returns the cells of block i of the batch, none if the block is damaged.
func (q *batch) cells(i int) cells.Squares {
	keys, counts := q.room(i)
	return cells.Squares{Keys: keys[:q.n[i]], Counts: counts[:q.n[i]]}
}

const (
	// fewTogether is the number of blocks from which they are decoded at once if most of their
	// cells count one. Fewer blocks are faster one by one.
	fewTogether = 4
	// fewCellsLeft is the number of remaining cells below which a block is decoded alone.
	fewCellsLeft = 8
	// fewBytes is the number of bytes below which the blocks of a section are decoded alone.
	fewBytes = 8
)

// readFrom decodes the blocks [from, to) of b. There are at most as many as the constant together says.
func (q *batch) readFrom(b *blocks, from, to int) {
	for i := from; i < to; i++ {
		q.put(b, i)
	}
	q.read()
}

// put adds a block of b to the pending ones, which read then decodes. It prefetches the bytes of the block.
func (q *batch) put(b *blocks, block int) {
	i := q.size
	q.size++
	q.n[i] = 0
	r, n, ok := b.reader(block)
	if !ok {
		return
	}
	r.Fetch()
	keys, _ := q.room(i)
	keys[0] = b.First(block)
	q.readers[i], q.n[i] = r, n
	q.open |= 1 << i
	if len(b.data) < fewBytes {
		q.short |= 1 << i
	}
}

// begin decodes the orders of block i and the count of its first cell.
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

// read decodes the pending blocks. It decodes them together, up to the last index that all of them have.
// The other cells of each block are decoded alone.
func (q *batch) read() {
	var alone [together]int // by block: the first cell that the block decodes alone, or 0
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
		// If a block was closed in this round, too few may be left: the loop decides anew.
		if bits.OnesCount(q.open) == left {
			from = q.readAtOnce(one, from, to)
		}
	}
	for i, from := range alone[:q.size] {
		if from > 0 {
			q.readAlone(i, from)
		}
	}
	// The readers point into the BLOB, which a pooled batch must not keep.
	clear(q.readers[:])
	q.clear()
}

// clear removes all pending blocks.
func (q *batch) clear() { q.size, q.open, q.short, q.more = 0, 0, 0, false }

// readAtOnce decodes the cells [from, to) of all open blocks, and returns up to which cell it came. At a
// long code it stops early, after decoding that code alone. one is the index of an open block.
func (q *batch) readAtOnce(one, from, to int) int {
	// ReadRuns decodes every lane. A lane without an open block decodes block one again, because it must
	// not read bytes behind the end of its block.
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

// readAlone decodes the cells of block i, beginning with cell from.
func (q *batch) readAlone(i, from int) {
	q.step(i, from, q.n[i])
	if !q.readers[i].Done() {
		q.n[i] = 0
	}
}

// step decodes the cells [from, to) of block i.
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
