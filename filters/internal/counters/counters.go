package counters

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Encoding says how counters are encoded, both in memory and in a BLOB. Its values are part of the
// format.
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

// MaxLen is the largest number of counters. In every encoding they take less than 2^32 bytes, even if they
// are long and have slack.
const MaxLen = 1 << 28

// Encode appends the counters' body in a BLOB, in any encoding but Plain. The same counters give the same bytes, whatever happened
// before. O(Len).
func Encode(dst []byte, e Encoding, src Source) []byte {
	c := codecOf(e)
	dst, _ = layout(dst, c, src, c.choose(src), tight)
	return dst
}

// View reads counters from a body without copying it. It is valid as long as the body's memory. It never
// reads outside of the body, even if the body is damaged. Any number of goroutines may use it.
type View struct {
	e     Encoding
	n     int
	store store
}

// Open checks the structure of the body of n counters in constant time, in any encoding but Plain. Check
// checks its contents. Errors wrap sketch.ErrInvalid.
func Open(e Encoding, n int, body []byte) (View, error) {
	if n < 1 || n > MaxLen {
		return View{}, sketch.Invalidf("%d counters", n)
	}
	s, err := open(codecOf(e), n, body)
	return View{e, n, s}, err
}

// codecOf returns the codec of any encoding but Plain.
func codecOf(e Encoding) codec {
	if e == Index {
		return indexCodec{}
	}
	return codedCodec{e}
}

// Len returns the number of counters.
func (v *View) Len() int { return v.n }

// At returns counter i, without an allocation. In a body that Check would refuse it may be anything.
func (v *View) At(i int) uint64 {
	if uint(i) >= uint(v.n) {
		panic(outOfRange(i, v.n))
	}
	if v.e == Index {
		return v.store.indexAt(uint(i))
	}
	return codedCodec{v.e}.at(&v.store, i)
}

// Unpack copies len(dst) counters to dst, beginning with counter at.
func (v *View) Unpack(at int, dst []uint64) {
	checkRange(at, len(dst), v.n)
	// A call by the interface codec would move every View to the heap.
	if v.e == Index {
		indexCodec{}.unpack(&v.store, at, dst)
	} else {
		codedCodec{v.e}.unpack(&v.store, at, dst)
	}
}

// Check returns an error unless the body is exactly what Encode writes for its counters. O(Len). Errors
// wrap sketch.ErrInvalid.
func (v *View) Check() error {
	s := v.store
	return s.check(codecOf(v.e))
}

func outOfRange(i, n int) string { return fmt.Sprintf("counters: index %d of %d counters", i, n) }

func checkRange(at, count, n int) {
	if at < 0 || count > n || at > n-count {
		panic(fmt.Sprintf("counters: %d counters from %d on, of %d", count, at, n))
	}
}
