package sbf

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// The first of a BLOB's parameters, docs/FORMAT.md: the method, above it the encoding, and above that
// the bits of form.
const (
	encodingBit = 2
	formBit     = 4

	formBlocked = 1 << 0
	formMarker  = 1 << 1
	formRange   = 1 << 2
	formProduct = 1 << 3
)

// Blob encodes the sketch: equal states give equal bytes. The sketch is unchanged. A sketch that
// gathers is encoded as the filters of its keys. O(m).
func (s *Sketch) Blob() []byte {
	s.MustBeMade()
	s = s.finished()
	body := s.first.append(make([]byte, 0, s.Bytes()), s.encoding)
	first := len(body)
	if s.method.recurring() {
		body = s.second.append(body, s.encoding)
	}
	params := s.appendParams(nil, first, len(body)-first)
	body = append(body, s.marks...)
	return sketch.Join(keyed.Header(s.Base, id), params, s.traps.append(body))
}

// appendParams appends the parameters of a sketch whose filters take first and second bytes.
func (s *Sketch) appendParams(dst []byte, first, second int) []byte {
	form := byte(0)
	if s.blocked {
		form |= formBlocked
	}
	if s.marker {
		form |= formMarker
	}
	if s.ByValue() {
		form |= formRange
	}
	if s.product {
		form |= formProduct
	}
	dst = append(dst, byte(s.method)|byte(s.encoding)<<encodingBit|form<<formBit, byte(s.k))
	dst = binary.AppendUvarint(dst, s.m)
	if s.ByValue() {
		dst = binary.AppendVarint(dst, s.span.Lo)
		dst = binary.AppendUvarint(dst, uint64(s.span.Hi)-uint64(s.span.Lo))
	}
	if s.method.recurring() {
		dst = binary.AppendUvarint(dst, uint64(first))
		dst = binary.AppendUvarint(dst, uint64(second))
	}
	return dst
}

// View answers queries from a BLOB's own memory, without a copy. It is valid as long as that memory is.
// Any number of goroutines may read it.
type View struct {
	filter
	trapTable    []byte
	counterBytes int // bytes of the counters of both filters
}

// NewView checks a BLOB's structure in constant time, but not its checksum,
// which Check verifies. Whatever the BLOB, a View reads only inside it. Errors
// wrap sketch.ErrInvalid.
func NewView(blob []byte) (View, error) {
	b, base, r := keyed.Read(id, blob, sketch.Additive|sketch.Saturated)
	kind, k, m := r.Uint8(), r.Uint8(), r.Uvarint()
	method, encoding, form := Method(kind&(1<<encodingBit-1)), Encoding(kind>>encodingBit&(1<<(formBit-encodingBit)-1)), kind>>formBit
	var span Range
	if form&formRange != 0 {
		span.Lo = r.Varint()
		span.Hi = int64(uint64(span.Lo) + r.Uvarint())
	}
	firstLen, secondLen := uint64(len(b.Body)), uint64(0)
	if method.recurring() {
		firstLen, secondLen = r.Uvarint(), r.Uvarint()
	}
	if err := r.Done(); err != nil {
		return View{}, err
	}
	if form&formRange != 0 && span.Lo >= span.Hi { // the stored difference Hi-Lo is 0, or Hi would exceed int64
		return View{}, sketch.Invalidf("a range of %v", span)
	}
	sh, err := newShape(m, uint64(k), method, encoding, form&formMarker != 0, form&formBlocked != 0, span)
	if err != nil {
		return View{}, sketch.Invalidf("%v", err)
	}
	sh.product = form&formProduct != 0
	if _, known := base.Total(); base.Additive() != (method != MI && !sh.product) || sh.product && known {
		return View{}, sketch.Invalidf("method %s with flags %#x", sh.what(), uint16(b.Flags))
	}
	if span != (Range{}) && !isNumber(base.KeyClass()) {
		return View{}, sketch.Invalidf("a range over %v keys", base.KeyClass())
	}
	v := View{filter: filter{Base: base, shape: sh}}
	body := sketch.NewReader("body", b.Body)
	first, second := body.Bytes(firstLen), body.Bytes(secondLen)
	v.counterBytes = len(first) + len(second)
	if v.first, err = open(encoding, int(m), first); err != nil {
		return View{}, err
	}
	if method.recurring() {
		if v.second, err = open(encoding, int(sh.secondM), second); err != nil {
			return View{}, err
		}
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

// open returns the counters of a body. It checks their structure.
func open(e Encoding, n int, body []byte) (cells, error) {
	if e == Plain {
		t, ok := words.Open(n, body)
		if !ok {
			return cells{}, sketch.Invalidf("%d counters in %d bytes, not in words of 1, 2, 4 or 8", n, len(body))
		}
		return cells{words: t}, nil
	}
	v, err := counters.Open(e, n, body)
	return cells{coded: &v}, err
}

// check returns an error if anything in the body is not in its only form.
func (v *View) check() error {
	if err := v.first.check(); err != nil {
		return err
	}
	if err := v.second.check(); err != nil {
		return err
	}
	if v.Saturated() != v.full() {
		return sketch.Invalidf("the flag for saturated counters is wrong")
	}
	if err := v.checkTotal(); err != nil {
		return err
	}
	if n := v.m % 8; v.marker && n != 0 && v.marks[len(v.marks)-1]>>n != 0 {
		return sketch.Invalidf("marks beyond the last counter")
	}
	last := int64(-1)
	for b := v.trapTable; len(b) > 0; b = b[trapBytes:] {
		at := int64(binary.LittleEndian.Uint32(b))
		if at <= last || uint64(at) >= v.m || binary.LittleEndian.Uint64(b[12:])&1 == 0 {
			return sketch.Invalidf("a trap at counter %d after one at %d", at, last)
		}
		last = at
	}
	return nil
}

// check returns an error if the counters of a BLOB are not in their only form.
func (c *cells) check() error {
	if c.coded != nil {
		return c.coded.Check()
	}
	if shift := words.Shift(c.words.Or()); shift != c.words.Shift {
		return sketch.Invalidf("counters of %d bytes where %d suffice", 1<<c.words.Shift, 1<<shift)
	}
	return nil
}

// checkTotal compares the total with the sum of the first filter's counters. Every occurrence of a key,
// and of each node above it, adds one to k of them, with method mi to at least one. Saturated counters
// lost occurrences.
func (v *View) checkTotal() error {
	total, known := v.Total()
	if !known || v.Saturated() {
		return nil
	}
	keys := uint64(v.span.levels())
	mostHi, most := bits.Mul64(total, keys*uint64(v.k))
	leastHi, least := mostHi, most
	if v.method == MI {
		leastHi, least = bits.Mul64(total, keys)
	}
	hi, lo := v.first.total()
	if hi < leastHi || hi == leastHi && lo < least || hi > mostHi || hi == mostHi && lo > most {
		return sketch.Invalidf("a total of %d, but counters do not add up to it", total)
	}
	return nil
}

// traps decodes the traps of a BLOB; nil unless the method is TRM.
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

// sketch returns the view as a sketch, whose counters are in the memory of the BLOB.
func (v *View) sketch() *Sketch { return &Sketch{filter: v.filter, traps: v.traps()} }

// Rows returns the counters of the filter and, with RM and TRM, those of the second one. The error is
// that of keyed.Listable.
func (v *View) Rows() ([][]uint64, error) {
	v.MustBeMade()
	if err := keyed.Listable(v.m + v.secondM); err != nil {
		return nil, err
	}
	rows := [][]uint64{v.first.unpacked()}
	if v.method.recurring() {
		rows = append(rows, v.second.unpacked())
	}
	return rows, nil
}
