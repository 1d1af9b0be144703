package duck

import (
	"bytes"
	"sync"
)

// Where rows of whole partitions are in an order, DuckDB keeps the arguments of a
// window, which damages STRUCTs as constants.c says, before it calls update with the
// sorted rows of one partition after the other. A copy does not say what was a constant. But
// the first partition is right. So STRUCTs are taken only if they are in all rows what they
// are in the first partition: then no constant is damaged.

// partition is what STRUCTs are in the rows of a partition.
type partition struct {
	row    []byte // the first one
	varied bool   // another row is different
	any    bool   // it has rows
}

// sortedWindow is the first partition of a window and the one whose rows arrive.
type sortedWindow struct{ first, now partition }

var sortedWindows sync.Map // of *sortedWindow by thread: DuckDB calls for a window on one

// keepSorted remembers what STRUCTs are in the rows of a partition.
func (s States) keepSorted(vs []*Vector) {
	kept, _ := sortedWindows.LoadOrStore(s.thread, new(sortedWindow))
	now := &kept.(*sortedWindow).now
	if state := s.At(0); state.handle == 0 && state.Inline == [48]byte{} {
		*now = partition{}
	}
	var row []byte
	for i := range s.n {
		row = row[:0]
		for _, v := range vs {
			if v != nil && v.Type().Leaves() > 1 {
				row = v.AppendValue(row, i)
			}
		}
		if !now.any {
			now.row, now.any = bytes.Clone(row), true
		}
		now.varied = now.varied || !bytes.Equal(now.row, row)
	}
}

// endPartition is an error where STRUCTs of partition number n of a window that thread
// has made a result of may be damaged.
func endPartition(thread, n uint64) error {
	kept, ok := sortedWindows.Load(thread)
	if !ok {
		return nil
	}
	w := kept.(*sortedWindow)
	now := w.now
	w.now = partition{}
	if n == 0 {
		w.first = now
		return nil
	}
	// A partition without rows has a FILTER, with which DuckDB damages nothing.
	if w.first.any && now.any && (w.first.varied || now.varied || !bytes.Equal(w.first.row, now.row)) {
		return errDamaged
	}
	return nil
}
