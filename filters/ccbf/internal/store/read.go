package store

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Reader reads the cells of stores in the order of their keys. It implements
// cells.Source.
type Reader struct {
	stores       []*Cells
	cells        int
	words        reader
	over         *Reader
	overKey      uint64 // of the next cell that has more than a word counts
	overWords    uint64
	pool         pool
	keys, counts [cells.BlockCells]uint64
}

// NewReader returns a Reader of stores, of which each has lower keys than the next. Call Sum of each
// before, and change none while it is read.
func NewReader(stores ...*Cells) *Reader {
	r := &Reader{stores: stores}
	for _, c := range stores {
		r.cells += c.words()
	}
	r.open()
	return r
}

// open begins with the next store that has cells.
func (r *Reader) open() {
	for len(r.stores) > 0 && len(r.stores[0].lists) == 0 {
		r.stores = r.stores[1:]
	}
	if len(r.stores) == 0 {
		return
	}
	c := r.stores[0]
	l := c.lists[0]
	l.shared = true
	r.words = reader{list: l, pool: &r.pool, shift: c.shift}
	if r.over = nil; c.over != nil {
		r.over = NewReader(c.over)
		r.nextOver()
	}
}

// nextOver reads the next cell that has more than a word counts.
func (r *Reader) nextOver() {
	if r.over.cells == 0 {
		r.over = nil
		return
	}
	one := r.over.Next(1)
	r.overKey, r.overWords = one.Keys[0], one.Counts[0]
}

// Cells is the number of cells left.
func (r *Reader) Cells() int { return r.cells }

// Next reads n cells, at most cells.BlockCells and no more than are left. They are valid
// until the next call.
func (r *Reader) Next(n int) cells.Run {
	for at := 0; at < n; {
		if !r.words.more() {
			r.stores = r.stores[1:]
			r.open()
			continue
		}
		at += r.read(r.keys[at:n], r.counts[at:n])
	}
	r.cells -= n
	return cells.Run{Keys: r.keys[:n], Counts: r.counts[:n]}
}

// read reads some cells of the chunk that is open.
func (r *Reader) read(keys, counts []uint64) int {
	c := r.stores[0]
	words := r.words.words[:min(len(r.words.words), len(keys))]
	full := c.full()
	for i, w := range words {
		keys[i], counts[i] = c.key(w), w&full
	}
	for i := 0; r.over != nil && r.overKey <= keys[len(words)-1]; i++ {
		if keys[i] == r.overKey {
			counts[i] = saturate.Add(counts[i], saturate.Mul(r.overWords, full))
			r.nextOver()
		}
	}
	r.words.words = r.words.words[len(words):]
	return len(words)
}

// Run is the cells of stores as a run. Call Sum of each before.
func Run(stores ...*Cells) cells.Run {
	r := NewReader(stores...)
	run := cells.NewRun(r.cells)
	for at := 0; r.cells > 0; {
		part := r.Next(min(r.cells, cells.BlockCells))
		copy(run.Counts[at:], part.Counts)
		at += copy(run.Keys[at:], part.Keys)
	}
	return run
}
