package agg

import (
	"iter"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// ccbfUnion is ccbf_union_agg. DuckDB gives a few hundred sketches to one thread, however
// large they are, and the others wait: then one goroutine unites the first of them, and another the last.
// A union that is made again is kept (unions).
type ccbfUnion struct{ ofBlobs[*unionPage] }

// unionPage is a page of sketches that were added.
type unionPage struct {
	ccbfPage
	name  unionName  // of all of them, where they came at once
	whole *keptUnion // instead of them, where that is kept
}

func newCCBFUnion() *ccbfUnion {
	return &ccbfUnion{ofBlobs[*unionPage]{merging[*unionPage]{
		size:  ccbfPageSize,
		fresh: func(l *duck.Lease) *unionPage { return &unionPage{ccbfPage: ccbfPage{lease: l}} },
		merge: (*unionPage).merge,
		made:  (*unionPage).made,
		blob:  (*unionPage).blob,
	}, (*unionPage).addBlob}}
}

// halvedBytes is from how many bytes of sketches on: they take milliseconds.
const halvedBytes = 1 << 18

func (a *ccbfUnion) Update(rows *duck.Rows, states duck.States) error {
	if !oneState(states) || bytesOf(rows.Col(0)) < halvedBytes {
		return a.ofBlobs.Update(rows, states)
	}
	t, err := a.of(states.At(0))
	if err != nil {
		return err
	}
	var blobs [][]byte
	for i := range rows.Len() {
		if rows.Col(0).Valid(i) {
			blobs = append(blobs, rows.Col(0).Bytes(i))
		}
	}
	var name unionName
	if t.empty() {
		name = nameUnion(blobs)
		if k := unions.find(name); k != nil {
			return t.take(k)
		}
	}
	if err := t.addBlobs(blobs, rows.Spare); err != nil {
		return err
	}
	t.name = name
	return nil
}

// bytesOf is how many bytes the values of a column have.
func bytesOf(column *duck.Vector) (n int) {
	for i := range column.Len() {
		if column.Valid(i) {
			n += len(column.Bytes(i))
		}
	}
	return n
}

func (t *unionPage) empty() bool { return t.b == nil && t.whole == nil }

// take makes an empty page one that is a kept union.
func (t *unionPage) take(k *keptUnion) error {
	// Others may give it up meanwhile.
	err := t.lease.Grow(k.bytes())
	if err == nil {
		t.whole = k
	}
	return err
}

// open makes a page that more is to be added to one of sketches.
func (t *unionPage) open() error {
	t.name = unionName{}
	k := t.whole
	if k == nil {
		return nil
	}
	t.whole = nil
	if err := t.ccbfPage.addBlob(k.blob); err != nil {
		return err
	}
	return t.lease.Grow(-k.bytes())
}

func (t *unionPage) addBlob(blob []byte) error {
	if err := t.open(); err != nil {
		return err
	}
	return t.ccbfPage.addBlob(blob)
}

func (t *unionPage) merge(from *unionPage) error {
	switch {
	case from.empty():
		return nil
	case from.whole != nil && t.empty():
		return t.take(from.whole)
	case from.whole != nil:
		return t.addBlob(from.whole.blob)
	}
	name := unionName{}
	if t.empty() {
		name = from.name
	}
	if err := t.open(); err != nil {
		return err
	}
	if err := t.ccbfPage.merge(&from.ccbfPage); err != nil {
		return err
	}
	t.name = name
	return nil
}

// made is the page's BLOB where there is nothing to be done for it.
func (t *unionPage) made() []byte {
	if t.whole == nil {
		return nil
	}
	return t.whole.blob
}

func (t *unionPage) blob(dst []byte) ([]byte, error) {
	from := len(dst)
	dst, err := t.ccbfPage.blob(dst)
	if err == nil && t.name != (unionName{}) {
		unions.keep(t.name, dst[from:])
	}
	return dst, err
}

// addBlobs adds sketches, of which another goroutine may unite the last ones.
func (t *unionPage) addBlobs(blobs [][]byte, spare func() bool) error {
	if err := t.open(); err != nil {
		return err
	}
	t.by.several = t.by.several || spare()
	own := &share{lease: t.lease}
	var err error
	var other *ccbf.Builder
	front, back := 0, len(blobs)
	ccbf.Ends(spare, len(blobs), func(numbers iter.Seq[int]) {
		for i := range numbers {
			if err = t.ccbfPage.addBlob(blobs[i]); err != nil {
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
		err = t.ccbfPage.addBlob(blobs[front])
	}
	if err == nil && other != nil {
		err = t.ccbfPage.merge(&ccbfPage{b: other})
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
			b.Hold = holdMost()
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
