package agg

import (
	"iter"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// ccbfUnion is ccbf_union_agg. DuckDB gives a few hundred sketches to one thread, however
// large they are, and the others wait: then one goroutine unites the first of them, and another the last.
type ccbfUnion struct{ ofBlobs[*ccbfPage] }

// halvedBytes is from how many bytes of sketches on: they take milliseconds.
const halvedBytes = 1 << 18

func (a *ccbfUnion) Update(rows *duck.Rows, states duck.States) error {
	if !oneState(states) || !rows.Spare() {
		return a.ofBlobs.Update(rows, states)
	}
	var blobs [][]byte
	column, bytes := rows.Col(0), 0
	for i := range rows.Len() {
		if column.Valid(i) {
			blobs = append(blobs, column.Bytes(i))
			bytes += len(blobs[len(blobs)-1])
		}
	}
	if bytes < halvedBytes {
		return a.ofBlobs.Update(rows, states)
	}
	t, err := a.of(states.At(0))
	if err != nil {
		return err
	}
	t.by.several = true
	own := &share{lease: t.lease}
	var other *ccbf.Builder
	front, back := 0, len(blobs)
	ccbf.Ends(rows.Spare, len(blobs), func(numbers iter.Seq[int]) {
		for i := range numbers {
			if err = t.addBlob(blobs[i]); err != nil {
				return
			}
			front = i + 1
		}
	}, func(numbers iter.Seq[int]) { other, back = uniteExact(blobs, numbers, own) })
	giveBack := func() {
		if more := own.giveBack(); err == nil {
			err = more
		}
	}
	if other == nil { // its memory is wanted for what it left
		giveBack()
	}
	for ; err == nil && front < back; front++ {
		err = t.addBlob(blobs[front])
	}
	if err == nil && other != nil {
		err = t.merge(&ccbfPage{b: other})
	}
	giveBack()
	return err
}

// oneState reports whether all of several rows are of one state.
func oneState(states duck.States) bool {
	if states.Len() < 2 {
		return false
	}
	if states.Single() {
		return true
	}
	all := states.Slice()
	for _, s := range all[1:] {
		if s != all[0] {
			return false
		}
	}
	return true
}

// uniteExact unites the sketches of some numbers, each one less than the one before, as far as they are
// exact and nothing is wrong with them, and returns from which on: all but those of the lowest. Of others the
// order can matter, and errors come in the order of rows.
func uniteExact(blobs [][]byte, numbers iter.Seq[int], budget ccbf.Budget) (b *ccbf.Builder, from int) {
	v := ccbfViews.Get().(*ccbf.View)
	defer ccbfViews.Put(v)
	from = len(blobs)
	for i := range numbers {
		if v.Reset(blobs[i]) != nil || v.Form() != ccbf.Exact {
			break
		}
		if b == nil {
			b = ccbf.NewBuilder(v.Config, budget)
			b.Hold = duck.MemoryLimit() / 8
		}
		if b.AddView(v) != nil {
			return nil, len(blobs) // half of it may have been added
		}
		from = i
	}
	return b, from
}

// share is a part of a lease.
type share struct {
	lease *duck.Lease
	held  int64
}

func (s *share) Grow(delta int64) error {
	err := s.lease.Grow(delta)
	if err == nil {
		s.held += delta
	}
	return err
}

func (s *share) Scarce() int { return s.lease.Scarce() }

func (s *share) giveBack() error { return s.Grow(-s.held) }

var _ ccbf.Scarcity = (*share)(nil)
