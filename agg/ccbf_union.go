package agg

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// ccbfUnion is ccbf_union_agg. DuckDB gives a few hundred sketches to one thread, however
// large they are, and the others wait: then one half of them is united beside the other.
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
	half, left := 0, bytes/2
	for left > 0 {
		left -= len(blobs[half])
		half++
	}
	own := &share{lease: t.lease}
	var other *ccbf.Builder
	came := half
	ccbf.Beside(rows.Spare, func() { err = t.addBlobs(blobs[:half]) }, func() {
		var n int
		other, n = uniteExact(blobs[half:], own)
		came += n
	})
	if err != nil {
		return err
	}
	if other != nil {
		err = t.merge(&ccbfPage{b: other})
	}
	if more := own.giveBack(); err == nil {
		err = more
	}
	if err != nil {
		return err
	}
	return t.addBlobs(blobs[came:])
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

func (t *ccbfPage) addBlobs(blobs [][]byte) error {
	for _, blob := range blobs {
		if err := t.addBlob(blob); err != nil {
			return err
		}
	}
	return nil
}

// uniteExact unites the first of some sketches, as far as they are exact and nothing is wrong
// with them, and returns how many these are. Of others the order can matter, and errors
// come in the order of rows.
func uniteExact(blobs [][]byte, budget ccbf.Budget) (b *ccbf.Builder, n int) {
	v := ccbfViews.Get().(*ccbf.View)
	defer ccbfViews.Put(v)
	for _, blob := range blobs {
		if v.Reset(blob) != nil || v.Form() != ccbf.Exact {
			break
		}
		if b == nil {
			b = ccbf.NewBuilder(v.Config, budget)
			b.Hold = duck.MemoryLimit() / 8
		}
		if b.AddView(v) != nil {
			return nil, 0 // half of it may have been added
		}
		n++
	}
	return b, n
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
