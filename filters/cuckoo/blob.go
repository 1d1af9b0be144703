package cuckoo

import (
	"encoding/binary"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// variableBit is the position of the variable length in the first of a BLOB's parameters, above the
// variant.
const variableBit = 1

// Blob encodes the filter: equal states give equal bytes. The filter is unchanged.
func (s *Sketch) Blob() []byte {
	p := s.params
	params := []byte{byte(p.Variant), byte(p.FingerprintBits), byte(p.Slots)}
	if p.VariableLength {
		params[0] |= 1 << variableBit
	}
	params = binary.AppendUvarint(params, p.Capacity)
	params = binary.AppendUvarint(params, s.buckets)
	blob := sketch.Begin(make([]byte, 0, sketch.MaxHeader+len(params)+len(s.mem)), keyed.Header(s.Base, id), params)
	blob = append(blob, s.mem...)
	t := s.table
	t.mem = blob[len(blob)-len(s.mem):]
	t.arrange()
	return sketch.Seal(blob)
}

// View answers queries from a BLOB's own memory, without a copy. It is valid as long as that memory is.
// Any number of goroutines may read it.
type View struct{ filter }

// NewView checks a BLOB's structure in constant time, but not its checksum, which Check verifies. A
// View reads only inside its BLOB, whatever the bytes. Errors wrap sketch.ErrInvalid.
func NewView(blob []byte) (View, error) {
	b, base, r := keyed.Read(id, blob, sketch.Additive)
	kind := r.Uint8()
	p := Params{Variant: Variant(kind & (1<<variableBit - 1)), MaxKicks: DefaultMaxKicks, Seed: b.Seed}
	p.FingerprintBits, p.Slots, p.Capacity = uint64(r.Uint8()), uint64(r.Uint8()), r.Uvarint()
	buckets, variable := r.Uvarint(), kind>>variableBit
	p.VariableLength, p.Duplicates = variable == 1, b.Flags.Has(sketch.Additive)
	if err := r.Done(); err != nil {
		return View{}, err
	}
	if err := p.check(); err != nil {
		return View{}, sketch.Invalidf("%v", err)
	}
	if variable > 1 {
		return View{}, sketch.Invalidf("encoding %d, must be 0 or 1", variable)
	}
	if err := p.checkBuckets(buckets); err != nil {
		return View{}, sketch.Invalidf("%v", err)
	}
	if p.Capacity < 1 || p.Capacity > buckets*p.Slots {
		return View{}, sketch.Invalidf("capacity %d in %d slots", p.Capacity, buckets*p.Slots)
	}
	bucketBits := p.FingerprintBits * p.Slots
	if want := bodySize(buckets, bucketBits); uint64(len(b.Body)) != want {
		return View{}, sketch.Invalidf("a body of %d bytes, but %d buckets of %d bits take %d", len(b.Body), buckets, bucketBits, want)
	}
	return View{filter{Base: base, table: newTable(p, buckets, b.Body)}}, nil
}

// check counts the fingerprints and returns an error if a bucket is not in its only form.
func (v *View) check() error {
	stored := uint64(0)
	for i := range v.buckets {
		n, ok := v.isCanonical(i)
		if !ok {
			return sketch.Invalidf("bucket %d is not one that a filter writes", i)
		}
		stored += uint64(n)
	}
	for at, end := v.buckets*uint64(v.bits), 8*uint64(len(v.mem)); at < end; at = at&^7 + 8 {
		if v.mem[at>>3]>>(at&7) != 0 {
			return sketch.Invalidf("byte %d of the body is not 0 after the last bucket", at>>3)
		}
	}
	// A set counts repeated occurrences in the total only. A multiset stores a fingerprint for each.
	if total, known := v.Total(); v.params.Duplicates && (!known || total != stored) || known && total < stored {
		return sketch.Invalidf("a total of %d, but %d fingerprints", total, stored)
	}
	v.stored = stored
	return nil
}

// sketch returns a view that was checked as a sketch, in the memory of the BLOB.
func (v *View) sketch() *Sketch { return &Sketch{filter: v.filter} }

// Info describes a filter without its keys.
type Info struct {
	keyed.Common
	Params  Params
	Buckets uint64
	Stored  uint64 // fingerprints

	Load float64 // Stored as a fraction of Capacity
	Fill float64 // Stored as a fraction of all slots

	BitsPerKey float64 // of the body, for each fingerprint; +Inf if there is none
	FPP        float64 // probability that a key is found that was never added
}

// Info describes the filter. It reads the whole body. O(len(blob)).
func (v *View) Info() Info {
	v.MustBeMade()
	stored, rate := v.survey()
	return Info{
		Common: v.Common(), Params: v.params,
		Buckets: v.buckets, Stored: stored,
		Load: float64(stored) / float64(v.params.Capacity), Fill: float64(stored) / (float64(v.buckets) * float64(v.b)),
		BitsPerKey: 8 * float64(len(v.mem)) / float64(stored),
		FPP:        rate,
	}
}

// FPP returns the probability that a key that was never added is found. It is computed from all
// fingerprints. O(Bytes).
func (s *Sketch) FPP() float64 {
	s.MustBeMade()
	_, rate := s.survey()
	return rate
}

// survey counts the fingerprints, and sums up the rate at which absent keys find one. A fingerprint in
// one of its two buckets is found by a fraction 2^-known of the keys of that bucket (in a plain filter
// 1/(2^f-1)). The sum over all fingerprints counts a key twice if it finds two, so fingerprints that
// another one covers are left out. The result is then exact.
func (t *table) survey() (stored uint64, rate float64) {
	sum := 0.0
	for i := range t.buckets {
		p := t.read(i)
		stored += uint64(p.n)
		for k, q := range p.slice() {
			switch {
			case t.covered(i, &p, k):
			case t.variable:
				sum += math.Ldexp(1, -int(q.known))
			default:
				sum += 1 / float64(t.base)
			}
		}
	}
	return stored, min(2*sum/float64(t.buckets), 1)
}

// covered reports whether all keys that match fingerprint k of bucket i also match another fingerprint,
// in one of its two buckets. The other one comes earlier, or more keys match it. So a sum over the
// fingerprints that are not covered counts each key once. p is the content of bucket i.
func (t *table) covered(i uint64, p *fingerprints, k int) bool {
	q := p.all[k]
	for m, o := range p.slice() {
		if m != k && o.covers(q) && (m < k || !q.covers(o)) {
			return true
		}
	}
	if !t.params.Duplicates && !t.variable {
		return false // a set of fixed length never has the same fingerprint in both buckets
	}
	j := t.other(i, q.v)
	others := t.read(j)
	for _, o := range others.slice() {
		if o.covers(q) && (j < i || !q.covers(o)) {
			return true
		}
	}
	return false
}

// Rows returns the fingerprints of each bucket, as the number in their known bits. It returns the error of
// keyed.Listable.
func (v *View) Rows() ([][]uint64, error) {
	v.MustBeMade()
	if err := keyed.Listable(v.buckets * uint64(v.b)); err != nil {
		return nil, err
	}
	rows := make([][]uint64, v.buckets)
	for i := range rows {
		p := v.read(uint64(i))
		rows[i] = make([]uint64, 0, p.n)
		for _, f := range p.slice() {
			rows[i] = append(rows[i], f.v)
		}
	}
	return rows, nil
}
