package top

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Blob encodes the sketch with at most k counters: equal counters give equal bytes. The sketch is
// unchanged.
func (s *Sketch) Blob() []byte {
	p := s.Clone()
	body := binary.AppendUvarint(nil, p.maxError)
	body = binary.AppendUvarint(body, uint64(len(p.counters)))
	for _, c := range p.counters {
		body = binary.AppendUvarint(body, c.low)
		body = binary.AppendUvarint(body, uint64(len(c.key)))
		body = append(body, c.key...)
	}
	return sketch.Join(keyed.Header(p.Base, id), binary.AppendUvarint(nil, p.k), body)
}

// View answers queries from a BLOB's own memory, without a copy. It is valid as long as that memory is.
// Any number of goroutines may read it.
type View struct {
	keyed.Base
	k, maxError uint64
	n           uint64 // counters
	counters    []byte
}

// NewView checks a BLOB's structure, including that its keys are in order, but neither its checksum nor
// its sums, which Check verifies. O(len(blob)). Errors wrap sketch.ErrInvalid.
func NewView(blob []byte) (View, error) {
	b, base, params := keyed.Read(id, blob, 0)
	v := View{Base: base, k: params.Uvarint()}
	if err := params.Done(); err != nil {
		return View{}, err
	}
	if v.k == 0 {
		return View{}, sketch.Invalidf("k is 0")
	}
	if err := options.Check(Params{K: v.k}); err != nil {
		return View{}, sketch.Invalidf("%v", err)
	}
	body := sketch.NewReader("body", b.Body)
	v.maxError, v.n = body.Uvarint(), body.Uvarint()
	if v.n > v.k {
		return View{}, sketch.Invalidf("%d counters, but k is %d", v.n, v.k)
	}
	v.counters = body.Bytes(uint64(body.Len()))
	if body.Err() == nil {
		body = sketch.NewReader("body", v.counters)
	}
	last := counter{low: 1<<64 - 1}
	var lastKey []byte
	for i := range v.n {
		low := body.Uvarint()
		key := body.Bytes(body.Uvarint())
		if err := body.Err(); err != nil {
			return View{}, err
		}
		if low == 0 || low > last.low || i > 0 && low == last.low && bytes.Compare(key, lastKey) <= 0 {
			return View{}, sketch.Invalidf("counter %d is not in order", i)
		}
		last.low, lastKey = low, key
	}
	return v, body.Done()
}

// each yields the keys, the most frequent first.
func (v *View) each(yield func(key []byte, low uint64) bool) {
	r := sketch.NewReader("body", v.counters)
	for range v.n {
		low := r.Uvarint()
		if !yield(r.Bytes(r.Uvarint()), low) {
			return
		}
	}
}

// check returns an error if a key is there twice or the counts cannot have the total.
func (v *View) check() error {
	keys := make([][]byte, 0, v.n)
	var sum, over uint64
	for b, low := range v.each {
		keys = append(keys, b)
		var carry uint64
		sum, carry = bits.Add64(sum, low, 0)
		over += carry
	}
	slices.SortFunc(keys, bytes.Compare)
	for i, b := range keys {
		if i > 0 && bytes.Equal(b, keys[i-1]) {
			return sketch.Invalidf("a key has two counters")
		}
	}
	total, known := v.Total()
	if !known {
		return nil
	}
	lostOver, lost := bits.Mul64(v.k+1, v.maxError)
	least, carry := bits.Add64(sum, lost, 0)
	if over|lostOver|carry != 0 || least > total || v.maxError == 0 && sum != total {
		return sketch.Invalidf("a total of %d, but the counters have %d, and each may be %d too low", total, sum, v.maxError)
	}
	return nil
}

// sketch returns a copy in memory to read: without the map, which Clone makes.
func (v *View) sketch() *Sketch {
	s := &Sketch{Base: v.Base, k: v.k, maxError: v.maxError, counters: make([]counter, 0, v.n)}
	for b, low := range v.each {
		s.counters = append(s.counters, counter{string(b), low})
		s.text += len(b)
	}
	return s
}

// Keys is Sketch.Keys with keys in the memory of the BLOB.
func (v *View) Keys() []Frequent {
	v.MustBeMade()
	keys := make([]Frequent, 0, v.n)
	for b, low := range v.each {
		keys = append(keys, Frequent{b, low, saturate.Add(low, v.maxError)})
	}
	return keys
}

// CountHashes is Sketch.CountHashes.
func (v *View) CountHashes(dst, h1s, h2s []uint64) {
	v.MustBeMade()
	most(v.Base, v.maxError, v.each, dst, h1s, h2s)
}

// Info describes a sketch without its keys.
type Info struct {
	keyed.Common
	K        uint64 // counters at most
	Keys     uint64 // counters
	MaxError uint64 // how much counts may be too low
}

// Info describes the sketch.
func (v *View) Info() Info { return Info{v.Common(), v.k, v.n, v.maxError} }

// Rows returns the bounds of each key's count, low and high, in the order of Keys. It returns the error of
// keyed.Listable.
func (v *View) Rows() ([][]uint64, error) {
	v.MustBeMade()
	if err := keyed.Listable(2 * v.n); err != nil {
		return nil, err
	}
	rows := make([][]uint64, 0, v.n)
	for _, k := range v.Keys() {
		rows = append(rows, []uint64{k.Low, k.High})
	}
	return rows, nil
}
