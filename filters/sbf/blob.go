package sbf

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Parameters of a BLOB, docs/FORMAT.md: their length, and the bits of form.
const (
	paramsSize = 48

	formBlocked = 1 << 0
	formMarker  = 1 << 1
	formRange   = 1 << 2
	formProduct = 1 << 3
)

// Blob encodes the sketch: equal states, equal bytes. The sketch is unchanged;
// one that gathers is encoded as the filters of what it has. O(m).
func (s *Sketch) Blob() []byte {
	s = s.settled()
	blob := sketch.Begin(make([]byte, 0, sketch.HeaderSize+paramsSize+s.Bytes()), id)
	blob = append(blob, make([]byte, paramsSize)...)
	at := len(blob)
	blob = s.first.append(blob, s.encoding)
	first := len(blob) - at
	if s.method.recurring() {
		blob = s.second.append(blob, s.encoding)
	}
	second := len(blob) - at - first
	blob = append(blob, s.marks...)
	blob = s.traps.append(blob)
	p := blob[sketch.HeaderSize:]
	binary.LittleEndian.PutUint64(p, s.shape.first.m)
	p[8], p[9], p[10] = byte(s.k), byte(s.method), byte(s.encoding)
	if s.blocked {
		p[11] |= formBlocked
	}
	if s.marker {
		p[11] |= formMarker
	}
	if s.ByValue() {
		p[11] |= formRange
	}
	if s.product {
		p[11] |= formProduct
	}
	binary.LittleEndian.PutUint64(p[16:], uint64(s.span.Lo))
	binary.LittleEndian.PutUint64(p[24:], uint64(s.span.Hi))
	binary.LittleEndian.PutUint64(p[32:], uint64(first))
	binary.LittleEndian.PutUint64(p[40:], uint64(second))
	sketch.End(blob, paramsSize, keyed.Header(s.Base, id))
	return blob
}

// append appends the counters in an encoding.
func (t *table) append(dst []byte, e Encoding) []byte {
	a := t.a
	if a.Encoding() != e {
		a = counters.New(e, t.n)
		a.Update(t.a.Unpack)
	}
	return a.Append(dst)
}

// View answers from a BLOB's own memory, without a copy. It is valid as long
// as that memory is. Any number of goroutines may read it.
type View struct {
	keyed.Base
	shape
	first, second    cells
	marks, trapTable []byte
	blob             []byte
	bodies           [2][]byte
}

// NewView checks a BLOB's structure in constant time, not its checksum, which
// is Check's. Whatever the BLOB, a View reads only inside it. Errors wrap
// sketch.ErrInvalid.
func NewView(blob []byte) (View, error) {
	b, err := sketch.ParseAs(id, blob)
	if err != nil {
		return View{}, err
	}
	r := sketch.NewReader("parameters", b.Params)
	m, k, method, encoding, form := r.Uint64(), r.Uint8(), Method(r.Uint8()), Encoding(r.Uint8()), r.Uint8()
	r.Reserved(4)
	span := Range{int64(r.Uint64()), int64(r.Uint64())}
	firstLen, secondLen := r.Uint64(), r.Uint64()
	if err := r.Done(); err != nil {
		return View{}, err
	}
	if form >= formProduct<<1 || (form&formRange != 0) != (span != (Range{})) {
		return View{}, sketch.Invalidf("form %#x with the range %v", form, span)
	}
	sh, err := newShape(m, uint64(k), method, encoding, form&formMarker != 0, form&formBlocked != 0, span)
	if err != nil {
		return View{}, sketch.Invalidf("%v", err)
	}
	base, err := keyed.Read(b.Header, sketch.Additive|sketch.Saturated)
	if err != nil {
		return View{}, err
	}
	sh.product = form&formProduct != 0
	if _, known := base.Total(); base.Additive() != (method != MI && !sh.product) || sh.product && known {
		return View{}, sketch.Invalidf("method %s with flags %#x", sh.what(), uint16(b.Flags))
	}
	if span != (Range{}) && base.KeyClass() != key.Int {
		return View{}, sketch.Invalidf("a range over %v keys", base.KeyClass())
	}
	v := View{Base: base, shape: sh, blob: blob}
	body := sketch.NewReader("body", b.Body)
	v.bodies = [2][]byte{body.Bytes(firstLen), body.Bytes(secondLen)}
	if v.first, err = open(encoding, int(m), v.bodies[0]); err != nil {
		return View{}, err
	}
	if method.recurring() {
		if v.second, err = open(encoding, int(sh.second.m), v.bodies[1]); err != nil {
			return View{}, err
		}
	} else if secondLen != 0 {
		return View{}, sketch.Invalidf("a second filter in a sketch of method %v", method)
	}
	v.marks = body.Bytes(uint64(sh.markBytes()))
	if method == TRM {
		if body.Len()%trapBytes != 0 || uint64(body.Len()/trapBytes) > m {
			return View{}, sketch.Invalidf("traps of %d bytes", body.Len())
		}
		v.trapTable = body.Bytes(uint64(body.Len()))
	}
	return v, body.Done()
}

// open reads counters. An error of the reader comes later.
func open(e Encoding, n int, body []byte) (cells, error) {
	v, err := counters.Open(e, n, body)
	if err != nil {
		return cells{}, err
	}
	c := cells{r: &v, n: n}
	c.words = v.Words()
	return c, nil
}

// check is that everything in the body is in its only form.
func (v *View) check() error {
	if err := v.first.check(); err != nil {
		return err
	}
	full := v.first.full()
	if v.method.recurring() {
		if err := v.second.check(); err != nil {
			return err
		}
		full = full || v.second.full()
	}
	if v.Saturated() != full {
		return sketch.Invalidf("the flag for saturated counters is wrong")
	}
	if err := v.checkTotal(); err != nil {
		return err
	}
	if n := v.shape.first.m % 8; v.marker && n != 0 && v.marks[len(v.marks)-1]>>n != 0 {
		return sketch.Invalidf("marks beyond the last counter")
	}
	last := int64(-1)
	for b := v.trapTable; len(b) > 0; b = b[trapBytes:] {
		at := int64(binary.LittleEndian.Uint32(b))
		if at <= last || uint64(at) >= v.shape.first.m || binary.LittleEndian.Uint64(b[12:])&1 == 0 {
			return sketch.Invalidf("a trap at counter %d after one at %d", at, last)
		}
		last = at
	}
	return nil
}

// check is that of the body of a BLOB.
func (c *cells) check() error { return c.r.(*counters.View).Check() }

// full reports whether a counter is saturated.
func (c *cells) full() (full bool) {
	if c.plain() && c.words.Shift < 3 {
		return false
	}
	c.eachBlock(func(vs []uint64) {
		for _, v := range vs {
			full = full || v == saturated
		}
	})
	return full
}

// sum is the sum of all counters, a number of 128 bits.
func (c *cells) sum() (hi, lo uint64) {
	c.eachBlock(func(vs []uint64) {
		for _, v := range vs {
			var carry uint64
			lo, carry = bits.Add64(lo, v, 0)
			hi += carry
		}
	})
	return hi, lo
}

// checkTotal holds the total against the sum of the first filter's counters,
// where every occurrence of a key, and of each node above it, adds one to k of
// them, with method mi to one of them at least. What is beyond a saturated counter
// is lost.
func (v *View) checkTotal() error {
	total, known := v.Total()
	if !known || v.Saturated() {
		return nil
	}
	keys := uint64(1)
	if v.span != (Range{}) {
		keys = uint64(v.span.levels())
	}
	mostHi, most := bits.Mul64(total, keys*uint64(v.k))
	leastHi, least := mostHi, most
	if v.method == MI {
		leastHi, least = bits.Mul64(total, keys)
	}
	hi, lo := v.first.sum()
	if hi < leastHi || hi == leastHi && lo < least || hi > mostHi || hi == mostHi && lo > most {
		return sketch.Invalidf("a total of %d, and counters that add up to something else", total)
	}
	return nil
}

func (v *View) traps() traps {
	if v.method != TRM {
		return nil
	}
	t := make(traps, len(v.trapTable)/trapBytes)
	for b := v.trapTable; len(b) > 0; b = b[trapBytes:] {
		t[binary.LittleEndian.Uint32(b)] = hash{binary.LittleEndian.Uint64(b[4:]), binary.LittleEndian.Uint64(b[12:])}
	}
	return t
}

// sketch is a copy in memory.
func (v *View) sketch() (s *Sketch, err error) {
	s = &Sketch{Base: v.Base, shape: v.shape, traps: v.traps()}
	if s.first, err = v.table(&v.first, v.bodies[0]); err != nil {
		return nil, err
	}
	if v.method.recurring() {
		if s.second, err = v.table(&v.second, v.bodies[1]); err != nil {
			return nil, err
		}
	}
	if v.marker {
		s.marks = append([]byte(nil), v.marks...)
	}
	return s, nil
}

// table is the counters of a body in memory.
func (v *View) table(c *cells, body []byte) (table, error) {
	if memory(v.encoding) == v.encoding {
		a, err := counters.Decode(v.encoding, c.n, body)
		if err != nil {
			return table{}, err
		}
		return tableOf(a), nil
	}
	t := newTable(v.encoding, c.n)
	t.copy(c)
	return t, nil
}

// Count is Sketch.Count from the BLOB's memory. O(k) where counters are plain
// or indexed, otherwise a scan of a few codes for each. No allocation.
func (v *View) Count(h1, h2 uint64) uint64 {
	return v.shape.count(&v.first, &v.second, v.marks, h1, h2)
}

// CountKey is Count of a key's bytes (package key).
func (v *View) CountKey(b []byte) uint64 {
	h1, h2 := key.Hash(v.Seed(), b)
	return v.Count(h1, h2)
}

// CountHashes is Sketch.CountHashes from the BLOB's memory.
func (v *View) CountHashes(dst, h1s, h2s []uint64) {
	v.shape.countHashes(&v.first, &v.second, v.marks, dst, h1s, h2s)
}

// Unbiased is Sketch.Unbiased from the BLOB's memory.
func (v *View) Unbiased(h1, h2 uint64, groups int) (float64, error) {
	return v.shape.unbiased(v.Base, &v.first, h1, h2, groups)
}

// RangeSum is Sketch.RangeSum from the BLOB's memory.
func (v *View) RangeSum(lo, hi int64) (uint64, error) {
	return v.shape.rangeSum(v.Base, lo, hi, v.Count)
}
