package exact

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// The cells of a section lie in blocks of up to BlockCells cells, in Z-order. An index in front has
// an entry for each block, so a lookup decodes one block. A single block has only its first key in
// front.
//
// A block begins with two bytes: the orders of its gaps and of its counts. Then each cell has the
// gap to the cell before (less one; the first cell has none) and its count (less one). Both are in
// the class code of package bitio. The block is padded to a whole byte.

// indexEntry is the number of bytes of an entry of the index. An entry has the first key of a block as uint64,
// and the end of the block in the data as uint32.
const indexEntry = 12

// appendBlock appends the block of at most BlockCells cells. Nil counts are all one, which most are in a small
// sketch.
func appendBlock(dst []byte, block cells.Squares) []byte {
	keys, counts := block.Keys, block.Counts
	gapOrder, countOrder := bitio.RunOrders(keys, counts)
	dst = append(dst, byte(gapOrder), byte(countOrder))
	w := bitio.WriterTo(dst, 2*len(keys))
	for i, key := range keys {
		count := uint64(0) // less one
		if counts != nil {
			count = counts[i] - 1
		}
		if i == 0 {
			w.WriteClass(count, countOrder)
		} else {
			w.WritePair(key-keys[i-1]-1, count, gapOrder, countOrder)
		}
	}
	return w.Bytes()
}

// blocks are the encoded cells of one section. Their lengths were checked, but not their contents.
type blocks struct {
	cells int    // number of cells
	only  uint64 // the first key, if there is only one block.
	index []byte // indexEntry bytes for each block; empty if there is only one block.
	data  []byte
}

func blockCount(n int) int { return (n + cells.BlockCells - 1) / cells.BlockCells }

// First returns the key of the first cell of block i.
func (b *blocks) First(i int) uint64 {
	if len(b.index) == 0 {
		return b.only
	}
	return binary.LittleEndian.Uint64(b.index[i*indexEntry:])
}

// end returns where block i ends in the data.
func (b *blocks) end(i int) int {
	if len(b.index) == 0 {
		return len(b.data)
	}
	return int(binary.LittleEndian.Uint32(b.index[i*indexEntry+8:]))
}

// block reads the orders of block i. It returns a reader after the orders, the orders, and the number of
// cells. It returns false if the index or the orders are out of range.
func (b *blocks) block(i int) (r bitio.Reader, gapOrder, countOrder uint, n int, ok bool) {
	start, end := 0, b.end(i)
	if i > 0 {
		start = b.end(i - 1)
	}
	// On 32 bits, an int of the index may be negative.
	if uint(end) > uint(len(b.data)) || uint(start) > uint(end) || end-start < 2 {
		return r, 0, 0, 0, false
	}
	gapOrder, countOrder = uint(b.data[start]), uint(b.data[start+1])
	r = bitio.NewReaderIn(b.data, start+2, end)
	return r, gapOrder, countOrder, min(cells.BlockCells, b.cells-i*cells.BlockCells), max(gapOrder, countOrder) <= bitio.MaxOrder
}

// chosen reports whether block i, which has these cells, was written with the orders that appendBlock
// chooses.
func (b *blocks) chosen(i int, block cells.Squares) bool {
	_, gapOrder, countOrder, _, _ := b.block(i)
	gaps, counts := bitio.RunOrders(block.Keys, block.Counts)
	return gaps == gapOrder && counts == countOrder
}

// each decodes all blocks and calls f with the index and the cells of each, until f returns false. It returns
// false then, and if a block is damaged. The number of cells must fit the length of the data.
func (b *blocks) each(f func(i int, block cells.Squares) bool) bool {
	q := batches.Get().(*batch)
	defer batches.Put(q)
	last, all := uint64(0), blockCount(b.cells)
	for i := 0; i < all; i += together {
		n := min(together, all-i)
		q.readFrom(b, i, i+n)
		for j := range n {
			part := q.cells(j)
			if len(part.Keys) == 0 || i+j > 0 && part.Keys[0] <= last || !f(i+j, part) {
				return false
			}
			last = part.Keys[len(part.Keys)-1]
		}
	}
	return b.end(all-1) == len(b.data)
}

// PackWords encodes sorted words as the index and the blocks of a section. The shift lower bits of a word are
// its count.
func PackWords(words []uint64, shift uint) []byte {
	code, _, _ := appendBlocks(make([]byte, 0, 4*len(words)), len(words), func(yield func(cells.Squares) bool) {
		var keys, counts [cells.BlockCells]uint64
		for some := range slices.Chunk(words, cells.BlockCells) {
			for i, word := range some {
				keys[i], counts[i] = word>>(shift&63), word&(1<<(shift&63)-1)
			}
			if !yield(cells.Squares{Keys: keys[:len(some)], Counts: counts[:len(some)]}) {
				return
			}
		}
	}, math.MaxInt)
	return slices.Clone(code)
}

// UnpackWords decodes the result of PackWords into words, which has room for all, and returns them.
func UnpackWords(words []uint64, code []byte, shift uint) []uint64 {
	index, at := blockCount(len(words))*indexEntry, 0
	b := blocks{cells: len(words), index: code[:index], data: code[index:]}
	b.each(func(_ int, block cells.Squares) bool {
		for i, key := range block.Keys {
			words[at+i] = key<<(shift&63) | block.Counts[i]
		}
		at += block.Len()
		return true
	})
	return words
}

// together is the number of blocks that are decoded at once. Interleaving four hides the latency of
// each.
const together = 4

// batch decodes several blocks of a section at once.
type batch struct {
	runs    simd.Runs
	n       [together]int // the number of cells; 0 for a damaged block
	readers [together]bitio.Reader
}

// batches lends batches, because clearing one takes longer than reading a short list.
var batches = sync.Pool{New: func() any { return new(batch) }}

// room returns the arrays that block i is decoded into.
func (q *batch) room(i int) (keys, counts *[simd.MaxRun]uint64) {
	return &q.runs.Keys[i&3], &q.runs.Counts[i&3]
}

// cells returns the cells of block i of the batch, none if the block is damaged.
func (q *batch) cells(i int) cells.Squares {
	keys, counts := q.room(i)
	return cells.Squares{Keys: keys[:q.n[i]], Counts: counts[:q.n[i]]}
}

// readFrom decodes the blocks [from, to) of b. There are at most as many as the constant together says. It
// decodes that many full ones together, and others one by one.
func (q *batch) readFrom(b *blocks, from, to int) {
	all := true
	for i := range q.n {
		if q.n[i] = 0; from+i < to {
			q.begin(i, b, from+i)
		}
		all = all && q.n[i] == simd.MaxRun
	}
	at := 1 // the cells before are decoded.
	for all && at < simd.MaxRun {
		// At a long code, ReadRuns stops early. Then the cell is decoded alone.
		came := bitio.ReadRuns(&q.readers, &q.runs, at, simd.MaxRun)
		next := min(came+1, simd.MaxRun)
		for i := range q.n {
			if keys, _ := q.room(i); keys[came-1] < keys[at-1] {
				q.n[i] = 0
			} else {
				q.step(i, came, next)
			}
			all = all && q.n[i] > 0
		}
		at = next
	}
	for i, n := range q.n {
		if n > at {
			q.step(i, at, n)
		}
	}
	// The readers point into the BLOB, which a pooled batch must not keep.
	clear(q.readers[:])
}

// begin opens a block of b as block i of the batch, and decodes its orders and its first cell.
func (q *batch) begin(i int, b *blocks, block int) {
	r, gapOrder, countOrder, n, ok := b.block(block)
	if !ok {
		return
	}
	keys, counts := q.room(i)
	keys[0], counts[0] = b.First(block), r.ReadClass(countOrder)+1
	if counts[0] == 0 {
		return
	}
	q.n[i], q.readers[i] = n, r
	q.runs.GapOrder[i], q.runs.CountOrder[i] = uint64(gapOrder), uint64(countOrder)
	q.end(i, 1)
}

// end notes that the cells of block i before at are decoded. If it has no more, but further bits, it is damaged.
func (q *batch) end(i, at int) {
	if at == q.n[i] && !q.readers[i].Done() {
		q.n[i] = 0
	}
}

// step decodes the cells [from, to) of block i.
func (q *batch) step(i, from, to int) {
	k, c := q.room(i)
	keys, counts := k[:to], c[:to]
	q.readers[i].ReadPairs(keys[from:], counts[from:], uint(q.runs.GapOrder[i]), uint(q.runs.CountOrder[i]))
	for j := from; j < to; j++ {
		keys[j] += keys[j-1] + 1
		if counts[j]++; keys[j] <= keys[j-1] || counts[j] == 0 {
			q.n[i] = 0
			return
		}
	}
	q.end(i, to)
}
