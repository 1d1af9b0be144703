package udf

import (
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// ccbfSum writes the number of points in the area of each row.
func ccbfSum(q *question) error {
	n := q.Len()
	if q.has || !q.out.HasIdleThread() || !args.ManyExact(q.Col(0), n, n/2) {
		return q.sum(0, n)
	}
	return duck.Both(func() error { return q.sum(0, n/2) }, func() error {
		second, err := questionOf(q.call, q.form, nil)
		if err != nil {
			return err
		}
		return second.sum(n/2, n)
	})
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
