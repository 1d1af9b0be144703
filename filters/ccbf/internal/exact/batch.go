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
	runs    bitio.Runs
	n       [together]int // the number of cells; 0 for a damaged block
	open    uint          // a bit for each block that still has cells to decode.
	readers [together]bitio.Reader
	orders  [together][2]uint
}

// batches lends batches, because clearing one takes longer than reading a short list.
var batches = sync.Pool{New: func() any { return new(batch) }}

// room returns the arrays that block i is decoded into.
func (q *batch) room(i int) (keys, counts *[bitio.MaxRun]uint64) {
	return &q.runs.Keys[i&3], &q.runs.Counts[i&3]
}

// cells returns the cells of block i of the batch, none if the block is damaged.
func (q *batch) cells(i int) cells.Squares {
	keys, counts := q.room(i)
	return cells.Squares{Keys: keys[:q.n[i]], Counts: counts[:q.n[i]]}
}

// fewTogether is the number of blocks from which they are decoded at once. Fewer are faster one by one.
const fewTogether = 3

// readFrom decodes the blocks [from, to) of b. There are at most as many as the constant together says. It
// decodes them together while enough of them have cells left, and the rest of each alone.
func (q *batch) readFrom(b *blocks, from, to int) {
	size := to - from
	q.open = 0
	for i := range size {
		q.begin(i, b, from+i)
	}
	q.read(q.n[:size])
	// The readers point into the BLOB, which a pooled batch must not keep.
	clear(q.readers[:])
}

// begin opens a block of b as block i of the batch, and decodes its orders and its first cell.
func (q *batch) begin(i int, b *blocks, block int) {
	q.n[i] = 0
	r, n, ok := b.reader(block)
	if !ok {
		return
	}
	gapOrder, countOrder, ok := readOrders(&r)
	if !ok {
		return
	}
	keys, counts := q.room(i)
	keys[0], counts[0] = b.First(block), r.ReadClass(countOrder)+1
	if counts[0] == 0 {
		return
	}
	q.n[i], q.readers[i], q.orders[i] = n, r, [2]uint{gapOrder, countOrder}
	q.open |= 1 << i
}

// read decodes the cells after the first ones. The blocks have n cells.
func (q *batch) read(n []int) {
	from := 1
	for {
		one, to := 0, bitio.MaxRun
		for i, n := range n {
			if q.open>>i&1 == 0 {
				continue
			}
			if n == from {
				q.end(i)
				continue
			}
			one, to = i, min(to, n)
		}
		if bits.OnesCount(q.open) < fewTogether {
			break
		}
		from = q.readAtOnce(one, from, to)
	}
	for i, n := range n {
		if q.open>>i&1 != 0 {
			q.step(i, from, n)
			q.end(i)
		}
	}
}

// end closes block i after its last cell. If the block has further bits, it is damaged.
func (q *batch) end(i int) {
	q.open &^= 1 << i
	if !q.readers[i].Done() {
		q.n[i] = 0
	}
}

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
	for i := range together {
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
