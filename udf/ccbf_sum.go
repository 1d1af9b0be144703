package udf

import (
	"cmp"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// ccbfSum writes the number of points in the area of each row.
func ccbfSum(q *question) error {
	n := q.Len()
	if q.has || !q.out.HasIdleThread() || !q.manyExact(n/2) {
		return q.sum(0, n)
	}
	return runBoth(func() error { return q.sum(0, n/2) }, func() error {
		second, err := questionOf(q.call, q.form, nil)
		if err != nil {
			return err
		}
		return second.sum(n/2, n)
	})
}

const (
	// A chunk is halved if it has halvedRows rows or more, and the sketches in its second half have
	// halvedBytes bytes or more. Two goroutines then compute one half of the rows each. DuckDB gives a
	// few hundred sketches to one thread, however large they are. Only ccbf_raster uses a second goroutine too
	// (docs/performance/method.md).
	halvedRows  = 64
	halvedBytes = 1 << 17
)

// manyExact reports whether two goroutines pay for a chunk. The chunk needs enough rows, and the rows
// from index from on need enough bytes of exact sketches. Sketches of other forms are not halved, as their limit
// of work applies to the whole chunk.
func (c *call) manyExact(from int) bool {
	if c.Len() < halvedRows {
		return false
	}
	var h ccbf.Head
	bytes := 0
	for i := from; i < c.Len(); i++ {
		if !c.valid(i) {
			return false
		}
		blob := c.Col(0).Bytes(i)
		if err := bridge.ReadHead(&h, blob); err != nil || h.Form() != ccbf.Exact {
			return false
		}
		bytes += len(blob)
	}
	return bytes >= halvedBytes
}

// runBoth runs first here and second in another goroutine, and returns when both have ended. It
// returns the error of first, or else of second. A panic of second is an error.
func runBoth(first, second func() error) error {
	var other error
	var goroutine sync.WaitGroup
	goroutine.Go(func() { other = duck.Guarded(second) })
	err := duck.Guarded(first) // a panic must not end before the wait, as second still reads DuckDB's memory
	goroutine.Wait()
	return cmp.Or(err, other)
}

// sum writes the sums of rows from to to-1. If a sketch cannot have points in the row's area, the sum is 0.
// Then it reads only the sketch's head, unless the row has categories.
func (q *question) sum(from, to int) error {
	answers := duck.Out[uint64](q.out)
	for i := from; i < to; i++ {
		if !q.valid(i) || q.has && !q.selection.valid(i) {
			q.out.SetNull(i)
			continue
		}
		blob := q.Col(0).Bytes(i)
		h, err := q.headOf(blob)
		if err != nil {
			return err
		}
		area, near, err := q.at(h, i)
		if answers[i] = 0; err != nil {
			return err
		}
		if !near && !q.has { // a wrong category is an error, wherever the area is
			continue
		}
		of, err := q.open(blob, q.has, i)
		if err != nil {
			return err
		}
		if answers[i], err = q.view.Sum(area, of); err != nil {
			return err
		}
		if q.has {
			q.noteCategory(of, near, answers[i] > 0)
			q.out.EndRow()
		}
	}
	return nil
}
