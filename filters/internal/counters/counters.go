package counters

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Encoding says how counters are encoded in a BLOB. Its values are part of the format.
type Encoding uint8

// The encodings, with the time that At takes.
const (
	Plain Encoding = 0 // words of 1, 2, 4 or 8 bytes, as the largest needs; O(1).
	Elias Encoding = 1 // the Elias delta code; a scan of at most 64 codes.
	Steps Encoding = 2 // a shorter code for small counters; likewise
	Index Encoding = 3 // binary numbers of any length and a string-array index; O(1)
)

var names = [...]string{"plain", "elias", "steps", "index"}

// String returns the encoding's name in options.
func (e Encoding) String() string { return sketch.NameOf(names[:], "encoding", e) }

// blockLen is the number of counters that every encoding but Plain encodes together.
const blockLen = words.BlockLen

// MaxLen is the largest number of counters. In every encoding they take less than 2^32 bytes.
const MaxLen = 1 << 28

// params are the parameters of an encoding, which are chosen for the counters.
type params [2]uint8

// Source is counters that can be read in order, for example a View.
type Source = words.Source

// headSize is the number of bytes of the head. It has the parameters and zeros.
const headSize = 8

// record returns how many bytes of the directory a group takes. The first 4 bytes say where the group
// begins in the base.
func (e Encoding) record() int {
	if e == Index {
		return indexRecord
	}
	return codedRecord
}

// base returns where the base of n counters begins in a body.
func (e Encoding) base(n int) int { return headSize + (n+blockLen-1)/blockLen*e.record() }

// choose returns parameters for counters. The result depends only on the counters.
func (e Encoding) choose(src Source) params {
	if e == Index {
		return chooseIndex(src)
	}
	return chooseCode(src, codesOf(e))
}

// has reports whether the encoding has these parameters.
func (e Encoding) has(p params) bool {
	if e == Index {
		return p[1] <= maxCodeBits && int(p[0])+1<<p[1]-1 <= 64
	}
	return int(p[0]) < len(codesOf(e)) && p[1] == 0
}

// groups yields the record and the bytes of each group of counters, which the next group overwrites.
func (e Encoding) groups(src Source, p params) iter.Seq2[[]byte, []byte] {
	return func(yield func(record, bytes []byte) bool) {
		var w bitio.Writer
		start, record := 0, make([]byte, e.record())
		for _, group := range words.Blocks(src) {
			clear(record)
			binary.LittleEndian.PutUint32(record, uint32(start))
			w.Reset(blockLen)
			if e == Index {
				putIndex(&w, p, record, group)
			} else {
				for _, v := range group {
					codesOf(e)[p[0]].put(&w, v)
				}
			}
			if !yield(record, w.Bytes()) {
				return
			}
			start += len(w.Bytes())
		}
	}
}

// Encode appends the counters' body in a BLOB, in any encoding but Plain. The same counters give the same bytes, whatever happened
// before. O(Len).
func Encode(dst []byte, e Encoding, src Source) []byte {
	p := e.choose(src)
	begin, base := len(dst), len(dst)+e.base(src.Len())
	dst = slices.Grow(dst, base-begin)[:base]
	clear(dst[begin:])
	copy(dst[begin:], p[:])
	at := begin + headSize
	for record, bytes := range e.groups(src, p) {
		at += copy(dst[at:], record)
		dst = append(dst, bytes...)
	}
	return dst
}

// View reads counters from a body without copying it. It is valid as long as the body's memory. It never
// reads outside of the body, even if the body is damaged. Any number of goroutines may use it.
type View struct {
	e    Encoding
	n    int
	p    params
	base int // where the base begins in the body
	body []byte
}

// Open checks the structure of the body of n counters in constant time, in any encoding but Plain. Check
// checks its contents. Errors wrap sketch.ErrInvalid.
func Open(e Encoding, n int, body []byte) (View, error) {
	if n < 1 || n > MaxLen {
		return View{}, sketch.Invalidf("%d counters", n)
	}
	v := View{e: e, n: n, base: e.base(n), body: body}
	if len(body) < v.base {
		return View{}, sketch.Invalidf("%d bytes for %d counters, at least %d are needed", len(body), n, v.base)
	}
	v.p = params(body[:2])
	if !e.has(v.p) || [headSize - 2]byte(body[2:]) != [headSize - 2]byte{} {
		return View{}, sketch.Invalidf("counters that begin with %x", body[:headSize])
	}
	return v, nil
}

// Len returns the number of counters.
func (v *View) Len() int { return v.n }

// pos returns the bit of the body at which group g begins.
func (v *View) pos(g int) uint {
	return uint(v.base)*8 + uint(binary.LittleEndian.Uint32(v.body[headSize+g*v.e.record():]))*8
}

// At returns counter i, without an allocation. In a body that Check would refuse it may be anything.
func (v *View) At(i int) uint64 {
	var one [1]uint64
	v.Unpack(i, one[:])
	return one[0]
}

// Unpack copies len(dst) counters to dst, beginning with counter at.
func (v *View) Unpack(at int, dst []uint64) {
	if at < 0 || len(dst) > v.n || at > v.n-len(dst) {
		panic(fmt.Sprintf("counters: %d counters from %d on, of %d", len(dst), at, v.n))
	}
	if v.e != Index {
		v.unpackCoded(at, dst)
		return
	}
	for k := range dst {
		dst[k] = v.indexAt(uint(at + k))
	}
}

// Check returns an error unless the body is exactly what Encode writes for its counters. Any bytes can be
// read as some counters, so writing them again is the whole test. O(Len). Errors wrap sketch.ErrInvalid.
func (v *View) Check() error {
	p := v.e.choose(v)
	if p != v.p {
		return sketch.Invalidf("counters with parameters %v, must be %v", v.p, p)
	}
	records, base := v.body[headSize:v.base], v.body[v.base:]
	for record, group := range v.e.groups(v, p) {
		if !bytes.HasPrefix(records, record) || !bytes.HasPrefix(base, group) {
			return sketch.Invalidf("counters that would be written otherwise")
		}
		records, base = records[len(record):], base[len(group):]
	}
	if len(base) > 0 {
		return sketch.Invalidf("counters in %d bytes, must be %d", len(v.body), len(v.body)-len(base))
	}
	return nil
}
