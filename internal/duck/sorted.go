package duck

import (
	"bytes"
	"sync"
)

// For a window over whole partitions with an order of rows, DuckDB first copies the arguments.
// Then it calls update with the sorted rows of one partition after the other. The copy damages
// STRUCTs (constants.c), and does not show which fields were constants. But the first partition is
// right. So STRUCTs are accepted only if all rows of all partitions have the value of the first
// row. Then no constant is damaged.

// partition is a summary of the STRUCT arguments of a partition.
type partition struct {
	row    []byte // the STRUCTs of the first row; nil if the partition has no rows
	varied bool   // some row differs from the first
}

// sortedWindow is the first partition of a window, and the current one.
type sortedWindow struct{ first, now partition }

// sortedWindows has a *sortedWindow for each thread: DuckDB computes a window on one thread.
var sortedWindows sync.Map

// noteSorted adds the STRUCTs in vs to the current partition of the thread.
func (s States) noteSorted(vs []*Vector) {
	w, _ := sortedWindows.LoadOrStore(s.thread, new(sortedWindow))
	now := &w.(*sortedWindow).now
	if state := s.At(0); !state.HasPage() && !state.HasSlot() && state.Inline == [48]byte{} {
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
		if now.row == nil {
			now.row = bytes.Clone(row)
		}
		now.varied = now.varied || !bytes.Equal(now.row, row)
	}
}

// endPartition ends partition number n, from 0 on, of a window that runs on this thread. The error says
// that STRUCTs of the partition may be damaged.
func endPartition(thread, n uint64) error {
	loaded, ok := sortedWindows.Load(thread)
	if !ok {
		return nil
	}
	w := loaded.(*sortedWindow)
	now := w.now
	w.now = partition{}
	if n == 0 {
		w.first = now
		return nil
	}
	// If a partition has no rows here, a FILTER removed them. With a FILTER, DuckDB damages nothing.
	if w.first.row != nil && now.row != nil && (w.first.varied || now.varied || !bytes.Equal(w.first.row, now.row)) {
		return errDamaged
	}
	return nil
}
