package counters

import (
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Encoding says how counters are kept, in memory and in a BLOB. The numbers
// are part of the format.
type Encoding uint8

// The encodings. Of each, memory and time of At.
const (
	Plain Encoding = 0 // words of 1, 2, 4 or 8 bytes, as the largest needs; O(1)
	Elias Encoding = 1 // the Elias delta code; a scan of at most 64 codes
	Steps Encoding = 2 // a shorter code for small counters; likewise
	Index Encoding = 3 // binary numbers of any length and a string-array index; O(1)

	encodings = 4
)

var names = [encodings]string{"plain", "elias", "steps", "index"}

// String is the encoding's name in options.
func (e Encoding) String() string {
	if e < encodings {
		return names[e]
	}
	return fmt.Sprintf("encoding %d", uint8(e))
}

// blockLen is the number of counters that Update, and every encoding but
// Plain, takes together.
const blockLen = 64

// MaxLen is the largest number of counters: in every encoding, as long as they
// may be and with slack, they take less than 2^32 bytes.
const MaxLen = 1 << 28

// Array is a number of counters from 0 to 2^64-1 that change, in words or in an
// index. Indices out of range panic, as a slice's do. Methods that only read may run
// in parallel.
type Array interface {
	// Encoding is Plain or Index.
	Encoding() Encoding
	Len() int
	// At is counter i. No allocation.
	At(i int) uint64
	// Set makes counter i v: amortised O(1).
	Set(i int, v uint64)
	// Unpack copies the counters from at on to dst.
	Unpack(at int, dst []uint64)
	// Update calls f with all counters in order, in blocks of at most 64 that
	// begin at at; what f leaves there is what the counters are from then on.
	// f must not use the array. O(Len), much cheaper than Set for each.
	Update(f func(at int, block []uint64))
	// Bytes is the memory that the counters take now.
	Bytes() int
}

// New makes n counters, n from 1 to MaxLen, all 0, that are to be written in an encoding.
// Codes take a scan to read and a rewrite to change, so that in memory their counters
// are words.
func New(e Encoding, n int) Array {
	if n < 1 || n > MaxLen {
		panic(fmt.Sprintf("counters: %d counters", n))
	}
	if e == Index {
		return newIndex(n)
	}
	return newPlain(n)
}

// Encode appends the counters' body in a BLOB: the same counters, the same bytes,
// whatever happened before. O(Len).
func Encode(dst []byte, e Encoding, src Source) []byte {
	if e != Plain {
		return encode(dst, codecOf(e), src)
	}
	if p, ok := src.(*plain); ok && words.Shift(p.Or()) == p.Shift {
		return append(dst, p.B...)
	}
	return appendWords(dst, src)
}

// Copy makes an array of the counters of a body that Check accepts.
func Copy(v *View) Array {
	switch v.e {
	case Plain:
		return &plain{v.n, words.Table{Shift: v.plain.Shift, B: slices.Clone(v.plain.B)}}
	case Index:
		a := new(index)
		a.adopt(v, roomy)
		return a
	}
	a := newPlain(v.n)
	a.Update(v.Unpack)
	return a
}

// View reads counters from a body's own memory, without a copy. It is valid
// as long as that memory is. Whatever the bytes, it reads only inside them.
// Any number of goroutines may read it.
type View struct {
	e     Encoding
	n     int
	plain words.Table
	store store // of all others
}

// Open checks the structure of the body of n counters in constant time, not
// what is in it, which is Check's. Errors wrap sketch.ErrInvalid.
func Open(e Encoding, n int, body []byte) (View, error) {
	if n < 1 || n > MaxLen {
		return View{}, sketch.Invalidf("%d counters", n)
	}
	v := View{e: e, n: n}
	var err error
	switch e {
	case Plain:
		v.plain, err = openPlain(n, body)
	case Elias, Steps, Index:
		v.store, err = open(codecOf(e), n, body)
	default:
		err = sketch.Invalidf("counters in %v", e)
	}
	return v, err
}

// codecOf is that of every encoding but Plain.
func codecOf(e Encoding) codec {
	if e == Index {
		return indexCodec{}
	}
	return codedCodec{e}
}

// Len is the number of counters.
func (v *View) Len() int { return v.n }

// At is counter i, without an allocation. In a body that Check would refuse
// it may be anything.
func (v *View) At(i int) uint64 {
	if uint(i) >= uint(v.n) {
		panic(outOfRange(i, v.n))
	}
	switch v.e {
	case Plain:
		return v.plain.At(i)
	case Index:
		return v.store.indexAt(uint(i))
	}
	return codedCodec{v.e}.at(&v.store, i)
}

// Unpack copies the counters from at on to dst.
func (v *View) Unpack(at int, dst []uint64) {
	checkRange(at, len(dst), v.n)
	// Not by the interface codec, which would move every View to the heap.
	switch v.e {
	case Plain:
		v.plain.Unpack(at, dst)
	case Index:
		indexCodec{}.unpack(&v.store, at, dst)
	default:
		codedCodec{v.e}.unpack(&v.store, at, dst)
	}
}

// Check is nil where the body is what Append writes for the counters that it
// holds, and nothing else. O(Len). Errors wrap sketch.ErrInvalid.
func (v *View) Check() error {
	if v.e == Plain {
		return checkPlain(v.plain)
	}
	s := v.store
	return s.check(codecOf(v.e))
}

func outOfRange(i, n int) string { return fmt.Sprintf("counters: index %d of %d counters", i, n) }

func checkRange(at, count, n int) {
	if at < 0 || count > n || at > n-count {
		panic(fmt.Sprintf("counters: %d counters from %d on, of %d", count, at, n))
	}
}
