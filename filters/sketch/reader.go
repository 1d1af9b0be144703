package sketch

import (
	"encoding/binary"
	"math"
)

// Reader reads little-endian fields from untrusted bytes. It never reads beyond
// them: the first missing field sets Err, and every later read returns zeros.
// The zero Reader has no bytes.
type Reader struct {
	b    []byte
	off  int
	what string
	err  error
}

// NewReader returns a Reader of b, which errors call what ("parameters", "body").
func NewReader(what string, b []byte) *Reader { return &Reader{b: b, what: what} }

// next returns the following n bytes, or nil and sets an error. n comes from callers or from the bytes
// themselves, so it is compared before anything is added to it.
func (r *Reader) next(n uint64) []byte {
	if r.err != nil {
		return nil
	}
	if left := uint64(len(r.b) - r.off); n > left {
		r.err = Invalidf("%s: %d more bytes expected after byte %d", r.what, n-left, len(r.b))
		return nil
	}
	b := r.b[r.off : r.off+int(n) : r.off+int(n)]
	r.off += int(n)
	return b
}

// Uint8 reads one byte.
func (r *Reader) Uint8() uint8 {
	if b := r.next(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint64 reads eight bytes.
func (r *Reader) Uint64() uint64 {
	if b := r.next(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Bytes reads n bytes, a view of the Reader's memory. It returns nil if there are fewer.
func (r *Reader) Bytes(n uint64) []byte { return r.next(n) }

// Uvarint reads an unsigned LEB128 number of at most 10 bytes, in its shortest
// form only: one number, one spelling.
func (r *Reader) Uvarint() uint64 {
	if r.err != nil {
		return 0
	}
	if r.off < len(r.b) && r.b[r.off] < 1<<7 { // most are small
		r.off++
		return uint64(r.b[r.off-1])
	}
	v, n := binary.Uvarint(r.b[r.off:])
	if n <= 0 || (n > 1 && r.b[r.off+n-1] == 0) {
		r.err = Invalidf("%s: no number at byte %d", r.what, r.off)
		return 0
	}
	r.off += n
	return v
}

// Varint reads a signed number, as Uvarint reads its zigzag.
func (r *Reader) Varint() int64 {
	u := r.Uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// Float reads a number that AppendFloat wrote.
func (r *Reader) Float() float64 {
	u := r.Uvarint()
	if u == inFull {
		v := math.Float64frombits(r.Uint64())
		if _, ok := decimal(v); ok {
			r.Fail(Invalidf("%s: %v in full before byte %d", r.what, v, r.off))
		}
		return v
	}
	m, places := u>>placesBits, u&(1<<placesBits-1)
	if m >= maxMantissa || places >= uint64(len(powers)) || places > 0 && m%10 == 0 {
		r.Fail(Invalidf("%s: no decimal number before byte %d", r.what, r.off))
		return 0
	}
	return float64(m) / powers[places]
}

// Len returns the number of bytes not yet read.
func (r *Reader) Len() int { return len(r.b) - r.off }

// Fail sets the first error, if err is one and there was none before.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Err returns the first error, which wraps ErrInvalid.
func (r *Reader) Err() error { return r.err }

// Done returns Err, or an error if bytes are left over.
func (r *Reader) Done() error {
	if r.off != len(r.b) {
		r.Fail(Invalidf("%s: %d bytes, expected %d", r.what, len(r.b), r.off))
	}
	return r.err
}
